//! Converts a structural schema to `JSONSchemaProps`.

use super::{
    AdditionalProperties, Extensions, Generic, NestedAdditionalProperties, NestedValidation, SchemaType,
    Structural, ValueValidation,
};
use crate::OrderedMap;
use crate::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool, ValidationRule};

impl Structural {
    /// Returns the schema as `JSONSchemaProps`.
    #[must_use]
    pub fn to_json_schema(&self) -> JsonSchemaProps {
        let mut schema = JsonSchemaProps {
            items: self.items.as_ref().map(|items| Items::Schema(Box::new(items.to_json_schema()))),
            properties: properties(&self.properties, Self::to_json_schema),
            additional_properties: self.additional_properties.as_ref().map(|additional| match additional {
                AdditionalProperties::Allowed(allowed) => JsonSchemaPropsOrBool::Allowed(*allowed),
                AdditionalProperties::Schema(schema) => {
                    JsonSchemaPropsOrBool::Schema(Box::new(schema.to_json_schema()))
                }
            }),
            ..JsonSchemaProps::default()
        };
        describe(&mut schema, self.type_.as_ref(), &self.generic, &self.extensions, &self.validations);
        if let Some(validation) = &self.value_validation {
            restrict(&mut schema, validation);
        }
        schema
    }
}

impl NestedValidation {
    /// Returns the schema as `JSONSchemaProps`, including forbidden keywords.
    #[must_use]
    pub fn to_json_schema(&self) -> JsonSchemaProps {
        let mut schema = JsonSchemaProps {
            items: self.items.as_ref().map(|items| Items::Schema(Box::new(items.to_json_schema()))),
            properties: properties(&self.properties, Self::to_json_schema),
            additional_properties: self.additional_properties.as_ref().map(|additional| match additional {
                NestedAdditionalProperties::Allowed(allowed) => JsonSchemaPropsOrBool::Allowed(*allowed),
                NestedAdditionalProperties::Schema(schema) => {
                    JsonSchemaPropsOrBool::Schema(Box::new(schema.to_json_schema()))
                }
            }),
            ..JsonSchemaProps::default()
        };
        if let Some(forbidden) = &self.forbidden {
            let (type_, generic) = (forbidden.type_.as_ref(), &forbidden.generic);
            describe(&mut schema, type_, generic, &forbidden.extensions, &forbidden.validations);
        }
        restrict(&mut schema, &self.value_validation);
        schema
    }
}

fn properties<T>(
    properties: &OrderedMap<T>,
    convert: impl Fn(&T) -> JsonSchemaProps,
) -> Option<OrderedMap<JsonSchemaProps>> {
    // The structural form does not distinguish empty from absent `properties`. Neither does the API server's.
    (!properties.is_empty())
        .then(|| properties.iter().map(|(name, property)| (name, convert(property))).collect())
}

fn describe(
    schema: &mut JsonSchemaProps,
    type_: Option<&SchemaType>,
    generic: &Generic,
    extensions: &Extensions,
    validations: &[ValidationRule],
) {
    schema.type_ = type_.map(|type_| type_.as_str().to_owned());
    schema.description.clone_from(&generic.description);
    schema.title.clone_from(&generic.title);
    schema.default.clone_from(&generic.default);
    schema.nullable = generic.nullable;
    schema.external_docs.clone_from(&generic.external_docs);
    schema.example.clone_from(&generic.example);
    schema.x_preserve_unknown_fields = extensions.preserve_unknown_fields.then_some(true);
    schema.x_embedded_resource = extensions.embedded_resource;
    schema.x_int_or_string = extensions.int_or_string;
    schema.x_list_type.clone_from(&extensions.list_type);
    schema.x_list_map_keys.clone_from(&extensions.list_map_keys);
    schema.x_map_type.clone_from(&extensions.map_type);
    let has_validations = !validations.is_empty() || extensions.no_validations;
    schema.x_validations = has_validations.then(|| validations.to_vec());
}

fn restrict(schema: &mut JsonSchemaProps, validation: &ValueValidation) {
    let all = |nested: &Option<Vec<NestedValidation>>| {
        nested.as_ref().map(|nested| nested.iter().map(NestedValidation::to_json_schema).collect())
    };
    schema.format.clone_from(&validation.format);
    schema.maximum.clone_from(&validation.maximum);
    schema.exclusive_maximum = validation.exclusive_maximum;
    schema.minimum.clone_from(&validation.minimum);
    schema.exclusive_minimum = validation.exclusive_minimum;
    schema.max_length = validation.max_length;
    schema.min_length = validation.min_length;
    schema.pattern.clone_from(&validation.pattern);
    schema.max_items = validation.max_items;
    schema.min_items = validation.min_items;
    schema.unique_items = validation.unique_items;
    schema.multiple_of.clone_from(&validation.multiple_of);
    schema.enum_.clone_from(&validation.enum_);
    schema.max_properties = validation.max_properties;
    schema.min_properties = validation.min_properties;
    schema.required.clone_from(&validation.required);
    schema.all_of = all(&validation.all_of);
    schema.any_of = all(&validation.any_of);
    schema.one_of = all(&validation.one_of);
    schema.not = validation.not.as_ref().map(|not| Box::new(not.to_json_schema()));
}
