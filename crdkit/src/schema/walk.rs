//! Visits all nested schemas, the innermost first, each with its path and Rust type.

use std::rc::Rc;

use serde_json::{Map, Value};

use crate::schema::marks;
use crate::source::{Sources, sorted};
use crate::{Advice, Error};

/// A schema: a map from keywords to values.
pub(super) type Node = Map<String, Value>;

/// A schema's place: the path of its values in the object, and the Rust type that contains it.
#[derive(Clone, Debug)]
pub(super) struct SchemaLocation {
    field: String,
    type_name: String,
    /// The type and the field that contain the schema: `Container.port`.
    holder: String,
    /// Set if the schema describes the type itself, so that its properties are the type's fields.
    is_type: bool,
    sources: Rc<Sources>,
}

impl SchemaLocation {
    pub(super) fn root(field: &str, type_name: &str, sources: Sources) -> Self {
        Self {
            field: field.to_owned(),
            type_name: type_name.to_owned(),
            holder: type_name.to_owned(),
            is_type: true,
            sources: Rc::new(sources),
        }
    }

    /// Returns the positions of all types in the Rust code.
    pub(super) fn sources(&self) -> &Sources {
        &self.sources
    }

    pub(super) fn property(&self, name: &str) -> Self {
        // JSONPath escapes a dot within a name.
        Self {
            field: format!("{}.{}", self.field, name.replace('.', "\\.")),
            type_name: self.type_name.clone(),
            holder: format!("{}.{name}", if self.is_type { &self.type_name } else { &self.holder }),
            is_type: false,
            sources: Rc::clone(&self.sources),
        }
    }

    pub(super) fn items(&self) -> Self {
        Self { field: format!("{}[]", self.field), is_type: false, ..self.clone() }
    }

    pub(super) fn values(&self) -> Self {
        Self { field: format!("{}[*]", self.field), is_type: false, ..self.clone() }
    }

    /// Returns the path of the values: `.spec.containers[].port`.
    pub(super) fn field(&self) -> &str {
        &self.field
    }

    pub(super) fn type_name(&self) -> &str {
        &self.type_name
    }

    /// Returns the type and the field that contain the schema.
    pub(super) fn holder(&self) -> &str {
        &self.holder
    }

    /// Returns an error with `message` at this place.
    pub(super) fn error(&self, message: impl Into<String>, help: impl Into<String>) -> Error {
        Error::schema(&self.type_name, &self.field, message, help).located_at(&self.holder, &self.sources)
    }

    /// Returns the error for a schema that accepts nothing.
    pub(super) fn no_value(&self) -> Error {
        // The type of the status is named by an attribute, not by a field.
        let help = match self.field.as_str() {
            ".status" => "give the enum a variant that is not skipped, or remove `status` from the attribute",
            _ => "give the enum a variant that is not skipped, or `#[serde(skip)]` the field",
        };
        self.error("no value can have this type", help)
    }

    /// Returns advice about this place. The path in the CRD is not known yet, so the advice has the path in the object.
    pub(super) fn advice(&self, name: &'static str, message: impl Into<String>, help: &str) -> Advice {
        Advice {
            name,
            field: self.field.clone(),
            place: self.holder.clone(),
            location: String::new(),
            message: message.into(),
            help: help.to_owned(),
        }
    }

    /// Returns property names, in the order of the type's fields.
    fn ordered(&self, properties: &Node) -> Vec<String> {
        let order = self.sources.order(&self.type_name);
        sorted(&order, properties.keys()).into_iter().map(|(name, _)| name).collect()
    }

    /// Returns this place with the Rust type of `node`, if the type is known.
    pub(super) fn entered(&self, node: &Node) -> Self {
        match marks::any_type_name(node) {
            Some(type_name) => Self { type_name: type_name.to_owned(), is_type: true, ..self.clone() },
            None => self.clone(),
        }
    }
}

/// A function that changes one schema.
type Pass<'p> = &'p mut dyn FnMut(&mut Node, &SchemaLocation) -> Result<(), Error>;

/// Applies `pass` to `schema` and to every schema inside it, under any keyword.
///
/// A schema that is `true` becomes an empty schema. `false` becomes a schema that accepts nothing.
pub(super) fn tree(schema: &mut Value, place: &SchemaLocation, pass: Pass<'_>) -> Result<(), Error> {
    visit(schema, place, &["oneOf", "anyOf", "allOf", "prefixItems"], &["not"], pass)
}

/// Applies `pass` to the schemas that define the type of a value. Schemas under `oneOf`, `anyOf`, `allOf` and `not` are skipped.
pub(super) fn spine(schema: &mut Value, place: &SchemaLocation, pass: Pass<'_>) -> Result<(), Error> {
    visit(schema, place, &[], &[], pass)
}

fn visit(
    schema: &mut Value,
    place: &SchemaLocation,
    lists: &[&str],
    single: &[&str],
    pass: Pass<'_>,
) -> Result<(), Error> {
    match schema {
        Value::Bool(true) => *schema = Value::Object(Map::new()),
        Value::Bool(false) => {
            return Err(place.no_value());
        }
        _ => {}
    }
    let Value::Object(node) = schema else {
        return Err(place.error("its `JsonSchema` is not a schema", "return an object or a boolean"));
    };
    let place = &place.entered(node);
    for keyword in ["properties", "patternProperties"] {
        if let Some(Value::Object(properties)) = node.get_mut(keyword) {
            // Columns are in the order of fields.
            for name in place.ordered(properties) {
                if let Some(property) = properties.get_mut(&name) {
                    visit(property, &place.property(&name), lists, single, pass)?;
                }
            }
        }
    }
    if let Some(items) = node.get_mut("items").filter(|items| !items.is_boolean()) {
        visit(items, &place.items(), lists, single, pass)?;
    }
    if let Some(values) = node.get_mut("additionalProperties").filter(|values| !values.is_boolean()) {
        visit(values, &place.values(), lists, single, pass)?;
    }
    for keyword in lists {
        if let Some(Value::Array(branches)) = node.get_mut(*keyword) {
            for branch in branches {
                visit(branch, place, lists, single, pass)?;
            }
        }
    }
    for keyword in single {
        if let Some(schema) = node.get_mut(*keyword) {
            visit(schema, place, lists, single, pass)?;
        }
    }
    pass(node, place)
}
