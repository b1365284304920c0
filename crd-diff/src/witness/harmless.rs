//! Changes that reject no object of the old CRD: rules that are true wherever new fields are absent, and limits that hold for all values
//! of an enum.

use crd_cel::Ast;
use crd_cel::ast::{Expr, ExprId, Literal};
use crd_core::Structural;
use crd_core::admit::FieldValidation;
use crd_core::crd::ValidationRule;
use crd_go::re2::Language;

use super::certain::answer;
use super::implied::{is_keyword_implied, is_rule_implied, path};
use super::side::Pair;
use crate::change::Change;
use crate::rows;

/// Returns `true` if a change rejects no value of the old schema. Such values lack the fields that only the new schema has, because the API
/// server drops them, unless the fields have defaults.
pub(super) fn is_harmless(pair: &Pair, change: &Change) -> bool {
    let schemas = change.version.as_deref().and_then(|version| pair.schemas(version, &change.place));
    match (&change.rules, schemas) {
        ((Some(rule), _), Some((old, new))) => {
            is_true(rule, old, new) || is_rule_implied(&pair.work, rule, old, new)
        }
        ((None, None), Some((old, new))) => {
            is_keyword_implied(&pair.work, change, old, new)
                || is_pattern_longer(pair, change, old)
                || accepts_all_of_enum(pair, change, old, new)
        }
        _ => false,
    }
}

/// Returns `true` if the old pattern matches no string that is shorter than the new `minLength`.
fn is_pattern_longer(pair: &Pair, change: &Change, old: &Structural) -> bool {
    let least = change.new.as_u64().filter(|_| change.row.id == rows::MIN_LENGTH_TIGHTENED.id);
    let pattern = old.value_validation.as_deref().and_then(|all| all.pattern.as_deref());
    let (Some(least), Some(pattern), Some(left)) = (least, pattern, pair.work.left_for_one_automaton())
    else {
        return false;
    };
    let language = Language::within_steps(&[pattern], &[], left).ok();
    pair.work.automaton(language.as_ref());
    let shortest = language.filter(Language::is_complete).and_then(|all| all.shortest_length());
    shortest.is_some_and(|length| length as u64 >= least)
}

/// Returns `true` if the old schema accepts only the values of an enum, and the new keyword accepts all of them.
fn accepts_all_of_enum(pair: &Pair, change: &Change, old: &Structural, new: &Structural) -> bool {
    let keywords = old.value_validation.as_deref();
    let Some(values) = keywords.and_then(|all| all.enum_.as_ref()) else { return false };
    let is_scalar = values.iter().all(|value| !value.is_object() && !value.is_array());
    if change.row.keywords.is_empty() || !is_scalar || pair.work.is_over() {
        return false;
    }
    let Some(sampler) = pair.new.sampler_of(new, pair.work.allowance()) else { return false };
    let judge = sampler.validator().with_field_validation(FieldValidation::Ignore);
    values.iter().all(|value| match answer(&judge, value) {
        Ok(_) => true,
        Err(refusal) => {
            let mut keywords = refusal.causes.iter().filter_map(|cause| cause.keyword);
            !refusal.causes.is_empty() && keywords.all(|keyword| !change.row.keywords.contains(&keyword))
        }
    })
}

fn is_true(rule: &ValidationRule, old: &Structural, new: &Structural) -> bool {
    crd_cel::parse(&rule.rule).is_ok_and(|ast| Known { ast: &ast, old, new }.value(ast.root()) == Some(true))
}

/// Facts about the values of a rule.
struct Known<'k, 's> {
    ast: &'k Ast<'s>,
    old: &'k Structural,
    new: &'k Structural,
}

impl Known<'_, '_> {
    /// Returns the value of a part, if it is the same for all objects. In CEL, an error does not matter next to a deciding
    /// value.
    fn value(&self, id: ExprId) -> Option<bool> {
        match self.ast.expr(id) {
            Expr::Literal(Literal::Bool(value)) => Some(*value),
            Expr::Select { test_only: true, .. } if self.is_absent(id) => Some(false),
            Expr::Select { test_only: true, .. } => self.is_required(id).then_some(true),
            Expr::Call { function, target: None, args } => {
                let args = self.ast.list(*args);
                let decided = |deciding: bool| {
                    let values = || args.iter().map(|arg| self.value(*arg));
                    let is_decided = values().any(|value| value == Some(deciding));
                    let is_other = values().all(|value| value == Some(!deciding));
                    if is_decided { Some(deciding) } else { is_other.then_some(!deciding) }
                };
                match (&**function, args) {
                    ("_&&_", _) => decided(false),
                    ("_||_", _) => decided(true),
                    ("!_", [operand]) => self.value(*operand).map(|value| !value),
                    ("_==_", [one, two]) => Some(self.value(*one)? == self.value(*two)?),
                    ("_!=_", [one, two]) => Some(self.value(*one)? != self.value(*two)?),
                    ("_?_:_", [condition, yes, no]) => match self.value(*condition) {
                        Some(true) => self.value(*yes),
                        Some(false) => self.value(*no),
                        None => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns `true` for a selection of a field that no object has.
    fn is_absent(&self, id: ExprId) -> bool {
        let Some(path) = path(self.ast, id) else { return false };
        let (mut old, mut new) = (self.old, self.new);
        for name in path {
            match (old.properties.get(&name), new.properties.get(&name)) {
                (Some(before), Some(after)) => (old, new) = (before, after),
                (None, Some(after)) => {
                    let keeps_keys =
                        old.extensions.preserve_unknown_fields || old.additional_properties.is_some();
                    return !keeps_keys && after.generic.default.is_none();
                }
                _ => return false,
            }
        }
        false
    }

    /// Returns `true` for a selection of a field that all objects have.
    fn is_required(&self, id: ExprId) -> bool {
        let Some(path) = path(self.ast, id) else { return false };
        let mut schema = self.old;
        path.iter().all(|name| {
            let is_required = schema.is_required(name);
            schema = schema.properties.get(name).unwrap_or(schema);
            is_required
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crd_core::crd::JsonSchemaProps;
    use serde_json::json;

    #[test]
    fn rules_about_new_fields_break_no_stored_object() {
        let schema = |names: &[&str]| {
            let fields: serde_json::Map<_, _> =
                names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
            let schema = JsonSchemaProps::from_value(json!({"type": "object", "properties": fields}));
            schema.ok().and_then(|schema| Structural::from_json_schema(&schema).ok()).unwrap_or_default()
        };
        let (mut old, new) = (schema(&["a", "d"]), schema(&["a", "b", "c", "d"]));
        old.value_validation.get_or_insert_default().required = Some(vec!["d".to_owned()]);
        for (text, expected) in [
            ("!(has(self.b) && has(self.c))", true),
            ("self.a != 'x' || !has(self.b)", true),
            ("has(self.b) ? self.b == self.a : true", true),
            (
                "(has(self.a) && !has(self.b)) || (has(self.b) && !has(self.a)) || !(has(self.a) && has(self.b))",
                true,
            ),
            ("has(self.d) && !has(self.b) || !has(self.d) && has(self.b)", true),
            ("!has(self.a)", false),
            ("has(self.b) || self.a != 'x'", false),
        ] {
            let mut rule = ValidationRule::default();
            rule.rule = text.to_owned();
            assert_eq!(is_true(&rule, &old, &new), expected, "{text}");
        }
    }
}
