//! How a run ends.

use std::process::ExitCode;

/// The exit status; of two, the worse one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// All is well.
    Fine,
    /// A definition, a rule or an object is wrong, a test fails, or the output is stale.
    Wrong,
    /// An input cannot be read, there is nothing to do, or the arguments are wrong.
    Unreadable,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}
