//! `JSONSchemaProps`: a schema for objects and the values in them, with all keywords of the API.

use serde_json::{Number, Value};

use super::wire::{Decoder, Wire, wire};
use crate::OrderedMap;
use crate::tree::{Tree, TreeVisitor, Visit};

wire! {
    /// `JSONSchemaProps`: a JSON schema as in the Kubernetes API, with the `x-kubernetes-*` extensions.
    pub struct JsonSchemaProps as "JSONSchemaProps" {
        /// `id`, which a CRD must not use.
        id: String = "id",
        /// `$schema`, which a CRD must not use.
        schema: String = "$schema" as "v1.JSONSchemaURL",
        /// `$ref`, which a CRD must not use.
        reference: Option<String> = "$ref",
        /// The description of the value, which `kubectl explain` shows.
        description: Option<String> = "description",
        /// `array`, `boolean`, `integer`, `number`, `object` or `string`.
        type_: Option<String> = "type",
        /// A format such as `date-time` or `int32`.
        format: Option<String> = "format",
        /// The title of the value.
        title: Option<String> = "title",
        /// The default, which the API server fills in if the value is absent.
        default: Option<Box<Value>> = "default",
        /// The largest accepted number.
        maximum: Option<Number> = "maximum",
        /// `true` if `maximum` itself is rejected.
        exclusive_maximum: Option<bool> = "exclusiveMaximum",
        /// The smallest accepted number.
        minimum: Option<Number> = "minimum",
        /// `true` if `minimum` itself is rejected.
        exclusive_minimum: Option<bool> = "exclusiveMinimum",
        /// Maximum number of characters of a string.
        max_length: Option<i64> = "maxLength",
        /// Minimum number of characters of a string.
        min_length: Option<i64> = "minLength",
        /// A regular expression (RE2) that must match somewhere in a string.
        pattern: Option<String> = "pattern",
        /// Maximum number of items of a list.
        max_items: Option<i64> = "maxItems",
        /// Minimum number of items of a list.
        min_items: Option<i64> = "minItems",
        /// `true` if all items must be unique, which a CRD must not require.
        unique_items: Option<bool> = "uniqueItems",
        /// The value must be a multiple of this number.
        multiple_of: Option<Number> = "multipleOf",
        /// The allowed values.
        enum_: Option<Vec<Value>> = "enum",
        /// Maximum number of properties of an object.
        max_properties: Option<i64> = "maxProperties",
        /// Minimum number of properties of an object.
        min_properties: Option<i64> = "minProperties",
        /// The names of the required properties.
        required: Option<Vec<String>> = "required",
        /// The schema of items.
        items: Option<Items> = "items",
        /// Schemas; the value must match all of them.
        all_of: Option<Vec<JsonSchemaProps>> = "allOf",
        /// Schemas; the value must match exactly one of them.
        one_of: Option<Vec<JsonSchemaProps>> = "oneOf",
        /// Schemas; the value must match at least one of them.
        any_of: Option<Vec<JsonSchemaProps>> = "anyOf",
        /// A schema that the value must not match.
        not: Option<Box<JsonSchemaProps>> = "not",
        /// Schemas of properties by name.
        properties: Option<OrderedMap<JsonSchemaProps>> = "properties",
        /// The schema of properties that are not in `properties`.
        additional_properties: Option<JsonSchemaPropsOrBool> = "additionalProperties",
        /// Schemas of properties by pattern, which a CRD must not use.
        pattern_properties: Option<OrderedMap<JsonSchemaProps>> = "patternProperties",
        /// Dependencies between properties, which a CRD must not use.
        dependencies: Option<OrderedMap<Dependency>> = "dependencies" as "v1.JSONSchemaDependencies",
        /// The schema of further items, which a CRD must not use.
        additional_items: Option<JsonSchemaPropsOrBool> = "additionalItems",
        /// Schemas by name, which a CRD must not use.
        definitions: Option<OrderedMap<JsonSchemaProps>> = "definitions" as "v1.JSONSchemaDefinitions",
        /// A link to further documentation.
        external_docs: Option<Box<ExternalDocumentation>> = "externalDocs",
        /// An example of a value.
        example: Option<Box<Value>> = "example",
        /// `true` if `null` is allowed.
        nullable: Option<bool> = "nullable",
        /// `true` if unknown fields are preserved.
        x_preserve_unknown_fields: Option<bool> = "x-kubernetes-preserve-unknown-fields",
        /// `true` for an embedded Kubernetes object.
        x_embedded_resource: Option<bool> = "x-kubernetes-embedded-resource",
        /// `true` for an integer or a string.
        x_int_or_string: Option<bool> = "x-kubernetes-int-or-string",
        /// The keys of a list of type `map`.
        x_list_map_keys: Option<Vec<String>> = "x-kubernetes-list-map-keys",
        /// The type of a list: `atomic`, `set` or `map`.
        x_list_type: Option<String> = "x-kubernetes-list-type",
        /// The type of a map: `atomic` or `granular`.
        x_map_type: Option<String> = "x-kubernetes-map-type",
        /// The CEL rules of the values.
        x_validations: Option<Vec<ValidationRule>> = "x-kubernetes-validations" as "v1.ValidationRules",
    }
}

impl JsonSchemaProps {
    /// Maximum depth of nested schemas. Public CRDs stay far below it.
    pub const MAX_DEPTH: usize = 100;

    /// Maximum number of schemas in a CRD. The largest public CRDs have a seventh of this number. In a request to the API server, more
    /// schemas fit only if they are almost empty.
    pub const MAX_SCHEMAS: usize = 150_000;

    /// Reads a schema from JSON in the same way as [`CustomResourceDefinition::from_value`].
    ///
    /// # Errors
    /// A value has a wrong type, schemas are nested too deeply, or there are too many schemas.
    ///
    /// [`CustomResourceDefinition::from_value`]: super::CustomResourceDefinition::from_value
    pub fn from_value(value: Value) -> Result<Self, super::DecodeError> {
        let mut decoder = Decoder::default();
        let schema = Self::decode(value, &mut decoder);
        decoder.finish()?;
        Ok(schema)
    }

    /// Returns the JSON form, without absent fields. Keys have the order of `serde_json`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Tree::from(self).into_value()
    }
}

impl<'a> From<&'a JsonSchemaProps> for Tree<'a> {
    fn from(schema: &'a JsonSchemaProps) -> Self {
        Self::from_visit(schema)
    }
}

impl serde::Serialize for JsonSchemaProps {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Tree::from(self).serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for JsonSchemaProps {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

wire! {
    /// A CEL rule: one of `x-kubernetes-validations`.
    pub struct ValidationRule as "ValidationRule" {
        /// The CEL expression that must be true.
        rule: String = "rule",
        /// The message for a violation of the rule.
        message: String = "message",
        /// A CEL expression for the message.
        message_expression: String = "messageExpression",
        /// The `reason` in the error for a violation. The default is `FieldValueInvalid`.
        reason: Option<String> = "reason" as "v1.FieldValueErrorReason",
        /// The path of the field for the error message, relative to the value to which the rule applies.
        field_path: String = "fieldPath",
        /// `true` if `oldSelf` is optional, so that the rule also runs on creation.
        optional_old_self: Option<bool> = "optionalOldSelf",
    }
}

wire! {
    /// `externalDocs`.
    pub struct ExternalDocumentation as "ExternalDocumentation" {
        /// A description of the external documentation.
        description: String = "description",
        /// The URL of the documentation.
        url: String = "url",
    }
}

/// `items`: one schema, or a list of schemas. A CRD must not use a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Items {
    /// The schema of all items.
    Schema(Box<JsonSchemaProps>),
    /// A list of schemas, one for each position.
    Schemas(Vec<JsonSchemaProps>),
    /// A value that is neither an object nor a list, which the API server reads as empty `items`.
    Neither(Box<Value>),
}

/// `additionalProperties` and `additionalItems`: a boolean or a schema.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonSchemaPropsOrBool {
    /// `true` if further properties or items are allowed.
    Allowed(bool),
    /// Further properties or items are allowed, and have this schema.
    Schema(Box<JsonSchemaProps>),
}

/// One of `dependencies`: a schema or property names.
#[derive(Clone, Debug, PartialEq)]
pub enum Dependency {
    /// The schema that an object with the property must match.
    Schema(Box<JsonSchemaProps>),
    /// The properties that an object with the property must have, too.
    Properties(Vec<String>),
}

impl Wire for Items {
    fn go_type() -> String {
        "v1.JSONSchemaPropsOrArray".to_owned()
    }

    fn absent() -> Self {
        Self::Neither(Box::default())
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        *self = match value {
            Value::Object(_) => Self::Schema(decoder.own_reader(|decoder| Wire::decode(value, decoder))),
            Value::Array(_) => Self::Schemas(decoder.own_reader(|decoder| Wire::decode(value, decoder))),
            other => Self::Neither(Box::new(other)),
        };
    }
}

impl Wire for JsonSchemaPropsOrBool {
    fn go_type() -> String {
        "v1.JSONSchemaPropsOrBool".to_owned()
    }

    fn absent() -> Self {
        Self::Allowed(false)
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        *self = match value {
            Value::Bool(allowed) => Self::Allowed(allowed),
            Value::Object(_) => Self::Schema(decoder.own_reader(|decoder| Wire::decode(value, decoder))),
            _ => {
                decoder.abort("boolean or JSON schema expected");
                Self::Allowed(false)
            }
        };
    }
}

impl Wire for Dependency {
    fn go_type() -> String {
        "v1.JSONSchemaPropsOrStringArray".to_owned()
    }

    fn absent() -> Self {
        Self::Properties(Vec::new())
    }

    fn read(&mut self, value: Value, decoder: &mut Decoder) {
        *self = match value {
            Value::Array(_) => Self::Properties(decoder.own_reader(|decoder| Wire::decode(value, decoder))),
            Value::Object(_) => Self::Schema(decoder.own_reader(|decoder| Wire::decode(value, decoder))),
            // The API server ignores any other value.
            _ => Self::absent(),
        };
    }
}

impl Visit for Items {
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
        match self {
            Self::Schema(schema) => schema.visit(visitor),
            Self::Schemas(schemas) => schemas.visit(visitor),
            Self::Neither(value) => value.visit(visitor),
        }
    }
}

impl Visit for JsonSchemaPropsOrBool {
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
        match self {
            Self::Allowed(allowed) => allowed.visit(visitor),
            Self::Schema(schema) => schema.visit(visitor),
        }
    }
}

impl Visit for Dependency {
    fn visit<'a>(&'a self, visitor: &mut dyn TreeVisitor<'a>) {
        match self {
            Self::Schema(schema) => schema.visit(visitor),
            Self::Properties(names) => names.visit(visitor),
        }
    }
}
