//! Turns `JSONSchemaProps` into their structural form.

use std::fmt;

use super::{
    AdditionalProperties, Extensions, Forbidden, Generic, NestedAdditionalProperties, NestedValidation,
    SchemaType, Structural, ValueValidation,
};
use crate::crd::{AdditionalProperties as JsonAdditionalProperties, Items, JsonSchemaProps};
use crate::{FieldPath, OrderedMap};

/// The first thing in a schema that no structural schema can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotStructural {
    path: FieldPath,
    message: &'static str,
}

impl NotStructural {
    /// Where it stands, relative to the schema.
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        &self.path
    }
}

impl fmt::Display for NotStructural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl std::error::Error for NotStructural {}

impl Structural {
    /// The structural form of `schema`, which says the same.
    ///
    /// # Errors
    /// The first keyword that a structural schema cannot hold (`$ref`, `patternProperties`, `items` as a list ...), in
    /// the API server's words and order. Source: `schema/convert.go`.
    pub fn from_json_schema(schema: &JsonSchemaProps) -> Result<Self, NotStructural> {
        spine(schema, &FieldPath::root())
    }
}

fn spine(schema: &JsonSchemaProps, path: &FieldPath) -> Result<Structural, NotStructural> {
    refuse_unsupported(schema, path)?;
    let value_validation = value_validation(schema, path)?;
    let extensions = extensions(schema, path)?;
    let mut structural = Structural {
        type_: schema_type(schema),
        properties: OrderedMap::new(),
        additional_properties: None,
        items: None,
        generic: generic(schema),
        extensions,
        validations: schema.x_validations.clone().unwrap_or_default(),
        value_validation: (value_validation != ValueValidation::default())
            .then(|| Box::new(value_validation)),
    };
    if let Some(items) = &schema.items {
        structural.items = match items {
            Items::Schema(items) => Some(Box::new(spine(items, &path.child("items"))?)),
            Items::Schemas(schemas) if !schemas.is_empty() => return Err(items_are_a_list(path)),
            // The API server takes anything else for an `items` without a schema.
            Items::Schemas(_) | Items::Neither(_) => None,
        };
    }
    structural.properties = properties(schema, path, spine)?;
    structural.additional_properties = match &schema.additional_properties {
        None => None,
        Some(JsonAdditionalProperties::Allowed(allowed)) => Some(AdditionalProperties::Allowed(*allowed)),
        Some(JsonAdditionalProperties::Schema(schema)) => {
            let schema = spine(schema, &path.child("additionalProperties"))?;
            Some(AdditionalProperties::Schema(Box::new(schema)))
        }
    };
    Ok(structural)
}

fn nested(schema: &JsonSchemaProps, path: &FieldPath) -> Result<NestedValidation, NotStructural> {
    refuse_unsupported(schema, path)?;
    let mut nested =
        NestedValidation { value_validation: value_validation(schema, path)?, ..NestedValidation::default() };
    let forbidden = Forbidden {
        type_: schema_type(schema),
        generic: generic(schema),
        extensions: extensions(schema, path)?,
        validations: schema.x_validations.clone().unwrap_or_default(),
    };
    nested.forbidden = (forbidden != Forbidden::default()).then(|| Box::new(forbidden));
    match &schema.items {
        Some(Items::Schema(items)) => {
            nested.items = Some(Box::new(self::nested(items, &path.child("items"))?));
        }
        Some(Items::Schemas(schemas)) if !schemas.is_empty() => return Err(items_are_a_list(path)),
        Some(Items::Schemas(_) | Items::Neither(_)) | None => {}
    }
    nested.properties = properties(schema, path, self::nested)?;
    nested.additional_properties = match &schema.additional_properties {
        None => None,
        Some(JsonAdditionalProperties::Allowed(allowed)) => {
            Some(NestedAdditionalProperties::Allowed(*allowed))
        }
        Some(JsonAdditionalProperties::Schema(schema)) => {
            let schema = self::nested(schema, &path.child("additionalProperties"))?;
            Some(NestedAdditionalProperties::Schema(Box::new(schema)))
        }
    };
    Ok(nested)
}

/// The properties of a schema, each converted.
fn properties<T>(
    schema: &JsonSchemaProps,
    path: &FieldPath,
    convert: impl Fn(&JsonSchemaProps, &FieldPath) -> Result<T, NotStructural>,
) -> Result<OrderedMap<T>, NotStructural> {
    let Some(properties) = &schema.properties else { return Ok(OrderedMap::new()) };
    let path = path.child("properties");
    let mut converted = OrderedMap::with_capacity(properties.len());
    for (name, property) in properties.iter() {
        converted.insert(name, convert(property, &path.key(name))?);
    }
    Ok(converted)
}

fn refuse_unsupported(schema: &JsonSchemaProps, path: &FieldPath) -> Result<(), NotStructural> {
    let unsupported = [
        (!schema.id.is_empty(), "id", "OpenAPIV3Schema 'id' is not supported"),
        (!schema.schema.is_empty(), "$schema", "OpenAPIV3Schema 'schema' is not supported"),
        (
            schema.reference.as_ref().is_some_and(|reference| !reference.is_empty()),
            "$ref",
            "OpenAPIV3Schema '$ref' is not supported",
        ),
        (
            schema.pattern_properties.as_ref().is_some_and(|map| !map.is_empty()),
            "patternProperties",
            "OpenAPIV3Schema 'patternProperties' is not supported",
        ),
        (
            schema.dependencies.as_ref().is_some_and(|map| !map.is_empty()),
            "dependencies",
            "OpenAPIV3Schema 'dependencies' is not supported",
        ),
        (
            schema.additional_items.is_some(),
            "additionalItems",
            "OpenAPIV3Schema 'additionalItems' is not supported",
        ),
        (
            schema.definitions.as_ref().is_some_and(|map| !map.is_empty()),
            "definitions",
            "OpenAPIV3Schema 'definitions' is not supported",
        ),
    ];
    match unsupported.into_iter().find(|(found, ..)| *found) {
        Some((_, keyword, message)) => Err(NotStructural { path: path.child(keyword), message }),
        None => Ok(()),
    }
}

fn items_are_a_list(path: &FieldPath) -> NotStructural {
    NotStructural {
        path: path.child("items"),
        message: "OpenAPIV3Schema 'items' must be a schema, but is an array",
    }
}

fn schema_type(schema: &JsonSchemaProps) -> Option<SchemaType> {
    schema.type_.as_deref().filter(|name| !name.is_empty()).map(SchemaType::from_name)
}

fn generic(schema: &JsonSchemaProps) -> Generic {
    Generic {
        description: schema.description.clone(),
        title: schema.title.clone(),
        default: schema.default.clone(),
        nullable: schema.nullable,
        external_docs: schema.external_docs.clone(),
        example: schema.example.clone(),
    }
}

fn extensions(schema: &JsonSchemaProps, path: &FieldPath) -> Result<Extensions, NotStructural> {
    if schema.x_preserve_unknown_fields == Some(false) {
        return Err(NotStructural {
            path: path.child("x-kubernetes-preserve-unknown-fields"),
            message: "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
        });
    }
    Ok(Extensions {
        preserve_unknown_fields: schema.x_preserve_unknown_fields == Some(true),
        embedded_resource: schema.x_embedded_resource,
        int_or_string: schema.x_int_or_string,
        list_type: schema.x_list_type.clone(),
        list_map_keys: schema.x_list_map_keys.clone(),
        map_type: schema.x_map_type.clone(),
    })
}

fn value_validation(schema: &JsonSchemaProps, path: &FieldPath) -> Result<ValueValidation, NotStructural> {
    let all = |name: &'static str, schemas: &Option<Vec<JsonSchemaProps>>| {
        let Some(schemas) = schemas else { return Ok(None) };
        let path = path.child(name);
        let schemas = schemas.iter().enumerate().map(|(i, schema)| nested(schema, &path.index(i)));
        schemas.collect::<Result<Vec<_>, _>>().map(Some)
    };
    let not = match &schema.not {
        Some(schema) => Some(Box::new(nested(schema, &path.child("not"))?)),
        None => None,
    };
    Ok(ValueValidation {
        format: schema.format.clone(),
        maximum: schema.maximum.clone(),
        exclusive_maximum: schema.exclusive_maximum,
        minimum: schema.minimum.clone(),
        exclusive_minimum: schema.exclusive_minimum,
        max_length: schema.max_length,
        min_length: schema.min_length,
        pattern: schema.pattern.clone(),
        max_items: schema.max_items,
        min_items: schema.min_items,
        unique_items: schema.unique_items,
        multiple_of: schema.multiple_of.clone(),
        enum_: schema.enum_.clone(),
        max_properties: schema.max_properties,
        min_properties: schema.min_properties,
        required: schema.required.clone(),
        not,
        all_of: all("allOf", &schema.all_of)?,
        any_of: all("anyOf", &schema.any_of)?,
        one_of: all("oneOf", &schema.one_of)?,
    })
}
