//! Converts `JSONSchemaProps` to a structural schema.

use std::fmt;

use super::{
    AdditionalProperties, Extensions, Forbidden, Generic, NestedAdditionalProperties, NestedValidation,
    SchemaType, Structural, ValueValidation,
};
use crate::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool};
use crate::lazy_path::LazyPath;
use crate::{FieldPath, OrderedMap};

/// The first keyword of a schema that is not allowed in structural schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotStructural {
    path: FieldPath,
    message: &'static str,
}

impl NotStructural {
    /// Returns the path of the keyword, relative to the schema.
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
    /// Converts `schema` to its structural form, which has the same meaning.
    ///
    /// # Errors
    ///
    /// The first keyword that a structural schema cannot contain (`$ref`, `patternProperties`, `items` as a
    /// list ...), in the API server's words and order. Source: `schema/convert.go`.
    pub fn from_json_schema(schema: &JsonSchemaProps) -> Result<Self, NotStructural> {
        let root = FieldPath::root();
        spine(schema, &LazyPath::new(&root)).map(|structural| *structural)
    }
}

// Schemas are nested up to a hundred deep, and so are these stack frames. Large values are built in functions that
// return before the recursion.

fn spine(schema: &JsonSchemaProps, path: &LazyPath<'_>) -> Result<Box<Structural>, NotStructural> {
    reject_unsupported(schema, path)?;
    let mut structural = Box::new(Structural::default());
    let mut validation = own_validation(schema);
    if has_junctors(schema) {
        junctors(schema, path, validation.get_or_insert_default())?;
    }
    describe(schema, path, validation, &mut structural)?;
    if let Some(items) = items(schema, path)? {
        structural.items = Some(spine(items, &path.child("items"))?);
    }
    structural.properties = properties(schema, path, spine)?;
    structural.additional_properties = match &schema.additional_properties {
        None => None,
        Some(JsonSchemaPropsOrBool::Allowed(allowed)) => Some(AdditionalProperties::Allowed(*allowed)),
        Some(JsonSchemaPropsOrBool::Schema(schema)) => {
            Some(AdditionalProperties::Schema(spine(schema, &path.child("additionalProperties"))?))
        }
    };
    Ok(structural)
}

#[inline(never)]
fn describe(
    schema: &JsonSchemaProps,
    path: &LazyPath<'_>,
    validation: Option<Box<ValueValidation>>,
    structural: &mut Structural,
) -> Result<(), NotStructural> {
    structural.extensions = extensions(schema, path)?;
    structural.type_ = schema_type(schema);
    structural.generic = generic(schema);
    structural.validations = schema.x_validations.clone().unwrap_or_default();
    structural.value_validation = validation;
    Ok(())
}

fn nested(schema: &JsonSchemaProps, path: &LazyPath<'_>) -> Result<Box<NestedValidation>, NotStructural> {
    reject_unsupported(schema, path)?;
    let mut nested = nested_validation(schema);
    junctors(schema, path, &mut nested.value_validation)?;
    forbid(schema, path, &mut nested)?;
    if let Some(items) = items(schema, path)? {
        nested.items = Some(self::nested(items, &path.child("items"))?);
    }
    nested.properties = properties(schema, path, self::nested)?;
    nested.additional_properties = match &schema.additional_properties {
        None => None,
        Some(JsonSchemaPropsOrBool::Allowed(allowed)) => Some(NestedAdditionalProperties::Allowed(*allowed)),
        Some(JsonSchemaPropsOrBool::Schema(schema)) => {
            let schema = self::nested(schema, &path.child("additionalProperties"))?;
            Some(NestedAdditionalProperties::Schema(schema))
        }
    };
    Ok(nested)
}

#[inline(never)]
fn nested_validation(schema: &JsonSchemaProps) -> Box<NestedValidation> {
    let value_validation = own_validation(schema).map(|own| *own).unwrap_or_default();
    Box::new(NestedValidation { value_validation, ..NestedValidation::default() })
}

#[inline(never)]
fn forbid(
    schema: &JsonSchemaProps,
    path: &LazyPath<'_>,
    nested: &mut NestedValidation,
) -> Result<(), NotStructural> {
    let forbidden = Forbidden {
        type_: schema_type(schema),
        generic: generic(schema),
        extensions: extensions(schema, path)?,
        validations: schema.x_validations.clone().unwrap_or_default(),
    };
    nested.forbidden = (forbidden != Forbidden::default()).then(|| Box::new(forbidden));
    Ok(())
}

#[inline(never)]
#[expect(clippy::boxed_local, reason = "the box keeps the value off the stack of the caller")]
fn put<T>(map: &mut OrderedMap<T>, name: &str, value: Box<T>) {
    map.insert(name, *value);
}

/// Returns the properties of a schema, each converted.
fn properties<T>(
    schema: &JsonSchemaProps,
    path: &LazyPath<'_>,
    convert: fn(&JsonSchemaProps, &LazyPath<'_>) -> Result<Box<T>, NotStructural>,
) -> Result<OrderedMap<T>, NotStructural> {
    let Some(properties) = &schema.properties else { return Ok(OrderedMap::new()) };
    let path = path.child("properties");
    let mut converted = OrderedMap::with_capacity(properties.len());
    for (name, property) in properties.iter() {
        let property = convert(property, &path.key(name))?;
        put(&mut converted, name, property);
    }
    Ok(converted)
}

/// Returns the single schema of items. The API server ignores values that are neither a schema nor a list of schemas.
fn items<'a>(
    schema: &'a JsonSchemaProps,
    path: &LazyPath<'_>,
) -> Result<Option<&'a JsonSchemaProps>, NotStructural> {
    match &schema.items {
        Some(Items::Schema(items)) => Ok(Some(items)),
        Some(Items::Schemas(schemas)) if !schemas.is_empty() => Err(NotStructural {
            path: path.child("items").path(),
            message: "OpenAPIV3Schema 'items' must be a schema, but is an array",
        }),
        Some(Items::Schemas(_) | Items::Neither(_)) | None => Ok(None),
    }
}

fn has_junctors(schema: &JsonSchemaProps) -> bool {
    let lists = [&schema.all_of, &schema.any_of, &schema.one_of];
    schema.not.is_some() || lists.into_iter().any(Option::is_some)
}

fn junctors(
    schema: &JsonSchemaProps,
    path: &LazyPath<'_>,
    validation: &mut ValueValidation,
) -> Result<(), NotStructural> {
    if let Some(not) = &schema.not {
        validation.not = Some(nested(not, &path.child("not"))?);
    }
    for (name, schemas, branches) in [
        ("allOf", &schema.all_of, &mut validation.all_of),
        ("anyOf", &schema.any_of, &mut validation.any_of),
        ("oneOf", &schema.one_of, &mut validation.one_of),
    ] {
        let Some(schemas) = schemas else { continue };
        let branches = branches.insert(Vec::with_capacity(schemas.len()));
        let path = path.child(name);
        for (i, schema) in schemas.iter().enumerate() {
            let branch = nested(schema, &path.index(i))?;
            push(branches, branch);
        }
    }
    Ok(())
}

#[inline(never)]
#[expect(clippy::boxed_local, reason = "the box keeps the value off the stack of the caller")]
fn push<T>(list: &mut Vec<T>, value: Box<T>) {
    list.push(*value);
}

fn reject_unsupported(schema: &JsonSchemaProps, path: &LazyPath<'_>) -> Result<(), NotStructural> {
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
        Some((_, keyword, message)) => Err(NotStructural { path: path.child(keyword).path(), message }),
        None => Ok(()),
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

fn extensions(schema: &JsonSchemaProps, path: &LazyPath<'_>) -> Result<Extensions, NotStructural> {
    if schema.x_preserve_unknown_fields == Some(false) {
        return Err(NotStructural {
            path: path.child("x-kubernetes-preserve-unknown-fields").path(),
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
        no_validations: schema.x_validations.as_ref().is_some_and(Vec::is_empty),
    })
}

/// Returns a schema's restrictions on the value itself, without `allOf`, `anyOf`, `oneOf` and `not`. Most schemas have none.
#[inline(never)]
fn own_validation(schema: &JsonSchemaProps) -> Option<Box<ValueValidation>> {
    let own = ValueValidation {
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
        ..ValueValidation::default()
    };
    (own != ValueValidation::default()).then(|| Box::new(own))
}
