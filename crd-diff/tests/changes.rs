//! Every kind of change: old and new definition, the expected findings, and what a real API server did.
//!
//! The cases are `tests/conformance/changes/*.yaml`; next to each file, `.findings` has the expected findings, and `.server.json`
//! the recorded answers. `UPDATE_GOLDEN=1` writes the findings, `tests/conformance/changes/record` the answers.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod changes {
    mod answers;
    pub(crate) mod cases;
    mod confirm;
    mod edits;
    mod mutations;
    mod nearby;
    mod plan;
    mod random_pairs;
    mod real;
    mod records;
    mod rust;
    mod server;
    mod table;
}

use std::fmt::Write;

use changes::cases::{FILES, RELEASES, cases, compared, folder, for_release};
use crd_diff::{Class, DiffOptions, Finding, Judgement, Profile, diff};

/// Returns one line for each finding; an undecided class has a question mark.
fn lines(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let class = |class: &Class| {
            let mark = if finding.undecided.contains(class) { "?" } else { "" };
            format!("{class}{mark}")
        };
        let classes: Vec<String> = finding.classes.iter().map(class).collect();
        let (severity, id, path) = (finding.severity, finding.id, &finding.path);
        let version = finding.version.as_deref().unwrap_or("-");
        writeln!(out, "  {severity} {id} {version} {path:?} [{}]", classes.join(" ")).unwrap();
        for witness in &finding.witnesses {
            writeln!(out, "    {}: {}", witness.class, witness.answer).unwrap();
        }
    }
    out
}

#[test]
fn changes_have_their_findings() {
    for file in FILES {
        let mut text = String::new();
        for (case, findings) in compared().iter().filter(|(case, _)| case.file == file) {
            write!(text, "{}\n{}", case.name, lines(findings)).unwrap();
        }
        let path = folder().join(format!("{file}.findings"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        for (line, (found, expected)) in text.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "{}:{}", path.display(), line + 1);
        }
        assert_eq!(text.lines().count(), expected.lines().count(), "{}", path.display());
    }
}

/// Findings that no pair of definitions has, or none that a server can be asked about.
const WITHOUT_CASE: [&str; 5] =
    ["not-compared", "objects-affected", "objects-differ", "objects-not-tried", "edits-not-tried"];

#[test]
fn every_kind_of_change_has_a_case() {
    let table = include_str!("../src/rows.rs");
    let ids = table.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("    ")?.split_once(" \"")?;
        name.chars().all(|c| c.is_ascii_uppercase() || c == '_').then(|| rest.split('"').next().unwrap())
    });
    let found: Vec<&str> =
        compared().iter().flat_map(|(_, findings)| findings).map(|found| found.id).collect();
    let ids: Vec<&str> = ids.filter(|id| !WITHOUT_CASE.contains(id)).collect();
    let missing: Vec<&&str> = ids.iter().filter(|id| !found.contains(id)).collect();
    assert!(ids.len() > 80, "{}", ids.len());
    assert!(missing.is_empty(), "{missing:?}");
}

/// The cases of other tools tell what those tools say, and why the answer here differs.
#[test]
fn cases_of_other_tools_have_reasons() {
    for case in cases("peers") {
        assert!(case.others.is_some_and(|text| text.starts_with("crd")), "{}", case.name);
    }
}

#[test]
fn a_definition_does_not_differ_from_itself() {
    for case in cases("schemas").into_iter().chain(cases("definitions")) {
        for crd in case.definitions() {
            assert_eq!(diff(crd, crd, &DiffOptions::default()), [], "{}", case.name);
        }
    }
}

#[test]
fn findings_are_the_same_in_every_run() {
    for case in cases("schemas").into_iter().step_by(9) {
        let run = || case.findings(&DiffOptions::default());
        assert_eq!(run(), run(), "{}", case.name);
    }
}

/// Without objects, only the consequences of the definitions are decided, and objects show them; everything else is undecided.
#[test]
fn without_a_budget_only_structural_facts_are_decided() {
    let mut options = for_release(RELEASES[0]);
    options.budget = 0;
    for (case, known) in compared() {
        for finding in case.findings(&options) {
            assert_eq!(finding.witnesses, [], "{}", case.name);
            let found = known.iter().find(|other| other.fingerprint == finding.fingerprint).unwrap();
            let decided =
                |finding: &Finding, class: &Class| finding.has(*class) && !finding.undecided.contains(class);
            for class in finding.classes.iter().filter(|class| decided(&finding, class)) {
                assert!(decided(found, class), "{}: {class}: {finding:?}", case.name);
            }
            assert_eq!(finding.possible().is_some(), !finding.undecided.is_empty());
        }
    }
}

/// The refusal of an update is that of the API server: group, scope and kind of a definition that is served, and its stored
/// versions; with the answer of `crd_core::check::update`.
#[test]
fn the_server_refuses_what_an_update_may_not_change() {
    let case = &cases("definitions")[0];
    let old = case.old.as_ref().unwrap();
    let mut new = old.clone();
    new.spec.scope = "Cluster".to_owned();
    let of = |old: &crd_core::CustomResourceDefinition, new: &crd_core::CustomResourceDefinition| {
        let findings = diff(old, new, &DiffOptions::default());
        findings.into_iter().map(|finding| (finding.id, finding.classes, finding.message)).collect::<Vec<_>>()
    };
    let message = "`scope` changes from \"Namespaced\" to \"Cluster\": spec.scope: Invalid value: \"Cluster\": field is immutable";
    assert_eq!(of(old, &new), [("scope-changed", vec![Class::Server], message.to_owned())]);

    // The empty status that generators write says nothing about a cluster.
    let with_status = |status: serde_json::Value| {
        let mut old = old.to_value();
        old["status"] = status;
        crd_core::CustomResourceDefinition::from_value(old).unwrap()
    };
    let stub = serde_json::json!({"acceptedNames": {"kind": "", "plural": ""}, "conditions": [], "storedVersions": []});
    assert_eq!(of(&with_status(stub), &new)[0].1, [Class::Server]);

    // A definition that was never established may change its scope.
    let refused = serde_json::json!({
        "acceptedNames": {"kind": "", "plural": ""}, "storedVersions": ["v1"],
        "conditions": [{"type": "Established", "status": "False"}],
    });
    let message = "`scope` changes from \"Namespaced\" to \"Cluster\"".to_owned();
    assert_eq!(of(&with_status(refused), &new), [("scope-changed", vec![Class::Write], message)]);

    // Other causes are findings of their own.
    let mut broken = old.to_value();
    broken["spec"]["names"]["kind"] = "shirt/kind".into();
    let broken = crd_core::CustomResourceDefinition::from_value(broken).unwrap();
    assert!(of(old, &broken).iter().any(|(id, ..)| *id == "definition-refused"));
}

/// Work is counted in steps: without any, nothing is called decided, and a comparison of definitions that are too large is
/// refused by every profile.
#[test]
fn comparisons_end() {
    let mut options = DiffOptions::default();
    options.steps = 1;
    for case in cases("peers") {
        for finding in case.findings(&options) {
            assert!(finding.witnesses.len() <= 1, "{finding:?}");
        }
    }
    let case = &cases("schemas")[0];
    let new = case.new.as_ref().unwrap();
    let mut large = new.to_value();
    let fields: serde_json::Map<String, serde_json::Value> =
        (0..100_000).map(|i| (format!("field{i}"), serde_json::json!({"type": "string"}))).collect();
    large["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] =
        fields.into();
    let large = crd_core::CustomResourceDefinition::from_value(large).unwrap();
    let findings = diff(new, &large, &DiffOptions::default());
    assert_eq!(findings.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["not-compared"]);
    for profile in [Profile::Stored, Profile::Clients, Profile::Strict, Profile::Rust] {
        assert_eq!(profile.judge(&findings[0]), Judgement::Undecided, "{profile:?}");
    }
}

#[test]
fn a_rule_with_the_string_is_no_transition_rule() {
    let crd = |rules: serde_json::Value| {
        crd_core::CustomResourceDefinition::from_value(serde_json::json!({
            "metadata": {"name": "shirts.stable.example.com"},
            "spec": {
                "group": "stable.example.com",
                "names": {"plural": "shirts", "kind": "Shirt"},
                "scope": "Namespaced",
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": {"type": "string", "maxLength": 20, "x-kubernetes-validations": rules}},
                }}}],
            },
        }))
        .unwrap()
    };
    let old = crd(serde_json::json!([]));
    let ids = |rule: &str| {
        let new = crd(serde_json::json!([{"rule": rule}]));
        diff(&old, &new, &DiffOptions::default()).iter().map(|finding| finding.id).collect::<Vec<_>>()
    };
    assert_eq!(ids("self != 'oldSelf'"), ["rule-added"]);
    assert_eq!(ids("self.size() >= oldSelf.size()"), ["transition-rule-added"]);
}
