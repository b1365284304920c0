//! The table of changes: each row has cases, whose findings name its classes, and which servers have answered.

use std::collections::{BTreeMap, BTreeSet};

use crd_diff::{Class, Finding};
use crd_input::{Limits, Source, documents};
use serde_json::Value;

use super::cases::{Case, RELEASES, compared, folder};
use super::records::records;

/// The files whose cases have one change each. The others have changes at special places, and several at once.
const SINGLE: [&str; 3] = ["schemas", "definitions", "versions"];

struct Row {
    change: String,
    classes: BTreeSet<String>,
    cases: Vec<String>,
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(folder().join("table.yaml")).unwrap();
    let (documents, errors) = documents(&Source::from_string("table", text), &Limits::default());
    assert!(errors.is_empty(), "{errors:?}");
    let list = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let row = |row: &Value| Row {
        change: row["change"].as_str().unwrap().to_owned(),
        classes: list(&row["classes"]).into_iter().collect(),
        cases: list(&row["cases"]),
    };
    documents[0].value["rows"].as_array().unwrap().iter().map(row).collect()
}

/// Returns the classes that findings name, without those that are merely possible.
fn decided<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> BTreeSet<String> {
    let of = |finding: &'f Finding| {
        finding
            .classes
            .iter()
            .filter(|class| !finding.undecided.contains(class))
            .map(|class| class.to_string())
    };
    findings.into_iter().flat_map(of).collect()
}

#[test]
fn every_row_of_the_table_has_cases_with_its_classes() {
    let known: BTreeMap<&str, &(Case, Vec<Finding>)> =
        compared().iter().map(|case| (case.0.name.as_str(), case)).collect();
    let recorded = RELEASES.map(|release| {
        let all = SINGLE.into_iter().flat_map(|file| records(file, release));
        all.map(|(name, _)| name).collect::<BTreeSet<String>>()
    });
    let mut wrong = Vec::new();
    for row in rows() {
        let mut findings: Vec<&Finding> = Vec::new();
        for name in &row.cases {
            match known.get(name.as_str()) {
                Some((_, found)) => findings.extend(found),
                None => wrong.push(format!("{}: no case `{name}`", row.change)),
            }
            if recorded.iter().any(|recorded| !recorded.contains(name)) {
                wrong.push(format!("{}: `{name}` is not recorded", row.change));
            }
        }
        let decided = decided(findings);
        let is_without = row.classes.is_empty() && !decided.is_empty();
        if is_without || !row.classes.is_subset(&decided) {
            wrong.push(format!("{}: {:?}, but the cases name {decided:?}", row.change, row.classes));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A case without a row, or a class that no row has, shows that a row is missing.
#[test]
fn every_case_of_one_change_has_a_row() {
    let rows = rows();
    let in_rows: BTreeSet<&str> = rows.iter().flat_map(|row| &row.cases).map(String::as_str).collect();
    let names = compared().iter().map(|(case, _)| case).filter(|case| SINGLE.contains(&case.file));
    let missing: Vec<&str> =
        names.map(|case| case.name.as_str()).filter(|name| !in_rows.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let classes: BTreeSet<&str> = rows.iter().flat_map(|row| &row.classes).map(String::as_str).collect();
    assert_eq!(classes, Class::ALL.map(Class::as_str).into_iter().collect());
}
