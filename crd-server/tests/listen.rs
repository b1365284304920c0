//! The server on a TCP port: who is answered, and connections that are slow, broken, or too many.
#![cfg(feature = "listen")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use crd_server::{Config, Listening, Server};
use serde_json::{Value, json};

const VERSION: &str = "GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

fn listen() -> Listening {
    Server::new().listen("127.0.0.1:0").unwrap()
}

/// Sends bytes and returns the status and the whole answer.
fn ask(listening: &Listening, request: &[u8]) -> (u16, String) {
    ask_port(listening.address().port(), request)
}

fn ask_port(port: u16, request: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The server may refuse the request before it has read all of it.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        answer.extend_from_slice(&buffer[..read]);
    }
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.unwrap_or_default(), answer)
}

fn post(host: &str, length: usize) -> String {
    format!(
        "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions HTTP/1.1\r\nhost: {host}\r\n\
         connection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    )
}

#[test]
fn requests_are_answered_until_the_value_is_dropped() {
    let listening = listen();
    let (status, answer) = ask(&listening, VERSION.as_bytes());
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("gitVersion"), "{answer}");
    let address = listening.address();
    drop(listening);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn the_kubeconfig_allows_plain_http_for_the_javascript_client() {
    let kubeconfig: Value = serde_yaml::from_str(&listen().kubeconfig()).unwrap();
    assert_eq!(kubeconfig["clusters"][0]["cluster"]["insecure-skip-tls-verify"], true);
}

#[tokio::test]
async fn an_address_in_use_is_an_error() {
    let listening = listen();
    let error = Server::new().listen(listening.address()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
}

#[test]
fn pages_of_other_sites_are_rejected_on_every_address() {
    let mut config = Config::default();
    config.allow_host("kube.test");
    let server = Server::with(&config);
    for listening in [server.listen("127.0.0.1:0").unwrap(), server.listen("0.0.0.0:0").unwrap()] {
        for (headers, expected) in [
            ("host: localhost:80", 200),
            ("host: kube.test\r\norigin: http://kube.test\r\nsec-fetch-site: same-origin", 200),
            ("host: page.example", 403),
            ("host: localhost\r\norigin: http://page.example", 403),
            ("host: localhost\r\nsec-fetch-site: cross-site", 403),
        ] {
            let request = format!("GET /version HTTP/1.1\r\n{headers}\r\nconnection: close\r\n\r\n");
            let port = listening.address().port();
            assert_eq!(ask_port(port, request.as_bytes()).0, expected, "{headers}");
        }
    }
}

#[test]
fn a_body_that_is_announced_as_too_large_is_refused_unread() {
    let (status, answer) = ask(&listen(), post("localhost", 4_000_000_000).as_bytes());
    assert_eq!(status, 413, "{answer}");
    assert!(answer.contains("Request entity too large: limit is 3145728"), "{answer}");
}

#[test]
fn a_body_without_a_length_is_read_up_to_the_limit() {
    let mut request =
        post("localhost", 0).replace("content-length: 0", "transfer-encoding: chunked").into_bytes();
    for _ in 0..64 {
        request.extend_from_slice(b"10000\r\n");
        request.resize(request.len() + 0x10000, b' ');
        request.extend_from_slice(b"\r\n");
    }
    let (status, answer) = ask(&listen(), &request);
    assert_eq!(status, 413, "{answer}");
}

#[test]
fn deep_json_is_refused() {
    let listening = listen();
    for part in ["[", "{\"a\":"] {
        let body = part.repeat(400_000);
        let request = post("localhost", body.len()) + &body;
        assert_eq!(ask(&listening, request.as_bytes()).0, 400, "{part}");
    }
}

#[test]
fn large_heads_are_refused() {
    let listening = listen();
    let long = "a".repeat(1 << 20);
    for request in [
        format!("GET /version?{long} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"),
        format!("GET /version HTTP/1.1\r\nhost: localhost\r\nx: {long}\r\nconnection: close\r\n\r\n"),
        format!(
            "GET /version HTTP/1.1\r\nhost: localhost\r\n{}connection: close\r\n\r\n",
            "a: b\r\n".repeat(10_000)
        ),
    ] {
        let (status, answer) = ask(&listening, request.as_bytes());
        assert!(matches!(status, 414 | 431) || answer.is_empty(), "{status} {answer}");
    }
    assert_eq!(ask(&listening, VERSION.as_bytes()).0, 200);
}

#[test]
fn broken_and_half_closed_connections_leave_the_server_running() {
    let listening = listen();
    let mut open = Vec::new();
    for text in ["", "GET", "\0\0\0\r\n\r\n", "GET / HTTP/1.1\r\ncontent-length: -1\r\n\r\n"] {
        let mut stream = TcpStream::connect(listening.address()).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        // The server may have refused the text and closed the connection already.
        let _ = stream.shutdown(Shutdown::Write);
        open.push(stream);
    }
    for _ in 0..100 {
        let mut stream = TcpStream::connect(listening.address()).unwrap();
        stream.write_all(post("localhost", 100).as_bytes()).unwrap();
        open.push(stream);
    }
    assert_eq!(ask(&listening, VERSION.as_bytes()).0, 200);
}

/// Returns a definition in two versions, whose objects a function converts.
fn converted() -> Value {
    let version = |name: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ws.e.io"},
        "spec": {
            "group": "e.io", "names": {"plural": "ws", "kind": "W"}, "scope": "Cluster",
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://localhost/never/asked"},
            }},
            "versions": [version("v1", true), version("v2", false)],
        },
    })
}

#[test]
fn the_version_and_the_end_of_the_server_wait_for_no_request() {
    let server = Server::new();
    server.create(&converted()).unwrap();
    server.create(&json!({"apiVersion": "e.io/v1", "kind": "W", "metadata": {"name": "a"}})).unwrap();
    let (begun, is_begun) = mpsc::channel();
    let (end, is_ended) = mpsc::channel::<()>();
    let (begun, is_ended) = (Mutex::new(begun), Mutex::new(is_ended));
    server.convert("ws.e.io", move |review| {
        begun.lock().unwrap().send(()).unwrap();
        // The test ends after thirty seconds at the latest, also where it fails.
        let _ = is_ended.lock().unwrap().recv_timeout(Duration::from_secs(30));
        review.clone()
    });
    let listening = server.listen("127.0.0.1:0").unwrap();
    let mut slow = TcpStream::connect(listening.address()).unwrap();
    slow.write_all(b"GET /apis/e.io/v2/ws/a HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    is_begun.recv_timeout(Duration::from_secs(30)).unwrap();

    let start = Instant::now();
    assert_eq!(ask(&listening, VERSION.as_bytes()).0, 200);
    assert_eq!(ask(&listening, VERSION.replace("/version", "/readyz").as_bytes()).0, 200);
    drop(listening);
    assert!(start.elapsed() < Duration::from_secs(20));
    drop(end);
}

#[test]
fn unfinished_bodies_share_a_limit() {
    let listening = listen();
    let open: Vec<TcpStream> = (0..12)
        .map(|_| {
            let mut stream = TcpStream::connect(listening.address()).unwrap();
            stream.write_all(post("localhost", 3_000_000).as_bytes()).unwrap();
            // The server may refuse the body before it has read all of it.
            let _ = stream.write_all(&vec![b' '; 2_900_000]);
            stream
        })
        .collect();
    let mut refused = 0;
    for mut stream in open {
        stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        let mut answer = [0; 12];
        refused += usize::from(stream.read(&mut answer).is_ok_and(|read| answer[..read].ends_with(b"429")));
    }
    assert!((1..12).contains(&refused), "{refused}");
    // Small requests are answered all the same.
    assert_eq!(ask(&listening, VERSION.as_bytes()).0, 200);
}
