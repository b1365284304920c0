//! Words that the other tests have no need of, each with what it does.

use crdkit::{CrdSchema, CustomResource};
use kube::core::{CustomResourceExt, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Crates by other names, as re-exports have them.
mod vendored {
    pub(super) use ::{k8s_openapi, kube};
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(kube, group = "example.com", version = "v1", kind = "Tool", root = "ToolObject", plural = "toolset")]
#[crd(conversion(url = "https://convert.example.com/tools", ca_bundle = "YWJj", review_versions = ["v1"]))]
#[crd(crates(
    kube = "vendored::kube",
    kube_core = "vendored::kube::core",
    k8s_openapi = "vendored::k8s_openapi",
    schemars = "::schemars",
    serde = "::serde",
    serde_json = "::serde_json",
    std = "::std"
))]
#[crd(validation(
    rule = "!oldSelf.hasValue() || self.spec.size >= oldSelf.value().spec.size",
    message_expression = "'shrinks to ' + self.metadata.name",
    reason = "FieldValueForbidden",
    field_path = ".spec.size",
    optional_old_self = true
))]
struct ToolSpec {
    #[crd(validation(
        rule = "self.a < 9 || (oldSelf.hasValue() && oldSelf.value().a > 0)",
        message_expression = "'a is large'",
        field_path = ".a",
        optional_old_self = true
    ))]
    inner: Inner,
    #[crd(printcolumn(format = "int32"))]
    size: i32,
}

/// The content.
#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(descriptions = "first_paragraph", max_description = 12)]
struct Inner {
    /// A text that goes on.
    a: i32,
    /// A text that goes on too.
    #[crd(max_description = 6)]
    b: i32,
}

fn version() -> Value {
    <ToolObject as CustomResource>::crd().expect("it has a definition").to_value()["spec"]["versions"][0]
        .take()
}

#[test]
fn names_and_crates() {
    assert_eq!((<ToolObject as CustomResource>::CRD_NAME, ToolObject::KIND), ("toolset.example.com", "Tool"));
    assert_eq!((ToolObject::plural(&()), ToolObject::crd_name()), ("toolset".into(), "toolset.example.com"));
    let crd = <ToolObject as CustomResource>::crd().expect("it has a definition").to_value();
    let webhook = &crd["spec"]["conversion"]["webhook"];
    let client = json!({"url": "https://convert.example.com/tools", "caBundle": "YWJj"});
    assert_eq!((&webhook["clientConfig"], &webhook["conversionReviewVersions"]), (&client, &json!(["v1"])));
}

#[test]
fn every_part_of_a_rule() {
    let schema = version()["schema"]["openAPIV3Schema"].take();
    let rule = &schema["x-kubernetes-validations"][0];
    assert_eq!((&rule["reason"], &rule["fieldPath"]), (&json!("FieldValueForbidden"), &json!(".spec.size")));
    assert_eq!(rule["messageExpression"], "'shrinks to ' + self.metadata.name");
    assert_eq!(rule["optionalOldSelf"], true);
    let rule = &schema["properties"]["spec"]["properties"]["inner"]["x-kubernetes-validations"][0];
    assert_eq!((&rule["fieldPath"], &rule["optionalOldSelf"]), (&json!(".a"), &json!(true)));
}

#[test]
fn descriptions_and_formats() {
    let version = version();
    assert_eq!(version["additionalPrinterColumns"][0]["format"], "int32");
    let inner =
        &version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["inner"]["properties"];
    let length = |field: &str| inner[field]["description"].as_str().map(|text| text.chars().count());
    assert!(length("a").is_some_and(|length| (7..=12).contains(&length)), "{inner}");
    assert!(length("b").is_some_and(|length| length <= 6), "{inner}");
}

/// With the words of kube-derive.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "example.com", version = "v1", kind = "Old", crates(kube = "vendored::kube"))]
struct OldSpec {}

#[test]
fn kubes_words_for_crates() {
    assert_eq!(Old::api_resource().plural, "olds");
}
