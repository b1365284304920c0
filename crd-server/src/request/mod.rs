//! Parses the parts of a request: path, query, options and body.

pub(crate) mod accept;
pub(crate) mod body;
pub(crate) mod delete_options;
pub(crate) mod options;
pub(crate) mod query;
pub(crate) mod route;
