//! Paths of printer columns from bytes, on objects from bytes.
#![no_main]

#[path = "replayed/json_path.rs"]
mod json_path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| json_path::run(bytes));
