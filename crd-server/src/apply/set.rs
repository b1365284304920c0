//! Sets of paths to fields, and their JSON format `FieldsV1`.
//!
//! Source: see `fieldpath` of `sigs.k8s.io/structured-merge-diff`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::literal::Literal;

/// One element of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    Field(String),
    /// An item of a list of type `map`, identified by its keys.
    Key(Literal),
    /// An item of a list of type `set`, identified by its value.
    Item(Literal),
    /// An item's index in a list. Only entries from clients contain indices.
    Index(u64),
    /// An item without a key, which exists only while fields are removed.
    Unnamed,
}

/// A set of paths to fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set {
    pub(crate) members: BTreeSet<Element>,
    pub(crate) children: BTreeMap<Element, Set>,
}

impl Element {
    pub(crate) fn field(name: &str) -> Self {
        Self::Field(name.to_owned())
    }

    /// Returns the `FieldsV1` key for the element.
    fn encode(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(key) => format!("k:{}", key.text()),
            Self::Item(item) => format!("v:{}", item.text()),
            Self::Index(index) => format!("i:{index}"),
            Self::Unnamed => String::new(),
        }
    }

    /// Reads an element from a `FieldsV1` key. Returns `None` for an unknown kind of element.
    fn decode(text: &str) -> Result<Option<Self>, Unreadable> {
        let (kind, rest) = text.split_at_checked(2).ok_or(Unreadable)?;
        Ok(match kind {
            "f:" => Some(Self::Field(rest.to_owned())),
            "k:" => {
                let keys: Option<Map<String, Value>> = serde_json::from_str(rest).map_err(|_| Unreadable)?;
                Some(Self::Key(Literal::from_record(&keys.unwrap_or_default().into())))
            }
            "v:" => {
                let item = serde_json::from_str(rest).map_err(|_| Unreadable)?;
                Some(Self::Item(Literal::from_record(&item)))
            }
            "i:" => Some(Self::Index(rest.parse().map_err(|_| Unreadable)?)),
            _ if kind.ends_with(':') => None,
            _ => return Err(Unreadable),
        })
    }
}

/// The error for a value that is not valid `FieldsV1`.
#[derive(Debug)]
pub(crate) struct Unreadable;

impl Set {
    /// Returns a set with one path of field names.
    pub(crate) fn from_fields(path: &[impl AsRef<str>]) -> Self {
        let mut set = Self::default();
        set.insert(&path.iter().map(|name| Element::field(name.as_ref())).collect::<Vec<_>>());
        set
    }

    /// Returns `true` if the set contains this path, which consists of field names.
    pub(crate) fn has_fields(&self, path: &[String]) -> bool {
        match path {
            [] => false,
            [last] => self.members.contains(&Element::field(last)),
            [first, rest @ ..] => {
                self.children.get(&Element::field(first)).is_some_and(|child| child.has_fields(rest))
            }
        }
    }

    pub(crate) fn insert(&mut self, path: &[Element]) {
        match path {
            [] => {}
            [last] => {
                self.members.insert(last.clone());
            }
            [first, rest @ ..] => self.children.entry(first.clone()).or_default().insert(rest),
        }
    }

    /// Adds the paths below an element, and the element itself if `is_member` is `true`.
    pub(crate) fn add(&mut self, element: Element, below: Self, is_member: bool) {
        if is_member {
            self.members.insert(element.clone());
        }
        if !below.is_empty() {
            self.children.insert(element, below);
        }
    }

    /// Returns `true` if the set is empty. A set never has empty children.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.is_empty()
    }

    /// Returns the union of two sets of paths. Of two equal members, the member in `other` is kept. Of two equal elements with children,
    /// the element in `self` is kept.
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut result = self.clone();
        result.extend(other);
        result
    }

    fn extend(&mut self, other: &Self) {
        for member in &other.members {
            self.members.replace(member.clone());
        }
        for (element, child) in &other.children {
            self.children.entry(element.clone()).or_default().extend(child);
        }
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let members = self.members.iter().filter(|member| other.members.contains(member)).cloned().collect();
        let children = self.children.iter().filter_map(|(element, child)| {
            Some((element.clone(), child.intersection(other.children.get(element)?)))
        });
        Self { members, children: children.filter(|(_, child)| !child.is_empty()).collect() }
    }

    /// Returns the paths that are not in the other set.
    pub(crate) fn difference(&self, other: &Self) -> Self {
        let members = self.members.difference(&other.members).cloned().collect();
        let children = self.children.iter().map(|(element, child)| {
            let child =
                other.children.get(element).map_or_else(|| child.clone(), |other| child.difference(other));
            (element.clone(), child)
        });
        Self { members, children: children.filter(|(_, child)| !child.is_empty()).collect() }
    }

    /// Returns the paths that are neither in the other set nor below a path of the other set.
    pub(crate) fn recursive_difference(&self, other: &Self) -> Self {
        let members = self.members.difference(&other.members).cloned().collect();
        let children = self.children.iter().filter(|(element, _)| !other.members.contains(element));
        let children = children.map(|(element, child)| {
            let child = other
                .children
                .get(element)
                .map_or_else(|| child.clone(), |other| child.recursive_difference(other));
            (element.clone(), child)
        });
        Self { members, children: children.filter(|(_, child)| !child.is_empty()).collect() }
    }

    /// Returns the set as `FieldsV1`.
    pub(crate) fn encode(&self) -> Value {
        let mut fields = Map::new();
        for (element, child) in self.children.iter().filter(|(_, child)| !child.is_empty()) {
            let mut inner = child.encode();
            if let (true, Value::Object(inner)) = (self.members.contains(element), &mut inner) {
                inner.insert(".".to_owned(), Value::Object(Map::new()));
            }
            fields.insert(element.encode(), inner);
        }
        for member in self.members.iter().filter(|member| !self.children.contains_key(member)) {
            fields.insert(member.encode(), Value::Object(Map::new()));
        }
        Value::Object(fields)
    }

    /// Reads a set from `FieldsV1`.
    ///
    /// Source: `fieldpath/serialize.go` of `sigs.k8s.io/structured-merge-diff`.
    pub(crate) fn decode(value: &Value) -> Result<Self, Unreadable> {
        Self::decode_member(value).map(|(set, _)| set)
    }

    /// Reads the paths below an element, and a boolean that is `true` if the element itself is a member of its set.
    fn decode_member(value: &Value) -> Result<(Self, bool), Unreadable> {
        let mut set = Self::default();
        let mut is_member = false;
        let fields = match value {
            Value::Object(fields) => Some(fields),
            Value::Null => None,
            _ => return Err(Unreadable),
        };
        for (name, inner) in fields.into_iter().flatten() {
            if name == "." {
                is_member = true;
            } else if let Some(element) = Element::decode(name)? {
                let (below, is_member) = Self::decode_member(inner)?;
                set.add(element, below, is_member);
            }
        }
        let is_leaf = set.is_empty();
        Ok((set, is_member || is_leaf))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sets_come_back_from_their_encoding() {
        let fields = json!({
            "f:spec": {".": {}, "f:color": {}, "f:ports": {"k:{\"port\":1}": {".": {}, "f:port": {}}}},
            "f:tags": {"v:\"x\"": {}},
        });
        let set = Set::decode(&fields).unwrap();
        assert_eq!(set.encode(), fields);
        assert_eq!(
            set.paths(),
            [".spec", ".spec.color", ".spec.ports[port=1]", ".spec.ports[port=1].port", ".tags[=\"x\"]"]
        );
    }

    #[test]
    fn other_forms_cannot_be_read() {
        for fields in [
            json!("x"),
            json!({"x": {}}),
            json!({"fx": {}}),
            json!({"f:x": 1}),
            json!({"i:x": {}}),
            json!({"k:[]": {}}),
            json!({"v:x": {}}),
        ] {
            assert!(Set::decode(&fields).is_err(), "{fields}");
        }
        let read = Set::decode(&json!({"f:a": {"z:b": {}}, "z:c": {}, "f:d": null, "f:e:f": {}})).unwrap();
        assert_eq!(read.paths(), [".a", ".d", ".e:f"]);
    }

    #[test]
    fn large_integers_are_rounded_once_they_are_read() {
        let key = |literal| [Element::field("ports"), Element::Key(literal)];
        let written = json!({"port": i64::MAX});
        let mut own = Set::default();
        own.insert(&key(Literal::from_object(&written)));
        let exact = json!({"f:ports": {"k:{\"port\":9223372036854775807}": {}}});
        assert_eq!(own.encode(), exact);
        let rounded = json!({"f:ports": {"k:{\"port\":9223372036854776000}": {}}});
        let previous = Set::decode(&exact).unwrap();
        assert_eq!(previous.encode(), rounded);
        assert_eq!(own.union(&previous).encode(), rounded);
        assert_eq!(previous.union(&own).encode(), exact);
        assert_eq!(previous.intersection(&own).encode(), rounded);
        assert!(previous.difference(&own).is_empty());
        // What is below an element keeps the first notation, and is written once.
        let mut name = Set::default();
        name.insert(&[&key(Literal::from_object(&written))[..], &[Element::field("name")]].concat());
        let read = Set::decode(&name.encode()).unwrap();
        let both = json!({"f:ports": {"k:{\"port\":9223372036854775807}": {".": {}, "f:name": {}}}});
        assert_eq!(name.union(&read).union(&previous).encode(), both);
    }

    #[test]
    fn literals_are_read_as_json_iterator_reads_them() {
        let fields = json!({"f:a": {"v:1.0": {}, "v: 1E3 ": {}, "k:null": {}, "k:{\"b\":1.0,\"a\":2}": {}}});
        let read = json!({"f:a": {"v:1": {}, "v:1000": {}, "k:{}": {}, "k:{\"a\":2,\"b\":1}": {}}});
        assert_eq!(Set::decode(&fields).unwrap().encode(), read);
    }

    #[test]
    fn differences_are_of_paths() {
        let set = |fields| Set::decode(&fields).unwrap();
        let a = set(json!({"f:a": {".": {}, "f:b": {}, "f:c": {}}}));
        let b = set(json!({"f:a": {"f:b": {}}}));
        assert_eq!(a.difference(&b), set(json!({"f:a": {".": {}, "f:c": {}}})));
        assert_eq!(a.intersection(&b), b);
        assert_eq!(b.union(&a), a);
        assert!(b.recursive_difference(&set(json!({"f:a": {}}))).is_empty());
    }
}
