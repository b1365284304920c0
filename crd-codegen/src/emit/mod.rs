//! From the type graph to Rust source.
