//! Evaluates expressions: compiles checked expressions to programs, and runs them.
//!
//! Errors and costs are the same as in cel-go 0.26 with the API server's configuration. Operators also absorb errors in the same order.

mod condition;
mod data;
mod decimal;
mod equal;
mod error;
mod evaluate;
mod fields;
mod gather;
mod hint;
pub(crate) mod implementation;
mod json;
mod key;
pub(crate) mod library;
mod list;
mod map;
mod message;
mod meter;
mod missing;
mod node;
mod number;
mod opaque;
mod order;
mod pattern;
mod patterns;
mod plan;
pub(crate) mod price;
mod program;
mod raw_key;
mod retype;
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
pub use value::{Blob, CelString, Value};
