//! Watches while others write: every watch sees every event once, in the order of the writes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::connection::Connection;
use crate::process::Process;
use crate::{Error, PATH, object};

const WATCHERS: usize = 50;
const WRITERS: u32 = 20;
/// The label of the last object, after which a watch ends.
const LAST: &str = "\"name\":\"last\"";

static IS_OVER: AtomicBool = AtomicBool::new(false);
static WRITES: AtomicU64 = AtomicU64::new(0);

/// Creates, changes and deletes objects until the time is over.
fn write(address: &str, writer: u32) -> Result<(), Error> {
    let mut connection = Connection::open(address)?;
    let (json, merge) =
        ("content-type: application/json\r\n", "content-type: application/merge-patch+json\r\n");
    let apply = "content-type: application/apply-patch+yaml\r\n";
    for number in 0.. {
        if IS_OVER.load(Ordering::Relaxed) {
            break;
        }
        let name = format!("w{writer}-{number}");
        let path = format!("{PATH}/{name}");
        connection.succeed("POST", PATH, json, &object(&name, 0))?;
        connection.succeed("PATCH", &path, merge, r#"{"spec":{"count":1}}"#)?;
        connection.succeed(
            "PATCH",
            &format!("{path}?fieldManager=load&force=true"),
            apply,
            &object(&name, 2),
        )?;
        connection.succeed("DELETE", &path, "", "")?;
        WRITES.fetch_add(4, Ordering::Relaxed);
    }
    Ok(())
}

/// The events that a watch has seen.
#[derive(Default)]
struct Seen {
    events: u64,
    /// The revision of the last event.
    revision: u64,
    /// Events that were older than the one before, or whose object had a different state than the one expected.
    faults: u64,
}

impl Seen {
    /// Returns `true` at the last event.
    fn read(&mut self, line: &[u8], states: &mut [Option<u64>]) -> Result<bool, Error> {
        let event: Value = serde_json::from_slice(line)?;
        let (kind, object) = (event["type"].as_str().unwrap_or_default(), &event["object"]);
        if kind == "BOOKMARK" {
            return Ok(false);
        }
        let revision: u64 = object["metadata"]["resourceVersion"].as_str().unwrap_or_default().parse()?;
        self.faults += u64::from(revision <= self.revision);
        self.revision = revision;
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        if name == "last" {
            return Ok(true);
        }
        self.events += 1;
        // The state of the one object that a writer has at a time.
        let writer: usize = name.trim_start_matches('w').split('-').next().unwrap_or_default().parse()?;
        let count = object["spec"]["count"].as_u64();
        let state = &mut states[writer];
        let is_expected = match (kind, *state) {
            ("ADDED", None) => count == Some(0),
            ("MODIFIED", Some(before)) => count == Some(before + 1),
            ("DELETED", Some(2)) => true,
            _ => false,
        };
        self.faults += u64::from(!is_expected);
        *state = if kind == "DELETED" { None } else { count };
        Ok(false)
    }
}

/// Reads the events of a watch until the last one.
fn watch(mut connection: Connection) -> Result<Seen, Error> {
    let (mut seen, mut bytes) = (Seen::default(), Vec::new());
    let mut states = vec![None; WRITERS as usize];
    while connection.chunk(&mut bytes)? {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = bytes.drain(..=end).collect();
            if seen.read(&line, &mut states)? {
                return Ok(seen);
            }
        }
    }
    Err(format!("a watch ended before {LAST}").into())
}

pub(crate) fn run(program: &str) -> Result<bool, Error> {
    let seconds = std::env::var("LOAD_SECONDS").map_or(Ok(600), |text| text.parse())?;
    let server = Process::start(program)?;
    let mut watchers = Vec::new();
    for _ in 0..WATCHERS {
        let mut connection = Connection::open(&server.address)?;
        connection.watch(&format!("{PATH}?watch=true&timeoutSeconds={}", seconds + 3600))?;
        watchers.push(thread::spawn(move || watch(connection)));
    }
    let before = server.processor_time()?;
    let writers = (0..WRITERS).map(|writer| {
        let address = server.address.clone();
        thread::spawn(move || write(&address, writer))
    });
    let writers: Vec<_> = writers.collect();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut most = 0.0_f64;
    while Instant::now() < end {
        thread::sleep(Duration::from_secs(1));
        most = most.max(server.memory("VmRSS")?);
    }
    IS_OVER.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.join().map_err(|_| "a writer has panicked")??;
    }
    let mut connection = Connection::open(&server.address)?;
    connection.succeed("POST", PATH, "content-type: application/json\r\n", &object("last", 0))?;
    let writes = WRITES.load(Ordering::Relaxed);
    let (mut complete, mut faults) = (0, 0);
    for watcher in watchers {
        let seen = watcher.join().map_err(|_| "a watcher has panicked")??;
        complete += u32::from(seen.events == writes);
        faults += seen.faults;
    }
    println!(
        "  {writes} writes in {seconds} s: {complete} of {WATCHERS} watches saw each event, {faults} out of order or repeated; \
         processor time of the server {:.1} s, most memory {:.1} MiB",
        (server.processor_time()? - before).as_secs_f64(),
        most / 1_048_576.0
    );
    Ok(complete as usize == WATCHERS && faults == 0)
}
