//! The binary `crdkit` with the feature `cluster`, which its own package builds only on demand.

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_cli::run()
}
