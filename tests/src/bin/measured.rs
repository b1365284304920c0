//! Runs a program under limits, and prints its end, time and memory as JSON. With the argument `fixed-work`, it does
//! the work that shows how fast the machine is.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]

use std::process::ExitCode;

use crd_tests::measured::{FIXED_WORK, Measured, fixed_work};

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == FIXED_WORK) {
        println!("{}", fixed_work());
        return ExitCode::SUCCESS;
    }
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
