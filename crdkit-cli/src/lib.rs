//! The commands of `crdkit`. The binary is the interface; this library is not a public API.
#![forbid(unsafe_code)]

mod called;
mod cel;
mod check;
mod definitions;
mod diff;
mod list_crds;
mod man;
mod modeline;
mod publish;
mod read;
mod sample;
mod search;
mod serve;
mod server;
mod test;
mod validate;
mod warning;

use std::env;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use crd_codegen::cli::{Generate, Run, completions, completions_example};
use crd_report::{Color, EXIT_STATUS, Program};

use called::Called;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const NAME: &str = "crdkit";
const PROGRAM: Program =
    Program { name: NAME, package: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };

/// Generate Rust from Kubernetes custom resource definitions, check, compare, test and document them
#[derive(Parser)]
#[command(name = NAME, version, about, max_term_width = 100, after_help = EXIT_STATUS)]
struct Arguments {
    /// Colours on the standard error
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
    ListCrds(list_crds::ListCrds),
    Check(check::Check),
    Diff(diff::Diff),
    Cel(cel::Cel),
    Validate(validate::Validate),
    Test(test::Test),
    Sample(sample::Sample),
    Serve(serve::Serve),
    Openapi(publish::openapi::Openapi),
    Explain(publish::explain::Explain),
    Get(publish::get::Get),
    Schema(publish::schema::Schema),
    Docs(publish::docs::Docs),
    /// Print a completion script for a shell
    #[command(after_help = completions_example(NAME))]
    Completions {
        /// The shell
        shell: Shell,
    },
    Man(man::Man),
}

/// Runs `crdkit` on the arguments of the process.
#[must_use]
pub fn run() -> ExitCode {
    let called = Called::with(env::args_os().collect());
    let mut command = Arguments::command().bin_name(called.name);
    if let Some(argument) = called.option_or_file() {
        let argument = argument.display();
        let message = format!(
            "`{argument}` can be an option or a file: put `--` before names of files, or rename the file"
        );
        command.error(ErrorKind::ArgumentConflict, message).exit();
    }
    let matches = command.get_matches_from(called.arguments);
    let Arguments { color, command } =
        Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    color.apply();
    let status = match command {
        Command::Generate(arguments) => arguments.run(PROGRAM),
        Command::Run(arguments) => arguments.run(PROGRAM),
        Command::ListCrds(arguments) => arguments.run(PROGRAM),
        Command::Check(arguments) => arguments.run(PROGRAM),
        Command::Diff(arguments) => arguments.run(PROGRAM),
        Command::Cel(arguments) => arguments.run(PROGRAM),
        Command::Validate(arguments) => arguments.run(PROGRAM),
        Command::Test(arguments) => arguments.run(PROGRAM),
        Command::Sample(arguments) => arguments.run(PROGRAM),
        Command::Serve(arguments) => arguments.run(PROGRAM),
        Command::Openapi(arguments) => arguments.run(PROGRAM),
        Command::Explain(arguments) => arguments.run(PROGRAM),
        Command::Get(arguments) => arguments.run(PROGRAM),
        Command::Schema(arguments) => arguments.run(PROGRAM),
        Command::Docs(arguments) => arguments.run(PROGRAM),
        Command::Completions { shell } => completions(&mut Arguments::command(), shell, PROGRAM),
        Command::Man(arguments) => arguments.run(Arguments::command()),
    };
    status.into()
}
