//! Generates the book's page about all commands and options from the declarations of `--help`.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};
use crd_report::EXIT_STATUS;

use crate::Arguments;

const HEAD: &str = "\
# Commands

This page lists every command with its options, as `crdkit help COMMAND` does. `crdkit man COMMAND` prints a manual page, and `crdkit completions SHELL` a
script for completion.
";

/// Returns the page.
fn page() -> String {
    let mut root = Arguments::command();
    root.build();
    let mut page = format!("{HEAD}\n```text\n{EXIT_STATUS}\n```\n");
    let commands: Vec<&Command> =
        root.get_subcommands().filter(|command| command.get_name() != "help").collect();
    page += "\n| command | |\n|---|---|\n";
    for command in &commands {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, "| [`{0}`](#{0}) | {1} |", command.get_name(), text(&about));
    }
    page += "\n## Options of all commands\n\n";
    let shared: Vec<&Arg> = root.get_arguments().filter(|option| option.get_id() == "color").collect();
    options(&mut page, &shared);
    for command in commands {
        section(&mut page, command);
    }
    page += "\n## Where to go next\n\n- [crdkit.toml](configuration.md) sets the defaults of a project.\n- [CI](ci.md) shows the commands in a pipeline.\n";
    page
}

fn section(page: &mut String, command: &Command) {
    let about =
        command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let _ = write!(page, "\n## {}\n\n{}\n\n```text\n{usage}\n```\n\n", command.get_name(), text(&about));
    let is_own =
        |option: &&Arg| !option.is_hide_set() && !["help", "color"].contains(&option.get_id().as_str());
    let own: Vec<&Arg> = command.get_arguments().filter(is_own).collect();
    options(page, &own);
    if let Some(examples) = command.get_after_help() {
        let _ = write!(page, "\n```text\n{}\n```\n", examples.to_string().trim());
    }
}

fn options(page: &mut String, options: &[&Arg]) {
    let rows: Vec<String> = options.iter().map(|option| row(option)).collect();
    if !rows.is_empty() {
        let _ = write!(page, "| option | meaning |\n|---|---|\n{}", rows.concat());
    }
}

fn row(option: &Arg) -> String {
    let names = [
        option.get_short().map(|short| format!("-{short}")),
        option.get_long().map(|long| format!("--{long}")),
    ];
    let mut name = names.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let values = option.get_value_names().filter(|_| option.get_action().takes_values()).unwrap_or_default();
    let values: Vec<String> = values.iter().map(|value| format!("<{value}>")).collect();
    if !values.is_empty() {
        name = format!("{name} {}", values.join(" ")).trim_start().to_owned();
    }
    let help = option.get_help().map(ToString::to_string).unwrap_or_default();
    let mut meaning = text(&help);
    let is_flag = !option.get_action().takes_values();
    let possible: Vec<String> = option
        .get_possible_values()
        .iter()
        .filter(|value| !is_flag && !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !possible.is_empty() && possible.len() <= 12 {
        let _ = write!(meaning, "; one of {}", possible.join(", "));
    }
    let defaults: Vec<String> =
        option.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !defaults.is_empty() && !is_flag {
        let _ = write!(meaning, "; default {}", defaults.join(", "));
    }
    format!("| `{name}` | {meaning} |\n")
}

/// Returns a help text as a table cell. Escapes every `|`, and each `<` outside code.
fn text(help: &str) -> String {
    let parts: Vec<String> = help
        .split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 0 { part.replace('<', "&lt;") } else { part.to_owned() })
        .collect();
    parts.join("`").replace('|', "\\|")
}

/// Checks the page. With `UPDATE_GOLDEN=1`, writes the page.
#[test]
fn the_page_of_commands_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/commands.md");
    let page = page();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &page).expect("the book can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "book/src/commands.md is out of date: UPDATE_GOLDEN=1 cargo test -p crdkit-cli writes it"
    );
}
