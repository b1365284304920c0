//! The command `man`: manual pages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use crd_report::{Message, MessageFormat, Program, Report, Status, some};

/// Write the manual pages of all commands into a folder
#[derive(Args)]
#[command(after_help = "Example:\n  crdkit man --out /usr/local/share/man/man1")]
pub(crate) struct Man {
    /// The folder; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Man {
    pub(crate) fn run(self, command: Command, program: Program) -> Status {
        let report = Report::new(program, false);
        match pages(command, &self.out) {
            Ok(written) => {
                report.line(&format!("wrote {} to {}", some(written, "page"), self.out.display()));
                Status::Fine
            }
            Err(error) => {
                let reason = format!("cannot write manual pages to {}: {error}", self.out.display());
                report.show(&[Message::of_run(reason)], MessageFormat::Human);
                Status::Unreadable
            }
        }
    }
}

/// Writes a page for the tool and one for each command, and returns their number.
fn pages(command: Command, out: &Path) -> io::Result<usize> {
    fs::create_dir_all(out)?;
    let name = command.get_name().to_owned();
    // `help` describes the other commands, which have pages of their own.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut written = 0;
    for page in command.get_subcommands().cloned() {
        let title = format!("{name}-{}", page.get_name());
        write(page, &out.join(format!("{title}.1")))?;
        written += 1;
    }
    write(command, &out.join(format!("{name}.1")))?;
    Ok(written + 1)
}

fn write(command: Command, path: &Path) -> io::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    fs::write(path, page)
}
