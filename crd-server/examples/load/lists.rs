//! Lists of many objects: the processor time of pages and of one name, and the memory of lists, tables and the deletion of all.

use std::thread;
use std::time::Duration;

use crate::connection::Connection;
use crate::process::Process;
use crate::{Error, OBJECTS, PATH, object, within};

/// The connections that create objects.
const CREATORS: u32 = 8;
/// The requests of which the median counts.
const REQUESTS: u32 = 50;
/// The most processor time of a page and of a list of one name.
const MILLISECONDS: f64 = 5.0;
/// The most bytes of the log of events of a resource.
const LOG: f64 = 64.0 * 1024.0 * 1024.0;

/// Creates the objects of a connection.
fn create(address: &str, first: u32) -> Result<(), Error> {
    let mut connection = Connection::open(address)?;
    for number in (first..OBJECTS).step_by(CREATORS as usize) {
        let body = object(&format!("foo-{number:06}"), number);
        connection.succeed("POST", PATH, "content-type: application/json\r\n", &body)?;
    }
    Ok(())
}

/// Creates all objects, and returns their bytes in a list.
fn fill(server: &Process) -> Result<f64, Error> {
    let creators = (0..CREATORS).map(|first| {
        let address = server.address.clone();
        thread::spawn(move || create(&address, first))
    });
    for creator in creators.collect::<Vec<_>>() {
        creator.join().map_err(|_| "a thread has panicked")??;
    }
    let page = Connection::open(&server.address)?.succeed("GET", &format!("{PATH}?limit=1000"), "", "")?;
    Ok(page.len() as f64 / 1000.0 * f64::from(OBJECTS))
}

/// Returns the median of the processor time of the server for requests, in milliseconds.
fn median(
    server: &Process,
    connection: &mut Connection,
    mut path: impl FnMut(u32, &[u8]) -> String,
) -> Result<f64, Error> {
    let (mut times, mut answer) = (Vec::new(), Vec::new());
    for number in 0..REQUESTS {
        let path = path(number, &answer);
        let before = server.processor_time()?;
        answer = connection.succeed("GET", &path, "", "")?;
        times.push((server.processor_time()?.saturating_sub(before)).as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Measures pages of 500 objects, each continued from the one before, and lists of one name.
pub(crate) fn pages(program: &str) -> Result<bool, Error> {
    let server = Process::start(program)?;
    let stored = fill(&server)?;
    println!("  {:.0} bytes an object", stored / f64::from(OBJECTS));
    let mut connection = Connection::open(&server.address)?;
    let page = median(&server, &mut connection, |_, last| {
        let list: serde_json::Value = serde_json::from_slice(last).unwrap_or_default();
        let token = list["metadata"]["continue"].as_str().unwrap_or_default();
        format!("{PATH}?limit=500&continue={token}")
    })?;
    let name = median(&server, &mut connection, |number, _| {
        format!("{PATH}?fieldSelector=metadata.name%3Dfoo-{:06}", number * 1999)
    })?;
    let page = within("a page of 500, processor time", page, MILLISECONDS, "ms");
    Ok(within("a list of one name, processor time", name, MILLISECONDS, "ms") && page)
}

/// Measures the most memory of lists, tables and the deletion of all objects, and that ten seconds later.
pub(crate) fn memory(program: &str) -> Result<bool, Error> {
    let server = Process::start(program)?;
    let base = server.memory("VmRSS")?;
    let stored = fill(&server)?;
    let megabytes = |bytes: f64| bytes / 1_048_576.0;
    println!("  base {:.1} MiB, stored JSON {:.1} MiB", megabytes(base), megabytes(stored));
    println!("  with all objects: {:.1} MiB", megabytes(server.memory("VmRSS")?));
    let forms = [
        ("lists", "GET", ""),
        (
            "lists of metadata",
            "GET",
            "accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1\r\n",
        ),
        ("tables", "GET", "accept: application/json;as=Table;g=meta.k8s.io;v=v1\r\n"),
        ("deletecollection", "DELETE", ""),
    ];
    let mut is_kept = true;
    for (name, method, headers) in forms {
        server.forget_peak()?;
        Connection::open(&server.address)?.succeed(method, PATH, headers, "")?;
        let peak = megabytes(server.memory("VmHWM")?);
        is_kept &= within(&format!("{name}, most memory"), peak, megabytes(base + LOG + 3.0 * stored), "MiB");
        thread::sleep(Duration::from_secs(10));
        let later = megabytes(server.memory("VmRSS")?);
        let limit = megabytes(base + LOG + 1.5 * stored);
        is_kept &= within(&format!("{name}, ten seconds later"), later, limit, "MiB");
    }
    Ok(is_kept)
}
