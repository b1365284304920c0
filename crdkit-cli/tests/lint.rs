//! `crdkit lint`: findings, levels, formats and exit status. `crd-lint/tests/rules` has the rules.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod tool;

use serde_json::{Value, json};
use tool::Folder;

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, singular: shirt, kind: Shirt, shortNames: [sh]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}
              sizes: {type: array, items: {type: integer}}
            x-kubernetes-validations:
            - {rule: self.size > 0, message: size must be positive}
";

fn folder(name: &str) -> Folder {
    let other = CRD
        .replace("shirts", "shoes")
        .replace("kind: Shirt,", "kind: Shoe,")
        .replace("singular: shirt", "singular: shoe");
    Folder::new(name, &[("shirts.yaml", CRD), ("shoes.yaml", &other)])
}

fn write(folder: &Folder, name: &str, text: &str) {
    std::fs::write(folder.0.join(name), text).unwrap();
}

#[test]
fn findings_have_places_proofs_and_help() {
    let run = folder("lint-human").run("lint shirts.yaml");
    run.expect(
        0,
        &[
            "warning[rule-fails-without-field]: spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: the rule reads \
             `self.size`, which may be absent",
            "an object that shows it: {\"apiVersion\":\"stable.example.com/v1\",\"kind\":\"Shirt\",\"metadata\":{\"name\":\"example\"},\"spec\":{}}",
            "--> shirts.yaml:22:16",
            "help: write `!has(self.size) || (self.size > 0)`",
            "note[list-without-type]",
            "linted 1 CRD: 1 warning, 1 note",
        ],
    );
}

#[test]
fn names_are_compared_between_files() {
    folder("lint-names").run("lint .").expect(0, &["warning[name-collides]: spec.names.shortNames[0]: the name `sh` is also used by `shirts.stable.example.com`"]);
}

#[test]
fn levels_are_chosen_by_id_and_by_group() {
    let folder = folder("lint-levels");
    folder
        .run("lint --deny broken shirts.yaml")
        .expect(1, &["error[rule-fails-without-field]", "1 error, 1 note"]);
    let run = folder.run("lint --deny broken --allow rule-fails-without-field shirts.yaml");
    run.expect(0, &["linted 1 CRD: 1 note"]);
    folder
        .run("lint --allow broken --allow convention shirts.yaml")
        .expect(0, &["linted 1 CRD: no findings"]);
    folder.run("lint --allow all shirts.yaml").expect(0, &["linted 1 CRD: no findings"]);
    folder.run("lint --deny all --allow convention shirts.yaml").expect(1, &["linted 1 CRD: 1 error"]);
    // A rule that is off in the profile is turned on by its id, not by its group.
    folder
        .run("lint --deny integer-without-format shirts.yaml")
        .expect(1, &["error[integer-without-format]", "(and 1 more; `--format json` shows all)"]);
    folder
        .run("lint --deny rule-fails-without-fields shirts.yaml")
        .expect(2, &["a similar value exists: 'rule-fails-without-field'"]);
}

#[test]
fn lines_of_json_have_everything() {
    let run = folder("lint-json").run("lint --format json shirts.yaml");
    let line: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&line["name"], &line["accepted"], line["findings"].as_array().unwrap().len()),
        (&json!("shirts.stable.example.com"), &json!(true), 2)
    );
    let finding = &line["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["group"], &finding["level"], &finding["line"]),
        (&json!("rule-fails-without-field"), &json!("broken"), &json!("warning"), &json!(22))
    );
    assert_eq!(finding["proof"]["spec"], json!({}));
}

#[test]
fn what_the_api_server_rejects_is_an_error() {
    let folder = Folder::new(
        "lint-rejected",
        &[
            ("a.yaml", &CRD.replace("scope: Namespaced", "scope: Galactic")),
            ("b.yaml", "kind: ConfigMap\napiVersion: v1\n"),
        ],
    );
    folder.run("lint a.yaml").expect(
        1,
        &["error: spec.scope: Unsupported value", "the API server rejects 1, which `crdkit check` explains"],
    );
    folder.run("lint b.yaml").expect(2, &["no CustomResourceDefinition"]);
}

#[test]
fn rules_are_explained_and_listed() {
    let folder = folder("lint-explain");
    let run = folder.run("lint --explain phase");
    assert_eq!(
        run.stdout,
        "phase (convention, off)\n\nThe API conventions recommend conditions instead of a phase.\n\nSource: sig-architecture/api-conventions.md\nProfiles: minimal: off, crd: off, \
         kubernetes: note, gitops: off, ssa: off\n"
    );
    let run = folder.run("lint --list --profile kubernetes");
    assert!(run.stdout.lines().count() > 50 && run.stdout.contains("phase"), "{}", run.stdout);
}

#[test]
fn remedies_are_written_into_files() {
    let folder = folder("lint-fix");
    let run = folder.run("lint --fix --diff shirts.yaml");
    run.expect(0, &[]);
    let (old, new) = (
        "            - {rule: self.size > 0, message: size must be positive}",
        "            - {rule: \"!has(self.size) || (self.size > 0)\", message: size must be positive}",
    );
    assert!(run.stdout.contains(&format!("\n-{old}\n+{new}\n")), "{}", run.stdout);
    folder.run("lint shirts.yaml").expect(0, &["1 warning, 1 note"]);

    folder
        .run("lint --fix shirts.yaml")
        .expect(0, &["fixed 1 finding in shirts.yaml", "linted 1 CRD: 1 note"]);
    assert_eq!(folder.read("shirts.yaml"), CRD.replace(old, new));
    folder.run("lint --diff shirts.yaml").expect(2, &["--fix"]);
}

#[test]
fn a_project_chooses_levels_by_rule_group_and_place() {
    let folder = folder("lint-configured");
    write(&folder, "crdkit.toml", "[lint]\nprofile = \"minimal\"\n[lint.levels]\nbroken = \"error\"\n");
    folder.run("lint shirts.yaml").expect(1, &["error[rule-fails-without-field]", "linted 1 CRD: 1 error"]);
    // An option counts more than the configuration.
    folder
        .run("lint --profile crd shirts.yaml")
        .expect(1, &["note[list-without-type]", "linted 1 CRD: 1 error, 1 note"]);
    let at = "[[lint.at]]\npath = \"spec.sizes\"\nlevels = {list-without-type = \"off\"}\n\
              [[lint.at]]\ncrd = \"shirts.*\"\npath = \"spec\"\nlevels = {broken = \"note\"}\n";
    write(&folder, "crdkit.toml", at);
    folder.run("lint shirts.yaml").expect(0, &["note[rule-fails-without-field]", "linted 1 CRD: 1 note"]);
    for (text, message) in [
        ("[lint]\nprofil = \"crd\"\n", "unknown field `profil`; did you mean `profile`?"),
        ("[lint]\nprofile = \"strict\"\n", "unknown profile `strict`"),
        ("[lint.levels]\nphases = \"off\"\n", "unknown rule or group `phases`; did you mean `phase`?"),
        ("[lint.levels]\nphase = \"hint\"\n", "expected `phase = \"off\"`"),
        ("[[lint.at]]\nlevels = {phase = \"off\"}\n", "`[[lint.at]]` needs `levels`, and `path` or `crd`"),
    ] {
        write(&folder, "crdkit.toml", text);
        folder.run("lint shirts.yaml").expect(2, &[message]);
    }
}

#[test]
fn findings_are_accepted_with_a_reason() {
    let folder = folder("lint-waived");
    let waiver = "[[waive]]\nid = \"rule-fails-*\"\ncrd = \"shirts.stable.example.com\"\npath = \"spec\"\nreason = \"no objects yet\"\n";
    write(&folder, "crdkit.toml", waiver);
    folder.run("lint shirts.yaml").expect(0, &["linted 1 CRD: 1 note; 1 waived"]);
    write(&folder, "crdkit.toml", &waiver.replace("rule-fails-*", "phase"));
    folder.run("lint shirts.yaml").expect(
        0,
        &["the waiver of `phase shirts.stable.example.com spec` is no longer needed", "1 warning, 1 note"],
    );
    write(&folder, "crdkit.toml", "");
    let commented = CRD.replace(
        "              sizes:",
        "              # crdkit: allow(list-without-type) Nobody applies this list.\n              sizes:",
    );
    write(&folder, "shirts.yaml", &commented);
    folder.run("lint shirts.yaml").expect(0, &["linted 1 CRD: 1 warning; 1 waived"]);
    // What is accepted is not mended.
    let all = commented.replace(
        "            - {rule",
        "            # crdkit: allow(broken) no objects yet\n            - {rule",
    );
    write(&folder, "shirts.yaml", &all);
    folder.run("lint --fix shirts.yaml").expect(0, &["linted 1 CRD: no findings; 2 waived"]);
    assert_eq!(folder.read("shirts.yaml"), all);
}

#[test]
fn a_baseline_keeps_what_is_known_quiet() {
    let folder = folder("lint-baseline");
    folder
        .run("lint --write-baseline shirts.yaml")
        .expect(2, &["`--write-baseline` needs `--baseline FILE`"]);
    folder.run("lint --baseline lint.txt shirts.yaml").expect(2, &["lint.txt"]);
    folder.run("lint --baseline lint.txt --write-baseline --deny broken shirts.yaml").expect(0, &[]);
    let baseline = folder.read("lint.txt");
    let lines: Vec<&str> = baseline.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "list-without-type shirts.stable.example.com v1 spec.sizes",
            "rule-fails-without-field shirts.stable.example.com v1 spec"
        ]
    );
    // Neither the name of the file nor the place of the version counts.
    let moved = CRD.replace("  - name: v1\n", "  - {name: v0, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n  - name: v1\n");
    write(&folder, "moved.yaml", &moved);
    folder
        .run("lint --baseline lint.txt --deny broken --allow field-lost-between-versions moved.yaml")
        .expect(0, &["2 in the baseline"]);
    let other = CRD.replace(
        "size: {type: integer}",
        "size: {type: integer}\n              more: {type: array, items: {type: string}}",
    );
    write(&folder, "shirts.yaml", &other.replace("self.size > 0", "'!has(self.size) || self.size > 0'"));
    folder.run("lint --baseline lint.txt --deny broken --deny list-without-type shirts.yaml").expect(
        1,
        &[
            "error[list-without-type]",
            "properties[more]",
            "1 in the baseline",
            "1 of the baseline's findings are gone",
        ],
    );
}
