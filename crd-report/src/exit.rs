//! The exit status of a run.

use std::process::ExitCode;

/// The exit status of a run. Later statuses are worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// No errors.
    Fine,
    /// Some input has no verdict, because it needs too much work.
    Undecided,
    /// A CRD, a rule or an object is wrong, a test fails, or the output is stale.
    Wrong,
    /// An input cannot be read, there is nothing to do, or the arguments are wrong.
    Unreadable,
}

/// The end of a command's help text.
pub const EXIT_STATUS: &str = "\
Exit status:
  0  Success: everything was accepted and is up to date
  1  a CRD, a rule or an object has an error, a test fails, or the output is out of date
  2  an input cannot be read, or the arguments are wrong
  3  no error was found, but some inputs were not decided, because they exceed the limit of work";

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Fine => 0,
            Status::Wrong => 1,
            Status::Unreadable => 2,
            Status::Undecided => 3,
        })
    }
}
