//! Measures the API server for tests: its start, requests, memory and watches, in process and over loopback, next to a real server.
//!
//! ```console
//! $ cargo run --release --bin server    # in process
//! $ cargo run --release --bin server ../../target/crdserver    # over loopback, next to upstream's CRD server
//! ```
//!
//! The end-to-end tests build the program `crdserver`. Rates are of processor time, which other programs on the machine change less than
//! wall-clock time, and of wall-clock time. Over loopback, the processor time is that of the server's process.
#![forbid(unsafe_code)]

mod loopback;
mod requests;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use crd_server::{Body, Server};
use http::Request;
use http_body::Body as _;

use requests::{PATH, REQUESTS, definition, object};

const OBJECTS: u32 = 50_000;
const WATCHES: usize = 1_000;
const EVENTS: u32 = 100_000;

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => {
            start();
            in_process();
            watches();
        }
        Some(loopback::SERVE) => loopback::serve(),
        Some(program) => loopback::measure(program),
    }
}

fn server() -> Server {
    let server = Server::new();
    server.create(&definition()).expect("the definition is valid");
    server
}

/// Sends a request and returns the length of the answer.
fn send(server: &Server, request: Request<String>) -> usize {
    let answer = server.handle(request);
    let (status, body) = (answer.status(), answer.into_body().read_now());
    assert!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
    body.len()
}

/// From nothing to the answer to a list.
fn start() {
    const TIMES: u32 = 200;
    let (wall, processor) = (Instant::now(), ProcessTime::now());
    for _ in 0..TIMES {
        send(&server(), Request::get(PATH).body(String::new()).expect("the path is valid"));
    }
    let (wall, processor) = (wall.elapsed() / TIMES, processor.elapsed() / TIMES);
    println!("start, definition and first answer: {processor:?} of processor time, {wall:?}");
}

fn in_process() {
    let server = server();
    let before = resident_bytes("self");
    for (verb, request) in REQUESTS {
        measure(&server, verb, request);
        if verb == "create" {
            server.take_requests();
            let stored = send(&server, requests::get(0));
            let bytes = resident_bytes("self").saturating_sub(before) / u64::from(OBJECTS);
            println!(
                "memory of an object of {stored} bytes of JSON: {bytes} bytes, its creation in the log included"
            );
        }
    }
}

/// Prints how many requests a core answers in a second.
fn measure(server: &Server, verb: &str, request: fn(u32) -> Request<String>) {
    let requests: Vec<_> = (0..OBJECTS).map(request).collect();
    let (wall, processor) = (Instant::now(), ProcessTime::now());
    for request in requests {
        send(server, request);
    }
    let rate = |time: Duration| f64::from(OBJECTS) / time.as_secs_f64();
    let (processor, wall) = (rate(processor.elapsed()), rate(wall.elapsed()));
    println!("{verb}: {processor:.0} a second of processor time, {wall:.0} a second");
}

/// Counts what many watches see of many events, which two threads read while a third one writes.
fn watches() {
    const READERS: usize = 2;
    let server = server();
    let path = format!("{PATH}?watch=true&resourceVersion=3");
    let watch = |_| server.handle(Request::get(&path).body("").expect("the path is valid")).into_body();
    let mut watches: Vec<Body> = (0..WATCHES).map(watch).collect();
    let (wall, processor) = (Instant::now(), ProcessTime::now());
    let counts: Vec<u32> = std::thread::scope(|scope| {
        let readers: Vec<_> = watches
            .chunks_mut(WATCHES / READERS)
            .map(|watches| scope.spawn(|| watches.iter_mut().map(read_all).collect::<Vec<u32>>()))
            .collect();
        for i in 0..EVENTS {
            let request = Request::post(PATH).header("content-type", "application/json");
            let request = request.body(object(&format!("crontab-{i}"), "my/image:1"));
            send(&server, request.expect("the request is valid"));
        }
        readers.into_iter().flat_map(|reader| reader.join().expect("a reader does not panic")).collect()
    });
    let mut watches_by_events = BTreeMap::new();
    for count in counts {
        *watches_by_events.entry(count).or_insert(0_usize) += 1;
    }
    let (processor, wall) = (processor.elapsed(), wall.elapsed());
    println!(
        "watches by the events that they saw: {watches_by_events:?}, {processor:?} of processor time, {wall:?}"
    );
}

/// Reads a watch until it has all events, and returns how many these are.
fn read_all(watch: &mut Body) -> u32 {
    let mut context = Context::from_waker(Waker::noop());
    let mut events = 0;
    while events < EVENTS {
        match Pin::new(&mut *watch).poll_frame(&mut context) {
            Poll::Ready(Some(_)) => events += 1,
            Poll::Ready(None) => break,
            Poll::Pending => std::thread::yield_now(),
        }
    }
    events
}

/// Returns the memory of a process, which Linux tells.
fn resident_bytes(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
    kibibytes * 1024
}
