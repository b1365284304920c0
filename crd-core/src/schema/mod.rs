//! Structural schemas: the form that the API server and the other crates of this project use.
//!
//! A structural schema is a tree of `properties`, `items` and `additionalProperties` in which every node declares its
//! type. Value validations, such as `minimum` and `anyOf`, belong to the nodes and declare no types. There is no
//! `$ref`, so the tree is finite.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/{structural,convert}.go`.

mod from_json_schema;
mod integers;
mod to_json_schema;
mod visit;
mod words;

pub use from_json_schema::NotStructural;
pub use integers::IntegerType;

use serde_json::{Number, Value};

use crate::OrderedMap;
use crate::crd::{ExternalDocumentation, ValidationRule};

/// The pattern that controller-gen writes for `resource.Quantity`.
pub const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

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
    /// The type of the values. The type can be absent for int-or-string values, and for values that preserve unknown fields.
    pub type_: Option<SchemaType>,
    /// Schemas of properties by name, in the order of the input.
    pub properties: OrderedMap<Structural>,
    /// The schema of the values of a map.
    pub additional_properties: Option<AdditionalProperties>,
    /// The schema of the items of a list.
    pub items: Option<Box<Structural>>,
    /// Annotations, such as description and default.
    pub generic: Generic,
    /// The `x-kubernetes-*` extensions.
    pub extensions: Extensions,
    /// The CEL rules of the values.
    pub validations: Vec<ValidationRule>,
    /// Restrictions of the value.
    pub value_validation: Option<Box<ValueValidation>>,
}

/// `additionalProperties` of a [`Structural`].
#[derive(Clone, Debug, PartialEq)]
pub enum AdditionalProperties {
    /// `true` if further properties are allowed.
    Allowed(bool),
    /// Further properties are allowed, and have this schema.
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
    /// Any other string, which the API server rejects.
    Unknown(Box<str>),
}

impl SchemaType {
    /// Returns the type with this name.
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

    /// Returns the type as a schema contains it, such as `object`.
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

/// Annotations of a value: keywords that are neither types nor validations.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Generic {
    /// The description of the value.
    pub description: Option<String>,
    /// The title of the value.
    pub title: Option<String>,
    /// The default, which the API server fills in if the value is absent.
    pub default: Option<Box<Value>>,
    /// `Some(true)` if `null` is allowed. `Some(false)` is an explicit `false`.
    pub nullable: Option<bool>,
    /// A link to further documentation.
    pub external_docs: Option<Box<ExternalDocumentation>>,
    /// An example of a value.
    pub example: Option<Box<Value>>,
}

/// The `x-kubernetes-*` extensions, without rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extensions {
    /// `true` if unknown fields are preserved.
    pub preserve_unknown_fields: bool,
    /// `Some(true)` for an embedded Kubernetes object. `Some(false)` is an explicit `false`.
    pub embedded_resource: Option<bool>,
    /// `Some(true)` for an integer or a string. `Some(false)` is an explicit `false`.
    pub int_or_string: Option<bool>,
    /// The type of a list: `atomic`, `set` or `map`.
    pub list_type: Option<String>,
    /// The keys of a list of type `map`.
    pub list_map_keys: Option<Vec<String>>,
    /// The type of a map: `atomic` or `granular`.
    pub map_type: Option<String>,
    /// `true` if `x-kubernetes-validations` is an empty list. For a resource's `metadata`, even an empty list is forbidden.
    pub no_validations: bool,
}

/// Restrictions of a value.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ValueValidation {
    /// A format such as `date-time` or `int32`.
    pub format: Option<String>,
    /// The largest accepted number.
    pub maximum: Option<Number>,
    /// `true` if `maximum` itself is rejected.
    pub exclusive_maximum: Option<bool>,
    /// The smallest accepted number.
    pub minimum: Option<Number>,
    /// `true` if `minimum` itself is rejected.
    pub exclusive_minimum: Option<bool>,
    /// Maximum number of characters.
    pub max_length: Option<i64>,
    /// Minimum number of characters.
    pub min_length: Option<i64>,
    /// A regular expression (RE2) that must match somewhere.
    pub pattern: Option<String>,
    /// Maximum number of items.
    pub max_items: Option<i64>,
    /// Minimum number of items.
    pub min_items: Option<i64>,
    /// `true` if all items must be unique.
    pub unique_items: Option<bool>,
    /// The value must be a multiple of this number.
    pub multiple_of: Option<Number>,
    /// The allowed values.
    pub enum_: Option<Vec<Value>>,
    /// Maximum number of properties.
    pub max_properties: Option<i64>,
    /// Minimum number of properties.
    pub min_properties: Option<i64>,
    /// The names of the required properties.
    pub required: Option<Vec<String>>,
    /// The value must match all of these schemas.
    pub all_of: Option<Vec<NestedValidation>>,
    /// The value must match exactly one of these schemas.
    pub one_of: Option<Vec<NestedValidation>>,
    /// The value must match at least one of these schemas.
    pub any_of: Option<Vec<NestedValidation>>,
    /// The value must not match this schema.
    pub not: Option<Box<NestedValidation>>,
}

/// A schema under `allOf`, `anyOf`, `oneOf` or `not`: restrictions of the value, without a type of its own.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NestedValidation {
    /// Restrictions of the value.
    pub value_validation: ValueValidation,
    /// The restrictions of each property.
    pub properties: OrderedMap<NestedValidation>,
    /// Restrictions of further properties.
    pub additional_properties: Option<NestedAdditionalProperties>,
    /// The restrictions of the items of a list.
    pub items: Option<Box<NestedValidation>>,
    /// Keywords that are forbidden here.
    pub forbidden: Option<Box<Forbidden>>,
}

/// `additionalProperties` of a [`NestedValidation`].
#[derive(Clone, Debug, PartialEq)]
pub enum NestedAdditionalProperties {
    /// A boolean.
    Allowed(bool),
    /// A schema.
    Schema(Box<NestedValidation>),
}

/// Keywords that are forbidden under `allOf`, `anyOf`, `oneOf` and `not`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Forbidden {
    /// A type.
    pub type_: Option<SchemaType>,
    /// Description, default and similar keywords.
    pub generic: Generic,
    /// The `x-kubernetes-*` extensions.
    pub extensions: Extensions,
    /// The CEL rules of the values.
    pub validations: Vec<ValidationRule>,
}

impl Structural {
    /// Returns `true` for `x-kubernetes-int-or-string`.
    #[must_use]
    pub fn is_int_or_string(&self) -> bool {
        self.extensions.int_or_string == Some(true)
    }

    /// Returns `true` for an embedded Kubernetes object: `x-kubernetes-embedded-resource`.
    #[must_use]
    pub fn is_embedded_resource(&self) -> bool {
        self.extensions.embedded_resource == Some(true)
    }

    /// Returns `true` if `null` is allowed.
    #[must_use]
    pub fn is_nullable(&self) -> bool {
        self.generic.nullable == Some(true)
    }

    /// Returns `true` if the property `name` is required.
    #[must_use]
    pub fn is_required(&self, name: &str) -> bool {
        let required = self.value_validation.as_ref().and_then(|validation| validation.required.as_ref());
        required.is_some_and(|names| names.iter().any(|required| required == name))
    }
}
