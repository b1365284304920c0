//! The fields that a type reads and writes, found with a serde deserializer.

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Panics unless the type reads all these fields.
pub fn has<T: DeserializeOwned>(expected: &[&str]) {
    let Err(Fields(fields)) = T::deserialize(Asked) else { panic!("{}", std::any::type_name::<T>()) };
    let fields: BTreeSet<&str> = fields.iter().copied().collect();
    for name in expected {
        assert!(fields.contains(name), "{} has no `{name}`", std::any::type_name::<T>());
    }
}

/// Panics unless the type writes exactly these fields after it has read none.
pub fn writes<T: Default + serde::Serialize>(expected: &[&str]) {
    let written = serde_json::to_value(T::default()).unwrap();
    let written: BTreeSet<&str> = written.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(written, expected.iter().copied().collect(), "{}", std::any::type_name::<T>());
}

/// A deserializer that records the names of the fields for which a type asks.
struct Asked;

#[derive(Debug)]
struct Fields(&'static [&'static str]);

impl Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Fields {}

impl de::Error for Fields {
    fn custom<T: Display>(_: T) -> Self {
        Self(&[])
    }
}

impl<'de> Deserializer<'de> for Asked {
    type Error = Fields;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fields> {
        Err(Fields(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Fields> {
        Err(Fields(fields))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
