//! Finds the keywords that are allowed at a path in a CRD.

mod keyword;
mod schema;
mod table;

use crate::cursor::CursorStep;
pub(crate) use keyword::{Keyword, Owner, Values};

/// The kind of value at a path in a CRD.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PlaceKind {
    /// An object with these fields.
    Fields(&'static Owner),
    /// Another value.
    Values(Values),
}

impl PlaceKind {
    /// Returns the kind of value at a path from the root of a CRD. Returns `None` if the API does not have the path, or if every name
    /// is allowed there.
    pub(crate) fn at(path: &[CursorStep]) -> Option<Self> {
        let mut place = Self::Values(Values::Object("CustomResourceDefinition")).entered();
        for step in path {
            let values = match (place, step) {
                (Self::Fields(owner), CursorStep::Key(name)) => owner.keyword(name)?.values,
                (Self::Values(Values::List(name)), CursorStep::Item(_))
                | (Self::Values(Values::Map(name)), CursorStep::Key(_)) => Values::Object(name),
                (Self::Values(Values::Texts), CursorStep::Item(_)) => Values::Text,
                _ => return None,
            };
            place = Self::Values(values).entered();
        }
        Some(place)
    }

    fn entered(self) -> Self {
        match self {
            Self::Values(Values::Object(name)) => owner(name).map_or(Self::Values(Values::Any), Self::Fields),
            other => other,
        }
    }
}

/// Returns the fields of the API type with this name.
fn owner(name: &str) -> Option<&'static Owner> {
    table::OWNERS
        .iter()
        .chain([&schema::SCHEMA, &schema::RULE, &schema::DOCS])
        .find(|owner| owner.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crd_core::crd::{
        Conversion, CustomResourceDefinition, ExternalDocumentation, JsonSchemaProps, Names, PrinterColumn,
        ScaleSubresource, SelectableField, ServiceReference, Spec, StatusSubresource, Subresources,
        Validation, ValidationRule, Version, WebhookClientConfig, WebhookConversion,
    };

    #[test]
    fn the_table_has_exactly_the_fields_of_the_model() {
        let models: [(&str, &[&str]); 17] = [
            ("CustomResourceDefinition", CustomResourceDefinition::FIELDS),
            ("CustomResourceDefinitionSpec", Spec::FIELDS),
            ("CustomResourceDefinitionNames", Names::FIELDS),
            ("CustomResourceDefinitionVersion", Version::FIELDS),
            ("CustomResourceValidation", Validation::FIELDS),
            ("CustomResourceSubresources", Subresources::FIELDS),
            ("CustomResourceSubresourceStatus", StatusSubresource::FIELDS),
            ("CustomResourceSubresourceScale", ScaleSubresource::FIELDS),
            ("CustomResourceColumnDefinition", PrinterColumn::FIELDS),
            ("SelectableField", SelectableField::FIELDS),
            ("CustomResourceConversion", Conversion::FIELDS),
            ("WebhookConversion", WebhookConversion::FIELDS),
            ("WebhookClientConfig", WebhookClientConfig::FIELDS),
            ("ServiceReference", ServiceReference::FIELDS),
            ("JSONSchemaProps", JsonSchemaProps::FIELDS),
            ("ValidationRule", ValidationRule::FIELDS),
            ("ExternalDocumentation", ExternalDocumentation::FIELDS),
        ];
        for (name, fields) in models {
            let names: Vec<&str> = owner(name).unwrap().keywords.iter().map(|keyword| keyword.name).collect();
            assert_eq!(names, fields, "{name}");
        }
    }

    #[test]
    fn formats_are_those_of_the_server() {
        use crd_core::{formats::Format, schema::SchemaType};
        let Values::Words(formats) = schema::SCHEMA.keyword("format").unwrap().values else {
            panic!("no formats")
        };
        for format in formats {
            let types = [SchemaType::String, SchemaType::Integer, SchemaType::Number];
            assert!(types.iter().any(|known| Format::is_known(format, Some(known))), "{format}");
        }
    }

    #[test]
    fn every_object_that_is_named_exists() {
        for owner_of in table::OWNERS.iter().chain([&schema::SCHEMA, &schema::RULE, &schema::DOCS]) {
            for keyword in owner_of.keywords {
                assert!(keyword.effect.ends_with('.'), "{}", keyword.name);
                if let Values::Object(name) | Values::List(name) | Values::Map(name) = keyword.values {
                    assert!(owner(name).is_some() || name == "ObjectMeta" || name == "Status", "{name}");
                }
            }
        }
    }
}
