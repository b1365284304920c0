//! Random numbers, the same for the same seed.

/// A generator of random numbers: `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((bits ^ (bits >> 31)) % count as u64).unwrap_or_default()
    }

    /// Returns `true` with a probability of one in `count`.
    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Returns one of the items.
    pub(crate) fn item<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
