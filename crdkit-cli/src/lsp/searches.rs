//! Runs searches for lint problems on a separate thread. A search starts shortly after the last keystroke, and stops at the next keystroke.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crd_editor::{Allowance, LintSearch, SearchedFindings};
use crd_input::on_large_stack;

/// The pause between the last change and the start of a search.
const PAUSE: Duration = Duration::from_millis(300);

/// The interval at which a running search is checked.
pub(super) const LOOK: Duration = Duration::from_millis(20);

/// Maximum number of steps in a search. `crdkit lint` has the same maximum for a CRD.
const STEPS: u64 = 20_000_000;

/// The waiting searches and the running search.
#[derive(Default)]
pub(super) struct Searches {
    /// The documents to search, each with the earliest start time.
    waiting: Vec<(String, Instant)>,
    running: Option<Running>,
}

struct Running {
    uri: String,
    allowance: Allowance,
    thread: JoinHandle<SearchedFindings>,
}

impl Searches {
    /// Ends the running search, because a document has changed. If the search was in another document, it is queued again.
    pub(super) fn interrupt(&mut self, changed: &str) {
        if let Some(running) = &self.running {
            running.allowance.take(u64::MAX);
            if running.uri != changed {
                self.want(running.uri.clone());
            }
        }
        if let Some((_, time)) = self.waiting.iter_mut().find(|(uri, _)| uri == changed) {
            *time = Instant::now() + PAUSE;
        }
    }

    /// Schedules a search in a document to start after a pause.
    pub(super) fn want(&mut self, uri: String) {
        self.waiting.retain(|(other, _)| *other != uri);
        self.waiting.push((uri, Instant::now() + PAUSE));
    }

    /// Forgets a document.
    pub(super) fn forget(&mut self, uri: &str) {
        self.interrupt(uri);
        self.waiting.retain(|(other, _)| other != uri);
    }

    /// Returns the maximum time to wait for a message, or `None` if there is nothing else to do.
    pub(super) fn wait(&self) -> Option<Duration> {
        if self.running.is_some() {
            return Some(LOOK);
        }
        let first = self.waiting.iter().map(|(_, time)| *time).min()?;
        Some(first.saturating_duration_since(Instant::now()))
    }

    /// Returns the document and the results of a finished search.
    pub(super) fn ended(&mut self) -> Option<(String, SearchedFindings)> {
        let running = self.running.take_if(|running| running.thread.is_finished())?;
        // What was interrupted did not look everywhere; what panicked found nothing.
        let found = running.thread.join().ok()?;
        Some((running.uri, found))
    }

    /// Returns the next document to search, if no search is running.
    pub(super) fn next(&mut self) -> Option<String> {
        if self.running.is_some() {
            return None;
        }
        let now = Instant::now();
        let at = self.waiting.iter().position(|(_, time)| *time <= now)?;
        Some(self.waiting.remove(at).0)
    }

    /// Starts a search.
    pub(super) fn start(&mut self, uri: String, search: LintSearch) {
        if search.is_empty() {
            return;
        }
        let allowance = Allowance::new(STEPS);
        let own = allowance.clone();
        let thread = std::thread::spawn(move || on_large_stack(|| search.run(&own)));
        self.running = Some(Running { uri, allowance, thread });
    }
}
