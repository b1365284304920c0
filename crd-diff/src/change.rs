//! A change of a CRD that was found by comparison, before its effects are known.

use crd_core::crd::ValidationRule;
use crd_core::{FieldPath, Structural};
use serde_json::Value;

use crate::finding::Class;
use crate::rows::Row;
use crate::schema_path::SchemaPath;

/// Maximum number of characters that a message shows of a rule, and of any other value.
const MOST_OF_RULE: usize = 2000;
const MOST_OF_VALUE: usize = 80;

/// A change between the CRDs, of the kind that a row of the catalogue describes.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) row: &'static Row,
    /// `true` if, under server-side apply, fields belong to other field managers than before, or can no longer be applied. Such a change
    /// has the class `Apply` in addition to the classes of its row.
    pub(crate) has_other_owners: bool,
    /// `true` if generated code has another type for the field. Such a change has the class `Rust` in addition to the classes of its row.
    pub(crate) has_other_code: bool,
    /// `true` if the changed field is in an item of a list. An edit of a different value may then be rejected as well: a list without keys
    /// is validated as a whole, and an item counts as new if its keys change.
    pub(crate) is_in_list: bool,
    /// Classes that the search tries to show with an object, in addition to the classes of the row.
    pub(crate) expected: Vec<Class>,
    /// Classes that follow from the schemas at the changed place, even if no object is found that shows them.
    pub(crate) certain: Vec<Class>,
    /// `true` if the old CRD neither serves the version nor stores objects in it, so that only generated code notices the change.
    pub(crate) is_unused: bool,
    /// `true` if the new CRD does not serve the version. A separate change reports that requests in this version fail.
    pub(crate) is_unserved: bool,
    /// The version, unless the change concerns the whole CRD.
    pub(crate) version: Option<String>,
    /// The place in the schema that the finding reports.
    pub(crate) place: SchemaPath,
    pub(crate) old: Value,
    pub(crate) new: Value,
    /// The paths of the change in the old and in the new CRD.
    pub(crate) fields: (FieldPath, FieldPath),
    /// Ways to find objects that are likely to show the effects of the change.
    pub(crate) probes: Vec<Probe>,
    /// The CEL rule that the change adds, and the CEL rule that it removes.
    pub(crate) rules: (Option<ValidationRule>, Option<ValidationRule>),
    /// Details that are not in the title of the row, such as the keywords that changed, or the reason why the API server rejects the CRD.
    pub(crate) answer: Option<String>,
}

/// A way to find objects that may show the effects of a change.
#[derive(Clone, Debug)]
pub(crate) enum Probe {
    /// An object with this value at a place.
    Value(SchemaPath, Value),
    /// An object that has any value at a place.
    Present(SchemaPath),
    /// An object that contains the parent of a place, but no value at the place.
    Absent(SchemaPath),
    /// For each of these two defaults of a key, a list of two items: one without the key, and one that sets the key to the default. A
    /// CRD with this default treats the items as duplicates. The path is the place of the key with these defaults.
    Twins(SchemaPath, [Value; 2]),
    /// Values at a place that one of the schemas there accepts and the other rejects.
    Differing(SchemaPath),
    /// Like `Differing`, for a place that exists in only one of the CRDs. The probe contains the two schemas.
    DifferingFrom(SchemaPath, Box<(Structural, Structural)>),
    /// Objects that violate a rule at a place.
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

    /// Adds classes that follow from the schemas alone, without an object.
    pub(crate) fn follows(mut self, classes: &[Class]) -> Self {
        self.certain.extend(classes);
        self
    }

    /// Returns `true` if objects may show the class as an effect of the change.
    pub(crate) fn may_show(&self, class: Class) -> bool {
        let is_request = matches!(class, Class::Stuck | Class::Edit | Class::Write);
        !(self.is_unserved && is_request) && (self.row.may_show(class) || self.expected.contains(&class))
    }

    /// Returns the classes that the search tries to show with an object. If `is_either` of the row is `true`, one of these classes is
    /// enough.
    pub(crate) fn each_expected(&self) -> impl Iterator<Item = Class> {
        self.row.expected.iter().chain(&self.expected).copied()
    }

    pub(crate) fn answered(mut self, answer: impl Into<String>) -> Self {
        self.answer = Some(answer.into());
        self
    }

    /// Returns `true` if the class follows from the CRDs alone, without an object that shows it.
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
        let texts = shown(&self.old, &self.new, most);
        let text = self.row.title.replace("{old}", &texts[0]).replace("{new}", &texts[1]);
        match &self.answer {
            Some(answer) => format!("{text}: {answer}"),
            None => text,
        }
    }
}

/// Returns the old and the new value for a message. If one of them is too long, both have only the fields that differ, and begin
/// where they differ.
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

/// Returns the fields of an object that differ from the other object; any other value as it is.
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
