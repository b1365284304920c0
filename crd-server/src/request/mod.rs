//! The parts of a request: its path, its query, its options and its body.

pub(crate) mod accept;
pub(crate) mod body;
pub(crate) mod delete_options;
pub(crate) mod options;
pub(crate) mod query;
pub(crate) mod route;
