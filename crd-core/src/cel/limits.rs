//! Advice for a rule that costs too much: limits in the schema that make the rule cheap enough.

use crd_cel::{DeclId, Declarations, Environment, Scope, Variable};

use super::rule::Rules;
use crate::crd::Child;
use crate::schema::SchemaType;
use crate::{FieldPath, Structural};

/// A limit to add to a schema or to lower, such as `maxItems: 64` at `rules`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit {
    /// The path from the value with the rule to the limited values, such as `.rules[*].name`. The path is empty if the value with the rule
    /// is itself limited.
    pub place: String,
    /// The path from the schema with the rule to the schema of the limited values.
    pub path: FieldPath,
    /// The keyword of the limit: `maxItems`, `maxLength` or `maxProperties`.
    pub keyword: &'static str,
    /// The largest limit that makes the rule cheap enough, rounded down to two significant digits.
    pub value: u64,
    /// The current limit in the schema, if it is to be lowered.
    pub old: Option<u64>,
}

/// A schema below the rule that has a limit or can have one.
struct LimitedPlace {
    id: DeclId,
    place: String,
    path: FieldPath,
    keyword: &'static str,
    /// The number of elements per unit of the limit, such as four bytes per character.
    factor: u64,
    /// The current limit in the schema.
    old: Option<u64>,
}

/// Maximum number of recommended limits.
const MAX_PLACES: usize = 3;

impl Rules<'_, '_> {
    /// Returns limits below `node` with which one evaluation of `rule` costs at most `most`: the least restrictive single limit or, if no
    /// single limit is enough, the same limit for a few schemas. `None` if limits do not help, or the rule does not compile.
    #[must_use]
    pub fn limits(
        &self,
        node: &Structural,
        rule: &str,
        optional_old_self: bool,
        most: u64,
    ) -> Option<Vec<Limit>> {
        let pricing = self.pricing(node, rule, optional_old_self)?;
        let mut unlimited = Vec::new();
        self.find(node, "", &FieldPath::root(), &mut unlimited);
        unlimited.retain(|place| place.old.is_none());
        let now = pricing.cost(&[], 0)?;
        // Keeps only places whose limits change the cost.
        unlimited.retain(|place| pricing.cost(&[place], 1).is_some_and(|cost| cost < now));
        let single = unlimited
            .iter()
            .filter_map(|place| Some((pricing.largest(&[place], most)?, place)))
            .max_by_key(|(value, _)| *value);
        if let Some((value, place)) = single {
            return Some(vec![place.limited_to(value)]);
        }
        if unlimited.len() > MAX_PLACES {
            return None;
        }
        let together: Vec<_> = unlimited.iter().collect();
        let value = pricing.largest(&together, most)?;
        Some(together.into_iter().map(|place| place.limited_to(value)).collect())
    }

    /// Returns one of the limits below `node`, lowered as little as possible to make one evaluation of `rule` cost at most `most`. Returns
    /// `None` if lowering a single limit is not enough.
    #[must_use]
    pub fn lower_limit(
        &self,
        node: &Structural,
        rule: &str,
        optional_old_self: bool,
        most: u64,
    ) -> Option<Limit> {
        let pricing = self.pricing(node, rule, optional_old_self)?;
        let mut places = Vec::new();
        self.find(node, "", &FieldPath::root(), &mut places);
        let lower = |place: LimitedPlace| {
            let old = place.old?;
            let value = pricing.largest(&[&place], most).filter(|value| *value < old)?;
            Some((value.saturating_mul(1 << 20) / old, place.limited_to(value)))
        };
        places.into_iter().filter_map(lower).max_by_key(|(share, _)| *share).map(|(_, limit)| limit)
    }

    fn pricing<'a>(
        &'a self,
        node: &Structural,
        rule: &'a str,
        optional_old_self: bool,
    ) -> Option<Pricing<'a>> {
        let root = self.types().type_of(node)?;
        let old_self = if optional_old_self { Variable::Optional(root) } else { Variable::Declared(root) };
        let (environment, declarations) = (self.environment(), &self.types().declarations);
        Some(Pricing { environment, declarations, root, old_self, rule })
    }

    fn find(&self, node: &Structural, place: &str, path: &FieldPath, out: &mut Vec<LimitedPlace>) {
        let limit = limit(node).filter(|_| !node.is_int_or_string() || self.types().limits_strings());
        if let (Some(id), Some((keyword, factor, old))) = (self.types().type_of(node), limit) {
            out.push(LimitedPlace { id, place: place.to_owned(), path: path.clone(), keyword, factor, old });
        }
        for (child, schema) in node.children() {
            let place = match child {
                Child::Property(name) => format!("{place}.{name}"),
                Child::Values | Child::Items => format!("{place}[*]"),
            };
            self.find(schema, &place, &child.below(path), out);
        }
    }
}

impl Limit {
    /// Returns a limit with `value` rounded down to two significant digits.
    #[must_use]
    pub fn new(place: impl Into<String>, keyword: &'static str, value: u64) -> Self {
        Self { place: place.into(), path: FieldPath::root(), keyword, value: two_digits(value), old: None }
    }
}

impl LimitedPlace {
    fn limited_to(&self, value: u64) -> Limit {
        Limit { path: self.path.clone(), old: self.old, ..Limit::new(&*self.place, self.keyword, value) }
    }
}

/// Returns the keyword of the limit that the node's values lack; `None` if the node already has this limit, or cannot have one.
#[must_use]
pub fn missing_limit(node: &Structural) -> Option<&'static str> {
    limit(node).filter(|(.., old)| old.is_none() && !node.is_int_or_string()).map(|(keyword, ..)| keyword)
}

/// Returns the maximum number of children of the node's values; `None` if a limit is missing.
#[must_use]
pub fn max_children(node: &Structural) -> Option<u64> {
    let validation = node.value_validation.as_deref();
    let limit = match &node.type_ {
        Some(SchemaType::Array) => validation.and_then(|validation| validation.max_items)?,
        Some(SchemaType::Object) if node.additional_properties.is_some() => {
            validation.and_then(|validation| validation.max_properties)?
        }
        _ => 1,
    };
    Some(u64::try_from(limit).unwrap_or(0))
}

/// Returns the keyword that limits a node's values, the number of elements per unit of the limit, and the current limit.
fn limit(node: &Structural) -> Option<(&'static str, u64, Option<u64>)> {
    let validation = node.value_validation.as_deref();
    let written = |value: Option<i64>| value.map(|value| u64::try_from(value).unwrap_or(0));
    match &node.type_ {
        _ if node.is_int_or_string() => {
            Some(("maxLength", 4, written(validation.and_then(|validation| validation.max_length))))
        }
        Some(SchemaType::Array) => {
            Some(("maxItems", 1, written(validation.and_then(|validation| validation.max_items))))
        }
        Some(SchemaType::Object) if node.additional_properties.is_some() => {
            Some(("maxProperties", 1, written(validation.and_then(|validation| validation.max_properties))))
        }
        Some(SchemaType::String) => {
            let is_of_fixed_size = validation.is_some_and(|validation| {
                validation.enum_.is_some()
                    || matches!(validation.format.as_deref(), Some("date" | "date-time" | "duration"))
            });
            let bytes = validation.is_some_and(|validation| validation.format.as_deref() == Some("byte"));
            let old = written(validation.and_then(|validation| validation.max_length));
            (!is_of_fixed_size).then_some(("maxLength", if bytes { 1 } else { 4 }, old))
        }
        _ => None,
    }
}

/// Estimates the cost of a rule with other limits.
struct Pricing<'a> {
    environment: Environment,
    declarations: &'a Declarations,
    root: DeclId,
    old_self: Variable,
    rule: &'a str,
}

impl Pricing<'_> {
    fn cost(&self, places: &[&LimitedPlace], value: u64) -> Option<u64> {
        let mut declarations = self.declarations.clone();
        for place in places {
            declarations.set_max_elements(place.id, value.saturating_mul(place.factor));
        }
        let variables = [("self", Variable::Declared(self.root)), ("oldSelf", self.old_self)];
        let scope = Scope::new(&declarations, self.root, &variables);
        Some(self.environment.compile(self.rule, &scope).ok()?.max_cost())
    }

    /// Returns the largest limit for all these schemas with which the rule costs at most `most`.
    fn largest(&self, places: &[&LimitedPlace], most: u64) -> Option<u64> {
        let fits = |value| self.cost(places, value).is_some_and(|cost| cost <= most);
        let (mut low, mut high) = (1, super::types::MAX_REQUEST);
        if places.is_empty() || !fits(low) {
            return None;
        }
        while low + 1 < high {
            let middle = low.midpoint(high);
            if fits(middle) { low = middle } else { high = middle }
        }
        Some(low)
    }
}

/// Returns a number rounded down to two significant digits.
fn two_digits(value: u64) -> u64 {
    let mut unit = 1;
    while value / unit >= 100 {
        unit *= 10;
    }
    value / unit * unit
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cel::{RULE_COST_LIMIT, SchemaTypes};
    use crate::crd::JsonSchemaProps;

    fn limits(schema: Value, rule: &str) -> Option<Vec<(String, &'static str, u64)>> {
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        let types = SchemaTypes::for_part(&schema);
        let limits =
            Rules::new(&types, Environment::default()).limits(&schema, rule, false, RULE_COST_LIMIT)?;
        Some(limits.into_iter().map(|limit| (limit.place, limit.keyword, limit.value)).collect())
    }

    #[test]
    fn one_limit_that_suffices_is_enough() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "string"}}}},
            "b": {"type": "integer"},
        }});
        let found = limits(schema, "self.a.all(x, self.a.all(y, x.n == y.n))").expect("limits help");
        assert_eq!(found, [(".a".to_owned(), "maxItems", 5)]);
    }

    #[test]
    fn nothing_helps_where_nothing_is_unlimited() {
        let schema = json!({"type": "object", "properties": {"b": {"type": "integer"}}});
        assert_eq!(limits(schema, "self.b > 1"), None);
    }

    #[test]
    fn values_are_rounded_down() {
        assert_eq!([7, 99, 100, 129, 4_567].map(two_digits), [7, 99, 100, 120, 4_500]);
    }
}
