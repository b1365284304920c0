//! What a schema says beyond the Rust type of its values: what the form `derive` has to say in attributes. Only
//! `lower` makes it; in the other form there is none.

use serde_json::{Number, Value};

/// What the schema of a field says beyond the schema that the field's type gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct FieldSaid {
    pub(crate) description: Option<Box<str>>,
    pub(crate) words: Vec<Word>,
    /// A merge patch for what no word says.
    pub(crate) patch: Option<Value>,
}

/// What the schema of a struct or an enum says beyond its fields or values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TypeSaid {
    pub(crate) description: Description,
    pub(crate) rules: Vec<Rule>,
    /// A merge patch for what no rule says.
    pub(crate) patch: Option<Value>,
}

/// The description of a type, which a field of the type replaces with its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Description {
    /// Every place is a field with a description.
    #[default]
    Any,
    /// Some place has this one or none, and no field to say it.
    Exactly(Option<Box<str>>),
}

impl Description {
    /// The description that serves both, if there is one.
    pub(crate) fn both<'a>(&'a self, other: &'a Self) -> Option<&'a Self> {
        match (self, other) {
            (Self::Any, description) | (description, Self::Any) => Some(description),
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// What the schema of the whole object says beyond its properties.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectSaid {
    pub(crate) spec: SpecForm,
    pub(crate) description: Option<Box<str>>,
    pub(crate) rules: Vec<Rule>,
    /// Pattern and length of names.
    pub(crate) name: Option<ObjectName>,
    pub(crate) spec_default: Option<Value>,
    pub(crate) status_default: Option<Value>,
    /// A merge patch for what nothing else says.
    pub(crate) patch: Option<Value>,
}

/// What `metadata.name` has to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectName {
    pub(crate) pattern: Option<Box<str>>,
    pub(crate) length: Bounds,
}

/// What the derive stands on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpecForm {
    /// The type of `spec`.
    #[default]
    Spec,
    /// The type of `spec`, which objects may leave out.
    OptionalSpec,
    /// A type of all properties but `status`.
    Fields,
}

/// Something that an attribute says of a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Word {
    /// Required, whatever the Rust type says.
    Required,
    /// No property at all.
    Skipped,
    Title(Box<str>),
    Default(Value),
    Range(Bounds),
    /// Of a string or a list.
    Length(Bounds),
    Pattern(Box<str>),
    /// Of the items of a list; none but the three above.
    Inner(Vec<Word>),
    /// Empty for none.
    Format(Box<str>),
    ListType(Box<str>),
    ListMapKeys(Vec<Box<str>>),
    MapType(Box<str>),
    Nullable,
    PreserveUnknownFields,
    Rule(Rule),
}

/// The least and the most, both included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bounds {
    pub(crate) min: Option<Number>,
    pub(crate) max: Option<Number>,
}

/// A CEL rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    pub(crate) rule: Box<str>,
    pub(crate) message: Option<Box<str>>,
    pub(crate) message_expression: Option<Box<str>>,
    pub(crate) reason: Option<Box<str>>,
    pub(crate) field_path: Option<Box<str>>,
    pub(crate) optional_old_self: Option<bool>,
}
