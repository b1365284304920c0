//! The structural form of a schema: what the API server works with, and the only form that the rest of this toolkit
//! works with.
//!
//! A structural schema has a spine of types (`properties`, `items`, `additionalProperties`) in which every node says
//! its type, and value validations hung onto it that say nothing about types. There is no `$ref` in it, so it is a
//! finite tree.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/{structural,convert}.go`.

mod from_json_schema;
mod to_json_schema;
mod visit;

pub use from_json_schema::NotStructural;

use serde_json::{Number, Value};

use crate::OrderedMap;
use crate::crd::{ExternalDocumentation, ValidationRule};

/// A node of a structural schema.
///
/// ```
/// use crd_core::crd::JsonSchemaProps;
/// use crd_core::{Structural, schema::SchemaType};
/// use serde_json::json;
///
/// let schema = JsonSchemaProps::from_value(json!({
///     "type": "object",
///     "properties": {"replicas": {"type": "integer", "minimum": 0}},
/// }))?;
/// let structural = Structural::from_json_schema(&schema)?;
/// assert_eq!(structural.properties.get("replicas").unwrap().type_, Some(SchemaType::Integer));
/// assert_eq!(structural.to_json_schema(), schema);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Structural {
    /// The type, absent for int-or-string and where unknown fields are preserved.
    pub type_: Option<SchemaType>,
    /// Schemas of properties by name, in the order read.
    pub properties: OrderedMap<Structural>,
    /// The schema of the values of a map.
    pub additional_properties: Option<AdditionalProperties>,
    /// The schema of the items of a list.
    pub items: Option<Box<Structural>>,
    /// What is said of the value beside its type and its rules.
    pub generic: Generic,
    /// The `x-kubernetes-*` extensions.
    pub extensions: Extensions,
    /// CEL rules.
    pub validations: Vec<ValidationRule>,
    /// Restrictions of the value.
    pub value_validation: Option<Box<ValueValidation>>,
}

/// `additionalProperties` of a [`Structural`].
#[derive(Clone, Debug, PartialEq)]
pub enum AdditionalProperties {
    /// Whether there may be more properties.
    Allowed(bool),
    /// The schema of further properties.
    Schema(Box<Structural>),
}

/// A type of JSON Schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SchemaType {
    /// `array`
    Array,
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `object`
    Object,
    /// `string`
    String,
    /// What else was written, which the API server refuses.
    Unknown(Box<str>),
}

impl SchemaType {
    /// The type of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "array" => Self::Array,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "object" => Self::Object,
            "string" => Self::String,
            other => Self::Unknown(other.into()),
        }
    }

    /// The name on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
            Self::Unknown(name) => name,
        }
    }
}

/// What a schema says of a value beside its type and its rules.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Generic {
    /// What the value means.
    pub description: Option<String>,
    /// A short name.
    pub title: Option<String>,
    /// What the API server puts where the value is absent.
    pub default: Option<Box<Value>>,
    /// Whether `null` is a value; `Some(false)` was written out.
    pub nullable: Option<bool>,
    /// Where more is written.
    pub external_docs: Option<Box<ExternalDocumentation>>,
    /// An example.
    pub example: Option<Box<Value>>,
}

/// The `x-kubernetes-*` extensions; rules stand beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extensions {
    /// Whether fields that no schema names are kept.
    pub preserve_unknown_fields: bool,
    /// Whether the value is a Kubernetes object of its own; `Some(false)` was written out.
    pub embedded_resource: Option<bool>,
    /// Whether the value is an integer or a string; `Some(false)` was written out.
    pub int_or_string: Option<bool>,
    /// `atomic`, `set` or `map`.
    pub list_type: Option<String>,
    /// The keys of a list of type `map`.
    pub list_map_keys: Option<Vec<String>>,
    /// `atomic` or `granular`.
    pub map_type: Option<String>,
}

/// Restrictions of a value.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ValueValidation {
    /// A format such as `date-time` or `int32`.
    pub format: Option<String>,
    /// The largest number.
    pub maximum: Option<Number>,
    /// Whether `maximum` itself is refused.
    pub exclusive_maximum: Option<bool>,
    /// The smallest number.
    pub minimum: Option<Number>,
    /// Whether `minimum` itself is refused.
    pub exclusive_minimum: Option<bool>,
    /// The most characters.
    pub max_length: Option<i64>,
    /// The least characters.
    pub min_length: Option<i64>,
    /// A regular expression (RE2) that has to match somewhere.
    pub pattern: Option<String>,
    /// The most items.
    pub max_items: Option<i64>,
    /// The least items.
    pub min_items: Option<i64>,
    /// Whether items have to differ.
    pub unique_items: Option<bool>,
    /// The number of which the value has to be a multiple.
    pub multiple_of: Option<Number>,
    /// The only values.
    pub enum_: Option<Vec<Value>>,
    /// The most properties.
    pub max_properties: Option<i64>,
    /// The least properties.
    pub min_properties: Option<i64>,
    /// Properties that have to be there.
    pub required: Option<Vec<String>>,
    /// All have to hold.
    pub all_of: Option<Vec<NestedValidation>>,
    /// Exactly one has to hold.
    pub one_of: Option<Vec<NestedValidation>>,
    /// At least one has to hold.
    pub any_of: Option<Vec<NestedValidation>>,
    /// Must not hold.
    pub not: Option<Box<NestedValidation>>,
}

/// A schema under `allOf`, `anyOf`, `oneOf` or `not`: restrictions of the value, without a type of its own.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NestedValidation {
    /// Restrictions of the value.
    pub value_validation: ValueValidation,
    /// Restrictions of properties.
    pub properties: OrderedMap<NestedValidation>,
    /// Restrictions of further properties.
    pub additional_properties: Option<NestedAdditionalProperties>,
    /// Restrictions of items.
    pub items: Option<Box<NestedValidation>>,
    /// What was written and must not be in this place.
    pub forbidden: Option<Box<Forbidden>>,
}

/// `additionalProperties` of a [`NestedValidation`].
#[derive(Clone, Debug, PartialEq)]
pub enum NestedAdditionalProperties {
    /// A truth value.
    Allowed(bool),
    /// A schema.
    Schema(Box<NestedValidation>),
}

/// What a schema under `allOf`, `anyOf`, `oneOf` or `not` must not say.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Forbidden {
    /// A type.
    pub type_: Option<SchemaType>,
    /// Description, default and so on.
    pub generic: Generic,
    /// The `x-kubernetes-*` extensions.
    pub extensions: Extensions,
    /// CEL rules.
    pub validations: Vec<ValidationRule>,
}

impl Structural {
    /// Whether the value is an integer or a string.
    #[must_use]
    pub fn is_int_or_string(&self) -> bool {
        self.extensions.int_or_string == Some(true)
    }

    /// Whether the value is a Kubernetes object of its own.
    #[must_use]
    pub fn is_embedded_resource(&self) -> bool {
        self.extensions.embedded_resource == Some(true)
    }

    /// Whether `null` is a value.
    #[must_use]
    pub fn is_nullable(&self) -> bool {
        self.generic.nullable == Some(true)
    }

    /// Whether the property `name` has to be there.
    #[must_use]
    pub fn is_required(&self, name: &str) -> bool {
        let required = self.value_validation.as_ref().and_then(|validation| validation.required.as_ref());
        required.is_some_and(|names| names.iter().any(|required| required == name))
    }
}
