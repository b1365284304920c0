//! Attributes of fields, variants and types: columns, paths, rules of parts, descriptions, labels of objects.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A pump.
///
/// It pumps.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Pump", status = "PumpStatus", namespaced)]
#[crd(printcolumn(name = "First", type = "string", json_path = ".metadata.name"))]
#[crd(object_label("app", "pump"), object_annotation("example.com/a", concat!("b", 1)))]
#[crd(descriptions = "first_paragraph", max_description = 40, doc = "A pump object.\n\nIt pumps.")]
#[serde(rename_all = "camelCase")]
struct PumpSpec {
    /// How many pumps there are, and this text goes on for more than forty characters.
    #[crd(printcolumn, spec_replicas)]
    replicas: i32,
    #[crd(printcolumn(name = "Colour", description = "of the case", priority = 1), selectable)]
    case_color: Option<String>,
    nested: Nested,
    #[schemars(length(max = 5), inner(length(max = 20)))]
    #[crd(item_validation = ("self.startsWith('a')", "begins with a"))]
    names: Vec<String>,
    #[schemars(extend("maxProperties" = 10))]
    #[crd(value_validation = "self > 0")]
    sizes: BTreeMap<String, i32>,
    source: Source,
    tagged: Tagged,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Nested {
    /// When.
    #[schemars(extend("format" = "date-time"))]
    #[crd(printcolumn)]
    since: String,
    list: Vec<Item>,
    #[crd(descriptions = "none")]
    silent: Item,
}

/// An item.
#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Item {
    /// Of the item.
    #[crd(printcolumn(type = "string"))]
    on: bool,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
enum Source {
    #[crd(validation = ("self.depth < 100", "is not deep"))]
    Well {
        depth: i32,
    },
    River(River),
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct River {
    width: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
enum Tagged {
    #[crd(validation = "self.a > 0")]
    A {
        a: i32,
    },
    B {
        b: i32,
    },
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct PumpStatus {
    #[crd(status_replicas)]
    replicas: i32,
    #[crd(label_selector)]
    selector: String,
}

fn version<R: CustomResource>() -> Result<Value, crdkit::Error> {
    Ok(R::crd()?.to_value()["spec"]["versions"][0].clone())
}

#[test]
fn columns_and_paths_are_the_fields() -> Result<(), crdkit::Error> {
    let version = version::<Pump>()?;
    assert_eq!(
        version["additionalPrinterColumns"],
        json!([
            {"name": "First", "type": "string", "jsonPath": ".metadata.name"},
            {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
            {
                "name": "Colour", "type": "string", "description": "of the case", "priority": 1,
                "jsonPath": ".spec.caseColor",
            },
            {"name": "Since", "type": "date", "jsonPath": ".spec.nested.since"},
            {"name": "On", "type": "string", "jsonPath": ".spec.nested.list[*].on"},
            {"name": "On", "type": "string", "jsonPath": ".spec.nested.silent.on"},
        ])
    );
    assert_eq!(version["selectableFields"], json!([{"jsonPath": ".spec.caseColor"}]));
    assert_eq!(
        version["subresources"]["scale"],
        json!({
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        })
    );
    Ok(())
}

#[test]
fn rules_of_parts_stand_at_the_parts() -> Result<(), crdkit::Error> {
    let version = version::<Pump>()?;
    let spec = &version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    const RULES: &str = "x-kubernetes-validations";
    assert_eq!(
        spec["names"]["items"][RULES],
        json!([{"rule": "self.startsWith('a')", "message": "begins with a"}])
    );
    assert_eq!(spec["sizes"]["additionalProperties"][RULES], json!([{"rule": "self > 0"}]));
    assert_eq!(
        spec["source"]["properties"]["well"][RULES],
        json!([{"rule": "self.depth < 100", "message": "is not deep"}])
    );
    assert_eq!(spec["tagged"][RULES][0]["rule"], "!has(self.type) || self.type != \"A\" || (self.a > 0)");
    Ok(())
}

#[test]
fn descriptions_are_as_long_as_they_are_wanted() -> Result<(), crdkit::Error> {
    let version = version::<Pump>()?;
    let root = &version["schema"]["openAPIV3Schema"];
    assert_eq!(root["description"], "A pump object.");
    let spec = &root["properties"]["spec"];
    assert_eq!(spec["description"], "A pump.");
    assert_eq!(spec["properties"]["replicas"]["description"], "How many pumps there are, and this...");
    let nested = &spec["properties"]["nested"]["properties"];
    assert_eq!(nested["list"]["items"]["description"], "An item.");
    assert_eq!(nested["silent"].get("description"), None);
    assert_eq!(nested["silent"]["properties"]["on"].get("description"), None);
    Ok(())
}

#[test]
fn objects_have_labels_of_their_own() -> Result<(), Box<dyn std::error::Error>> {
    let spec: PumpSpec = serde_json::from_value(json!({
        "replicas": 1, "names": [], "sizes": {}, "source": {"river": {"width": 1}}, "tagged": {"type": "A", "a": 1},
        "nested": {"since": "", "list": [], "silent": {"on": true}},
    }))?;
    let pump = Pump::new("a", spec);
    assert_eq!(pump.metadata.labels["app"], "pump");
    assert_eq!(pump.metadata.annotations["example.com/a"], "b1");
    assert_eq!(Pump::crd()?.metadata.labels, None);
    Ok(())
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Manual", schema = "manual")]
struct ManualSpec {}

impl JsonSchema for Manual {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Manual".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "object", "properties": {"spec": {"type": "object", "maxProperties": 0}}})
    }
}

#[test]
fn a_schema_may_be_written_by_hand() -> Result<(), crdkit::Error> {
    let expected = json!({"type": "object", "properties": {"spec": {"type": "object", "maxProperties": 0}}});
    assert_eq!(version::<Manual>()?["schema"]["openAPIV3Schema"], expected);
    Ok(())
}

/// Returns an error on one line: its type, its field, the message and the help.
fn one_line(error: &crdkit::Error) -> String {
    let names = [error.type_name(), error.field()].into_iter().filter(|name| !name.is_empty());
    let names: String = names.map(|name| format!("`{name}`: ")).collect();
    let help = if error.help().is_empty() { String::new() } else { format!("; help: {}", error.help()) };
    format!("{names}{}{help}", error.causes()[0].message())
}

/// The error of a spec with these fields.
macro_rules! error_of {
    ($($fields:tt)*) => {{
        #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
        #[crd(group = "example.com", version = "v1", kind = "Broken", no_test)]
        struct Spec { $($fields)* }
        one_line(&Broken::crd().expect_err("a field is wrong"))
    }};
}

#[test]
fn statements_that_do_not_fit_the_field_are_errors() {
    let errors = [
        (
            error_of!(#[crd(printcolumn)] list: Vec<Item>),
            "`Spec`: `.spec.list`: is not a single value that a printer column could show; help: give the type of \
             the column: `printcolumn(type = \"string\")`, or put it on a field inside this one",
        ),
        (
            error_of!(#[crd(schema_patch = r#"{"maxItems": 1}"#)] list: Vec<Marked>),
            "`Marked`: `.spec.list[].a`: is inside a list or a map, which `selectable` cannot reach; help: put it on a \
             field that occurs once in every object",
        ),
        (
            error_of!(#[crd(spec_replicas)] a: i32),
            "`Spec`: has only one of the two paths of a scale subresource; help: put `#[crd(status_replicas)]` on a field of the status",
        ),
        (
            error_of!(#[crd(spec_replicas)] a: i32, #[crd(spec_replicas)] b: i32),
            "`Spec`: has two fields for `specReplicasPath` of the scale subresource: `.spec.a`, `.spec.b`; help: mark \
             only one of them",
        ),
        (
            error_of!(#[crd(item_validation = "self > 0")] a: i32),
            "`Spec`: `.spec.a`: is not a list, but has rules for its items; help: put the rules on the field itself: \
             `validation = \"...\"`",
        ),
    ];
    for (error, expected) in errors {
        assert_eq!(error, expected);
    }
}

/// A newtype and its field have one schema, which has the rules of both.
#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(validation = "self > 0")]
struct Ruled(#[crd(validation = "self < 9", schema_patch = r#"{"title": "ruled"}"#)] i32);

#[test]
fn a_newtype_has_the_rules_of_type_and_field() -> Result<(), crdkit::Error> {
    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Newtype", no_test)]
    struct Spec {
        ruled: Ruled,
    }
    let crd = Newtype::crd()?.to_value();
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    assert_eq!(
        schema["properties"]["ruled"]["x-kubernetes-validations"],
        json!([{"rule": "self > 0"}, {"rule": "self < 9"}])
    );
    Ok(())
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Marked {
    #[crd(selectable)]
    a: String,
}
