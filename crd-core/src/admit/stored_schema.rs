//! Values in a schema, as the definition holds them that was stored and read again: `5.0` is the integer 5 there.

use serde_json::Value;

use crate::Structural;
use crate::schema::{NestedAdditionalProperties, NestedValidation, ValueValidation};
use crate::values::numbers::{as_decoded, for_each_number, through_text};

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
    for_each_number(value, &through_text);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::CustomResourceDefinition;
    use crate::admit::Validator;

    /// Answers of a server of 1.36. A float is compared with an integer of an enum without its fraction.
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
}
