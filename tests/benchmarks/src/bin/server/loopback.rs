//! The same requests to servers in processes of their own.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use futures::{AsyncBufReadExt as _, StreamExt as _, TryStreamExt as _};
use http::Request;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::requests::{PATH, REQUESTS, create, definition, get, request};
use crate::resident_bytes;

/// The argument with which this program is a server.
pub(crate) const SERVE: &str = "--serve";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const OBJECTS: u32 = 5_000;
/// Requests at a time.
const CLIENTS: usize = 16;
const WATCHES: usize = 1_000;
const EVENTS: u32 = 200;

/// A server in a process of its own, which ends with this value.
struct Process {
    child: Child,
    client: Client,
}

/// Serves until the process is ended. The first line of the output is the path of a kubeconfig.
pub(crate) fn serve() {
    let listening = crd_server::Server::new().listen("127.0.0.1:0").expect("a port is free");
    let path = std::env::temp_dir().join(format!("crd-benchmarks-{}.kubeconfig", std::process::id()));
    std::fs::write(&path, listening.kubeconfig()).expect("the folder for temporary files can be written");
    println!("{}", path.display());
    // The other process closes this one's input when it ends.
    let _ = std::io::stdin().lines().count();
    let _ = std::fs::remove_file(path);
}

/// Measures this server and a program that prints the path of a kubeconfig, too.
pub(crate) fn measure(program: &str) {
    let own = std::env::current_exe().expect("the program has a path");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("the system has a thread").block_on(async {
        for (name, program, arguments) in
            [("crd-server", own.as_path(), &[SERVE][..]), (program, Path::new(program), &[])]
        {
            println!("{name}:");
            measure_process(Process::start(program, arguments).await).await;
        }
    });
}

async fn measure_process(server: Process) {
    let client = &server.client;
    let start = Instant::now();
    let body = definition().to_string();
    send(client, request("POST", DEFINITIONS.to_owned(), "application/json", body)).await;
    while client.request_text(list()).await.is_err() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    println!("definition and first answer: {:?}", start.elapsed());
    // The first write of a definition that is new waits in the API server until all of them know it.
    let start = Instant::now();
    send(client, create(OBJECTS)).await;
    println!("first create: {:?}", start.elapsed());
    let before = resident_bytes(&server.id());
    for (verb, request) in REQUESTS {
        let (start, processor) = (Instant::now(), server.processor_time());
        let sent = futures::stream::iter((0..OBJECTS).map(|i| send(client, request(i))));
        sent.buffer_unordered(CLIENTS).collect::<Vec<()>>().await;
        let rate = |time: Duration| f64::from(OBJECTS) / time.as_secs_f64();
        let (processor, wall) = (rate(server.processor_time() - processor), rate(start.elapsed()));
        println!("{verb}: {processor:.0} a second of processor time, {wall:.0} a second");
        if verb == "create" {
            let grown = resident_bytes(&server.id()).saturating_sub(before);
            println!("memory of an object: {} bytes", grown / u64::from(OBJECTS));
        }
    }
    latency(client).await;
    watches(&server).await;
}

/// Prints how long one request after the other takes.
async fn latency(client: &Client) {
    let mut times = Vec::new();
    for i in 0..1_000 {
        let start = Instant::now();
        send(client, get(i)).await;
        times.push(start.elapsed());
    }
    times.sort();
    println!(
        "get, one after the other: {:?} in the middle, {:?} at the 99th percentile",
        times[500], times[990]
    );
}

/// Prints how many events watches see, and the work for them.
async fn watches(server: &Process) {
    let client = &server.client;
    let open = async |_| {
        // The objects that are there have another label, so that no watch begins with them.
        let path = format!("{PATH}?watch=true&labelSelector=app%3Dnew");
        client.request_stream(request("GET", path, "", String::new()).map(String::into_bytes)).await
    };
    let watches = futures::stream::iter(0..WATCHES).then(open).try_collect::<Vec<_>>().await;
    let watches = watches.expect("watches begin");
    let (start, processor) = (Instant::now(), server.processor_time());
    let read = async |watch| {
        let lines = futures::io::BufReader::new(watch).lines();
        lines.take(EVENTS as usize).try_collect::<Vec<_>>().await.map_or(0, |events| events.len())
    };
    let write = async {
        for i in 0..EVENTS {
            let body =
                crate::requests::object(&format!("new-{i}"), "my/image:1").replace("\"web\"", "\"new\"");
            send(client, request("POST", PATH.to_owned(), "application/json", body)).await;
        }
    };
    let reads = futures::future::join_all(watches.into_iter().map(read));
    let ((), seen) = tokio::join!(write, reads);
    let complete = seen.iter().filter(|seen| **seen == EVENTS as usize).count();
    println!(
        "{complete} of {WATCHES} watches saw all of {EVENTS} events: {:?} of processor time, {:?}",
        server.processor_time() - processor,
        start.elapsed()
    );
}

fn list() -> Request<Vec<u8>> {
    Request::get(format!("{PATH}?limit=1")).body(Vec::new()).expect("the path is valid")
}

/// Sends a request whose answer must be a success.
async fn send(client: &Client, request: Request<String>) {
    let answer = client.request_text(request.map(String::into_bytes)).await;
    answer.expect("the server does what it is asked for");
}

impl Process {
    async fn start(program: &Path, arguments: &[&str]) -> Self {
        let start = Instant::now();
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program runs");
        let output = child.stdout.take().expect("its output was asked for");
        let mut path = String::new();
        BufReader::new(output).read_line(&mut path).expect("its output is text");
        println!("start: {:?}", start.elapsed());
        let kubeconfig = Kubeconfig::read_from(path.trim()).expect("it prints the path of a kubeconfig");
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        let client = Client::try_from(config.expect("the kubeconfig is complete"));
        Self { child, client: client.expect("the kubeconfig is valid") }
    }

    fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// Returns the processor time that the process has taken, which Linux tells in hundredths of a second.
    fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap_or_default();
        // The name of the program may contain blanks and ends with the last bracket.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
        let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 10)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
