//! The commands of `crdkit`. Only the binary is a public interface; this library is not.
#![forbid(unsafe_code)]

mod called;
mod cel;
mod check;
// The feature adds options.
#[cfg(all(test, not(feature = "cluster")))]
mod commands_page;
mod completions;
mod configuration;
mod definitions;
mod diff;
mod generate;
mod lint;
mod list_crds;
mod lsp;
mod man;
mod modeline;
mod publish;
mod read;
mod release;
mod run;
mod sample;
mod serve;
mod server;
mod test;
mod validate;
mod waivers;
mod warning;
mod work;

use std::env;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use crd_report::{Color, EXIT_STATUS, MessageFormat, PROGRAM, Report, Status};

use called::Called;
use configuration::Configuration;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Generate Rust from Kubernetes CRDs; check, compare, test and document them
#[derive(Parser)]
#[command(name = PROGRAM, version, about, max_term_width = 100, after_help = EXIT_STATUS)]
struct Arguments {
    /// When to use colors
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", global = true)]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Generate(Box<generate::Generate>),
    Run(run::Run),
    ListCrds(list_crds::ListCrds),
    Check(check::Check),
    Lint(lint::Lint),
    Diff(diff::Diff),
    Cel(cel::Cel),
    Validate(validate::Validate),
    Test(test::Test),
    Sample(sample::Sample),
    Serve(serve::Serve),
    Lsp(lsp::Lsp),
    Openapi(publish::openapi::Openapi),
    Explain(publish::explain::Explain),
    Get(publish::get::Get),
    Schema(publish::schema::Schema),
    Docs(publish::docs::Docs),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs `crdkit` with the process's arguments.
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
    let configuration = match command.configuration() {
        Ok(configuration) => configuration,
        Err(status) => return status.into(),
    };
    let status = match command {
        Command::Generate(arguments) => arguments.run(&configuration),
        Command::Run(arguments) => arguments.run(&configuration),
        Command::ListCrds(arguments) => arguments.run(),
        Command::Check(arguments) => arguments.run(&configuration),
        Command::Lint(arguments) => arguments.run(&configuration),
        Command::Diff(arguments) => arguments.run(&configuration),
        Command::Cel(arguments) => arguments.run(&configuration),
        Command::Validate(arguments) => arguments.run(&configuration),
        Command::Test(arguments) => arguments.run(&configuration),
        Command::Sample(arguments) => arguments.run(),
        Command::Serve(arguments) => arguments.run(&configuration),
        Command::Lsp(arguments) => arguments.run(&configuration),
        Command::Openapi(arguments) => arguments.run(),
        Command::Explain(arguments) => arguments.run(),
        Command::Get(arguments) => arguments.run(),
        Command::Schema(arguments) => arguments.run(),
        Command::Docs(arguments) => arguments.run(),
        Command::Completions(arguments) => arguments.run(&mut Arguments::command()),
        Command::Man(arguments) => arguments.run(Arguments::command()),
    };
    status.into()
}

impl Command {
    /// Reads the configuration. All commands report errors in the configuration, even commands that do not use it.
    fn configuration(&self) -> Result<Configuration, Status> {
        let (path, format) = match self {
            Self::Generate(arguments) => arguments.configuration(),
            Self::Run(arguments) => arguments.configuration(),
            Self::Diff(arguments) => (arguments.config.as_deref(), MessageFormat::Human),
            Self::Lint(arguments) => (arguments.config.as_deref(), MessageFormat::Human),
            Self::Completions(_) | Self::Man(_) => return Ok(Configuration::default()),
            _ => (None, MessageFormat::Human),
        };
        Configuration::read(path).map_err(|reason| Report::new(false).fail(reason, format))
    }
}
