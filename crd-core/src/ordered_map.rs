//! A map from names to values that keeps the order in which it was filled.
//!
//! This crate has its own map because every user of the derives compiles it: `indexmap` and `hashbrown` take a second to compile, and more
//! for each value type.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use foldhash::fast::RandomState;

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
pub struct OrderedMap<V>(Option<Box<Entries<V>>>);

#[derive(Clone)]
struct Entries<V> {
    list: Vec<(Box<str>, V)>,
    positions: Positions,
}

/// Maximum number of entries that are compared one by one, which is faster than hashing a name.
const FEW: usize = 8;

impl<V> OrderedMap<V> {
    /// Returns an empty map.
    #[must_use]
    pub fn new() -> Self {
        Self(None)
    }

    /// Returns an empty map with the given capacity.
    pub(crate) fn with_capacity(entries: usize) -> Self {
        let mut map = Self(None);
        if entries > 0 {
            map.filled().list.reserve(entries);
        }
        map
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Returns `true` if the map is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value under `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.position(name).map(|(_, value)| value)
    }

    /// Returns the position and the value of `name`.
    pub(crate) fn position(&self, name: &str) -> Option<(usize, &V)> {
        let entries = self.0.as_deref()?;
        let position = entries.position(name)?;
        Some((position, &entries.list[position].1))
    }

    /// Returns the value at a position in the order.
    #[cfg(feature = "admit")]
    pub(crate) fn get_index(&self, position: usize) -> Option<&V> {
        self.entries().get(position).map(|(_, value)| value)
    }

    /// Returns the value under `name`, mutable.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        let entries = self.0.as_deref_mut()?;
        let position = entries.position(name)?;
        Some(&mut entries.list[position].1)
    }

    /// Returns `true` if `name` has a value.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Inserts `value` under `name`. A new name is added at the end; the value of an existing name is replaced and returned.
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: V) -> Option<V> {
        let (entries, name) = (self.filled(), name.into());
        match entries.position(&name) {
            Some(position) => Some(std::mem::replace(&mut entries.list[position].1, value)),
            None => {
                entries.push(name, value);
                None
            }
        }
    }

    /// Inserts `value` under `name` unless the name has a value.
    #[cfg(feature = "values")]
    pub(crate) fn insert_first(&mut self, name: impl Into<Box<str>>, value: V) {
        let (entries, name) = (self.filled(), name.into());
        if entries.position(&name).is_none() {
            entries.push(name, value);
        }
    }

    /// Returns the value under `name`; if there is none, inserts the value that `make` returns.
    #[inline(never)]
    pub(crate) fn get_or_insert_with(&mut self, name: Box<str>, make: fn() -> V) -> &mut V {
        let entries = self.filled();
        let position = entries.position(&name).unwrap_or_else(|| {
            entries.push(name, make());
            entries.list.len() - 1
        });
        &mut entries.list[position].1
    }

    /// Removes the value under `name`, and keeps the order of the other values.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        let entries = self.0.as_deref_mut()?;
        let position = entries.position(name)?;
        let (_, value) = entries.list.remove(position);
        entries.positions = Positions::default();
        if entries.list.len() > FEW {
            entries.index();
        }
        Some(value)
    }

    /// Removes all entries, and returns them.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Returns the entries, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &V)> {
        self.entries().iter().map(|(name, value)| (&**name, value))
    }

    /// Returns the entries, in order, with mutable values.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&str, &mut V)> {
        let entries = self.0.as_deref_mut().map_or(&mut [][..], |entries| &mut entries.list);
        entries.iter_mut().map(|(name, value)| (&**name, value))
    }

    /// Returns the names, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// Returns the values, in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// Returns the values, in order, mutable.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }

    fn entries(&self) -> &[(Box<str>, V)] {
        self.0.as_deref().map_or(&[], |entries| &entries.list)
    }

    fn filled(&mut self) -> &mut Entries<V> {
        self.0.get_or_insert_with(|| Box::new(Entries { list: Vec::new(), positions: Positions::default() }))
    }
}

impl<V> Entries<V> {
    fn position(&self, name: &str) -> Option<usize> {
        let is_named = |(known, _): &(Box<str>, V)| **known == *name;
        if self.list.len() > FEW {
            let position = self.positions.find(name)?;
            if is_named(&self.list[position]) {
                return Some(position);
            }
            // Another name with the same hash.
        }
        self.list.iter().position(is_named)
    }

    /// Adds a name that is new.
    fn push(&mut self, name: Box<str>, value: V) {
        self.list.push((name, value));
        match self.list.len() {
            ..=FEW => {}
            length if length == FEW + 1 => self.index(),
            length => self.positions.add(&self.list[length - 1].0, length - 1),
        }
    }

    fn index(&mut self) {
        for (position, (name, _)) in self.list.iter().enumerate() {
            self.positions.add(name, position);
        }
    }
}

/// The positions of names, by their hashes. If two names have the same hash, the first name is used.
#[derive(Clone, Default)]
struct Positions {
    hasher: RandomState,
    by_hash: HashMap<u64, usize, BuildHasherDefault<Hashed>>,
}

impl Positions {
    fn find(&self, name: &str) -> Option<usize> {
        self.by_hash.get(&self.hasher.hash_one(name)).copied()
    }

    fn add(&mut self, name: &str, position: usize) {
        self.by_hash.entry(self.hasher.hash_one(name)).or_insert(position);
    }
}

/// A hasher for numbers that are already hashes.
#[derive(Clone, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
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
        let mut map = Self::new();
        for (name, value) in entries {
            map.insert(name, value);
        }
        map
    }
}

impl<V> IntoIterator for OrderedMap<V> {
    type Item = (Box<str>, V);
    type IntoIter = std::vec::IntoIter<(Box<str>, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.map_or_else(Vec::new, |entries| entries.list).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_positions_hold_in_long_maps() {
        let name = |i: usize| format!("n{}", i * 7919 % 1000);
        let mut map: OrderedMap<usize> = (0..1000).map(|i| (name(i), i)).collect();
        assert!(map.keys().enumerate().all(|(i, key)| key == name(i)));
        assert_eq!(map.insert("n7919", 1), None);
        assert_eq!(map.insert(name(4), 5), Some(4));
        assert_eq!(map.remove(&name(2)), Some(2));
        assert_eq!((map.get(&name(2)), map.position(&name(4))), (None, Some((3, &5))));
        assert_eq!((map.len(), map.keys().next_back()), (1000, Some("n7919")));
        while map.len() > 3 {
            let last = map.keys().next_back().map(str::to_owned);
            assert!(last.is_some_and(|last| map.remove(&last).is_some()));
        }
        assert_eq!(map.iter().map(|(_, value)| *value).collect::<Vec<_>>(), [0, 1, 3]);
    }

    #[test]
    fn names_with_one_hash_are_told_apart() {
        let mut map: OrderedMap<u8> = (0..20u8).map(|i| (i.to_string(), i)).collect();
        let entries = map.filled();
        let hash = entries.positions.hasher.hash_one("3");
        entries.positions.by_hash.insert(hash, 4);
        assert_eq!(map.get("3"), Some(&3));
        assert_eq!((map.insert("3", 7), map.len()), (Some(3), 20));
    }
}
