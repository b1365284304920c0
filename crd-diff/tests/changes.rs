//! Every kind of change: old and new definition, the expected findings, and what a real API server did.
//!
//! The cases are `tests/conformance/changes/*.yaml`; beside each file, `.findings` has the expected findings, and `.server.json`
//! the recorded answers. `UPDATE_GOLDEN=1` writes the findings, `tests/conformance/changes/record` the answers.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod changes {
    pub(crate) mod cases;
    mod mutations;
    mod server;
}

use std::fmt::Write;

use changes::cases::{FILES, cases, compared, folder};
use crd_diff::{Class, Finding, Options, diff};

/// One line for each finding; an undecided class has a question mark.
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

#[test]
fn a_definition_does_not_differ_from_itself() {
    for case in cases("schemas").into_iter().chain(cases("definitions")) {
        for crd in [case.old, case.new] {
            assert_eq!(diff(&crd, &crd, &Options::default()), [], "{}", case.name);
        }
    }
}

#[test]
fn findings_are_the_same_in_every_run() {
    for case in cases("schemas").into_iter().step_by(9) {
        let run = || diff(&case.old, &case.new, &Options::default());
        assert_eq!(run(), run(), "{}", case.name);
    }
}

/// Without objects nothing is called decided that only an object can show.
#[test]
fn without_a_budget_classes_are_undecided() {
    let mut options = Options::default();
    options.budget = 0;
    for case in cases("peers") {
        for finding in diff(&case.old, &case.new, &options) {
            assert_eq!(finding.witnesses, [], "{}", case.name);
            let shown = |class: &Class| !finding.undecided.contains(class);
            let is_sure = |class: &Class| matches!(class, Class::Server | Class::Apply | Class::Rust);
            assert!(finding.classes.iter().filter(|class| shown(class)).all(is_sure), "{finding:?}");
            assert_eq!(finding.possible().is_some(), !finding.undecided.is_empty());
        }
    }
}
