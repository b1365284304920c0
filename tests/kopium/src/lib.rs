//! The programs of the examples with kopium's types, for the book.
//!
//! The files of types begin with the commands that generated them. `cargo test` in this directory runs the programs.

#[rustfmt::skip]
#[allow(missing_docs)]
pub mod certificate_types;
#[rustfmt::skip]
#[allow(missing_docs)]
pub mod prometheus_types;
#[rustfmt::skip]
#[allow(missing_docs)]
pub mod route_types;

mod certificate;
mod prometheus;
mod route;

pub use certificate::web_certificate;
pub use prometheus::plan;
pub use route::described;
