//! Sorts findings (differences between CRDs, with their effects) by severity, and groups equal findings at several paths.

use std::collections::HashMap;

use crd_diff::Judgement;

use super::placed::Placed;

/// Maximum number of paths that are listed in formats other than JSON.
const MOST_PLACES: usize = 8;

/// A finding that is the same at one or several paths.
pub(super) struct Group<'f> {
    pub(super) first: &'f Placed,
    others: Vec<&'f Placed>,
}

/// Groups the findings that are not waived. Notes are included only with `has_notes`.
pub(super) fn groups(findings: &[Placed], has_notes: bool) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let shown = findings.iter().filter(|placed| placed.waived.is_none() && (has_notes || !placed.is_note()));
    for placed in shown {
        match known.get(&key(placed)) {
            Some(at) => groups[*at].others.push(placed),
            None => {
                known.insert(key(placed), groups.len());
                groups.push(Group { first: placed, others: Vec::new() });
            }
        }
    }
    groups.sort_by_key(|group| {
        let Placed { finding, judgement, .. } = group.first;
        let rank = match judgement {
            Judgement::Rejected => 0,
            Judgement::Undecided => 1,
            Judgement::Accepted => 2,
        };
        (rank, std::cmp::Reverse(finding.severity), finding.classes.first().copied())
    });
    groups
}

/// Returns a text that is the same for equal findings at different paths.
fn key(placed: &Placed) -> String {
    let finding = &placed.finding;
    let name = finding.path.rsplit('.').next().unwrap_or_default();
    let classes = [&finding.classes, &finding.undecided];
    format!("{} {name} {classes:?} {:?} {}", finding.id, placed.judgement, finding.message)
}

impl Group<'_> {
    /// Returns the number of paths.
    pub(super) fn len(&self) -> usize {
        1 + self.others.len()
    }

    /// Returns a line with the other paths, or `None` if there is only one path.
    pub(super) fn other_places(&self) -> Option<String> {
        let name = |placed: &&Placed| {
            if placed.finding.crd == self.first.finding.crd { placed.field() } else { placed.subject() }
        };
        let mut names: Vec<String> = self.others.iter().take(MOST_PLACES).map(name).collect();
        let more = self.others.len().saturating_sub(MOST_PLACES);
        if more > 0 {
            names.push(format!("and {more} more, which `--format json` shows"));
        }
        let noun = if self.others.len() == 1 { "place" } else { "places" };
        (!names.is_empty()).then(|| format!("also at {} {noun}: {}", self.others.len(), names.join(", ")))
    }
}
