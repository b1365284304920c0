//! The command `validate`.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

mod tool;

use serde_json::{Value, json};

use tool::{Folder, Run, SHIRT};

const CRD: &str = r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: shirts.stable.example.com
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, kind: Shirt}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [color]
            x-kubernetes-validations:
            - {rule: self.color == oldSelf.color, message: the color is fixed}
            properties:
              color: {type: string, maxLength: 5}
              size: {type: integer, default: 40}
              buttons:
                type: array
                items: {type: object, properties: {holes: {type: integer, maximum: 4}}}
          status:
            type: object
            properties:
              sold: {type: integer, minimum: 0}
"#;

fn shirt(name: &str, spec: &str) -> String {
    format!("apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata:\n  name: {name}\nspec: {spec}\n")
}

/// A folder with the definition and other files.
struct Shirts(Folder);

impl Shirts {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let files: Vec<_> = [("crd.yaml", CRD)].iter().chain(files).copied().collect();
        Self(Folder::new(&format!("validate-{name}"), &files))
    }

    fn run(&self, arguments: &str) -> Run {
        self.0.run(&format!("validate --crd crd.yaml {arguments}"))
    }
}

#[test]
fn a_version_that_is_not_served_has_advice() {
    let old = shirt("old", "{color: red}").replace("/v1\n", "/v1beta1\n");
    let folder = Shirts::new("unserved", &[("old.yaml", &old)]);
    let run = folder.run("old.yaml");
    run.expect(1, &["error: the server could not find the requested resource", "old.yaml:1:1"]);
    run.expect(1, &["= help: write the object in a version that the CRD serves: `v1`"]);
}

#[test]
fn causes_point_into_the_object() {
    let good = shirt("good", "{color: red}");
    let bad = shirt("bad", "\n  color: orange\n  buttons:\n  - {holes: 4}\n  - holes: 5\n  sise: 1");
    let missing = shirt("missing", "{size: 1}");
    let files = [("good.yaml", &*good), ("bad.yaml", &*bad), ("sub/missing.yaml", &*missing)];
    let folder = Shirts::new("causes", &files);
    folder.run("good.yaml").expect(0, &["validated 1 object: 1 accepted, 0 rejected"]);
    assert_eq!(folder.run("good.yaml --quiet").stderr, "");
    folder.run("bad.yaml good.yaml sub").expect(
        1,
        &[
            "error: spec.color: Too long: may not be more than 5 bytes",
            "bad.yaml:6:3",
            "error: spec.buttons[1].holes: Invalid value: 5",
            "bad.yaml:9:5",
            "warning: spec.sise: unknown field",
            "bad.yaml:10:3",
            "error: spec.color: Required value",
            "sub/missing.yaml:5:1",
            "validated 3 objects: 1 accepted, 2 rejected; 1 warning",
        ],
    );
    let github = folder.run("bad.yaml --format github");
    assert_eq!(github.status, 1);
    assert!(
        github.stdout.contains("::error title=FieldValueTooLong,file=bad.yaml,line=6,col=3::"),
        "{}",
        github.stdout
    );
    let sarif: Value = serde_json::from_str(&folder.run("bad.yaml --format sarif").stdout).unwrap();
    // The first one has no place: rules were not run.
    assert_eq!(sarif["runs"][0]["results"][1]["ruleId"], "FieldValueTooLong");
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 4);
}

#[test]
fn warnings_point_to_keys_with_dots_and_brackets() {
    let object = shirt("a", "\n  color: red\n  a.b: 1\n  buttons:\n  - holes: 1\n    x[0].y: 2");
    let twice = shirt("b", "\n  color: red\n  a: {}\n  a.b: 1\n  a.b: 2");
    let folder = Shirts::new("dots", &[("object.yaml", &*object), ("twice.yaml", &*twice)]);
    let found = [
        "warning: spec.a.b: unknown field",
        "object.yaml:7:3",
        "warning: spec.buttons[0].x[0].y: unknown field",
    ];
    folder.run("object.yaml").expect(0, &[&found[..], &["object.yaml:10:5"]].concat());
    folder.run("twice.yaml").expect(0, &["warning: spec.a.b: duplicate field", "twice.yaml:9:3"]);
}

#[test]
fn json_contains_the_stored_object() {
    let objects = shirt("a", "{color: red, other: 1.0}") + "---\n" + &shirt("b", "{color: orange}");
    let folder = Shirts::new("json", &[("objects.yaml", &objects)]);
    let run = folder.run("objects.yaml --format json");
    assert_eq!(run.status, 1);
    let lines = run.lines();
    assert_eq!(lines[0]["object"]["spec"], json!({"color": "red", "size": 40}));
    assert_eq!(lines[0]["warnings"], json!([]));
    assert_eq!(lines[1]["errors"][0]["field"], "spec.color");
    assert_eq!((&lines[1]["document"], &lines[1]["reason"]), (&json!(1), &json!("Invalid")));
    let strict = folder.run("objects.yaml --format json --field-validation strict");
    assert_eq!(strict.lines()[0]["reason"], "BadRequest");
    assert_eq!(
        strict.lines()[0]["message"],
        "Shirt in version \"v1\" cannot be handled as a Shirt: strict decoding error: unknown field \"spec.other\""
    );
}

#[test]
fn duplicate_fields_are_ignored_warned_of_or_refused() {
    let yaml = shirt("a", "\n  color: red\n  buttons:\n  - holes: 1\n    holes: 2\n  color: blue");
    let json = r#"{"apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {"name": "b"},
        "spec": {"color": "red", "buttons": [{"holes": 1, "holes": 2}], "color": "blue"}}"#;
    let list = r#"{"kind": "List", "items": [
        {"apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {"name": "b", "name": "c"}, "spec": {"color": "red"}}]}"#;
    let folder = Shirts::new("twice", &[("a.yaml", &yaml), ("b.json", json), ("c.json", list)]);
    let run = folder.run("a.yaml b.json c.json --format json --field-validation Warn");
    let warnings: Vec<Value> = run.lines().iter().map(|line| line["warnings"].clone()).collect();
    let both = json!(["duplicate field \"spec.buttons[0].holes\"", "duplicate field \"spec.color\""]);
    assert_eq!(warnings, [both.clone(), both, json!(["duplicate field \"metadata.name\""])]);
    let object = &run.lines()[1]["object"]["spec"];
    assert_eq!(*object, json!({"color": "blue", "size": 40, "buttons": [{"holes": 2}]}));
}

#[test]
fn stored_objects_are_replaced() {
    let old = shirt("a", "{color: red}") + "---\n" + &shirt("b", "{color: red}") + "status: {sold: 3}\n";
    let new = shirt("b", "{color: blue}") + "status: {sold: -1}\n---\n" + &shirt("c", "{color: blue}");
    let files = [("old/sub/x.yaml", &*old), ("new/sub/x.yaml", &*new)];
    let folder = Shirts::new("update", &files);
    let expected = ["error: spec: Invalid value: the color is fixed", "x.yaml:5:1", "1 accepted, 1 rejected"];
    folder.run("--old old new").expect(1, &expected);
    folder.run("--old old/sub/x.yaml new").expect(1, &expected);
    folder.run("--old old new/sub/x.yaml").expect(0, &["2 accepted, 0 rejected"]);
    let run = folder.run("--old old --subresource status --format json new");
    assert_eq!(
        run.lines()[0]["errors"][0]["message"],
        "Invalid value: -1: sold in body should be greater than or equal to 0"
    );
    folder.run("--subresource status new").expect(2, &["--old"]);
}

#[test]
fn kinds_without_a_definition_are_named() {
    let other = "apiVersion: apps/v1\nkind: Deployment\n";
    let good = shirt("a", "{color: red}");
    let wrong_kind = good.replace("kind: Shirt", "kind: Skirt");
    let files =
        [("other.yaml", other), ("good.yaml", &good), ("wrong.yaml", &wrong_kind), ("broken.yaml", "a: [\n")];
    let folder = Shirts::new("others", &files);
    folder
        .run("good.yaml other.yaml")
        .expect(0, &["1 accepted, 0 rejected; no CRD for 1 apps/v1 Deployment"]);
    folder.run("other.yaml").expect(2, &["no object has a kind that the CRDs define: 1 apps/v1 Deployment"]);
    folder.run("wrong.yaml").expect(1, &["error: kind: Invalid value: \"Skirt\": must be Shirt"]);
    folder.run("good.yaml broken.yaml").expect(2, &["broken.yaml:2:1"]);
    let run = folder.run("other.yaml good.yaml --format json");
    assert_eq!(run.status, 1);
    assert_eq!(run.lines()[0]["message"], "no CRD defines apps/v1 Deployment");
    let run = folder.run("--crd good.yaml --crd no-such.yaml good.yaml");
    run.expect(2, &["no-such.yaml"]);
}

#[test]
fn deep_objects_are_validated() {
    let free = CRD.replace(
        "size: {type: integer, default: 40}",
        "free: {type: object, x-kubernetes-preserve-unknown-fields: true}",
    );
    let (open, close) = ("{\"a\":".repeat(1_000), "}".repeat(1_000));
    let deep = shirt("a", &format!("{{color: red, free: {open}1{close}}}"));
    let json = format!(
        r#"{{"apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {{"name": "a"}}, "spec": {{"color": "red", "free": {open}1{close}}}}}"#
    );
    let folder = Shirts::new("deep", &[("crd.yaml", &free), ("a.yaml", &deep), ("a.json", &json)]);
    let run = folder.run("--format json a.yaml a.json --old a.json");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.stdout.matches("\"a\":").count(), 2_000);
}

/// The server writes them anew with every request.
#[test]
fn managed_fields_of_the_stored_object_are_not_a_difference() {
    let rule = "        x-kubernetes-validations: [{rule: self == oldSelf}]\n        type: object\n        properties:\n          spec:";
    let crd = SHIRT.replacen("        type: object\n        properties:\n          spec:", rule, 1);
    let object = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a, namespace: b}\nspec: {color: red}\n";
    let managers =
        "managedFields: [{manager: kubectl, operation: Update, apiVersion: v1, time: 2026-01-01T00:00:00Z}]";
    let stored = object.replace("namespace: b", &format!("namespace: b, {managers}"));
    let folder =
        Folder::new("validate-managers", &[("crd.yaml", &crd), ("new.yaml", object), ("old.yaml", &stored)]);
    folder.run("validate --crd crd.yaml --old old.yaml new.yaml").expect(0, &["1 accepted"]);
    folder.run("validate --crd crd.yaml --old old.yaml old.yaml").expect(0, &["1 accepted"]);
}

#[test]
fn fields_that_the_storage_version_lacks_are_named() {
    let (head, version) = SHIRT.split_once("  - name: v1").unwrap();
    let other = version
        .replace("storage: true", "storage: false")
        .replace("color:", "size: {type: string}\n              color:");
    let crd = format!("{head}  - name: v1{version}  - name: v2{other}");
    let object = "apiVersion: stable.example.com/v2\nkind: Shirt\nmetadata: {name: a, namespace: b}\nspec: {size: l, color: red}\n";
    let converted = crd.replace("  versions:", "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://a.example.com/'}}}\n  versions:");
    let files = [("crd.yaml", &*crd), ("object.yaml", object), ("converted.yaml", &converted)];
    let folder = Folder::new("validate-lost", &files);
    let run = folder.run("validate --crd crd.yaml object.yaml");
    run.expect(
        0,
        &["warning[field-lost-between-versions]", "objects are stored in version v1", "--> object.yaml:4:8"],
    );
    folder.run("validate --crd crd.yaml --deny field-lost-between-versions object.yaml").expect(1, &[]);
    let run = folder.run("validate --crd converted.yaml object.yaml");
    assert!(run.status == 0 && !run.stderr.contains("field-lost"), "{}", run.stderr);
}
