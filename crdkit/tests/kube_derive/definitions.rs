//! Definitions of several versions, schemas by hand, and objects as they are read.

use super::*;
use crate::fields::GizmoStatus;
use crate::specs::Strict;

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

/// The fields of an object without a spec are written and read next to its own, with those of a map that is flattened.
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
