//! `kubectl crdkit`: the commands of `crdkit` as a plugin of kubectl.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_cli::run()
}
