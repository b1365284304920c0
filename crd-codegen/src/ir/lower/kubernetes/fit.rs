//! Checks that a k8s-openapi type accepts and preserves every value that a schema allows.

use crd_core::schema::{AdditionalProperties, SchemaType};
use crd_core::{Keyword, Structural};
use serde_json::{Value, json};

use crate::ir::Type;
use crate::ir::kubernetes::{KubernetesField, Shape, TABLE};
use crate::ir::lower::keywords::{format, string, takes_any_property};

/// Settings for comparing a schema with k8s-openapi types.
pub(super) struct Fit {
    /// `true` if every value must be serialized exactly as it was deserialized.
    pub(super) is_exact: bool,
    /// `true` if the type must also be able to represent incomplete objects, for apply configurations.
    pub(super) is_applied: bool,
    /// `true` if `null` and absent are distinguished wherever the schema allows both `null` and an absent field.
    pub(super) has_null: bool,
}

/// The reason why a type does not preserve every value that a schema allows.
#[derive(Debug)]
pub(super) struct Misfit {
    /// The path below the schema, such as `spec.rules[].name`.
    pub(super) path: String,
    pub(super) what: String,
    /// The keyword that differs.
    pub(super) keyword: Keyword,
}

impl Misfit {
    fn new(keyword: Keyword, what: impl Into<String>) -> Self {
        Self { path: String::new(), what: what.into(), keyword }
    }

    fn below(mut self, step: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with(['[', '{']) { "" } else { "." };
        self.path = format!("{step}{dot}{}", self.path);
        self
    }
}

impl Fit {
    /// Checks that a struct preserves every value that the schema allows.
    pub(super) fn struct_(&self, schema: &Structural, at: u16) -> Result<(), Misfit> {
        closed(schema)?;
        let struct_ = TABLE.get(at);
        for (name, property) in schema.properties.iter() {
            let field = struct_.field(name).ok_or_else(|| {
                Misfit::new(
                    Keyword::Properties,
                    format!("has the property `{name}`, which the type does not have"),
                )
            })?;
            self.field(schema, property, field).map_err(|misfit| misfit.below(name))?;
        }
        let missing = struct_
            .fields
            .iter()
            .find(|field| field.is_written && !schema.properties.contains(field.property));
        match missing {
            Some(field) => Err(Misfit::new(
                Keyword::Required,
                format!("has no `{}`, which the type always writes", field.property),
            )),
            None => Ok(()),
        }
    }

    fn field(&self, parent: &Structural, schema: &Structural, field: &KubernetesField) -> Result<(), Misfit> {
        let default = schema.generic.default.as_deref().filter(|default| !default.is_null());
        if schema.is_nullable() && (field.is_written || default.is_some() || self.has_null) {
            return Err(Misfit::new(
                Keyword::Nullable,
                "can be `null`, which the type cannot distinguish from an absent field",
            ));
        }
        if field.is_written {
            // The API server fills in defaults before anything is asked, and may put the very value that the type writes.
            let is_there = parent.is_required(field.property) && default.is_none();
            if !is_there && default != Some(&absent(&field.shape)) {
                return Err(Misfit::new(Keyword::Required, "may be absent, but the type always writes it"));
            }
            if self.is_applied {
                return Err(Misfit::new(
                    Keyword::Required,
                    "is always written by the type, but an apply configuration must omit fields that are not set",
                ));
            }
        }
        self.value(schema, &field.shape)
    }

    /// Checks that a type preserves every value that the schema allows. `null` is not considered.
    fn value(&self, schema: &Structural, shape: &Shape) -> Result<(), Misfit> {
        let is = |type_: SchemaType| schema.type_ == Some(type_) && !schema.is_int_or_string();
        match shape {
            Shape::Json => Ok(()),
            Shape::Boolean if is(SchemaType::Boolean) => Ok(()),
            Shape::I64 if is(SchemaType::Integer) => Ok(()),
            Shape::I32 if is(SchemaType::Integer) && is_i32(schema) => Ok(()),
            Shape::I32 if is(SchemaType::Integer) => {
                Err(Misfit::new(Keyword::Format, "accepts integers of more than 32 bits"))
            }
            Shape::F64 if is(SchemaType::Number) => {
                self.equivalent(Keyword::Type, "is a number, which the type writes with a fraction")
            }
            Shape::String | Shape::Quantity | Shape::IntOrString if is(SchemaType::String) => Ok(()),
            Shape::IntOrString if is(SchemaType::Integer) && is_i32(schema) => Ok(()),
            Shape::IntOrString if schema.is_int_or_string() => {
                self.equivalent(Keyword::Format, "accepts integers of more than 32 bits")
            }
            Shape::Quantity if schema.is_int_or_string() => {
                self.equivalent(Keyword::Type, "may be a number, which the type writes as a string")
            }
            Shape::Time if is(SchemaType::String) && matches!(string(schema), Type::DateTime) => {
                self.equivalent(Keyword::Format, "is a time, which the type writes to the second and in UTC")
            }
            Shape::Bytes if is(SchemaType::String) && matches!(string(schema), Type::Bytes) => {
                self.equivalent(Keyword::Format, "is base64, which the type decodes and encodes again")
            }
            Shape::List(shape) if is(SchemaType::Array) => {
                let items = schema
                    .items
                    .as_deref()
                    .ok_or_else(|| Misfit::new(Keyword::Items, "has items of no known type"))?;
                self.part(items, shape).map_err(|misfit| misfit.below("[]"))
            }
            Shape::Map(shape) if is(SchemaType::Object) => self.map(schema, shape),
            Shape::Struct(at) if is(SchemaType::Object) => self.struct_(schema, *at),
            _ => Err(Misfit::new(Keyword::Type, format!("is {}, not {}", kind(schema), expected(shape)))),
        }
    }

    fn map(&self, schema: &Structural, shape: &Shape) -> Result<(), Misfit> {
        if schema.extensions.preserve_unknown_fields || schema.is_embedded_resource() {
            return Err(Misfit::new(Keyword::PreserveUnknownFields, "keeps fields of any type"));
        }
        for (name, property) in schema.properties.iter() {
            self.part(property, shape).map_err(|misfit| misfit.below(name))?;
        }
        match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => {
                self.part(values, shape).map_err(|misfit| misfit.below("{}"))
            }
            Some(AdditionalProperties::Allowed(true)) => {
                Err(Misfit::new(Keyword::PreserveUnknownFields, "keeps fields of any type"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a type preserves every value that the schema allows as an item of a list or a value of a map.
    fn part(&self, schema: &Structural, shape: &Shape) -> Result<(), Misfit> {
        if schema.is_nullable() {
            return Err(Misfit::new(Keyword::Nullable, "may be `null`, which the type does not accept"));
        }
        self.value(schema, shape)
    }

    /// Returns the reason `otherwise`, if values must be serialized exactly as they were deserialized.
    fn equivalent(&self, keyword: Keyword, otherwise: &str) -> Result<(), Misfit> {
        if self.is_exact { Err(Misfit::new(keyword, otherwise)) } else { Ok(()) }
    }
}

/// Rejects objects that preserve unknown fields, because k8s-openapi types drop unknown fields.
fn closed(schema: &Structural) -> Result<(), Misfit> {
    if schema.extensions.preserve_unknown_fields
        || schema.is_embedded_resource()
        || takes_any_property(schema)
    {
        return Err(Misfit::new(
            Keyword::PreserveUnknownFields,
            "keeps fields that the schema does not name, but the type drops them",
        ));
    }
    Ok(())
}

/// Returns the value that k8s-openapi serializes for an absent field without `Option`.
fn absent(shape: &Shape) -> Value {
    match shape {
        Shape::Boolean => json!(false),
        Shape::I32 | Shape::I64 => json!(0),
        Shape::String | Shape::Quantity => json!(""),
        Shape::List(_) => json!([]),
        Shape::Map(_) => json!({}),
        // No default is equal to this one, and none must be.
        _ => Value::Null,
    }
}

fn kind(schema: &Structural) -> String {
    if schema.is_int_or_string() {
        return "an integer or a string".to_owned();
    }
    match &schema.type_ {
        Some(type_) => format!("of type `{}`", type_.as_str()),
        None => "of any type".to_owned(),
    }
}

fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Boolean => "a boolean",
        Shape::I32 | Shape::I64 => "an integer",
        Shape::F64 => "a number",
        Shape::String => "a string",
        Shape::Bytes => "bytes in base64",
        Shape::Time => "a time",
        Shape::IntOrString => "an integer or a string",
        Shape::Quantity => "a quantity",
        Shape::Json => "anything",
        Shape::List(_) => "a list",
        Shape::Map(_) => "a map",
        Shape::Struct(_) => "an object",
    }
}

/// Returns `true` if every integer that the API server stores fits into 32 bits.
fn is_i32(schema: &Structural) -> bool {
    let [minimum, maximum] = schema.integer_limits();
    format(schema) == Some("int32") || minimum >= i32::MIN.into() && maximum <= i32::MAX.into()
}
