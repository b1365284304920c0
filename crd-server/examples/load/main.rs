//! Load on `crdkit serve`, with the promises that the page of guarantees makes: the time of pages, the memory of lists and deletions, patches of one
//! object, and watches. The program is started anew for each part; on Linux, its processor time and memory are read from `/proc`.
//!
//! ```console
//! $ cargo build --release -p crdkit-cli --bin crdkit
//! $ cargo run --release -p crd-server --example load -- target/release/crdkit
//! $ cargo run --release -p crd-server --example load -- target/release/crdkit pages patches
//! $ LOAD_SECONDS=600 cargo run --release -p crd-server --example load -- target/release/crdkit watches
//! ```
#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

mod connection;
mod lists;
mod patches;
mod process;
mod watches;

/// The reason why a measurement ended early.
type Error = Box<dyn std::error::Error + Send + Sync>;

/// The objects that the server is loaded with.
const OBJECTS: u32 = 100_000;
/// The objects of the one kind, in one namespace.
const PATH: &str = "/apis/load.example.com/v1/namespaces/default/foos";
/// Runs a part with the path of the program. Returns `true` if its limits hold.
type Run = fn(&str) -> Result<bool, Error>;

/// The parts, in the order in which they run.
const PARTS: [(&str, Run); 4] = [
    ("pages", lists::pages),
    ("memory", lists::memory),
    ("patches", patches::run),
    ("watches", watches::run),
];

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or("name the program, such as target/release/crdkit")?;
    let chosen: Vec<String> = arguments.collect();
    let mut failed = Vec::new();
    for (name, run) in PARTS {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            println!("{name}:");
            if !run(&program)? {
                failed.push(name);
            }
        }
    }
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(format!("not kept: {}", failed.join(", ")).into()),
    }
}

/// Prints a figure next to its limit, and returns `true` if it is within.
fn within(name: &str, found: f64, limit: f64, unit: &str) -> bool {
    let word = if found <= limit { "ok" } else { "TOO MUCH" };
    println!("  {name}: {found:.2} {unit} of {limit:.2} {unit}, {word}");
    found <= limit
}

/// Returns an object of about 550 bytes of JSON as it is stored.
fn object(name: &str, count: u32) -> String {
    let text = "x".repeat(100);
    format!(
        r#"{{"apiVersion":"load.example.com/v1","kind":"Foo","metadata":{{"name":"{name}","labels":{{"app":"load"}}}},"spec":{{"text":"{text}","count":{count}}}}}"#
    )
}
