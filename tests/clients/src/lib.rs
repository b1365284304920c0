//! Typed clients of six definitions of real projects, generated while this is built. They are a crate of their own, so
//! that they are compiled once, and so that what generates them has none of the features that other tests ask for.

#[cfg(corpus)]
#[allow(clippy::all, clippy::pedantic, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/corpus.rs"));
}

#[cfg(corpus)]
pub use generated::*;
