//! Code that the commands of `crdkit` share: arguments for inputs, reports and their formats, progress, and the exit status.
//!
//! The crate is not a public API.
#![forbid(unsafe_code)]

pub mod advice;
pub mod answer;
mod answers;
mod exit;
mod format;
mod github;
mod human;
mod inputs;
pub mod json;
pub mod junit;
mod kept;
mod message;
mod report;
mod sarif;
mod search;
mod stdout;
mod visible;

pub use answers::{Counted, DocumentVerdict, DocumentVerdicts, Shown};
pub use exit::{EXIT_STATUS, Status};
pub use format::{Color, Format, MessageFormat};
#[cfg(not(feature = "cluster"))]
pub use inputs::without_cluster;
pub use inputs::{Inputs, Paths};
pub use kept::Kept;
pub use message::{Level, Message, Messages, Spot};
pub use report::{
    PROGRAM, Progress, Report, count, ended, has_errors, indented, line, some, styled, waiting,
};
pub use search::{Found, LeftOut, Search};
pub use stdout::{Printer, print, print_visible};
pub use visible::{shortened, visible};
