//! Nodes of a schema for the validator: structural nodes, and nodes under `allOf`, `anyOf`, `oneOf` and `not`.

use crd_go::KubeVersion;

use crate::formats::Format;
use crate::schema::{
    AdditionalProperties, NestedAdditionalProperties, NestedValidation, SchemaType, Structural,
    ValueValidation,
};

/// The purpose of a validation. The API server adapts the schema to the purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Validation of a default: all formats are checked, and an int-or-string has no type.
    Default,
    /// Validation of an object: unknown formats are ignored, and an int-or-string has two types.
    Object,
}

/// A node, with type and format adapted to the mode.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    /// The types that the node allows, in order. An integer-or-string can have two.
    pub(super) types: [Option<&'a str>; 2],
    pub(super) format: Option<&'a str>,
    pub(super) is_nullable: bool,
    pub(super) validation: Option<&'a ValueValidation>,
    schema: Schema<'a>,
    pub(super) mode: Mode,
    pub(super) version: KubeVersion,
}

#[derive(Clone, Copy)]
enum Schema<'a> {
    Spine(&'a Structural),
    Nested(&'a NestedValidation),
}

/// The schema of properties that are not in `properties`.
pub(super) enum Additional<'a> {
    Any,
    None,
    Schema(Node<'a>),
}

impl<'a> Node<'a> {
    pub(super) fn spine(schema: &'a Structural, mode: Mode, version: KubeVersion) -> Self {
        Self::new(
            schema.type_.as_ref(),
            schema.is_int_or_string(),
            schema.is_nullable(),
            schema.value_validation.as_deref(),
            Schema::Spine(schema),
            (mode, version),
        )
    }

    pub(super) fn nested(schema: &'a NestedValidation, mode: Mode, version: KubeVersion) -> Self {
        let forbidden = schema.forbidden.as_deref();
        Self::new(
            forbidden.and_then(|forbidden| forbidden.type_.as_ref()),
            forbidden.is_some_and(|forbidden| forbidden.extensions.int_or_string == Some(true)),
            forbidden.is_some_and(|forbidden| forbidden.generic.nullable == Some(true)),
            Some(&schema.value_validation),
            Schema::Nested(schema),
            (mode, version),
        )
    }

    fn new(
        type_: Option<&'a SchemaType>,
        is_int_or_string: bool,
        is_nullable: bool,
        validation: Option<&'a ValueValidation>,
        schema: Schema<'a>,
        (mode, version): (Mode, KubeVersion),
    ) -> Self {
        let types = if is_int_or_string && mode == Mode::Object {
            [Some("integer"), Some("string")]
        } else {
            [type_.map(SchemaType::as_str), None]
        };
        let format = validation.and_then(|validation| validation.format.as_deref());
        let format = format.filter(|format| !format.is_empty()).filter(|format| {
            // Two types count as no type.
            let type_ = if types[1].is_some() { None } else { type_ };
            mode == Mode::Default || Format::is_known_at(format, type_, version)
        });
        Self { types, format, is_nullable, validation, schema, mode, version }
    }

    pub(super) fn has_type_or_format(self) -> bool {
        self.types[0].is_some() || self.format.is_some()
    }

    pub(super) fn is(self, type_: &str) -> bool {
        self.types.contains(&Some(type_))
    }

    pub(super) fn type_names(self) -> String {
        self.types.iter().flatten().copied().collect::<Vec<_>>().join(",")
    }

    pub(super) fn items(self) -> Option<Self> {
        match self.schema {
            Schema::Spine(schema) => {
                schema.items.as_deref().map(|items| Self::spine(items, self.mode, self.version))
            }
            Schema::Nested(schema) => {
                schema.items.as_deref().map(|items| Self::nested(items, self.mode, self.version))
            }
        }
    }

    pub(super) fn has_property(self, name: &str) -> bool {
        match self.schema {
            Schema::Spine(schema) => schema.properties.contains(name),
            Schema::Nested(schema) => schema.properties.contains(name),
        }
    }

    pub(super) fn property(self, name: &str) -> Option<Self> {
        match self.schema {
            Schema::Spine(schema) => {
                schema.properties.get(name).map(|schema| Self::spine(schema, self.mode, self.version))
            }
            Schema::Nested(schema) => {
                schema.properties.get(name).map(|schema| Self::nested(schema, self.mode, self.version))
            }
        }
    }

    pub(super) fn additional(self) -> Additional<'a> {
        match self.schema {
            Schema::Spine(schema) => match &schema.additional_properties {
                None | Some(AdditionalProperties::Allowed(true)) => Additional::Any,
                Some(AdditionalProperties::Allowed(false)) => Additional::None,
                Some(AdditionalProperties::Schema(schema)) => {
                    Additional::Schema(Self::spine(schema, self.mode, self.version))
                }
            },
            // The form for validating defaults does not have them here.
            Schema::Nested(_) if self.mode == Mode::Default => Additional::Any,
            Schema::Nested(schema) => match &schema.additional_properties {
                None | Some(NestedAdditionalProperties::Allowed(true)) => Additional::Any,
                Some(NestedAdditionalProperties::Allowed(false)) => Additional::None,
                Some(NestedAdditionalProperties::Schema(schema)) => {
                    Additional::Schema(Self::nested(schema, self.mode, self.version))
                }
            },
        }
    }
}
