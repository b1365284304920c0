//! Converts a schema's values as storing and reading the CRD does: for example, `5.0` becomes the integer 5.

use serde_json::Value;

use crate::embedded::{self, Unreadable};
use crate::prune::prune_silently;
use crate::schema::{AdditionalProperties, NestedAdditionalProperties, NestedValidation, ValueValidation};
use crate::values::numbers::{as_decoded, for_each_number, through_string};
use crate::{FieldPath, Structural};

/// Converts the numbers of all defaults and enums.
pub(super) fn through_storage(schema: &mut Structural) {
    if let Some(default) = schema.generic.default.as_deref_mut() {
        value(default);
    }
    if let Some(own) = schema.value_validation.as_deref_mut() {
        validation(own);
    }
    schema.children_mut().for_each(through_storage);
}

/// Removes from defaults everything that the API server would remove from an object: fields missing in the schema, and unknown metadata of
/// embedded resources. The default metadata of the resource itself is not changed.
///
/// Source: `PruneDefaults` in `pkg/apiserver/schema/defaulting/prune.go`.
pub(super) fn prune_defaults(schema: &mut Structural, is_root: bool) {
    let is_resource = is_root || schema.is_embedded_resource();
    if let Some(mut default) = schema.generic.default.take() {
        // Only unreadable metadata would be an error, and it is dropped.
        let _ = embedded::coerce(&mut default, schema, is_resource, Unreadable::Dropped, &FieldPath::root());
        prune_silently(&mut default, Some(schema), is_resource);
        schema.generic.default = Some(default);
    }
    for (name, property) in schema.properties.iter_mut() {
        if !(is_resource && embedded::is_own_field(name)) {
            prune_defaults(property, false);
        }
    }
    if let Some(AdditionalProperties::Schema(values)) = &mut schema.additional_properties {
        prune_defaults(values, false);
    }
    schema.items.as_deref_mut().into_iter().for_each(|items| prune_defaults(items, false));
}

fn validation(own: &mut ValueValidation) {
    own.enum_.iter_mut().flatten().for_each(value);
    let branches = [&mut own.all_of, &mut own.any_of, &mut own.one_of].into_iter().flatten().flatten();
    branches.chain(own.not.as_deref_mut()).for_each(nested);
}

fn nested(schema: &mut NestedValidation) {
    validation(&mut schema.value_validation);
    schema.properties.values_mut().for_each(nested);
    if let Some(NestedAdditionalProperties::Schema(values)) = &mut schema.additional_properties {
        nested(values);
    }
    schema.items.as_deref_mut().into_iter().for_each(nested);
}

fn value(value: &mut Value) {
    for_each_number(value, &as_decoded);
    for_each_number(value, &through_string);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::CustomResourceDefinition;
    use crate::admit::Validator;
    use crate::crd::JsonSchemaProps;
    use crate::defaults::{Defaults, Room};

    /// The expected results are responses from a server with version 1.36. Before it compares a float with an integer of an enum, the API
    /// server removes the fraction of the float.
    #[test]
    fn numbers_of_a_schema_are_those_of_a_stored_definition() {
        let accepts = |schema: Value, given: Option<Value>| {
            let crd = CustomResourceDefinition::from_value(json!({
                "metadata": {"name": "fs.example.com"},
                "spec": {
                    "group": "example.com", "scope": "Cluster", "names": {"plural": "fs", "kind": "F"},
                    "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                        "type": "object", "properties": {"v": schema},
                    }}}],
                },
            }));
            let validator = Validator::new(&crd.expect("a definition")).expect("a structural one");
            let mut object = json!({"apiVersion": "example.com/v1", "kind": "F", "metadata": {"name": "f"}});
            if let Some(given) = given {
                object["v"] = given;
            }
            validator.create(object).is_accepted()
        };
        let number = json!({"type": "number", "enum": [5.0]});
        assert!(accepts(number.clone(), Some(json!(5.5))) && !accepts(number.clone(), Some(json!(6))));
        assert!(accepts(json!({"type": "number", "allOf": [{"enum": [5.0]}]}), Some(json!(5.5))));
        let compound =
            json!({"type": "object", "properties": {"k": {"type": "number"}}, "enum": [{"k": 5.0}]});
        assert!(accepts(compound, Some(json!({"k": 5}))));
        // The limit is the smallest integer, because that of the schema does not fit.
        assert!(!accepts(json!({"type": "number", "default": 5.0, "maximum": 1e19}), None));
    }

    #[test]
    fn defaults_are_read_as_objects_are() {
        let schema =
            json!({"type": "object", "properties": {"n": {"type": "array", "default": [u64::MAX, 1]}}});
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let mut schema = Structural::from_json_schema(&schema).expect("a structural schema");
        through_storage(&mut schema);
        let mut value = json!({});
        Defaults::new(&schema).fill(&mut value, &mut Room::default()).expect("there is room");
        assert_eq!(value, json!({"n": [18_446_744_073_709_551_616.0, 1]}));
    }

    /// The response of a server of 1.36.
    #[test]
    fn defaults_have_no_unknown_metadata() {
        let resource = json!({
            "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            "default": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "example", "": "text"}, "data": {"a": "b"}},
        });
        let schema = json!({"type": "object", "properties": {"resource": resource}});
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let mut schema = Structural::from_json_schema(&schema).expect("a structural schema");
        prune_defaults(&mut schema, true);
        let mut value = json!({});
        Defaults::new(&schema).fill(&mut value, &mut Room::default()).expect("there is room");
        let expected = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "example"}, "data": {"a": "b"}});
        assert_eq!(value["resource"], expected);
    }
}
