//! Tracks idle connections, which have no request. The server closes the oldest idle connection to accept a new connection.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

/// The idle connections, in the order in which they became idle.
#[derive(Clone, Default)]
pub(super) struct IdleConnections(Arc<Mutex<Idle>>);

#[derive(Default)]
struct Idle {
    next: u64,
    tasks: BTreeMap<u64, AbortHandle>,
}

/// A client's connection, with its position among the idle connections.
pub(super) struct Connection {
    all: IdleConnections,
    state: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// The connection's task, or `None` until the task runs.
    task: Option<AbortHandle>,
    requests: usize,
    /// The position of this connection among the idle connections.
    place: Option<u64>,
}

/// A request that is being handled.
pub(super) struct Busy(Arc<Connection>);

impl IdleConnections {
    /// Closes the connection that has waited longest for a request.
    pub(super) fn close_oldest(&self) {
        let oldest = lock(&self.0).tasks.pop_first();
        if let Some((_, task)) = oldest {
            task.abort();
        }
    }
}

impl Connection {
    pub(super) fn new(all: &IdleConnections) -> Arc<Self> {
        Arc::new(Self { all: all.clone(), state: Mutex::default() })
    }

    /// Adds a connection that waits for its first request.
    pub(super) fn begin(&self, task: AbortHandle) {
        let mut state = lock(&self.state);
        state.task = Some(task);
        self.update(&mut state);
    }

    /// Adds the connection to the idle connections if it has no request, and removes it otherwise.
    fn update(&self, state: &mut Waiting) {
        let mut idle = lock(&self.all.0);
        if let Some(place) = state.place.take() {
            idle.tasks.remove(&place);
        }
        if let (0, Some(task)) = (state.requests, &state.task) {
            idle.next += 1;
            let place = idle.next;
            idle.tasks.insert(place, task.clone());
            state.place = Some(place);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let place = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).place;
        if let Some(place) = place {
            lock(&self.all.0).tasks.remove(&place);
        }
    }
}

impl Busy {
    pub(super) fn new(connection: &Arc<Connection>) -> Self {
        let mut state = lock(&connection.state);
        state.requests += 1;
        connection.update(&mut state);
        drop(state);
        Self(Arc::clone(connection))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.requests -= 1;
        self.0.update(&mut state);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
