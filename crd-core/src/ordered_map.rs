//! A map from names to values that keeps the order in which it was filled.

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use indexmap::map::Slice;

/// A map from names to values that keeps insertion order, so that output has the order of the input.
///
/// ```
/// use crd_core::OrderedMap;
///
/// let map: OrderedMap<u8> = [("b", 1), ("a", 2)].into_iter().collect();
/// assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "a"]);
/// assert_eq!(map.get("a"), Some(&2));
/// ```
// A schema has several maps, and nearly all of them are empty: an empty one is a null pointer.
#[derive(Clone)]
pub struct OrderedMap<V>(Option<Box<IndexMap<Box<str>, V, RandomState>>>);

/// The largest number of entries that are compared one by one, which is faster than hashing a name.
const FEW: usize = 8;

impl<V> OrderedMap<V> {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self(None)
    }

    /// An empty map with room for so many entries.
    pub(crate) fn with_capacity(entries: usize) -> Self {
        Self(
            (entries > 0)
                .then(|| Box::new(IndexMap::with_capacity_and_hasher(entries, RandomState::default()))),
        )
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |map| map.len())
    }

    /// Returns `true` if the map is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value under `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.position(name).map(|(_, value)| value)
    }

    /// The position of `name` in the order, with its value.
    pub(crate) fn position(&self, name: &str) -> Option<(usize, &V)> {
        let map = self.0.as_ref()?;
        if map.len() > FEW {
            return map.get_full(name).map(|(index, _, value)| (index, value));
        }
        let mut entries = map.iter().enumerate();
        entries.find(|(_, (known, _))| ***known == *name).map(|(index, (_, value))| (index, value))
    }

    /// The value at a position in the order.
    #[cfg(feature = "admit")]
    pub(crate) fn get_index(&self, position: usize) -> Option<&V> {
        self.0.as_ref()?.get_index(position).map(|(_, value)| value)
    }

    /// The value under `name`, mutable.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.0.as_mut()?.get_mut(name)
    }

    /// Returns `true` if `name` has a value.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Inserts `value` under `name`: at the end if the name is new, else in the place of the old value, which is
    /// returned.
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: V) -> Option<V> {
        self.0.get_or_insert_default().insert(name.into(), value)
    }

    /// The value under `name`, inserted by `make` if there is none.
    #[inline(never)]
    pub(crate) fn get_or_insert_with(&mut self, name: Box<str>, make: fn() -> V) -> &mut V {
        self.0.get_or_insert_default().entry(name).or_insert_with(make)
    }

    /// Removes the value under `name`, and keeps the order of the others.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        self.0.as_mut()?.shift_remove(name)
    }

    /// Removes all entries, and returns them.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// The entries, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &V)> {
        self.entries().iter().map(|(name, value)| (&**name, value))
    }

    /// The entries, in order, with mutable values.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&str, &mut V)> {
        let entries = self.0.as_mut().map_or(Slice::new_mut(), |map| map.as_mut_slice());
        entries.iter_mut().map(|(name, value)| (&**name, value))
    }

    /// The names, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.entries().keys().map(|name| &**name)
    }

    /// The values, in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.entries().values()
    }

    /// The values, in order, mutable.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.0.as_mut().map_or(Slice::new_mut(), |map| map.as_mut_slice()).values_mut()
    }

    fn entries(&self) -> &Slice<Box<str>, V> {
        self.0.as_ref().map_or(Slice::new(), |map| map.as_slice())
    }
}

impl<V> Default for OrderedMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: PartialEq> PartialEq for OrderedMap<V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl<V: Eq> Eq for OrderedMap<V> {}

impl<V: std::fmt::Debug> std::fmt::Debug for OrderedMap<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<N: Into<Box<str>>, V> FromIterator<(N, V)> for OrderedMap<V> {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        let map: IndexMap<_, _, _> = entries.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self((!map.is_empty()).then(|| Box::new(map)))
    }
}

impl<V> IntoIterator for OrderedMap<V> {
    type Item = (Box<str>, V);
    type IntoIter = std::vec::IntoIter<(Box<str>, V)>;

    fn into_iter(self) -> Self::IntoIter {
        // indexmap's own iterator would be a foreign type in a public signature.
        self.0.map_or_else(Vec::new, |map| map.into_iter().collect()).into_iter()
    }
}
