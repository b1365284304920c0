//! Several versions of a kind in one declaration.

use crdkit::CustomResource;
use proptest::prelude::*;
use serde_json::{Value, json};

// ANCHOR: versions
#[crdkit::versions(v1alpha1(deprecated = "use v1"), v1beta1, v1(storage), v2(served = false))]
mod shirts {
    use std::collections::BTreeMap;

    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    /// A shirt.
    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(
        group = "example.com",
        kind = "Shirt",
        namespaced,
        status = "ShirtStatus",
        derive = "PartialEq",
        conversion(service(namespace = "shirts", name = "webhook", path = "/convert"))
    )]
    #[serde(rename_all = "camelCase")]
    pub(crate) struct ShirtSpec {
        #[version(renamed(since = "v1beta1", from = "colour"))]
        pub(crate) color: String,
        #[version(since = "v1", default = forty)]
        size: u8,
        #[version(until = "v1")]
        legacy: Option<bool>,
        #[version(changed(since = "v1", from = "String", up = split, down = join))]
        tags: Vec<String>,
        #[version(changed(since = "v2", from = "u8"))]
        #[serde(default)]
        wide: Wide,
        pockets: BTreeMap<String, Vec<Pocket>>,
        best: Option<Box<Pocket>>,
        fit: Fit,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub(crate) struct Pocket {
        #[version(renamed(since = "v1", from = "depth_mm"))]
        depth: i32,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub(crate) enum Fit {
        Slim { by: i32 },
        Pockets(Pocket),
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub(crate) struct ShirtStatus {
        worn: i32,
    }

    /// There is one of it for all versions.
    type Wide = super::Wide;

    fn forty() -> u8 {
        40
    }

    fn split(tags: String) -> Vec<String> {
        tags.split(',').filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
    }

    fn join(tags: Vec<String>) -> String {
        tags.join(",")
    }
}

/// A number, as of the second version.
#[derive(crdkit::CrdSchema, serde::Serialize, serde::Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Wide(i64);

impl From<u8> for Wide {
    fn from(narrow: u8) -> Self {
        Self(narrow.into())
    }
}

impl From<Wide> for u8 {
    fn from(wide: Wide) -> Self {
        Self::try_from(wide.0).unwrap_or(Self::MAX)
    }
}
// ANCHOR_END: versions

fn old() -> Value {
    json!({
        "apiVersion": "example.com/v1alpha1", "kind": "Shirt", "metadata": {"name": "a"},
        "spec": {
            "colour": "red", "legacy": true, "tags": "x,y", "wide": 7,
            "pockets": {"left": [{"depth_mm": 3}]}, "best": {"depth_mm": 4}, "fit": {"Pockets": {"depth_mm": 5}},
        },
        "status": {"worn": 2},
    })
}

#[test]
fn versions_differ_as_they_say() -> Result<(), crdkit::Error> {
    let definition = shirts::crd()?;
    let crd = definition.to_value();
    let versions = crd["spec"]["versions"].as_array().cloned().unwrap_or_default();
    let names: Vec<_> = versions.iter().map(|version| version["name"].clone()).collect();
    assert_eq!(names, ["v1alpha1", "v1beta1", "v1", "v2"]);
    let storage: Vec<_> = versions.iter().map(|version| version["storage"] == true).collect();
    assert_eq!(storage, [false, false, true, false]);
    assert_eq!(versions[0]["deprecationWarning"], "use v1");
    assert_eq!(versions[3]["served"], false);
    let fields = |version: usize| -> Vec<&str> {
        let schema = definition.spec.versions[version].open_api_v3_schema();
        let spec = schema.and_then(|schema| schema.properties.as_ref()?.get("spec"));
        spec.and_then(|spec| spec.properties.as_ref()).into_iter().flat_map(|fields| fields.keys()).collect()
    };
    assert_eq!(fields(0), ["colour", "legacy", "tags", "wide", "pockets", "best", "fit"]);
    assert_eq!(fields(2), ["color", "size", "tags", "wide", "pockets", "best", "fit"]);
    assert_eq!(shirts::v2::Shirt::API_VERSION, "example.com/v2");
    Ok(())
}

#[crdkit::versions(v1beta1, v1)]
mod databases {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", kind = "Database", no_test)]
    #[serde(rename_all = "camelCase")]
    pub(crate) struct DatabaseSpec {
        #[version(renamed(since = "v1", from = "disk_size"))]
        storage: String,
    }
}

/// Without a conversion, the API server would store objects without the renamed field.
#[test]
fn versions_that_lose_fields_need_a_conversion() {
    let error = databases::crd().expect_err("`diskSize` is lost").to_string();
    for part in [
        "objects lose fields between the versions of `databases.example.com`:",
        "objects of `v1beta1` lose `.spec.diskSize` when they are stored: the storage version `v1` does not have it",
        "objects of `v1beta1` may be stored without `.spec.storage`, which `v1` requires",
        "accept the loss with `conversion = \"None\"`",
        "--> DatabaseSpec.diskSize (crdkit/tests/versions.rs:",
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
}

#[crdkit::versions(v1, v1beta1(storage))]
mod caches {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", kind = "Cache", conversion = "None")]
    pub(crate) struct CacheSpec {
        #[version(since = "v1beta1")]
        size: Option<i32>,
    }
}

#[test]
fn a_known_loss_is_accepted() -> Result<(), crdkit::Error> {
    let crd = caches::crd()?;
    assert_eq!(crd.storage_version().map(|version| &*version.name), Some("v1beta1"));
    Ok(())
}

#[test]
fn objects_go_through_all_versions() -> Result<(), Box<dyn std::error::Error>> {
    let new = shirts::conversions().convert(&old(), "example.com/v2")?;
    assert_eq!(
        new,
        json!({
            "apiVersion": "example.com/v2", "kind": "Shirt", "metadata": {"name": "a"},
            "spec": {
                "color": "red", "size": 40, "tags": ["x", "y"], "wide": 7,
                "pockets": {"left": [{"depth": 3}]}, "best": {"depth": 4}, "fit": {"Pockets": {"depth": 5}},
            },
            "status": {"worn": 2},
        })
    );
    let typed: shirts::v1alpha1::Shirt = serde_json::from_value(old())?;
    let new: shirts::v2::Shirt = typed.into();
    let back: shirts::v1beta1::Shirt = new.into();
    assert_eq!(back.spec.color, "red");
    Ok(())
}

proptest! {
    #[test]
    fn there_and_back_is_the_same(
        colour in "[a-z]{0,3}",
        legacy in proptest::option::of(any::<bool>()),
        tags in "[a-z]{1,2}(,[a-z]{1,2}){0,2}",
        wide in any::<u8>(),
        by in any::<i32>(),
    ) {
        let mut object = old();
        object["spec"] = json!({
            "colour": colour, "legacy": legacy, "tags": tags, "wide": wide, "pockets": {}, "best": null,
            "fit": {"Slim": {"by": by}},
        });
        for version in ["v1beta1", "v1", "v2"] {
            let version = format!("example.com/{version}");
            let conversions = || shirts::conversions().keep_lost_fields();
            let there = conversions().convert(&object, &version).expect("every version has a place for it");
            let back = conversions().convert(&there, "example.com/v1alpha1").expect("it came from there");
            prop_assert_eq!(&back, &object, "by {}", version);
        }
    }

    #[test]
    fn down_and_up_is_the_same(
        color in "[a-z]{0,3}",
        size in any::<u8>(),
        tags in proptest::collection::vec("[a-z]{1,2}", 0..3),
        wide in any::<i64>(),
        depth in any::<i32>(),
    ) {
        let object = json!({
            "apiVersion": "example.com/v2", "kind": "Shirt", "metadata": {"name": "a"},
            "spec": {
                "color": color, "size": size, "tags": tags, "wide": wide, "pockets": {"left": [{"depth": depth}]},
                "best": {"depth": depth}, "fit": {"Pockets": {"depth": depth}},
            },
            "status": {"worn": 2},
        });
        for version in ["v1", "v1beta1", "v1alpha1"] {
            let version = format!("example.com/{version}");
            let conversions = || shirts::conversions().keep_lost_fields();
            let there = conversions().convert(&object, &version).expect("what has no place is kept");
            let back = conversions().convert(&there, "example.com/v2").expect("it came from there");
            prop_assert_eq!(&back, &object, "by {}", version);
        }
    }

    #[test]
    fn types_go_there_and_back(
        color in "[a-z]{0,3}",
        legacy in proptest::option::of(any::<bool>()),
        depth in any::<i32>(),
    ) {
        let mut object = old();
        object["spec"]["colour"] = json!(color);
        object["spec"]["legacy"] = json!(legacy);
        object["spec"]["best"] = json!({"depth_mm": depth});
        let first: shirts::v1alpha1::Shirt = serde_json::from_value(object.clone()).expect("it is one");
        // Between neighbors nothing is lost that both can say.
        let second: shirts::v1beta1::Shirt = first.clone().into();
        let back: shirts::v1alpha1::Shirt = second.into();
        prop_assert_eq!(&back, &first);
        // A version without `legacy` forgets it; everything else comes back.
        let last: shirts::v2::Shirt = first.clone().into();
        let mut back: shirts::v1alpha1::Shirt = last.into();
        back = serde_json::from_value(with_legacy(&back, legacy)).expect("it is one");
        prop_assert_eq!(&back, &first);
    }
}

/// Returns the object with that `legacy`.
fn with_legacy(object: &shirts::v1alpha1::Shirt, legacy: Option<bool>) -> Value {
    let mut value = serde_json::to_value(object).expect("it is data");
    value["spec"]["legacy"] = json!(legacy);
    value
}

#[crdkit::versions(v1alpha1, v1)]
mod limits {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", kind = "Limit", conversion = "None")]
    struct LimitSpec {
        range: Range,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(validation = "self.least >= 0")]
    #[version(v1alpha1(validation = "self.least <= self.most"), v1(validation = "self.least <= self.limit"))]
    struct Range {
        #[version(renamed(since = "v1", from = "most"))]
        limit: i32,
        least: i32,
    }
}

/// A rule names fields, which have other names in other versions.
#[test]
fn a_nested_type_has_rules_for_each_version() {
    let crd = limits::crd().unwrap();
    let rules = crd.spec.versions.iter().map(|version| {
        let schema = version.open_api_v3_schema().unwrap().to_value();
        let rules = &schema["properties"]["spec"]["properties"]["range"]["x-kubernetes-validations"];
        rules.as_array().unwrap().iter().map(|rule| rule["rule"].as_str().unwrap().to_owned()).collect()
    });
    let rules: Vec<Vec<String>> = rules.collect();
    assert_eq!(rules[0], ["self.least >= 0", "self.least <= self.most"]);
    assert_eq!(rules[1], ["self.least >= 0", "self.least <= self.limit"]);
}

#[crdkit::versions(v1, v2, v3)]
mod tracks {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(
        group = "example.com",
        kind = "Track",
        derive = "PartialEq",
        conversion(service(namespace = "tracks", name = "webhook", path = "/convert"))
    )]
    pub(crate) struct TrackSpec {
        pub(crate) gauge: Gauge,
        pub(crate) power: Power,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub(crate) enum Gauge {
        #[version(renamed(since = "v3", from = "Normal"))]
        Standard,
        #[version(since = "v2", instead = Standard)]
        Broad,
        #[version(until = "v3", instead = Standard)]
        Toy,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
    #[serde(tag = "by")]
    pub(crate) enum Power {
        #[default]
        Steam,
        #[version(since = "v2")]
        Third { rails: i32 },
        #[version(since = "v3")]
        Overhead { volts: i32 },
    }
}

#[test]
fn a_variant_that_a_version_lacks_becomes_another_there() {
    let gauges = |version: usize| {
        let crd = serde_json::to_value(tracks::crd().unwrap()).unwrap();
        let schema = &crd["spec"]["versions"][version]["schema"]["openAPIV3Schema"];
        schema["properties"]["spec"]["properties"]["gauge"]["enum"].clone()
    };
    assert_eq!(gauges(0), json!(["Normal", "Toy"]));
    assert_eq!(gauges(1), json!(["Normal", "Broad", "Toy"]));
    assert_eq!(gauges(2), json!(["Standard", "Broad"]));

    let convert = |spec: Value, from: &str, to: &str| {
        let object = json!({
            "apiVersion": format!("example.com/{from}"), "kind": "Track", "metadata": {"name": "a"}, "spec": spec,
        });
        let conversions = tracks::conversions().keep_lost_fields();
        let there = conversions.convert(&object, &format!("example.com/{to}")).unwrap();
        assert_eq!(
            conversions.convert(&there, &format!("example.com/{from}")).unwrap()["spec"],
            object["spec"]
        );
        there["spec"].clone()
    };
    let steam = |gauge: &str| json!({"gauge": gauge, "power": {"by": "Steam"}});
    assert_eq!(
        convert(json!({"gauge": "Broad", "power": {"by": "Third", "rails": 3}}), "v3", "v1"),
        steam("Normal")
    );
    assert_eq!(
        convert(json!({"gauge": "Standard", "power": {"by": "Overhead", "volts": 9}}), "v3", "v2"),
        steam("Normal")
    );
    assert_eq!(convert(steam("Toy"), "v1", "v3"), steam("Standard"));
    assert_eq!(
        convert(json!({"gauge": "Normal", "power": {"by": "Third", "rails": 3}}), "v2", "v3")["power"],
        json!({"by": "Third", "rails": 3})
    );
}
