//! Turns command lines into runs; only here does the crate print.

mod advice;
mod answer;
mod cel;
mod check;
mod definitions;
mod exit;
mod generate;
mod inputs;
mod jobs;
mod json;
mod kept;
mod report;
mod test;
mod validate;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use exit::Status;

/// Generate Rust from Kubernetes custom resource definitions
#[derive(Parser)]
#[command(name = "crd-codegen", version, about, max_term_width = 100, after_help = EXIT)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT: &str = "\
Exit status:
  0  all is well
  1  a definition, a rule or an object is wrong, a test fails, or the output is stale
  2  an input cannot be read, or the arguments are wrong";

#[derive(Subcommand)]
enum Command {
    Generate(Box<generate::Generate>),
    Run(jobs::Run),
    Check(check::Check),
    Cel(cel::Cel),
    Validate(validate::Validate),
    Test(test::Test),
    /// Print the script that completes command lines in a shell
    #[command(after_help = "Example:\n  crd-codegen completions bash > /etc/bash_completion.d/crd-codegen")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Runs the tool on the arguments of the process.
#[must_use]
pub fn run() -> ExitCode {
    let status = match Arguments::parse().command {
        Command::Generate(arguments) => arguments.run(),
        Command::Run(arguments) => arguments.run(),
        Command::Check(arguments) => arguments.run(),
        Command::Cel(arguments) => arguments.run(),
        Command::Validate(arguments) => arguments.run(),
        Command::Test(arguments) => arguments.run(),
        Command::Completions { shell } => completions(shell),
    };
    status.into()
}

fn completions(shell: Shell) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "crd-codegen", &mut script);
    match print_bytes(&script) {
        Ok(()) => Status::Fine,
        Err(reason) => {
            report::line(&reason);
            Status::Unreadable
        }
    }
}

/// Prints lines to the standard output as they come, and remembers what went wrong.
struct Lines {
    out: io::BufWriter<io::Stdout>,
    failed: Option<io::Error>,
}

impl Lines {
    fn new() -> Self {
        Self { out: io::BufWriter::new(io::stdout()), failed: None }
    }

    fn print(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text.as_bytes()).err();
        }
    }

    /// A reader that has gone is no failure.
    fn end(mut self) -> Result<(), String> {
        let ended = self.failed.take().map_or_else(|| self.out.flush(), Err);
        match ended {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unprinted(&error)),
            _ => Ok(()),
        }
    }
}

fn unprinted(error: &io::Error) -> String {
    format!("the standard output cannot be written: {error}")
}

/// Prints to the standard output. A reader that has gone is no failure.
fn print_bytes(bytes: &[u8]) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unprinted(&error)),
        _ => Ok(()),
    }
}
