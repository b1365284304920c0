//! Objects go through types with kube's derive without a loss, and the derive builds the definition around the schema.
#![deny(warnings)]

pub mod generated;
pub mod with_schemas;

use generated::derives_example_com::v1::{loose, option, oven, recipe};
use kube::{CustomResourceExt, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn main() {
    let object = |kind: &str, rest: Value| {
        let mut object = json!({"apiVersion": "derives.example.com/v1", "kind": kind, "metadata": {"name": "a"}});
        object.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        object
    };
    let spec = json!({"heat": "top", "trays": [{"name": "t"}], "memory": 1, "limits": {}, "fuel": {"gas": "g"}});
    keeps::<oven::Oven>(&object("Oven", json!({"spec": spec, "status": {"phase": "hot"}})));
    keeps::<option::OptionResource>(&object("Option", json!({"spec": {"a": "b"}})));
    keeps::<recipe::Recipe>(&object("Recipe", json!({"spec": {"flour": "1 kg"}, "status": {"x": [1]}})));
    keeps::<loose::Loose>(&object("Loose", json!({"spec": {"a": "b"}, "more": 1})));
    #[cfg(feature = "no-spec")]
    keeps::<generated::derives_example_com::v1::report::Report>(&object(
        "Report",
        json!({"results": ["r"], "summary": {"pass": 1}, "spec": "s", "status": {"seen": true}}),
    ));

    let oven = oven::Oven::new("a", oven::OvenSpec {
        replicas: None, selector: None, heat: oven::OvenHeat::All, trays: None, memory: None, limits: None, fuel: None,
    });
    assert_eq!((oven.name_any().as_str(), oven::Oven::api_version(&()).as_ref()), ("a", "derives.example.com/v1"));
    assert_eq!(oven.spec.heat, oven::OvenHeat::All);

    let expected: Value = serde_json::from_str(include_str!("../derives.json")).unwrap();
    let expected = &expected["items"][0]["spec"];
    let mut crd = serde_json::to_value(oven::Oven::crd()).unwrap();
    // The API server fills it in.
    crd["spec"]["names"]["listKind"] = json!("OvenList");
    for key in ["group", "scope", "names"] {
        assert_eq!(crd["spec"][key], expected[key], "{key}");
    }
    let (version, expected) = (&crd["spec"]["versions"][0], &expected["versions"][0]);
    for key in ["name", "served", "storage", "deprecated", "deprecationWarning", "subresources", "selectableFields"] {
        assert_eq!(version[key], expected[key], "{key}");
    }
    assert_eq!(version["additionalPrinterColumns"], expected["additionalPrinterColumns"]);
    assert_eq!(version["schema"], json!({}));

    let crd = serde_json::to_value(with_schemas::derives_example_com::v1::oven::Oven::crd()).unwrap();
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    assert_eq!(schema["properties"]["replicas"]["format"], "int32");
    assert_eq!(schema["properties"]["memory"]["x-kubernetes-int-or-string"], true);
    assert_eq!(schema["required"], json!(["heat"]));
    keeps::<with_schemas::derives_example_com::v1::oven::Oven>(&object("Oven", json!({"spec": {"heat": "all"}})));
}

/// Reads an object, writes it again, and compares.
fn keeps<T: Serialize + DeserializeOwned + Resource<DynamicType = ()>>(object: &Value) {
    let read: T = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(read.meta().name.as_deref(), Some("a"));
    assert_eq!(serde_json::to_value(&read).unwrap(), *object);
}
