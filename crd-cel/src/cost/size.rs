//! Ranges of sizes, with arithmetic.

/// The smallest and the largest number of elements, entries, code points or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Size {
    pub(super) const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    pub(super) fn exactly(size: u64) -> Self {
        Self { min: size, max: size }
    }

    /// Returns the smallest range that contains both sizes.
    pub(super) fn union(self, other: Option<Self>) -> Self {
        match other {
            None => self,
            Some(other) => Self { min: self.min.min(other.min), max: self.max.max(other.max) },
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }
}

/// The sizes of a list's elements, or of a map's keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Elements {
    pub(super) kind: Collection,
    /// The size of a list's indices, or of a map's keys.
    pub(super) key: Size,
    pub(super) value: Size,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collection {
    List,
    Map,
}

impl Elements {
    pub(super) fn union(self, other: Self) -> Self {
        Self {
            kind: self.kind,
            key: self.key.union(Some(other.key)),
            value: self.value.union(Some(other.value)),
        }
    }
}

/// Returns `size` times `factor`, rounded up.
pub(super) fn scale(size: u64, factor: f64) -> u64 {
    // The cast of the float saturates where Go's would wrap; cel-go guards against that before the cast.
    (size as f64 * factor).ceil() as u64
}

/// Returns the cost of traversing a string of this size.
pub(super) fn string_cost(size: u64) -> u64 {
    scale(size, 0.1)
}

/// Returns the cost of matching a string of size `text` with a pattern of size `pattern`.
pub(super) fn regex_cost(text: u64, pattern: u64) -> u64 {
    // One more than the size, as the empty string costs something too.
    string_cost(text.saturating_add(1)).saturating_mul(scale(pattern, 0.25))
}

#[cfg(test)]
mod tests {
    use super::scale;

    #[test]
    fn scaling_rounds_up_and_saturates() {
        assert_eq!(scale(0, 0.1), 0);
        assert_eq!(scale(1, 0.1), 1);
        assert_eq!(scale(3_145_726, 0.1), 314_573);
        assert_eq!(scale(u64::MAX, 0.1), 1_844_674_407_370_955_264);
        assert_eq!(scale(u64::MAX, 2.0), u64::MAX);
    }
}
