//! A change of a CRD that was found by comparison, before its effects are known.

use crd_core::crd::ValidationRule;
use crd_core::{FieldPath, Structural};
use serde_json::Value;

use crate::finding::Class;
use crate::rows::Row;
use crate::schema_path::SchemaPath;

/// Maximum number of characters of a rule, and of another value, in a message.
const MOST_OF_RULE: usize = 2000;
const MOST_OF_VALUE: usize = 80;

/// A change.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) row: &'static Row,
    /// `true` if field managers change, or fields can no longer be applied, which the row alone does not say.
    pub(crate) has_other_owners: bool,
    /// `true` if generated code has another type for the field, which the row alone does not say.
    pub(crate) has_other_code: bool,
    /// `true` if the place is in an item of a list. A list without keys is validated as a whole, and an item whose keys change
    /// counts as new, so edits of other values may be rejected.
    pub(crate) is_in_list: bool,
    /// Classes that an object should show in addition to the classes of the row.
    pub(crate) expected: Vec<Class>,
    /// Classes that follow from the schemas at the place, whether or not an object is found that shows them.
    pub(crate) certain: Vec<Class>,
    /// `true` if the version was neither served nor stored, so that only generated code notices the change.
    pub(crate) is_unused: bool,
    /// `true` if the new CRD does not serve the version: no request reaches its schema; another change is the cause.
    pub(crate) is_unserved: bool,
    /// The version, unless the change concerns the whole CRD.
    pub(crate) version: Option<String>,
    /// The reported place.
    pub(crate) place: SchemaPath,
    pub(crate) old: Value,
    pub(crate) new: Value,
    /// The places in the old and the new CRD.
    pub(crate) fields: (FieldPath, FieldPath),
    /// Objects that are likely to show the effects.
    pub(crate) probes: Vec<Probe>,
    /// The rule that was added, and the rule that was removed.
    pub(crate) rules: (Option<ValidationRule>, Option<ValidationRule>),
    /// Details that the title lacks: the text of the API server if it rejects the change, or the keywords that changed.
    pub(crate) answer: Option<String>,
}

/// A way to find objects that may show the effects of a change.
#[derive(Clone, Debug)]
pub(crate) enum Probe {
    /// An object with this value at a place.
    Value(SchemaPath, Value),
    /// An object that has anything at a place.
    Present(SchemaPath),
    /// An object that has the parent of a place, but not the place.
    Absent(SchemaPath),
    /// Lists of two items that have equal keys if the key has one of these defaults: an item without the key, and an item that sets it to
    /// the default. The path leads to the key.
    Twins(SchemaPath, [Value; 2]),
    /// Values at a place that one of the schemas there accepts and the other rejects.
    Differing(SchemaPath),
    /// Like `Differing`, for a place that one CRD does not have: with the two schemas.
    DifferingFrom(SchemaPath, Box<(Structural, Structural)>),
    /// Objects that violate a rule at a place.
    Against(SchemaPath, Box<ValidationRule>),
    /// The smallest object, and one with every field.
    Any,
}

impl Change {
    pub(crate) fn new(row: &'static Row, place: SchemaPath) -> Self {
        Self {
            row,
            has_other_owners: false,
            has_other_code: false,
            is_in_list: false,
            expected: Vec::new(),
            certain: Vec::new(),
            is_unused: false,
            is_unserved: false,
            version: None,
            place,
            old: Value::Null,
            new: Value::Null,
            fields: (FieldPath::root(), FieldPath::root()),
            probes: Vec::new(),
            rules: (None, None),
            answer: None,
        }
    }

    pub(crate) fn values(mut self, old: impl Into<Value>, new: impl Into<Value>) -> Self {
        (self.old, self.new) = (old.into(), new.into());
        self
    }

    pub(crate) fn fields(mut self, old: FieldPath, new: FieldPath) -> Self {
        self.fields = (old, new);
        self
    }

    pub(crate) fn probe(mut self, probe: Probe) -> Self {
        self.probes.push(probe);
        self
    }

    pub(crate) fn expect(mut self, classes: &[Class]) -> Self {
        self.expected.extend(classes);
        self
    }

    /// Adds classes that follow from the schemas.
    pub(crate) fn follows(mut self, classes: &[Class]) -> Self {
        self.certain.extend(classes);
        self
    }

    /// Returns `true` if objects may show the class as an effect of the change.
    pub(crate) fn may_show(&self, class: Class) -> bool {
        let is_request = matches!(class, Class::Stuck | Class::Edit | Class::Write);
        !(self.is_unserved && is_request) && (self.row.may_show(class) || self.expected.contains(&class))
    }

    /// Returns the classes that the search tries to show with an object. If the row has `is_either`, it is enough to show one of them.
    pub(crate) fn each_expected(&self) -> impl Iterator<Item = Class> {
        self.row.expected.iter().chain(&self.expected).copied()
    }

    pub(crate) fn answered(mut self, answer: impl Into<String>) -> Self {
        self.answer = Some(answer.into());
        self
    }

    /// Returns `true` if the class follows from the CRDs alone.
    pub(crate) fn is_sure(&self, class: Class) -> bool {
        self.row.sure.contains(&class)
            || self.certain.contains(&class)
            || self.has_other_owners && class == Class::Apply
            || self.has_other_code && class == Class::Rust
    }

    /// Returns the change in one sentence, with both values. Rules are shown in full, because they often differ at their ends.
    pub(crate) fn message(&self) -> String {
        let most =
            if self.rules.0.is_some() || self.rules.1.is_some() { MOST_OF_RULE } else { MOST_OF_VALUE };
        let shown = |value: &Value| {
            if value.is_null() {
                return "none".to_owned();
            }
            let text = value.to_string();
            if text.chars().count() <= most {
                return text;
            }
            text.chars().take(most - 3).chain("...".chars()).collect()
        };
        let text = self.row.title.replace("{old}", &shown(&self.old)).replace("{new}", &shown(&self.new));
        match &self.answer {
            Some(answer) => format!("{text}: {answer}"),
            None => text,
        }
    }
}
