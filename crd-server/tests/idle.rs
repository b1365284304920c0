//! More idle connections than the server keeps. These tests use all file descriptors that a process may have, so each of them runs alone.
#![cfg(feature = "listen")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::Duration;

use crd_server::{Listening, Server};

static ALONE: Mutex<()> = Mutex::new(());

fn listen() -> Listening {
    Server::new().listen("127.0.0.1:0").unwrap()
}

/// Returns the status of the response to a request on a new connection.
fn status(listening: &Listening) -> u16 {
    let mut stream = TcpStream::connect(listening.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(b"GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut line = [0; 12];
    stream.read_exact(&mut line).unwrap();
    str::from_utf8(&line[9..]).unwrap().parse().unwrap()
}

/// Connections that send nothing, or the head of a request letter by letter, make room for a request.
#[test]
fn idle_connections_make_room_for_new_ones() {
    let _alone = ALONE.lock();
    let listening = listen();
    let mut idle = Vec::new();
    for i in 0..10_000 {
        // Both ends of a connection are in this process, whose files may be few.
        let Ok(mut stream) = TcpStream::connect(listening.address()) else { break };
        if i % 2 == 0 {
            let _ = stream.write_all(b"GET /version HT");
        }
        idle.push(stream);
    }
    // The descriptor of the request that comes next.
    idle.pop();
    assert_eq!(status(&listening), 200, "{} connections", idle.len());
    if idle.len() > 5_000 {
        idle[0].set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let closed = idle[0].read(&mut [0]);
        assert!(
            matches!(&closed, Ok(0)) || closed.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset)
        );
    }
}

/// A watch is a request that is being answered, however long it waits.
#[test]
fn watches_are_not_idle() {
    let _alone = ALONE.lock();
    let listening = listen();
    let mut watch = TcpStream::connect(listening.address()).unwrap();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?watch=true&resourceVersion=1";
    watch.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).unwrap();
    let mut head = [0; 15];
    watch.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 OK");
    let mut idle = Vec::new();
    while let (0..4_200, Ok(stream)) = (idle.len(), TcpStream::connect(listening.address())) {
        idle.push(stream);
    }
    idle.pop();
    assert_eq!(status(&listening), 200);
    watch.set_nonblocking(true).unwrap();
    let mut rest = [0; 4096];
    loop {
        match watch.read(&mut rest) {
            Ok(0) => unreachable!("the watch was closed"),
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                break;
            }
        }
    }
}
