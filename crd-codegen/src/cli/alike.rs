//! Warnings that are alike: the first ones of each shape are shown, the others are counted.

use std::collections::HashMap;

use crd_input::{Finding, Severity};
use crd_report::some;

/// How many warnings of one shape are shown.
const SHOWN: usize = 3;

/// Removes warnings that are like others, and counts them in the last one of their shape that is left. Returns the number of
/// removed warnings.
///
/// Warnings have the same shape if they differ only in names and numbers.
pub(super) fn fold(findings: &mut Vec<Finding>) -> usize {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Warning) {
        *counts.entry(shape(&finding.diagnostic.message)).or_default() += 1;
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let before = findings.len();
    findings.retain_mut(|finding| {
        if finding.severity != Severity::Warning {
            return true;
        }
        let shape = shape(&finding.diagnostic.message);
        let all = counts.get(&shape).copied().unwrap_or_default();
        let number = seen.entry(shape).or_default();
        *number += 1;
        // To leave out a single one would not be shorter.
        if *number == SHOWN && all > SHOWN + 1 {
            let more = format!("{} like this one: `--details` shows them", some(all - SHOWN, "more warning"));
            let help = finding.diagnostic.help.take();
            finding.diagnostic.help = Some(help.map_or(more.clone(), |help| format!("{help}; {more}")));
        }
        *number <= SHOWN || all == SHOWN + 1
    });
    before - findings.len()
}

/// The message without names, numbers, and the number of further places.
fn shape(message: &str) -> String {
    let message = message.find(", and in ").map_or(message, |at| &message[..at]);
    let mut shape = String::with_capacity(message.len());
    for (at, part) in message.split('`').enumerate() {
        if at % 2 == 0 {
            shape.extend(part.chars().filter(|c| !c.is_ascii_digit()));
        } else if !shape.ends_with('`') {
            shape.push('`');
        }
    }
    // Lists of names have one shape, however long they are.
    shape.replace("`, `", "`")
}

#[cfg(test)]
mod tests {
    use crd_core::{Diagnostic, FieldPath, Reason};
    use crd_input::Origin;

    use super::*;

    fn finding(severity: Severity, message: &str) -> Finding {
        let origin = Origin { file: "a.yaml".to_owned(), document: 0 };
        Finding {
            origin,
            diagnostic: Diagnostic::new(FieldPath::new("spec"), Reason::Invalid, message),
            severity,
        }
    }

    #[test]
    fn warnings_of_one_shape_are_counted() {
        let alike = |name: &str| finding(Severity::Warning, &format!("has `{name}`, which the type has not"));
        let mut findings: Vec<Finding> = ["a", "b", "c", "d", "e"].map(alike).into();
        findings
            .push(finding(Severity::Warning, "has `a`, `b`, which the type has not, and in 3 more places"));
        findings.push(finding(Severity::Warning, "no type, so the value is kept as JSON"));
        findings.push(finding(Severity::Error, "has `a`, which the type has not"));
        assert_eq!(fold(&mut findings), 3);
        let help: Vec<_> = findings.iter().map(|finding| finding.diagnostic.help.as_deref()).collect();
        let more = "3 more warnings like this one: `--details` shows them";
        assert_eq!(help, [None, None, Some(more), None, None]);
    }

    #[test]
    fn a_single_one_more_is_shown() {
        let mut findings = vec![finding(Severity::Warning, "has `a`"); SHOWN + 1];
        assert_eq!(fold(&mut findings), 0);
        assert!(findings.iter().all(|finding| finding.diagnostic.help.is_none()));
    }
}
