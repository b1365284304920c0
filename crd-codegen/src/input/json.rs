//! Turns JSON text into values: like `serde_json`, but with a limit on depth, and double keys are found.

use std::cell::RefCell;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::Limits;
use super::compose::fitted;
use super::duplicates::{Duplicates, Keys, Place as KeyPlace};
use super::error::{Fault, Place, too_deep};

/// The documents of a text in which JSON objects follow each other.
pub(super) fn documents(text: &str, limits: &Limits, keys: Keys) -> Result<Vec<(Value, Duplicates)>, Fault> {
    let mut documents = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // The seed counts the depth itself.
    deserializer.disable_recursion_limit();
    loop {
        let found = RefCell::new(Found::default());
        let seed = Seed { left: limits.depth, limit: limits.depth, keys, found: &found };
        let value = seed.deserialize(&mut deserializer).map_err(|error| fault(text, &error))?;
        documents.push((value, found.into_inner().duplicates));
        if deserializer.end().is_ok() {
            return Ok(documents);
        }
    }
}

fn fault(text: &str, error: &serde_json::Error) -> Fault {
    let line_start =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    // The column counts bytes, from 1.
    let at = line_start + error.column().saturating_sub(1);
    let message = error.to_string();
    let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
    let prefix = if error.is_data() { "" } else { "no JSON: " };
    Fault::new(format!("{prefix}{reason}")).at(Place::of(text, at..at + 1))
}

/// Where reading is, and the keys that were found twice.
#[derive(Default)]
struct Found {
    place: KeyPlace,
    duplicates: Duplicates,
}

/// Reads a value that may be `left` deep.
#[derive(Clone, Copy)]
struct Seed<'f> {
    left: usize,
    limit: usize,
    keys: Keys,
    found: &'f RefCell<Found>,
}

impl Seed<'_> {
    fn inner<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self { left, ..self }),
            None => Err(E::custom(too_deep(self.limit))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, bool: bool) -> Result<Value, E> {
        Ok(Value::Bool(bool))
    }

    fn visit_i64<E>(self, int: i64) -> Result<Value, E> {
        Ok(Value::from(int))
    }

    fn visit_u64<E>(self, int: u64) -> Result<Value, E> {
        Ok(Value::from(int))
    }

    fn visit_f64<E>(self, float: f64) -> Result<Value, E> {
        Ok(Number::from_f64(float).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut items = Vec::new();
        loop {
            let outer = self.found.borrow_mut().place.index(self.keys, items.len());
            let item = access.next_element_seed(inner)?;
            self.found.borrow_mut().place.leave(outer);
            match item {
                Some(item) => items.push(item),
                None => break,
            }
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut entries = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let is_double = entries.contains_key(&key);
            if is_double && self.keys == Keys::Once {
                return Err(A::Error::custom(format!("the key `{key}` is given twice")));
            }
            let outer = self.found.borrow_mut().place.key(self.keys, &key);
            if is_double {
                let Found { place, duplicates } = &mut *self.found.borrow_mut();
                duplicates.add(place);
            }
            entries.insert(key, access.next_value_seed(inner)?);
            self.found.borrow_mut().place.leave(outer);
        }
        Ok(Value::Object(fitted(entries)))
    }
}
