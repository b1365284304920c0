//! Pairs of real definitions: the versions of one, and the same one in two projects. They need the corpus next to the project.

use std::collections::BTreeMap;
use std::path::Path;

use crd_core::CustomResourceDefinition;
use crd_diff::{Class, Finding, Profile};
use crd_input::Limits;
use serde_json::{Value, json};

use super::cases::{RELEASES, for_release};
use super::confirm::{Confirmation, confirmations};
use super::plan::{edit_of, named};
use super::records::records_in;

/// Returns the definitions of the corpus that the API server accepts, up to a number of bytes; none without the corpus.
pub(crate) fn corpus(largest: usize) -> Vec<CustomResourceDefinition> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/crds");
    if !corpus.exists() {
        return Vec::new();
    }
    let limits = Limits::default();
    let (sources, _) = crd_input::sources(&[corpus], &limits);
    let read = crd_input::definitions(&sources, &limits, &|| ()).definitions;
    let small = read.into_iter().filter(|definition| definition.crd.to_value().to_string().len() < largest);
    let accepted = small.filter(|definition| crd_core::check(&definition.crd).is_empty());
    accepted.map(|definition| definition.crd).collect()
}

/// A name, the old definition and the new one.
type Pair = (String, CustomResourceDefinition, CustomResourceDefinition);

fn pairs() -> Vec<Pair> {
    let all: Vec<CustomResourceDefinition> = corpus(usize::MAX).into_iter().map(without_webhook).collect();
    let mut pairs: Vec<Pair> = all.iter().flat_map(of_versions).collect();
    let mut by_name: BTreeMap<&str, Vec<&CustomResourceDefinition>> = BTreeMap::new();
    for crd in &all {
        by_name.entry(&crd.metadata.name).or_default().push(crd);
    }
    for (name, crds) in by_name {
        for pair in crds.windows(2).filter(|pair| pair[0].spec != pair[1].spec) {
            pairs.push((format!("{name} of two projects"), pair[0].clone(), pair[1].clone()));
        }
    }
    pairs
}

/// Without its webhook, which no test can reach.
fn without_webhook(mut crd: CustomResourceDefinition) -> CustomResourceDefinition {
    crd.spec.conversion = None;
    crd.status = None;
    crd
}

/// Returns each version against the next one, as if it were the only version of the definition.
fn of_versions(crd: &CustomResourceDefinition) -> Vec<Pair> {
    let only = |index: usize, name: &str| {
        let mut crd = crd.clone();
        let mut version = crd.spec.versions.swap_remove(index);
        (version.name, version.served, version.storage) = (name.to_owned(), true, true);
        crd.spec.versions = vec![version];
        crd
    };
    let mut order: Vec<usize> = (0..crd.spec.versions.len()).collect();
    order.sort_by_key(|index| priority(&crd.spec.versions[*index].name));
    let names = |index: usize| crd.spec.versions[index].name.clone();
    let pair = |pair: &[usize]| {
        let name = names(pair[1]);
        let title = format!("{} {} to {name}", crd.metadata.name, names(pair[0]));
        (title, only(pair[0], &name), only(pair[1], &name))
    };
    order.windows(2).map(pair).filter(|(_, old, new)| old.spec != new.spec).collect()
}

/// Returns the order of versions: alpha before beta before the others, then by number.
fn priority(name: &str) -> (u8, Vec<u64>) {
    let stage = match name {
        name if name.contains("alpha") => 0,
        name if name.contains("beta") => 1,
        _ => 2,
    };
    let digits = name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    (stage, digits.collect())
}

/// Returns the processor time of this thread in nanoseconds, where the kernel tells it.
fn processor_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|nanoseconds| nanoseconds.parse().ok()).unwrap_or_default()
}

fn compared() -> Vec<(Pair, Vec<Finding>)> {
    compared_in_time().into_iter().map(|(pair, findings, _)| (pair, findings)).collect()
}

fn compared_in_time() -> Vec<(Pair, Vec<Finding>, u64)> {
    let accepted = |(_, old, new): &Pair| [old, new].into_iter().all(|crd| crd_core::check(crd).is_empty());
    let all = pairs().into_iter().filter(accepted);
    all.map(|pair| {
        let start = processor_time();
        let findings = crd_diff::diff(&pair.1, &pair.2, &for_release(RELEASES[0]));
        (pair, findings, processor_time() - start)
    })
    .collect()
}

/// Prints how many pairs have which findings.
#[test]
#[ignore = "needs the corpus"]
fn findings_of_real_pairs() {
    let all = compared_in_time();
    let with_findings = all.iter().filter(|(_, findings, _)| !findings.is_empty());
    let mut times: Vec<u64> = with_findings.map(|(.., time)| *time).collect();
    times.sort_unstable();
    let milliseconds = |at: usize| times.get(at).copied().unwrap_or_default() / 1_000_000;
    println!(
        "processor time of a pair with findings: median {} ms, greatest {} ms",
        milliseconds(times.len() / 2),
        milliseconds(times.len() - 1)
    );
    let all: Vec<(Pair, Vec<Finding>)> =
        all.into_iter().map(|(pair, findings, _)| (pair, findings)).collect();
    let changed = all.iter().filter(|(_, findings)| !findings.is_empty()).count();
    let failing = |profile: Profile| {
        all.iter().filter(|(_, findings)| findings.iter().any(|finding| profile.fails(finding))).count()
    };
    let witnesses: usize =
        all.iter().flat_map(|(_, found)| found).map(|finding| finding.witnesses.len()).sum();
    println!("{} pairs, {changed} with findings, {witnesses} witnesses", all.len());
    for profile in [Profile::Stored, Profile::Clients, Profile::Strict] {
        println!("{profile:?}: {} pairs fail", failing(profile));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    all.iter().flat_map(|(_, found)| found).for_each(|finding| *counts.entry(finding.id).or_default() += 1);
    counts.iter().for_each(|(id, count)| println!("{count:6} {id}"));
    if std::env::var_os("CRD_DIFF_DETAILS").is_some() {
        for ((name, ..), findings) in &all {
            println!("{name}");
            for finding in findings {
                let classes: Vec<String> = finding
                    .classes
                    .iter()
                    .map(|class| {
                        let mark = if finding.undecided.contains(class) { "?" } else { "" };
                        format!("{class}{mark}")
                    })
                    .collect();
                let witnesses = finding.witnesses.len();
                println!(
                    "    {} {} [{}], {witnesses} witnesses",
                    finding.id,
                    finding.path,
                    classes.join(" ")
                );
            }
        }
    }
    assert!(changed > 0);
}

/// Writes the requests that confirm the witnesses of real pairs.
#[test]
#[ignore = "needs the corpus"]
fn write_real_plan() {
    let path = std::env::var_os("CRD_DIFF_PLAN").unwrap();
    let plans: Vec<Value> = compared().iter().map(|(pair, findings)| plan(pair, findings)).collect();
    std::fs::write(path, json!({"real": plans}).to_string()).unwrap();
}

fn plan((name, old, new): &Pair, findings: &[Finding]) -> Value {
    let (mut objects, mut edits): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    for witness in findings.iter().flat_map(|finding| &finding.witnesses) {
        let is_rejection = witness.answer.contains(" is invalid: ");
        match (&witness.old, &witness.new) {
            (Some(of), Some(to)) if is_rejection && witness.class == Class::Edit => {
                edits.push(edit_of(of, to, "old"));
            }
            (Some(of), Some(to)) if is_rejection && witness.class == Class::Read => {
                edits.push(edit_of(of, to, "new"));
            }
            // Of two objects that differ, either may be the request that shows it.
            (old, new) => objects.extend([old, new].into_iter().flatten().cloned().map(named)),
        }
    }
    json!({
        "name": name, "old": old.to_value(), "new": new.to_value(), "objects": unique(objects), "edits": unique(edits),
        "apply": [],
    })
}

fn unique(values: Vec<Value>) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for value in values {
        if !out.contains(&value) {
            out.push(value);
        }
    }
    out
}

/// Compares the recorded answers with the witnesses of real pairs.
#[test]
#[ignore = "needs the corpus, and the answers of a server"]
fn confirm_real() {
    let folder = std::path::PathBuf::from(std::env::var_os("CRD_DIFF_ANSWERS").unwrap());
    let records = records_in(&folder, "real", RELEASES[0]);
    let (mut confirmed, mut missing, mut wrong) = (0, 0, Vec::new());
    for ((name, ..), findings) in compared() {
        let before = confirmed;
        for confirmation in confirmations(&findings, &records[&name]) {
            match confirmation {
                Confirmation::Confirmed => confirmed += 1,
                Confirmation::NotRecorded => missing += 1,
                Confirmation::Refuted(text) => wrong.push(format!("{name}: {text}")),
            }
        }
        if std::env::var_os("CRD_DIFF_DETAILS").is_some() {
            println!("{name}: {} witnesses confirmed", confirmed - before);
        }
    }
    println!("{confirmed} witnesses confirmed, {missing} not recorded, {} refuted", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(confirmed > 0);
}
