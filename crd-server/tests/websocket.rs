//! Watches over WebSocket: the handshake, the events as messages, pings, and the end.
#![cfg(feature = "listen")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crd_server::{Config, Listening, Server};
use serde_json::{Value, json};

/// The example of RFC 6455 has this key, and `ACCEPTED` in the response.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPTED: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
const WATCH: &str = "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0";

fn listen() -> (Server, Listening) {
    let mut config = Config::default();
    config.built_in_kinds();
    let server = Server::with(&config);
    let listening = server.listen("127.0.0.1:0").unwrap();
    (server, listening)
}

fn create(server: &Server, name: &str) {
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}).to_string();
    let request = http::Request::post("/api/v1/namespaces/default/configmaps")
        .header("content-type", "application/json")
        .body(body.into_bytes())
        .unwrap();
    assert_eq!(server.handle(request).status(), 201);
}

/// Sends a request for a WebSocket, and returns the head of the response and the connection after it.
fn open(listening: &Listening, path: &str, headers: &str) -> (String, TcpStream) {
    let mut stream = TcpStream::connect(listening.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive, Upgrade\r\nupgrade: WebSocket\r\n{headers}\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(byte(&mut stream));
    }
    (String::from_utf8(head).unwrap(), stream)
}

fn standard() -> String {
    format!("origin: http://localhost\r\nsec-websocket-key: {KEY}\r\nsec-websocket-version: 13\r\n")
}

fn byte(stream: &mut TcpStream) -> u8 {
    let mut byte = [0];
    stream.read_exact(&mut byte).unwrap();
    byte[0]
}

/// Reads a frame: its first byte and its content.
fn frame(stream: &mut TcpStream) -> (u8, Vec<u8>) {
    let kind = byte(stream);
    let length = match byte(stream) {
        126 => usize::from(byte(stream)) << 8 | usize::from(byte(stream)),
        short => usize::from(short),
    };
    let mut content = vec![0; length];
    stream.read_exact(&mut content).unwrap();
    (kind, content)
}

/// Reads an event: its type and the name of its object.
fn event(stream: &mut TcpStream) -> String {
    let (kind, content) = frame(stream);
    assert_eq!(kind, 0x81);
    assert_eq!(content.last(), Some(&b'\n'));
    let event: Value = serde_json::from_slice(&content).unwrap();
    format!("{} {}", event["type"].as_str().unwrap(), event["object"]["metadata"]["name"].as_str().unwrap())
}

/// Returns a frame of a client, which is masked.
fn masked(kind: u8, content: &[u8]) -> Vec<u8> {
    let mask = [1, 2, 3, 4];
    let length = u8::try_from(content.len()).unwrap();
    let content = content.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask);
    [0x80 | kind, 0x80 | length].into_iter().chain(mask).chain(content).collect()
}

#[test]
fn every_event_is_a_message() {
    let (server, listening) = listen();
    create(&server, "before");
    let (head, mut stream) = open(&listening, WATCH, &standard());
    assert!(head.starts_with("HTTP/1.1 101 Switching Protocols\r\n"), "{head}");
    let head = head.to_lowercase();
    assert!(head.contains("\r\nupgrade: websocket\r\n"), "{head}");
    assert!(head.contains(&format!("\r\nsec-websocket-accept: {}\r\n", ACCEPTED.to_lowercase())), "{head}");
    assert_eq!(event(&mut stream), "ADDED before");
    create(&server, "after");
    assert_eq!(event(&mut stream), "ADDED after");
}

#[test]
fn pings_are_answered_and_other_messages_ignored() {
    let (server, listening) = listen();
    let (_, mut stream) = open(&listening, &format!("{WATCH}&fieldSelector=metadata.name=one"), &standard());
    for sent in [masked(1, b"hello"), masked(2, b""), masked(10, b"pong"), masked(9, b"ping")] {
        stream.write_all(&sent).unwrap();
    }
    assert_eq!(frame(&mut stream), (0x8a, b"ping".to_vec()));
    create(&server, "one");
    assert_eq!(event(&mut stream), "ADDED one");
    stream.write_all(&masked(8, &1000_u16.to_be_bytes())).unwrap();
    assert_eq!(frame(&mut stream), (0x88, 1000_u16.to_be_bytes().to_vec()));
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
}

#[test]
fn the_response_to_a_long_ping_is_cut() {
    let (_server, listening) = listen();
    let (_, mut stream) = open(&listening, &format!("{WATCH}&fieldSelector=metadata.name=x"), &standard());
    let long_ping = [vec![0x89, 0xfe, 0, 126, 0, 0, 0, 0], vec![b'x'; 126], masked(9, b"short")].concat();
    stream.write_all(&long_ping).unwrap();
    assert_eq!(frame(&mut stream), (0x8a, vec![b'x'; 125]));
    assert_eq!(frame(&mut stream), (0x8a, b"short".to_vec()));
}

#[test]
fn a_message_without_mask_ends_the_connection() {
    let (_server, listening) = listen();
    let (_, mut stream) = open(&listening, &format!("{WATCH}&fieldSelector=metadata.name=x"), &standard());
    stream.write_all(&[0x81, 1, b'x']).unwrap();
    assert_eq!(frame(&mut stream), (0x88, 1002_u16.to_be_bytes().to_vec()));
}

#[test]
fn the_end_of_the_watch_closes_the_connection() {
    let (_server, listening) = listen();
    let path = format!("{WATCH}&timeoutSeconds=1&fieldSelector=metadata.name=x");
    let (_, mut stream) = open(&listening, &path, &standard());
    assert_eq!(frame(&mut stream), (0x88, 1000_u16.to_be_bytes().to_vec()));
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
}

#[test]
fn one_protocol_is_accepted() {
    let (_server, listening) = listen();
    let (head, _) = open(&listening, WATCH, &(standard() + "sec-websocket-protocol: v4.channel.k8s.io\r\n"));
    assert!(head.contains("sec-websocket-protocol: v4.channel.k8s.io\r\n"), "{head}");
    let (head, _) = open(&listening, WATCH, &(standard() + "sec-websocket-protocol: a, b\r\n"));
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
}

#[test]
fn handshakes_against_the_protocol_are_rejected() {
    let (_server, listening) = listen();
    for (headers, status) in [
        (standard().replace(KEY, ""), 400),
        (standard().replace("13", "8"), 400),
        (standard().replace("origin", "x-origin"), 403),
        // A page of another site.
        (standard().replace("http://localhost", "http://page.example"), 403),
    ] {
        let (head, _) = open(&listening, WATCH, &headers);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
    }
}

#[test]
fn other_requests_receive_their_response() {
    let (_server, listening) = listen();
    for (path, status) in [
        ("/api/v1/namespaces/default/configmaps", 200),
        ("/apis/none.example.com/v1/none?watch=true", 404),
        ("/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=x", 500),
    ] {
        let (head, _) = open(&listening, path, &standard());
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
    }
}
