//! Determines which information about a field with a new default is read by rules of enclosing schemas.

use crd_cel::Ast;
use crd_cel::ast::{Expr, ExprId};
use crd_core::Structural;
use crd_core::schema::{NestedAdditionalProperties, NestedValidation, ValueValidation};

use super::edits::schemas_on_the_way;
use super::fields::path;
use super::side::Pair;
use super::unreadable::may_read;
use crate::change::Change;
use crate::finding::Class;
use crate::rows::About;

/// The information about a value that rules of enclosing schemas read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sight {
    /// None. The rules at most test the presence and the size of enclosing values.
    Nothing,
    /// The rules only require that the value equals the old value.
    Equality,
    Value,
}

impl Sight {
    /// Determines what the rules and keywords in both CRDs read of the changed field.
    pub(crate) fn of(pair: &Pair, change: &Change) -> Self {
        let Some(version) = change.version.as_deref() else { return Self::Value };
        let at = change.place.steps();
        let sides = [&pair.old, &pair.new];
        let around = sides.into_iter().filter_map(|side| side.schema(version)).flat_map(|schema| {
            schemas_on_the_way(schema, &at).take(at.len()).map(|(end, around)| {
                if is_seen_by_keywords(around, &at, end) {
                    return Self::Value;
                }
                let rules = around.validations.iter().filter(|rule| may_read(rule, &at[end..]));
                rules.map(|rule| Self::of_rule(&rule.rule, &at[end..])).max().unwrap_or(Self::Nothing)
            })
        });
        let sight = around.max().unwrap_or(Self::Nothing);
        // A stored object lacks the defaults of other versions.
        let is_stored = sides.into_iter().all(|side| side.storage() == version);
        if sight == Self::Equality && !is_stored { Self::Value } else { sight }
    }

    /// Returns the possible classes besides the expected classes. If rules only require that the value equals the old value, they reject no
    /// further requests, because both values have the new default.
    pub(crate) fn possible(self, change: &Change) -> impl Iterator<Item = Class> {
        let is_default = change.row.about == About::Default;
        let may_show = move |class: &Class| match self {
            _ if !is_default => true,
            Self::Nothing => *class == Class::Data,
            Self::Equality => [Class::Data, Class::Read, Class::Rollback].contains(class),
            Self::Value => true,
        };
        change.row.also.iter().copied().filter(may_show)
    }

    fn of_rule(rule: &str, at: &[String]) -> Self {
        let Ok(ast) = crd_cel::parse(rule) else { return Self::Value };
        Eye { ast: &ast, at }.sight(ast.root(), Some(true))
    }
}

/// A rule, and the path from its schema to a value.
struct Eye<'e, 's> {
    ast: &'e Ast<'s>,
    at: &'e [String],
}

impl Eye<'_, '_> {
    /// Determines what a part of the rule reads of the value. `wanted` is the result of this part that is necessary for the rule to be
    /// true, or `None` if either result is possible.
    fn sight(&self, id: ExprId, wanted: Option<bool>) -> Sight {
        if let Some(path) = path(self.ast, id) {
            return self.of_path(&path, id);
        }
        match self.ast.expr(id) {
            Expr::Call { function, target, args } => {
                let args = self.ast.list(*args);
                match (&**function, target, args) {
                    ("_&&_" | "_||_", None, _) => self.all(args, wanted),
                    ("!_", None, _) => self.all(args, wanted.map(|wanted| !wanted)),
                    ("_?_:_", None, [condition, branches @ ..]) => {
                        self.sight(*condition, None).max(self.all(branches, wanted))
                    }
                    ("_==_", None, [one, two]) if self.are_old_and_new(*one, *two) => {
                        let is_seen = self.all(args, None) != Sight::Nothing;
                        match (is_seen, wanted) {
                            (false, _) => Sight::Nothing,
                            (true, Some(true)) => Sight::Equality,
                            (true, _) => Sight::Value,
                        }
                    }
                    ("size", Some(of), []) | ("size", None, [of]) if self.is_list_around(*of) => {
                        Sight::Nothing
                    }
                    _ => self.all(&self.ast.children(id), None),
                }
            }
            _ => self.all(&self.ast.children(id), None),
        }
    }

    fn all(&self, parts: &[ExprId], wanted: Option<bool>) -> Sight {
        parts.iter().map(|part| self.sight(*part, wanted)).max().unwrap_or(Sight::Nothing)
    }

    /// Determines what an expression with a path, or a `has` test of the path, reads of the value.
    fn of_path(&self, path: &[String], id: ExprId) -> Sight {
        let is_test = matches!(self.ast.expr(id), Expr::Select { test_only: true, .. });
        let is_around = self.at.starts_with(path);
        // The presence of an enclosing value does not depend on the default.
        let is_seen =
            if is_test { path.starts_with(self.at) } else { is_around || path.starts_with(self.at) };
        if is_seen { Sight::Value } else { Sight::Nothing }
    }

    /// Returns `true` if the expressions select the same field, one in the new object and one in the old object.
    fn are_old_and_new(&self, one: ExprId, two: ExprId) -> bool {
        let is_selection = |id: ExprId| !matches!(self.ast.expr(id), Expr::Select { test_only: true, .. });
        let paths = [one, two].map(|id| path(self.ast, id).filter(|_| is_selection(id)));
        let [Some(first), Some(second)] = paths else { return false };
        first == second && self.at.starts_with(&first) && self.root(one) != self.root(two)
    }

    /// Returns the name at the start of a path.
    fn root(&self, id: ExprId) -> Option<&str> {
        match self.ast.expr(id) {
            Expr::Select { operand, .. } => self.root(*operand),
            Expr::Ident(name) => Some(name),
            _ => None,
        }
    }

    /// Returns `true` if the expression selects an enclosing value.
    fn is_list_around(&self, id: ExprId) -> bool {
        let is_test = matches!(self.ast.expr(id), Expr::Select { test_only: true, .. });
        path(self.ast, id)
            .is_some_and(|path| !is_test && self.at.starts_with(&path) && path.len() < self.at.len())
    }
}

/// Returns `true` if keywords in the schema for `at[..end]` depend on the value at `at`.
fn is_seen_by_keywords(around: &Structural, at: &[String], end: usize) -> bool {
    // Items of a set are compared as wholes, those of a map by their keys.
    let is_keyed = match around.extensions.list_type.as_deref() {
        Some("set") => true,
        Some("map") => {
            let keys = around.extensions.list_map_keys.iter().flatten();
            keys.into_iter().any(|key| at.get(end + 1) == Some(key))
        }
        _ => false,
    };
    let is_item = at[end].parse::<usize>().is_ok() && end + 1 == at.len();
    let keywords = around.value_validation.as_deref();
    is_keyed || is_item || keywords.is_some_and(|keywords| keywords_read(keywords, &at[end..]))
}

/// Returns `true` if keywords depend on the value at a path below the value to which they apply.
fn keywords_read(keywords: &ValueValidation, at: &[String]) -> bool {
    let is_present = |name: &String| at == std::slice::from_ref(name);
    let is_counted =
        at.len() == 1 && (keywords.min_properties.is_some() || keywords.max_properties.is_some());
    let parts = [&keywords.all_of, &keywords.any_of, &keywords.one_of].into_iter().flatten().flatten();
    is_counted
        || keywords.enum_.is_some()
        || keywords.unique_items == Some(true)
        || keywords.required.iter().flatten().any(is_present)
        || parts.chain(keywords.not.as_deref()).any(|part| part_reads(part, at))
}

/// Returns `true` if a schema under `anyOf` or a similar keyword depends on the value at a path.
fn part_reads(part: &NestedValidation, at: &[String]) -> bool {
    let Some((step, rest)) = at.split_first() else { return *part != NestedValidation::default() };
    let values = match &part.additional_properties {
        Some(NestedAdditionalProperties::Schema(values)) => Some(&**values),
        _ => None,
    };
    let below = [part.properties.get(step), values, part.items.as_deref()];
    keywords_read(&part.value_validation, at)
        || below.into_iter().flatten().any(|part| part_reads(part, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crd_core::crd::JsonSchemaProps;
    use serde_json::json;

    #[test]
    fn keywords_see_the_fields_that_they_name() {
        let at = |path: &str| -> Vec<String> { path.split('.').map(str::to_owned).collect() };
        for (keywords, place, is_seen) in [
            (json!({"required": ["image"]}), "image", true),
            (json!({"required": ["image"]}), "policy", false),
            (json!({"required": ["image"]}), "image.policy", false),
            (json!({"anyOf": [{"required": ["image"]}, {"required": ["tag"]}]}), "policy", false),
            (json!({"anyOf": [{"required": ["image"]}, {"required": ["policy"]}]}), "policy", true),
            (json!({"not": {"properties": {"image": {"required": ["tag"]}}}}), "image.tag", true),
            (json!({"not": {"properties": {"image": {"required": ["tag"]}}}}), "image.policy", false),
            (json!({"not": {"properties": {"image": {"maxProperties": 1}}}}), "image.policy", true),
            (json!({"oneOf": [{"additionalProperties": {"required": ["tag"]}}]}), "key.tag", true),
            (json!({"oneOf": [{"properties": {"image": {"pattern": "^a"}}}]}), "image", true),
            (json!({"oneOf": [{"allOf": [{"items": {"required": ["tag"]}}]}]}), "0.tag", true),
            (json!({"maxProperties": 1}), "image", true),
            (json!({"maxProperties": 1}), "image.policy", false),
            (json!({"enum": [{"image": {}}]}), "image.policy", true),
        ] {
            let schema = JsonSchemaProps::from_value(keywords.clone()).unwrap();
            let schema = Structural::from_json_schema(&schema).unwrap();
            assert_eq!(is_seen_by_keywords(&schema, &at(place), 0), is_seen, "{keywords} {place}");
        }
    }

    #[test]
    fn equality_with_the_old_value_sees_no_more_than_equality() {
        let at: Vec<String> = ["spec", "sets", "0", "name"].map(str::to_owned).to_vec();
        for (rule, expected) in [
            ("size(self.spec.sets) == size(self.status.sets)", Sight::Nothing),
            ("self.spec.sets.size() < 5 && has(self.spec.sets)", Sight::Nothing),
            ("self.spec.other == oldSelf.spec.other", Sight::Nothing),
            ("has(self.status) ? self.spec.sets == oldSelf.spec.sets : true", Sight::Equality),
            ("!has(self.status) || oldSelf.spec == self.spec", Sight::Equality),
            ("self.spec.sets != oldSelf.spec.sets", Sight::Value),
            ("!(self.spec.sets == oldSelf.spec.sets)", Sight::Value),
            ("self.spec.sets == oldSelf.spec.sets ? has(self.a) : true", Sight::Value),
            ("self.spec.sets == self.spec.others", Sight::Value),
            ("self.spec.sets.all(s, s.name != '')", Sight::Value),
            ("self.spec.sets[0].name == ''", Sight::Value),
        ] {
            assert_eq!(Sight::of_rule(rule, &at), expected, "{rule}");
        }
        let field: Vec<String> = ["spec", "name"].map(str::to_owned).to_vec();
        assert_eq!(Sight::of_rule("has(self.spec.name)", &field), Sight::Value);
        assert_eq!(Sight::of_rule("has(self.spec)", &field), Sight::Nothing);
    }
}
