//! Limits for the validation of an object: its work, and the size of the messages that are kept.
//!
//! The API server has neither of these limits. Public objects stay far below these limits; hostile objects would take minutes and
//! gigabytes.

use std::cell::{Cell, RefCell};

use crate::options::ServerOptions;
use crate::{CauseReason, Causes, Diagnostic, FieldPath};

/// Counts work and the size of messages. When no work is left, the validation stops, and the place is recorded.
#[derive(Debug)]
pub struct Meter {
    work: Cell<u64>,
    text: Cell<usize>,
    causes: Cell<usize>,
    stopped: RefCell<Option<EarlyEnd>>,
}

/// The number of nanoseconds for a step. A unit of the API server's cost takes [`COST`] nanoseconds. An object that uses up the API
/// server's budget of ten million units must still receive a verdict here, and one run must be able to handle several such objects.
const NANOSECONDS: u64 = 10;
const COST: u64 = 12;

/// An earlier state of the limit for messages.
#[derive(Clone, Copy, Debug)]
pub struct MessageMark {
    text: usize,
    causes: usize,
}

/// The place and the reason where work ended.
#[derive(Clone, Debug)]
struct EarlyEnd {
    place: FieldPath,
    reason: String,
}

impl Default for Meter {
    fn default() -> Self {
        Self::new(ServerOptions::WORK)
    }
}

impl Meter {
    /// Creates a meter for this many steps, of about ten nanoseconds each.
    #[must_use]
    pub fn new(work: u64) -> Self {
        Self {
            work: Cell::new(work),
            text: Cell::new(Causes::MOST_BYTES),
            causes: Cell::new(Causes::MOST),
            stopped: RefCell::default(),
        }
    }

    /// Sets the maximum number of causes that have a message.
    #[must_use]
    pub fn with_causes(self, most: usize) -> Self {
        self.causes.set(most);
        self
    }

    /// Subtracts steps from the remaining work. Returns `false` if fewer steps are left, and on every later call.
    #[inline]
    pub fn work(&self, steps: usize, place: impl FnOnce() -> FieldPath) -> bool {
        match self.work.get().checked_sub(steps as u64) {
            Some(left) => {
                self.work.set(left);
                true
            }
            None => {
                self.stop(place, Self::TOO_MUCH_WORK);
                false
            }
        }
    }

    /// The reason in the cause that is reported when no work is left.
    pub const TOO_MUCH_WORK: &str = "it takes more work than the limit of this tool";

    /// Returns the remaining steps.
    pub fn left(&self) -> u64 {
        self.work.get()
    }

    /// Returns the remaining work in nanoseconds, the unit in which rules count their work.
    pub fn nanoseconds_left(&self) -> u64 {
        self.left().saturating_mul(NANOSECONDS)
    }

    /// Returns the cost of rules that the remaining work covers, as the API server counts cost.
    pub fn cost_left(&self) -> u64 {
        self.nanoseconds_left() / COST
    }

    /// Counts the work and the cost of running a rule. Steps that take little time compared with their cost are not
    /// counted as work.
    pub fn count_run(&self, work: u64, cost: u64) {
        let nanoseconds = work.saturating_add(COST.saturating_mul(cost));
        self.set_left(self.left().saturating_sub(nanoseconds.div_ceil(NANOSECONDS)));
    }

    /// Sets the remaining steps, after work that counted its own steps.
    pub fn set_left(&self, steps: u64) {
        self.work.set(steps);
    }

    /// Ends all work early, for the given reason.
    #[cold]
    pub fn stop(&self, place: impl FnOnce() -> FieldPath, reason: &str) {
        self.work.set(0);
        self.stopped
            .borrow_mut()
            .get_or_insert_with(|| EarlyEnd { place: place(), reason: reason.to_owned() });
    }

    /// Returns `true` if work ended early.
    pub fn is_stopped(&self) -> bool {
        self.stopped.borrow().is_some()
    }

    /// Returns the cause that reports where the limit of work was reached; `None` if the limit was not reached.
    #[must_use]
    pub fn stopped(&self) -> Option<Diagnostic> {
        let EarlyEnd { place, reason } = self.stopped.borrow().clone()?;
        Some(unjudged(place, &reason))
    }

    /// Counts a cause, and the size of its message.
    pub fn count_message(&self, bytes: usize) {
        self.text.set(self.text.get().saturating_sub(bytes));
        self.causes.set(self.causes.get().saturating_sub(1));
    }

    /// Returns the state of the limit for messages, for [`Meter::forget`].
    pub fn mark(&self) -> MessageMark {
        MessageMark { text: self.text.get(), causes: self.causes.get() }
    }

    /// Restores the state of the limit for messages.
    pub fn forget(&self, mark: MessageMark) {
        self.text.set(mark.text);
        self.causes.set(mark.causes);
    }

    /// Returns `true` if no more messages are kept.
    pub fn is_full(&self) -> bool {
        self.text.get() == 0 || self.causes.get() == 0
    }
}

/// Returns the cause that reports a value that could not be validated.
#[must_use]
pub fn unjudged(place: FieldPath, reason: &str) -> Diagnostic {
    let message = format!("cannot be judged: {reason}; the API server has no such limit");
    Diagnostic::new(place, CauseReason::LimitExceeded, message)
}
