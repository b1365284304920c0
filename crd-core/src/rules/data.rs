//! Converts a structural schema to types for the data that rules read.
//!
//! Source: `UnstructuredToVal` in `k8s.io/apiserver/pkg/cel/common/values.go`.

use crd_cel::eval::{DataKind, DataType, ListType};

use crate::Structural;
use crate::cel::types::declares_meta;
use crate::schema::SchemaType;

/// Returns the type of a schema's data. `is_resource` is `true` if the schema describes a whole object, in which `apiVersion`, `kind` and
/// `metadata` are visible without declarations.
pub(crate) fn data_type(schema: &Structural, is_resource: bool) -> DataType {
    DataType { kind: kind(schema, is_resource), nullable: schema.is_nullable() }
}

fn kind(schema: &Structural, is_resource: bool) -> DataKind {
    if schema.is_int_or_string() {
        return DataKind::IntOrString;
    }
    match &schema.type_ {
        Some(SchemaType::Object) => object(schema, is_resource || schema.is_embedded_resource()),
        Some(SchemaType::Array) => list(schema),
        Some(SchemaType::String) => string(schema),
        Some(SchemaType::Number) => DataKind::Double,
        Some(SchemaType::Integer) => DataKind::Int,
        Some(SchemaType::Boolean) => DataKind::Bool,
        Some(SchemaType::Unknown(_)) | None => DataKind::Preserved,
    }
}

fn object(schema: &Structural, is_resource: bool) -> DataKind {
    if is_resource || !schema.properties.is_empty() {
        let implied = if is_resource && !declares_meta(&schema.properties) { implied() } else { vec![] };
        let is_implied = |name: &str| implied.iter().any(|(implied, _)| *implied == name);
        let declared = schema
            .properties
            .iter()
            .filter(|(name, _)| !is_implied(name))
            .map(|(name, property)| (name, data_type(property, false)));
        let fields: Vec<_> = declared.collect();
        return DataKind::object(fields.into_iter().chain(implied));
    }
    match schema.map_values() {
        Some(values) => DataKind::Map(Box::new(data_type(values, false))),
        None => DataKind::Object(Vec::new()),
    }
}

/// Returns the fields that every resource has.
fn implied() -> Vec<(&'static str, DataType)> {
    let text = || DataType::new(DataKind::String);
    let metadata = DataKind::object([("name", text()), ("generateName", text())]);
    vec![("apiVersion", text()), ("kind", text()), ("metadata", DataType::new(metadata))]
}

fn list(schema: &Structural) -> DataKind {
    let list_type = match schema.extensions.list_type.as_deref() {
        Some("set") => ListType::Set,
        Some("map") => {
            let keys = schema.extensions.list_map_keys.iter().flatten();
            ListType::Map(keys.map(|key| key.as_str().into()).collect())
        }
        _ => ListType::Atomic,
    };
    let items = schema.items.as_deref().map(|items| data_type(items, false));
    // Without a schema of the items, rules cannot read them.
    DataKind::List(Box::new(items.unwrap_or(DataType::new(DataKind::Preserved))), list_type)
}

fn string(schema: &Structural) -> DataKind {
    match schema.value_validation.as_deref().and_then(|validation| validation.format.as_deref()) {
        Some("byte") => DataKind::Bytes,
        Some("date") => DataKind::Date,
        Some("date-time") => DataKind::DateTime,
        Some("duration") => DataKind::Duration,
        _ => DataKind::String,
    }
}

#[cfg(test)]
mod tests {
    use crd_cel::eval::{Data, Value};
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::crd::JsonSchemaProps;

    fn parse_data_type(schema: Json, is_resource: bool) -> DataType {
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        data_type(&Structural::from_json_schema(&schema).expect("a structural schema"), is_resource)
    }

    /// Returns the name and the type of each field of an object.
    fn fields(data: &DataType) -> Vec<(&str, &DataKind)> {
        let DataKind::Object(fields) = &data.kind else { panic!("{data:?} is not an object") };
        fields.iter().map(|(name, of)| (&**name, &of.kind)).collect()
    }

    #[test]
    fn resources_have_what_they_do_not_declare() {
        let schema = json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {"n": {"type": "number"}}},
            "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
        }});
        let names =
            |data: &DataType| fields(data).iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&parse_data_type(schema.clone(), true)), ["apiVersion", "kind", "metadata", "spec"]);
        assert_eq!(names(&parse_data_type(schema.clone(), false)), ["metadata", "spec"]);
        let metadata = parse_data_type(schema, true);
        let DataKind::Object(of_root) = &metadata.kind else { panic!("the root is an object") };
        assert_eq!(names(&of_root[2].1), ["generateName", "name"]);
    }

    #[test]
    fn formats_and_lists_are_typed() {
        let data = parse_data_type(
            json!({"type": "object", "properties": {
                "a": {"type": "string", "format": "byte"},
                "b": {"type": "string", "format": "date-time"},
                "c": {"type": "string", "format": "datetime"},
                "d": {"x-kubernetes-int-or-string": true},
                "e": {"x-kubernetes-preserve-unknown-fields": true},
                "f": {"type": "object"},
                "g": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            }}),
            false,
        );
        let wanted = [
            ("a", &DataKind::Bytes),
            ("b", &DataKind::DateTime),
            ("c", &DataKind::String),
            ("d", &DataKind::IntOrString),
            ("e", &DataKind::Preserved),
            ("f", &DataKind::Object(Vec::new())),
            ("g", &DataKind::Object(Vec::new())),
        ];
        assert_eq!(fields(&data), wanted);
        let list = parse_data_type(
            json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}}}}),
            false,
        );
        assert!(matches!(list.kind, DataKind::List(_, ListType::Map(keys)) if *keys == ["k".into()]));
    }

    #[test]
    fn an_object_of_which_nothing_is_known_is_one_without_fields() {
        let (open, json) = (parse_data_type(json!({"type": "object"}), false), json!({"a": 1}));
        let value = Value::from_data(Data::new(&json, &open)).expect("it is an object");
        assert!(matches!(value, Value::Map(_)));
    }
}
