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

/// A value whose JSON form can be visited without building it.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_core::tree::{TreeVisitor, Visit};
/// use serde_json::Value;
///
/// /// Counts the fields of objects.
/// struct Fields(usize);
///
/// impl<'a> TreeVisitor<'a> for Fields {
///     fn leaf(&mut self, _: Value) {}
///     fn text(&mut self, _: &'a str) {}
///     fn begin_list(&mut self) {}
///     fn begin_object(&mut self) {}
///     fn key(&mut self, _: &'a str) {
///         self.0 += 1;
///     }
///     fn end(&mut self) {}
/// }
///
/// let mut fields = Fields(0);
/// CustomResourceDefinition::default().visit(&mut fields);
/// assert_eq!(fields.0, 4, "`metadata`, `spec`, and its fields `names` and `versions`");
/// ```
pub trait Visit {
    /// Passes the parts of the JSON form to a visitor, in printing order.
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>);

    /// Returns `true` if a struct omits the key of this value.
    fn is_omitted(&self) -> bool {
        false
    }
}

/// Receives the parts of a JSON form, in printing order.
pub trait TreeVisitor<'a> {
    /// Receives a whole JSON value. By default, its parts are received one after the other.
    fn value(&mut self, value: &'a Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.begin_list();
                items.iter().for_each(|item| self.value(item));
                self.end();
            }
            Value::Object(fields) => {
                self.begin_object();
                for (key, value) in fields {
                    self.key(key);
                    self.value(value);
                }
                self.end();
            }
            leaf => self.leaf(leaf.clone()),
        }
    }
    /// Receives `null`, a number or a boolean.
    fn leaf(&mut self, value: Value);
    /// Receives a string.
    fn text(&mut self, text: &'a str);
    /// Receives the start of a list. The items follow, and then the end.
    fn begin_list(&mut self);
    /// Receives the start of an object. The keys follow, each before its value, and then the end.
    fn begin_object(&mut self);
    /// Receives a key of the object that was started last and has not ended.
    fn key(&mut self, key: &'a str);
    /// Receives a key that is the name of a struct's field, and therefore has no escapes in JSON.
    fn field(&mut self, name: &'static str) {
        self.key(name);
    }
    /// Receives the end of the list or object that was started last and has not ended.
    fn end(&mut self);
}

impl<'a> Tree<'a> {
    /// Returns the tree of a value, with all levels.
    pub(crate) fn from_visit(value: &'a impl Visit) -> Self {
        let mut builder = TreeBuilder { open: vec![(Self::List(Vec::with_capacity(1)), "")] };
        value.visit(&mut builder);
        match builder.open.pop() {
            Some((Self::List(mut root), _)) => root.pop().unwrap_or(Self::Text("")),
            _ => Self::Text(""),
        }
    }
}

/// Builds a tree.
struct TreeBuilder<'a> {
    /// The lists and objects that have not ended, each with the last key of the object. The first list receives the tree.
    open: Vec<(Tree<'a>, &'a str)>,
}

impl<'a> TreeBuilder<'a> {
    fn put(&mut self, tree: Tree<'a>) {
        match self.open.last_mut() {
            Some((Tree::List(items), _)) => items.push(tree),
            Some((Tree::Object(fields), key)) => fields.push((key, tree)),
            _ => {}
        }
    }
}

impl<'a> TreeVisitor<'a> for TreeBuilder<'a> {
    fn value(&mut self, value: &'a Value) {
        self.put(Tree::Value(value));
    }

    fn leaf(&mut self, value: Value) {
        self.put(Tree::Leaf(value));
    }

    fn text(&mut self, text: &'a str) {
        self.put(Tree::Text(text));
    }

    fn begin_list(&mut self) {
        self.open.push((Tree::List(Vec::new()), ""));
    }

    fn begin_object(&mut self) {
        self.open.push((Tree::Object(Vec::new()), ""));
    }

    fn key(&mut self, key: &'a str) {
        if let Some((_, last)) = self.open.last_mut() {
            *last = key;
        }
    }

    fn end(&mut self) {
        if let Some((tree, _)) = self.open.pop() {
            self.put(tree);
        }
    }
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
