//! Resources written for kube-derive, with the import changed.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use kube::core::object::{HasSpec, HasStatus};
use kube::core::{CustomResourceExt, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "clux.dev",
    version = "v1",
    kind = "Foo",
    namespaced,
    status = "FooStatus",
    shortname = "fo",
    derive = "PartialEq",
    doc = "A Foo",
    annotation("note", "a"),
    label("team", "b"),
    printcolumn = r#"{"name": "Name", "jsonPath": ".spec.name", "type": "string"}"#,
    printcolumn(name = "Replicas", type_ = "integer", json_path = ".spec.replicas"),
    scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"),
    validation = Rule::new("self.metadata.name != 'x'").message("not x")
)]
#[x_kube(validation = "self.replicas >= 0")]
struct FooSpec {
    name: String,
    replicas: i32,
    #[x_kube(merge_strategy = MapMerge::Atomic)]
    labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    quantity: Option<Quantity>,
    raw: Option<RawExtension>,
}

// Nested types of users who move over derive schemars' trait alone.
// ANCHOR: conditions
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
struct FooStatus {
    replicas: i32,
    conditions: Vec<Condition>,
}
// ANCHOR_END: conditions

fn foo() -> Foo {
    let spec = FooSpec {
        name: "a".into(),
        replicas: 1,
        labels: BTreeMap::new(),
        skipped: None,
        quantity: None,
        raw: None,
    };
    Foo::new("mine", spec)
}

#[test]
fn the_definition_is_kubes() {
    // With both traits in scope `crd` is kube's, with k8s-openapi's type.
    let crd = Foo::crd();
    assert_eq!(crd.metadata.labels.as_ref().map(|labels| &*labels["team"]), Some("b"));
    assert_eq!(crd.metadata.name.as_deref(), Some(Foo::crd_name()));
    assert_eq!(Foo::shortnames(), ["fo"]);
    assert_eq!(Foo::api_resource().plural, "foos");

    let version = serde_json::to_value(&crd.spec.versions[0]).expect("it is data");
    let schema = &version["schema"]["openAPIV3Schema"];
    assert_eq!(schema["description"], "A Foo");
    assert_eq!(
        schema["x-kubernetes-validations"],
        json!([{"rule": "self.metadata.name != 'x'", "message": "not x"}])
    );
    let spec = &schema["properties"]["spec"];
    assert_eq!(spec["x-kubernetes-validations"], json!([{"rule": "self.replicas >= 0"}]));
    let properties = &spec["properties"];
    assert_eq!(properties["labels"]["x-kubernetes-map-type"], "atomic");
    // Every `Option` is nullable, as kube-derive has it.
    assert_eq!(properties["skipped"], json!({"type": "string", "nullable": true}));
    assert_eq!(properties["quantity"]["nullable"], true);
    assert_eq!(properties["raw"]["x-kubernetes-preserve-unknown-fields"], true);
    assert_eq!(version["additionalPrinterColumns"][0]["jsonPath"], ".spec.name");
    assert_eq!(version["subresources"]["scale"]["specReplicasPath"], ".spec.replicas");
}

#[test]
fn objects_are_kubes() {
    let mut foo = foo();
    assert_eq!(Foo::api_version(&()), "clux.dev/v1");
    assert_eq!(Foo::url_path(&(), Some("there")), "/apis/clux.dev/v1/namespaces/there/foos");
    assert_eq!(foo.meta().name.as_deref(), Some("mine"));
    assert_eq!(foo.spec().name, "a");
    assert_eq!(foo.status(), None);
    *foo.status_mut() = Some(FooStatus { replicas: 1, conditions: Vec::new() });
    let metadata: &ObjectMeta = foo.meta();
    // kube-derive puts labels and annotations of the definition on every object.
    assert_eq!(metadata.labels.as_ref().map(|labels| &*labels["team"]), Some("b"));
    let written = serde_json::to_value(&foo).expect("it is data");
    assert_eq!(written["apiVersion"], "clux.dev/v1");
    assert_eq!(serde_json::from_value::<Foo>(written).expect("it was just written"), foo);
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Bar", no_spec, status = "FooStatus", derive = "Default")]
#[derive(Default)]
struct BarFields {
    size: i32,
}

#[test]
fn without_a_spec_its_fields_are_the_objects() {
    let bar: Bar =
        serde_json::from_value(json!({"metadata": {"name": "a"}, "size": 3})).expect("it is a Bar");
    assert_eq!(bar.spec.size, 3);
    let written = serde_json::to_value(&bar).expect("it is data");
    assert_eq!(
        written,
        json!({"apiVersion": "example.com/v1", "kind": "Bar", "metadata": {"name": "a"}, "size": 3})
    );
    let crd = <Bar as CustomResource>::crd().expect("it has a definition").to_value();
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    assert_eq!(schema["required"], json!(["size"]));
    assert_eq!(Bar::default().spec.size, 0);
}
