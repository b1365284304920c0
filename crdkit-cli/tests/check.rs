//! The command `check`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod tool;

use serde_json::{Value, json};
use tool::{Folder, SHIRT};

/// Definitions that are accepted, warned of, refused and not decoded, next to other objects and broken YAML.
fn folder(name: &str) -> Folder {
    let wrong =
        SHIRT.replace("scope: Namespaced", "scope: Galactic").replace("type: string", "properties: {}");
    let undecoded = SHIRT.replace("group: stable.example.com", "group: [x]");
    let warned = SHIRT.replace("type: string", "type: string, format: shade");
    let files = [
        ("a.yaml", &*wrong),
        ("b.yaml", &*warned),
        ("c/d.yaml", &*undecoded),
        ("c/e.yaml", "kind: ConfigMap\n"),
        ("f.yaml", "a: [\n"),
        ("good.yaml", SHIRT),
    ];
    Folder::new(name, &files)
}

#[test]
fn check_replaces_stored_definitions() {
    let changed = SHIRT.replace("scope: Namespaced", "scope: Cluster");
    let folder = Folder::new("check-old", &[("old.yaml", SHIRT), ("new.yaml", &changed)]);
    folder.run("check new.yaml").expect(0, &[]);
    folder.run("check --old old.yaml old.yaml").expect(0, &["1 accepted"]);
    folder
        .run("check --old old.yaml new.yaml")
        .expect(1, &["spec.scope: Invalid value: \"Cluster\": field is immutable"]);
    folder.run("check --old absent.yaml new.yaml").expect(2, &["absent.yaml"]);
}

/// Returns a CRD of a cluster, into which another field manager has written a conversion webhook.
fn stored_by_others() -> String {
    let others = "  uid: 4b6f8d6e-5a1c-4f6e-9d55-8f7f6a1e7c11
  managedFields:
  - manager: cainjector
    operation: Update
    apiVersion: apiextensions.k8s.io/v1
    fieldsType: FieldsV1
    fieldsV1: {f:spec: {f:conversion: {f:webhook: {f:clientConfig: {f:url: {}}, f:conversionReviewVersions: {}}}}}
spec:
  conversion:
    strategy: Webhook
    webhook: {clientConfig: {url: 'https://a.example.com/convert'}, conversionReviewVersions: [v1]}
";
    SHIRT.replace("spec:\n  group", &format!("{others}  group"))
}

#[test]
fn the_ways_of_an_update_keep_fields_of_the_stored_definition() {
    let none = SHIRT.replace("  versions:", "  conversion: {strategy: None}\n  versions:");
    let folder = Folder::new("check-as", &[("old.yaml", &*stored_by_others()), ("none.yaml", &none)]);
    folder.run("check --old old.yaml none.yaml").expect(0, &["1 accepted"]);
    folder.run("check --old old.yaml --as replace none.yaml").expect(0, &["1 accepted"]);
    let cause = "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook";
    let kept = "the value is kept from the stored CRD";
    for way in ["apply", "server-side-apply"] {
        let run = |options: &str| folder.run(&format!("check --old old.yaml --as {way} {options} none.yaml"));
        // The place of the nearest field that the new file has.
        run("").expect(1, &[cause, kept, "none.yaml:9:3"]);
        for (format, place) in
            [("github", "file=none.yaml,line=9,col=3"), ("sarif", "\"startLine\": 9"), ("junit", "")]
        {
            let printed = run(&format!("--format {format}")).stdout;
            let is_found = printed.contains(cause) && printed.contains(place);
            assert!(is_found && (format == "junit" || printed.contains(kept)), "{printed}");
        }
        let line: Value = serde_json::from_str(&run("--format json").stdout).unwrap();
        assert_eq!(
            (&line["errors"][0]["keptFromStored"], &line["errors"][0]["line"]),
            (&json!(true), &json!(9))
        );
        run("--kube-version 1.36..1.37").expect(1, &["in Kubernetes 1.36 to 1.37: Forbidden", kept]);
    }
    // A new file that is applied where there is none is created.
    folder.run("check --old none.yaml --as apply old.yaml").expect(0, &["1 accepted"]);
}

#[test]
fn conflicts_of_server_side_apply_are_in_the_words_of_the_server() {
    let new = stored_by_others().replace("a.example.com", "b.example.com");
    let (start, end) = (new.find("  uid").unwrap(), new.find("spec:\n").unwrap());
    let new = format!("{}{}", &new[..start], &new[end..]);
    let unknown = SHIRT.replace("  scope", "  colour: red\n  scope");
    let files = [("old.yaml", &*stored_by_others()), ("new.yaml", &new), ("unknown.yaml", &unknown)];
    let folder = Folder::new("check-conflict", &files);
    let run = |arguments: &str| folder.run(&format!("check --old old.yaml {arguments}"));
    let conflict = "Apply failed with 1 conflict: conflict with \"cainjector\" using apiextensions.k8s.io/v1: .spec.conversion.webhook.clientConfig.url";
    run("--as server-side-apply new.yaml").expect(1, &[conflict, "new.yaml:8:30", "--force-conflicts"]);
    let printed = run("--as server-side-apply --format github new.yaml").stdout;
    assert!(
        printed.starts_with("::error title=FieldManagerConflict,file=new.yaml,line=8,col=30::"),
        "{printed}"
    );
    let line: Value =
        serde_json::from_str(&run("--as server-side-apply --format json new.yaml").stdout).unwrap();
    assert_eq!((&line["message"], &line["line"]), (&json!(conflict), &json!(8)));
    assert_eq!(line["errors"][0]["message"], "conflict with \"cainjector\" using apiextensions.k8s.io/v1");
    run("--as server-side-apply --force-conflicts new.yaml").expect(0, &["1 accepted"]);
    run("--as server-side-apply --field-manager cainjector new.yaml").expect(1, &["1 conflict"]);
    run("--as apply new.yaml").expect(0, &["1 accepted"]);
    run("--as server-side-apply unknown.yaml")
        .expect(1, &[".spec.colour: field not declared in schema", "unknown.yaml:7:3"]);
}

#[test]
fn the_way_of_an_update_needs_a_stored_definition() {
    let folder = Folder::new("check-as-usage", &[("crd.yaml", SHIRT)]);
    folder.run("check --as apply crd.yaml").expect(2, &["--old <OLD>"]);
    folder.run("check --old crd.yaml --as patch crd.yaml").expect(2, &["server-side-apply"]);
    let forced = folder.run("check --old crd.yaml --as apply --force-conflicts crd.yaml");
    forced.expect(2, &["need `--as server-side-apply`"]);
}

#[test]
fn apply_keeps_the_whole_definition_in_an_annotation() {
    let long = SHIRT.replace("type: string", &format!("type: string, description: {}", "a".repeat(300_000)));
    let folder = Folder::new("check-as-long", &[("old.yaml", SHIRT), ("long.yaml", &long)]);
    folder.run("check --old old.yaml long.yaml").expect(0, &["too-large-for-apply"]);
    let applied = folder.run("check --old old.yaml --as apply long.yaml");
    applied
        .expect(1, &["metadata.annotations: Too long: may not be more than 262144 bytes", "--server-side"]);
    assert!(!applied.stderr.contains("too-large-for-apply"), "{}", applied.stderr);
    let run = folder.run("check --old old.yaml --as server-side-apply long.yaml");
    run.expect(0, &["1 accepted"]);
    assert!(!run.stderr.contains("too-large-for-apply"), "{}", run.stderr);
}

/// Returns a definition with a selectable field and a rule of 1.34.
fn newer() -> String {
    SHIRT.replace("storage: true", "storage: true\n    selectableFields: [{jsonPath: .spec.color}]").replace(
        "type: string",
        "type: string, maxLength: 9, x-kubernetes-validations: [{rule: isSemver(self)}]",
    )
}

#[test]
fn features_without_effect_are_advice_with_their_place() {
    let selectable =
        SHIRT.replace("storage: true", "storage: true\n    selectableFields: [{jsonPath: .spec.color}]");
    let folder = Folder::new("check-inert", &[("crd.yaml", &*selectable)]);
    let text = "warning[inert-field]: spec.versions[0].selectableFields: `selectableFields` has no effect in Kubernetes 1.30: ";
    folder
        .run("check --kube-version 1.30 crd.yaml")
        .expect(0, &[text, "crd.yaml:", "`selectableFields` needs 1.31"]);
    folder.run("check --kube-version 1.30 --deny inert-field crd.yaml").expect(1, &["error[inert-field]"]);
    for clean in ["--kube-version 1.30 --allow inert-field", "--kube-version 1.31", ""] {
        let run = folder.run(&format!("check {clean} crd.yaml"));
        run.expect(0, &[]);
        assert!(!run.stderr.contains("inert"), "{}", run.stderr);
    }
    let line: Value =
        serde_json::from_str(&folder.run("check --kube-version 1.30 --format json crd.yaml").stdout).unwrap();
    assert_eq!(line["accepted"], true);
    assert_eq!(line["inert"][0]["field"], "spec.versions[0].selectableFields");
    assert!(line["inert"][0]["line"].is_u64() && line["advice"] == json!([]));
    let line: Value = serde_json::from_str(&folder.run("check --format json crd.yaml").stdout).unwrap();
    assert_eq!(line.get("inert"), None);
}

#[test]
fn several_releases_are_a_matrix() {
    let folder = Folder::new("check-matrix", &[("crd.yaml", &*newer()), ("shirt.yaml", SHIRT)]);
    let run = folder.run("check --kube-version 1.30..1.31,1.34 crd.yaml");
    run.expect(
        1,
        &["in Kubernetes 1.30 to 1.31: Invalid value: ", "0 accepted, 1 rejected; advice: 1 inert-field"],
    );
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["shirts.stable.example.com", "1.30", "1.31", "1.34"]);
    assert_eq!((rows[1][0], &rows[1][2..]), ("selectableFields", &["inert", "accepted", "accepted"][..]));
    assert_eq!((rows[2][0], &rows[2][2..]), ("isSemver", &["rejected", "rejected", "accepted"][..]));
    assert!(rows[1][1].starts_with("crd.yaml:"), "{:?}", rows[1]);
    assert_eq!(rows[3], ["CRD", "rejected", "rejected", "accepted"]);
    assert!(run.stdout.contains("  needs 1.34; without `isSemver`, 1.31 would suffice\n"), "{}", run.stdout);

    // Only the declared releases decide.
    folder.run("check --kube-version 1.34.. crd.yaml").expect(0, &["1 accepted, 0 rejected"]);
    let run = folder.run("check --kube-version 1.30,1.37 shirt.yaml");
    run.expect(0, &[]);
    assert!(run.stdout.contains("works with all features since 1.30"), "{}", run.stdout);
    folder.run("check --kube-version 1.34..1.31 shirt.yaml").expect(2, &["did you mean `1.31..1.34`?"]);

    let line = folder.run("check --kube-version 1.30,1.34 --format json crd.yaml").stdout;
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&line["accepted"], &line["floor"]), (&json!(false), &json!("1.34")));
    assert_eq!(line["releases"], json!({"1.30": "rejected", "1.34": "accepted"}));
    assert_eq!(line["without"], json!({"features": ["isSemver"], "floor": "1.31"}));
    assert_eq!(line["features"][0]["releases"]["1.30"]["answer"], "inert");
    assert_eq!(line["features"][1]["releases"]["1.30"]["errors"][0]["reason"], "FieldValueInvalid");
}

#[test]
fn feature_gates_change_the_answers_of_their_releases() {
    let selectable =
        SHIRT.replace("storage: true", "storage: true\n    selectableFields: [{jsonPath: .spec.color}]");
    let configured = "feature-gates = {CustomResourceFieldSelectors = false}\n";
    let files = [("crd.yaml", &*selectable), ("crdkit.toml", configured)];
    let folder = Folder::new("check-gates", &[("crd.yaml", &*selectable)]);
    let configured = Folder::new("check-gates-off", &files);
    let on = folder.run(
        "check --kube-version 1.30 --feature-gate CustomResourceFieldSelectors=true --format json crd.yaml",
    );
    assert_eq!(serde_json::from_str::<Value>(&on.stdout).unwrap().get("inert"), None);
    folder
        .run("check --kube-version 1.31 --feature-gate CustomResourceFieldSelectors=false crd.yaml")
        .expect(
            0,
            &[
                "no effect in Kubernetes 1.31: ",
                "; `selectableFields` needs the feature gate `CustomResourceFieldSelectors`",
            ],
        );
    let run = configured.run("check --kube-version 1.30..1.32 crd.yaml");
    assert!(run.stdout.contains("inert  inert  accepted"), "{}", run.stdout);
    for (wrong, error) in [
        ("CustomResourceFieldSelectors=true", "cannot be set in Kubernetes 1.37: it is always on after 1.31"),
        ("CustomResourceFieldSelector=true", "did you mean `CustomResourceFieldSelectors`?"),
        ("CRDValidationRatcheting", "expected `NAME=true` or `NAME=false`"),
    ] {
        folder.run(&format!("check --feature-gate {wrong} crd.yaml")).expect(2, &[error]);
    }
}

#[test]
fn the_configuration_names_the_releases() {
    let crd = newer();
    let files =
        [("crd.yaml", &*crd), ("crdkit.toml", "kube-version = \"1.31,1.34\"\n"), ("a/crdkit.toml", "")];
    let folder = Folder::new("check-configured", &files);
    let run = folder.run("check crd.yaml");
    run.expect(1, &["in Kubernetes 1.31: Invalid value: "]);
    assert!(run.stdout.contains("1.31      1.34"), "{}", run.stdout);
    folder.run("check --kube-version 1.34 crd.yaml").expect(0, &["1 accepted"]);
    // A command that asks one server takes the newest of several releases.
    folder.run("cel --crd crd.yaml --at spec.color isSemver(self)").expect(0, &[]);
    folder.run("cel --crd crd.yaml --at spec.color self.reverse()==''").expect(1, &["1.35"]);
    let wrong = Folder::new(
        "check-misconfigured",
        &[("crd.yaml", &*crd), ("crdkit.toml", "kube-version = \"1.29\"\n")],
    );
    for command in
        ["check crd.yaml", "cel --crd crd.yaml self.spec==self.spec", "validate --crd crd.yaml crd.yaml"]
    {
        wrong
            .run(command)
            .expect(2, &["crdkit.toml:1:16: kube-version: expected a Kubernetes version from 1.30 to 1.37"]);
    }
}

#[test]
fn check_reports_the_answers_of_the_api_server() {
    let folder = folder("check");
    folder.run("check good.yaml").expect(0, &["checked 1 CRD: 1 accepted, 0 rejected"]);
    folder
        .run("check b.yaml")
        .expect(0, &["properties[color]: unrecognized format \"shade\"", "; 1 warning"]);
    assert_eq!(folder.run("check b.yaml --quiet").stderr, "");

    let expected = [
        "error: spec.scope: Unsupported value: \"Galactic\"",
        "a.yaml:7:3",
        // The field is absent, so its parent is shown.
        "properties[spec].properties[color].type: Required value",
        "a.yaml:20:15",
        "c/d.yaml:6:3",
        "checked 4 CRDs: 2 accepted, 2 rejected; 1 warning; advice: 1 dropped-value; 1 other object left out; 1 unreadable file left out",
    ];
    folder.run("check .").expect(1, &expected);
    folder.run("check f.yaml").expect(2, &["f.yaml:2:1"]);
    folder.run("check a.yaml c").expect(1, &[]);
    folder.run("check c/e.yaml").expect(2, &["no CustomResourceDefinition"]);
}

#[test]
fn answers_have_formats_for_machines() {
    let folder = folder("check-formats");
    let run = folder.run("check --format json good.yaml b.yaml a.yaml c f.yaml");
    run.expect(2, &["f.yaml:2:1"]);
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let accepted: Vec<_> =
        lines.iter().map(|line| (&line["file"], &line["accepted"])).map(|(f, a)| format!("{f}{a}")).collect();
    assert_eq!(
        accepted,
        ["\"good.yaml\"true", "\"b.yaml\"true", "\"a.yaml\"false", "\"c/d.yaml\"false", "\"c/e.yaml\"false"]
    );
    assert_eq!(lines[1]["warnings"][0], "unrecognized format \"shade\"");
    assert_eq!(lines[2]["errors"][0]["field"], "spec.scope");
    assert_eq!(lines[2]["errors"][0]["reason"], "FieldValueNotSupported");
    let place = |value: &Value| (value["line"].as_u64(), value["column"].as_u64());
    assert_eq!(place(&lines[2]["errors"][0]), (Some(7), Some(3)));
    assert_eq!(place(&lines[2]["advice"][0]), (Some(20), Some(23)));
    assert_eq!(place(&lines[3]), (Some(6), Some(3)));
    assert!(lines[3]["message"].as_str().unwrap().contains("cannot unmarshal array"));

    let run = folder.run("check --format github a.yaml");
    assert_eq!(run.status, 1);
    assert!(
        run.stdout.contains("::error title=FieldValueNotSupported,file=a.yaml,line=7,col=3::spec.scope: "),
        "{}",
        run.stdout
    );
    let run = folder.run("check --format sarif a.yaml");
    let sarif: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "FieldValueNotSupported");
}

#[test]
fn advice_is_selected_by_name_and_changes_no_verdict() {
    let columns = "    additionalPrinterColumns:\n    - {name: C, type: string, jsonPath: .spec.colour}\n";
    let crd = SHIRT.to_owned() + columns;
    let many: String =
        (0..30).map(|i| format!("              p{i}: {{type: string, nullable: false}}\n")).collect();
    let long = SHIRT.to_owned() + &many;
    let files =
        [("a.yaml", &*crd), ("many.yaml", &*long), ("wrong.yaml", &*crd.replace("stable.", "other."))];
    let folder = Folder::new("cli-advice", &files);
    let expected = [
        "warning[column-without-field]: spec.versions[0].additionalPrinterColumns[0].jsonPath: `.spec.colour` is not a field",
        "a.yaml:22:31",
        "did you mean `.spec.color`?",
        "1 accepted, 0 rejected; advice: 1 column-without-field",
    ];
    folder.run("check a.yaml").expect(0, &expected);
    for silenced in ["--allow column-without-field", "--allow all", "--allow all --deny unknown-field"] {
        let run = folder.run(&format!("check a.yaml {silenced}"));
        run.expect(0, &[]);
        assert_eq!(run.stderr, "checked 1 CRD: 1 accepted, 0 rejected\n");
    }
    assert_eq!(folder.run("check a.yaml --quiet").stderr, "");
    folder
        .run("check a.yaml --quiet --deny column-without-field")
        .expect(1, &["error[column-without-field]: "]);
    folder.run("check a.yaml --deny all").expect(1, &["1 accepted, 0 rejected; advice: 1"]);
    folder.run("check a.yaml --deny unknown-field").expect(0, &[]);
    folder
        .run("check a.yaml --deny column-without-feild")
        .expect(2, &["similar value exists: 'column-without-field'", "list-without-type"]);

    let run = folder.run("check many.yaml");
    run.expect(0, &["warning[dropped-value]: 20 more with this name", "advice: 30 dropped-value"]);
    assert_eq!(run.stderr.matches("warning[").count(), 11);

    let run = folder.run("check --format json a.yaml wrong.yaml");
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let advice = json!([{
        "name": "column-without-field",
        "field": "spec.versions[0].additionalPrinterColumns[0].jsonPath",
        "message": "`.spec.colour` is not a field: the schema of `.spec` has no `colour`",
        "help": "did you mean `.spec.color`?",
        "line": 22,
        "column": 31,
    }]);
    assert_eq!((&lines[0]["advice"], &lines[0]["warnings"]), (&advice, &json!([])));
    assert_eq!(lines[1]["advice"], advice);
    let run = folder.run("check --format sarif a.yaml");
    let sarif: Value = serde_json::from_str(&run.stdout).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"column-without-field".into(), &"note".into()));
    let run = folder.run("check --format github a.yaml");
    assert!(
        run.stdout.starts_with("::warning title=column-without-field,file=a.yaml,line=22,"),
        "{}",
        run.stdout
    );
}

#[test]
fn sizes_are_shown_by_version_and_field() {
    let folder = Folder::new("check-sizes", &[("a.yaml", SHIRT), ("b.yaml", "kind: ConfigMap\n")]);
    let run = folder.run("check --sizes a.yaml");
    run.expect(0, &["checked 1 CRD: 1 accepted"]);
    assert!(run.stdout.contains(" of 262144 bytes for `kubectl apply`, "), "{run:?}");
    assert!(run.stdout.lines().any(|line| line.ends_with("  v1  spec.color")), "{run:?}");

    let run = folder.run("check --sizes --kube-version 1.30..1.31 a.yaml");
    assert!(run.stdout.contains(" of 1572864 for etcd"), "{run:?}");

    let run = folder.run("check --sizes --format json a.yaml b.yaml");
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let parts = lines[0]["sizes"]["parts"].as_array().unwrap();
    let bytes: Vec<u64> = parts.iter().map(|part| part["bytes"].as_u64().unwrap()).collect();
    assert!(bytes.is_sorted_by(|one, other| one >= other), "{bytes:?}");
    assert_eq!((&parts[0]["path"], &parts[0]["version"]), (&json!(""), &json!("v1")));
    assert_eq!(lines[1].get("sizes"), None);
}

#[test]
fn what_lint_finds_broken_is_a_warning_and_the_rest_is_counted() {
    let columns = "    additionalPrinterColumns:\n    - {name: C, type: string, jsonPath: .spec.color}\n    - {name: C, type: string, jsonPath: .metadata.name}\n";
    let twice = SHIRT.to_owned() + columns;
    let waived = twice.replace(
        "    - {name: C, type: string, jsonPath: .meta",
        "    # crdkit: allow(column-twice) Both are colors.\n    - {name: C, type: string, jsonPath: .meta",
    );
    let more = SHIRT
        .replace("kind: Shirt}", "kind: Shirt, categories: [all]}")
        .replace("scope: Namespaced", "scope: Cluster");
    let files =
        [("good.yaml", SHIRT), ("twice.yaml", &*twice), ("waived.yaml", &*waived), ("more.yaml", &*more)];
    let folder = Folder::new("cli-broken", &files);
    folder.run("check twice.yaml").expect(
        0,
        &["warning[column-twice]", "twice.yaml:23:", "1 accepted, 0 rejected; advice: 1 column-twice"],
    );
    for silent in ["check good.yaml", "check waived.yaml", "check twice.yaml --allow all"] {
        assert_eq!(folder.run(silent).stderr, "checked 1 CRD: 1 accepted, 0 rejected\n", "{silent}");
    }
    assert_eq!(folder.run("check -q twice.yaml").stderr, "");
    // Neither `--deny all` nor the lines in JSON know these findings.
    folder.run("check twice.yaml --deny all").expect(0, &["warning[column-twice]"]);
    let line: Value = serde_json::from_str(&folder.run("check --format json twice.yaml").stdout).unwrap();
    assert_eq!(line["advice"], json!([]));
    folder.run("check more.yaml").expect(0, &["`crdkit lint` shows 1 more finding for the same input"]);
}
