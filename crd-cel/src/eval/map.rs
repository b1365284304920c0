//! Maps: Maps: JSON objects, and maps that an evaluation creates.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Error;
use super::data::Data;
use super::opaque::Opaque;
use super::value::{CelString, Value};

/// A map value of CEL: a map, or an object with a schema.
#[derive(Clone, Debug)]
pub struct Map<'v>(MapRepr<'v>);

#[derive(Clone, Debug)]
enum MapRepr<'v> {
    Data(Data<'v>),
    Values(Arc<Entries<'v>>),
}

/// Entries in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Entries<'v> {
    entries: Vec<(Value<'v>, Value<'v>)>,
    index: HashMap<HashedKey<'v>, usize>,
}

/// A key that is compared as in a Go map: by type and value, or by address if the server holds the key behind a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum HashedKey<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    /// A double, compared by its bits.
    Double(u64),
    String(CelString<'v>),
    Type(CelString<'v>),
    Duration(i64),
    /// The seconds, the nanoseconds, and the time zone's offset.
    Timestamp(i64, u32, i32),
    /// An empty optional. All empty optionals are equal.
    None,
    /// The text of an address or a network.
    Address(String),
    /// The memory address of a value that the server holds behind a pointer.
    Pointer(usize),
}

impl<'v> HashedKey<'v> {
    /// Returns a value's key, or `None` for a value that equals no other value.
    fn from_value(value: &Value<'v>) -> Option<Self> {
        Some(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Uint(value) => Self::Uint(*value),
            Value::Double(value) if value.is_nan() => return None,
            // 0.0 and -0.0 are equal.
            Value::Double(value) => Self::Double((value + 0.0).to_bits()),
            Value::String(value) => Self::String(value.clone()),
            Value::Type(value) => Self::Type(value.clone()),
            Value::Duration(value) => Self::Duration(value.0),
            Value::Timestamp(value) => Self::Timestamp(value.seconds, value.nanos, value.offset),
            Value::Optional(None) => Self::None,
            Value::Opaque(opaque) => match &**opaque {
                Opaque::Ip(ip) => Self::Address(ip.to_string()),
                Opaque::Cidr(cidr) => Self::Address(cidr.to_string()),
                _ => Self::Pointer(Arc::as_ptr(opaque).addr()),
            },
            Value::Optional(Some(value)) => Self::Pointer(Arc::as_ptr(value).addr()),
            Value::List(list) => Self::Pointer(list.address()),
            Value::Map(map) => Self::Pointer(map.address()),
            Value::Bytes(_) | Value::Preserved(_) => return None,
        })
    }

    /// Returns the keys for the same number in the other number types. An entry is also found under these keys.
    fn others(value: &Value<'v>) -> [Option<Self>; 2] {
        let double = |double: f64| Some(Self::Double((double + 0.0).to_bits()));
        match value {
            Value::Int(value) => [
                u64::try_from(*value).ok().map(Self::Uint),
                if *value as f64 as i128 == i128::from(*value) { double(*value as f64) } else { None },
            ],
            Value::Uint(value) => [
                i64::try_from(*value).ok().map(Self::Int),
                if *value as f64 as i128 == i128::from(*value) { double(*value as f64) } else { None },
            ],
            // A double beyond 2^64 equals no integer.
            Value::Double(value) if value.fract() == 0.0 && value.abs() < 2e19 => {
                let whole = *value as i128;
                [i64::try_from(whole).ok().map(Self::Int), u64::try_from(whole).ok().map(Self::Uint)]
            }
            _ => [None, None],
        }
    }
}

/// Rejects keys that Go's maps cannot hold.
fn hashable(key: &Value<'_>) -> Result<(), Error> {
    match key {
        Value::Bytes(_) => Err(Error::UNHASHABLE_BYTES),
        Value::Opaque(opaque) => match **opaque {
            Opaque::Semver(_) => Err(Error::UNHASHABLE_VERSION),
            Opaque::Format(_) => Err(Error::UNHASHABLE_FORMAT),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The constants of `x in ['a', 'b']`, without duplicates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    /// A few constants. Comparing these one by one is faster than hashing a value.
    few: Vec<HashedKey<'static>>,
    many: HashSet<HashedKey<'static>>,
}

const FEW: usize = 16;

impl Constants {
    /// Adds a constant to the set. A number also matches equal numbers of other types, so an integer is also stored as the nearest double.
    pub(crate) fn insert(&mut self, constant: &Value<'static>) {
        self.add(HashedKey::from_value(constant));
        let double = |double: f64| Some(HashedKey::Double((double + 0.0).to_bits()));
        let others = match constant {
            Value::Int(value) => [double(*value as f64), u64::try_from(*value).ok().map(HashedKey::Uint)],
            Value::Uint(value) => [double(*value as f64), i64::try_from(*value).ok().map(HashedKey::Int)],
            // The smallest integer is excluded, because a double does not distinguish it from values out of range.
            Value::Double(value) if *value == i64::MIN as f64 => [None, None],
            _ => HashedKey::others(constant),
        };
        others.into_iter().for_each(|key| self.add(key));
    }

    fn add(&mut self, key: Option<HashedKey<'static>>) {
        let Some(key) = key.filter(|key| !self.has(key)) else { return };
        if self.few.len() < FEW {
            self.few.push(key);
        } else {
            self.many.insert(key);
        }
    }

    fn has(&self, key: &HashedKey<'_>) -> bool {
        self.few.iter().any(|known| known == key) || !self.many.is_empty() && self.many.contains(key)
    }

    /// Returns `true` if a value is one of the constants.
    ///
    /// # Errors
    /// - The value is bytes, a version or a format. The server's maps cannot hold such values.
    pub(crate) fn contains(&self, value: &Value<'_>) -> Result<bool, Error> {
        hashable(value)?;
        Ok(HashedKey::from_value(value).is_some_and(|key| self.has(&key)))
    }
}

impl<'v> Entries<'v> {
    /// Adds an entry to a map. An existing entry with the same key is replaced.
    ///
    /// # Errors
    /// - The key is bytes, a version or a format. The server's maps cannot hold such keys.
    pub fn insert(&mut self, key: Value<'v>, value: Value<'v>) -> Result<(), Error> {
        hashable(&key)?;
        let next = self.entries.len();
        if let Some(found) = HashedKey::from_value(&key) {
            let place = *self.index.entry(found).or_insert(next);
            if place < next {
                self.entries[place].1 = value;
                return Ok(());
            }
        }
        self.entries.push((key, value));
        Ok(())
    }

    /// Removes the entry with this key, if there is one.
    pub(crate) fn remove(&mut self, key: &Value<'v>) {
        let Some(place) = HashedKey::from_value(key).and_then(|key| self.index.remove(&key)) else { return };
        self.entries.remove(place);
        self.index.values_mut().filter(|index| **index > place).for_each(|index| *index -= 1);
    }

    fn get(&self, key: &Value<'v>) -> Option<&Value<'v>> {
        if self.index.is_empty() {
            return None;
        }
        let found = self.index.get(&HashedKey::from_value(key)?);
        let index = found.or_else(|| {
            HashedKey::others(key).into_iter().flatten().find_map(|other| self.index.get(&other))
        })?;
        Some(&self.entries[*index].1)
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn contains(&self, key: &Value<'v>) -> bool {
        self.get(key).is_some()
    }
}

impl<'v> Map<'v> {
    pub(crate) fn over(data: Data<'v>) -> Self {
        Self(MapRepr::Data(data))
    }

    /// Returns the number of entries. An object's undeclared properties also count.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            MapRepr::Data(data) => data.members().map_or(0, serde_json::Map::len),
            MapRepr::Values(map) => map.entries.len(),
        }
    }

    /// Returns `true` if the map is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value under a key, or `None` if the map does not contain the key.
    ///
    /// # Errors
    /// - The value does not have the schema's type, or the map is a JSON object and the key is not a string.
    /// - The key is bytes, a version or a format. The server's maps cannot hold such keys.
    pub fn get(&self, key: &Value<'v>) -> Option<Result<Value<'v>, Error>> {
        match &self.0 {
            MapRepr::Data(data) => match key {
                Value::String(name) => data.member(name).map(Data::value),
                _ => Some(Err(Error::no_such_overload())),
            },
            MapRepr::Values(map) if map.entries.is_empty() => None,
            MapRepr::Values(map) => match hashable(key) {
                Ok(()) => map.get(key).cloned().map(Ok),
                Err(error) => Some(Err(error)),
            },
        }
    }

    /// Returns the keys, in order.
    #[must_use]
    pub fn keys(&self) -> std::vec::IntoIter<Value<'v>> {
        let keys = match &self.0 {
            MapRepr::Data(data) => data.visible_keys(),
            MapRepr::Values(map) => map.entries.iter().map(|(key, _)| key.clone()).collect(),
        };
        keys.into_iter()
    }

    /// Returns the entries' memory address.
    fn address(&self) -> usize {
        match &self.0 {
            MapRepr::Data(data) => std::ptr::from_ref(data.json()).addr(),
            MapRepr::Values(entries) => Arc::as_ptr(entries).addr(),
        }
    }

    /// Returns `true` for an object or a map with a schema. Such a value is comparable only with maps.
    pub(crate) fn is_of_schema(&self) -> bool {
        self.data().is_some_and(|data| !data.is_untyped())
    }

    pub(crate) fn data(&self) -> Option<Data<'v>> {
        match &self.0 {
            MapRepr::Data(data) => Some(*data),
            MapRepr::Values(_) => None,
        }
    }

    /// Returns a mutable reference to the entries of a map that a rule creates. Shared entries are copied first. Returns `None` for JSON
    /// data.
    pub(crate) fn entries_mut(&mut self) -> Option<&mut Entries<'v>> {
        match &mut self.0 {
            MapRepr::Data(_) => None,
            MapRepr::Values(entries) => Some(Arc::make_mut(entries)),
        }
    }
}

impl<'v> From<Entries<'v>> for Map<'v> {
    fn from(entries: Entries<'v>) -> Self {
        Self(MapRepr::Values(Arc::new(entries)))
    }
}
