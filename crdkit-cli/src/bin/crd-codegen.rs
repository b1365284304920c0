//! `crd-codegen`: the name by which people and build systems call `generate` and `run`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_cli::run()
}
