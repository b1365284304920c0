//! Reports of the crdkit tools: messages about inputs, their formats, and the exit status.
//!
//! The commands of `crdkit` and of `crd-codegen` share this crate; it is not a public API.
#![forbid(unsafe_code)]

pub mod advice;
pub mod answer;
mod answers;
mod exit;
mod format;
mod github;
mod human;
pub mod json;
pub mod junit;
mod kept;
mod message;
mod report;
mod sarif;
mod stdout;
mod visible;

pub use answers::{Answer, Answers, Counted, Shown};
pub use exit::{EXIT_STATUS, Status};
pub use format::{Color, Format, MessageFormat};
pub use kept::Kept;
pub use message::{Level, Message, Messages, Spot};
pub use report::{Program, Report, count, ended, line, some, styled};
pub use stdout::{Printer, print, print_visible};
pub use visible::{shortened, visible};
