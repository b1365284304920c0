//! The table of features by release in the book is that of the data: `UPDATE_GOLDEN=1` writes it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use crd_cel::{Environment, KubeVersion};
use crd_core::check::features::FEATURES;
use crd_tests::workspace;

const PAGE: &str = "book/src/kube-versions.md";
const BEGIN: &str = "<!-- table of features: tests/tests/book_versions.rs -->\n";
const END: &str = "<!-- end of the table -->\n";

#[test]
fn the_book_has_the_features_of_every_release() {
    let path = workspace().join(PAGE);
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    let table = table();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(written, table, "UPDATE_GOLDEN=1 writes the table in {PAGE}");
}

/// Returns a row for each release after the oldest one.
fn table() -> String {
    let mut table = String::from("| since | functions of new rules | fields and formats |\n|---|---|---|\n");
    let (oldest, newest) = (KubeVersion::OLDEST.minor(), KubeVersion::NEWEST.minor());
    for minor in oldest + 1..=newest {
        let release = KubeVersion::new(minor);
        let (new, old) = (functions(release), functions(KubeVersion::new(minor - 1)));
        let mut changes = added(&new, &old);
        changes.extend(added(&old, &new).into_iter().map(|gone| format!("without {gone}")));
        let features = FEATURES.iter().filter(|feature| feature.since == release);
        let features: Vec<String> = features.map(|feature| format!("`{}`", feature.name)).collect();
        writeln!(table, "| {release} | {} | {} |", list(&changes), list(&features)).unwrap();
    }
    table
}

/// Names and signatures of all functions in new rules.
fn functions(release: KubeVersion) -> BTreeSet<(&'static str, &'static str)> {
    let functions = Environment::for_server(release).functions();
    // Names with signs are operators, or functions that only macros call.
    let named = functions.filter(|function| !function.name.contains(['@', '_', '!', '?']));
    named.map(|function| (function.name, function.signature)).collect()
}

/// Returns the functions that only the first set has: names, with the signature where the other set has other overloads.
fn added(
    new: &BTreeSet<(&'static str, &'static str)>,
    old: &BTreeSet<(&'static str, &'static str)>,
) -> Vec<String> {
    let known: BTreeSet<&str> = old.iter().map(|(name, _)| *name).collect();
    let shown = new.difference(old).map(|(name, signature)| match known.contains(name) {
        true => format!("`{name}`: `{signature}`"),
        false => format!("`{name}`"),
    });
    shown.collect::<BTreeSet<_>>().into_iter().collect()
}

fn list(parts: &[String]) -> String {
    if parts.is_empty() { "–".to_owned() } else { parts.join(", ") }
}
