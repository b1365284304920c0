//! Rust shapes and their schemas.
