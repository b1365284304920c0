//! `crd-codegen`: another name of the program. People and build systems use this name for `generate` and `run`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_cli::run()
}
