//! Targets whose seeds are replayed without a fuzzer, by the test `fuzz_seeds` of `crd-tests`.

pub(crate) mod git_trees;
pub(crate) mod json_path;
#[path = "../../../crd-docs/tests/markdown/page.rs"]
mod page;
pub(crate) mod pages;
pub(crate) mod patches;
pub(crate) mod requests;
mod server;
