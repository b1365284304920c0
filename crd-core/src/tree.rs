//! JSON whose objects keep their order. Objects of `serde_json` keep their order only with a feature that would apply to the whole
//! program.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

/// The JSON form of a value, in printing order. The tree borrows the value.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_core::tree::Tree;
///
/// let mut crd = CustomResourceDefinition::default();
/// crd.spec.versions = vec![Default::default()];
/// crd.spec.scope = "Cluster".to_owned();
/// let Tree::Object(fields) = Tree::from(&crd) else { unreachable!() };
/// let Tree::Object(spec) = &fields[1].1 else { unreachable!() };
/// assert_eq!(spec.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["names", "scope", "versions"]);
/// ```
#[derive(Clone, Debug)]
pub enum Tree<'a> {
    /// A JSON value whose fields have the order of `serde_json`.
    Value(&'a Value),
    /// A scalar that the tree owns.
    Leaf(Value),
    /// A string that the tree borrows.
    Text(&'a str),
    /// A list, as the trees of its items.
    List(Vec<Self>),
    /// An object, as the names and the trees of its fields.
    Object(Vec<(&'a str, Self)>),
}

impl Tree<'_> {
    /// Returns the tree as a JSON value. The fields of objects have the order of `serde_json`.
    #[must_use]
    pub fn into_value(self) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::Leaf(value) => value,
            Self::Text(text) => text.into(),
            Self::List(items) => items.into_iter().map(Self::into_value).collect(),
            Self::Object(fields) => {
                // `collect` would sort the fields first, whose code is a tenth of a megabyte in a debug build.
                let mut object = Map::new();
                object.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value.into_value())));
                Value::Object(object)
            }
        }
    }
}

impl<'a> From<&'a Value> for Tree<'a> {
    /// Returns the tree of a list or an object. The tree is one level deep: its parts are values.
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Array(items) => Self::List(items.iter().map(Self::Value).collect()),
            Value::Object(fields) => {
                Self::Object(fields.iter().map(|(name, value)| (&**name, Self::Value(value))).collect())
            }
            leaf => Self::Value(leaf),
        }
    }
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Leaf(value) => value.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}
