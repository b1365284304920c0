//! Commits from bytes, whose trees git itself would not write. A file of a commit that is read without an error is never missing.
#![no_main]

#[path = "replayed/git_trees.rs"]
mod git_trees;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| git_trees::run(bytes));
