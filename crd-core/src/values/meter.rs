//! The work that the judgement of one object may take, and the length of the texts that are kept of what is wrong.
//!
//! The API server has neither limit: a real object comes nowhere near them. They keep hostile objects from taking minutes
//! and gigabytes.

use std::cell::{Cell, RefCell};

use crate::causes::Causes;
use crate::{Diagnostic, FieldPath, Reason};

/// The steps of one request, of some ten nanoseconds each.
const MOST_WORK: u64 = 60_000_000;

/// Counts work and text. What has no work left stops, with the place.
#[derive(Debug)]
pub struct Meter {
    work: Cell<u64>,
    text: Cell<usize>,
    causes: Cell<usize>,
    stopped: RefCell<Option<Stop>>,
}

/// The limit of texts that was left at some time.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    text: usize,
    causes: usize,
}

/// The place and the reason where work ended.
#[derive(Clone, Debug)]
struct Stop {
    place: FieldPath,
    reason: String,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            work: Cell::new(MOST_WORK),
            text: Cell::new(Causes::MOST_BYTES),
            causes: Cell::new(Causes::MOST),
            stopped: RefCell::default(),
        }
    }
}

impl Meter {
    /// Takes steps of work. Returns `false` where there are not as many left, and from then on.
    pub fn work(&self, steps: usize, place: impl FnOnce() -> FieldPath) -> bool {
        match self.work.get().checked_sub(steps as u64) {
            Some(left) => {
                self.work.set(left);
                true
            }
            None => {
                self.stop(place, "it takes more work than the limit of this tool");
                false
            }
        }
    }

    /// The steps that are left.
    pub fn left(&self) -> u64 {
        self.work.get()
    }

    /// Sets the steps that are left, after work that counted them itself.
    pub fn set_left(&self, steps: u64) {
        self.work.set(steps);
    }

    /// Ends all work.
    pub fn stop(&self, place: impl FnOnce() -> FieldPath, reason: &str) {
        self.work.set(0);
        self.stopped.borrow_mut().get_or_insert_with(|| Stop { place: place(), reason: reason.to_owned() });
    }

    /// Returns `true` if work has ended before its time.
    pub fn is_stopped(&self) -> bool {
        self.stopped.borrow().is_some()
    }

    /// Returns the cause that reports where work ended early, if it did.
    #[must_use]
    pub fn stopped(&self) -> Option<Diagnostic> {
        let Stop { place, reason } = self.stopped.borrow().clone()?;
        Some(unjudged(place, &reason))
    }

    /// Counts the text of a cause.
    pub fn told(&self, bytes: usize) {
        self.text.set(self.text.get().saturating_sub(bytes));
        self.causes.set(self.causes.get().saturating_sub(1));
    }

    /// The texts that were counted so far, for [`Meter::forget`].
    pub fn told_so_far(&self) -> Told {
        Told { text: self.text.get(), causes: self.causes.get() }
    }

    /// Forgets the texts that were counted since.
    pub fn forget(&self, told: Told) {
        self.text.set(told.text);
        self.causes.set(told.causes);
    }

    /// Returns `true` if no more texts are kept.
    pub fn is_full(&self) -> bool {
        self.text.get() == 0 || self.causes.get() == 0
    }
}

/// Returns the cause that reports a value which could not be judged.
#[must_use]
pub fn unjudged(place: FieldPath, reason: &str) -> Diagnostic {
    let message = format!("cannot be judged: {reason}; the API server has no such limit");
    Diagnostic::new(place, Reason::LimitExceeded, message)
}
