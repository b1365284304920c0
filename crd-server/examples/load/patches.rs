//! Many clients that patch one object at the same time: a patch without a resource version never gets 409.

use std::thread;

use crate::connection::Connection;
use crate::process::Process;
use crate::{Error, PATH, object};

/// The clients.
const CLIENTS: u32 = 32;
/// The patches of each client.
const PATCHES: u32 = 200;

/// Sends the patches of a client, and returns how many were not accepted.
fn patch(address: &str, client: u32) -> Result<u32, Error> {
    let mut connection = Connection::open(address)?;
    let headers = "content-type: application/merge-patch+json\r\n";
    let mut rejected = 0;
    for number in 0..PATCHES {
        let body = format!(r#"{{"metadata":{{"annotations":{{"client-{client}":"{number}"}}}}}}"#);
        let answer = connection.send("PATCH", &format!("{PATH}/hot"), headers, &body)?;
        rejected += u32::from(answer.code != 200);
    }
    Ok(rejected)
}

pub(crate) fn run(program: &str) -> Result<bool, Error> {
    let server = Process::start(program)?;
    let mut connection = Connection::open(&server.address)?;
    connection.succeed("POST", PATH, "content-type: application/json\r\n", &object("hot", 0))?;
    let clients = (0..CLIENTS).map(|client| {
        let address = server.address.clone();
        thread::spawn(move || patch(&address, client))
    });
    let mut rejected = 0;
    for client in clients.collect::<Vec<_>>() {
        rejected += client.join().map_err(|_| "a thread has panicked")??;
    }
    let object = connection.succeed("GET", &format!("{PATH}/hot"), "", "")?;
    let object: serde_json::Value = serde_json::from_slice(&object)?;
    let last = (PATCHES - 1).to_string();
    let annotations = object["metadata"]["annotations"].as_object().ok_or("the object has annotations")?;
    let lost = CLIENTS as usize - annotations.values().filter(|value| **value == *last).count();
    println!(
        "  {} patches by {CLIENTS} clients: {rejected} rejected, {lost} last ones lost",
        CLIENTS * PATCHES
    );
    Ok(rejected == 0 && lost == 0)
}
