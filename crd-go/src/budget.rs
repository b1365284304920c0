//! Limits for the number of steps in a run: each item has a share in proportion to its size, and all items draw on one reserve.
//!
//! Steps are counted instead of time, so that a result depends neither on the machine nor on the number of threads. Steps beyond an item's
//! own share come from the reserve, in the order of the items. The time of a whole run therefore grows linearly with its input.

use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The steps that all items of a run can use after their own shares.
///
/// ```
/// use crd_go::budget::Reserve;
///
/// let mut reserve = Reserve::new(100);
/// let mut first = reserve.budget(10);
/// assert!(first.take(60).is_ok());
/// // 50 units of the reserve are left for the other items.
/// let mut second = reserve.budget(10);
/// assert!(second.take(61).is_err());
/// ```
#[derive(Debug)]
pub struct Reserve {
    left: u64,
}

impl Reserve {
    /// Creates a reserve of this many steps.
    #[must_use]
    pub const fn new(units: u64) -> Self {
        Self { left: units }
    }

    /// Returns the remaining steps.
    #[must_use]
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Returns the budget of the next item: `share` steps of its own, and the rest of the reserve.
    pub const fn budget(&mut self, share: u64) -> Budget<'_> {
        Budget { own: share, reserve: self }
    }
}

/// A reserve for items that several threads process.
///
/// ```
/// use crd_go::budget::SharedReserve;
///
/// let reserve = SharedReserve::new(100);
/// // The item has 10 units of its own, and takes 60 of all that it may take.
/// assert_eq!(reserve.with_all(10, |most| (most, 60)), 110);
/// assert_eq!(reserve.with_all(10, |most| (most, 0)), 60);
/// ```
#[derive(Debug)]
pub struct SharedReserve(Mutex<Reserve>);

impl SharedReserve {
    /// Creates a reserve of this many steps.
    #[must_use]
    pub const fn new(units: u64) -> Self {
        Self(Mutex::new(Reserve::new(units)))
    }

    /// Calls `work` with the maximum for an item: the item's own share, and the rest of the reserve. Other items cannot use the reserve
    /// meanwhile. `work` returns its result and the number of steps that it took.
    pub fn with_all<T>(&self, share: u64, work: impl FnOnce(u64) -> (T, u64)) -> T {
        let mut reserve = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (result, taken) = work(share.saturating_add(reserve.left()));
        // What is beyond the reserve was not done.
        let _ = reserve.budget(share).take(taken);
        result
    }
}

/// The steps that an item can still take.
#[derive(Debug)]
pub struct Budget<'r> {
    own: u64,
    reserve: &'r mut Reserve,
}

/// An item needs more than the remaining steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this takes more work than is allowed")
    }
}

impl std::error::Error for Exhausted {}

impl Budget<'_> {
    /// Takes steps, from the item's own share first.
    ///
    /// # Errors
    /// - Fewer steps than `units` are left. The remaining steps then count as used up.
    #[inline]
    pub const fn take(&mut self, units: u64) -> Result<(), Exhausted> {
        if let Some(rest) = self.own.checked_sub(units) {
            self.own = rest;
            return Ok(());
        }
        let beyond = units - self.own;
        self.own = 0;
        match self.reserve.left.checked_sub(beyond) {
            Some(rest) => {
                self.reserve.left = rest;
                Ok(())
            }
            None => {
                self.reserve.left = 0;
                Err(Exhausted)
            }
        }
    }
}
