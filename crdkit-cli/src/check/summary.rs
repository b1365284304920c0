//! Formats the last line of text output.

use std::collections::BTreeMap;

use crd_report::{Counted, Level, some};

/// Returns the line with the number of accepted CRDs and the problems that were found.
pub(super) fn summary(
    (definitions, accepted, undecided): (usize, usize, usize),
    (others, copies): (usize, usize),
    counted: &Counted<'_>,
) -> String {
    let refused = definitions - accepted - undecided;
    let count = some(definitions, "CRD");
    let mut line = format!("checked {count}: {accepted} accepted, {refused} rejected");
    if undecided > 0 {
        line += &format!(", {undecided} not decided");
    }
    let warnings = counted.messages.iter().filter(|message| message.level == Level::Warning).count();
    if warnings > 0 {
        line += &format!("; {}", some(warnings, "warning"));
    }
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for message in counted.advice {
        *names.entry(message.reason).or_default() += 1;
    }
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|(name, count)| format!("{count} {name}")).collect();
        line += &format!("; advice: {}", names.join(", "));
    }
    if copies > 0 {
        let noun = if copies == 1 { "identical copy" } else { "identical copies" };
        line += &format!("; {copies} {noun} left out");
    }
    if others > 0 {
        line += &format!("; {} left out", some(others, "other object"));
    }
    line
}
