//! `crd-codegen`: another name of the program, which people and build systems use for `generate` and `run`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_cli::run()
}
