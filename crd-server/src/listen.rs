//! The server on a TCP port, for kubectl and for clients in other languages.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fmt, io};

use http::header::HOST;
use http::uri::Authority;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{sleep, timeout};
use tower_service::Service as _;

use crate::answer::refused;
use crate::body::Body;
use crate::server::Server;
use crate::status::Failure;

/// The most connections at a time; further ones wait until one of these is closed.
const MOST_CONNECTIONS: usize = 4_096;
/// The time for the head of a request. An idle connection is closed after it, as `IdleTimeout` of
/// `k8s.io/apiserver/pkg/server/secure_serving.go` does.
const HEAD_TIME: Duration = Duration::from_secs(90);
/// The time for the body of a request: `RequestTimeout` of `k8s.io/apiserver/pkg/server/config.go`.
const BODY_TIME: Duration = Duration::from_secs(60);
/// The pause after a connection that could not be accepted, because the process has no file descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// A server that listens on a TCP port until this value is dropped. [`Server::listen`] returns it.
pub struct Listening {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Answers requests over plain HTTP/1.1 on a TCP address, from a thread of its own. Port 0 stands for any free port.
    ///
    /// There is no authentication: whoever reaches the address may read and write all objects. On a loopback address, the
    /// server refuses requests to a host name other than `localhost`, which a page in a browser could send.
    ///
    /// ```
    /// let server = crd_server::Server::new();
    /// let listening = server.listen("127.0.0.1:0")?;
    /// std::net::TcpStream::connect(listening.address())?;
    /// assert!(listening.kubeconfig().contains(&format!("http://{}", listening.address())));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// - The address cannot be resolved or is in use.
    /// - The system has no thread or no file descriptor left.
    pub fn listen(&self, address: impl ToSocketAddrs) -> io::Result<Listening> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let listener = {
            let _entered = runtime.enter();
            TcpListener::from_std(listener)?
        };
        let (stop, stopped) = oneshot::channel();
        runtime.spawn(accept(self.clone(), listener, address.ip().is_loopback()));
        let thread = thread::Builder::new().name("crd-server".to_owned()).spawn(move || {
            // Both a message and a dropped sender end the thread, and with the runtime all connections.
            let _ = runtime.block_on(stopped);
        })?;
        Ok(Listening { address, stop: Some(stop), thread: Some(thread) })
    }
}

impl Listening {
    /// The address with the port on which the server listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A kubeconfig for clients on the same machine.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!(
            "apiVersion: v1\n\
             kind: Config\n\
             clusters:\n\
             - name: crdkit\n  cluster:\n    server: \"http://{address}\"\n\
             users:\n\
             - name: crdkit\n  user: {{}}\n\
             contexts:\n\
             - name: crdkit\n  context:\n    cluster: crdkit\n    user: crdkit\n    namespace: default\n\
             current-context: crdkit\n"
        )
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed there; the connections are closed in any case.
            let _ = thread.join();
        }
    }
}

async fn accept(server: Server, listener: TcpListener, is_loopback: bool) {
    let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    while let Ok(permit) = Arc::clone(&connections).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(converse(server.clone(), stream, is_loopback, permit));
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Answers the requests of a connection until it is closed.
async fn converse(server: Server, stream: TcpStream, is_loopback: bool, permit: OwnedSemaphorePermit) {
    // Events of watches are small and must not wait for each other. Without the option they are only later.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| answer(server.clone(), request, is_loopback));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
    // An error concerns this connection only, and its client has gone.
    let _ = connection.await;
    drop(permit);
}

async fn answer(
    mut server: Server,
    request: Request<Incoming>,
    is_loopback: bool,
) -> Result<Response<Body>, Infallible> {
    if is_loopback && !is_local(&request) {
        let message =
            "a server on a loopback address answers requests to `localhost` and to IP addresses only";
        return Ok(refused(&Failure::new(403, "Forbidden", message), &[]));
    }
    timeout(BODY_TIME, server.call(request)).await.unwrap_or_else(|_| {
        let message = "the body of the request did not arrive in time";
        Ok(refused(&Failure::new(504, "Timeout", message), &[]))
    })
}

/// Returns `true` if a request names no host, an IP address or `localhost`. A page in a browser reaches a loopback address
/// under a name of its own by changing the address of that name.
fn is_local(request: &Request<Incoming>) -> bool {
    let Some(host) = request.headers().get(HOST) else { return true };
    let Ok(authority) = Authority::try_from(host.as_bytes()) else { return false };
    let name = authority.host();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Shutdown, TcpStream};

    use super::*;

    /// Sends bytes and returns the status and the whole answer.
    fn ask(listening: &Listening, request: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(listening.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(request).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
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
        let listening = Server::new().listen("127.0.0.1:0").unwrap();
        let request = b"GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        let (status, answer) = ask(&listening, request);
        assert_eq!(status, 200, "{answer}");
        assert!(answer.contains("gitVersion"), "{answer}");
        let address = listening.address();
        drop(listening);
        assert!(TcpStream::connect(address).is_err());
    }

    #[test]
    fn only_local_hosts_are_answered_on_a_loopback_address() {
        let listening = Server::new().listen("127.0.0.1:0").unwrap();
        for (host, expected) in
            [("localhost:80", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("example.com", 403), ("a b", 403)]
        {
            let request = format!("GET /version HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
            assert_eq!(ask(&listening, request.as_bytes()).0, expected, "{host}");
        }
    }

    #[test]
    fn a_body_that_is_announced_as_too_large_is_refused_unread() {
        let listening = Server::new().listen("127.0.0.1:0").unwrap();
        let (status, answer) = ask(&listening, post("localhost", 4_000_000_000).as_bytes());
        assert_eq!(status, 413, "{answer}");
        assert!(answer.contains("Request entity too large: limit is 3145728"), "{answer}");
    }

    #[test]
    fn deep_json_is_refused() {
        let listening = Server::new().listen("127.0.0.1:0").unwrap();
        for part in ["[", "{\"a\":"] {
            let body = part.repeat(400_000);
            let request = post("localhost", body.len()) + &body;
            assert_eq!(ask(&listening, request.as_bytes()).0, 400, "{part}");
        }
    }

    #[test]
    fn broken_and_half_closed_connections_leave_the_server_running() {
        let listening = Server::new().listen("127.0.0.1:0").unwrap();
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
        let request = b"GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        assert_eq!(ask(&listening, request).0, 200);
    }
}
