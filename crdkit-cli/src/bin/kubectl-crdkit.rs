//! `kubectl crdkit`: runs the commands of `crdkit` as a kubectl plugin.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_cli::run()
}
