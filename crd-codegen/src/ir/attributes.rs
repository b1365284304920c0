//! Parts of a schema that the Rust types do not express, for the attributes of the form `derive`. Only `lower` creates
//! these attributes; the forms `types` and `kube` have none.

use serde_json::{Number, Value};

/// The parts of a field's schema that the schema of its type does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct FieldAttributes {
    pub(crate) description: Option<Box<str>>,
    pub(crate) schema: Vec<SchemaAttribute>,
    /// A merge patch for the parts of the schema that no attribute expresses.
    pub(crate) patch: Option<Value>,
}

/// The parts of the schema of a struct or an enum outside its fields or values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TypeAttributes {
    pub(crate) description: Description,
    pub(crate) rules: Vec<Rule>,
    /// A merge patch for all parts of the schema except the rules.
    pub(crate) patch: Option<Value>,
}

/// The description of a type. If a field of the type has a description, the field uses its own description instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Description {
    /// Any description: every place of the type is a field that has its own description.
    #[default]
    Any,
    /// Exactly this description, or none: the type is also in a place that is not a field.
    Exactly(Option<Box<str>>),
}

impl Description {
    /// Returns a description that fits both types; `None` if the descriptions differ.
    pub(crate) fn both<'a>(&'a self, other: &'a Self) -> Option<&'a Self> {
        match (self, other) {
            (Self::Any, description) | (description, Self::Any) => Some(description),
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// The parts of the whole object's schema outside its properties.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectAttributes {
    pub(crate) spec: SpecForm,
    pub(crate) description: Option<Box<str>>,
    pub(crate) rules: Vec<Rule>,
    /// The restrictions of an object's name: its pattern and its length.
    pub(crate) name: Option<ObjectName>,
    pub(crate) spec_default: Option<Value>,
    pub(crate) status_default: Option<Value>,
    /// A merge patch for the other parts of the object's schema.
    pub(crate) patch: Option<Value>,
}

/// The restrictions of `metadata.name`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectName {
    pub(crate) pattern: Option<Box<str>>,
    pub(crate) length: Bounds,
}

/// The type that has the derive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpecForm {
    /// The type of `spec`.
    #[default]
    Spec,
    /// The type of `spec`, which objects may omit.
    OptionalSpec,
    /// A type with all properties except `status`.
    Fields,
}

/// A part of a field's schema that an attribute expresses.
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
    /// Range, length and pattern of the items of a list.
    Inner(Vec<SchemaAttribute>),
    /// The format; empty if the schema has none although the Rust type implies one.
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

/// A CEL rule, as the attributes of the form `derive` express it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    pub(crate) rule: Box<str>,
    pub(crate) message: Option<Box<str>>,
    pub(crate) message_expression: Option<Box<str>>,
    pub(crate) reason: Option<Box<str>>,
    pub(crate) field_path: Option<Box<str>>,
    pub(crate) optional_old_self: Option<bool>,
}
