//! Attributes for the parts of a schema that Rust types alone cannot express. Only the form `derive` uses these attributes. The
//! forms `types` and `kube` have no such attributes.

use serde_json::{Number, Value};

/// Attributes for the parts of a field's schema that the schema of the field's type does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct FieldAttributes {
    pub(crate) description: Option<Box<str>>,
    pub(crate) schema: Vec<SchemaAttribute>,
    /// A merge patch for parts of the schema that no attribute can express.
    pub(crate) patch: Option<Value>,
}

/// Attributes for the schema of a struct or an enum, except for its fields or values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TypeAttributes {
    pub(crate) description: Description,
    pub(crate) rules: Vec<Rule>,
    /// A merge patch for parts of the schema other than rules.
    pub(crate) patch: Option<Value>,
}

/// The description of a type. If a field of the type has a description, the field uses its own description instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Description {
    /// Any description: the type is only used by fields that have their own description.
    #[default]
    Any,
    /// Exactly this description, or no description. For example, the type is also used in a list or map, and has no separate description
    /// there.
    Exactly(Option<Box<str>>),
}

impl Description {
    /// Returns a description for a type that replaces two equal types; `None` if the descriptions differ.
    pub(crate) fn both<'a>(&'a self, other: &'a Self) -> Option<&'a Self> {
        match (self, other) {
            (Self::Any, description) | (description, Self::Any) => Some(description),
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// Attributes for the object's schema, except for its properties.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectAttributes {
    pub(crate) spec: SpecForm,
    pub(crate) description: Option<Box<str>>,
    pub(crate) rules: Vec<Rule>,
    /// The pattern and the length of object names.
    pub(crate) name: Option<ObjectName>,
    pub(crate) spec_default: Option<Value>,
    pub(crate) status_default: Option<Value>,
    /// A merge patch for other parts of the schema.
    pub(crate) patch: Option<Value>,
}

/// The constraints on `metadata.name`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectName {
    pub(crate) pattern: Option<Box<str>>,
    pub(crate) length: Bounds,
}

/// The type with the derive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpecForm {
    /// The type of `spec`.
    #[default]
    Spec,
    /// The type of an optional `spec`.
    OptionalSpec,
    /// A type with all properties except `status`.
    Fields,
}

/// An attribute for a part of a field's schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SchemaAttribute {
    /// The field is required, regardless of the Rust type.
    Required,
    /// The field is not a property of the schema.
    Skipped,
    Title(Box<str>),
    Default(Value),
    Range(Bounds),
    /// The length of a string or of a list.
    Length(Bounds),
    Pattern(Box<str>),
    /// The range, length and pattern for the items of a list.
    Inner(Vec<SchemaAttribute>),
    /// The format. The string is empty if the Rust type implies a format, but the schema has none.
    Format(Box<str>),
    ListType(Box<str>),
    ListMapKeys(Vec<Box<str>>),
    MapType(Box<str>),
    Nullable,
    PreserveUnknownFields,
    Rule(Rule),
}

/// The minimum and the maximum, both inclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bounds {
    pub(crate) min: Option<Number>,
    pub(crate) max: Option<Number>,
}

/// A CEL rule that an attribute can express.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    pub(crate) rule: Box<str>,
    pub(crate) message: Option<Box<str>>,
    pub(crate) message_expression: Option<Box<str>>,
    pub(crate) reason: Option<Box<str>>,
    pub(crate) field_path: Option<Box<str>>,
    pub(crate) optional_old_self: Option<bool>,
}
