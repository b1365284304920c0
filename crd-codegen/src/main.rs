//! The command-line tool.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crd_codegen::cli::run()
}
