//! An operator for websites: a CRD by the derive, and a controller on kube.

// ANCHOR: lib
pub mod controller;
pub mod wanted;
mod website;

pub use website::{Website, WebsiteSpec, WebsiteStatus};
// ANCHOR_END: lib
