//! A JSON reader that records fields that occur twice.

use std::fmt;

use crd_core::FieldPath;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::depth;

/// Reads a JSON text. Returns the value, and the paths of the fields that occur twice. If a field occurs twice, the last value is used.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Value, Vec<FieldPath>), NotJson> {
    depth::check_json(bytes).map_err(NotJson::TooDeep)?;
    let mut found = Repeated::default();
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    // The depth is checked.
    deserializer.disable_recursion_limit();
    let value = Seed(&mut found).deserialize(&mut deserializer).map_err(NotJson::Syntax)?;
    deserializer.end().map_err(NotJson::Syntax)?;
    Ok((value, found.duplicates))
}

/// The reason why a text is not read as JSON.
#[derive(Debug)]
pub(crate) enum NotJson {
    Syntax(serde_json::Error),
    /// The value is too deep. The character is the opening bracket of the first level beyond the limit.
    TooDeep(char),
}

/// Maximum number of duplicate fields that the API server reports: `saveStrictError` of `sigs.k8s.io/json`.
pub(crate) const MOST: usize = 100;

#[derive(Default)]
struct Repeated {
    path: Vec<Step>,
    duplicates: Vec<FieldPath>,
}

enum Step {
    Field(String),
    Item(usize),
}

impl Repeated {
    fn add(&mut self) {
        if self.duplicates.len() >= MOST {
            return;
        }
        let mut path = FieldPath::root();
        for step in &self.path {
            path = match step {
                Step::Field(name) => path.child(name.as_str()),
                Step::Item(index) => path.index(*index),
            };
        }
        if !self.duplicates.contains(&path) {
            self.duplicates.push(path);
        }
    }
}

struct Seed<'f>(&'f mut Repeated);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        self.0.path.push(Step::Item(0));
        while let Some(value) = items.next_element_seed(Seed(self.0))? {
            values.push(value);
            if let Some(Step::Item(index)) = self.0.path.last_mut() {
                *index += 1;
            }
        }
        self.0.path.pop();
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            self.0.path.push(Step::Field(name.clone()));
            if values.contains_key(&name) {
                self.0.add();
            }
            let value = fields.next_value_seed(Seed(self.0))?;
            self.0.path.pop();
            values.insert(name, value);
        }
        Ok(values.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_have_their_paths() {
        let (value, duplicates) = parse(br#"{"a": [{"b": 1, "b": 2, "b": 3}], "c": 1.5}"#).unwrap();
        assert_eq!(value, serde_json::json!({"a": [{"b": 3}], "c": 1.5}));
        let duplicates: Vec<String> = duplicates.iter().map(ToString::to_string).collect();
        assert_eq!(duplicates, ["a[0].b"]);
    }

    #[test]
    fn at_most_100_duplicates_are_kept() {
        let fields: Vec<String> =
            (0..101).map(|number| format!(r#""f{number}": 1, "f{number}": 2"#)).collect();
        let (value, duplicates) = parse(format!("{{{}}}", fields.join(",")).as_bytes()).unwrap();
        assert_eq!(value.as_object().unwrap().len(), 101);
        assert_eq!(duplicates.len(), 100);
        assert_eq!(duplicates.last().unwrap().to_string(), "f99");
    }
}
