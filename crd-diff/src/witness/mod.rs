//! Searches for objects that a change affects. Each request with an object is run under both CRDs. If the results differ, this is a
//! failure, and the object is a witness for the [`Class`](crate::Class) of the failure.

mod alone;
mod certain;
mod chosen;
mod combinations;
mod edits;
mod evidence;
mod fields;
mod harmless;
mod implied;
mod objects;
mod part;
mod repeated;
mod search;
mod side;
mod sight;
mod tried;
mod truth;
mod unknown;
mod unreadable;

pub(crate) use certain::Decided;
pub(crate) use edits::{schema_at, schemas_on_the_way};
pub(crate) use evidence::{Evidence, find_effects};
pub(crate) use part::Whole;
pub(crate) use repeated::Repeated;
pub(crate) use search::{Shown, explains, is_searched, may_explain, search, sweep};
pub(crate) use side::{Pair, sees_fields};
pub(crate) use sight::Sight;
pub(crate) use tried::Tried;
pub(crate) use unreadable::has_other_rule_above;
