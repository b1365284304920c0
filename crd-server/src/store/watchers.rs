//! Keeps the tasks that wait for the next change to a resource's objects.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// A process-wide unique number for a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WatchId(u64);

impl WatchId {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The tasks of watches that wait for a change to a resource's objects.
#[derive(Debug, Default)]
pub(super) struct Watchers(Mutex<HashMap<WatchId, Waker>>);

impl Watchers {
    /// Registers a task to be woken by the next change.
    pub(super) fn wait(&self, watch: WatchId, waker: &Waker) {
        self.tasks().entry(watch).or_insert_with(|| waker.clone()).clone_from(waker);
    }

    /// Removes a watch that has ended.
    pub(super) fn forget(&self, watch: WatchId) {
        self.tasks().remove(&watch);
    }

    /// Wakes all waiting tasks.
    pub(super) fn wake(&self) {
        // A task may be polled at once, and wait again.
        let tasks: Vec<Waker> = self.tasks().drain().map(|(_, waker)| waker).collect();
        tasks.into_iter().for_each(Waker::wake);
    }

    fn tasks(&self) -> MutexGuard<'_, HashMap<WatchId, Waker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
