//! Warnings that are alike: the first ones of each shape are shown, the others are counted.

use std::collections::HashMap;

use crd_input::{Problem, ProblemSeverity};
use crd_report::some;

/// How many warnings of one shape are shown.
const SHOWN: usize = 3;

/// Removes warnings that are like others, and counts them in the last one of their shape that is left. Returns the number of
/// removed warnings.
///
/// Warnings have the same shape if they differ only in names and numbers.
pub(super) fn fold(findings: &mut Vec<Problem>) -> usize {
    let is_warning = |finding: &Problem| finding.severity == ProblemSeverity::Warning;
    let shapes: Vec<Option<String>> = findings
        .iter()
        .map(|finding| is_warning(finding).then(|| shape(&finding.diagnostic.message)))
        .collect();
    let mut counts: HashMap<&str, Count> = HashMap::new();
    for shape in shapes.iter().flatten() {
        counts.entry(shape).or_default().all += 1;
    }
    let before = findings.len();
    let mut shapes = shapes.iter();
    findings.retain_mut(|finding| {
        let shape = shapes.next().and_then(Option::as_deref);
        let Some(count) = shape.and_then(|shape| counts.get_mut(shape)) else { return true };
        count.seen += 1;
        // To leave out a single one would not be shorter.
        if count.seen == SHOWN && count.all > SHOWN + 1 {
            let more =
                format!("{} like this one: `--details` shows them", some(count.all - SHOWN, "more warning"));
            let help = &mut finding.diagnostic.help;
            *help = Some(help.take().map_or(more.clone(), |help| format!("{help}; {more}")));
        }
        count.seen <= SHOWN || count.all == SHOWN + 1
    });
    before - findings.len()
}

/// The warnings of one shape: all, and those that were looked at.
#[derive(Default)]
struct Count {
    all: usize,
    seen: usize,
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
    use crd_core::{CauseReason, Diagnostic, FieldPath};
    use crd_input::Origin;

    use super::*;

    fn finding(severity: ProblemSeverity, message: &str) -> Problem {
        let origin = Origin { file: "a.yaml".to_owned(), document: 0 };
        Problem {
            origin,
            diagnostic: Diagnostic::new(FieldPath::new("spec"), CauseReason::Invalid, message),
            severity,
        }
    }

    #[test]
    fn warnings_of_one_shape_are_counted() {
        let alike =
            |name: &str| finding(ProblemSeverity::Warning, &format!("has `{name}`, which the type has not"));
        let mut findings: Vec<Problem> = ["a", "b", "c", "d", "e"].map(alike).into();
        findings.push(finding(
            ProblemSeverity::Warning,
            "has `a`, `b`, which the type has not, and in 3 more places",
        ));
        findings.push(finding(ProblemSeverity::Warning, "no type, so the value is kept as JSON"));
        findings.push(finding(ProblemSeverity::Error, "has `a`, which the type has not"));
        assert_eq!(fold(&mut findings), 3);
        let help: Vec<_> = findings.iter().map(|finding| finding.diagnostic.help.as_deref()).collect();
        let more = "3 more warnings like this one: `--details` shows them";
        assert_eq!(help, [None, None, Some(more), None, None]);
    }

    #[test]
    fn a_single_one_more_is_shown() {
        let mut findings = vec![finding(ProblemSeverity::Warning, "has `a`"); SHOWN + 1];
        assert_eq!(fold(&mut findings), 0);
        assert!(findings.iter().all(|finding| finding.diagnostic.help.is_none()));
    }
}
