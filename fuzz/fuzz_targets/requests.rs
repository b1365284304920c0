//! Requests from bytes to the test server. Each has a response that names its own status, and afterwards the server serves what it has.
#![no_main]

#[path = "replayed/requests.rs"]
mod requests;
#[path = "replayed/server.rs"]
mod server;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| requests::run(bytes));
