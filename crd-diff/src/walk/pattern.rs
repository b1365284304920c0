//! Compares patterns by the sets of strings that they match.

use crd_core::Structural;
use crd_go::re2::Language;
use serde_json::Value;

use super::Walk;
use crate::change::Probe;
use crate::rows;
use crate::schema_path::SchemaPath;

/// Strings that one of two patterns matches and the other does not.
enum OnlyIn {
    None,
    Shortest(String),
    /// The patterns are too large to be compared.
    Unknown,
}

impl Walk<'_> {
    pub(super) fn patterns(&mut self, old: &Structural, new: &Structural, at: &SchemaPath) {
        let pattern =
            |schema: &Structural| schema.value_validation.as_ref().and_then(|all| all.pattern.clone());
        let (before, after) = (pattern(old), pattern(new));
        if before == after {
            return;
        }
        let (lost, won) = match (&before, &after) {
            (Some(before), Some(after)) => {
                (self.difference(&[before], after), self.difference(&[after], before))
            }
            (None, Some(after)) => (self.difference(&[], after), OnlyIn::None),
            (Some(before), None) => (OnlyIn::None, self.difference(&[], before)),
            (None, None) => return,
        };
        let row = match (&lost, &won) {
            (OnlyIn::None, OnlyIn::None) => &rows::PATTERN_REWRITTEN,
            (_, OnlyIn::None) => &rows::PATTERN_TIGHTENED,
            (OnlyIn::None, _) => &rows::PATTERN_LOOSENED,
            _ => &rows::PATTERN_CHANGED,
        };
        let mut change = self.change(row, at, "pattern").values(before, after);
        for difference in [lost, won] {
            if let OnlyIn::Shortest(text) = difference {
                change = change.probe(Probe::Value(at.clone(), Value::from(text)));
            }
        }
        let probe = self.differing_values(at, (old, new));
        self.push(change.probe(probe));
    }

    fn difference(&self, matching: &[&String], refused: &str) -> OnlyIn {
        let matching: Vec<&str> = matching.iter().map(|pattern| pattern.as_str()).collect();
        let work = self.with.work;
        let Some(left) = work.left_for_automata() else { return OnlyIn::Unknown };
        let language = Language::within_steps(&matching, &[refused], left);
        work.automaton(language.as_ref().ok());
        match language {
            Ok(language) => match language.shortest() {
                Some(text) => OnlyIn::Shortest(text),
                None if language.is_complete() => OnlyIn::None,
                None => OnlyIn::Unknown,
            },
            Err(_) => OnlyIn::Unknown,
        }
    }
}
