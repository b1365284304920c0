//! `crdkit sample`, as its users meet it.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

mod tool;

use serde_json::{Value, json};

use tool::Folder;

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
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            description: The wanted shirt.
            type: object
            required: [color]
            x-kubernetes-validations:
            - {rule: "self.color != 'red' || has(self.size) && self.size > 9", message: red is for large ones}
            properties:
              color: {type: string, enum: [red, blue], description: Its color.}
              size: {type: integer, minimum: 1, maximum: 60}
              print:
                type: object
                properties: {text: {type: string}, image: {type: string, format: uri}}
                oneOf: [{required: [text]}, {required: [image]}]
  - name: v2
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object}}
"#;

fn folder(name: &str) -> Folder {
    let never =
        CRD.replace("shirts", "socks").replace("Shirt", "Sock").replace("self.size > 9", "self.size > 60");
    Folder::new(
        name,
        &[
            ("shirt.yaml", CRD),
            (
                "sock.yaml",
                &never.replace("enum: [red, blue]", "enum: [red]").replace(
                    "type: object\n        properties:",
                    "type: object\n        required: [spec]\n        properties:",
                ),
            ),
        ],
    )
}

#[test]
fn the_smallest_object_is_the_default() {
    let run = folder("sample-minimal").run("sample shirt.yaml");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let expected =
        "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata:\n  name: example\nspec:\n  color: blue\n";
    assert_eq!(run.stdout, expected);
    assert_eq!(folder("sample-minimal-flag").run("sample --minimal shirt.yaml").stdout, expected);
}

#[test]
fn full_objects_and_alternatives_as_json() {
    let folder = folder("sample-full");
    let run = folder.run("sample --full --format json shirt.yaml");
    let spec = json!({"color": "blue", "size": 1, "print": {"text": "example"}});
    assert_eq!(run.lines()[0]["spec"], spec);
    let all = folder.run("sample --alternatives --format json shirt.yaml").lines();
    assert_eq!(all.len(), 2);
    assert_eq!(all[1]["spec"]["print"], json!({"image": "https://example.com"}));
    let again = folder.run("sample --full --seed 5 --format json shirt.yaml");
    assert_eq!(again.stdout, folder.run("sample --full --seed 5 --format json shirt.yaml").stdout);
}

#[test]
fn samples_name_their_schema_or_become_one_list() {
    let folder = folder("sample-list");
    let run = folder.run("sample --schema-url https://example.com/schemas/ shirt.yaml");
    let line =
        "# yaml-language-server: $schema=https://example.com/schemas/stable.example.com/shirt_v1.json\n";
    assert_eq!(run.stdout, line.to_owned() + &folder.run("sample shirt.yaml").stdout);
    let run = folder.run("sample --format alm-examples shirt.yaml");
    let list: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(list.as_array().unwrap().iter().all(|object| object["metadata"]["name"] == "example"), "{list}");
    let run = folder.run("sample --format alm-examples --kind Nothing shirt.yaml");
    assert_eq!(run.stdout, "[]\n");
}

#[test]
fn comments_say_what_is_allowed() {
    let run = folder("sample-comments").run("sample --comments shirt.yaml");
    let expected = "\
apiVersion: stable.example.com/v1
kind: Shirt
metadata:
  name: example
# The wanted shirt.
# (optional, object)
# Rule: red is for large ones
spec:
  # Its color.
  # (required, string, one of \"red\", \"blue\")
  color: blue
  # (optional, integer, at least 1, at most 60)
  #size: 1
  # (optional, object)
  #print:
  #  text: example
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn the_rule_that_refuses_everything_is_named() {
    let folder = folder("sample-never");
    let run = folder.run("sample sock.yaml shirt.yaml");
    assert_eq!(run.status, 1);
    assert!(run.stdout.starts_with("apiVersion: stable.example.com/v1\nkind: Shirt\n"), "{}", run.stdout);
    run.expect(
        1,
        &["sock.yaml", "no sample of `Sock` (v1) was found", "self.size > 60", "red is for large ones"],
    );
    folder.run("sample --version v2 shirt.yaml").expect(1, &["version `v2` is not served"]);
    folder.run("sample --version v3 shirt.yaml").expect(1, &["there is no version `v3`"]);
    folder.run("sample --kind Hat shirt.yaml").expect(2, &["no CRD of the kind `Hat` in the input"]);
    folder.run("sample nowhere.yaml").expect(2, &["nowhere.yaml"]);
}

#[test]
fn crds_that_serve_no_version() {
    let unserved =
        CRD.replace("shirts", "hats").replace("Shirt", "Hat").replace("served: true", "served: false");
    let folder = Folder::new("sample-unserved", &[("a/hat.yaml", &unserved), ("a/shirt.yaml", CRD)]);
    let warning = "warning: no sample of `Hat`: no version is served";
    let run = folder.run("sample a");
    assert_eq!((run.status, run.stdout.matches("kind: ").count()), (0, 1), "{}", run.stderr);
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    // A CRD alone is an error, because there is no output.
    let run = folder.run("sample a/hat.yaml");
    assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(run.stderr.contains(&warning.replace("warning", "error")), "{}", run.stderr);

    let run = folder.run("generate --out out a");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let warning = "warning: spec.versions: no types are generated, because no version is served";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    let run = folder.run("generate --out other a/hat.yaml");
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("the option `versions` selects none of the versions: `served`"),
        "{}",
        run.stderr
    );
}
