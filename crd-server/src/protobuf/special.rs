//! Messages whose JSON is not an object with their fields.

use prost_reflect::MessageDescriptor;

/// A message whose JSON is not an object with its fields, because its Go type implements `MarshalJSON`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// Seconds since 1970, as RFC 3339.
    Time,
    /// Seconds since 1970, as RFC 3339 with six digits of a second.
    MicroTime,
    Quantity,
    /// A number or a text.
    IntOrString,
    /// JSON in bytes.
    Raw,
    /// A list that has its own message.
    Items,
    /// A schema, or a list of schemas.
    SchemaOrArray,
    SchemaOrBool,
    SchemaOrTexts,
}

impl Special {
    pub(super) fn of(descriptor: &MessageDescriptor) -> Option<Self> {
        Some(match descriptor.name() {
            "Time" => Self::Time,
            "MicroTime" => Self::MicroTime,
            "Quantity" => Self::Quantity,
            "IntOrString" => Self::IntOrString,
            "RawExtension" | "FieldsV1" | "JSON" => Self::Raw,
            "JSONSchemaPropsOrArray" => Self::SchemaOrArray,
            "JSONSchemaPropsOrBool" => Self::SchemaOrBool,
            "JSONSchemaPropsOrStringArray" => Self::SchemaOrTexts,
            _ if descriptor.fields().any(|field| field.json_name() == ".") => Self::Items,
            _ => return None,
        })
    }
}
