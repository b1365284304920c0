//! Protobuf messages whose JSON is not an object with the same fields.

use prost_reflect::MessageDescriptor;

/// A message whose JSON is not an object with the same fields, because the Go type implements `MarshalJSON`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// Seconds since 1970; in JSON, a string in the format of RFC 3339.
    Time,
    /// Seconds and nanoseconds since 1970; in JSON, a string in the format of RFC 3339 with six decimal places.
    MicroTime,
    Quantity,
    /// A number or a string.
    IntOrString,
    /// JSON that the message contains as bytes.
    Raw,
    /// A list, which protobuf wraps in a message.
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
