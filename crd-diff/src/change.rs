//! A difference between two CRDs, before the search for its effects.

use crd_core::crd::ValidationRule;
use crd_core::{FieldPath, Structural};
use serde_json::Value;

use crate::finding::Class;
use crate::rows::Row;
use crate::schema_path::SchemaPath;

/// The maximum number of characters that a message contains from a rule, and from other values.
const MOST_OF_RULE: usize = 2000;
const MOST_OF_VALUE: usize = 80;

/// A difference between two CRDs. The table of all kinds of changes has a row for each kind.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) row: &'static Row,
    /// `true` if the change affects server-side apply: fields get other owners, or can no longer be applied. The class `Apply` is then
    /// added to the classes of the row.
    pub(crate) has_other_owners: bool,
    /// `true` if the field's type in generated code changes. The class `Rust` is then added to the classes of the row.
    pub(crate) has_other_code: bool,
    /// `true` if the changed field is in an item of a list. Editing another field in the list may then also be rejected, because a list
    /// without keys is validated as a whole, and an item is treated as new if its keys change.
    pub(crate) is_in_list: bool,
    /// Classes for which the search tries to find an object, in addition to the classes of the row.
    pub(crate) expected: Vec<Class>,
    /// Classes that follow from the changed schemas alone, even if no object is found.
    pub(crate) certain: Vec<Class>,
    /// `true` if the old CRD neither serves the version nor stores objects in it. The change then affects only generated code.
    pub(crate) is_unused: bool,
    /// `true` if the new CRD does not serve the version. A separate change reports that requests in this version fail.
    pub(crate) is_unserved: bool,
    /// The version, unless the change concerns the whole CRD.
    pub(crate) version: Option<String>,
    /// The path in the schema.
    pub(crate) place: SchemaPath,
    pub(crate) old: Value,
    pub(crate) new: Value,
    /// The full paths in the old and in the new CRD.
    pub(crate) fields: (FieldPath, FieldPath),
    /// Descriptions of objects that the change is likely to affect.
    pub(crate) probes: Vec<Probe>,
    /// The CEL rule that the change adds, and the CEL rule that it removes.
    pub(crate) rules: (Option<ValidationRule>, Option<ValidationRule>),
    /// Details to add to the row's title, such as the changed keywords, or the reason why the API server rejects the CRD.
    pub(crate) answer: Option<String>,
}

/// A description of objects that a change may affect. The search builds and validates such objects.
#[derive(Clone, Debug)]
pub(crate) enum Probe {
    /// An object with this value at a path.
    Value(SchemaPath, Value),
    /// An object with any value at a path.
    Present(SchemaPath),
    /// An object that lacks the field at a path, but contains its parent.
    Absent(SchemaPath),
    /// For each of these two defaults of a list map key, a list with two items: one without the key, and one that sets the key to the
    /// default. A CRD with this default treats the items as duplicates. The path leads to the key.
    Twins(SchemaPath, [Value; 2]),
    /// Values at a path that one CRD's schema for this path accepts and the other CRD's schema rejects.
    Differing(SchemaPath),
    /// Like `Differing`, but for a path that exists in only one of the CRDs. The two schemas are given here.
    DifferingFrom(SchemaPath, Box<(Structural, Structural)>),
    /// Objects that violate a rule at a path.
    Against(SchemaPath, Box<ValidationRule>),
    /// The smallest object, and an object with every field.
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

    /// Adds classes that follow from the schemas alone.
    pub(crate) fn follows(mut self, classes: &[Class]) -> Self {
        self.certain.extend(classes);
        self
    }

    /// Returns `true` if the change may cause failures of this class.
    pub(crate) fn may_show(&self, class: Class) -> bool {
        let is_request = matches!(class, Class::Stuck | Class::Edit | Class::Write);
        !(self.is_unserved && is_request) && (self.row.may_show(class) || self.expected.contains(&class))
    }

    /// Returns the classes for which the search tries to find an object. If the row's `is_either` is `true`, the search ends as soon as it
    /// finds an object for one of these classes.
    pub(crate) fn each_expected(&self) -> impl Iterator<Item = Class> {
        self.row.expected.iter().chain(&self.expected).copied()
    }

    pub(crate) fn answered(mut self, answer: impl Into<String>) -> Self {
        self.answer = Some(answer.into());
        self
    }

    /// Returns `true` if failures of this class follow from the CRDs alone.
    pub(crate) fn is_sure(&self, class: Class) -> bool {
        self.row.sure.contains(&class)
            || self.certain.contains(&class)
            || self.has_other_owners && class == Class::Apply
            || self.has_other_code && class == Class::Rust
    }

    /// Describes the change in one sentence, with both values. Rules are shortened less than other values, because they often differ only
    /// at the end.
    pub(crate) fn message(&self) -> String {
        let most =
            if self.rules.0.is_some() || self.rules.1.is_some() { MOST_OF_RULE } else { MOST_OF_VALUE };
        let texts = shown(&self.old, &self.new, most);
        let text = self.row.title.replace("{old}", &texts[0]).replace("{new}", &texts[1]);
        match &self.answer {
            Some(answer) => format!("{text}: {answer}"),
            None => text,
        }
    }
}

/// Formats the old and the new value for a message. If one of the values is too long, both values are reduced to the fields that differ,
/// and then to the text from the first difference.
fn shown(old: &Value, new: &Value, most: usize) -> [String; 2] {
    let text = |value: &Value| if value.is_null() { "none".to_owned() } else { value.to_string() };
    let is_short = |text: &String| text.chars().count() <= most;
    let texts = [text(old), text(new)];
    if texts.iter().all(is_short) {
        return texts;
    }
    let texts = [text(&differing(old, new)), text(&differing(new, old))];
    let cut = |text: &String| match text {
        text if is_short(text) => text.clone(),
        text => text.chars().take(most - 3).chain("...".chars()).collect(),
    };
    let cuts = texts.each_ref().map(cut);
    if cuts[0] != cuts[1] {
        return cuts;
    }
    let same = texts[0].chars().zip(texts[1].chars()).take_while(|(old, new)| old == new).count();
    let start = same.saturating_sub(most / 4);
    texts.map(|text| cut(&"...".chars().chain(text.chars().skip(start)).collect()))
}

/// Returns the fields of an object that differ from the other object. Other values are returned unchanged.
fn differing(value: &Value, other: &Value) -> Value {
    let (Value::Object(fields), Value::Object(others)) = (value, other) else { return value.clone() };
    let wanted = fields.iter().filter(|(name, field)| others.get(*name) != Some(field));
    wanted
        .map(|(name, field)| (name.clone(), differing(field, others.get(name).unwrap_or(&Value::Null))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_values_are_shown_where_they_differ() {
        let long = "x".repeat(90);
        for (old, new, expected) in [
            (json!(1), json!({"a": [2]}), ["1", r#"{"a":[2]}"#]),
            (
                json!({"long": long, "path": ".a", "in": {"same": 1, "b": 2}}),
                json!({"long": long, "path": ".b", "in": {"same": 1}}),
                [r#"{"path":".a","in":{"b":2}}"#, r#"{"path":".b","in":{}}"#],
            ),
            (
                json!(format!("{long}a")),
                json!(format!("{long}b")),
                [r#"...xxxxxxxxxxa""#, r#"...xxxxxxxxxxb""#],
            ),
            (json!(format!("a{long}")), Value::Null, [&format!("\"a{}...", "x".repeat(35)), "none"]),
        ] {
            assert_eq!(shown(&old, &new, 40), expected);
        }
    }
}
