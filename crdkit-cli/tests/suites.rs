//! The command `test`.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

mod tool;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use tool::{Folder, Run};

const CRD: &str = r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: lamps, kind: Lamp}
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
            required: [socket]
            x-kubernetes-validations:
            - {rule: self.socket == oldSelf.socket, message: the socket is fixed}
            properties:
              socket: {type: string, maxLength: 4}
              watts: {type: integer, default: 5, maximum: 60, multipleOf: 5}
              warmth: {type: number}
          status:
            type: object
            properties:
              hours: {type: integer, minimum: 0}
"#;

/// Returns a test of a suite; `rest` follows its object.
fn case(name: &str, spec: &str, rest: &str) -> String {
    format!(
        "- name: {name}\n  object: {{apiVersion: stable.example.com/v1, kind: Lamp, metadata: {{name: a}}, spec: {spec}}}\n{rest}\n"
    )
}

fn suite(cases: &[String]) -> String {
    format!("crd: lamps.yaml\ntests:\n{}", cases.concat())
}

/// A folder with the CRD `lamps.yaml` and other files.
struct Lamps(Folder);

impl Lamps {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let files: Vec<_> = [("lamps.yaml", CRD)].iter().chain(files).copied().collect();
        Self(Folder::new(&format!("suites-{name}"), &files))
    }

    fn run(&self, arguments: &[&str]) -> Run {
        run(&self.0.0, arguments)
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Run {
    tool::run(folder, &[&["test"], arguments].concat(), b"")
}

/// Runs a suite with a single test, and expects this status and this text on standard error.
#[track_caller]
fn check(name: &str, spec: &str, rest: &str, status: i32, stderr: &str) {
    let folder = Lamps::new(name, &[("a.test.yaml", &suite(&[case("t", spec, rest)]))]);
    folder.run(&["--quiet", "."]).expect_stderr(status, stderr);
}

#[test]
fn the_example_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    run(root, &["examples/generated-types"]).expect_stderr(0, "ran 7 tests of 1 suite: 7 passed, 0 failed\n");
    let run = run(root, &["--format", "json", "examples/generated-types/tests/caches.test.yaml"]);
    assert_eq!(run.stdout.lines().count(), 7);
}

#[test]
fn changing_any_line_of_the_example_fails_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/generated-types");
    let [text, crd, typo] = ["tests/caches.test.yaml", "crds/caches.yaml", "tests/typo.yaml"]
        .map(|file| fs::read_to_string(root.join(file)).unwrap());
    let changes = [
        ("        replicas: 1\n", "        replicas: 2\n", "what is left out gets its default"),
        ("    warnings: []\n", "    warnings: [x]\n", "what is left out gets its default"),
        ("    - field: spec.memory\n", "", "memory is a quantity, and an engine is needed"),
        ("FieldValueRequired", "FieldValueInvalid", "memory is a quantity, and an engine is needed"),
        ("everything at once\"", "everything\"", "memcached has no such eviction"),
        ("  old: *cache\n", "", "the engine stays"),
        ("  subresource: status\n", "", "a status says nothing of the spec"),
        ("    - unknown field \"spec.replica\"\n", "    - unknown field\n", "a typo is told"),
        ("  fieldValidation: Strict\n", "", "kubectl does not let a typo pass"),
    ];
    for (from, to, name) in changes {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let files =
            [("tests/a.test.yaml", &*changed), ("crds/caches.yaml", &*crd), ("tests/typo.yaml", &*typo)];
        let run = Lamps::new("changed", &files).run(&["--format", "json", "tests"]);
        let lines = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let failed: Vec<Value> =
            lines.filter(|line| line["passed"] == false).map(|line| line["name"].clone()).collect();
        assert_eq!((run.status, failed), (1, vec![json!(name)]), "{from}: {}", run.stderr);
    }
}

#[test]
fn objects_are_compared_whole() {
    let object = |spec: &str| {
        format!(
            "  expect: {{accepted: true, object: {{kind: Lamp, apiVersion: stable.example.com/v1, spec: {spec}, metadata: {{name: a}}}}}}"
        )
    };
    check("same", "{socket: E27, warmth: 2.0}", &object("{warmth: 2, watts: 5, socket: E27}"), 0, "");
    check(
        "other",
        "{socket: E27}",
        &object("{socket: E27}"),
        1,
        "FAILED ./a.test.yaml:3: t: another object is stored
          \"name\": \"a\"
        },
        \"spec\": {
    -     \"socket\": \"E27\"
    +     \"socket\": \"E27\",
    +     \"watts\": 5
        }
      }
",
    );
    check(
        "refused",
        "{socket: GU5.3}",
        &object("{socket: GU5.3}"),
        1,
        "FAILED ./a.test.yaml:3: t: rejected
    + spec.socket: Too long: may not be more than 4 bytes (FieldValueTooLong)
",
    );
}

#[test]
fn columns_are_compared_by_name() {
    let definition = CRD.replace(
        "    storage: true\n",
        "    storage: true
    additionalPrinterColumns:
    - {name: Socket, type: string, jsonPath: .spec.socket}
    - {name: Watts, type: integer, jsonPath: .spec.watts}
",
    );
    assert_ne!(definition, CRD);
    let run = |name: &str, expect: &str| {
        let suite = suite(&[case("t", "{socket: E27}", &format!("  expect: {{{expect}}}"))]);
        let files = [("lamps.yaml", definition.as_str()), ("a.test.yaml", suite.as_str())];
        Folder::new(&format!("suites-columns-{name}"), &files).run("test .")
    };
    let run_passes = run("same", "accepted: true, columns: {Watts: 5, Name: a}");
    assert_eq!(run_passes.status, 0, "{}", run_passes.stderr);
    let other = run("other", "accepted: true, columns: {Watts: '5', Sockets: E27}");
    for line in ["other columns", "-   \"Sockets\": \"E27\"", "-   \"Watts\": \"5\"", "+   \"Watts\": 5"] {
        assert!(other.status == 1 && other.stderr.contains(line), "{line}: {}", other.stderr);
    }
    let refused = run("refused", "errors: [{field: spec.watts}], columns: {Watts: 5}");
    assert!(refused.stderr.contains("only accepted objects have columns"), "{}", refused.stderr);
}

/// The object of a test has no time of creation, which the API server adds before `kubectl get` shows its age.
#[test]
fn a_test_shows_the_age_of_an_object_as_unknown() {
    let definition = CRD.replace(
        "    storage: true\n",
        "    storage: true
    additionalPrinterColumns:
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    - {name: Deleted, type: date, jsonPath: .metadata.deletionTimestamp}
    - {name: Socket, type: date, jsonPath: .spec.socket}
",
    );
    let expect = "  expect: {accepted: true, columns: {Age: <unknown>, Deleted: null, Socket: <invalid>}}";
    let suite = suite(&[case("t", "{socket: E27}", expect)]);
    let files = [("lamps.yaml", definition.as_str()), ("a.test.yaml", suite.as_str())];
    let run = Folder::new("suites-ages", &files).run("test .");
    assert_eq!(run.status, 0, "{}", run.stderr);
}

/// Up to 1.36, 19.99 is not a multiple of 0.01.
#[test]
fn a_suite_has_a_release_of_its_own() {
    let crd = CRD.replace("warmth: {type: number}", "warmth: {type: number, multipleOf: 0.01}");
    let suite = |release: &str| {
        let case = case("warm", "{socket: E27, warmth: 19.99}", "  expect: {accepted: true}");
        format!("crd: crd.yaml\n{release}tests:\n{case}")
    };
    let (old, new) = (suite("kubeVersion: \"1.36\"\n"), suite("kubeVersion: \"1.37\"\n"));
    let (none, float) = (suite(""), suite("kubeVersion: 1.36\n"));
    let files = [
        ("crd.yaml", &*crd),
        ("old.test.yaml", &*old),
        ("new.test.yaml", &*new),
        ("none.test.yaml", &*none),
        ("float.test.yaml", &*float),
        ("configured/crdkit.toml", "kube-version = \"1.36\"\n"),
    ];
    let folder = Folder::new("suite-releases", &files);
    folder.run("test new.test.yaml").expect(0, &[]);
    folder.run("test old.test.yaml").expect(1, &["multiple of 0.01"]);
    folder.run("test none.test.yaml").expect(0, &[]);
    folder.run("test --kube-version 1.37 old.test.yaml").expect(0, &[]);
    folder.run("test --kube-version 1.36 new.test.yaml none.test.yaml").expect(1, &["multiple of 0.01"]);
    folder.run("test float.test.yaml").expect(2, &["float.test.yaml:2:1", "must be a string"]);
    fs::copy(folder.0.join("configured/crdkit.toml"), folder.0.join("crdkit.toml")).unwrap();
    folder.run("test none.test.yaml").expect(1, &["multiple of 0.01"]);
    folder.run("test new.test.yaml").expect(0, &[]);
}

#[test]
fn causes_are_compared_in_any_order() {
    let over = "{socket: E27, watts: 61}";
    let most = "'Invalid value: 61: spec.watts in body should be less than or equal to 60'";
    let errors = |errors: &str| format!("  expect: {{errors: [{errors}]}}");
    // Two causes at one field: the one that only names the field takes the one that is left.
    let both = format!("{{field: spec.watts}}, {{field: spec.watts, message: {most}}}");
    check("pairs", over, &errors(&both), 0, "");
    check(
        "pairs-2",
        over,
        &errors("{field: spec.watts}, {field: spec.watts, reason: FieldValueInvalid}"),
        0,
        "",
    );
    check(
        "causes",
        over,
        &errors(&format!("{{field: spec.watts, message: {most}}}, {{field: spec.sockets, reason: X}}")),
        1,
        "FAILED ./a.test.yaml:3: t: rejected with other errors
    - spec.sockets (X)
    + spec.watts: Invalid value: 61: spec.watts in body should be a multiple of 5 (FieldValueInvalid)
",
    );
    check(
        "accepted",
        "{socket: E27}",
        &errors("{field: spec.socket, message: never}"),
        1,
        "FAILED ./a.test.yaml:3: t: accepted\n    - spec.socket: never\n",
    );
    let strict = "  fieldValidation: strict\n  expect: {errors: [{field: spec.sockt}]}";
    let run = "FAILED ./a.test.yaml:3: t: rejected without a list of errors
    - spec.sockt
    + Lamp in version \"v1\" cannot be handled as a Lamp: strict decoding error: unknown field \"spec.sockt\"
";
    check("whole", "{socket: E27, sockt: 1}", strict, 1, run);
    let message = "  expect: {message: never}";
    let run = "FAILED ./a.test.yaml:3: t: rejected with a list of errors
    - never
    + spec.socket: Required value (FieldValueRequired)
";
    check("message", "{}", message, 1, run);
}

/// Suites that pass and, in `bad.yaml`, one that fails; in folders only those with the ending of suites are found.
fn found(name: &str) -> Lamps {
    let good = suite(&[case("a lamp", "{socket: E27}", "  expect: {accepted: true}")]);
    let bad = suite(&[
        case("a bad lamp", "{socket: E27}", "  expect: {message: never}"),
        case("another", "{socket: E27}", "  expect: {accepted: true, warnings: [never]}"),
    ]);
    let inline = format!(
        "crd: {}\n{}",
        serde_json::to_string(&inline()).unwrap(),
        &good[good.find("tests").unwrap()..]
    );
    let nested = good.replace("lamps.yaml", "../lamps.yaml");
    let files = [
        ("good.test.yaml", &*good),
        ("sub/nested.test.yml", &nested),
        ("sub/inline.test.yaml", &inline),
        ("bad.yaml", &bad),
    ];
    Lamps::new(name, &files)
}

#[test]
fn suites_are_found_and_filtered() {
    let folder = found("found");
    folder.run(&["."]).expect_stderr(0, "ran 3 tests of 3 suites: 3 passed, 0 failed\n");
    folder.run(&[".", "--filter", "bad"]).expect(2, &["of 3 tests, none contains `bad` in its name"]);
    folder.run(&["lamps.yaml"]).expect(2, &["tests: is missing"]);
    folder.run(&["bad.yaml", "--filter", "another"]).expect_stderr(
        1,
        "FAILED bad.yaml:6: another: other warnings\n    - never\nran 1 test of 1 suite: 0 passed, 1 failed; 1 left out\n",
    );
}

#[test]
fn results_have_formats_for_machines() {
    let folder = found("formats");
    let run = folder.run(&["bad.yaml", "--format", "github"]);
    assert_eq!(
        run.stdout,
        "::error title=TestFailed,file=bad.yaml,line=3,col=3::a bad lamp: accepted%0A- never\n\
         ::error title=TestFailed,file=bad.yaml,line=6,col=3::another: other warnings%0A- never\n"
    );
    let run = folder.run(&["bad.yaml", "sub/inline.test.yaml", "void.test.yaml", "--format", "junit"]);
    assert_eq!(run.status, 2);
    assert_eq!(
        run.stdout,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="crdkit" tests="4" failures="2" errors="1">
  <testsuite name="bad.yaml" tests="2" failures="2" errors="0">
    <testcase name="a bad lamp" classname="bad.yaml" file="bad.yaml" line="3">
      <failure type="TestFailed" message="a bad lamp: accepted">- never</failure>
    </testcase>
    <testcase name="another" classname="bad.yaml" file="bad.yaml" line="6">
      <failure type="TestFailed" message="another: other warnings">- never</failure>
    </testcase>
  </testsuite>
  <testsuite name="sub/inline.test.yaml" tests="1" failures="0" errors="0">
    <testcase name="a lamp" classname="sub/inline.test.yaml" file="sub/inline.test.yaml" line="3"/>
  </testsuite>
  <testsuite name="void.test.yaml" tests="1" failures="0" errors="1">
    <testcase name="the suite can be read" classname="void.test.yaml" file="void.test.yaml">
      <error type="Unreadable" message="there is no such file or directory"/>
    </testcase>
  </testsuite>
</testsuites>
"#
    );
    let run = folder.run(&["bad.yaml", "--format", "json", "--quiet"]);
    let line: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((run.status, &line["differences"]), (1, &json!([{"text": "accepted", "lines": ["- never"]}])));
    assert_eq!(line["answer"]["object"]["spec"], json!({"socket": "E27", "watts": 5}));
}

/// Returns a definition that is written in a suite.
fn inline() -> Value {
    json!({
        "metadata": {"name": "lamps.stable.example.com"},
        "spec": {
            "group": "stable.example.com", "scope": "Namespaced", "names": {"plural": "lamps", "kind": "Lamp"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {"socket": {"type": "string"}}}},
            }}}],
        },
    })
}

#[test]
fn nothing_to_run_is_an_error() {
    let folder = Lamps::new("nothing", &[("empty.yaml", "crd: lamps.yaml\ntests: []\n"), ("void.yaml", "")]);
    folder.run(&["."]).expect(2, &["there is no suite (`*.test.yaml`) in the input"]);
    folder.run(&["void.yaml"]).expect(2, &["no test was run"]);
    folder.run(&["empty.yaml"]).expect(2, &["tests: the list is empty", "empty.yaml:2:1"]);
    folder.run(&["no-such"]).expect(2, &["no-such"]);
    folder.run(&[]).expect(2, &["no input is named, and standard input is empty"]);
}

#[test]
fn mistakes_in_a_suite_are_reported_at_their_places() {
    let cases = [
        case("a", "{}", "  expext: {accepted: true}"),
        case("b", "{}", "  expect: {accepted: false}"),
        case("c", "{}", "  expect: {accepted: true, errors: []}"),
        case("d", "{}", "  subresource: scale\n  expect: {errors: []}"),
        case("e", "{}", "  subresource: status\n  fieldValidation: loud\n  expect: {}"),
        case("f", "{}", "  old: no-such.yaml\n  expect: {message: 1, object: {}, warnings: 1}"),
        case("g", "{}", "  old: lamps.yaml\n  old: lamps.yaml\n  expect: {errors: [{fields: a}]}"),
    ];
    let folder = Lamps::new("mistakes", &[("a.test.yaml", &suite(&cases))]);
    folder.run(&["."]).expect(
        2,
        &[
            "error: tests[0].expext: unknown key\n --> ./a.test.yaml:5:3",
            "did you mean `expect`?",
            "tests[0].expect: is missing",
            "tests[1].expect.accepted: must be `true`",
            "tests[2].expect: there is more than one verdict",
            "tests[3].subresource: must be `status`",
            "tests[3].expect.errors: the list is empty",
            "tests[4].subresource: the stored object is missing",
            "tests[4].fieldValidation: must be `Ignore`, `Warn` or `Strict`",
            "tests[4].expect: the expected verdict is missing",
            "there is no such file or directory\n--> ./no-such.yaml",
            "tests[5].expect.object: only accepted objects are stored; remove `object`, or expect `accepted: true`",
            "tests[5].expect.message: must be a string",
            "tests[5].expect.warnings: must be a list",
            "tests[6].old: duplicate key",
            "tests[6].expect.errors[0].fields: unknown key",
            "tests[6].expect.errors[0].field: is missing",
        ],
    );
}

#[test]
fn a_broken_suite_does_not_stop_the_others() {
    let good = suite(&[case("good", "{socket: E27}", "  expect: {accepted: true}")]);
    let files = [
        ("a.test.yaml", "crd: [\n"),
        ("b.test.yaml", &*good),
        ("c.test.yaml", &*good.replace("lamps.yaml", "void.yaml")),
        ("d.test.yaml", &*good.replace("lamps.yaml", "{spec: {group: 1}}")),
        ("void.yaml", "a: 1\n"),
    ];
    let folder = Lamps::new("broken", &files);
    folder.run(&["."]).expect(
        2,
        &[
            "a.test.yaml:2:1",
            "no CustomResourceDefinition in the input: 1 other object",
            "./void.yaml",
            "d.test.yaml:1:",
            "ran 1 test of 1 suite: 1 passed, 0 failed",
        ],
    );
}

#[test]
fn duplicate_fields_of_objects_are_part_of_the_test() {
    let rest = "  expect: {accepted: true, warnings: ['duplicate field \"spec.socket\"']}";
    check("twice", "{socket: E14, socket: E27}", rest, 0, "");
    let file = "  expect: {accepted: true, warnings: ['duplicate field \"metadata.name\"']}\n";
    let text = format!("crd: lamps.yaml\ntests:\n- name: t\n  object: lamp.json\n{file}");
    let lamp = r#"{"apiVersion": "stable.example.com/v1", "kind": "Lamp", "metadata": {"name": "a", "name": "b"}, "spec": {"socket": "E27"}}"#;
    let folder = Lamps::new("twice-in-file", &[("a.test.yaml", &*text), ("lamp.json", lamp)]);
    folder.run(&["--quiet", "."]).expect_stderr(0, "");
}

#[test]
fn objects_of_other_kinds_fail() {
    let text = "crd: lamps.yaml\ntests:\n- name: t\n  object: {apiVersion: apps/v1, kind: Deployment}\n  expect: {accepted: true}\n";
    let folder = Lamps::new("kinds", &[("a.test.yaml", text)]);
    folder
        .run(&["--quiet", "."])
        .expect_stderr(1, "FAILED ./a.test.yaml:3: t: no CRD\n    + no CRD defines apps/v1 Deployment\n");
}
