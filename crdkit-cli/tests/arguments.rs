//! Arguments that all commands share: inputs, colors, formats and the configuration file.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod tool;

use tool::Folder;

const SHIRT: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, kind: Shirt}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}
";

const OBJECT: &str =
    "{apiVersion: stable.example.com/v1, kind: Shirt, metadata: {name: a}, spec: {color: 1}}\n";

#[test]
fn inputs_are_named_as_with_kubectl() {
    let files = [("a.yaml", SHIRT), ("b.yaml", &*SHIRT.replace("shirt", "skirt").replace("Shirt", "Skirt"))];
    let folder = Folder::new("arguments-filename", &files);
    for arguments in ["-f a.yaml,b.yaml", "-f a.yaml -f b.yaml", "--filename a.yaml b.yaml", "a.yaml b.yaml"]
    {
        folder.run(&format!("check {arguments}")).expect(0, &["checked 2 CRDs: 2 accepted"]);
    }
    folder.run("generate -f a.yaml --out out").expect(0, &["from 1 CRD"]);
}

#[test]
fn a_file_with_the_name_of_an_option_is_not_an_option() {
    let files = [("crd.yaml", SHIRT), ("bad.yaml", OBJECT), ("--old=bad.yaml", "{}")];
    let folder = Folder::new("arguments-option-file", &files);
    let command = "validate --crd crd.yaml";
    folder
        .run(&format!("{command} -- --old=bad.yaml bad.yaml"))
        .expect(1, &["spec.color", "no CRD for 1 without a kind"]);
    folder
        .run(&format!("{command} --old=bad.yaml bad.yaml"))
        .expect(2, &["`--old=bad.yaml` can be an option or a file: put `--` before names of files"]);
}

#[test]
fn the_standard_input_is_read_if_no_input_is_named() {
    let folder = Folder::new("arguments-stdin", &[("crd.yaml", SHIRT)]);
    folder.run_with("check", SHIRT.as_bytes()).expect(0, &["checked 1 CRD: 1 accepted"]);
    folder.run_with("validate --crd crd.yaml", OBJECT.as_bytes()).expect(1, &["spec.color"]);
    folder.run_with("generate --out out", SHIRT.as_bytes()).expect(0, &["from 1 CRD"]);
    for command in ["check", "validate --crd crd.yaml", "test", "generate --out empty"] {
        let expected = ["no input is named, and standard input is empty", "name files or directories"];
        folder.run_with(command, b"\n").expect(2, &expected);
    }
}

#[test]
fn inputs_that_are_not_files_are_explained() {
    let folder = Folder::new("arguments-absent", &[]);
    let url = "https://example.com/crd.yaml";
    folder
        .run(&format!("check {url}"))
        .expect(2, &["this is a URL", "curl -sSfL https://example.com/crd.yaml"]);
    for pattern in ["crds/*.yaml", "crd?.yaml", "crds/[ab].yaml"] {
        folder
            .run(&format!("check {pattern}"))
            .expect(2, &["patterns are not expanded here", "remove the quotes"]);
    }
    folder.run("check crd.yaml").expect(2, &["there is no such file or directory"]);
}

#[test]
fn an_output_that_is_a_file_is_an_error() {
    let folder = Folder::new("arguments-out", &[("crd.yaml", SHIRT), ("out", "")]);
    for command in ["generate", "docs", "schema", "generate --check", "docs --check", "schema --check"] {
        let run = folder.run(&format!("{command} crd.yaml --out out"));
        run.expect(2, &["error: out: this is a file, and a directory is expected here"]);
    }
}

#[test]
fn colours_are_chosen() {
    let folder = Folder::new("arguments-color", &[("crd.yaml", "a: [\n")]);
    assert!(!folder.run("check crd.yaml").stderr.contains('\u{1b}'));
    assert!(folder.run("--color always check crd.yaml").stderr.contains("\u{1b}["));
    assert!(folder.run("check crd.yaml --color=always").stderr.contains("\u{1b}["));
    assert!(!folder.run("check crd.yaml --color never").stderr.contains('\u{1b}'));
}

#[test]
fn every_command_that_answers_has_every_format() {
    let suite = format!(
        "crd: crd.yaml\ntests:\n- {{name: x, object: {}, expect: {{accepted: true}}}}\n",
        OBJECT.trim()
    );
    let wrong = SHIRT.replace("Namespaced", "Galactic");
    let files =
        [("crd.yaml", SHIRT), ("wrong.yaml", &*wrong), ("object.yaml", OBJECT), ("a.test.yaml", &*suite)];
    let folder = Folder::new("arguments-formats", &files);
    for command in ["check wrong.yaml", "validate --crd crd.yaml object.yaml", "test a.test.yaml"] {
        let run = |format: &str| folder.run(&format!("{command} --format {format}"));
        assert_eq!(run("human").stdout, "");
        assert_eq!(run("json").lines().len(), 1);
        assert!(run("github").stdout.starts_with("::error title="));
        let sarif: serde_json::Value = serde_json::from_str(&run("sarif").stdout).unwrap();
        let driver = &sarif["runs"][0]["tool"]["driver"];
        assert_eq!(
            (&driver["name"], sarif["runs"][0]["results"].as_array().unwrap().len()),
            (&"crdkit".into(), 1)
        );
        let junit = run("junit").stdout;
        assert!(
            junit.contains("<testsuites name=\"crdkit\" tests=\"1\" failures=\"1\" errors=\"0\">"),
            "{junit}"
        );
        for format in ["human", "json", "github", "sarif", "junit"] {
            assert_eq!(run(format).status, 1, "{command} {format}");
        }
    }
}

#[test]
fn definitions_are_tests_of_a_junit_report() {
    let wrong = SHIRT.replace("Namespaced", "Galactic").replace("shirts.", "hats.");
    let folder =
        Folder::new("arguments-junit", &[("a.yaml", &*format!("{SHIRT}---\n{wrong}")), ("b.yaml", "a: [\n")]);
    let run = folder.run("check --format junit a.yaml b.yaml");
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="crdkit" tests="3" failures="1" errors="1">
  <testsuite name="a.yaml" tests="2" failures="1" errors="0">
    <testcase name="shirts.stable.example.com" classname="a.yaml" file="a.yaml" line="1"/>
    <testcase name="hats.stable.example.com" classname="a.yaml" file="a.yaml" line="14">
      <failure type="Rejected" message="metadata.name: Invalid value: &quot;hats.stable.example.com&quot;: must be spec.names.plural+&quot;.&quot;+spec.group">metadata.name: Invalid value: &quot;hats.stable.example.com&quot;: must be spec.names.plural+&quot;.&quot;+spec.group&#10;spec.scope: Unsupported value: &quot;Galactic&quot;: supported values: &quot;Cluster&quot;, &quot;Namespaced&quot;</failure>
    </testcase>
  </testsuite>
  <testsuite name="b.yaml" tests="1" failures="0" errors="1">
    <testcase name="the file can be read" classname="b.yaml" file="b.yaml" line="2">
      <error type="Unreadable" message="a value is missing here"/>
    </testcase>
  </testsuite>
</testsuites>
"#;
    assert_eq!((run.status, &*run.stdout), (2, expected));
}

#[test]
fn one_configuration_file_serves_all_commands() {
    let config = "docs = false\n\n[job.shirts]\ninputs = [\"crd.yaml\"]\nout = \"job\"\napply = true\n";
    let folder = Folder::new("arguments-config", &[("crdkit.toml", config), ("crd.yaml", SHIRT)]);
    folder.run("run").expect(0, &["in job"]);
    assert!(folder.read("crdkit.lock").contains("[\"shirts\"]"));
    folder.run("generate crd.yaml --config crdkit.toml --out out").expect(0, &["in out"]);
    let file = "stable_example_com/v1/shirt.rs";
    assert!(folder.read(&format!("job/{file}")).contains("ShirtApply"));
    assert!(!folder.read(&format!("out/{file}")).contains("ShirtApply"));
}

#[test]
fn misspelt_keys_of_a_configuration_are_reported() {
    let folder = Folder::new("arguments-keys", &[("crd.yaml", SHIRT)]);
    let run = |text: &str, command: &str| {
        std::fs::write(folder.0.join("crdkit.toml"), text).unwrap();
        folder.run(command)
    };
    let job = "[job.a]\ninputs = [\"crd.yaml\"]\nout = \"out\"\n";
    run(&format!("{job}kubr = true"), "run")
        .expect(2, &["crdkit.toml:4:1: job `a`: unknown field `kubr`; did you mean `kube`?"]);
    run(&format!("{job}cluster-selekt = [\"a\"]"), "run").expect(2, &["did you mean `cluster-select`?"]);
    run("aply = true", "generate crd.yaml --out out --config crdkit.toml")
        .expect(2, &["crdkit.toml:1:1: unknown field `aply`; did you mean `apply`?"]);
    run(&format!("jobs = 1\n{job}"), "run").expect(2, &["unknown field `jobs`; did you mean `job`?"]);
    run("zzz = 1\n", "generate crd.yaml --out out --config crdkit.toml").expect(2, &["the keys are `form`,"]);
    run("docs = \n", "run").expect(2, &["crdkit.toml:1:"]);
}

#[test]
fn no_command_ignores_a_misspelt_key_of_the_configuration() {
    let folder = Folder::new(
        "arguments-misspelt",
        &[
            ("crd.yaml", SHIRT),
            ("object.yaml", OBJECT),
            ("crdkit.toml", "docs = true\nkube-versoin = \"1.30\"\n"),
        ],
    );
    let message = "crdkit.toml:2:1: unknown field `kube-versoin`; did you mean `kube-version`?";
    for command in [
        "generate crd.yaml --out out",
        "run",
        "list-crds crd.yaml",
        "check crd.yaml",
        "diff crd.yaml crd.yaml",
        "cel --crd crd.yaml true",
        "validate --crd crd.yaml object.yaml",
        "test .",
        "sample crd.yaml",
        "serve crd.yaml",
        "openapi crd.yaml",
        "explain --crd crd.yaml shirts",
        "get --crd crd.yaml object.yaml",
        "schema crd.yaml --out out",
        "docs crd.yaml --out out",
    ] {
        folder.run(command).expect(2, &[message]);
        assert!(!folder.0.join("out").exists(), "{command}");
    }
    let run = folder.run("run --format github");
    assert!(run.stderr.starts_with("::error title="), "{}", run.stderr);
    std::fs::write(folder.0.join("crdkit.toml"), "[[waive]]\nfingerprint = \"a\"\nreson = \"b\"\n").unwrap();
    folder
        .run("check crd.yaml")
        .expect(2, &["crdkit.toml:3:1: unknown field `reson`; did you mean `reason`?"]);
}

#[test]
#[cfg(unix)]
fn plugins_of_cargo_and_kubectl_answer_to_their_names() {
    let folder = Folder::new("arguments-plugins", &[("crd.yaml", SHIRT)]);
    for (plugin, first, usage) in [
        ("cargo-crdkit", "crdkit", "Usage: cargo crdkit check"),
        ("kubectl-crdkit", "check", "Usage: kubectl crdkit"),
    ] {
        let link = folder.0.join(plugin);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_crdkit"), &link).unwrap();
        let run = |arguments: &[&str]| {
            std::process::Command::new(&link).args(arguments).current_dir(&folder.0).output().unwrap()
        };
        let command = if first == "check" { &["check"][..] } else { &["crdkit", "check"] };
        let help = run(&[command, &["--help"]].concat());
        assert!(String::from_utf8(help.stdout).unwrap().contains(usage));
        assert!(run(&[command, &["crd.yaml"]].concat()).status.success());
    }
}
