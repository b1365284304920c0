//! A proptest strategy for values that a sampler generates from a seed.

use std::cell::RefCell;
use std::fmt;

use crd_sample::{Seeded, Shrinker};
use proptest::prelude::Rng;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

/// A strategy that generates values from seeds. A value shrinks to smaller values of the same kind: accepted objects, or objects
/// that are rejected for the same reasons.
pub(super) struct Sampled<T> {
    objects: RefCell<Seeded>,
    make: Make<T>,
}

/// Generates the value for a seed.
type Make<T> = Box<dyn Fn(&mut Seeded, u64) -> Result<Sample<T>, String>>;

/// A value, and the JSON object from which smaller values are made.
pub(super) struct Sample<T> {
    pub(super) value: T,
    pub(super) object: Value,
    pub(super) judge: Judge<T>,
}

/// Returns the value for a smaller object, or `None` if the object is not of the same kind.
type Judge<T> = Box<dyn Fn(&Value) -> Option<T>>;

impl<T> Sampled<T> {
    pub(super) fn new(
        objects: Seeded,
        make: impl Fn(&mut Seeded, u64) -> Result<Sample<T>, String> + 'static,
    ) -> Self {
        Self { objects: RefCell::new(objects), make: Box::new(make) }
    }
}

impl<T> fmt::Debug for Sampled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampled").finish_non_exhaustive()
    }
}

impl<T: Clone + fmt::Debug> Strategy for Sampled<T> {
    type Tree = SampledTree<T>;
    type Value = T;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let seed = runner.rng().next_u64();
        let Sample { value, object, judge } = (self.make)(&mut self.objects.borrow_mut(), seed)?;
        Ok(SampledTree { smallest: value, tried: None, shrinker: Shrinker::new(object), judge })
    }
}

/// The smallest value so far, and the smaller value that is being tried.
pub(super) struct SampledTree<T> {
    smallest: T,
    tried: Option<T>,
    shrinker: Shrinker,
    judge: Judge<T>,
}

impl<T> SampledTree<T> {
    /// Tries the next smaller value of the same kind.
    fn advance(&mut self) -> bool {
        self.tried = None;
        while self.tried.is_none() {
            let Some(object) = self.shrinker.propose() else { return false };
            self.tried = (self.judge)(object);
        }
        true
    }
}

impl<T: Clone + fmt::Debug> ValueTree for SampledTree<T> {
    type Value = T;

    fn current(&self) -> T {
        self.tried.as_ref().unwrap_or(&self.smallest).clone()
    }

    fn simplify(&mut self) -> bool {
        if let Some(tried) = self.tried.take() {
            self.shrinker.accept();
            self.smallest = tried;
        }
        self.advance()
    }

    fn complicate(&mut self) -> bool {
        self.advance()
    }
}
