//! The part of a resource that a list covers, now or in the past.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use super::object::{Key, Objects, Stored};

/// The part of a resource that a list covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    /// The beginning of the keys of all objects in the part.
    pub(crate) prefix: &'a str,
    /// The key, without the prefix, after which the list begins.
    pub(crate) after: Option<&'a str>,
    pub(crate) most: usize,
}

/// The objects of a list, the revision, and the number of objects that follow.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) revision: u64,
    pub(crate) objects: Vec<Arc<Stored>>,
    /// The number of objects of the part that follow the list.
    pub(crate) rest: usize,
}

/// Returns the objects whose keys begin with the prefix.
pub(super) fn within(objects: &Objects, prefix: &str) -> Vec<Arc<Stored>> {
    between(objects, &BTreeMap::new(), &Part::all(prefix)).map(Arc::clone).collect()
}

/// Returns a part of the objects in the order of their keys. For changed objects, the earlier states in `others` are returned.
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

/// Returns the number of objects in a part that follow the key `after`. Only keys of changed objects are looked up one by one.
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
    /// Returns the part that consists of all objects whose keys begin with the prefix.
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
