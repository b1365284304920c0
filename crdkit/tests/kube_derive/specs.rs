//! Specs of all shapes.

use super::*;
use crate::fields::{Gizmo, GizmoStatus, gizmo};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Strict")]
#[serde(deny_unknown_fields)]
pub(super) struct StrictSpec {
    a: bool,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Either")]
enum EitherSpec {
    First { a: i32 },
    Second(String),
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Wrapped")]
struct WrappedSpec(BTreeMap<String, i32>);

/// The same field twice, which kube-derive panics at: with the same schema, with two docs, and with a tag.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Same")]
#[serde(tag = "type")]
enum SameSpec {
    A {
        /// As a.
        inner: i32,
    },
    B {
        /// As b.
        inner: i32,
    },
}

/// A unit variant next to others, which no schema of one type holds.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Mix", no_test)]
struct MixSpec {
    field: Mixed,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
enum Mixed {
    Unit,
    Tuple(i32),
}

/// The same as the spec itself, next to a variant with a value, and beside one with fields.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "UnitOrValue", no_test)]
enum UnitOrValueSpec {
    /// A text.
    A,
    /// An object.
    B(u32),
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "UnitOrStruct", no_test)]
enum UnitOrStructSpec {
    /// A text.
    A,
    /// An object.
    B { inner: u32 },
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Holder", no_test)]
struct HolderSpec {
    held: UnitOrValue,
}

// ANCHOR: embedded
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Box")]
struct BoxSpec {
    held: Gizmo,
    flat: Option<Plainly>,
}
// ANCHOR_END: embedded

#[test]
fn objects_within_objects() {
    let held = field::<Box>("held");
    // Differs: kube-derive's schema has no metadata, so that the API server drops what the object writes of it.
    assert_eq!((&held["type"], &held["x-kubernetes-embedded-resource"]), (&json!("object"), &json!(true)));
    assert_eq!(held["properties"]["spec"]["properties"]["name"], json!({"type": "string"}));
    assert_eq!(held["properties"]["status"]["properties"]["selector"], json!({"type": "string"}));
    assert_eq!(held["required"], json!(["spec"]));
    let flat = field::<Box>("flat");
    assert_eq!((&flat["nullable"], &flat["properties"]["a"]["type"]), (&json!(true), &json!("integer")));
    let rules: Vec<Value> = flat["x-kubernetes-validations"].as_array().cloned().unwrap_or_default();
    assert_eq!(rules.iter().filter(|rule| **rule == json!({"rule": "self.a > 0"})).count(), 1, "{flat}");
    // The API server keeps all that is written.
    let plainly = Plainly::new("in", PlainlySpec { a: 1 });
    let object = Box::new("out", BoxSpec { held: gizmo(), flat: Some(plainly) });
    let written = serde_json::to_value(object).expect("it is data");
    let crd = <Box as CustomResource>::crd().expect("it has a definition");
    let validator = crd_core::admit::Validator::new(&crd).expect("the API server takes it");
    let stored = validator.create(written.clone()).result.expect("the API server takes it");
    assert_eq!(stored["spec"]["held"], written["spec"]["held"]);
    assert_eq!(stored["spec"]["flat"], written["spec"]["flat"]);
}

#[test]
fn other_specs() {
    assert_eq!(schema::<Strict>()["properties"]["spec"].get("additionalProperties"), None);
    let either = &schema::<Either>()["properties"]["spec"];
    assert_eq!(either["oneOf"], json!([{"required": ["First"]}, {"required": ["Second"]}]));
    let map = json!({"type": "object", "additionalProperties": {"type": "integer", "format": "int32"}});
    assert_eq!(schema::<Wrapped>()["properties"]["spec"], map);
    let same = &schema::<Same>()["properties"]["spec"];
    assert_eq!(same["required"], json!(["type", "inner"]));
    assert_eq!(same["properties"]["type"]["enum"], json!(["A", "B"]));
}

#[test]
fn impossible_shapes_are_errors_that_name_the_type() {
    let error = <Mix as CustomResource>::crd().expect_err("no schema holds it");
    assert_eq!((error.type_name(), error.field()), ("Mixed", ".spec.field"));
    assert!(error.is_schema() && !error.help().is_empty());
    let error = <UnitOrValue as CustomResource>::crd().expect_err("no schema holds it");
    assert_eq!((error.type_name(), error.field()), ("UnitOrValueSpec", ".spec"));
    // Objects have a schema of their own, by which others hold them.
    let error = <Holder as CustomResource>::crd().expect_err("no schema holds it");
    assert_eq!((error.type_name(), error.field()), ("UnitOrValueSpec", ".spec.held.spec"));
    let error = <UnitOrStruct as CustomResource>::crd().expect_err("no schema holds it");
    assert_eq!((error.type_name(), error.field()), ("UnitOrStructSpec", ".spec"));
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "clux.dev",
    version = "v1",
    kind = "Typed",
    status = "GizmoStatus",
    printcolumn(name = "A", type_ = "integer", json_path = ".spec.a", priority = 1, description = "About a"),
    // Fields that are not there, as kube-derive's own definition has them.
    printcolumn(name = "B", type_ = "string", json_path = ".spec.b"),
    unchecked_paths,
    unchecked,
    scale(spec_replicas_path = ".spec.a", status_replicas_path = ".status.replicas")
)]
struct TypedSpec {
    a: i32,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "clux.dev",
    version = "v1",
    kind = "Raw",
    status = "GizmoStatus",
    printcolumn = r#"{"name": "A", "type": "integer", "jsonPath": ".spec.a", "priority": 1, "description": "About a"}"#,
    printcolumn = r#"{"name": "B", "type": "string", "jsonPath": ".spec.b"}"#,
    unchecked_paths,
    unchecked,
    scale = r#"{"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.replicas"}"#
)]
struct RawSpec {
    a: i32,
}

#[test]
fn attributes_in_parts_say_the_same_as_in_json() {
    let version = |crd| serde_json::to_value(crd).expect("it is data")["spec"]["versions"][0].take();
    let (typed, raw) = (version(Typed::crd()), version(Raw::crd()));
    assert_eq!(typed["additionalPrinterColumns"], raw["additionalPrinterColumns"]);
    assert_eq!(typed["subresources"], raw["subresources"]);
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Plainly", no_spec, status = "GizmoStatus")]
#[kube(validation = "self.a > 0")]
#[x_kube(validation = Rule::new("self.a < 10").message("below ten"))]
pub(super) struct PlainlySpec {
    a: i32,
}

#[test]
fn without_a_spec() {
    let object: Plainly =
        serde_json::from_value(json!({"metadata": {"name": "x"}, "a": 1})).expect("it is one");
    assert_eq!(object.spec().a, 1);
    let properties = &schema::<Plainly>()["properties"];
    assert_eq!((properties.get("spec"), &properties["a"]["type"]), (None, &json!("integer")));
    assert_eq!(properties["status"]["properties"]["selector"]["type"], "string");
    // Rules of the fields' type stand next to those of the object, of which they are the fields.
    let rules: Vec<Value> =
        schema::<Plainly>()["x-kubernetes-validations"].as_array().cloned().unwrap_or_default();
    assert!(rules.contains(&json!({"rule": "self.a > 0"})));
    assert!(rules.contains(&json!({"rule": "self.a < 10", "message": "below ten"})));
}
