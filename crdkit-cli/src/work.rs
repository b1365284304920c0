//! Limits the CPU steps for validating CRDs and objects. Each CRD or object (item) has its own share in proportion to its size, and all
//! items have a common reserve.
//!
//! The reserve is distributed in the order of the inputs, so results do not depend on the number of threads.

use crd_core::admit::Admission;
use crd_core::check::{ServerOptions, Verdict};
use crd_go::budget::SharedReserve;

/// The number of steps for each item, and the number for each byte in the item. A step takes about ten nanoseconds. Real rules take less
/// than one step for each byte.
const ITEM: u64 = 2_000;
const BYTE: u64 = 20;

/// Maximum number of steps for a first attempt. If these steps are too few, the attempt is repeated.
const FIRST: u64 = 5_000_000;

/// The size of the reserve, from which items take steps after they have used their own share.
const RESERVE: u64 = ServerOptions::WORK;

/// A result that contains the number of used steps.
pub(crate) trait CountedAnswer {
    /// Returns the number of steps that were used.
    fn work(&self) -> u64;
    /// Returns `true` if the limit was reached. The result is then incomplete.
    fn is_incomplete(&self) -> bool;
}

impl CountedAnswer for Admission {
    fn work(&self) -> u64 {
        self.work
    }

    fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }
}

impl CountedAnswer for Verdict {
    fn work(&self) -> u64 {
        self.work
    }

    fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }
}

/// The reserve of steps that all items share.
pub(crate) struct SharedWork(SharedReserve);

impl SharedWork {
    pub(crate) fn new() -> Self {
        Self(SharedReserve::new(RESERVE))
    }

    /// Returns `true` if an item of this size is first tried with its own share, without waiting for its turn.
    pub(crate) fn has_first(bytes: usize) -> bool {
        share(bytes) <= FIRST
    }

    /// Returns the result for an item of this size. `first` is called with the item's own share of steps. If the share is too small or
    /// `first` returns no result, `wait` is called, which returns when it is the item's turn. Then `again` is called with the item's share
    /// and the reserve. If `again` returns `None`, the first result is used.
    pub(crate) fn answer<A: CountedAnswer>(
        &self,
        bytes: usize,
        wait: impl FnOnce(),
        first: impl FnOnce(u64) -> Option<A>,
        again: impl FnOnce(u64) -> Option<A>,
    ) -> Option<A> {
        let share = share(bytes);
        let answer = first(share.min(FIRST));
        if answer.as_ref().is_some_and(|answer| !answer.is_incomplete()) {
            return answer;
        }
        wait();
        self.0.with_all(share, |all| {
            let answer = again(all.min(ServerOptions::WORK)).or(answer);
            let taken = answer.as_ref().map_or(0, A::work);
            (answer, taken)
        })
    }
}

/// Returns an item's own share of steps.
fn share(bytes: usize) -> u64 {
    ITEM + BYTE * bytes as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result with the numbers of needed and allowed steps.
    #[derive(Debug, PartialEq)]
    struct Steps {
        needed: u64,
        allowed: u64,
    }

    impl CountedAnswer for Steps {
        fn work(&self) -> u64 {
            self.needed.min(self.allowed)
        }

        fn is_incomplete(&self) -> bool {
            self.needed > self.allowed
        }
    }

    #[test]
    fn items_share_the_reserve_in_their_order() {
        let work = SharedWork::new();
        let mut waits = 0;
        let mut is_answered = |bytes, needed| {
            let ask = |allowed| Steps { needed, allowed };
            let answer =
                work.answer(bytes, || waits += 1, |allowed| Some(ask(allowed)), |allowed| Some(ask(allowed)));
            !answer.unwrap().is_incomplete()
        };
        // What fits into the share of an item waits for nothing, and leaves the reserve as it is.
        assert!(is_answered(100, ITEM + 100 * BYTE));
        assert!(is_answered(0, ITEM + RESERVE / 2));
        assert!(is_answered(0, ITEM + RESERVE / 2));
        assert!(!is_answered(0, ITEM + 1));
        assert!(is_answered(1_000, ITEM + 1_000 * BYTE));
        assert_eq!(waits, 3);
    }
}
