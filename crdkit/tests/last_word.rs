//! Patches, schemas that replace the schema of a type, defaults, conversion and `post_process`.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource, CustomResourceDefinition};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A type of another crate, which knows of no schema.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
struct Foreign(i64, String);

fn port(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer", "minimum": 1, "maximum": 65535})
}

fn forget_categories(crd: &mut CustomResourceDefinition) {
    crd.spec.names.categories = None;
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Valve", status = "ValveStatus", namespaced)]
#[crd(category = "all", post_process = forget_categories)]
#[crd(object_name(pattern = "^[a-z]+$", min_length = 3, max_length = 40))]
#[crd(
    spec_default = r#"{"ports": 1, "address": "10.0.0.1", "nested": {"size": 4}}"#,
    status_default = r#"{"open": false}"#
)]
#[crd(crd_preserve_unknown_fields = false)]
#[crd(version_patch = r#"{"schema": {"openAPIV3Schema": {"description": "A valve."}}}"#)]
#[crd(patch = r#"{"metadata": {"annotations": {"example.com/a": "b"}}, "spec": {"scope": "Cluster"}}"#)]
#[crd(conversion(
    service(namespace = "default", name = "hook", path = "/convert", port = 8443),
    ca_bundle = "Y2E=",
    review_versions = ["v1", "v1beta1"]
))]
#[crd(schema_patch = r#"{"minProperties": 1}"#)]
#[crd(schema_at(".template.limits[*]", r#"{"x-kubernetes-int-or-string": true}"#))]
struct ValveSpec {
    /// Where it listens.
    #[crd(schema_with = port, validation = "self != 80")]
    ports: Foreign,
    /// A pair.
    #[serde(default)]
    #[crd(
        schema = r#"{"type": "array", "items": {"x-kubernetes-int-or-string": true}, "default": [0, ""]}"#
    )]
    pair: Foreign,
    #[crd(schema = r#"{"type": "string"}"#)]
    optional: Option<Foreign>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(
        schema = r#"{"type": "object", "required": ["a"], "anyOf": [{"required": ["b"]}], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}"#
    )]
    object: Option<Foreign>,
    #[schemars(length(max = 9))]
    #[crd(schema_patch = r#"{"maxLength": null, "format": "ipv4"}"#)]
    address: String,
    nested: Nested,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[crd(schema_at(".parts[].mode", r#"{"type": "string", "enum": ["open", "shut"]}"#))]
    #[crd(schema_at(".a\\.b", r#"{"type": "object", "x-kubernetes-preserve-unknown-fields": true}"#))]
    template: Option<Template>,
}

/// A type of another crate, without attributes of crdkit.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct Template {
    parts: Vec<Part>,
    limits: BTreeMap<String, String>,
    #[serde(rename = "a.b")]
    dotted: String,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct Part {
    /// How it is.
    mode: String,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(schema_patch = r#"{"properties": {"size": {"multipleOf": 2}}}"#)]
struct Nested {
    #[crd(schema_patch = r#"{"multipleOf": 4}"#)]
    size: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct ValveStatus {
    open: bool,
}

fn root(crd: &Value) -> &Value {
    &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
}

#[test]
fn a_definition_is_patched_and_processed() -> Result<(), crdkit::Error> {
    let crd = Valve::crd()?;
    assert_eq!(crd_core::check(&crd), []);
    let crd = crd.to_value();
    assert_eq!(crd["metadata"]["annotations"], json!({"example.com/a": "b"}));
    assert_eq!(crd["spec"]["scope"], "Cluster");
    assert_eq!(crd["spec"]["names"].get("categories"), None);
    assert_eq!(crd["spec"]["preserveUnknownFields"], false);
    assert_eq!(
        crd["spec"]["conversion"],
        json!({"strategy": "Webhook", "webhook": {
            "clientConfig": {
                "service": {"namespace": "default", "name": "hook", "path": "/convert", "port": 8443},
                "caBundle": "Y2E=",
            },
            "conversionReviewVersions": ["v1", "v1beta1"],
        }})
    );
    let root = root(&crd);
    assert_eq!(root["description"], "A valve.");
    assert_eq!(
        root["properties"]["metadata"]["properties"]["name"],
        json!({"type": "string", "pattern": "^[a-z]+$", "minLength": 3, "maxLength": 40})
    );
    assert_eq!(
        root["properties"]["spec"]["default"],
        json!({"ports": 1, "address": "10.0.0.1", "nested": {"size": 4}})
    );
    assert_eq!(root["properties"]["status"]["default"], json!({"open": false}));
    Ok(())
}

#[test]
fn schemas_are_replaced_and_patched() -> Result<(), crdkit::Error> {
    let crd = Valve::crd()?.to_value();
    let spec = &root(&crd)["properties"]["spec"];
    assert_eq!(spec["minProperties"], 1);
    assert_eq!(spec["required"], json!(["ports", "address", "nested"]));
    let properties = &spec["properties"];
    assert_eq!(
        properties["ports"],
        json!({
            "type": "integer", "minimum": 1, "maximum": 65535, "description": "Where it listens.",
            "x-kubernetes-validations": [{"rule": "self != 80"}],
        })
    );
    assert_eq!(
        properties["pair"],
        json!({
            "type": "array", "items": {"x-kubernetes-int-or-string": true}, "default": [0, ""],
            "description": "A pair.",
        })
    );
    // Serde may write this `None` as null.
    assert_eq!(properties["optional"], json!({"type": "string", "nullable": true}));
    // What is given is not changed.
    assert_eq!(properties["object"]["anyOf"], json!([{"required": ["b"]}]));
    assert_eq!(properties["object"]["required"], json!(["a"]));
    assert_eq!(properties["address"], json!({"type": "string", "format": "ipv4"}));
    let template = &properties["template"]["properties"];
    // Nothing is left of what stood there.
    let mode = &template["parts"]["items"]["properties"]["mode"];
    assert_eq!(*mode, json!({"type": "string", "enum": ["open", "shut"]}));
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    assert_eq!(template["a.b"], open);
    assert_eq!(template["limits"]["additionalProperties"], json!({"x-kubernetes-int-or-string": true}));
    // The type's patch comes after those of its fields.
    assert_eq!(properties["nested"]["properties"]["size"]["multipleOf"], 2);
    Ok(())
}

const NOTHING: &str = r#"{"type": "string"}"#;

/// Returns an error on one line: its type, its field, the message and the help.
fn one_line(error: &crdkit::Error) -> String {
    let names = [error.type_name(), error.field()].into_iter().filter(|name| !name.is_empty());
    let names: String = names.map(|name| format!("`{name}`: ")).collect();
    let help = if error.help().is_empty() { String::new() } else { format!("; help: {}", error.help()) };
    format!("{names}{}{help}", error.causes()[0].message())
}

/// The error of a definition whose patches are constants, which a macro cannot read.
macro_rules! error_of {
    ([$($resource:tt)*], [$($field:tt)*]) => {{
        #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
        #[crd(group = "example.com", version = "v1", kind = "Broken", no_test $($resource)*)]
        struct Spec {
            #[crd(nullable = false $($field)*)]
            a: String,
        }
        one_line(&<Broken as CustomResource>::crd().expect_err("a patch is wrong"))
    }};
}

#[test]
fn a_patch_that_finds_nothing_is_an_error() {
    assert_eq!(
        error_of!([], [, schema_patch = NOTHING]),
        "`Spec`: `.spec.a`: has a `schema_patch` that changes nothing: `{\"type\":\"string\"}` is already \
         there; help: compare it with the schema of `crd()`"
    );
    assert_eq!(
        error_of!([, schema_at(".b", NOTHING)], []),
        "`Spec`: `.spec`: has a `schema_at` that is not in the schema: `.b`; help: compare it with the schema of `crd()`"
    );
    assert_eq!(
        error_of!([, schema_at(".a", NOTHING)], []),
        "`Spec`: `.spec`: has a `schema_at` that changes nothing: `.a` is already `{\"type\": \"string\"}`; \
         help: compare it with the schema of `crd()`"
    );
    assert_eq!(
        error_of!([, patch = NOTHING, patch = r#"{"spec": {"names": {"categories": null}}}"#], []),
        "`Spec`: has a `patch` that removes `spec.names.categories`, which is not there; help: compare it with `crd()`"
    );
    assert_eq!(
        error_of!([, version_patch = r#"{"schemas": 1}"#], []),
        "`Spec`: has a patch that sets `spec.versions[0].schemas`, which is not a field of a CRD; help: see the API of \
         `CustomResourceDefinition`"
    );
    assert_eq!(
        error_of!([, post_process = |_: &mut CustomResourceDefinition| Err("not today")], []),
        "`Spec`: `post_process` rejects it: not today"
    );
}
