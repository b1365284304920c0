//! Maps: over JSON objects, or made by an evaluation.

use std::collections::HashMap;
use std::sync::Arc;

use super::Error;
use super::data::Data;
use super::value::{Text, Value};

/// A map, or an object of a schema.
#[derive(Clone, Debug)]
pub struct Map<'v>(Repr<'v>);

#[derive(Clone, Debug)]
enum Repr<'v> {
    Data(Data<'v>),
    Values(Arc<Entries<'v>>),
}

/// Entries in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Entries<'v> {
    entries: Vec<(Value<'v>, Value<'v>)>,
    index: HashMap<Key<'v>, usize>,
}

/// A key; numbers that are equal are one key, whatever their types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key<'v> {
    Bool(bool),
    Number(i128),
    String(Text<'v>),
}

impl<'v> Key<'v> {
    fn of(value: &Value<'v>) -> Option<Self> {
        Some(match value {
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Number((*value).into()),
            Value::Uint(value) => Self::Number((*value).into()),
            // A double beyond 2^64 equals no integer, and as a key it is not found.
            Value::Double(value) if value.fract() == 0.0 && value.abs() < 2e19 => {
                Self::Number(*value as i128)
            }
            Value::String(value) => Self::String(value.clone()),
            _ => return None,
        })
    }
}

impl<'v> Entries<'v> {
    /// Adds an entry; an entry with that key is replaced.
    ///
    /// # Errors
    /// - The key is no bool, number or string.
    pub fn insert(&mut self, key: Value<'v>, value: Value<'v>) -> Result<(), Error> {
        let Some(found) = Key::of(&key) else {
            return Err(Error::text(format!("unsupported key type: {}", key.type_name())));
        };
        match self.index.entry(found) {
            std::collections::hash_map::Entry::Occupied(entry) => self.entries[*entry.get()].1 = value,
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(self.entries.len());
                self.entries.push((key, value));
            }
        }
        Ok(())
    }

    fn get(&self, key: &Value<'v>) -> Option<&Value<'v>> {
        let index = *self.index.get(&Key::of(key)?)?;
        Some(&self.entries[index].1)
    }

    pub(crate) fn contains(&self, key: &Value<'v>) -> bool {
        self.get(key).is_some()
    }
}

impl<'v> Map<'v> {
    pub(crate) fn over(data: Data<'v>) -> Self {
        Self(Repr::Data(data))
    }

    /// The number of entries; of an object also those that its schema does not know.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Data(data) => data.members().map_or(0, serde_json::Map::len),
            Repr::Values(map) => map.entries.len(),
        }
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key; `None` where there is none.
    ///
    /// # Errors
    /// - The value is not of the schema's type, or the key of a JSON object is no string.
    pub fn get(&self, key: &Value<'v>) -> Option<Result<Value<'v>, Error>> {
        match &self.0 {
            Repr::Data(data) => match key {
                Value::String(name) => data.member(name).map(Data::value),
                _ => Some(Err(Error::no_such_overload())),
            },
            Repr::Values(map) => map.get(key).cloned().map(Ok),
        }
    }

    /// The keys, in order.
    #[must_use]
    pub fn keys(&self) -> std::vec::IntoIter<Value<'v>> {
        let keys = match &self.0 {
            Repr::Data(data) => data.visible_keys(),
            Repr::Values(map) => map.entries.iter().map(|(key, _)| key.clone()).collect(),
        };
        keys.into_iter()
    }

    pub(crate) fn data(&self) -> Option<Data<'v>> {
        match &self.0 {
            Repr::Data(data) => Some(*data),
            Repr::Values(_) => None,
        }
    }

    /// The entries to be changed in place where nobody else holds them.
    pub(crate) fn entries_mut(&mut self) -> Option<&mut Entries<'v>> {
        match &mut self.0 {
            Repr::Data(_) => None,
            Repr::Values(entries) => Some(Arc::make_mut(entries)),
        }
    }
}

impl<'v> From<Entries<'v>> for Map<'v> {
    fn from(entries: Entries<'v>) -> Self {
        Self(Repr::Values(Arc::new(entries)))
    }
}
