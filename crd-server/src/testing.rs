//! The controls of a test: faults, the clock, watches that break off, and a record of the requests.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use http::Method;

use crate::server::Server;
use crate::status::{Failure, MODIFIED};
use crate::timer::Alarm;

/// The requests that are remembered.
const MOST_REQUESTS: usize = 10_000;

/// A refusal of requests that the server would otherwise answer.
///
/// ```
/// use crd_server::{Fault, Server};
///
/// let server = Server::new();
/// server.inject(Fault::conflict().on("PATCH").below("/status").times(2));
/// ```
#[derive(Clone, Debug)]
pub struct Fault {
    failure: Failure,
    method: Option<String>,
    path: String,
    times: usize,
}

impl Fault {
    fn new(failure: Failure) -> Self {
        Self { failure, method: None, path: String::new(), times: 1 }
    }

    /// `403 Forbidden`, with this message.
    #[must_use]
    pub fn forbidden(message: &str) -> Self {
        Self::new(Failure::new(403, "Forbidden", message))
    }

    /// `409 Conflict`: the object was changed since it was read.
    #[must_use]
    pub fn conflict() -> Self {
        Self::new(Failure::new(409, "Conflict", MODIFIED))
    }

    /// `410 Expired`: the revision of a list or a watch is too old.
    #[must_use]
    pub fn expired() -> Self {
        let message = "The resourceVersion for the provided watch is too old.";
        Self::new(Failure::new(410, "Expired", message))
    }

    /// `429 TooManyRequests`: the client may try again after a second.
    #[must_use]
    pub fn too_many_requests() -> Self {
        let message = "Too many requests, please try again later.";
        Self::new(Failure::new(429, "TooManyRequests", message).with_retry_after(1))
    }

    /// `500 InternalError`.
    #[must_use]
    pub fn internal_error() -> Self {
        Self::new(Failure::internal_error("injected by a test"))
    }

    /// `503 ServiceUnavailable`.
    #[must_use]
    pub fn unavailable() -> Self {
        let message = "the server is currently unable to handle the request";
        Self::new(Failure::new(503, "ServiceUnavailable", message))
    }

    /// Only requests with this HTTP method fail: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    #[must_use]
    pub fn on(self, method: &str) -> Self {
        Self { method: Some(method.to_owned()), ..self }
    }

    /// Only requests fail whose path, with its query, contains this text: a plural name, the name of an object, `/status`,
    /// `watch=true`.
    #[must_use]
    pub fn below(self, text: &str) -> Self {
        Self { path: text.to_owned(), ..self }
    }

    /// As many requests fail; the default is one.
    #[must_use]
    pub fn times(self, times: usize) -> Self {
        Self { times, ..self }
    }

    fn is_for(&self, method: &Method, path: &str) -> bool {
        self.times > 0
            && self.method.as_ref().is_none_or(|own| own == method.as_str())
            && path.contains(&self.path)
    }
}

/// A request that was answered.
///
/// Printed as one line: `PATCH /apis/e.io/v1/namespaces/default/shirts/a?fieldManager=me 200`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnsweredRequest {
    /// The HTTP method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The HTTP status of the answer.
    pub status: u16,
}

impl fmt::Display for AnsweredRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.method, self.path, self.status)
    }
}

/// The state that the controls of a test have set.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    faults: Mutex<Vec<Fault>>,
    answered: Mutex<VecDeque<AnsweredRequest>>,
    /// How far the clock is ahead.
    ahead: Mutex<Duration>,
    /// How often the watches were broken off.
    pub(crate) breaks: AtomicU64,
    /// The number of requests so far.
    requests: AtomicU64,
}

impl Controls {
    /// The fault of a request, if there is one.
    pub(crate) fn fault(&self, method: &Method, path: &str) -> Option<Failure> {
        let mut faults = lock(&self.faults);
        let fault = faults.iter_mut().find(|fault| fault.is_for(method, path))?;
        fault.times -= 1;
        let failure = fault.failure.clone();
        faults.retain(|fault| fault.times > 0);
        Some(failure)
    }

    pub(crate) fn record(&self, method: &Method, path: &str, status: u16) {
        self.requests.fetch_add(1, Ordering::SeqCst);
        let mut answered = lock(&self.answered);
        if answered.len() == MOST_REQUESTS {
            answered.pop_front();
        }
        answered.push_back(AnsweredRequest { method: method.to_string(), path: path.to_owned(), status });
    }

    pub(crate) fn ahead(&self) -> Duration {
        *lock(&self.ahead)
    }
}

impl Server {
    /// Lets requests fail that come from now on. Of several faults, the one that was injected first and still has a request to
    /// fail is taken.
    ///
    /// ```
    /// use crd_server::{Fault, Server};
    ///
    /// let server = Server::new();
    /// server.inject(Fault::unavailable().on("GET"));
    /// let status = || server.handle(http::Request::get("/version").body("").unwrap()).status();
    /// assert_eq!((status().as_u16(), status().as_u16()), (503, 200));
    /// ```
    pub fn inject(&self, fault: Fault) {
        lock(&self.inner.controls.faults).push(fault);
    }

    /// Moves the clock of the server forward. Timestamps of later writes are later by that much; nothing else happens.
    ///
    /// ```
    /// # let server = crd_server::Server::new();
    /// server.advance(std::time::Duration::from_secs(3600));
    /// ```
    pub fn advance(&self, by: Duration) {
        let mut ahead = lock(&self.inner.controls.ahead);
        *ahead = ahead.saturating_add(by);
    }

    /// Ends all watches that are open, as a connection does that breaks off. Clients begin new ones.
    ///
    /// ```
    /// # let server = crd_server::Server::new();
    /// server.break_watches();
    /// ```
    pub fn break_watches(&self) {
        self.inner.controls.breaks.fetch_add(1, Ordering::SeqCst);
        self.inner.store.wake_all();
    }

    /// Waits until no request was made for the given time: a controller that reacts to each change has nothing left to do.
    ///
    /// ```no_run
    /// # async fn test(server: crd_server::Server) {
    /// server.idle(std::time::Duration::from_millis(50)).await;
    /// # }
    /// ```
    pub async fn idle(&self, quiet: Duration) {
        let count = || self.inner.controls.requests.load(Ordering::SeqCst);
        loop {
            let before = count();
            let mut alarm = Alarm::at(Instant::now() + quiet);
            poll_fn(|context| if alarm.is_over(context.waker()) { Poll::Ready(()) } else { Poll::Pending })
                .await;
            if count() == before {
                return;
            }
        }
    }

    /// Returns the requests that were answered since the last call, the last 10,000 at most.
    ///
    /// ```
    /// # let server = crd_server::Server::new();
    /// server.handle(http::Request::get("/version").body("").unwrap());
    /// let lines: Vec<String> = server.take_requests().iter().map(ToString::to_string).collect();
    /// assert_eq!(lines, ["GET /version 200"]);
    /// ```
    pub fn take_requests(&self) -> Vec<AnsweredRequest> {
        std::mem::take(&mut *lock(&self.inner.controls.answered)).into()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
