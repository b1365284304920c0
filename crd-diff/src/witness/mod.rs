//! The search for objects that show the effects of a change.

mod edits;
mod evidence;
mod objects;
mod search;
mod side;

pub(crate) use evidence::{Evidence, of_object};
pub(crate) use search::{Shown, explains, search, sweep};
pub(crate) use side::Pair;
