//! `cargo xtask TASK` runs a task's commands one after the other in the repository's root directory.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is for people")]

mod tasks;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use clap::Parser;

use self::tasks::{Step, Task};

/// Runs the commands of a task, and stops at the first failure. Each command can also be run alone: `--list` shows the commands
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    task: Task,
    /// Run only the commands that contain one of these words
    words: Vec<String>,
    /// Show the commands and their purposes, and do not run them
    #[arg(long)]
    list: bool,
    /// Additional arguments for each command
    #[arg(last = true)]
    more: Vec<OsString>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let is_chosen = |step: &&Step| {
        arguments.words.is_empty() || arguments.words.iter().any(|word| step.command.contains(word.as_str()))
    };
    let steps: Vec<&Step> = arguments.task.steps().filter(is_chosen).collect();
    if steps.is_empty() {
        eprintln!(
            "no command of the task contains {}; `--list` shows all commands of the task",
            arguments.words.join(" or ")
        );
        return ExitCode::from(2);
    }
    for step in steps {
        if arguments.list {
            println!("{}    # {}", step.command, step.purpose);
        } else if let Err(message) = run(step, &arguments.more) {
            eprintln!("error: {message}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn run(step: &Step, more: &[OsString]) -> Result<(), String> {
    println!("\n== {}", step.command);
    let start = Instant::now();
    let status =
        command(step.command).args(more).status().map_err(|error| format!("`{}`: {error}", step.command))?;
    println!("== took {} s", start.elapsed().as_secs());
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", step.command)) }
}

/// Returns the process for a command line. The first words can set environment variables. Variables that are already set are not changed.
fn command(line: &str) -> Command {
    let mut words = line.split_whitespace().peekable();
    let mut variables = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        variables.push((name, value));
        words.next();
    }
    let program = words.next().unwrap_or_default();
    // A path is one below the top of the repository.
    let program = if program.contains('/') { top().join(program) } else { PathBuf::from(program) };
    let mut command = Command::new(program);
    variables.retain(|(name, _)| std::env::var_os(name).is_none());
    command.args(words).envs(variables).current_dir(top());
    // Cargo has set these for this program. A build that reads them would differ from that of the same command alone.
    for (name, _) in std::env::vars()
        .filter(|(name, _)| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
    {
        command.env_remove(name);
    }
    command
}

/// Returns the repository's root directory.
fn top() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}
