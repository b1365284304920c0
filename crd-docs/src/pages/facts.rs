//! Everything that a CRD says about a field's value, besides the type.

use crd_core::crd::ValidationRule;
use crd_core::schema::{NestedValidation, SchemaType, Structural, ValueValidation};
use crd_go::json::marshal;
use serde_json::{Number, Value};

/// A fact about a field, with a label, a text, and values from the CRD.
pub(super) struct Fact {
    pub(super) label: &'static str,
    pub(super) text: String,
    /// Values from the CRD, to be shown as code.
    pub(super) codes: Vec<String>,
}

/// The context of a field.
pub(super) struct Surroundings<'p> {
    pub(super) name: &'p str,
    /// The parent field and its path, or `None` at the top of an object.
    pub(super) parent: Option<(&'p Structural, &'p str)>,
    /// `true` if the parent and all its ancestors are required.
    pub(super) is_certain: bool,
}

/// Returns all facts about a field, including a list's items and a map's values.
pub(super) fn for_field(schema: &Structural, place: &Surroundings<'_>) -> Vec<Fact> {
    let mut out = Facts(Vec::new());
    out.default(schema, place);
    out.node(schema);
    let (mut inner, mut nested) = (schema, 0);
    // Items of items add nothing that a reader looks for in one line.
    while let Some(next) = inner.items.as_deref().or_else(|| inner.map_values()).filter(|_| nested < 4) {
        let first = out.0.len();
        out.node(next);
        let each = if inner.items.is_some() { "each item: " } else { "each value: " };
        out.0.iter_mut().skip(first).for_each(|fact| fact.text.insert_str(0, each));
        (inner, nested) = (next, nested + 1);
    }
    out.0
}

/// Returns the facts about the object as a whole.
pub(super) fn for_root(schema: &Structural) -> Vec<Fact> {
    let mut out = Facts(Vec::new());
    out.node(schema);
    out.0
}

struct Facts(Vec<Fact>);

impl Facts {
    fn words(&mut self, label: &'static str, text: impl Into<String>) {
        self.0.push(Fact { label, text: text.into(), codes: Vec::new() });
    }

    fn codes(&mut self, label: &'static str, text: impl Into<String>, codes: Vec<String>) {
        self.0.push(Fact { label, text: text.into(), codes });
    }

    fn default(&mut self, schema: &Structural, place: &Surroundings<'_>) {
        if let Some(default) = &schema.generic.default {
            let condition = match place.parent {
                None => String::new(),
                Some(_) if place.is_certain => String::new(),
                Some((parent, path)) if parent.generic.default.is_some() => {
                    format!("set even if {path} is absent, because {path} has a default")
                }
                Some((_, path)) => format!("set only if {path} is present"),
            };
            self.codes("Default", condition, vec![marshal(default)]);
        }
        let brought = place.parent.and_then(|(parent, _)| parent.generic.default.as_ref()?.get(place.name));
        if let (Some(value), Some((_, path))) = (brought, place.parent) {
            self.codes("Default", format!("where {path} is absent"), vec![marshal(value)]);
        }
    }

    fn node(&mut self, schema: &Structural) {
        if let Some(validation) = &schema.value_validation {
            self.validation(validation);
        }
        for rule in &schema.validations {
            self.rule(rule);
        }
        self.lists(schema);
        if let Some(example) = &schema.generic.example {
            self.codes("Example", "", vec![marshal(example)]);
        }
        if let Some(docs) = &schema.generic.external_docs {
            self.codes("See also", docs.description.clone(), vec![docs.url.clone()]);
        }
    }

    fn validation(&mut self, validation: &ValueValidation) {
        if let Some(values) = validation.enum_.as_ref().filter(|values| !values.is_empty()) {
            self.codes("One of", "", values.iter().map(marshal).collect());
        }
        for (label, text) in [("Format", &validation.format), ("Pattern", &validation.pattern)] {
            if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
                self.codes(label, "", vec![text.clone()]);
            }
        }
        let exclusive =
            [validation.exclusive_minimum, validation.exclusive_maximum].map(|set| set == Some(true));
        self.bound(&validation.minimum, if exclusive[0] { "more than" } else { "at least" });
        self.bound(&validation.maximum, if exclusive[1] { "less than" } else { "at most" });
        self.bound(&validation.multiple_of, "a multiple of");
        self.sizes("Length", validation.min_length, validation.max_length, "characters");
        self.sizes("Items", validation.min_items, validation.max_items, "items");
        self.sizes("Fields", validation.min_properties, validation.max_properties, "fields");
        if validation.unique_items == Some(true) {
            self.words("Items", "all different");
        }
        let junctors = [
            ("All of", &validation.all_of),
            ("Exactly one of", &validation.one_of),
            ("At least one of", &validation.any_of),
        ];
        for (label, branches) in junctors {
            // Branches of an integer-or-string, whose types are in words already.
            let is_type = |branch: &NestedValidation| {
                branch.forbidden.as_ref().is_some_and(|forbidden| forbidden.type_.is_some())
                    && branch.value_validation == ValueValidation::default()
            };
            if let Some(branches) = branches.as_ref().filter(|branches| !branches.iter().all(is_type)) {
                self.codes(label, "", branches.iter().map(branch).collect());
            }
        }
        if let Some(not) = &validation.not {
            self.codes("Must not match", "", vec![branch(not)]);
        }
    }

    fn bound(&mut self, number: &Option<Number>, words: &str) {
        if let Some(number) = number {
            self.words("Value", format!("{words} {number}"));
        }
    }

    fn sizes(&mut self, label: &'static str, least: Option<i64>, most: Option<i64>, noun: &str) {
        match (least, most) {
            (Some(least), Some(most)) if least == most => {
                self.words(label, format!("exactly {least} {noun}"));
            }
            (Some(least), Some(most)) => self.words(label, format!("{least} to {most} {noun}")),
            (Some(least), None) => self.words(label, format!("at least {least} {noun}")),
            (None, Some(most)) => self.words(label, format!("at most {most} {noun}")),
            (None, None) => {}
        }
    }

    fn rule(&mut self, rule: &ValidationRule) {
        let text = rule.rule.trim().to_owned();
        if matches!(text.as_str(), "self == oldSelf" | "oldSelf == self") {
            self.words("Immutable", "the value cannot be changed");
        }
        self.codes("Rule", rule.message.clone(), vec![text]);
        if !rule.message_expression.is_empty() {
            self.codes("Message of the rule", "", vec![rule.message_expression.clone()]);
        }
        if let Some(reason) = &rule.reason {
            self.codes("Reason of the rule", "", vec![reason.clone()]);
        }
    }

    fn lists(&mut self, schema: &Structural) {
        if schema.type_ == Some(SchemaType::Array) {
            self.words(
                "Apply",
                match schema.extensions.list_type.as_deref() {
                    Some("set") => "merges the items of all field managers; an item is listed once",
                    Some("map") => {
                        "merges items that have the same keys; each field manager owns its own items"
                    }
                    _ => "replaces the whole list",
                },
            );
        }
        if schema.extensions.map_type.as_deref() == Some("atomic") {
            self.words("Apply", "replaces the whole object");
        }
        if schema.extensions.preserve_unknown_fields {
            self.words("Unknown fields", "are kept");
        }
    }
}

/// Formats a schema under `anyOf`, `oneOf` or `not`. If it has no other keyword than `required`, the text is the names of the required
/// fields. Otherwise, it is JSON.
fn branch(branch: &NestedValidation) -> String {
    let mut only_required = ValueValidation::default();
    only_required.required.clone_from(&branch.value_validation.required);
    let names = branch.value_validation.required.as_ref().filter(|names| !names.is_empty());
    let is_only_required = branch.value_validation == only_required
        && branch.properties.is_empty()
        && branch.additional_properties.is_none()
        && branch.items.is_none();
    if let Some(names) = names.filter(|_| is_only_required) {
        return names.join(", ");
    }
    let mut validation = ValueValidation::default();
    validation.not = Some(Box::new(branch.clone()));
    let mut schema = Structural::default();
    schema.value_validation = Some(Box::new(validation));
    let value = schema.to_json_schema().to_value();
    marshal(value.get("not").unwrap_or(&Value::Null))
}
