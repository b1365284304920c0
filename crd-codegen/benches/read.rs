//! Reading alone: text to values, and values to definitions.
fn main() {}
