//! Counts of findings on the corpus of real CRDs, which lies next to the project; where it is absent, the test says so and passes.
//!
//! `cargo test --release -p crd-lint --test corpus -- --ignored --nocapture`; `UPDATE_GOLDEN=1` writes `corpus-counts.txt`. `LINT_SHOW=RULE`
//! prints ten findings of a rule, `LINT_JSON=FILE` writes all findings for `corpus/draw`, and `LINT_STEPS` is the budget of the searches in
//! a CRD for the times.
#![expect(clippy::print_stdout, reason = "a measurement shows its figures")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use crd_core::CustomResourceDefinition;
use crd_core::check::Verdict;
use crd_diff::Profile::Strict;
use crd_diff::{DiffOptions, Judgement, diff};
use crd_input::{Limits, edited};
use crd_lint::{LintFinding, LintLevel, LintOptions, Profile, lint, lint_within, rules};
use crd_sample::Allowance;
use serde_json::{Value, json};

/// The greatest number of lines that half of the CRDs may get in the default profile: one for each rule that finds something.
const MOST_LINES: usize = 5;

fn crds() -> Option<Vec<CustomResourceDefinition>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/crds");
    if !corpus.exists() {
        println!("skipped: the corpus is not beside the project");
        return None;
    }
    let limits = Limits::default();
    let (sources, _) = crd_input::sources(&[corpus], &limits);
    let read = crd_input::definitions(&sources, &limits, &|| ()).definitions;
    let crds = read.into_iter().map(|definition| definition.crd);
    Some(crds.filter(|crd| crd_core::check(crd).is_empty()).collect())
}

/// Returns options with all rules, and the default profile's for the time.
fn all_rules() -> LintOptions {
    let mut options = LintOptions::new(Profile::Crd);
    options.levels.extend(rules().map(|rule| (rule.id, Some(LintLevel::Note))));
    options
}

/// Returns the time for which this thread has run. Where the system does not say, it is zero.
fn processor_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

fn median<T: Copy + Ord>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

/// Prints ten findings of a rule, of as many CRDs, spread over the corpus.
fn show(crds: &[CustomResourceDefinition], found: &[Vec<LintFinding>], rule: &str) {
    let of_rule: Vec<_> = crds
        .iter()
        .zip(found)
        .filter_map(|(crd, found)| Some((crd, found.iter().find(|finding| finding.rule.id == rule)?)))
        .collect();
    for (crd, finding) in of_rule.iter().step_by(of_rule.len().div_ceil(10).max(1)) {
        let proof = finding.proof.as_ref().map(ToString::to_string).unwrap_or_default();
        println!("{rule} | {} | {} | {} {proof}", crd.metadata.name, finding.field, finding.message);
    }
}

#[test]
#[ignore = "a minute without optimization: every CRD of the corpus"]
fn counts_of_the_corpus() {
    let Some(crds) = crds() else { return };
    let options = LintOptions::default();
    let (mut times, mut lines) = (Vec::new(), Vec::new());
    let steps = env::var("LINT_STEPS").ok().and_then(|steps| steps.parse().ok());
    let mut proofs = 0;
    for crd in &crds {
        let started = processor_time();
        let found = match steps {
            Some(steps) => lint_within(crd, &options, &Allowance::new(steps)),
            None => lint(crd, &options),
        };
        times.push(processor_time().saturating_sub(started));
        proofs += found.iter().filter(|finding| finding.proof.is_some()).count();
        lines.push(found.iter().map(|finding| finding.rule.id).collect::<BTreeSet<_>>().len());
    }
    let most = times.iter().enumerate().max_by_key(|(_, time)| **time).unwrap();
    println!(
        "{} CRDs in {:.1?}; median {:.1?}, longest {:.1?} ({})",
        crds.len(),
        times.iter().sum::<Duration>(),
        median(times.clone()),
        most.1,
        crds[most.0].metadata.name
    );
    println!("{proofs} proofs");
    println!("median of lines in the default profile: {}", median(lines.clone()));
    if steps.is_some() {
        return;
    }
    let all = all_rules();
    let found: Vec<_> = crds.iter().map(|crd| lint(crd, &all)).collect();
    if let Ok(rule) = env::var("LINT_SHOW") {
        let shown = rules().filter(|known| rule == "all" || known.id == rule);
        shown.for_each(|rule| show(&crds, &found, rule.id));
    }
    if let Ok(path) = env::var("LINT_JSON") {
        fs::write(path, lines_of(&crds, &found)).unwrap();
    }
    compare(&counts(&found));
    assert!(median(lines) <= MOST_LINES);
}

/// Returns a line for each CRD, with the fields that the command line prints.
fn lines_of(crds: &[CustomResourceDefinition], found: &[Vec<LintFinding>]) -> String {
    let finding = |finding: &LintFinding| {
        let help = finding.remedy.as_ref().map(|remedy| remedy.text.as_str());
        json!({
            "rule": finding.rule.id, "field": finding.field.to_string(), "message": finding.message, "help": help, "proof": finding.proof,
        })
    };
    let lines = crds.iter().zip(found).map(|(crd, found)| {
        let findings: Vec<Value> = found.iter().map(finding).collect();
        json!({"name": crd.metadata.name, "findings": findings}).to_string() + "\n"
    });
    lines.collect()
}

/// Returns a line for each rule: the number of CRDs in which it finds something, and of findings.
fn counts(found: &[Vec<LintFinding>]) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = rules().map(|rule| (rule.id, (0, 0))).collect();
    for found in found {
        let mut seen = BTreeSet::new();
        for finding in found {
            let (crds, findings) = counts.entry(finding.rule.id).or_default();
            *crds += usize::from(seen.insert(finding.rule.id));
            *findings += 1;
        }
    }
    let mut text = "# rule, CRDs with findings, findings (at most 1000 of a rule in a CRD)\n".to_owned();
    for (rule, (crds, findings)) in counts {
        text += &format!("{rule} {crds} {findings}\n");
    }
    text
}

fn compare(counts: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus-counts.txt");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, counts).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), counts, "run with UPDATE_GOLDEN=1");
}

/// The findings by profile `strict` that a comparison of a CRD before and after a fix may have, because the fix says so.
const CHANGES: &[(&str, &[&str])] = &[
    ("rule-fails-without-field", &["rule-changed"]),
    ("nullable-hides-default", &["nullable-removed"]),
    // `properties` of a string.
    ("keyword-without-effect", &["property-removed"]),
];

/// The rules whose fix removes the keyword at the place of the finding.
const REMOVING: &[&str] = &["keyword-without-effect", "redundant-keyword"];

/// Returns the findings of a comparison that the fix of a finding does not say.
fn other_changes(
    fixed: &LintFinding,
    before: &CustomResourceDefinition,
    after: &CustomResourceDefinition,
) -> Vec<String> {
    let (rule, keyword) = (fixed.rule.id, fixed.field.to_string());
    let said = CHANGES.iter().find(|(id, _)| *id == rule).map_or(&[][..], |(_, said)| said);
    let loosened = REMOVING.contains(&rule).then(|| {
        let keyword = keyword.rsplit('.').next().unwrap_or_default();
        let kebab: String = keyword
            .chars()
            .flat_map(|c| c.is_uppercase().then_some('-').into_iter().chain(c.to_lowercase()))
            .collect();
        kebab + "-loosened"
    });
    let is_said = |id: &str| said.contains(&id) || loosened.as_deref() == Some(id);
    diff(before, after, &DiffOptions::default())
        .into_iter()
        .filter(|finding| Strict.judge(finding) != Judgement::Accepted && !is_said(finding.id))
        .map(|finding| format!("{} {}: {}", finding.id, finding.path, finding.message))
        .collect()
}

/// Every edit of a remedy leaves a CRD that the API server accepts, cures the finding or makes fewer of its rule, and changes nothing but what it
/// says.
#[test]
#[ignore = "minutes without optimization: every remedy on the corpus"]
fn edits_change_only_what_they_say() {
    let Some(crds) = crds() else { return };
    let (options, mut edits, mut unwritten, mut wrong) = (all_rules(), BTreeMap::new(), 0, Vec::new());
    for crd in &crds {
        let text = crd.to_value().to_string();
        let found = lint(crd, &options);
        let of_rule =
            |found: &[LintFinding], id: &str| found.iter().filter(|other| other.rule.id == id).count();
        for finding in &found {
            let (id, place) = (finding.rule.id, &finding.field);
            let changes = finding.remedy.as_ref().map_or(&[][..], |remedy| remedy.edits.as_slice());
            if changes.is_empty() {
                continue;
            }
            let Ok(after) = edited(&text, 0, changes) else {
                unwritten += 1;
                continue;
            };
            *edits.entry(id).or_insert(0) += 1;
            let value: Value = serde_json::from_str(&after).unwrap();
            let is_accepted = Verdict::for_value(value.clone()).accepted;
            let fixed = CustomResourceDefinition::from_value(value).unwrap();
            let is_cured = of_rule(&lint(&fixed, &options), id) < of_rule(&found, id);
            let others = other_changes(finding, crd, &fixed);
            if !is_accepted || !is_cured || !others.is_empty() {
                let name = &crd.metadata.name;
                wrong.push(format!(
                    "{id} {name} {place}: accepted: {is_accepted}, cured: {is_cured}, changes: {others:?}"
                ));
            }
        }
    }
    println!("{unwritten} edits not written, {} wrong; by rule: {edits:?}", wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
