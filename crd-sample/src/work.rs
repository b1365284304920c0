//! Limits the CPU time of a search, counted in steps.
//!
//! Steps are counted, and not the time itself, so that a seed gives the same objects on every machine. A step takes about 50 ns.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

/// Maximum number of steps for one sample. Hardly any public CRD needs a tenth.
pub(crate) const STEPS: u64 = 16_000_000;
/// The number of steps for each node in a validated object.
const OF_NODE: u64 = 16;

/// The number of steps for an object that exceeds a limit, because the defaults are too large for etcd, or because validation takes too
/// much CPU time.
pub(crate) const OF_LIMIT: u64 = 3 << 20;

/// A limit for the total number of steps that several samplers take: see [`Sampler::with_allowance`](crate::Sampler::with_allowance). A
/// step takes about 50 ns, but the number of steps depends only on the CRDs and the seed, not on the machine.
///
/// All clones of an allowance share the same steps.
#[derive(Clone, Debug)]
pub struct Allowance(Arc<AtomicU64>);

impl Allowance {
    /// Returns an allowance with this many steps.
    #[must_use]
    pub fn new(steps: u64) -> Self {
        Self(Arc::new(AtomicU64::new(steps)))
    }

    /// Returns the remaining steps.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds steps to the remaining steps.
    pub fn give(&self, steps: u64) {
        self.0.store(self.left().saturating_add(steps), Ordering::Relaxed);
    }

    /// Subtracts steps from the remaining steps, for CPU time outside samplers.
    pub fn take(&self, steps: u64) {
        self.0.store(self.left().saturating_sub(steps), Ordering::Relaxed);
    }
}

/// The remaining steps for one sample.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    left: u64,
    shared: Option<Allowance>,
}

impl Work {
    pub(crate) fn new(steps: u64, shared: Option<&Allowance>) -> Self {
        Self { left: steps, shared: shared.cloned() }
    }

    /// Subtracts steps from the remaining steps and from the shared allowance.
    pub(crate) fn take(&mut self, steps: u64) {
        self.left = self.left.saturating_sub(steps);
        if let Some(shared) = &self.shared {
            shared.take(steps);
        }
    }

    /// Returns `true` if no steps are left.
    pub(crate) fn is_done(&self) -> bool {
        self.left() == 0
    }

    /// Returns the number of times that an operation with this many steps can still be performed.
    pub(crate) fn times(&self, steps: u64) -> usize {
        usize::try_from(self.left() / steps.max(1)).unwrap_or(usize::MAX)
    }

    /// Returns the remaining steps.
    pub(crate) fn left(&self) -> u64 {
        self.shared.as_ref().map_or(self.left, |shared| self.left.min(shared.left()))
    }
}

/// Returns the number of steps for copying, hashing and validating a value.
pub(crate) fn steps_of(value: &Value) -> u64 {
    OF_NODE
        + match value {
            Value::String(text) => text.len() as u64 / OF_NODE,
            Value::Array(items) => items.iter().map(steps_of).sum(),
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| name.len() as u64 / OF_NODE + steps_of(value)).sum()
            }
            _ => 0,
        }
}
