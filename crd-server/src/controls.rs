//! Lets a test control the server: inject faults, move the clock, interrupt watches, and read the handled requests.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::Method;

use crate::status::{Failure, MODIFIED};

/// Maximum number of requests that are remembered.
const MOST_REQUESTS: usize = 10_000;

/// A failure that the server returns instead of handling requests.
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

    /// Returns the fault `403 Forbidden`, with this message.
    #[must_use]
    pub fn forbidden(message: &str) -> Self {
        Self::new(Failure::new(403, "Forbidden", message))
    }

    /// Returns the fault `409 Conflict`: the object was changed since it was read.
    #[must_use]
    pub fn conflict() -> Self {
        Self::new(Failure::new(409, "Conflict", MODIFIED))
    }

    /// Returns the fault `410 Expired`: the requested revision is too old.
    #[must_use]
    pub fn expired() -> Self {
        let message = "The resourceVersion for the provided watch is too old.";
        Self::new(Failure::new(410, "Expired", message))
    }

    /// Returns the fault `429 TooManyRequests`: the client should try again after a second.
    #[must_use]
    pub fn too_many_requests() -> Self {
        let message = "Too many requests, please try again later.";
        Self::new(Failure::new(429, "TooManyRequests", message).with_retry_after(1))
    }

    /// Returns the fault `500 InternalError`.
    #[must_use]
    pub fn internal_error() -> Self {
        Self::new(Failure::internal_error("injected by a test"))
    }

    /// Returns the fault `503 ServiceUnavailable`.
    #[must_use]
    pub fn unavailable() -> Self {
        let message = "the server is currently unable to handle the request";
        Self::new(Failure::new(503, "ServiceUnavailable", message))
    }

    /// Restricts the fault to requests with this HTTP method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    #[must_use]
    pub fn on(self, method: &str) -> Self {
        Self { method: Some(method.to_owned()), ..self }
    }

    /// Restricts the fault to requests whose path, including the query, contains this text, such as a plural name, `/status` or
    /// `watch=true`.
    #[must_use]
    pub fn below(self, text: &str) -> Self {
        Self { path: text.to_owned(), ..self }
    }

    /// Sets the number of requests that fail; the default is 1.
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

/// A request that the server handled.
///
/// `Display` writes the request as one line: `PATCH /apis/e.io/v1/namespaces/default/shirts/a?fieldManager=me 200`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedRequest {
    /// The HTTP method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The HTTP status of the response.
    pub status: u16,
}

impl fmt::Display for ServedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.method, self.path, self.status)
    }
}

/// The state that a test has set through the controls.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    pub(crate) faults: Mutex<Vec<Fault>>,
    pub(crate) answered: Mutex<VecDeque<ServedRequest>>,
    /// The duration by which the test has moved the clock forward.
    pub(crate) ahead: Mutex<Duration>,
    /// The number of times that the test has ended all watches.
    pub(crate) breaks: AtomicU64,
    /// The number of requests that the server has received.
    pub(crate) requests: AtomicU64,
}

impl Controls {
    /// Returns the injected fault that applies to a request, if there is one.
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
        answered.push_back(ServedRequest { method: method.to_string(), path: path.to_owned(), status });
    }

    pub(crate) fn ahead(&self) -> Duration {
        *lock(&self.ahead)
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
