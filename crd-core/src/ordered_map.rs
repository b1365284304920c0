//! A map from names to values that keeps the order in which it was filled.

use indexmap::IndexMap;

/// A map from names to values that keeps insertion order, so that what is printed has the order of what was read.
///
/// ```
/// use crd_core::OrderedMap;
///
/// let map: OrderedMap<u8> = [("b", 1), ("a", 2)].into_iter().collect();
/// assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "a"]);
/// assert_eq!(map.get("a"), Some(&2));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct OrderedMap<V>(IndexMap<Box<str>, V>);

impl<V> OrderedMap<V> {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value under `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0.get(name)
    }

    /// The value under `name`, to be changed in place.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.0.get_mut(name)
    }

    /// Whether `name` has a value.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Puts `value` under `name`: at the end if the name is new, else in the old one's place. Returns the old value.
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: V) -> Option<V> {
        self.0.insert(name.into(), value)
    }

    /// The value under `name`, which is `make` if there was none.
    #[inline(never)]
    pub(crate) fn get_or_insert_with(&mut self, name: Box<str>, make: fn() -> V) -> &mut V {
        self.0.entry(name).or_insert_with(make)
    }

    /// Takes the value under `name` out, keeping the order of the others.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        self.0.shift_remove(name)
    }

    /// The entries, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &V)> + ExactSizeIterator {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// The entries, in order, with values to be changed in place.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&str, &mut V)> + ExactSizeIterator {
        self.0.iter_mut().map(|(name, value)| (&**name, value))
    }

    /// The names, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.0.keys().map(|name| &**name)
    }

    /// The values, in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.0.values()
    }

    /// The values, in order, to be changed in place.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.0.values_mut()
    }
}

impl<V> Default for OrderedMap<V> {
    fn default() -> Self {
        Self(IndexMap::new())
    }
}

impl<V: std::fmt::Debug> std::fmt::Debug for OrderedMap<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<N: Into<Box<str>>, V> FromIterator<(N, V)> for OrderedMap<V> {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

impl<V> IntoIterator for OrderedMap<V> {
    type Item = (Box<str>, V);
    type IntoIter = std::vec::IntoIter<(Box<str>, V)>;

    fn into_iter(self) -> Self::IntoIter {
        // indexmap's own iterator would be a foreign type in a public signature.
        self.0.into_iter().collect::<Vec<_>>().into_iter()
    }
}
