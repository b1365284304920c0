//! The binary `crdkit`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_cli::run()
}
