//! Serves a TCP port, for kubectl and for clients in other languages.

mod bodies;
mod idle;
mod origin;
#[cfg(feature = "tls")]
mod tls;
mod websocket;

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fmt, io};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use crate::body::Body;
use crate::request::route::Route;
use crate::response::rejected;
use crate::server::Server;
use crate::service::read;
use crate::status::Failure;
use bodies::{BodyMemory, BodyShare};
use idle::{Busy, Connection, IdleConnections};
#[cfg(feature = "tls")]
use tls::Tls;
use websocket::Handshake;

/// Maximum number of connections at a time. Beyond this number, the server closes the connection that has waited longest for a request. If
/// all connections have requests, the new connection waits.
const MOST_CONNECTIONS: usize = 4_096;
/// Maximum time until the head of the next request has arrived. An idle connection is closed after this time: `IdleTimeout` in
/// `k8s.io/apiserver/pkg/server/secure_serving.go`.
const HEAD_TIME: Duration = Duration::from_secs(90);
/// Maximum time for reading a request's body: `RequestTimeout` of `k8s.io/apiserver/pkg/server/config.go`.
const BODY_TIME: Duration = Duration::from_secs(60);
/// Maximum number of connections that wait in the operating system until the server accepts them.
const MOST_WAITING: u32 = 1_024;
/// The pause before the next attempt to accept a connection if the process has no file descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// Maximum number of bytes that are read from a connection in advance. The same limit applies to a request's head.
const BUFFER_BYTES: usize = 64 << 10;

/// Number of threads for requests that may take long. Version requests and health checks do not use these threads.
const THREADS: usize = 16;

/// A server that listens on a TCP port until this value is dropped. [`Server::listen`] returns this value.
pub struct Listening {
    address: SocketAddr,
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Handles requests over plain HTTP/1.1 at a TCP address. The requests are handled on a separate thread. Port 0 means any free port.
    ///
    /// There is no authentication: anyone who can reach the address can read and write all objects. Web pages in a browser cannot access
    /// the objects, because requests from another origin are rejected. Requests to host names other than `localhost` and names allowed by
    /// [`Config::allow_host`](crate::Config::allow_host) are also rejected.
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
        self.listen_through(address, |_| Ok(Transport::default()))
    }

    /// Handles requests like [`Server::listen`], but over TLS: `https` instead of `http`.
    ///
    /// Each call creates a certificate authority and a certificate. The certificate is valid for `localhost`, the address, the names that
    /// [`Config::allow_host`](crate::Config::allow_host) allows, and the names of the API server in a cluster. [`Listening::kubeconfig`]
    /// contains the authority.
    ///
    /// ```
    /// let listening = crd_server::Server::new().listen_tls("127.0.0.1:0")?;
    /// assert!(listening.kubeconfig().contains("certificate-authority-data: "));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Server::listen`], and an error if no certificate can be created for one of the names.
    #[cfg(feature = "tls")]
    pub fn listen_tls(&self, address: impl ToSocketAddrs) -> io::Result<Listening> {
        let names = self.inner.config.allowed_hosts.clone();
        self.listen_through(address, |address| {
            let names = names.into_iter().chain([address.ip().to_string()]);
            Tls::new(names).map(|tls| Transport { tls: Some(tls) })
        })
    }

    fn listen_through(
        &self,
        address: impl ToSocketAddrs,
        transport: impl FnOnce(SocketAddr) -> io::Result<Transport>,
    ) -> io::Result<Listening> {
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_io().enable_time().max_blocking_threads(THREADS).build()?;
        let bound = {
            let _entered = runtime.enter();
            bind(address)
        };
        let prepared = bound.and_then(|listener| {
            let address = listener.local_addr()?;
            Ok((listener, address, transport(address)?))
        });
        let (listener, address, transport) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                // A caller in a runtime of its own must not wait for the end of this one.
                runtime.shutdown_background();
                return Err(error);
            }
        };
        let (stop, stopped) = oneshot::channel();
        runtime.spawn(accept(self.clone(), listener, transport.clone()));
        let thread = thread::Builder::new().name("crd-server".to_owned()).spawn(move || {
            // Both a message and a dropped sender end the thread, and with the runtime all connections. Requests that are being
            // answered are not waited for.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        })?;
        Ok(Listening {
            address,
            #[cfg(feature = "tls")]
            tls: transport.tls,
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

/// Specifies whether clients connect with or without TLS.
#[derive(Clone, Default)]
struct Transport {
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

impl Listening {
    /// Returns the address with the port that the server listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a kubeconfig for clients on the same machine. For plain HTTP, the kubeconfig sets `insecure-skip-tls-verify`, because the
    /// JavaScript client requires it.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let (scheme, trust, user) = match self.authority() {
            // kubectl asks for a password where it uses TLS and has no credentials. The server ignores them.
            Some(authority) => {
                ("https", format!("certificate-authority-data: {authority}"), "{token: crdkit}")
            }
            None => ("http", "insecure-skip-tls-verify: true".to_owned(), "{}"),
        };
        format!(
            "apiVersion: v1\n\
             kind: Config\n\
             clusters:\n\
             - name: crdkit\n  cluster:\n    server: \"{scheme}://{address}\"\n    {trust}\n\
             users:\n\
             - name: crdkit\n  user: {user}\n\
             contexts:\n\
             - name: crdkit\n  context:\n    cluster: crdkit\n    user: crdkit\n    namespace: default\n\
             current-context: crdkit\n"
        )
    }
}

impl Listening {
    /// Returns the CA certificate in base64, or `None` without TLS.
    #[cfg(feature = "tls")]
    fn authority(&self) -> Option<String> {
        self.tls.as_ref().map(|tls| crd_go::base64::encode_std(tls.authority.as_bytes()))
    }

    #[cfg(not(feature = "tls"))]
    fn authority(&self) -> Option<String> {
        None
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

/// Binds a listener to the first address that is available.
fn bind(addresses: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let mut failed = io::Error::new(io::ErrorKind::InvalidInput, "no address was given to listen on");
    for address in addresses.to_socket_addrs()? {
        let bind = || {
            let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
            // On Windows, this would let another process take the address.
            socket.set_reuseaddr(cfg!(not(windows)))?;
            socket.bind(address)?;
            socket.listen(MOST_WAITING)
        };
        match bind() {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

async fn accept(server: Server, listener: TcpListener, transport: Transport) {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let idle = IdleConnections::default();
    let memory = BodyMemory::default();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            idle.close_oldest();
            sleep(PAUSE).await;
            continue;
        };
        if permits.available_permits() == 0 {
            idle.close_oldest();
        }
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
        let connection = Connection::new(&idle);
        // Events of watches are small and must not wait for each other. Without the option they are only later.
        let _ = stream.set_nodelay(true);
        let task =
            connect(server.clone(), memory.clone(), stream, transport.clone(), Arc::clone(&connection));
        let task = tokio::spawn(async {
            task.await;
            drop(permit);
        });
        connection.begin(task.abort_handle());
    }
}

/// Handles a connection's requests, over TLS if the server uses TLS.
async fn connect(
    server: Server,
    memory: BodyMemory,
    stream: TcpStream,
    transport: Transport,
    connection: Arc<Connection>,
) {
    #[cfg(feature = "tls")]
    if let Some(tls) = transport.tls {
        // Whoever fails to agree on a key is gone; the server has nothing to say to it.
        if let Ok(Ok(stream)) = timeout(HEAD_TIME, tls.acceptor.accept(stream)).await {
            converse(server, memory, stream, connection).await;
        }
        return;
    }
    #[cfg(not(feature = "tls"))]
    let Transport {} = transport;
    converse(server, memory, stream, connection).await;
}

/// Handles a connection's requests until the connection is closed.
async fn converse(
    server: Server,
    memory: BodyMemory,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    connection: Arc<Connection>,
) {
    let opened = Mutex::new(None);
    let service = service_fn(|mut request| {
        let busy = Busy::new(&connection);
        let handshake = Handshake::of(&mut request);
        let answer = answer(server.clone(), memory.share(), request);
        let opened = &opened;
        async move {
            let mut response = answer.await;
            if let Some(handshake) = handshake {
                let (head, socket) = handshake.open(response);
                *opened.lock().unwrap_or_else(PoisonError::into_inner) = socket;
                response = head;
            }
            Ok::<_, Infallible>(response.map(|body| Held { body, _busy: busy }))
        }
    });
    let requests = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // An error concerns this connection only, and its client has gone.
    let _ = requests.await;
    if let Some(socket) = opened.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let _busy = Busy::new(&connection);
        socket.run().await;
    }
}

async fn answer(server: Server, mut share: BodyShare, request: Request<Incoming>) -> Response<Body> {
    let (head, body) = request.into_parts();
    if let Err(failure) = origin::check(&head, &server.inner.config.allowed_hosts) {
        return rejected(&failure, &[]);
    }
    let body = match timeout(BODY_TIME, read(Box::pin(body), |bytes| share.take(bytes))).await {
        Ok(Ok(body)) => body,
        Ok(Err(failure)) => return rejected(&failure, &[]),
        Err(_) => {
            let message = "the body of the request did not arrive in time";
            return rejected(&Failure::new(504, "Timeout", message), &[]);
        }
    };
    let is_light = matches!(Route::parse(head.uri.path()), Route::Version | Route::Health);
    let request = Request::from_parts(head, body);
    if is_light {
        return server.handle(request);
    }
    // A table or a patch can take seconds, for which other connections do not wait.
    let work = move || {
        let response = server.handle(request);
        drop(share);
        response
    };
    spawn_blocking(work).await.unwrap_or_else(|_| {
        let message = "this request caused apiserver to panic. Look in the logs for details.";
        rejected(&Failure::new(500, "InternalError", message), &[])
    })
}

/// A response body that prevents its connection from being closed as idle.
struct Held {
    body: Body,
    _busy: Busy,
}

impl http_body::Body for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
