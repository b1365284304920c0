//! Runs a program under limits, and prints its end, time and memory as JSON.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]

use std::process::ExitCode;

use crd_tests::measured::Measured;

fn main() -> ExitCode {
    let run = Measured::from_arguments(std::env::args_os().skip(1))
        .and_then(|measured| serde_json::to_string(&measured).map_err(|error| error.to_string()));
    match run {
        Ok(json) => println!("{json}"),
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
