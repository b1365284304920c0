//! Finds out whether rules can read a value.

use crd_cel::eval::{Data, Value as CelValue};
use serde_json::Value;

use super::data::data_type;
use crate::Structural;

/// Returns `true` if a rule can read a value under this schema. Otherwise, reading the value is an error, and the rule
/// fails.
///
/// The value must have the schema's type, and strings of the formats `byte`, `date`, `date-time` and `duration` are decoded. Values
/// inside an object or a list are read one by one, so this check ignores them.
///
/// ```
/// use crd_core::{Structural, crd::JsonSchemaProps, rules::is_readable};
/// use serde_json::json;
///
/// let date = JsonSchemaProps::from_value(json!({"type": "string", "format": "date"}))?;
/// let date = Structural::from_json_schema(&date)?;
/// assert!(is_readable(&date, &json!("2024-02-29")));
/// assert!(!is_readable(&date, &json!("2023-02-29")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn is_readable(schema: &Structural, value: &Value) -> bool {
    CelValue::from_data(Data::new(value, &data_type(schema, false))).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crd::JsonSchemaProps;

    #[test]
    fn strings_are_decoded_by_their_format() {
        let is_readable = |format: &str, text: &str| {
            let schema = JsonSchemaProps::from_value(json!({"type": "string", "format": format})).unwrap();
            is_readable(&Structural::from_json_schema(&schema).unwrap(), &json!(text))
        };
        // Admission accepts the first string of each format, which rules cannot read, and accepts and reads the second one.
        for (format, unreadable, readable) in
            [("byte", "++//", "Zm9v"), ("date-time", "2024-01-01t00:00:00z", "2024-01-01T00:00:00Z")]
        {
            assert!(crate::formats::Format::from_name(format).unwrap().matches(unreadable), "{format}");
            assert!(!is_readable(format, unreadable) && is_readable(format, readable), "{format}");
        }
        for format in ["byte", "date", "date-time", "duration"] {
            assert!(!is_readable(format, "a"), "{format}");
        }
        // No rule decodes other formats, nor another spelling.
        for format in ["datetime", "uuid", "ipv4", "unknown"] {
            assert!(is_readable(format, "a"), "{format}");
        }
    }
}
