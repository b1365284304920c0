//! Reads the values in a suite, and collects errors with their paths.

use crd_core::{CauseReason, Diagnostic, FieldPath, Remedy};
use crd_go::nearest::nearest;
use crd_input::{Origin, Problem, ProblemSeverity};
use serde_json::{Map, Value};

/// A value in a suite, with its path.
#[derive(Clone, Debug)]
pub(super) struct SuiteValue<'v> {
    pub(super) value: &'v Value,
    pub(super) path: FieldPath,
}

/// The errors in a suite.
pub(super) struct Faults {
    origin: Origin,
    pub(super) findings: Vec<Problem>,
    /// The number of further errors, which are not kept.
    pub(super) more: usize,
}

/// Maximum number of errors that are reported. Further errors are only counted, because the file must be read again to find the position of
/// each reported error.
pub(super) const MOST_FINDINGS: usize = 5_000;

impl<'v> SuiteValue<'v> {
    /// Returns the value of a whole suite.
    pub(super) fn root(value: &'v Value) -> Self {
        Self { value, path: FieldPath::root() }
    }

    /// Returns the value as a map. Reports unknown keys.
    pub(super) fn map(&self, known: &[&str], faults: &mut Faults) -> Option<&'v Map<String, Value>> {
        let Some(map) = self.value.as_object() else {
            faults.add(&self.path, "must be a map", None);
            return None;
        };
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let help = match nearest(key, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("known keys: {}", listed(known)),
            };
            faults.add(&self.path.child(key.as_str()), "unknown key", Some(help));
        }
        Some(map)
    }

    /// Returns the value of an optional key.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        Some(Self { value: self.value.get(key)?, path: self.path.child(key) })
    }

    /// Returns the value of a required key. Reports a missing key.
    pub(super) fn required(&self, key: &str, faults: &mut Faults) -> Option<Self> {
        let found = self.get(key);
        if found.is_none() {
            faults.add(&self.path.child(key), "is missing", None);
        }
        found
    }

    pub(super) fn text(&self, faults: &mut Faults) -> Option<&'v str> {
        let text = self.value.as_str();
        if text.is_none() {
            let is_nested = self.value.is_array() || self.value.is_object();
            // YAML reads `no` as a boolean.
            let help = (!is_nested).then(|| "put it in quotes".to_owned());
            faults.add(&self.path, "must be a string", help);
        }
        text
    }

    /// Returns the items of a list.
    pub(super) fn items(&self, faults: &mut Faults) -> Option<Vec<Self>> {
        let Some(items) = self.value.as_array() else {
            faults.add(&self.path, "must be a list", None);
            return None;
        };
        let item = |(i, value)| Self { value, path: self.path.index(i) };
        Some(items.iter().enumerate().map(item).collect())
    }
}

impl Faults {
    pub(super) fn new(origin: Origin) -> Self {
        Self { origin, findings: Vec::new(), more: 0 }
    }

    pub(super) fn add(&mut self, field: &FieldPath, message: &str, help: Option<String>) {
        if self.findings.len() >= MOST_FINDINGS {
            self.more += 1;
            return;
        }
        let mut diagnostic = Diagnostic::new(field.clone(), CauseReason::Invalid, message);
        diagnostic.remedy = help.map(Remedy::from);
        self.findings.push(Problem {
            origin: self.origin.clone(),
            diagnostic,
            severity: ProblemSeverity::Error,
        });
    }
}

fn listed(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
