//! The fields of a schema as a tree, with their anchors.

use std::collections::HashSet;

use crd_core::schema::Structural;

use super::description::Block;
use super::facts::{self, Fact, Surroundings};
use super::kubernetes;

/// A field of a version.
pub(super) struct Field<'s> {
    pub(super) name: &'s str,
    /// The path to show, such as `spec.ports[].protocol`.
    pub(super) path: String,
    /// The anchor on the page, such as `spec-ports-protocol`.
    pub(super) anchor: String,
    pub(super) type_: String,
    pub(super) is_required: bool,
    pub(super) description: &'s str,
    /// A sentence with a link, if the field's type is from the Kubernetes API.
    pub(super) reference: Option<Block>,
    pub(super) facts: Vec<Fact>,
    pub(super) fields: Vec<Field<'s>>,
}

/// Returns the fields of a schema. Every anchor begins with `prefix`, which is empty for the first version on a page.
pub(super) fn fields<'s>(schema: &'s Structural, prefix: &str) -> Vec<Field<'s>> {
    let root =
        Above { path: String::new(), anchor: prefix.to_owned(), schema, is_root: true, is_certain: true };
    below(&root)
}

/// The schema whose fields are visited next, with path and anchor.
struct Above<'s> {
    path: String,
    anchor: String,
    schema: &'s Structural,
    is_root: bool,
    /// `true` if the field and all its ancestors are required.
    is_certain: bool,
}

fn below<'s>(above: &Above<'s>) -> Vec<Field<'s>> {
    // A schema has either properties, items or values, so lists and maps need no segment of their own in an anchor.
    let (owner, path) = owner(above.schema, above.path.clone());
    let required = owner.value_validation.as_ref().and_then(|validation| validation.required.as_ref());
    let required: HashSet<&str> = required.into_iter().flatten().map(String::as_str).collect();
    let field = |(name, schema): (&'s str, &'s Structural)| {
        let dot = if path.is_empty() { "" } else { "." };
        let dash = if above.is_root { "" } else { "-" };
        let place = Above {
            path: format!("{path}{dot}{name}"),
            anchor: format!("{}{dash}{}", above.anchor, segment(name)),
            schema,
            is_root: false,
            is_certain: above.is_certain && required.contains(name),
        };
        let parent = (!above.is_root).then_some((above.schema, above.path.as_str()));
        Field {
            name,
            type_: schema.type_in_words(),
            is_required: required.contains(name),
            description: schema.generic.description.as_deref().unwrap_or_default(),
            reference: kubernetes::reference(schema, &place.path),
            facts: facts::for_field(schema, &Surroundings { name, parent, is_certain: above.is_certain }),
            fields: below(&place),
            path: place.path,
            anchor: place.anchor,
        }
    };
    owner.properties.iter().map(field).collect()
}

/// Returns the schema with a value's fields, and the path to this schema. For a list, this is the schema for the items. For a map, it is
/// the schema for the values.
pub(super) fn owner(schema: &Structural, path: String) -> (&Structural, String) {
    let (mut owner, mut path) = (schema, path);
    loop {
        if let Some(items) = owner.items.as_deref() {
            (owner, path) = (items, path + "[]");
        } else if let Some(values) = owner.map_values().filter(|_| owner.properties.is_empty()) {
            (owner, path) = (values, path + "[*]");
        } else {
            return (owner, path);
        }
    }
}

/// Visits the fields inside a schema, with their paths. Each field is visited before the fields inside it.
pub(super) fn each(schema: &Structural, path: &str, visit: &mut dyn FnMut(&Structural, &str)) {
    let (owner, path) = owner(schema, path.to_owned());
    for (name, child) in owner.properties.iter() {
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}{name}");
        visit(child, &path);
        each(child, &path, visit);
    }
}

/// Escapes a name for an anchor. Letters and digits are kept, and every other byte becomes `_2d` or similar, so that different paths have
/// different anchors.
pub(super) fn segment(name: &str) -> String {
    let write = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("_{other:02x}"),
    };
    name.bytes().map(write).collect()
}

impl Field<'_> {
    /// Returns `true` if the description marks the field as deprecated, as in Go: a line begins with "Deprecated".
    pub(super) fn is_deprecated(&self) -> bool {
        self.description.lines().any(|line| {
            let start = line.trim_start().get(..11).unwrap_or_default();
            start.eq_ignore_ascii_case("deprecated:") || start.eq_ignore_ascii_case("deprecated.")
        })
    }
}
