//! Resources: names as constants and texts, and code that minds its surroundings.

use crdkit::{CrdSchema, CustomResource, Scope};
use serde::{Deserialize, Serialize};

const GROUP: &str = "stable.example.com";
const WARNING: &str = "use v2";

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = GROUP,
    version = concat!("v", "1", "beta", "1"),
    kind = "NetworkPolicy",
    list_kind = "NetworkPolicies",
    shortname = "np",
    category = "all",
    deprecated = WARNING,
    label("app", GROUP),
    annotation("example.com/note", concat!("a", "b")),
    served = false,
    storage = false,
    printcolumn(name = "Size", type = "integer", json_path = concat!(".spec", ".size"), priority = 1),
    validation(rule = concat!("self.spec.size", " > 0"), message = WARNING)
)]
struct NetworkPolicySpec {
    size: i32,
}

#[test]
fn names_are_constants() {
    assert_eq!(NetworkPolicy::GROUP, "stable.example.com");
    assert_eq!(NetworkPolicy::VERSION, "v1beta1");
    assert_eq!(NetworkPolicy::API_VERSION, "stable.example.com/v1beta1");
    assert_eq!(NetworkPolicy::KIND, "NetworkPolicy");
    assert_eq!(NetworkPolicy::LIST_KIND, "NetworkPolicies");
    assert_eq!(NetworkPolicy::PLURAL, "networkpolicies");
    assert_eq!(NetworkPolicy::SINGULAR, "networkpolicy");
    assert_eq!(NetworkPolicy::CRD_NAME, "networkpolicies.stable.example.com");
    assert_eq!(NetworkPolicy::SHORT_NAMES, ["np"]);
    assert_eq!(NetworkPolicy::CATEGORIES, ["all"]);
    assert_eq!(NetworkPolicy::SCOPE, Scope::Cluster);
}

#[test]
fn texts_may_be_constants() -> Result<(), crdkit::Error> {
    let crd = NetworkPolicy::crd()?.to_value();
    assert_eq!(crd["metadata"]["labels"]["app"], GROUP);
    assert_eq!(crd["metadata"]["annotations"]["example.com/note"], "ab");
    assert_eq!(crd["spec"]["names"]["listKind"], "NetworkPolicies");
    let version = &crd["spec"]["versions"][0];
    assert_eq!((&version["served"], &version["storage"]), (&false.into(), &false.into()));
    assert_eq!(version["deprecationWarning"], WARNING);
    assert_eq!(version["additionalPrinterColumns"][0]["jsonPath"], ".spec.size");
    let rule = &version["schema"]["openAPIV3Schema"]["x-kubernetes-validations"][0];
    assert_eq!((&rule["rule"], &rule["message"]), (&"self.spec.size > 0".into(), &WARNING.into()));
    Ok(())
}

/// Emitted code names everything by its full path.
#[deny(warnings, missing_docs, unused_qualifications, single_use_lifetimes)]
mod hygiene {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    macro_rules! shadow {
        ($($name:ident)*) => {
            $(
                #[allow(dead_code, reason = "it is in the way")]
                pub(crate) struct $name;
            )*
        };
    }
    shadow!(Option String Vec Result Box Cow Value Schema Definition Version Error Wire Scope ObjectMeta Rule);

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "stable.example.com", version = "v1", kind = "Shadow", status = "ShadowStatus", namespaced)]
    #[crd(printcolumn(
        name = "A",
        type = "boolean",
        json_path = ".spec.a",
        description = "a",
        format = "byte"
    ))]
    #[crd(scale(spec_replicas_path = ".spec.a", status_replicas_path = ".status.a"))]
    pub(crate) struct ShadowSpec {
        #[crd(validation = "self", immutable)]
        pub(crate) a: bool,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct ShadowStatus {
        pub(crate) a: bool,
    }
}

#[test]
fn names_of_the_prelude_may_be_taken() {
    let shadow = hygiene::Shadow::new("a", hygiene::ShadowSpec { a: true });
    assert!(shadow.spec.a && shadow.status.is_none_or(|status| status.a));
}

#[test]
fn a_resource_within_a_function() -> Result<(), crdkit::Error> {
    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(
        group = "stable.example.com",
        version = "v1",
        kind = "Inner",
        root = "Renamed",
        plural = "inner",
        schema = "disabled",
        no_test
    )]
    struct InnerSpec {}

    let crd = Renamed::crd()?.to_value();
    assert_eq!(crd["metadata"]["name"], "inner.stable.example.com");
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    assert_eq!(schema["x-kubernetes-preserve-unknown-fields"], true);
    Ok(())
}

mod reexport {
    pub(crate) use ::crdkit as kit;
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Moved", crate_path = "crate::reexport::kit")]
struct MovedSpec {
    #[crd(validation = "self > 0")]
    size: i32,
}

#[test]
fn crdkit_may_stand_elsewhere() {
    assert!(Moved::crd().is_ok());
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[crd(group = "stable.example.com", version = "v1", kind = "Lamp", singular = "light", spec_optional)]
#[crd(attr = "allow(clippy::large_enum_variant)", crates(crdkit = "crate::reexport::kit"))]
#[crd(printcolumn(name = "Later", type = "string", json_path = ".spec.later"), unchecked_paths)]
#[crd(at_least_one_of = ["watts", "lumens"])]
struct LampSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    watts: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lumens: Option<i32>,
}

#[test]
fn a_spec_may_be_left_out() -> Result<(), Box<dyn std::error::Error>> {
    let crd = Lamp::crd()?.to_value();
    assert_eq!(crd["spec"]["names"]["singular"], "light");
    let version = &crd["spec"]["versions"][0];
    assert_eq!(version["additionalPrinterColumns"][0]["jsonPath"], ".spec.later");
    let root = &version["schema"]["openAPIV3Schema"];
    assert_eq!(root.get("required"), None);
    let rule = &root["properties"]["spec"]["x-kubernetes-validations"][0];
    assert_eq!(rule["message"], "at least one of watts and lumens must be set");
    let lamp: Lamp = serde_json::from_value(serde_json::json!({"metadata": {"name": "a"}}))?;
    assert_eq!((lamp.spec.watts, lamp.spec.lumens), (None, None));
    Ok(())
}

/// A string that only the compiler knows.
const WITHOUT_PATH: &str = r#"{"name": "Size", "type": "integer", "priority": 0}"#;
const WITH_TEXT: &str = r#"{"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": "1"}"#;

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Pathless", no_test, printcolumn = WITHOUT_PATH)]
struct PathlessSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Texted", no_test, printcolumn = WITH_TEXT)]
struct TextedSpec {}

#[test]
fn columns_of_json_are_read_in_full() {
    let error = |crd: Result<_, crdkit::Error>| crd.map(|_| ()).expect_err("a column is wrong").to_string();
    let said = error(Pathless::crd());
    assert!(said.contains("`PathlessSpec`") && said.contains("`jsonPath` is missing"), "{said}");
    let said = error(Texted::crd());
    assert!(said.contains("`TextedSpec`") && said.contains("an integer of 32 bits"), "{said}");
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Quiet",
    doc = "",
    printcolumn(
        name = "A",
        type = "integer",
        json_path = ".spec.size",
        priority = 0,
        description = "",
        format = ""
    ),
    printcolumn = r#"{"name": "B", "type": "integer", "jsonPath": ".spec.size", "priority": 0}"#
)]
struct QuietSpec {
    #[crd(printcolumn(name = "C", priority = 0), nullable = false, format = "")]
    size: i32,
}

#[test]
fn nothing_is_written_that_the_server_drops() {
    let crd = Quiet::crd().expect("it has a definition");
    let dropped: Vec<String> = crd_core::check::advise(&crd)
        .iter()
        .filter(|advice| advice.name == "dropped-value")
        .map(|advice| advice.field.to_string())
        .collect();
    assert_eq!(dropped, [""; 0]);
    let columns = crd.to_value()["spec"]["versions"][0]["additionalPrinterColumns"].take();
    assert_eq!(columns[0], serde_json::json!({"name": "A", "type": "integer", "jsonPath": ".spec.size"}));
    assert_eq!(columns[2]["priority"], serde_json::Value::Null);
}

#[test]
fn objects_of_any_kind_are_asked_for_theirs() {
    let object = |api_version: &str, kind: &str| {
        serde_json::json!({
            "apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "spec": {"size": 1},
        })
    };
    let read = NetworkPolicy::try_from(object("stable.example.com/v1beta1", "NetworkPolicy"));
    assert_eq!(read.map(|object| object.spec.size).map_err(|error| error.to_string()), Ok(1));
    let refused = |value: serde_json::Value| {
        NetworkPolicy::try_from(value).map(|_| ()).expect_err("it is of another type").to_string()
    };
    assert_eq!(
        refused(object("v1", "NetworkPolicy")),
        "apiVersion is `v1`, not `stable.example.com/v1beta1`"
    );
    let kind = refused(object("stable.example.com/v1beta1", "Pod"));
    assert_eq!(kind, "kind is `Pod`, not `NetworkPolicy`");
    // An item of a list says neither: serde reads it, since its list was asked for.
    let item = serde_json::json!({"metadata": {"name": "a"}, "spec": {"size": 1}});
    assert!(serde_json::from_value::<NetworkPolicy>(item.clone()).is_ok());
    assert_eq!(refused(item), "apiVersion is missing: expected `stable.example.com/v1beta1`");
}
