//! The source of random specs: structs and enums with attributes of serde, schemars and crdkit at all places.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::random::Random;

/// A module with a spec and the types in it.
pub(crate) struct Made {
    pub(crate) source: String,
    /// An attribute makes the schema stricter than the type, so that the schema need not accept what the type writes.
    pub(crate) is_bounded: bool,
    /// An attribute says that a value is not kept: `skip`, `other`, or a schema that keeps less.
    pub(crate) is_lossy: bool,
    /// An attribute says that a value is not looked at: `schemaless`.
    pub(crate) is_open: bool,
}

/// How often two things occur at one place: attributes of a container, a variant or a field, and the kind of the field's type.
#[derive(Default)]
pub(crate) struct Coverage(pub(crate) BTreeMap<(String, String), usize>);

impl Coverage {
    pub(crate) fn add(&mut self, things: &[String]) {
        for (at, one) in things.iter().enumerate() {
            for other in &things[at..] {
                let (one, other) = if one <= other { (one, other) } else { (other, one) };
                *self.0.entry((one.clone(), other.clone())).or_default() += 1;
            }
        }
    }

    /// Returns a line for each thing: how often it occurs, and what it never occurs beside.
    pub(crate) fn table(&self) -> String {
        let things: Vec<(&String, usize)> = self
            .0
            .iter()
            .filter(|((one, other), _)| one == other)
            .map(|((one, _), count)| (one, *count))
            .collect();
        let is_beside = |one: &String, other: &String| {
            let pair = if one <= other { (one.clone(), other.clone()) } else { (other.clone(), one.clone()) };
            self.0.contains_key(&pair)
        };
        let mut table = String::new();
        for (one, count) in &things {
            let never: Vec<&str> = things
                .iter()
                .filter(|(other, _)| !is_beside(one, other))
                .map(|(other, _)| other.as_str())
                .collect();
            let _ = writeln!(table, "{one}: {count}; never beside {}", never.join(", "));
        }
        table
    }
}

pub(crate) const CASES: [&str; 8] = [
    "lowercase",
    "UPPERCASE",
    "PascalCase",
    "camelCase",
    "snake_case",
    "SCREAMING_SNAKE_CASE",
    "kebab-case",
    "SCREAMING-KEBAB-CASE",
];
const INTEGERS: [&str; 14] = [
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "isize",
    "u8",
    "std::num::NonZeroU8",
    "std::num::NonZeroI32",
    "i64",
    "i32",
];
const NAMES: [&str; 14] = [
    "size",
    "color",
    "max_count",
    "host_name",
    "kind_of",
    "r#type",
    "items",
    "value",
    "a",
    "b",
    "mode",
    "level_2",
    "url",
    "name",
];

/// Makes types.
pub(crate) struct Maker<'r> {
    pub(crate) random: &'r mut Random,
    pub(crate) coverage: &'r mut Coverage,
    pub(crate) items: String,
    count: usize,
    pub(crate) is_bounded: bool,
    pub(crate) is_lossy: bool,
    pub(crate) is_open: bool,
}

/// A type, and its kind for the table of coverage.
pub(crate) struct Type {
    pub(crate) text: String,
    pub(crate) kind: &'static str,
    /// It implements `Default`.
    pub(crate) has_default: bool,
}

fn plain(text: impl Into<String>, kind: &'static str) -> Type {
    Type { text: text.into(), kind, has_default: true }
}

impl<'r> Maker<'r> {
    /// Returns the source of a module with a random spec.
    pub(crate) fn make(random: &'r mut Random, coverage: &'r mut Coverage) -> Made {
        let mut maker = Self {
            random,
            coverage,
            items: String::new(),
            count: 0,
            is_bounded: false,
            is_lossy: false,
            is_open: false,
        };
        let body = maker.container(
            "FooSpec",
            0,
            Some("#[crd(group = \"example.com\", version = \"v1\", kind = \"Foo\", namespaced, no_test)]\n"),
        );
        let source = format!("{PRELUDE}{}\n{body}", maker.items);
        Made { source, is_bounded: maker.is_bounded, is_lossy: maker.is_lossy, is_open: maker.is_open }
    }

    pub(crate) fn next_name(&mut self) -> String {
        self.count += 1;
        format!("T{}", self.count)
    }

    /// Returns a struct with named fields.
    fn container(&mut self, name: &str, depth: usize, root: Option<&str>) -> String {
        let mut attributes = Attributes::default();
        if self.random.one_in(3) {
            let case = self.random.item(&CASES);
            attributes.add("rename_all", format!("serde(rename_all = \"{case}\")"));
        }
        let is_default = root.is_none() && self.random.one_in(6);
        if is_default {
            attributes.add("container default", "serde(default)".to_owned());
        }
        if self.random.one_in(30) {
            attributes.add("deny_unknown_fields", "serde(deny_unknown_fields)".to_owned());
        }
        if root.is_none() && self.random.one_in(20) {
            attributes.add("preserve_unknown_fields", "crd(preserve_unknown_fields)".to_owned());
            self.is_lossy = true;
        }
        let (fields, all) =
            self.fields(depth, is_default, "pub(crate) ", attributes.has("deny_unknown_fields"));
        for field in all {
            let mut things = attributes.names();
            things.extend(field);
            self.coverage.add(&things);
        }
        let derives = if root.is_some() { "CustomResource, " } else { "" };
        let default = if is_default { ", Default" } else { "" };
        format!(
            "#[derive({derives}CrdSchema, Serialize, Deserialize, Clone, Debug{default})]\n{}{}pub(crate) struct {name} {{\n{fields}}}\n",
            root.unwrap_or_default(),
            attributes.lines("")
        )
    }

    /// Returns the lines of some fields, and the names of what is at each.
    pub(crate) fn fields(
        &mut self,
        depth: usize,
        needs_default: bool,
        visibility: &str,
        denies: bool,
    ) -> (String, Vec<Vec<String>>) {
        let mut names = NAMES.to_vec();
        let (mut lines, mut all) = (String::new(), Vec::new());
        for _ in 0..=self.random.below(4) {
            let name = names.remove(self.random.below(names.len()));
            let mut attributes = Attributes::default();
            let (ty, kind);
            if depth < 3 && self.random.one_in(if denies { 30 } else { 9 }) {
                let flattened = self.flattened(depth + 1);
                attributes.add("flatten", "serde(flatten)".to_owned());
                if needs_default && !flattened.has_default {
                    continue;
                }
                (ty, kind) = (flattened.text, flattened.kind);
            } else {
                let made = self.field_type(depth, needs_default);
                self.field_attributes(&made, &mut attributes, needs_default);
                (ty, kind) = (made.text, made.kind);
            }
            let mut things = attributes.names();
            things.push(format!("type {kind}"));
            all.push(things);
            let _ = writeln!(lines, "{}    {visibility}{name}: {ty},", attributes.lines("    "));
        }
        (lines, all)
    }

    fn field_type(&mut self, depth: usize, needs_default: bool) -> Type {
        loop {
            let made = self.ty(depth + 1);
            if made.has_default || !needs_default {
                return made;
            }
        }
    }

    /// Returns a type whose fields become fields of the one around it.
    fn flattened(&mut self, depth: usize) -> Type {
        let inner = match self.random.below(20) {
            0..=7 => self.structure(depth),
            8..=17 => self.enumeration(depth, true),
            18 => {
                // It holds fields of other variants with values of any type.
                self.is_bounded = true;
                plain("std::collections::BTreeMap<String, serde_json::Value>", "flattened map")
            }
            _ => plain("std::collections::BTreeMap<String, String>", "flattened map of strings"),
        };
        if self.random.one_in(3) {
            return Type {
                text: format!("Option<{}>", inner.text),
                kind: "flattened option",
                has_default: true,
            };
        }
        inner
    }

    pub(crate) fn structure(&mut self, depth: usize) -> Type {
        let name = self.next_name();
        let text = self.container(&name, depth, None);
        let has_default = text.contains(", Default)");
        self.items += &text;
        Type { text: name, kind: "struct", has_default }
    }

    fn scalar(&mut self) -> Type {
        match self.random.below(10) {
            0 => plain("bool", "bool"),
            1..=3 => {
                let integer = self.random.item(&INTEGERS);
                Type { text: integer.to_owned(), kind: "integer", has_default: !integer.contains("Non") }
            }
            4 => plain(self.random.item(&["f64", "f32"]), "float"),
            5 => plain("char", "char"),
            6 => plain(
                self.random.item(&["Box<str>", "std::sync::Arc<str>", "std::borrow::Cow<'static, str>"]),
                "shared string",
            ),
            _ => plain("String", "string"),
        }
    }

    fn key(&mut self, depth: usize) -> String {
        match self.random.below(8) {
            0 => "u8".to_owned(),
            1 => "char".to_owned(),
            2 if depth < 4 => self.unit_enum(true),
            3 if depth < 4 => self.newtype_of("String", true),
            4 => "bool".to_owned(),
            _ => "String".to_owned(),
        }
    }

    pub(crate) fn ty(&mut self, depth: usize) -> Type {
        if depth > 3 {
            return self.scalar();
        }
        match self.random.below(26) {
            0..=5 => self.scalar(),
            6..=9 => {
                let inner = self.ty(depth);
                if inner.kind == "option" && !self.random.one_in(8) {
                    return inner;
                }
                Type { text: format!("Option<{}>", inner.text), kind: "option", has_default: true }
            }
            10..=12 => {
                let inner = self.ty(depth + 1);
                plain(format!("Vec<{}>", inner.text), "list")
            }
            13..=17 => self.collection(depth),
            18 => self.of_kubernetes(),
            19 => {
                let inner = self.ty(depth + 1);
                let text = self.newtype_of(&inner.text, false);
                Type { text, kind: "newtype", has_default: false }
            }
            20 => {
                let inner = self.ty(depth + 1);
                // The macro does not see the keys of a map behind a type parameter, of which schemars says nothing.
                if ["Map<bool", "Map<char"].iter().any(|map| inner.text.contains(map)) {
                    return inner;
                }
                let name = self.next_name();
                let _ = writeln!(
                    self.items,
                    "#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]\npub(crate) struct {name}<T> {{\n    pub(crate) value: T,\n    #[serde(skip_serializing_if = \"Option::is_none\")]\n    pub(crate) other: Option<T>,\n}}"
                );
                Type { text: format!("{name}<{}>", inner.text), kind: "generic", has_default: false }
            }
            21 => Type { text: self.unit_enum(false), kind: "unit enum", has_default: false },
            22 | 23 => self.enumeration(depth, false),
            _ => self.structure(depth),
        }
    }

    /// Returns a map, a set, a box or an array.
    fn collection(&mut self, depth: usize) -> Type {
        match self.random.below(5) {
            0 => {
                let key = self.key(depth);
                let value = self.ty(depth + 1);
                plain(format!("std::collections::BTreeMap<{key}, {}>", value.text), "map")
            }
            1 => {
                let key = self.key(depth);
                plain(format!("std::collections::HashMap<{key}, Option<u16>>"), "map of options")
            }
            2 => {
                let item = self.random.item(&["String", "i64", "u8", "char"]);
                plain(format!("std::collections::BTreeSet<{item}>"), "set")
            }
            3 => {
                let inner = self.ty(depth + 1);
                Type { text: format!("Box<{}>", inner.text), kind: "box", has_default: inner.has_default }
            }
            _ => {
                let inner = self.scalar();
                Type { text: format!("[{}; 2]", inner.text), kind: "array", has_default: inner.has_default }
            }
        }
    }

    /// Returns a type of Kubernetes or of JSON.
    fn of_kubernetes(&mut self) -> Type {
        let (text, kind) = self.random.item(&[
            ("serde_json::Value", "any value"),
            ("IntOrString", "int-or-string"),
            ("Quantity", "quantity"),
            ("Time", "time"),
            ("crdkit::Duration", "duration"),
            ("ObjectMeta", "object metadata"),
            ("LabelSelector", "label selector"),
        ]);
        // The API server accepts integers that `IntOrString` does not hold, in Kubernetes' own kinds too. The schemas of the others have patterns
        // and sets.
        self.is_open |= kind == "int-or-string";
        self.is_bounded |= kind != "any value";
        Type { text: text.to_owned(), kind, has_default: kind != "time" }
    }

    fn newtype_of(&mut self, inner: &str, is_key: bool) -> String {
        let name = self.next_name();
        let order = if is_key { ", PartialEq, Eq, PartialOrd, Ord, Hash" } else { "" };
        let transparent = if self.random.one_in(2) { "#[serde(transparent)]\n" } else { "" };
        let (transparent, body) = if !transparent.is_empty() && self.random.one_in(2) {
            (transparent, format!(" {{ pub(crate) inner: {inner} }}"))
        } else {
            (transparent, format!("(pub(crate) {inner});"))
        };
        let _ = writeln!(
            self.items,
            "#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug{order})]\n{transparent}pub(crate) struct {name}{body}"
        );
        name
    }
}

/// The attributes of one item, each with its name in the table of coverage.
#[derive(Default)]
pub(crate) struct Attributes(Vec<(&'static str, String)>);

impl Attributes {
    pub(crate) fn add(&mut self, name: &'static str, text: String) {
        self.0.push((name, text));
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(other, _)| *other == name)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    pub(crate) fn lines(&self, indent: &str) -> String {
        self.0.iter().map(|(_, text)| format!("{indent}#[{text}]\n")).collect()
    }
}

const PRELUDE: &str = "#[allow(unused_imports)]\nuse crdkit::{CrdSchema, CustomResource};\n#[allow(unused_imports)]\nuse k8s_openapi::{api::core::v1 as _, apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::{LabelSelector, ObjectMeta, Time}, util::intstr::IntOrString}};\nuse serde::{Deserialize, Serialize};\n\n";
