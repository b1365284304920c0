//! Lets tests control a server: inject faults, move the clock, interrupt watches, replace webhooks, and read the handled requests.

use std::future::poll_fn;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::controls::{Fault, ServedRequest, lock};
use crate::server::Server;
use crate::timer::Alarm;

impl Server {
    /// Makes future requests fail. If several faults match a request, the fault that was injected first applies, until it has been used
    /// as often as specified.
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

    /// Moves the server's clock forward. Only the timestamps of later writes change.
    ///
    /// ```
    /// # let server = crd_server::Server::new();
    /// server.advance(std::time::Duration::from_secs(3600));
    /// ```
    pub fn advance(&self, by: Duration) {
        let mut ahead = lock(&self.inner.controls.ahead);
        *ahead = ahead.saturating_add(by);
    }

    /// Ends all open watches, like a broken connection. Clients then open new watches.
    ///
    /// ```
    /// # let server = crd_server::Server::new();
    /// server.break_watches();
    /// ```
    pub fn break_watches(&self) {
        self.inner.controls.breaks.fetch_add(1, Ordering::SeqCst);
        self.inner.store.wake_all();
    }

    /// Waits until the server has received no request for the given time. A controller usually has nothing left to do then.
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
            let mut alarm = Alarm::due_at(Instant::now() + quiet);
            poll_fn(|context| if alarm.is_over(context.waker()) { Poll::Ready(()) } else { Poll::Pending })
                .await;
            if count() == before {
                return;
            }
        }
    }

    /// Returns the requests that were handled since the last call, but at most the last 10,000 requests.
    ///
    /// ```
    /// # let server = crd_server::Server::new();
    /// server.handle(http::Request::get("/version").body("").unwrap());
    /// let lines: Vec<String> = server.take_requests().iter().map(ToString::to_string).collect();
    /// assert_eq!(lines, ["GET /version 200"]);
    /// ```
    pub fn take_requests(&self) -> Vec<ServedRequest> {
        std::mem::take(&mut *lock(&self.inner.controls.answered)).into()
    }

    /// Sets the function that converts objects of a CRD whose `spec.conversion.strategy` is `Webhook`.
    ///
    /// The function replaces the webhook. The argument is a `ConversionReview` with a request, and the result is a `ConversionReview` with
    /// a response. For example, use `crdkit::Conversions::review`. The response is checked as by the API server. The webhook's address is
    /// not called. If a CRD has no function and the server calls no webhooks, requests fail for objects in all versions except the stored
    /// version.
    ///
    /// ```
    /// use crd_server::Server;
    /// use serde_json::{Value, json};
    ///
    /// let server = Server::new();
    /// server.convert("shirts.example.com", |review: &Value| {
    ///     let mut objects = review["request"]["objects"].clone();
    ///     for object in objects.as_array_mut().into_iter().flatten() {
    ///         object["apiVersion"] = review["request"]["desiredAPIVersion"].clone();
    ///     }
    ///     json!({
    ///         "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
    ///         "response": {
    ///             "uid": review["request"]["uid"], "result": {"status": "Success"}, "convertedObjects": objects,
    ///         },
    ///     })
    /// });
    /// ```
    pub fn convert(&self, definition: &str, function: impl Fn(&Value) -> Value + Send + Sync + 'static) {
        self.inner.converters.set(definition, function);
    }
}
