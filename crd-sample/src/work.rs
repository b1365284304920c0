//! The work that a search may do, counted in steps.
//!
//! Steps are counted, never time: the same seed gives the same objects on every machine. A step takes some 50 ns.

use serde_json::Value;

/// The steps for one sample. Hardly a real definition needs a tenth of them.
pub(crate) const STEPS: u64 = 16_000_000;
/// The steps of a node of an object that is judged.
const OF_NODE: u64 = 16;

/// The steps that are left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    left: u64,
}

impl Work {
    pub(crate) fn new(steps: u64) -> Self {
        Self { left: steps }
    }

    /// Work that does not end, for searches that are bounded by their callers.
    pub(crate) fn without_end() -> Self {
        Self::new(u64::MAX)
    }

    /// Takes steps.
    pub(crate) fn take(&mut self, steps: u64) {
        self.left = self.left.saturating_sub(steps);
    }

    /// Returns `true` if no steps are left.
    pub(crate) fn is_done(self) -> bool {
        self.left == 0
    }

    /// Returns how often something with these steps can be done.
    pub(crate) fn times(self, steps: u64) -> usize {
        usize::try_from(self.left / steps.max(1)).unwrap_or(usize::MAX)
    }
}

/// Returns the steps for copying, hashing and judging a value.
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
