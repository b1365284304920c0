//! Determines the Rust types for integers in generated code.

use crd_core::Structural;
use crd_core::schema::{IntegerType, SchemaType};

/// Returns the type of an integer in generated code. Returns `None` for `i64`, for enums and for other types.
pub(super) fn narrow_integer(schema: &Structural) -> Option<IntegerType> {
    // An enum has a type of its own.
    let is_enum = schema.value_validation.as_deref().is_some_and(|validation| validation.enum_.is_some());
    let is_integer = schema.type_ == Some(SchemaType::Integer) && !is_enum;
    Some(schema.integer_type()).filter(|integer| is_integer && *integer != IntegerType::I64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crd_core::crd::JsonSchemaProps;
    use serde_json::json;

    #[test]
    fn a_format_counts_where_limits_fit_it() {
        let check = |format: &str, limits: serde_json::Value, expected: Option<IntegerType>| {
            let mut schema = json!({"type": "integer", "format": format});
            schema.as_object_mut().unwrap().extend(limits.as_object().cloned().unwrap());
            let schema = JsonSchemaProps::from_value(schema).unwrap();
            let schema = Structural::from_json_schema(&schema).unwrap();
            assert_eq!(narrow_integer(&schema), expected, "{format} {limits}");
        };
        check("int32", json!({}), Some(IntegerType::I32));
        check("int64", json!({"minimum": 0, "maximum": 1}), None);
        check("uint8", json!({}), None);
        check("uint8", json!({"minimum": 0.0, "maximum": 255.0}), Some(IntegerType::U8));
        check("uint8", json!({"minimum": 0, "maximum": 256}), None);
        check("uint8", json!({"minimum": -0.5, "maximum": 255}), None);
        check("int16", json!({"minimum": -32768, "maximum": 5}), Some(IntegerType::I16));
        check("uint", json!({"minimum": 0}), Some(IntegerType::U64));
        check("uint", json!({"minimum": 1e300}), None);
        check("uint32", json!({"minimum": 0, "maximum": 9, "enum": [1, 2]}), None);
    }
}
