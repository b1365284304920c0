//! `JSONSchemaProps`: the schema of an object or of a part of it, with every keyword that the API has.

use serde_json::{Map, Number, Value};

use super::wire::{Decoder, Wire, wire};
use crate::OrderedMap;

wire! {
    /// `JSONSchemaProps`: a JSON schema as the API server takes it, with the `x-kubernetes-*` extensions.
    pub struct JsonSchemaProps as "JSONSchemaProps" {
        /// `id`, which a CRD may not use.
        id: String = "id",
        /// `$schema`, which a CRD may not use.
        schema: String = "$schema" as "v1.JSONSchemaURL",
        /// `$ref`, which a CRD may not use.
        reference: Option<String> = "$ref",
        /// What the value means; shown by `kubectl explain`.
        description: Option<String> = "description",
        /// `array`, `boolean`, `integer`, `number`, `object` or `string`.
        type_: Option<String> = "type",
        /// A format such as `date-time` or `int32`.
        format: Option<String> = "format",
        /// A short name.
        title: Option<String> = "title",
        /// What the API server puts where the value is absent.
        default: Option<Box<Value>> = "default",
        /// The largest number.
        maximum: Option<Number> = "maximum",
        /// Whether `maximum` itself is refused.
        exclusive_maximum: Option<bool> = "exclusiveMaximum",
        /// The smallest number.
        minimum: Option<Number> = "minimum",
        /// Whether `minimum` itself is refused.
        exclusive_minimum: Option<bool> = "exclusiveMinimum",
        /// The most characters of a string.
        max_length: Option<i64> = "maxLength",
        /// The least characters of a string.
        min_length: Option<i64> = "minLength",
        /// A regular expression (RE2) that has to match somewhere in a string.
        pattern: Option<String> = "pattern",
        /// The most items of a list.
        max_items: Option<i64> = "maxItems",
        /// The least items of a list.
        min_items: Option<i64> = "minItems",
        /// Whether items have to differ; a CRD may not set it.
        unique_items: Option<bool> = "uniqueItems",
        /// The number of which the value has to be a multiple.
        multiple_of: Option<Number> = "multipleOf",
        /// The only values.
        enum_: Option<Vec<Value>> = "enum",
        /// The most properties of an object.
        max_properties: Option<i64> = "maxProperties",
        /// The least properties of an object.
        min_properties: Option<i64> = "minProperties",
        /// Properties that have to be there.
        required: Option<Vec<String>> = "required",
        /// The schema of items.
        items: Option<Items> = "items",
        /// Schemas all of which have to hold.
        all_of: Option<Vec<JsonSchemaProps>> = "allOf",
        /// Schemas exactly one of which has to hold.
        one_of: Option<Vec<JsonSchemaProps>> = "oneOf",
        /// Schemas at least one of which has to hold.
        any_of: Option<Vec<JsonSchemaProps>> = "anyOf",
        /// A schema that must not hold.
        not: Option<Box<JsonSchemaProps>> = "not",
        /// Schemas of properties by name.
        properties: Option<OrderedMap<JsonSchemaProps>> = "properties",
        /// The schema of properties without a name of their own.
        additional_properties: Option<AdditionalProperties> = "additionalProperties",
        /// Schemas of properties by pattern, which a CRD may not use.
        pattern_properties: Option<OrderedMap<JsonSchemaProps>> = "patternProperties",
        /// Dependencies between properties, which a CRD may not use.
        dependencies: Option<OrderedMap<Dependency>> = "dependencies" as "v1.JSONSchemaDependencies",
        /// The schema of further items, which a CRD may not use.
        additional_items: Option<AdditionalProperties> = "additionalItems",
        /// Schemas by name, which a CRD may not use.
        definitions: Option<OrderedMap<JsonSchemaProps>> = "definitions" as "v1.JSONSchemaDefinitions",
        /// Where more is written.
        external_docs: Option<Box<ExternalDocumentation>> = "externalDocs",
        /// An example.
        example: Option<Box<Value>> = "example",
        /// Whether `null` is a value.
        nullable: Option<bool> = "nullable",
        /// Whether fields that no schema names are kept.
        x_preserve_unknown_fields: Option<bool> = "x-kubernetes-preserve-unknown-fields",
        /// Whether the value is a Kubernetes object of its own.
        x_embedded_resource: Option<bool> = "x-kubernetes-embedded-resource",
        /// Whether the value is an integer or a string.
        x_int_or_string: Option<bool> = "x-kubernetes-int-or-string",
        /// The keys of a list of type `map`.
        x_list_map_keys: Option<Vec<String>> = "x-kubernetes-list-map-keys",
        /// `atomic`, `set` or `map`.
        x_list_type: Option<String> = "x-kubernetes-list-type",
        /// `atomic` or `granular`.
        x_map_type: Option<String> = "x-kubernetes-map-type",
        /// CEL rules.
        x_validations: Option<Vec<ValidationRule>> = "x-kubernetes-validations" as "v1.ValidationRules",
    }
}

impl JsonSchemaProps {
    /// How deep schemas may be nested in each other; no real CRD comes near it.
    pub const MAX_DEPTH: usize = 100;

    /// How many schemas a definition may hold. The largest of real CRDs hold a seventh of it, and a request to the API
    /// server has room for more only if next to nothing stands in each.
    pub const MAX_SCHEMAS: usize = 150_000;

    /// Reads a schema from its JSON form, under the rules of [`CustomResourceDefinition::from_value`].
    ///
    /// # Errors
    /// A value has not the type that the API gives it, schemas are nested too deep, or there are too many.
    ///
    /// [`CustomResourceDefinition::from_value`]: super::CustomResourceDefinition::from_value
    pub fn from_value(value: Value) -> Result<Self, super::DecodeError> {
        let mut decoder = Decoder::default();
        let schema = Self::decode(value, &mut decoder);
        decoder.finish()?;
        Ok(schema)
    }

    /// The JSON form; what is absent is left out.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.encode().unwrap_or_default()
    }
}

impl serde::Serialize for JsonSchemaProps {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for JsonSchemaProps {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

wire! {
    /// One of `x-kubernetes-validations`.
    pub struct ValidationRule as "ValidationRule" {
        /// The CEL expression that has to be true.
        rule: String = "rule",
        /// What is said when it is not.
        message: String = "message",
        /// A CEL expression that makes that text.
        message_expression: String = "messageExpression",
        /// The cause's reason, `FieldValueInvalid` where absent.
        reason: Option<String> = "reason" as "v1.FieldValueErrorReason",
        /// The field to which the cause is put, relative to the rule's place.
        field_path: String = "fieldPath",
        /// Whether the rule runs on create too, with `oldSelf` optional.
        optional_old_self: Option<bool> = "optionalOldSelf",
    }
}

wire! {
    /// `externalDocs`.
    pub struct ExternalDocumentation as "ExternalDocumentation" {
        /// What is written there.
        description: String = "description",
        /// Where.
        url: String = "url",
    }
}

/// `items`: one schema, or a list of them, which a CRD may not use.
#[derive(Clone, Debug, PartialEq)]
pub enum Items {
    /// The schema of all items.
    Schema(Box<JsonSchemaProps>),
    /// Schemas by position.
    Schemas(Vec<JsonSchemaProps>),
    /// Neither an object nor a list was written, which the API server takes for an empty `items`.
    Neither(Box<Value>),
}

/// `additionalProperties` and `additionalItems`: yes, no, or a schema.
#[derive(Clone, Debug, PartialEq)]
pub enum AdditionalProperties {
    /// Whether there may be more.
    Allowed(bool),
    /// The schema of what else there may be.
    Schema(Box<JsonSchemaProps>),
}

/// One of `dependencies`: a schema or property names.
#[derive(Clone, Debug, PartialEq)]
pub enum Dependency {
    /// The schema that has to hold.
    Schema(Box<JsonSchemaProps>),
    /// The properties that have to be there.
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

    fn encode(&self) -> Option<Value> {
        match self {
            Self::Schema(schema) => schema.encode(),
            Self::Schemas(schemas) => schemas.encode(),
            Self::Neither(value) => value.encode(),
        }
    }
}

impl Wire for AdditionalProperties {
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

    fn encode(&self) -> Option<Value> {
        match self {
            Self::Allowed(allowed) => Some(Value::Bool(*allowed)),
            Self::Schema(schema) => schema.encode(),
        }
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
            // The API server takes anything else for nothing.
            _ => Self::absent(),
        };
    }

    fn encode(&self) -> Option<Value> {
        match self {
            Self::Schema(schema) => schema.encode(),
            Self::Properties(names) => names.encode(),
        }
    }
}
