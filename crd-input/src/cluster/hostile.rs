//! Tests that read from a hostile API server.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crd_core::CustomResourceDefinition;
use kube::Config;

use super::requests::{Bounds, Requests};
use super::*;

/// A server that sends whatever `respond` returns. The server runs until the process ends.
struct Server {
    config: Config,
    /// The paths of all requests.
    paths: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(respond: impl Fn(usize, &mut TcpStream) -> std::io::Result<()> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let paths = Arc::new(Mutex::new(Vec::new()));
        let requested = Arc::clone(&paths);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut head = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = head.next().and_then(Result::ok).unwrap_or_default();
                // The head ends with an empty line.
                head.by_ref().map_while(Result::ok).find(String::is_empty);
                let mut paths = requested.lock().unwrap();
                paths.push(first.split(' ').nth(1).unwrap_or_default().to_owned());
                let number = paths.len();
                drop(paths);
                // A client that has enough closes the connection.
                let _closed = respond(number, &mut stream);
            }
        });
        let config = Config::new(format!("http://{address}").parse().unwrap());
        Self { config, paths }
    }

    /// Returns a server that responds to every request with the same body.
    fn of(status: &'static str, body: &'static str) -> Self {
        Self::start(move |_, stream| write_response(stream, status, body))
    }

    fn requests(&self) -> Requests {
        let bounds =
            Bounds { response: Duration::from_secs(1), list: Duration::from_secs(3), bytes: 100_000 };
        Requests::new(self.config.clone(), bounds).unwrap()
    }

    fn list(&self) -> Result<Vec<Value>, String> {
        let limits = Limits::default();
        let found = wait(async { self.requests().objects(DEFINITIONS, &limits).await });
        found.map(|objects| objects.into_iter().map(Value::Object).collect()).map_err(|fault| fault.message)
    }

    fn version(&self) -> Result<Map<String, Value>, String> {
        wait(async { self.requests().version().await }).map_err(|fault| fault.message)
    }
}

fn write_response(stream: &mut TcpStream, status: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

const PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

#[test]
fn responses_that_are_no_lists_are_errors() {
    for body in ["[]", "\"x\"", "1", "null", "{}", "{}{}", "{\"items\": {}}", "{\"items\": 1}"] {
        let expected = format!("the cluster responds to `GET {PATH}` with no list");
        assert_eq!(Server::of("200 OK", body).list(), Err(expected), "{body}");
    }
    for body in ["{\"items\": [1]}", "{\"items\": [{}, []]}", "{\"items\": [null]}"] {
        let expected =
            format!("the cluster responds to `GET {PATH}` with a list of values that are not objects");
        assert_eq!(Server::of("200 OK", body).list(), Err(expected), "{body}");
    }
    assert_eq!(Server::of("200 OK", "{\"items\": null}").list(), Ok(Vec::new()));
    for body in ["[]", "\"x\"", "{", "[1]"] {
        let expected = "the cluster responds to `GET /version` with no object".to_owned();
        assert_eq!(Server::of("200 OK", body).version(), Err(expected), "{body}");
    }
    for body in ["", "{", "\u{feff}"] {
        assert!(Server::of("200 OK", body).list().is_err(), "{body}");
    }
}

#[test]
fn objects_of_any_form_are_read_without_a_panic() {
    for body in [
        "{\"items\": [{}]}",
        "{\"items\": [{\"metadata\": 1, \"spec\": [], \"status\": \"x\"}], \"metadata\": []}",
        "{\"items\": [{\"metadata\": {\"name\": {}, \"annotations\": [1], \"labels\": 2}}]}",
    ] {
        let found = Server::of("200 OK", body).list().unwrap();
        for object in found {
            let named = (text(&object["metadata"]["name"]), object.clone());
            assert_eq!(names(&named), [String::new(), String::new(), String::new()]);
            assert!(applied(object, true).is_object());
        }
    }
}

#[test]
fn empty_pages_that_lead_to_others_are_errors() {
    let server = Server::of("200 OK", "{\"items\": [], \"metadata\": {\"continue\": \"a\"}}");
    let expected =
        format!("the cluster responds to `GET {PATH}` with an empty page that is not the last one");
    assert_eq!(server.list(), Err(expected));
    assert_eq!(server.paths.lock().unwrap().len(), 1);
}

#[test]
fn endless_pages_end_at_the_limit_of_bytes() {
    let server = Server::start(|number, stream| {
        let body =
            json!({"items": [{"a": "x".repeat(30_000)}], "metadata": {"continue": number.to_string()}});
        write_response(stream, "200 OK", &body.to_string())
    });
    assert_eq!(server.list(), Err("the cluster responds with more than 100000 bytes".to_owned()));
    assert_eq!(server.paths.lock().unwrap().len(), 4);
}

#[test]
fn endless_small_pages_end_at_the_limit_of_time() {
    let server = Server::start(|_, stream| {
        thread::sleep(Duration::from_millis(300));
        write_response(stream, "200 OK", "{\"items\": [{}], \"metadata\": {\"continue\": \"a\"}}")
    });
    assert_eq!(server.list(), Err("the cluster did not list all objects within 3s".to_owned()));
}

#[test]
fn endless_bodies_end_at_the_limit_of_bytes() {
    for status in ["200 OK", "403 Forbidden", "500 Internal Server Error"] {
        let server = Server::start(move |_, stream| {
            write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n\r\n")?;
            loop {
                stream.write_all(&[b' '; 4096])?;
            }
        });
        let expected = "the cluster responds with more than 100000 bytes";
        assert_eq!(server.list(), Err(expected.to_owned()), "{status}");
        assert_eq!(server.version(), Err(expected.to_owned()), "{status}");
    }
}

#[test]
fn slow_responses_end_at_the_limit_of_time() {
    let silent = Server::start(|_, _| {
        thread::sleep(Duration::from_secs(5));
        Ok(())
    });
    let dripping = Server::start(|_, stream| {
        write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
        loop {
            stream.write_all(b" ")?;
            thread::sleep(Duration::from_millis(100));
        }
    });
    for server in [silent, dripping] {
        assert_eq!(server.list(), Err("the cluster did not respond within 1s".to_owned()));
    }
}

#[test]
fn tokens_are_escaped() {
    let server = Server::start(|number, stream| {
        let token = if number == 1 { "a&limit=1 #/é" } else { "" };
        let page = json!({"items": [{}], "metadata": {"continue": token}});
        write_response(stream, "200 OK", &page.to_string())
    });
    assert_eq!(server.list().unwrap().len(), 2);
    let next = format!("{PATH}?limit=100&continue=a%26limit%3D1+%23%2F%C3%A9");
    assert_eq!(*server.paths.lock().unwrap(), [format!("{PATH}?limit=100"), next]);
}

/// Names that do not consist of DNS labels are rejected before a kubeconfig is searched.
#[test]
fn names_that_lead_to_other_paths_are_not_requested() {
    for (group, version, plural) in [
        ("../api", "v1", "secrets"),
        ("example.com", "v1/../../..", "foos"),
        ("example.com", "v1", "foos?x="),
        ("example.com", "v1", "../secrets"),
        ("", "v1", "foos"),
        ("example.com", "..", "foos"),
        ("example..com", "v1", "foos"),
        ("example.com", "v1", "foos\r\nX: y"),
    ] {
        let crd = CustomResourceDefinition::from_value(json!({"metadata": {"name": "foos"}, "spec": {
            "group": group, "names": {"plural": plural, "kind": "Foo"}, "scope": "Namespaced", "versions": [],
        }}));
        let error = Cluster::new().objects(&crd.unwrap(), version, &Limits::default()).unwrap_err();
        assert!(error.to_string().contains("is not the name of a resource"), "{error}");
    }
}

#[test]
fn words_of_the_server_are_shown_in_part() {
    let status = json!({"kind": "Status", "message": "é".repeat(50_000 / 2)}).to_string();
    let server = Server::start(move |_, stream| write_response(stream, "404 Not Found", &status));
    assert_eq!(server.list(), Err("é".repeat(1000)));
    assert_eq!(
        Server::of("404 Not Found", "").list(),
        Err("the cluster responds with the status 404".to_owned())
    );
    assert_eq!(
        Server::of("401 Unauthorized", "").list(),
        Err("the cluster requires authentication".to_owned())
    );
}
