//! The commands of the binary `crd-codegen`, which `crdkit` has too. Not a public API.

mod alike;
mod config_file;
mod generate;
mod inputs;
mod jobs;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use crd_report::{Color, EXIT_STATUS, Message, MessageFormat, Program, Report, Status};

pub use generate::Generate;
pub use inputs::{Inputs, Paths};
pub use jobs::Run;

const NAME: &str = "crd-codegen";
const PROGRAM: Program =
    Program { name: NAME, package: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };

/// Generate Rust from Kubernetes custom resource definitions
#[derive(Parser)]
#[command(name = NAME, version, about, max_term_width = 100, after_help = EXIT_STATUS)]
struct Arguments {
    /// Use of colours
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", global = true)]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(after_help = Generate::examples(NAME))]
    Generate(Box<Generate>),
    #[command(after_help = Run::example())]
    Run(Run),
    /// Print the script that completes command lines in a shell
    #[command(after_help = completions_example(NAME))]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Runs `crd-codegen` on the arguments of the process.
#[must_use]
pub fn run() -> ExitCode {
    let Arguments { color, command } = Arguments::parse();
    color.apply();
    let status = match command {
        Command::Generate(arguments) => arguments.run(PROGRAM),
        Command::Run(arguments) => arguments.run(PROGRAM),
        Command::Completions { shell } => completions(&mut Arguments::command(), shell, PROGRAM),
    };
    status.into()
}

/// Prints the script that completes command lines in a shell.
#[must_use]
pub fn completions(command: &mut clap::Command, shell: Shell, program: Program) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, program.name, &mut script);
    crd_report::ended(crd_report::print(&script), Status::Fine)
}

/// The end of the help of `completions`.
#[must_use]
pub fn completions_example(program: &str) -> String {
    format!("Example:\n  {program} completions bash > /etc/bash_completion.d/{program}")
}

/// Shows an error that belongs to no file.
fn show_failure(report: Report, format: MessageFormat, reason: String) -> Status {
    report.show(&[Message::of_run(reason)], format);
    Status::Unreadable
}
