//! The advice on a CRD.

use crd_core::cel::{ReadStep, Reads};
use crd_core::check::{self, ServerOptions, Verdict};
use crd_core::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool};
use crd_core::{CustomResourceDefinition, FieldPath, Segment};

use super::{Advice, columns, either};
use crate::UncheckedCrd;
use crate::crd_walk::{ValueSchema, each_value};
use crate::verdict::{Places, as_stored};

impl UncheckedCrd {
    /// Returns the advice of `crdkit check`, the API server's warnings, and advice that needs the Rust types. The API
    /// server accepts the CRD despite all of it.
    ///
    /// Advice that needs the Rust types has these names:
    ///
    /// - `wide-integer`: a field's Rust type has integers that the API cannot represent
    /// - `rule-without-has`: a rule reads a field that may be absent
    /// - `rule-for-one-type`: a rule fails for integers or for strings, although the field accepts both
    /// - `column-with-wrong-type`: a printer column's type does not fit the field's type
    /// - `trailing-underscore`: a field name in objects ends with an underscore, as in `type_`
    /// - `required-but-skipped`: `skip_serializing_if` leaves out a required field
    /// - `default-of-skipped`: `skip_serializing_if` leaves out a value, and serde reads a different default
    /// - `deny-unknown-fields`: serde rejects objects that have fields from a later release
    /// - `nested-option`: an `Option` of an `Option`, which loses `Some(None)`
    /// - `null-in-some-variants`: a field is an `Option`, or any JSON value, in one variant of an enum and not in another
    /// - `dropped-keyword`: a schema has a keyword that the API does not support
    #[must_use]
    pub fn advice(&self) -> Vec<Advice> {
        let warning = |message: String| Advice {
            name: "",
            field: String::new(),
            place: String::new(),
            location: String::new(),
            message,
            help: String::new(),
        };
        let advice = |advice: check::CrdAdvice| {
            let help = advice.help().unwrap_or_default().to_owned();
            self.places.advice(advice.name, &advice.field, advice.message, help)
        };
        let version = self.kube_version();
        let warnings = Verdict::with_options(&as_stored(&self.crd), ServerOptions::new(version)).warnings;
        let inert = check::advice::inert(&self.crd, ServerOptions::new(version));
        // `conversion = "None"` says that a loss is known.
        let is_known = |advice: &check::CrdAdvice| {
            advice.name == check::advice::FIELD_LOST_BETWEEN_VERSIONS && self.crd.spec.conversion.is_some()
        };
        let advised = check::advise(&self.crd).into_iter().filter(|advice| !is_known(advice));
        let advised = advised.chain(inert).map(advice);
        let lowered = self.places.lowered().into_iter();
        let of_types = from_types(&self.crd, &self.places);
        let of_columns = columns::advice(&self.crd, &self.places);
        let of_either = either::advice(&self.crd, version, &self.places);
        let all = warnings.into_iter().map(warning).chain(lowered).chain(advised);
        let all = all.chain(of_types).chain(of_either).chain(of_columns);
        let allowed: Vec<_> =
            self.allowed().into_iter().map(|(path, mark)| (path.to_string(), &mark.rule)).collect();
        all.filter(|advice| !allowed.iter().any(|(path, rule)| **rule == advice.name && is_at(path, advice)))
            .collect()
    }
}

/// Returns `true` if advice is about the field at `path` and not about a field inside it. The root path covers all advice on the CRD.
fn is_at(path: &str, advice: &Advice) -> bool {
    let below = ["properties[", "items", "additionalProperties"];
    path == FieldPath::root().to_string()
        || advice.field.strip_prefix(path).is_some_and(|rest| !below.iter().any(|step| rest.contains(step)))
}

/// Returns the lines of advice about paths that lead to no field, in printer columns and the scale subresource.
pub(crate) fn without_field(crd: &UncheckedCrd) -> String {
    let names = [check::advice::COLUMN_WITHOUT_FIELD, check::advice::SCALE_WITHOUT_FIELD];
    let lost = crd.advice().into_iter().filter(|advice| names.contains(&advice.name));
    lost.map(|advice| format!("{advice}\n")).collect()
}

/// Returns the advice that needs the Rust types.
fn from_types(crd: &CustomResourceDefinition, places: &Places) -> Vec<Advice> {
    let mut from_types = FromTypes { places, found: Vec::new() };
    each_value(crd, &mut |value| from_types.visit(value));
    from_types.found
}

struct FromTypes<'a> {
    places: &'a Places,
    found: Vec<Advice>,
}

impl FromTypes<'_> {
    fn visit(&mut self, ValueSchema { schema, path, field, .. }: ValueSchema<'_>) {
        if let Some(Segment::Key(name)) = path.last()
            && name.ends_with('_')
        {
            let right = name.trim_end_matches('_');
            self.push(
                "trailing-underscore",
                path.clone(),
                format!("the field is called `{name}` in objects"),
                &format!("call it `r#{right}`, or add `#[serde(rename = \"{right}\")]`"),
            );
        }
        self.integer(schema, path, field);
        self.rules(schema, path, field.is_empty() || schema.x_embedded_resource == Some(true));
    }

    fn integer(&mut self, schema: &JsonSchemaProps, path: &FieldPath, field: &str) {
        let Some(has_sign) = self.places.wide(field) else { return };
        let is_bounded = schema.maximum.is_some() && (!has_sign || schema.minimum.is_some());
        if schema.format.as_deref() != Some("int64") || is_bounded || schema.enum_.is_some() {
            return;
        }
        let values = if has_sign { "below -2^63 and above 2^63 - 1" } else { "above 2^63 - 1" };
        self.push(
            "wide-integer",
            path.clone(),
            format!("the Rust type is wider than `int64`: the API cannot represent its values {values}"),
            "bound the field with `#[schemars(range(max = ...))]`, or use a string",
        );
    }

    /// Checks that a schema's rules read optional fields only after `has()`. Every object has `apiVersion`, `kind` and `metadata`.
    fn rules(&mut self, schema: &JsonSchemaProps, path: &FieldPath, is_object: bool) {
        let is_always_there = |steps: &[ReadStep]| {
            let is_own = |step: &ReadStep| matches!(step, ReadStep::Field(name) if ["apiVersion", "kind", "metadata"].contains(&name.as_str()));
            is_object && steps.first().is_some_and(is_own)
        };
        for (i, rule) in schema.x_validations.iter().flatten().enumerate() {
            let Some(reads) = Reads::from_rule(&rule.rule) else { continue };
            let optional =
                reads.needed.iter().find(|steps| is_optional(schema, steps) && !is_always_there(steps));
            let Some(optional) = optional.map(|steps| ReadStep::spelled(steps)) else { continue };
            self.push(
                "rule-without-has",
                path.child("x-kubernetes-validations").index(i).child("rule"),
                format!(
                    "the rule reads `{optional}`, which may be absent: the API server then rejects the object with \
                     \"no such key\""
                ),
                "first check that the field is present, as in `!has(self.a) || self.a > 0`; or put the rule on the field itself, where it runs only if the field is present",
            );
        }
    }

    fn push(&mut self, name: &'static str, field: FieldPath, message: String, help: &str) {
        self.found.push(self.places.advice(name, &field, message, help.to_owned()));
    }
}

/// Returns `true` if the path `steps` leads to a declared field that may be absent.
fn is_optional(schema: &JsonSchemaProps, steps: &[ReadStep]) -> bool {
    let Some((ReadStep::Field(last), before)) = steps.split_last() else { return false };
    let mut schema = schema;
    for step in before {
        let below = match step {
            ReadStep::Field(name) => schema.properties.as_ref().and_then(|all| all.get(name)),
            _ => match (&schema.items, &schema.additional_properties) {
                (Some(Items::Schema(items)), _) => Some(&**items),
                (_, Some(JsonSchemaPropsOrBool::Schema(values))) => Some(&**values),
                _ => None,
            },
        };
        let Some(below) = below else { return false };
        schema = below;
    }
    let Some(property) = schema.properties.as_ref().and_then(|all| all.get(last)) else { return false };
    // Another branch of a union requires other fields: its tag may be what the rule asks for.
    let branches = [&schema.one_of, &schema.any_of, &schema.all_of].into_iter().flatten().flatten();
    !requires(schema, last)
        && property.default.is_none()
        && !branches.into_iter().any(|branch| requires(branch, last))
}

fn requires(schema: &JsonSchemaProps, name: &str) -> bool {
    schema.required.iter().flatten().any(|required| required == name)
}
