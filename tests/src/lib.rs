//! What the tests of `tests/` share.
