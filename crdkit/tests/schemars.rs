//! `CrdSchema` in the place of `JsonSchema`: what generators other than crdkit's are told, kube-derive's among them.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = ("self.min <= self.max", "min is above max"), exactly_one_of = ["a", "b"])]
struct Spec {
    #[crd(validation = "self > 0", immutable)]
    min: i32,
    max: i32,
    #[crd(list_type = "map", list_map_keys = ["name"], item_validation = "self.name != ''")]
    parts: Vec<Part>,
    #[crd(int_or_string, nullable = true)]
    port: String,
    #[crd(value_validation = "self > 0")]
    counts: BTreeMap<String, i32>,
    #[crd(schema = r#"{"type": "string", "format": "byte"}"#)]
    bytes: Vec<u8>,
    #[crd(schema_patch = r#"{"maxLength": 9}"#, printcolumn, max_description = 20)]
    a: Option<String>,
    #[crd(immutable)]
    b: Option<String>,
    mode: Mode,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.name != 'x'")]
struct Part {
    name: String,
    #[crd(preserve_unknown_fields)]
    any: Empty,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Empty {}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Mode {
    /// The first.
    A,
    B,
}

/// Returns the schema as kube-derive asks for it.
fn schema() -> Value {
    let settings = SchemaSettings::openapi3().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<Spec>().to_value()
}

#[test]
fn marks_are_keywords() {
    let schema = schema();
    let text = schema.to_string();
    assert!(!text.contains("x-crdkit"), "{schema:#}");
    let rules = &schema["x-kubernetes-validations"];
    assert_eq!(rules[0], json!({"rule": "self.min <= self.max", "message": "min is above max"}));
    assert_eq!(rules[1]["message"], "exactly one of a and b must be set");
    // A field that may be absent can be set once.
    assert_eq!(rules[2]["rule"], "!has(oldSelf.b) || has(self.b)");
    let fields = &schema["properties"];
    assert_eq!(fields["min"]["x-kubernetes-validations"][0]["rule"], "self > 0");
    assert_eq!(fields["min"]["x-kubernetes-validations"][1]["rule"], "self == oldSelf");
    let parts = &fields["parts"];
    assert_eq!(parts["x-kubernetes-list-map-keys"], json!(["name"]));
    let item: Vec<_> = parts["items"]["x-kubernetes-validations"].as_array().into_iter().flatten().collect();
    assert_eq!(item, [&json!({"rule": "self.name != 'x'"}), &json!({"rule": "self.name != ''"})]);
    assert_eq!(parts["items"]["properties"]["any"]["x-kubernetes-preserve-unknown-fields"], true);
    assert_eq!(fields["port"]["x-kubernetes-int-or-string"], true);
    assert_eq!(fields["port"]["nullable"], true);
    assert_eq!(fields["counts"]["additionalProperties"]["x-kubernetes-validations"][0]["rule"], "self > 0");
    assert_eq!(fields["bytes"], json!({"type": "string", "format": "byte"}));
    assert_eq!(fields["a"]["maxLength"], 9);
    assert_eq!(fields["mode"]["enum"], json!(["A", "B"]));
    assert_eq!(fields["mode"]["description"], "- `A`: The first.");
}

#[test]
fn types_that_are_referred_to_say_the_same() {
    let schema = schemars::schema_for!(Spec).to_value();
    assert!(!schema.to_string().contains("x-crdkit"), "{schema:#}");
    assert_eq!(schema["$defs"]["Part"]["x-kubernetes-validations"][0]["rule"], "self.name != 'x'");
    assert_eq!(schema["properties"]["parts"]["x-kubernetes-list-type"], "map");
}

/// A field that serde writes by functions of a module, whose schema is given.
#[derive(CrdSchema, Serialize, Deserialize)]
struct ByModule {
    #[serde(with = "as_text")]
    #[crd(schema = r#"{"type": "string"}"#)]
    given: u8,
    #[serde(with = "as_text")]
    #[schemars(with = "String")]
    named: u8,
}

mod as_text {
    pub(super) fn serialize<S: serde::Serializer>(value: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.to_string())
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[test]
fn a_module_of_serde_needs_a_schema() {
    let schema = schemars::SchemaGenerator::default().into_root_schema_for::<ByModule>().to_value();
    assert_eq!(schema["properties"]["given"]["type"], "string");
    assert_eq!(schema["properties"]["named"]["type"], "string");
    let read: ByModule =
        serde_json::from_value(serde_json::json!({"given": "1", "named": "2"})).expect("it fits");
    assert_eq!(read.given + read.named, 3);
}
