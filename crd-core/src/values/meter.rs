//! Limits for the validation of an object: the number of CPU steps, and the size of the messages that are kept.
//!
//! The API server has neither of these limits. Public objects stay far below these limits; hostile objects would take minutes and
//! gigabytes.

use std::cell::{Cell, RefCell};

use crate::options::ServerOptions;
use crate::{CauseReason, Causes, Diagnostic, FieldPath};

/// Counts CPU steps and the size of messages. When no steps are left, the validation stops, and the path of the current value is recorded.
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

/// The path at which the validation ended early, and the reason.
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

    /// Subtracts steps from the remaining steps. Returns `false` if fewer steps are left, and on every later call.
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

    /// The reason in the cause that is reported when no steps are left.
    pub const TOO_MUCH_WORK: &str = "it takes more work than the limit of this tool";

    /// Returns the remaining steps.
    pub fn left(&self) -> u64 {
        self.work.get()
    }

    /// Returns the remaining steps in nanoseconds, the unit of the time that rules take.
    pub fn nanoseconds_left(&self) -> u64 {
        self.left().saturating_mul(NANOSECONDS)
    }

    /// Returns the total cost of the rules that can still run, in the API server's unit of cost.
    pub fn cost_left(&self) -> u64 {
        self.nanoseconds_left() / COST
    }

    /// Counts the time and the cost of running a rule. `work`, in nanoseconds, leaves out steps that take little time compared with their
    /// cost.
    pub fn count_run(&self, work: u64, cost: u64) {
        let nanoseconds = work.saturating_add(COST.saturating_mul(cost));
        self.set_left(self.left().saturating_sub(nanoseconds.div_ceil(NANOSECONDS)));
    }

    /// Sets the remaining steps, after a computation that counted its own steps.
    pub fn set_left(&self, steps: u64) {
        self.work.set(steps);
    }

    /// Ends the validation early, for the given reason.
    #[cold]
    pub fn stop(&self, place: impl FnOnce() -> FieldPath, reason: &str) {
        self.work.set(0);
        self.stopped
            .borrow_mut()
            .get_or_insert_with(|| EarlyEnd { place: place(), reason: reason.to_owned() });
    }

    /// Returns `true` if the validation ended early.
    pub fn is_stopped(&self) -> bool {
        self.stopped.borrow().is_some()
    }

    /// Returns the cause for the early end of the validation; `None` if the validation did not end early.
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

/// Returns the cause for a value that could not be validated.
#[must_use]
pub fn unjudged(place: FieldPath, reason: &str) -> Diagnostic {
    let message = format!("cannot be judged: {reason}; the API server has no such limit");
    Diagnostic::new(place, CauseReason::LimitExceeded, message)
}
