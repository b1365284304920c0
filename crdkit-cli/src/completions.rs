//! The command `completions`, which prints a script for command line completion in a shell.

use clap::Args;
use clap_complete::Shell;
use crd_report::{PROGRAM, Status};

/// Print a completion script for a shell
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

const EXAMPLE: &str = "\
Example:
  crdkit completions bash > /etc/bash_completion.d/crdkit";

impl Completions {
    pub(crate) fn run(self, command: &mut clap::Command) -> Status {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, PROGRAM, &mut script);
        crd_report::ended(crd_report::print(&script), Status::Fine)
    }
}
