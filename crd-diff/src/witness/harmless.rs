//! Recognizes changes that cannot cause an object of the old CRD to be rejected, such as rules that only constrain new fields, or limits
//! that all values of an enum satisfy.

use crd_cel::Ast;
use crd_cel::ast::{Expr, ExprId, Literal};
use crd_core::Structural;
use crd_core::admit::FieldValidation;
use crd_core::crd::ValidationRule;
use crd_go::re2::Language;

use super::certain::answer;
use super::fields::{filtered, is_presence, path};
use super::implied::{is_keyword_implied, is_rule_implied};
use super::side::Pair;
use crate::change::Change;
use crate::rows;

/// Returns `true` if all values that the old schema accepts remain valid. These values do not have fields that only the new schema has,
/// because the API server drops such fields. New fields with a default are an exception, because the new CRD fills in the default.
pub(super) fn is_harmless(pair: &Pair, change: &Change) -> bool {
    let schemas = change.version.as_deref().and_then(|version| pair.schemas(version, &change.place));
    match (&change.rules, schemas) {
        ((Some(rule), replaced), Some((old, new))) => {
            is_true(rule, old, new) || is_rule_implied(&pair.work, (rule, replaced.as_ref()), old, new)
        }
        ((None, None), Some((old, new))) => {
            is_keyword_implied(&pair.work, change, old, new)
                || is_pattern_longer(pair, change, old)
                || accepts_all_of_enum(pair, change, old, new)
        }
        _ => false,
    }
}

/// Returns `true` if all strings that the old pattern matches have at least the new `minLength`.
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

/// Returns `true` if the old schema has an enum, and the new keyword accepts all its values.
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

/// A rule, and the old and the new schema to which it applies.
struct Known<'k, 's> {
    ast: &'k Ast<'s>,
    old: &'k Structural,
    new: &'k Structural,
}

impl Known<'_, '_> {
    /// Returns the value of a condition, if it is the same for all objects. In CEL, `&&` and `||` ignore an error if another operand
    /// determines the result.
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
                    ("_==_", [one, two]) => self.is_equal(*one, *two),
                    ("_!=_", [one, two]) => self.is_equal(*one, *two).map(|is_equal| !is_equal),
                    ("_<=_" | "_>=_" | "_<_" | "_>_", [one, two]) => {
                        compared(function, self.number(*one)?, self.number(*two)?)
                    }
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

    fn is_equal(&self, one: ExprId, two: ExprId) -> Option<bool> {
        if let (Some(one), Some(two)) = (self.value(one), self.value(two)) {
            return Some(one == two);
        }
        let ((least, most), (other_least, other_most)) = (self.number(one)?, self.number(two)?);
        if most < other_least || other_most < least {
            return Some(false);
        }
        let are_single = least == most && other_least == other_most;
        are_single.then_some(true)
    }

    /// Returns the least and the greatest result of an expression that counts fields, such as `(has(self.a) ? 1 : 0) + ...` or
    /// `[has(self.a), ...].filter(x, x == true).size()`.
    fn number(&self, id: ExprId) -> Option<(i64, i64)> {
        match self.ast.expr(id) {
            Expr::Literal(Literal::Int(number)) => Some((*number, *number)),
            Expr::Call { function, target, args } => match (&**function, target, self.ast.list(*args)) {
                ("_+_", None, [one, two]) => {
                    let ((least, most), (other_least, other_most)) = (self.number(*one)?, self.number(*two)?);
                    Some((least.checked_add(other_least)?, most.checked_add(other_most)?))
                }
                ("_?_:_", None, [condition, yes, no]) => match self.value(*condition) {
                    Some(value) => self.number(if value { *yes } else { *no }),
                    // A condition that fails is no number.
                    None => {
                        let ((least, most), (other_least, other_most)) =
                            (self.number(*yes)?, self.number(*no)?);
                        is_presence(self.ast, *condition)
                            .then_some((least.min(other_least), most.max(other_most)))
                    }
                },
                ("size", Some(of), []) | ("size", None, [of]) => self.count(filtered(self.ast, *of)?),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the least and the greatest number of these conditions that can be true.
    fn count(&self, conditions: &[ExprId]) -> Option<(i64, i64)> {
        let (mut least, mut most) = (0, 0);
        for condition in conditions {
            let value = self.value(*condition);
            if value.is_none() && !is_presence(self.ast, *condition) {
                return None;
            }
            least += i64::from(value == Some(true));
            most += i64::from(value != Some(false));
        }
        Some((least, most))
    }

    /// Returns `true` if an expression selects a field that no object has.
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

    /// Returns `true` if an expression selects a field that all objects have.
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

/// Compares two numbers for which only a range is known. Returns the result if it is the same for all numbers in these ranges.
fn compared(function: &str, one: (i64, i64), two: (i64, i64)) -> Option<bool> {
    let is_less = |one: (i64, i64), two: (i64, i64)| match () {
        () if one.1 < two.0 => Some(true),
        () if one.0 >= two.1 => Some(false),
        () => None,
    };
    match function {
        "_<_" => is_less(one, two),
        "_>_" => is_less(two, one),
        "_<=_" => is_less(two, one).map(|is_less| !is_less),
        _ => is_less(one, two).map(|is_less| !is_less),
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
            ("[has(self.d), has(self.b)].filter(x, x == true).size() <= 1", true),
            ("[has(self.a), has(self.b), has(self.c)].filter(x, x).size() <= 1", true),
            ("[has(self.d), has(self.b)].filter(x, x == true).size() == 1", true),
            ("size([has(self.b), has(self.d)].filter(x, x)) >= 1", true),
            ("(has(self.b) ? 1 : 0) + (has(self.c) ? 1 : 0) <= 1", true),
            ("(has(self.a) ? 1 : 0) + (has(self.d) ? 1 : 0) + (has(self.b) ? 1 : 0) >= 1", true),
            ("[has(self.a), has(self.d)].filter(x, x == true).size() <= 1", false),
            ("[has(self.a), has(self.d)].filter(x, x == false).size() <= 3", false),
            ("[self.a == 'x', has(self.b)].filter(x, x).size() <= 2", false),
            ("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1", false),
            ("!has(self.a)", false),
            ("has(self.b) || self.a != 'x'", false),
        ] {
            let mut rule = ValidationRule::default();
            rule.rule = text.to_owned();
            assert_eq!(is_true(&rule, &old, &new), expected, "{text}");
        }
    }
}
