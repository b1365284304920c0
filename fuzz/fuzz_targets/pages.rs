//! Descriptions from bytes in pages of documentation, in Markdown and in HTML. Parsers may find nothing in them but what was meant.
#![no_main]

#[path = "../../crd-docs/tests/markdown/page.rs"]
mod page;
#[path = "replayed/pages.rs"]
mod pages;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| pages::run(bytes));
