//! `crdkit man`: prints manual pages, which are generated from the declarations of `--help`.

use clap::{Args, Command};
use crd_report::{Message, MessageFormat, PROGRAM, Report, Status, ended, print};

/// Print a manual page
///
/// Prints the page of `crdkit`, or of one of its commands, in the format of man(7).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// The command whose page is printed; by default `crdkit` itself
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  crdkit man > /usr/local/share/man/man1/crdkit.1
  crdkit man check > /usr/local/share/man/man1/crdkit-check.1";

impl Man {
    pub(crate) fn run(self, mut root: Command) -> Status {
        // Gives each command its full name, as in `crdkit-check`.
        root.build();
        let page = match &self.command {
            None => Some(root),
            Some(name) => root.find_subcommand(name).cloned(),
        };
        let Some(page) = page else {
            return unknown(&self.command.unwrap_or_default());
        };
        let title = page.get_display_name().unwrap_or(PROGRAM).to_uppercase();
        let man = clap_mangen::Man::new(page)
            .title(title)
            .source(concat!("crdkit ", env!("CARGO_PKG_VERSION")))
            .manual("User Commands");
        let mut text = Vec::new();
        let rendered = man.render(&mut text);
        ended(rendered.map_err(|error| error.to_string()).and_then(|()| print(text)), Status::Fine)
    }
}

fn unknown(command: &str) -> Status {
    let message = Message {
        help: Some("`crdkit help` lists the commands".to_owned()),
        ..Message::for_run(format!("`{command}` is not a command"))
    };
    Report::new(false).show(&[message], MessageFormat::Human);
    Status::Unreadable
}
