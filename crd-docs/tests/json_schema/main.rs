//! JSON Schemas against admission: what strict field validation accepts is accepted, and what breaks a keyword that JSON Schema has is
//! refused.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

mod samples;

use std::path::{Path, PathBuf};

use crd_core::CustomResourceDefinition;
use crd_core::admit::{FieldValidation, Submitted, Validator};
use crd_docs::json_schema::{Draft, SchemaOptions, json_schema};
use serde_json::{Value, json};

const DRAFTS: [Draft; 3] = [Draft::Draft4, Draft::Draft7, Draft::Draft202012];

const DEFINITION: &str = r#"
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, kind: Shirt}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          metadata: {type: object, properties: {name: {type: string, maxLength: 8}}}
          spec:
            type: object
            x-kubernetes-validations:
            - {rule: "!has(self.size) || self.size != 13", message: no unlucky sizes}
            required: [color]
            properties:
              color: {type: string, enum: [red, green], nullable: true}
              size: {type: integer, minimum: 1, exclusiveMinimum: true, maximum: 60, multipleOf: 1}
              ratio: {type: number, maximum: 1, exclusiveMaximum: true}
              port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
              memory: {x-kubernetes-int-or-string: true, pattern: '^\d+Mi$', nullable: true}
              name: {type: string, minLength: 2, maxLength: 4, pattern: '\A[a-z]+\z'}
              mode: {type: string, pattern: '^(?i:on|[[:digit:]]|\p{Greek})$'}
              address: {type: string, format: ipv4}
              link: {type: string, format: uri}
              tags: {type: array, x-kubernetes-list-type: set, minItems: 1, maxItems: 3, items: {type: string}}
              labels: {type: object, maxProperties: 2, additionalProperties: {type: string}}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: object, properties: {a: {type: string}}}}}
              steps: {type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: object, properties: {known: {type: object, properties: {a: {type: string}}}}}}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              filled:
                type: object
                properties: {a: {type: string, default: x}, b: {type: string}}
                required: [a]
                minProperties: 2
                anyOf: [{required: [a], properties: {b: {maxLength: 3}}}]
              union:
                type: object
                nullable: true
                properties: {a: {type: string}, b: {type: string}, c: {type: integer}}
                oneOf: [{required: [a]}, {required: [b]}]
                not: {properties: {c: {minimum: 10}}, required: [c]}
"#;

fn definition(text: &str) -> CustomResourceDefinition {
    CustomResourceDefinition::from_value(serde_yaml::from_str(text).unwrap()).unwrap()
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus")
}

fn accepts(schema: &Value, object: &Value) -> bool {
    let options = jsonschema::options().should_validate_formats(true);
    options.build(schema).unwrap().is_valid(object)
}

fn object(spec: &Value) -> Value {
    json!({"apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {"name": "a", "namespace": "b"}, "spec": spec})
}

/// Returns the strict schema of the version `v1`.
fn strict_schema(crd: &CustomResourceDefinition, draft: Draft) -> Value {
    json_schema(crd, "v1", SchemaOptions::default().with_draft(draft).with_strict(true)).unwrap()
}

/// Fields next to a colour, and whether the server accepts them.
fn fields() -> Vec<(Value, bool)> {
    vec![
        (json!({}), true),
        (json!({"color": null}), false),
        (json!({"color": "blue"}), false),
        (json!({"size": 2}), true),
        (json!({"size": 1}), false),
        (json!({"size": 61}), false),
        (json!({"size": "2"}), false),
        (json!({"ratio": 0.99}), true),
        (json!({"ratio": 1}), false),
        (json!({"port": 80}), true),
        (json!({"port": "http"}), true),
        (json!({"port": true}), false),
        (json!({"port": null}), true),
        (json!({"memory": "5Mi"}), true),
        (json!({"memory": 5}), true),
        (json!({"memory": null}), true),
        (json!({"memory": "5Gi"}), false),
        (json!({"name": "abc"}), true),
        (json!({"name": "a"}), false),
        (json!({"name": "abcde"}), false),
        (json!({"name": "ab\n"}), false),
        (json!({"mode": "oN"}), true),
        (json!({"mode": "7"}), true),
        (json!({"mode": "\u{3b1}"}), true),
        (json!({"mode": "off"}), false),
        (json!({"address": "10.0.0.1"}), true),
        (json!({"address": "10.0.0"}), false),
        (json!({"link": "/path"}), true),
        (json!({"tags": ["a", "b"]}), true),
        (json!({"tags": ["a", "a"]}), false),
        (json!({"tags": []}), false),
        (json!({"tags": ["a", "b", "c", "d"]}), false),
        (json!({"labels": {"a": "b"}}), true),
        (json!({"labels": {"a": 1}}), false),
        (json!({"labels": {"a": "", "b": "", "c": ""}}), false),
        (json!({"unknown": 1}), false),
        (json!({"open": {"anything": [1], "known": {"a": "b"}}}), true),
        (json!({"open": {"known": {"b": "a"}}}), false),
        (json!({"steps": [{"anything": 1, "known": {"a": "b"}}]}), true),
        (json!({"steps": [{"known": {"b": "a"}}]}), false),
        (json!({"template": {"apiVersion": "v1", "kind": "Pod", "spec": {}}}), true),
        (json!({"template": {"kind": "Pod"}}), false),
        (json!({"filled": {"b": "y"}}), true),
        (json!({"filled": {"b": "long"}}), false),
        (json!({"filled": {}}), false),
        (json!({"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": 1}}}}), false),
        (json!({"union": null}), true),
        (json!({"union": {"a": "x"}}), true),
        (json!({"union": {"a": "x", "b": "y"}}), false),
        (json!({"union": {}}), false),
        (json!({"union": {"a": "x", "c": 10}}), false),
        (json!({"union": {"a": "x", "c": 9}}), true),
    ]
}

#[test]
fn schemas_agree_with_strict_admission() {
    let crd = definition(DEFINITION);
    let validator = Validator::new(&crd).unwrap().with_field_validation(FieldValidation::Strict);
    let schemas = DRAFTS.map(|draft| strict_schema(&crd, draft));
    for (fields, accepted) in fields() {
        let mut spec = json!({"color": "red"});
        spec.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let object = object(&spec);
        let admission = validator.create(Submitted::from(object.clone()));
        assert_eq!(admission.is_accepted(), accepted, "admission of {fields}");
        for (schema, draft) in schemas.iter().zip(DRAFTS) {
            assert_eq!(accepts(schema, &object), accepted, "{draft:?} of {fields}");
        }
    }
}

#[test]
fn the_root_is_of_its_kind_and_metadata_is_known() {
    let crd = definition(DEFINITION);
    let strict = json_schema(&crd, "v1", SchemaOptions::default().with_strict(true)).unwrap();
    let lenient = json_schema(&crd, "v1", SchemaOptions::default()).unwrap();
    let right = object(&json!({"color": "red"}));
    for (pointer, value, in_strict, in_lenient) in [
        ("/kind", json!("Skirt"), false, false),
        ("/apiVersion", json!("stable.example.com/v2"), false, false),
        ("/metadata/name", json!("longer-than-8"), false, false),
        ("/metadata/labels", json!({"a": 1}), false, false),
        ("/metadata/creationTimestamp", Value::Null, true, true),
        ("/metadata/nmae", json!("a"), false, true),
        ("/spec/colour", json!("red"), false, true),
    ] {
        let mut object = right.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        object.pointer_mut(parent).unwrap()[name] = value;
        assert_eq!(
            (accepts(&strict, &object), accepts(&lenient, &object)),
            (in_strict, in_lenient),
            "{pointer}"
        );
    }
}

#[test]
fn what_cannot_be_said_is_named() {
    let crd = definition(DEFINITION);
    let schema = json_schema(&crd, "v1", SchemaOptions::default()).unwrap();
    let spec = &schema["properties"]["spec"];
    assert_eq!(spec["$comment"], json!("not checked: rule: !has(self.size) || self.size != 13"));
    assert_eq!(
        spec["markdownDescription"],
        json!("- no unlucky sizes: ` !has(self.size) || self.size != 13 `")
    );
    assert_eq!(
        schema["defaultSnippets"][0]["body"],
        json!({"apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {"name": "${1:name}"}, "spec": {"color": "red"}})
    );
}

/// The objects that a real API server stored, by the schemas of their definitions. Needs the corpus next to the project.
#[test]
#[ignore = "needs the corpus beside the project"]
fn stored_objects_of_the_corpus_are_accepted() {
    let corpus = corpus();
    let verdicts = std::fs::read_to_string(corpus.join("sample-verdicts.jsonl")).unwrap();
    let mut schemas = std::collections::HashMap::new();
    let (mut asked, mut refused) = (0, Vec::new());
    for line in verdicts.lines() {
        let verdict: Value = serde_json::from_str(line).unwrap();
        let (object, crd) = (&verdict["object"], verdict["crd"].as_str().unwrap());
        let Some(api_version) = object["apiVersion"].as_str() else { continue };
        let key = (crd.to_owned(), api_version.to_owned());
        let schema = schemas.entry(key).or_insert_with(|| {
            let text = std::fs::read_to_string(corpus.join("crds").join(crd)).unwrap();
            let crd = CustomResourceDefinition::from_value(serde_yaml::from_str(&text).ok()?).unwrap();
            let version = api_version.rsplit('/').next().unwrap();
            let is_stored = crd.spec.versions.iter().any(|found| found.storage && found.name == version);
            let schema = json_schema(&crd, version, SchemaOptions::default().with_strict(true)).unwrap();
            let options = jsonschema::options().should_validate_formats(true);
            Some((options.build(&schema).unwrap(), is_stored))
        });
        // What passes through the schema of another version may lose fields that its own requires.
        let Some((schema, true)) = schema else { continue };
        asked += 1;
        if let Err(error) = schema.validate(object) {
            refused.push(format!("{} {}: {error}", verdict["sample"], error.instance_path()));
        }
    }
    assert!(asked > 500 && refused.is_empty(), "{} of {asked}:\n{}", refused.len(), refused.join("\n"));
}
