//! `cargo crdkit`: the commands of `crdkit` as a subcommand of Cargo.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_cli::run()
}
