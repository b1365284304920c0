//! The commands of `crdkit`. The binary is the interface; this library is not a public API.
#![forbid(unsafe_code)]

mod cel;
mod check;
mod definitions;
mod publish;
mod search;
mod test;
mod validate;
mod warning;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use crd_codegen::cli::{Generate, Run, completions, completions_example};
use crd_report::{Color, EXIT_STATUS, Program};

const NAME: &str = "crdkit";
const PROGRAM: Program =
    Program { name: NAME, package: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };

/// Work with Kubernetes custom resource definitions: generate Rust, check, validate, test
#[derive(Parser)]
#[command(name = NAME, version, about, max_term_width = 100, after_help = EXIT_STATUS)]
struct Arguments {
    /// Whether the standard error has colours
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
    Check(check::Check),
    Cel(cel::Cel),
    Validate(validate::Validate),
    Test(test::Test),
    Openapi(publish::openapi::Openapi),
    Explain(publish::explain::Explain),
    Get(publish::get::Get),
    Schema(publish::schema::Schema),
    /// Print the script that completes command lines in a shell
    #[command(after_help = completions_example(NAME))]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Runs `crdkit` on the arguments of the process.
#[must_use]
pub fn run() -> ExitCode {
    let Arguments { color, command } = Arguments::parse();
    color.apply();
    let status = match command {
        Command::Generate(arguments) => arguments.run(PROGRAM),
        Command::Run(arguments) => arguments.run(PROGRAM),
        Command::Check(arguments) => arguments.run(PROGRAM),
        Command::Cel(arguments) => arguments.run(PROGRAM),
        Command::Validate(arguments) => arguments.run(PROGRAM),
        Command::Test(arguments) => arguments.run(PROGRAM),
        Command::Openapi(arguments) => arguments.run(PROGRAM),
        Command::Explain(arguments) => arguments.run(PROGRAM),
        Command::Get(arguments) => arguments.run(PROGRAM),
        Command::Schema(arguments) => arguments.run(PROGRAM),
        Command::Completions { shell } => completions(&mut Arguments::command(), shell, PROGRAM),
    };
    status.into()
}
