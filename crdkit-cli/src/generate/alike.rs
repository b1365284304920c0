//! Keeps the first few of several similar warnings, and counts the others.

use std::collections::HashMap;

use crd_core::{CauseReason, Diagnostic, Keyword, Segment};
use crd_input::{Problem, ProblemSeverity};
use crd_report::some;

/// Maximum number of similar warnings that are shown.
const SHOWN: usize = 3;

/// Keeps the first few of each kind of similar warnings. The last kept warning mentions the number of removed warnings. Returns the number
/// of removed warnings.
///
/// Warnings are similar if they have the same reason and concern the same keyword.
pub(super) fn fold(findings: &mut Vec<Problem>) -> usize {
    let is_warning = |finding: &Problem| finding.severity == ProblemSeverity::Warning;
    let shapes: Vec<Option<Shape>> =
        findings.iter().map(|finding| is_warning(finding).then(|| shape(&finding.diagnostic))).collect();
    let mut counts: HashMap<&Shape, Count> = HashMap::new();
    for shape in shapes.iter().flatten() {
        counts.entry(shape).or_default().all += 1;
    }
    let before = findings.len();
    let mut shapes = shapes.iter();
    findings.retain_mut(|finding| {
        let shape = shapes.next().and_then(Option::as_ref);
        let Some(count) = shape.and_then(|shape| counts.get_mut(shape)) else { return true };
        count.seen += 1;
        // To leave out a single one would not be shorter.
        if count.seen == SHOWN && count.all > SHOWN + 1 {
            let more =
                format!("{} like this one: `--details` shows them", some(count.all - SHOWN, "more warning"));
            let help = finding.diagnostic.help().map_or(more.clone(), |help| format!("{help}; {more}"));
            finding.diagnostic.remedy = Some(help.into());
        }
        count.seen <= SHOWN || count.all == SHOWN + 1
    });
    before - findings.len()
}

/// The data that similar warnings share: the reason, and the keyword or field.
type Shape = (CauseReason, Option<Keyword>, Option<String>);

/// The number of similar warnings, and how many of them have been processed.
#[derive(Default)]
struct Count {
    all: usize,
    seen: usize,
}

/// Returns the data that identify similar warnings.
fn shape(warning: &Diagnostic) -> Shape {
    // Outside schemas, the field stands for the keyword.
    let field = match warning.field.last() {
        Some(Segment::Child(name)) if warning.keyword.is_none() => Some(name.to_string()),
        _ => None,
    };
    (warning.reason, warning.keyword, field)
}

#[cfg(test)]
mod tests {
    use crd_core::FieldPath;
    use crd_input::Origin;

    use super::*;

    fn finding(severity: ProblemSeverity, keyword: Keyword, message: &str) -> Problem {
        let origin = Origin { file: "a.yaml".to_owned(), document: 0 };
        Problem {
            origin,
            diagnostic: Diagnostic::new(FieldPath::new("spec"), CauseReason::Invalid, message)
                .with_keyword(keyword),
            severity,
        }
    }

    #[test]
    fn warnings_of_one_shape_are_counted() {
        let alike = |name: &str| {
            finding(
                ProblemSeverity::Warning,
                Keyword::Properties,
                &format!("has `{name}`, which the type does not have"),
            )
        };
        let mut findings: Vec<Problem> = ["a", "b", "c", "d", "e"].map(alike).into();
        findings.push(finding(
            ProblemSeverity::Warning,
            Keyword::Properties,
            "has `a`, `b`, which the type does not have, and in 3 more places",
        ));
        findings.push(finding(
            ProblemSeverity::Warning,
            Keyword::Type,
            "no type, so the value is kept as JSON",
        ));
        findings.push(finding(
            ProblemSeverity::Error,
            Keyword::Properties,
            "has `a`, which the type does not have",
        ));
        assert_eq!(fold(&mut findings), 3);
        let help: Vec<_> = findings.iter().map(|finding| finding.diagnostic.help()).collect();
        let more = "3 more warnings like this one: `--details` shows them";
        assert_eq!(help, [None, None, Some(more), None, None]);
    }

    #[test]
    fn a_single_one_more_is_shown() {
        let mut findings = vec![finding(ProblemSeverity::Warning, Keyword::Properties, "has `a`"); SHOWN + 1];
        assert_eq!(fold(&mut findings), 0);
        assert!(findings.iter().all(|finding| finding.diagnostic.remedy.is_none()));
    }
}
