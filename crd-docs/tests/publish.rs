//! Schemas, explanations and tables of one definition, as kube-apiserver and kubectl 1.36 show it.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

use crd_core::CustomResourceDefinition;
use crd_docs::explain::{ExplainOptions, NotExplained, Request, Wrong, explain, newest_version};
use crd_docs::openapi::{NotPublished, OpenApi, publish};
use crd_docs::table::{self, Columns, print};
use crd_go::budget::Reserve;
use crd_go::time::Timestamp;
use serde_json::{Value, json};

fn definition() -> CustomResourceDefinition {
    let value: Value = serde_yaml::from_str(include_str!("fixture.yaml")).unwrap();
    CustomResourceDefinition::from_value(value).unwrap()
}

const KIND: &str = "com.example.stable.v1.Shirt";
const LIST: &str = "com.example.stable.v1.ShirtList";

/// Returns the schema of a property of `spec`, in a form of OpenAPI.
fn property(name: &str, form: OpenApi) -> Value {
    publish(&definition(), "v1", form).unwrap()[KIND]["properties"]["spec"]["properties"][name].clone()
}

fn explained(path: &[&str], options: ExplainOptions) -> String {
    explain(&definition(), "v1", path, options).unwrap()
}

#[test]
fn integers_or_strings_are_unfolded() {
    let either = json!([{"type": "integer"}, {"type": "string"}]);
    let size = property("size", OpenApi::V3);
    assert_eq!(
        size,
        json!({"description": "The size, in any system.", "anyOf": either, "x-kubernetes-int-or-string": true})
    );
    assert_eq!(
        property("width", OpenApi::V3),
        json!({"anyOf": either, "x-kubernetes-int-or-string": true}),
        "what says so already stays"
    );
    assert_eq!(
        property("length", OpenApi::V3),
        json!({
            "allOf": [{"anyOf": either}],
            "anyOf": [{"minimum": 2}, {"pattern": "cm$"}],
            "x-kubernetes-int-or-string": true,
        }),
        "other alternatives stay beside it"
    );
}

#[test]
fn what_is_empty_or_false_is_not_published() {
    assert_eq!(
        property("pockets", OpenApi::V3),
        json!({"type": "integer", "default": 1, "maximum": 10, "minimum": 0})
    );
    assert_eq!(
        property("color", OpenApi::V3),
        json!({"type": "string", "default": "red", "enum": ["", "red", "green", "blue", "black"]})
    );
}

#[test]
fn embedded_resources_have_the_fields_of_resources() {
    let template = property("template", OpenApi::V3);
    assert_eq!(template["required"], json!(["spec", "kind", "apiVersion"]));
    assert_eq!(
        template["properties"]["metadata"]["allOf"],
        json!([{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}])
    );
    let template = property("template", OpenApi::V2);
    assert_eq!(
        template["properties"]["metadata"]["$ref"],
        json!("#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
    );
}

#[test]
fn v2_has_no_defaults() {
    assert_eq!(property("pockets", OpenApi::V2), json!({"type": "integer", "maximum": 10, "minimum": 0}));
    let schemas = publish(&definition(), "v1", OpenApi::V2).unwrap();
    assert!(!Value::from(schemas).to_string().contains("\"default\":"));
}

#[test]
fn v2_has_no_junctors_and_nothing_below_nullable_and_open_values() {
    assert_eq!(property("width", OpenApi::V2), json!({"x-kubernetes-int-or-string": true}));
    assert_eq!(property("note", OpenApi::V2), json!({}));
    assert_eq!(property("settings", OpenApi::V2), json!({"x-kubernetes-preserve-unknown-fields": true}));
    let schemas = publish(&definition(), "v1", OpenApi::V2).unwrap();
    assert_eq!(schemas[KIND]["properties"]["spec"]["required"], json!(["color", "size"]));
    assert_eq!(schemas[LIST]["properties"]["items"]["items"]["$ref"], json!(format!("#/definitions/{KIND}")));
}

#[test]
fn kinds_and_lists_carry_their_names_and_selectable_fields() {
    let schemas = publish(&definition(), "v1", OpenApi::V3).unwrap();
    for (name, kind) in [(KIND, "Shirt"), (LIST, "ShirtList")] {
        let extension = &schemas[name]["x-kubernetes-group-version-kind"];
        assert_eq!(*extension, json!([{"group": "stable.example.com", "kind": kind, "version": "v1"}]));
        assert_eq!(schemas[name]["x-kubernetes-selectable-fields"], json!([{"fieldPath": "spec.color"}]));
    }
    assert_eq!(schemas[LIST]["description"], json!("ShirtList is a list of Shirt"));
}

#[test]
fn versions_without_a_schema_are_open_and_those_not_served_are_not_published() {
    let schemas = publish(&definition(), "v1beta1", OpenApi::V3).unwrap();
    let kind = schemas["com.example.stable.v1beta1.Shirt"].as_object().unwrap();
    assert_eq!(kind.keys().collect::<Vec<_>>(), ["type", "x-kubernetes-group-version-kind"]);
    assert_eq!(publish(&definition(), "v1alpha1", OpenApi::V3), Err(NotPublished::NotServed));
    assert_eq!(publish(&definition(), "v2", OpenApi::V3), Err(NotPublished::NoVersion));
}

#[test]
fn numbers_are_floats_as_go_writes_them() {
    let crd = CustomResourceDefinition::from_value(json!({"spec": {
        "group": "g", "names": {"kind": "K"},
        "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "n": {"type": "number", "maximum": 9_223_372_036_854_775_807_u64, "minimum": 0.5, "default": 1.0},
        }}}}],
    }}))
    .unwrap();
    let schemas = publish(&crd, "v1", OpenApi::V3).unwrap();
    let n = &schemas["g.v1.K"]["properties"]["n"];
    let written = ["type", "default", "maximum", "minimum"].map(|keyword| n[keyword].to_string());
    assert_eq!(written, [r#""number""#, "1", "9223372036854776000", "0.5"]);
}

#[test]
fn an_explanation_shows_descriptions_enums_and_links() {
    let text = explained(&["spec"], ExplainOptions::default());
    let head = "GROUP:      stable.example.com\nKIND:       Shirt\nVERSION:    v1\n\nFIELD: spec <Object>\n\n\n\
                DESCRIPTION:\n    <empty>\nFIELDS:\n";
    assert!(text.starts_with(head), "{text}");
    for part in [
        "  color\t<string> -required-\n  enum: \"\", red, green, blue, ....\n    <no description>\n\n",
        "  labels\t<map[string]string>\n    <no description>\n\n",
        "  tags\t<[]string>\n",
        "  size\t<Object> -required-\n    The size, in any system.\n\n",
        "  docs\t<string>\n    A field with a link.\n\n    EXTERNAL DOCS:\n      More about it.\n      URL: https://example.com/docs\n\n",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(text.ends_with("\n\n"), "{text}");
}

#[test]
fn an_explanation_of_a_field_shows_all_values_of_its_enum() {
    let text = explained(&["spec", "color"], ExplainOptions::default());
    let end = "FIELD: color <string>\nENUM:\n    \"\"\n    red\n    green\n    blue\n    black\n\n\
               DESCRIPTION:\n    <empty>\n\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn paths_lead_through_lists_maps_and_metadata() {
    let text = explained(&["status", "conditions", "status"], ExplainOptions::default());
    assert!(text.contains("FIELD: status <string>\n"), "{text}");
    let text = explained(&["metadata", "ownerReferences", "uid"], ExplainOptions::default());
    assert!(text.contains("FIELD: uid <string>\n"), "{text}");
    let text = explained(&["spec", "labels"], ExplainOptions::default());
    assert!(text.contains("DESCRIPTION:\n    The value of a label.\n    \n"), "{text}");
}

#[test]
fn a_recursive_explanation_has_a_line_for_each_field() {
    let text = explained(&[], ExplainOptions::default().with_recursive(true));
    for part in [
        "    Shirt is a piece of clothing that is worn on the upper part of the body, and\n    that has a description longer than a line.\n",
        "  metadata\t<ObjectMeta>\n    annotations\t<map[string]string>\n",
        "    ownerReferences\t<[]OwnerReference>\n      apiVersion\t<string> -required-\n",
        "  status\t<Object>\n    conditions\t<[]Object>\n      status\t<string>\n      type\t<string> -required-\n",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn rules_are_shown_on_request() {
    let text = explained(&["spec"], ExplainOptions::default().with_rules(true));
    for part in [
        "RULES:\n    rule: self.pockets < 4 (too many pockets)\nFIELDS:\n",
        "    maximum: 10\n    default: 1\n",
        "    default: \"red\"\n    enum: \"\", \"red\", \"green\", \"blue\", \"black\"\n",
        "    list-type: set\n",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn a_missing_field_is_named_after_the_head() {
    let error = explain(&definition(), "v1", &["spec", "colour"], ExplainOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "field \"colour\" does not exist");
    let NotExplained::NoField { head, meant, .. } = error else { panic!("{error}") };
    assert_eq!(head, "GROUP:      stable.example.com\nKIND:       Shirt\nVERSION:    v1\n\n");
    assert_eq!(meant.as_deref(), Some("color"));
    let meant = |path: &[&str]| match explain(&definition(), "v1", path, ExplainOptions::default()) {
        Err(NotExplained::NoField { meant, .. }) => meant,
        other => panic!("{other:?}"),
    };
    assert_eq!(meant(&["spce", "color"]).as_deref(), Some("spec"));
    assert_eq!(meant(&["spec", "elephants"]), None);
}

#[test]
fn requests_name_resources_in_every_way() {
    for name in ["shirts", "shirt", "sh", "Shirt", "SHIRTS"] {
        assert!(Request::parse(name).unwrap().is_of(&definition()), "{name}");
    }
    assert!(!Request::parse("skirts.spec").unwrap().is_of(&definition()));
    let request = Request::parse("shirts.stable.example.com.spec.color").unwrap();
    assert_eq!(request.path_after_group(&definition()).unwrap(), ["spec", "color"]);
    assert_eq!(Request::parse("shirts.spec.").unwrap().path, ["spec"]);
    assert_eq!(Request::parse("shirts.spec['a']").unwrap().path, ["spec", "a"]);
    for (text, error) in [("shirts.spec.$x", Wrong::Nodes), ("shirts[0]", Wrong::Nodes), ("", Wrong::Nodes)] {
        assert_eq!(
            Request::parse(text).map(|request| request.path).err(),
            Some(error).filter(|_| !text.is_empty())
        );
    }
    assert_eq!(newest_version(&definition()), Some("v1"));
}

/// Each path alone finds values by the thousand, and a definition can have a thousand columns.
#[test]
fn columns_that_take_too_much_work_are_left_out_by_name() {
    let text = "x".repeat(100_000);
    let object = json!({"metadata": {"name": "a"}, "spec": {"s": text, "l": vec![vec![1; 5]; 50]}});
    let stars = vec!["*"; 1_000].join(",");
    for paths in [
        vec![format!(".spec.l[{stars}]"), format!(".spec.l[{stars}][{stars}]")],
        vec!["..s".to_owned(); 1_000],
    ] {
        let columns: Vec<_> = paths
            .iter()
            .enumerate()
            .map(|(i, path)| json!({"name": format!("C{i}"), "type": "string", "jsonPath": path}))
            .collect();
        let crd = CustomResourceDefinition::from_value(
            json!({"spec": {"versions": [{"name": "v1", "additionalPrinterColumns": columns}]}}),
        );
        let columns = Columns::for_version(&crd.unwrap(), "v1").unwrap();
        let mut reserve = Reserve::new(1_000_000);
        let row = columns.row(&object, None, &mut reserve);
        assert_eq!(row.cells.len(), paths.len() + 1);
        assert_eq!(row.left_out.last(), Some(&format!("C{}", paths.len() - 1).as_str()));
        // What an object takes by its own size is left for the next one, whatever the first one took.
        let small = columns.row(&json!({"metadata": {"name": "b"}, "spec": {"s": "y"}}), None, &mut reserve);
        assert_eq!(small.cells.len(), paths.len() + 1);
        assert!(small.cells[1] == json!(null) || small.cells[1] == json!("y"), "{:?}", small.cells[1]);
    }
}

#[test]
fn tables_have_the_cells_of_the_server() {
    let columns = Columns::for_version(&definition(), "v1").unwrap();
    let object = json!({
        "metadata": {"name": "red", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"color": "red\nish", "pockets": 2.9},
        "status": {"conditions": [{"type": "Synced"}, {"type": "Ready", "status": "True"}]},
    });
    let now = Timestamp::parse("2026-01-01T00:05:30Z");
    let mut reserve = Reserve::new(table::RESERVE);
    let row = columns.row(&object, now, &mut reserve).cells;
    assert_eq!(row, [json!("red"), json!("red\nish"), json!(2), json!("True"), json!("5m30s")]);
    let other = json!({"metadata": {"name": "x"}, "spec": {"color": {"a": [1]}}, "status": null});
    let other = columns.row(&other, now, &mut reserve).cells;
    assert_eq!(other, [json!("x"), json!("{\"a\":[1]}"), Value::Null, Value::Null, Value::Null]);
    let rows = [row, other];
    assert_eq!(
        print(columns.columns(), &rows, false),
        "NAME   COLOR       READY   AGE\nred    red...      True    5m30s\nx      {\"a\":[1]}           \n"
    );
    assert!(print(columns.columns(), &rows, true).starts_with("NAME   COLOR       POCKETS   READY   AGE\n"));
    assert_eq!(
        columns.columns()[1].to_value(),
        json!({
            "name": "Color", "type": "string", "format": "", "priority": 0,
            "description": "Custom resource definition column (in JSONPath format): .spec.color",
        })
    );
}

#[test]
fn a_version_without_columns_has_an_age() {
    let columns = Columns::for_version(&definition(), "v1beta1").unwrap();
    let names: Vec<&str> = columns.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["Name", "Age"]);
    assert!(columns.columns()[1].description.starts_with("CreationTimestamp is a timestamp"));
}
