//! `crd-codegen`: the name that people and build systems use for `generate` and `run`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_cli::run()
}
