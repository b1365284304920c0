//! Selects a range of a resource's objects for a list, in their current or in an earlier state.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use super::object::{Key, Objects, Stored};

/// A range of a resource's objects for a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    /// The prefix that all keys in the range have.
    pub(crate) prefix: &'a str,
    /// The key after which the list begins, without the prefix.
    pub(crate) after: Option<&'a str>,
    pub(crate) most: usize,
}

/// The objects in a list.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) revision: u64,
    pub(crate) objects: Vec<Arc<Stored>>,
    /// The number of further objects in the range.
    pub(crate) rest: usize,
}

/// Returns the objects whose keys begin with the prefix.
pub(super) fn within(objects: &Objects, prefix: &str) -> Vec<Arc<Stored>> {
    between(objects, &BTreeMap::new(), &Part::all(prefix)).map(Arc::clone).collect()
}

/// Returns the objects in a range, sorted by key. Changed objects are returned in their earlier states from `others`.
pub(super) fn between<'a>(
    objects: &'a Objects,
    others: &'a BTreeMap<Key, Option<&'a Arc<Stored>>>,
    part: &'a Part<'a>,
) -> impl Iterator<Item = &'a Arc<Stored>> {
    let is_within = |key: &Key| key.as_str().starts_with(part.prefix);
    let mut now = objects.range((part.start(), Bound::Unbounded)).take_while(move |(key, _)| is_within(key));
    let mut then = others.range((part.start(), Bound::Unbounded)).take_while(move |(key, _)| is_within(key));
    let (mut next_now, mut next_then) = (now.next(), then.next());
    std::iter::from_fn(move || {
        loop {
            let is_other = match (next_now, next_then) {
                (None, None) => return None,
                (Some(_), None) => false,
                (Some((key, _)), Some((other, _))) => other <= key,
                (None, Some(_)) => true,
            };
            if !is_other {
                let (_, stored) = std::mem::replace(&mut next_now, now.next())?;
                return Some(stored);
            }
            let (key, other) = std::mem::replace(&mut next_then, then.next())?;
            if next_now.is_some_and(|(now, _)| now == key) {
                next_now = now.next();
            }
            if let Some(stored) = other {
                return Some(stored);
            }
        }
    })
}

/// Returns the number of objects in a range that follow the key `after`. Only changed objects are looked up one by one.
pub(super) fn count_after(
    objects: &Objects,
    others: &BTreeMap<Key, Option<&Arc<Stored>>>,
    part: &Part<'_>,
    after: &Key,
) -> usize {
    let range = || (Bound::Excluded(after.clone()), part.end());
    let mut count = objects.range(range()).count();
    for (key, other) in others.range(range()) {
        match (objects.contains_key(key), other.is_some()) {
            (true, false) => count = count.saturating_sub(1),
            (false, true) => count += 1,
            _ => {}
        }
    }
    count
}

impl<'a> Part<'a> {
    /// Returns the range of all objects whose keys begin with the prefix.
    pub(crate) fn all(prefix: &'a str) -> Self {
        Self { prefix, after: None, most: usize::MAX }
    }

    fn start(&self) -> Bound<Key> {
        match self.after {
            Some(after) => Bound::Excluded(Key::from_text(&format!("{}{after}", self.prefix))),
            None => Bound::Included(Key::from_text(self.prefix)),
        }
    }

    /// Returns the upper bound of all keys that begin with the prefix. The prefix ends with a slash, unless
    /// it is empty.
    fn end(&self) -> Bound<Key> {
        match self.prefix.strip_suffix('/') {
            Some(namespace) => Bound::Excluded(Key::from_text(&format!("{namespace}0"))),
            None => Bound::Unbounded,
        }
    }
}
