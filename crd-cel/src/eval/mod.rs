//! Turns a checked expression into a program, and a program with values into a value and its cost.
//!
//! Follows cel-go 0.26 as the API server configures it: its errors, the order in which it absorbs them, and what it
//! charges for every step.

mod cost;
mod data;
mod equal;
mod error;
mod gather;
mod json;
mod library;
mod list;
mod map;
mod meter;
mod missing;
mod node;
mod number;
mod opaque;
mod pattern;
mod plan;
mod program;
mod run;
mod search;
mod select;
mod time;
mod value;

pub use data::{Data, DataKind, DataType, ListType};
pub use error::Error;
pub use list::List;
pub use map::{Entries, Map};
pub use opaque::Opaque;
pub use program::{Bound, Evaluation, Program};
pub use value::{Blob, Text, Value};
