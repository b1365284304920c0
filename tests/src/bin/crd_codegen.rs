//! The command-line tool with the feature `cluster`, which its own package builds only on demand.

use std::process::ExitCode;

fn main() -> ExitCode {
    crd_codegen::cli::run()
}
