//! An operator for websites: a CRD by the derive, and a controller on kube.

// ANCHOR: lib
pub mod controller;
pub mod leader;
pub mod wanted;
mod website;

pub use controller::Operator;
pub use website::{Website, WebsiteSpec, WebsiteStatus};
// ANCHOR_END: lib
