//! Patches from bytes of a custom resource and of a built-in kind. What a patch answers is stored, and a merge patch that is sent again changes nothing.
#![no_main]

#[path = "replayed/patches.rs"]
mod patches;
#[path = "replayed/server.rs"]
mod server;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| patches::run(bytes));
