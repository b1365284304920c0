//! Sample objects of Kubernetes custom resource definitions: accepted ones, refused ones, shrunk ones.
//!
//! [`Sampler`] makes objects that the API server accepts, CEL rules included. [`shrink`] makes a value smaller as long as
//! something stays true of it.
//!
//! The crate is pure: it reads no file, environment or clock, starts no thread, and gives the same objects for the same
//! seed.
#![forbid(unsafe_code)]

mod broken;
mod change;
mod commented;
mod constraints;
mod maker;
mod numbers;
mod random;
mod rule;
mod sampler;
mod search;
mod shrink;
mod strings;
mod typical;

pub use broken::{Boundary, Broken, Fault};
pub use sampler::{NoSample, Sampler, Unusable};
pub use shrink::shrink;
