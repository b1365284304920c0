//! Unions of properties that exclude each other. `oneOf` and similar keywords, bounds of the number of properties, and
//! rules may exclude properties; in each case the accepted sets of properties are compared.

use std::collections::{BTreeSet, HashMap};

use crd_core::cel::{Rules, SchemaTypes, present_properties};
use crd_core::crd::JsonSchemaProps;
use crd_core::schema::{NestedValidation, ValueValidation};
use crd_core::{Reason, Structural};
use serde_json::{Value, json};

use super::place::{Position, Step};
use super::{Lowering, takes_any_property};
use crate::ir::{About, Field, Presence, Struct, Type, Union};

/// Beyond this many properties not all sets of them are tried.
const MAX_TRIED: usize = 12;
/// How many sets of properties are tried for all rules of a version, and how many rules are looked at in one place. Real
/// definitions need a hundredth of it.
const MAX_SETS: usize = 1 << 18;
const MAX_RULES: usize = 200;

/// The constraints of rules that only test which properties are present, by the texts of the rules.
#[derive(Debug, Default)]
pub(super) struct KnownRules {
    known: HashMap<String, Option<Constraint>>,
    /// How many sets were tried.
    sets: usize,
}

impl KnownRules {
    fn of(&mut self, rule: &str) -> Option<&Constraint> {
        if !self.known.contains_key(rule) {
            let names = present_properties(rule).filter(|names| (2..=MAX_TRIED).contains(&names.len()));
            let names = names.filter(|names| self.sets + (1 << names.len()) <= MAX_SETS);
            self.sets += names.as_ref().map_or(0, |names| 1 << names.len());
            let constraint = names.and_then(|names| of_rule(rule, names.into_iter().collect()));
            self.known.insert(rule.to_owned(), constraint);
        }
        self.known.get(rule)?.as_ref()
    }
}

impl Lowering<'_> {
    /// The object with its unions in place of their members: another struct, or a union where there is nothing else.
    pub(super) fn with_unions(
        &mut self,
        schema: &Structural,
        mut struct_: Struct,
        position: &Position<'_>,
    ) -> Type {
        if !self.context.settings.unions {
            return Type::Struct(struct_);
        }
        let groups = self.groups(schema);
        if is_another_choice(schema, &groups) {
            let message =
                "no enum is generated for this `oneOf`: its branches do not require one property each";
            self.warn(position, Reason::Invalid, message);
        }
        for Group { members, is_required } in groups {
            let few = if is_required { "Exactly one" } else { "At most one" };
            let all: Vec<String> = members.iter().map(|name| format!("`{name}`")).collect();
            let doc = format!("{few} of {}.", all.join(", "));
            if let Some((member, why)) = self.unsafe_member(schema, &struct_, &members) {
                let message = format!("no enum is generated for this, since `{member}` {why}: {doc}");
                self.warn(position, Reason::Invalid, message.trim_end_matches('.'));
                continue;
            }
            let is_member = |field: &Field| members.iter().any(|name| **name == *field.property);
            let at = struct_.fields.iter().position(is_member).unwrap_or_default();
            let (own, others): (Vec<Field>, Vec<Field>) =
                std::mem::take(&mut struct_.fields).into_iter().partition(is_member);
            struct_.fields = others;
            let own = own.into_iter().map(|field| Field { presence: Presence::Required, ..field }).collect();
            if is_required && struct_.fields.is_empty() && !struct_.keeps_rest {
                return Type::Union(Union { about: struct_.about, fields: own });
            }
            let property = free_name(schema, &struct_);
            let about = self.about(schema, &position.step(Step::Property(&property)));
            let own_doc = format!("One of {}.", all.join(", "));
            let about = About { doc: Some(own_doc.into()), is_on_field: false, ..about };
            let union = self.graph.add(Type::Union(Union { about, fields: own }));
            let field = Field {
                property: property.into(),
                type_: union,
                presence: if is_required { Presence::Required } else { Presence::Optional },
                doc: Some(doc.into()),
                default: None,
                attributes: None,
                is_flattened: true,
            };
            struct_.fields.insert(at.min(struct_.fields.len()), field);
        }
        Type::Struct(struct_)
    }

    /// A member that cannot be a variant, and why.
    fn unsafe_member<'m>(
        &self,
        schema: &Structural,
        struct_: &Struct,
        members: &'m [String],
    ) -> Option<(&'m str, &'static str)> {
        members.iter().find_map(|name| {
            let Some(property) = schema.properties.get(name) else {
                return Some((name.as_str(), "is none of its properties"));
            };
            let field = struct_.fields.iter().find(|field| *field.property == **name);
            let why = match field {
                _ if property.generic.default.is_some() => "has a default",
                _ if property.is_nullable() => "may be `null`",
                _ if schema.is_required(name) => "is required",
                // JSON of any kind has `null`, too.
                Some(field) if matches!(self.graph[field.type_], Type::Any) => "has no type",
                Some(_) => return None,
                None => "is in another union",
            };
            Some((name.as_str(), why))
        })
    }

    /// The groups of properties of which there is one, in the order of their first members.
    fn groups(&mut self, schema: &Structural) -> Vec<Group> {
        let constraints = self.constraints(schema);
        let mut groups = Vec::new();
        for part in connected(&constraints) {
            if let Some(group) = group(&part) {
                groups.push(group);
                continue;
            }
            // Together they do not make a union; each by itself may.
            let single: Vec<Group> = part.iter().filter_map(|constraint| group(&[constraint])).collect();
            let is_alone = |group: &&Group| {
                let shares = |other: &&Group| other.members.iter().any(|name| group.members.contains(name));
                single.iter().filter(shares).count() == 1
            };
            groups.extend(single.iter().filter(is_alone).cloned());
        }
        let order: HashMap<&str, usize> = schema.properties.keys().zip(0..).collect();
        let at = |name: &String| order.get(name.as_str()).copied().unwrap_or(usize::MAX);
        for group in &mut groups {
            group.members.sort_by_key(at);
        }
        groups.sort_by_key(|group| group.members.first().map(at));
        groups
    }

    /// The constraints on which properties are present. A part that is not understood can only be a further constraint.
    fn constraints(&mut self, schema: &Structural) -> Vec<Constraint> {
        let mut constraints: Vec<Constraint> = Vec::new();
        if let Some(validation) = schema.value_validation.as_deref() {
            constraints.extend(nested(validation).into_iter().flatten().map(Constraint::of_formula));
            let is_closed = !schema.extensions.preserve_unknown_fields && !takes_any_property(schema);
            if is_closed && (validation.min_properties.is_some() || validation.max_properties.is_some()) {
                let names = schema.properties.keys().map(str::to_owned).collect();
                let bound = |bound: Option<i64>| bound.and_then(|bound| usize::try_from(bound).ok());
                let count = Formula::Count {
                    names,
                    least: bound(validation.min_properties).unwrap_or_default(),
                    most: bound(validation.max_properties).unwrap_or(usize::MAX),
                };
                constraints.push(Constraint::of_formula(count));
            }
        }
        for rule in schema.validations.iter().take(MAX_RULES) {
            constraints.extend(self.presence_rules.of(&rule.rule).cloned());
        }
        // One property is not a choice.
        constraints.retain(|constraint| constraint.names.len() > 1);
        constraints
    }
}

/// Returns `true` if there is a `oneOf` that is not one of the unions.
fn is_another_choice(schema: &Structural, groups: &[Group]) -> bool {
    let branches = schema.value_validation.as_deref().and_then(|validation| validation.one_of.as_deref());
    let Some(branches) = branches.filter(|branches| branches.len() > 1) else { return false };
    let Some(parts) = branches.iter().map(of_nested).collect::<Option<Vec<_>>>() else { return true };
    let names = Constraint::of_formula(Formula::One(parts)).names;
    !groups.iter().any(|group| names.iter().all(|name| group.members.contains(name)))
}

/// Properties of which exactly one, or at most one, may be there.
#[derive(Clone, Debug)]
struct Group {
    members: Vec<String>,
    is_required: bool,
}

/// A constraint on which properties are present.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    names: BTreeSet<String>,
    formula: Formula,
}

#[derive(Clone, Debug)]
enum Formula {
    Has(String),
    All(Vec<Self>),
    Any(Vec<Self>),
    One(Vec<Self>),
    Not(Box<Self>),
    Count {
        names: Vec<String>,
        least: usize,
        most: usize,
    },
    /// The answers of a rule for each set of these names: the first one is the lowest bit.
    Table {
        names: Vec<String>,
        answers: Vec<bool>,
    },
}

impl Constraint {
    fn of_formula(formula: Formula) -> Self {
        let mut names = BTreeSet::new();
        formula.names(&mut names);
        Self { names, formula }
    }
}

impl Formula {
    fn names(&self, names: &mut BTreeSet<String>) {
        match self {
            Self::Has(name) => drop(names.insert(name.clone())),
            Self::All(parts) | Self::Any(parts) | Self::One(parts) => {
                parts.iter().for_each(|part| part.names(names));
            }
            Self::Not(part) => part.names(names),
            Self::Count { names: own, .. } | Self::Table { names: own, .. } => {
                names.extend(own.iter().cloned());
            }
        }
    }

    fn holds(&self, is_there: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Has(name) => is_there(name),
            Self::All(parts) => parts.iter().all(|part| part.holds(is_there)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(is_there)),
            Self::One(parts) => parts.iter().filter(|part| part.holds(is_there)).count() == 1,
            Self::Not(part) => !part.holds(is_there),
            Self::Count { names, least, most } => {
                let count = names.iter().filter(|name| is_there(name)).count();
                (*least..=*most).contains(&count)
            }
            Self::Table { names, answers } => {
                let set = names.iter().rev().fold(0, |set, name| 2 * set + usize::from(is_there(name)));
                answers.get(set).copied().unwrap_or_default()
            }
        }
    }
}

/// The union that these constraints make of all their names, if they do.
fn group(constraints: &[&Constraint]) -> Option<Group> {
    let names: BTreeSet<&String> = constraints.iter().flat_map(|constraint| &constraint.names).collect();
    let members: Vec<String> = names.into_iter().cloned().collect();
    let is_required = match constraints {
        // The plain spellings, however many properties there are.
        [Constraint { formula: Formula::Count { least: 1, most: 1, .. }, .. }] => true,
        [Constraint { formula: Formula::Count { least: 0, most: 1, .. }, .. }] => false,
        [Constraint { formula: Formula::One(parts), .. }]
            if parts.len() == members.len() && parts.iter().all(|part| matches!(part, Formula::Has(_))) =>
        {
            true
        }
        _ if members.len() > MAX_TRIED => return None,
        _ => {
            let is_taken = |set: usize| {
                let is_there = |name: &str| {
                    members.iter().position(|member| member == name).is_some_and(|at| set >> at & 1 == 1)
                };
                constraints.iter().all(|constraint| constraint.formula.holds(&is_there))
            };
            let none = is_taken(0);
            let agrees = |set: usize| is_taken(set) == (set.count_ones() == 1);
            if !(1..1 << members.len()).all(agrees) {
                return None;
            }
            !none
        }
    };
    Some(Group { members, is_required })
}

/// The constraints in parts that have no name in common.
fn connected(constraints: &[Constraint]) -> Vec<Vec<&Constraint>> {
    let mut parts: Vec<Vec<&Constraint>> = Vec::new();
    for constraint in constraints {
        let shares =
            |part: &Vec<&Constraint>| part.iter().any(|other| !other.names.is_disjoint(&constraint.names));
        let (touched, apart): (Vec<_>, Vec<_>) = std::mem::take(&mut parts).into_iter().partition(shares);
        parts = apart;
        parts.push(touched.into_iter().flatten().chain([constraint]).collect());
    }
    parts
}

/// The formulas of `allOf`, `anyOf`, `oneOf` and `not`; `None` for one that also constrains something else.
fn nested(validation: &ValueValidation) -> Vec<Option<Formula>> {
    let all = |parts: &Option<Vec<NestedValidation>>| -> Option<Option<Vec<Formula>>> {
        parts.as_ref().filter(|parts| !parts.is_empty()).map(|parts| parts.iter().map(of_nested).collect())
    };
    let mut formulas: Vec<Option<Formula>> = validation.all_of.iter().flatten().map(of_nested).collect();
    formulas.extend(all(&validation.any_of).map(|parts| parts.map(Formula::Any)));
    formulas.extend(all(&validation.one_of).map(|parts| parts.map(Formula::One)));
    formulas.extend(
        validation.not.as_deref().map(|part| of_nested(part).map(|part| Formula::Not(Box::new(part)))),
    );
    formulas
}

/// The formula of a schema that only constrains which properties are present.
fn of_nested(nested_: &NestedValidation) -> Option<Formula> {
    let NestedValidation {
        value_validation: validation,
        properties,
        additional_properties,
        items,
        forbidden,
        ..
    } = nested_;
    let mut rest = validation.clone();
    (rest.required, rest.all_of, rest.any_of, rest.one_of, rest.not) = (None, None, None, None, None);
    let is_more =
        !properties.is_empty() || additional_properties.is_some() || items.is_some() || forbidden.is_some();
    if is_more || rest != ValueValidation::default() {
        return None;
    }
    let mut parts: Vec<Formula> = validation.required.iter().flatten().cloned().map(Formula::Has).collect();
    for formula in nested(validation) {
        parts.push(formula?);
    }
    Some(match parts.len() {
        1 => parts.remove(0),
        _ => Formula::All(parts),
    })
}

/// The answers of a rule for each set of these properties, which are all that it tests.
fn of_rule(rule: &str, names: Vec<String>) -> Option<Constraint> {
    // One list of all the objects there can be: the rule is compiled once.
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"type": "boolean"}))).collect();
    let schema = json!({"type": "array", "items": {"type": "object", "properties": properties}});
    let schema = JsonSchemaProps::from_value(schema).ok()?;
    let schema = Structural::from_json_schema(&schema).ok()?;
    let object = |set: usize| {
        let there = names.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        Value::Object(there.map(|(_, name)| (name.clone(), json!(true))).collect())
    };
    let objects = Value::Array((0..1 << names.len()).map(object).collect());
    let types = SchemaTypes::of_part(&schema);
    let rules = Rules::new(&types, crd_core::cel::Environment::default());
    let evaluated = rules.evaluate(schema.items.as_deref()?, rule, &objects, None).ok()?;
    let answers = evaluated.into_iter().map(|evaluated| match evaluated.outcome {
        crd_core::admit::Outcome::Value(Value::Bool(answer)) => answer,
        // What cannot be evaluated is refused.
        _ => false,
    });
    let formula = Formula::Table { names, answers: answers.collect() };
    Some(Constraint::of_formula(formula))
}

/// The name under which a union stands among the properties, which is none of theirs.
fn free_name(schema: &Structural, struct_: &Struct) -> String {
    let is_free = |name: &String| {
        !schema.properties.contains(name) && struct_.fields.iter().all(|field| *field.property != **name)
    };
    let names = std::iter::once("oneOf".to_owned()).chain((2..).map(|number| format!("oneOf{number}")));
    names.into_iter().find(is_free).unwrap_or_default()
}
