//! Recognizes new rules that follow from the old rules of the same schema, and new keywords such as `oneOf` that follow from the old
//! keywords.

use crd_cel::Ast;
use crd_cel::ast::{Expr, ExprId, Literal};
use crd_core::Structural;
use crd_core::crd::ValidationRule;
use crd_core::schema::{NestedValidation, ValueValidation};
use serde_json::{Value, json};

use super::chosen::{Chosen, constant, text};
use super::fields::{counted, path};
use super::truth::{Facts, Formula, Truth};
use crate::change::Change;
use crate::rows;
use crate::work::Work;

/// The maximum total length of a schema's rules. Longer rules are not compared.
const MOST_CHARACTERS: usize = 20_000;

/// The maximum number of values in an enum that is used as a premise.
const MOST_VALUES: usize = 6;

/// Returns `true` if a rule follows from the old schema's rules. `replaced` is the old rule that the new rule replaces. Returns `false` if
/// too few steps are left to decide.
pub(super) fn is_rule_implied(
    work: &Work,
    (rule, replaced): (&ValidationRule, Option<&ValidationRule>),
    old: &Structural,
    new: &Structural,
) -> bool {
    let is_alike = |other: &&ValidationRule| {
        let is_transition = other.uses_old_self();
        // A rule about updates says nothing about objects that are created.
        !is_transition || rule.uses_old_self() && other.optional_old_self == rule.optional_old_self
    };
    // Rules of thousands of characters have more facts than a table.
    let length: usize = old.validations.iter().chain([rule]).map(|rule| rule.rule.len()).sum();
    if length > MOST_CHARACTERS || !holds_alike(work, old, new) {
        return false;
    }
    // All rules together can have too many facts.
    let alone: Vec<&ValidationRule> = replaced.into_iter().filter(is_alike).collect();
    let all: Vec<&ValidationRule> = old.validations.iter().filter(is_alike).collect();
    [alone, all].into_iter().any(|others| {
        work.take(length as u64);
        follows_from(work, rule, &others, (old, new))
    })
}

fn follows_from(
    work: &Work,
    rule: &ValidationRule,
    others: &[&ValidationRule],
    (old, new): (&Structural, &Structural),
) -> bool {
    let (mut facts, mut premises) = (Facts::default(), Vec::new());
    let mut formula = |rule: &ValidationRule, premises: &mut Vec<Formula>| {
        let ast = crd_cel::parse(&rule.rule).ok()?;
        let (facts, chosen) = (&mut facts, Chosen::default());
        let mut of_rule = Rule { ast: &ast, old, new, facts, premises, chosen };
        Some(of_rule.formula(ast.root()))
    };
    let Some(condition) = formula(rule, &mut premises) else { return false };
    for other in others {
        let Some(premise) = formula(other, &mut premises) else { return false };
        premises.push(premise);
    }
    facts.follows(work, &premises, &condition)
}

/// Returns `true` if the changed keyword follows from the old schema's keywords. The keyword is `oneOf`, a similar keyword, or `enum`.
pub(super) fn is_keyword_implied(work: &Work, change: &Change, old: &Structural, new: &Structural) -> bool {
    let none = ValueValidation::default();
    let before = old.value_validation.as_deref().unwrap_or(&none);
    let after = new.value_validation.as_deref().unwrap_or(&none);
    let mut changed = ValueValidation::default();
    match change.row.id {
        id if id == rows::ALL_OF_CHANGED.id => changed.all_of.clone_from(&after.all_of),
        id if id == rows::ANY_OF_CHANGED.id => changed.any_of.clone_from(&after.any_of),
        id if id == rows::ONE_OF_CHANGED.id => changed.one_of.clone_from(&after.one_of),
        id if id == rows::NOT_CHANGED.id => changed.not.clone_from(&after.not),
        id if id == rows::ENUM_ADDED.id => changed.enum_.clone_from(&after.enum_),
        _ => return false,
    }
    if !holds_alike(work, old, new) {
        return false;
    }
    let mut facts = Facts::default();
    let mut keywords = Keywords { old, new, facts: &mut facts };
    let (premise, condition) = (keywords.formula(before), keywords.formula(&changed));
    facts.follows(work, &[premise], &condition)
}

/// Returns `true` if both schemas treat the values that the old schema accepts in the same way: they have the same types and defaults, and
/// the new schema drops no fields. New fields are allowed if they have no default. Returns `false` if no steps are left.
fn holds_alike(work: &Work, old: &Structural, new: &Structural) -> bool {
    if !work.has(1) {
        return false;
    }
    work.take(1);
    let is_same = old.type_ == new.type_
        && old.generic.default == new.generic.default
        && old.is_nullable() == new.is_nullable()
        && old.extensions.preserve_unknown_fields == new.extensions.preserve_unknown_fields
        && old.extensions.int_or_string == new.extensions.int_or_string
        && old.extensions.embedded_resource == new.extensions.embedded_resource
        && old.extensions.list_type == new.extensions.list_type
        && old.extensions.list_map_keys == new.extensions.list_map_keys
        && format(old) == format(new)
        && old.items.is_some() == new.items.is_some()
        && old.additional_properties.is_some() == new.additional_properties.is_some();
    let is_kept = |name: &str| new.properties.get(name).is_some();
    is_same
        && old.properties.keys().all(is_kept)
        && new.properties.iter().all(|(name, after)| match old.properties.get(name) {
            Some(before) => holds_alike(work, before, after),
            None => is_absent(old, after),
        })
        && old.items.iter().zip(&new.items).all(|(before, after)| holds_alike(work, before, after))
        && old
            .map_values()
            .into_iter()
            .zip(new.map_values())
            .all(|(before, after)| holds_alike(work, before, after))
}

/// Returns `true` if objects of the old schema cannot have a field that only the new schema has.
fn is_absent(old: &Structural, field: &Structural) -> bool {
    let keeps_keys = old.extensions.preserve_unknown_fields || old.additional_properties.is_some();
    !keeps_keys && field.generic.default.is_none()
}

fn format(schema: &Structural) -> Option<&String> {
    schema.value_validation.as_deref()?.format.as_ref()
}

/// The presence of a field in objects.
enum Field {
    Absent,
    Required,
    /// The field may be present. The value is `true` if the parent is always present, and a test with `has` therefore cannot fail.
    Optional(bool),
}

/// A rule that is being converted to a formula.
struct Rule<'k, 's> {
    ast: &'k Ast<'s>,
    old: &'k Structural,
    new: &'k Structural,
    facts: &'k mut Facts,
    /// Additional premises: a field has one of the values in its enum.
    premises: &'k mut Vec<Formula>,
    chosen: Chosen,
}

/// The maximum number of conditional expressions in an expression that are replaced with their branches.
const MOST_CHOSEN: usize = 6;

impl Rule<'_, '_> {
    fn formula(&mut self, id: ExprId) -> Formula {
        let (ast, id) = (self.ast, self.chosen.resolve(id));
        // `f(c ? a : b)` is `c ? f(a) : f(b)`: a function fails if an argument does.
        let parts = self.chosen.conditional(ast, id).filter(|_| self.chosen.len() < MOST_CHOSEN);
        if let Some((conditional, [condition, yes, no])) = parts {
            let condition = self.formula(condition);
            let [yes, no] = [yes, no].map(|branch| {
                self.chosen.push(conditional, branch);
                let formula = self.formula(id);
                self.chosen.pop();
                formula
            });
            return Formula::If(Box::new([condition, yes, no]));
        }
        if let Some(value) = constant(ast, id, &self.chosen) {
            return Formula::Known(if value { Truth::True } else { Truth::False });
        }
        match ast.expr(id) {
            Expr::Select { test_only: true, .. } => match self.field(id) {
                Some(Field::Absent) => Formula::Known(Truth::False),
                Some(Field::Required) => Formula::Known(Truth::True),
                Some(Field::Optional(is_reached)) => self.fact(id, !is_reached),
                None => self.fact(id, true),
            },
            Expr::Call { function, target: None, args } => {
                let args = ast.list(*args);
                match (&**function, args) {
                    ("_&&_", _) => Formula::All(args.iter().map(|arg| self.formula(*arg)).collect()),
                    ("_||_", _) => Formula::Any(args.iter().map(|arg| self.formula(*arg)).collect()),
                    ("!_", [operand]) => self.formula(*operand).negated(),
                    ("_?_:_", [condition, yes, no]) => {
                        Formula::If(Box::new([*condition, *yes, *no].map(|part| self.formula(part))))
                    }
                    (operator, [one, two]) if !counted(ast, operator, *one, *two).is_empty() => {
                        let parts = counted(ast, operator, *one, *two).iter();
                        let all: Vec<Formula> = parts.map(|part| self.formula(*part)).collect();
                        match operator {
                            "_==_" => Formula::One(all),
                            "_>=_" => Formula::Any(all),
                            _ => Formula::Any(vec![Formula::Any(all.clone()).negated(), Formula::One(all)]),
                        }
                    }
                    ("_==_", [one, two]) => self.equal(*one, *two),
                    ("_!=_", [one, two]) => self.equal(*one, *two).negated(),
                    ("@in", [value, list]) => match ast.expr(*list) {
                        Expr::List { elements, optional } if optional.is_empty() => {
                            let values = ast.list(*elements).iter();
                            Formula::Any(values.map(|other| self.equal(*value, *other)).collect())
                        }
                        _ => self.fact(id, true),
                    },
                    _ => self.fact(id, true),
                }
            }
            _ => self.fact(id, true),
        }
    }

    fn fact(&mut self, id: ExprId, may_fail: bool) -> Formula {
        self.facts.fact(self.text(id), may_fail)
    }

    fn text(&self, id: ExprId) -> String {
        text(self.ast, id, &self.chosen)
    }

    fn equal(&mut self, one: ExprId, two: ExprId) -> Formula {
        let [one, two] = [one, two].map(|id| self.chosen.resolve(id));
        if is_condition(self.ast, one) && is_condition(self.ast, two) {
            let (one, two) = (self.formula(one), self.formula(two));
            return Formula::If(Box::new([one, two.clone(), two.negated()]));
        }
        for id in [one, two] {
            let few = self.values(id).filter(|values| values.len() <= MOST_VALUES);
            let values = few.map(|values| {
                let equal = |value: &Value| Some(format!("{:?}", Literal::String(value.as_str()?.into())));
                values.iter().map(equal).collect::<Option<Vec<String>>>()
            });
            if let Some(values) = values.flatten() {
                let left = self.text(id);
                let one_of = values.iter().map(|value| self.equal_texts(&left, value)).collect();
                self.premises.push(Formula::Any(one_of));
            }
        }
        if self.is_excluded(one, two) || self.is_excluded(two, one) {
            return Formula::Known(Truth::False);
        }
        self.equal_texts(&self.text(one), &self.text(two))
    }

    fn equal_texts(&mut self, one: &str, two: &str) -> Formula {
        let mut sides = [one, two];
        sides.sort_unstable();
        self.facts.fact(format!("{} == {}", sides[0], sides[1]), true)
    }

    /// Returns `true` if `id` selects a field that all objects have, and whose enum does not contain the string `other`.
    fn is_excluded(&self, id: ExprId, other: ExprId) -> bool {
        let Expr::Literal(Literal::String(text)) = self.ast.expr(other) else { return false };
        self.values(id).is_some_and(|values| values.iter().all(|value| value.as_str() != Some(text)))
    }

    /// Returns the enum values of a field that all objects have.
    fn values(&self, id: ExprId) -> Option<&Vec<Value>> {
        // The stored object may lack the defaults of other versions.
        let path =
            path(self.ast, id).filter(|path| !path.is_empty() && !self.text(id).contains("oldSelf"))?;
        let mut schema = self.old;
        for name in &path {
            let field = schema.properties.get(name)?;
            (schema.is_required(name) || field.generic.default.is_some()).then_some(())?;
            schema = field;
        }
        let values = schema.value_validation.as_deref()?.enum_.as_ref()?;
        (!schema.is_nullable()).then_some(values)
    }

    /// Returns the presence of a field that is selected from `self`.
    fn field(&self, id: ExprId) -> Option<Field> {
        let path = path(self.ast, id)?;
        let (name, around) = path.split_last()?;
        let (mut old, mut new) = (self.old, self.new);
        let mut is_reached = true;
        for name in around {
            is_reached &= old.is_required(name);
            (old, new) = (old.properties.get(name)?, new.properties.get(name)?);
        }
        let field = new.properties.get(name)?;
        Some(match old.properties.get(name) {
            None if is_absent(old, field) && is_reached => Field::Absent,
            Some(_) if is_reached && old.is_required(name) => Field::Required,
            _ => Field::Optional(is_reached),
        })
    }
}

/// Returns `true` if the result must be a Boolean because of the expression's operator.
fn is_condition(ast: &Ast<'_>, id: ExprId) -> bool {
    match ast.expr(id) {
        Expr::Select { test_only, .. } => *test_only,
        Expr::Literal(literal) => matches!(literal, Literal::Bool(_)),
        Expr::Call { function, target: None, .. } => {
            ["_&&_", "_||_", "!_", "_==_", "_!=_"].contains(&&**function)
        }
        _ => false,
    }
}

/// Keywords that are being converted to a formula.
struct Keywords<'k> {
    old: &'k Structural,
    new: &'k Structural,
    facts: &'k mut Facts,
}

impl Keywords<'_> {
    fn formula(&mut self, keywords: &ValueValidation) -> Formula {
        let mut all = Vec::new();
        for name in keywords.required.iter().flatten() {
            all.push(self.presence(name));
        }
        if let Some(values) = &keywords.enum_ {
            let mut values: Vec<String> = values.iter().map(Value::to_string).collect();
            values.sort();
            values.dedup();
            all.push(self.facts.fact(format!("enum {}", json!(values)), false));
        }
        let mut parts = |parts: &Option<Vec<NestedValidation>>| -> Option<Vec<Formula>> {
            Some(parts.as_ref()?.iter().map(|part| self.nested(part)).collect())
        };
        all.extend(parts(&keywords.all_of).map(Formula::All));
        all.extend(parts(&keywords.any_of).map(Formula::Any));
        all.extend(parts(&keywords.one_of).map(Formula::One));
        all.extend(keywords.not.as_deref().map(|not| self.nested(not).negated()));
        let mut others = keywords.clone();
        (others.required, others.enum_, others.not) = (None, None, None);
        (others.all_of, others.any_of, others.one_of) = (None, None, None);
        if others != ValueValidation::default() {
            all.push(self.facts.fact(format!("{others:?}"), false));
        }
        Formula::All(all)
    }

    fn nested(&mut self, part: &NestedValidation) -> Formula {
        let mut all = vec![self.formula(&part.value_validation)];
        for (name, property) in part.properties.iter() {
            // A property that is not there is not against its schema.
            if *property != NestedValidation::default() && !self.is_absent(name) {
                all.push(self.facts.fact(format!("{name}: {property:?}"), false));
            }
        }
        let mut others = part.clone();
        others.value_validation = ValueValidation::default();
        others.properties = NestedValidation::default().properties;
        if others != NestedValidation::default() {
            all.push(self.facts.fact(format!("{others:?}"), false));
        }
        Formula::All(all)
    }

    fn presence(&mut self, name: &str) -> Formula {
        if self.is_absent(name) {
            return Formula::Known(Truth::False);
        }
        if self.old.is_required(name) {
            return Formula::Known(Truth::True);
        }
        self.facts.fact(format!("has {name}"), false)
    }

    fn is_absent(&self, name: &str) -> bool {
        let field = self.new.properties.get(name);
        self.old.properties.get(name).is_none() && field.is_some_and(|field| is_absent(self.old, field))
    }
}
