//! What kube-derive's own tests ask of it, asked of this derive with the imports changed. Where the answer differs on
//! purpose, the test says how; the book's page "Coming from kube-derive" says why.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use crdkit::{CrdSchema as KubeSchema, CustomResource};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::core::object::{HasSpec, HasStatus};
use kube::core::{CustomResourceExt, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The schema that an API server would get, from k8s-openapi's type.
fn schema<R: CustomResourceExt>() -> Value {
    let crd = serde_json::to_value(R::crd()).expect("it is data");
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// The schema of the field `field` of the spec.
fn field<R: CustomResourceExt>(field: &str) -> Value {
    schema::<R>()["properties"]["spec"]["properties"][field].clone()
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "clux.dev",
    version = "v1",
    kind = "Gizmo",
    category = "gadgets",
    shortname = "gz",
    namespaced,
    status = "GizmoStatus",
    derive = "PartialEq",
    label("team", "a"),
    annotation("note", "b"),
    selectable = ".spec.name",
    deprecated = "use v2",
    // The only version is not stored, which kube-derive's own definition says too.
    storage = false,
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    )
)]
#[serde(rename_all = "camelCase")]
struct GizmoSpec {
    name: String,
    replicas: u32,
    /// With a null.
    maybe: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    #[serde(default = "forty_two")]
    with_default: u8,
    when: Option<DateTime<Utc>>,
    #[x_kube(validation = "!has(self.numbered) || self.numbered.int > 22")]
    complex: Complex,
    untagged: Size,
    #[schemars(length(min = 1))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    tags: Vec<String>,
    #[validate(length(min = 1))]
    list: Vec<String>,
    #[serde(default = "nullable")]
    nullable_with_default: Option<String>,
    #[serde(default = "GizmoSpec::default_flag")]
    flag: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<IntOrString>,
    unique: HashSet<String>,
}

fn forty_two() -> u8 {
    42
}

fn nullable() -> Option<String> {
    Some("a".to_owned())
}

impl GizmoSpec {
    fn default_flag() -> bool {
        true
    }
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Complex {
    /// By number.
    Numbered {
        int: i32,
    },
    Named {
        text: String,
    },
    Open {},
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(untagged)]
enum Size {
    Area {
        width: i32,
        unit: String,
    },
    /// The variant is no part of the schema, and this is not said of its field.
    Bought {
        bought: DateTime<Utc>,
    },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct GizmoStatus {
    replicas: i32,
    selector: String,
}

fn gizmo() -> Gizmo {
    let spec = GizmoSpec {
        name: "a".to_owned(),
        replicas: 1,
        maybe: None,
        skipped: None,
        with_default: 42,
        when: None,
        complex: Complex::Numbered { int: 23 },
        untagged: Size::Area { width: 1, unit: "x".to_owned() },
        tags: vec!["t".to_owned()],
        list: vec![String::new()],
        nullable_with_default: None,
        flag: false,
        port: None,
        unique: HashSet::new(),
    };
    Gizmo::new("mine", spec)
}

#[test]
fn names_and_flags() {
    assert_eq!(Gizmo::crd_name(), "gizmos.clux.dev");
    assert_eq!(Gizmo::shortnames(), ["gz"]);
    assert_eq!(Gizmo::kind(&()), "Gizmo");
    let crd = serde_json::to_value(Gizmo::crd()).expect("it is data");
    assert_eq!(crd["metadata"]["labels"], json!({"team": "a"}));
    assert_eq!(crd["spec"]["names"]["categories"], json!(["gadgets"]));
    let version = &crd["spec"]["versions"][0];
    assert_eq!((&version["storage"], &version["served"]), (&json!(false), &json!(true)));
    assert_eq!(version["deprecationWarning"], "use v2");
    assert_eq!(version["selectableFields"], json!([{"jsonPath": ".spec.name"}]));
    assert_eq!(version["subresources"]["scale"]["labelSelectorPath"], ".status.selector");
    assert_eq!(version["subresources"]["status"], json!({}));
    // Nothing is there that was not asked for: an empty list would be a difference for ever.
    assert_eq!(version.get("additionalPrinterColumns"), None);
}

#[test]
fn objects_are_written_as_kube_derive_writes_them() {
    let written = serde_json::to_value(gizmo()).expect("it is data");
    let expected = json!({
        "apiVersion": "clux.dev/v1",
        "kind": "Gizmo",
        "metadata": {"name": "mine", "labels": {"team": "a"}, "annotations": {"note": "b"}},
        "spec": {
            "name": "a", "replicas": 1, "maybe": null, "withDefault": 42, "when": null,
            "complex": {"numbered": {"int": 23}}, "untagged": {"width": 1, "unit": "x"}, "tags": ["t"], "list": [""],
            "nullableWithDefault": null, "flag": false, "unique": [],
        },
    });
    assert_eq!(written, expected);
    let mut read: Gizmo = serde_json::from_value(written).expect("it was just written");
    assert_eq!((read.spec(), read.status()), (&gizmo().spec, None));
    *read.status_mut() = Some(GizmoStatus { replicas: 1, selector: "a=b".to_owned() });
    assert_eq!(serde_json::to_value(&read).expect("it is data")["status"]["replicas"], 1);
}

#[test]
fn fields_of_the_schema() {
    assert_eq!(
        field::<Gizmo>("maybe"),
        json!({"description": "With a null.", "type": "string", "nullable": true})
    );
    assert_eq!(field::<Gizmo>("skipped"), json!({"type": "string", "nullable": true}));
    assert_eq!(field::<Gizmo>("when"), json!({"type": "string", "format": "date-time", "nullable": true}));
    assert_eq!(field::<Gizmo>("withDefault")["default"], 42);
    let port = field::<Gizmo>("port");
    assert_eq!((&port["nullable"], &port["x-kubernetes-int-or-string"]), (&json!(true), &json!(true)));
    let tags = field::<Gizmo>("tags");
    assert_eq!((&tags["x-kubernetes-list-type"], &tags["minItems"]), (&json!("set"), &json!(1)));
    // What `validator` is told counts too.
    assert_eq!(field::<Gizmo>("list")["minItems"], 1);
    let default = json!({"type": "string", "nullable": true, "default": "a"});
    assert_eq!(field::<Gizmo>("nullableWithDefault"), default);
    assert_eq!(field::<Gizmo>("flag"), json!({"type": "boolean", "default": true}));
    // Differs: true bounds in place of a format that the API server warns of, and sets that are sets.
    let replicas = field::<Gizmo>("replicas");
    assert_eq!((&replicas["format"], &replicas["maximum"]), (&json!("int64"), &json!(f64::from(u32::MAX))));
    assert_eq!(field::<Gizmo>("unique")["x-kubernetes-list-type"], "set");
    // Differs: no title, and no description that nobody wrote.
    assert_eq!((schema::<Gizmo>().get("title"), schema::<Gizmo>().get("description")), (None, None));
    let required = &schema::<Gizmo>()["properties"]["spec"]["required"];
    assert_eq!(*required, json!(["name", "replicas", "complex", "untagged", "tags", "list", "unique"]));
}

#[test]
fn enums_of_the_schema() {
    let complex = field::<Gizmo>("complex");
    let branches = json!([
        {"required": ["numbered"]}, {"required": ["named"]}, {"required": ["open"]},
    ]);
    assert_eq!(complex["oneOf"], branches);
    let rules = json!([{"rule": "!has(self.numbered) || self.numbered.int > 22"}]);
    assert_eq!(complex["x-kubernetes-validations"], rules);
    assert_eq!(complex["properties"]["numbered"]["description"], "By number.");
    let untagged = field::<Gizmo>("untagged");
    assert_eq!(untagged["anyOf"], json!([{"required": ["width", "unit"]}, {"required": ["bought"]}]));
    assert_eq!(untagged["properties"]["bought"], json!({"type": "string", "format": "date-time"}));
}

/// About the letters.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
enum Letters {
    /// The first.
    A,
    /// The second.
    B,
    C,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
enum Held {
    /// About the variant.
    Letters(Letters),
    Number(i32),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
enum PlainLetters {
    A,
    B,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Chooser")]
struct ChooserSpec {
    letters: Letters,
    plain: PlainLetters,
    /// About the field.
    maybe: Option<Letters>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<Letters>,
    maybe_complex: Option<Complex>,
    held: Held,
    #[serde(flatten)]
    untagged: Size,
    #[serde(flatten)]
    rest: HashMap<String, Value>,
}

#[test]
fn enums_where_null_may_be() {
    assert_eq!(field::<Chooser>("plain"), json!({"type": "string", "enum": ["A", "B"]}));
    let letters = field::<Chooser>("letters");
    assert!(letters["description"].as_str().is_some_and(|text| text.starts_with("About the letters.")));
    // Differs: what is said of the variants is kept.
    assert!(letters["description"].as_str().is_some_and(|text| text.contains("- `A`: The first.")));
    // Differs: a pattern takes the null that serde writes; an enum takes none, whatever `nullable` says.
    let maybe = field::<Chooser>("maybe");
    assert_eq!((&maybe["nullable"], maybe.get("enum")), (&json!(true), None));
    assert!(maybe["description"].as_str().is_some_and(|text| text.starts_with("About the field.")));
    assert_eq!(field::<Chooser>("maybe_complex")["nullable"], true);
    // What is said of a variant goes before what is said of the type that it holds.
    let held = &field::<Chooser>("held")["properties"]["Letters"]["description"];
    assert!(held.as_str().is_some_and(|text| text.starts_with("About the variant.\n\n- `A`")), "{held}");
    // A type that derives schemars' trait alone does not say how serde writes the field.
    assert_eq!(field::<Chooser>("skipped")["nullable"], true);
}

#[test]
fn flattened_fields() {
    let spec = &schema::<Chooser>()["properties"]["spec"];
    assert_eq!(spec["anyOf"], json!([{"required": ["width", "unit"]}, {"required": ["bought"]}]));
    assert_eq!(spec["x-kubernetes-preserve-unknown-fields"], true);
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Strict")]
#[serde(deny_unknown_fields)]
struct StrictSpec {
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

/// A unit variant beside others, which no schema of one type holds.
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

/// The same as the spec itself, beside a variant with a value, and beside one with fields.
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
fn what_cannot_be_is_an_error_that_names_the_type() {
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
struct PlainlySpec {
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
    // Rules of the fields' type stand beside those of the object, of which they are the fields.
    let rules: Vec<Value> =
        schema::<Plainly>()["x-kubernetes-validations"].as_array().cloned().unwrap_or_default();
    assert!(rules.contains(&json!({"rule": "self.a > 0"})));
    assert!(rules.contains(&json!({"rule": "self.a < 10", "message": "below ten"})));
}

mod v1 {
    use super::{CustomResource, Deserialize, JsonSchema, Serialize};

    #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(group = "clux.dev", version = "v1", kind = "Many")]
    pub(super) struct ManySpec {
        pub(super) old: String,
    }
}

mod v2 {
    use super::{CustomResource, Deserialize, JsonSchema, Serialize};

    #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(group = "clux.dev", version = "v2", kind = "Many")]
    pub(super) struct ManySpec {
        pub(super) new: String,
    }
}

#[test]
fn versions_are_merged() -> Result<(), crdkit::Error> {
    // Differs: `merge_crds` takes crdkit's definitions, names the stored version in the same way, and keeps the order.
    let all = [<v1::Many as CustomResource>::crd()?, <v2::Many as CustomResource>::crd()?];
    let merged = crdkit::merge_crds(all, "v2")?;
    let versions: Vec<_> =
        merged.spec.versions.iter().map(|version| (&*version.name, version.storage)).collect();
    assert_eq!(versions, [("v1", false), ("v2", true)]);
    Ok(())
}

#[test]
fn objects_of_another_kind_are_refused() {
    // Differs: kube-derive reads them, and writes them under its own kind.
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"a": true}});
    let error = serde_json::from_value::<Strict>(pod).expect_err("it is a Pod").to_string();
    assert_eq!(error, "apiVersion is `v1`, not `clux.dev/v1`");
}

/// Untagged variants with the same field, of the same schema and of two.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Twin")]
struct TwinSpec {
    equal: Equal,
    documented: Documented,
    two_types: TwoTypes,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
enum TwoTypes {
    A { inner: String },
    B { inner: u32 },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
enum Equal {
    A { inner: i32 },
    B { inner: i32, other: bool },
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
enum Documented {
    A {
        /// As a.
        inner: i32,
    },
    B {
        /// As b.
        inner: i32,
        other: bool,
    },
}

#[test]
fn untagged_variants_may_share_a_field() {
    let equal = field::<Twin>("equal");
    assert_eq!(equal["properties"]["inner"]["format"], "int32");
    assert_eq!(equal["properties"]["other"]["type"], "boolean");
    // Differs: what every variant requires is required of the object, and nothing is left that `anyOf` could say.
    assert_eq!((&equal["required"], equal.get("anyOf")), (&json!(["inner"]), None));
    // Differs: kube-derive panics where the docs differ.
    assert_eq!(field::<Twin>("documented")["properties"]["inner"]["format"], "int32");
    // Differs: and where the types do, which the API server knows as one.
    assert_eq!(field::<Twin>("two_types")["properties"]["inner"]["x-kubernetes-int-or-string"], true);
}

/// The schema is written by hand.
#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(
    group = "clux.dev",
    version = "v1",
    kind = "Handmade",
    namespaced,
    schema = "manual",
    derive = "Default"
)]
struct HandmadeSpec {
    bars: u32,
}

impl JsonSchema for Handmade {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Handmade".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let spec = json!({"type": "object", "properties": {"bars": {"type": "integer"}}});
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        schema.try_into().expect("it is a schema")
    }
}

/// There is none.
#[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "clux.dev", version = "v1", kind = "Anything", namespaced, schema = "disabled")]
struct AnythingSpec {
    bars: u32,
}

#[test]
fn schemas_by_hand_and_none() {
    assert_eq!(field::<Handmade>("bars"), json!({"type": "integer"}));
    assert_eq!(Handmade::url_path(&(), Some("myns")), "/apis/clux.dev/v1/namespaces/myns/handmades");
    // Differs: kube-derive leaves the schema out, and the API server refuses the definition.
    let nothing = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    assert_eq!(schema::<Anything>(), nothing);
    let default = serde_json::to_value(Handmade::default()).expect("it is data");
    let expected =
        json!({"apiVersion": "clux.dev/v1", "kind": "Handmade", "metadata": {}, "spec": {"bars": 0}});
    assert_eq!(default, expected);
}

/// The fields of an object without a spec are written and read beside its own, with those of a map that is flattened.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "clux.dev",
    version = "v1",
    kind = "Flat",
    no_spec,
    status = "GizmoStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
struct FlatSpec {
    first_field: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<String>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[test]
fn fields_of_the_object_itself_go_there_and_back() {
    let rest = [("extra".to_owned(), json!([1]))].into_iter().collect();
    let mut flat = Flat::new("x", FlatSpec { first_field: 1, second: None, rest });
    flat.status = Some(GizmoStatus { replicas: 1, selector: "a=b".to_owned() });
    let written = serde_json::to_value(&flat).expect("it is data");
    let expected = json!({
        "apiVersion": "clux.dev/v1", "kind": "Flat", "metadata": {"name": "x"}, "firstField": 1, "extra": [1],
        "status": {"replicas": 1, "selector": "a=b"},
    });
    assert_eq!(written, expected);
    assert_eq!(serde_json::from_value::<Flat>(written).expect("it was just written"), flat);
    assert_eq!(schema::<Flat>()["x-kubernetes-preserve-unknown-fields"], true);
}
