//! The model reads and writes every schema without loss, and so does the structural form.

use crd_core::Structural;
use crd_core::crd::JsonSchemaProps;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

proptest! {
    #[test]
    fn schemas_survive_the_model(schema in schema()) {
        let read = JsonSchemaProps::from_value(schema.clone()).expect("every keyword has the right type");
        let written = read.to_value();
        prop_assert_eq!(&written, &schema);
        prop_assert_eq!(property_order(&written), property_order(&schema));
    }

    #[test]
    fn schemas_survive_the_structural_form(schema in schema()) {
        let read = JsonSchemaProps::from_value(known_only(schema)).expect("every keyword has the right type");
        let structural = Structural::from_json_schema(&read).expect("only keywords of structural schemas");
        prop_assert_eq!(structural.to_json_schema(), read);
    }

    #[test]
    fn no_value_makes_reading_panic(value in any_json()) {
        let _ = JsonSchemaProps::from_value(value.clone());
        let _ = crd_core::CustomResourceDefinition::from_value(value);
    }
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = vec(keyword(), 0..6).prop_map(|keywords| Value::Object(keywords.into_iter().collect()));
    leaf.prop_recursive(4, 32, 4, |inner| {
        let properties = vec((name(), inner.clone()), 1..4);
        (vec(keyword(), 0..6), parts(properties.boxed(), inner.boxed())).prop_map(|(keywords, parts)| {
            let mut schema: Map<String, Value> = keywords.into_iter().collect();
            schema.extend(parts);
            Value::Object(schema)
        })
    })
}

/// Returns the keywords that hold schemas.
fn parts(
    properties: BoxedStrategy<Vec<(String, Value)>>,
    inner: BoxedStrategy<Value>,
) -> BoxedStrategy<Vec<(String, Value)>> {
    let properties = properties.prop_map(|list| ("properties", Value::Object(list.into_iter().collect())));
    let one = (select(vec!["items", "not", "additionalProperties"]), inner.clone());
    let many = (select(vec!["allOf", "anyOf", "oneOf"]), vec(inner, 0..3).prop_map(Value::from));
    let part = prop_oneof![properties, one, many];
    vec(part.prop_map(|(name, value)| (name.to_owned(), value)), 0..4).boxed()
}

/// Returns a keyword with a value of its type, or a key that the API does not have.
fn keyword() -> impl Strategy<Value = (String, Value)> {
    let text = select(vec!["type", "format", "title", "description", "pattern", "x-kubernetes-list-type"]);
    let flag = select(vec!["nullable", "exclusiveMaximum", "uniqueItems", "x-kubernetes-int-or-string"]);
    let count = select(vec!["maxLength", "minItems", "maxProperties"]);
    let number = select(vec!["maximum", "minimum", "multipleOf"]);
    let names = select(vec!["required", "x-kubernetes-list-map-keys"]);
    let numbers = prop_oneof![any::<i64>().prop_map(Value::from), (-1e9..1e9).prop_map(Value::from)];
    prop_oneof![
        (text, "\\PC{1,8}".prop_map(Value::from)),
        (flag, any::<bool>().prop_map(Value::from)),
        (count, any::<i64>().prop_map(Value::from)),
        (number, numbers),
        (names, vec(name(), 0..3).prop_map(Value::from)),
        (
            select(vec!["default", "example"]),
            any_json().prop_filter("null is absent", |value| !value.is_null())
        ),
        (Just("enum"), vec(any_json(), 0..3).prop_map(Value::from)),
        (Just("x-kubernetes-preserve-unknown-fields"), Just(json!(true))),
        (Just("x-kubernetes-validations"), name().prop_map(|rule| json!([{"rule": rule, "later": 1}]))),
        (select(vec!["readOnly", "x-other"]), any_json()),
    ]
    .prop_map(|(key, value)| (key.to_owned(), value))
}

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z$.~/ -]{1,6}"
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key =
            prop_oneof![name(), select(vec!["spec", "items", "properties", "type"]).prop_map(str::to_owned)];
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key, inner), 0..4).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Returns the schema without the keys that structural schemas cannot contain.
fn known_only(mut schema: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.retain(|key, _| key != "readOnly" && key != "x-other");
        for (key, value) in schema {
            match key.as_str() {
                "properties" => {
                    let properties = value.as_object_mut().expect("the generator makes an object");
                    properties.values_mut().for_each(|schema| *schema = known_only(schema.take()));
                }
                "items" | "not" | "additionalProperties" => *value = known_only(value.take()),
                "allOf" | "anyOf" | "oneOf" => {
                    let schemas = value.as_array_mut().expect("the generator makes a list");
                    schemas.iter_mut().for_each(|schema| *schema = known_only(schema.take()));
                }
                _ => {}
            }
        }
    }
    schema
}

/// Returns the names of properties in order, at every depth.
fn property_order(schema: &Value) -> Vec<String> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.flat_map(|(name, schema)| [vec![name.clone()], property_order(schema)].concat()).collect()
}
