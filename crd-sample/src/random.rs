//! Random numbers that are the same in every run and on every machine.

/// A random number generator: `SplitMix64` (Steele, Lea and Flood 2014). It is implemented here, because a new version of another crate
/// could generate other numbers, and then the same seed would give other samples.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `count`, or 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        (self.next() % count as u64) as usize
    }

    /// Returns a number from `least` to `most`, both inclusive.
    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        let span = (i128::from(most) - i128::from(least)).max(0) as u128 + 1;
        let chosen = u128::from(self.next()) % span;
        (i128::from(least) + chosen as i128) as i64
    }

    /// Returns a float from 0 (inclusive) to 1 (exclusive).
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns `true` with a probability of one in `count`.
    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Returns a random item, or `None` if there are no items.
    pub(crate) fn item<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}
