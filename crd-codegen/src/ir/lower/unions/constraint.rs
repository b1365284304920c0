//! Finds constraints on which properties an object has, in a schema's keywords and CEL rules.

use std::collections::{BTreeSet, HashMap, HashSet};

use crd_core::Structural;
use crd_core::cel::{Environment, Rules, SchemaTypes, tested_properties};
use crd_core::crd::JsonSchemaProps;
use crd_core::schema::{NestedValidation, SchemaType, ValueValidation};
use serde_json::{Map, Value, json};

use crate::ir::lower::keywords::takes_any_property;

/// The maximum number of properties for which all subsets are tried. With more properties, only some subsets are tried.
pub(super) const MAX_TRIED: usize = 12;
/// The maximum number of property sets that are tried for all rules in a version. Public CRDs need a hundredth of this number.
const MAX_SETS: usize = 1 << 18;
/// The maximum number of rules that are examined in one schema.
const MAX_RULES: usize = 200;

/// A possible discriminator: a required property with a fixed set of values. Its value may determine which other properties are set.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) property: String,
    pub(super) values: Vec<String>,
}

/// Returns the properties of an object that can be discriminators: required strings with few possible values.
pub(super) fn discriminators(schema: &Structural) -> Vec<Candidate> {
    let validation = schema.value_validation.as_deref();
    let required: HashSet<&str> =
        validation.and_then(|own| own.required.as_ref()).into_iter().flatten().map(String::as_str).collect();
    let properties = schema.properties.iter().filter(|(name, property)| {
        property.type_ == Some(SchemaType::String)
            && property.generic.default.is_none()
            && !property.is_nullable()
            && required.contains(name)
    });
    let discriminator = |(property, schema): (&str, &Structural)| {
        let values = strings(schema.value_validation.as_deref()?)?;
        (values.len() > 1).then(|| Candidate { property: property.to_owned(), values })
    };
    properties.filter_map(discriminator).collect()
}

/// Returns the values of a string enum, without duplicates.
fn strings(validation: &ValueValidation) -> Option<Vec<String>> {
    let mut values: Vec<String> = Vec::new();
    for value in validation.enum_.as_ref()? {
        let value = value.as_str()?;
        if values.iter().all(|known| known != value) {
            values.push(value.to_owned());
        }
    }
    Some(values)
}

/// The properties that an object has.
#[derive(Clone, Copy)]
pub(super) struct Properties<'a> {
    /// The names of the constrained properties. `set` has a bit for each name; the lowest bit is for the first name.
    pub(super) names: &'a [String],
    pub(super) set: usize,
    /// The discriminator, if there is one, and its value.
    pub(super) discriminator: Option<(&'a str, &'a str)>,
}

impl Properties<'_> {
    fn has(&self, name: &str) -> bool {
        let at = self.names.iter().position(|known| known == name);
        at.is_some_and(|at| self.set >> at & 1 == 1)
            || self.discriminator.is_some_and(|(property, _)| property == name)
    }
}

/// A constraint on which properties an object has.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    /// The properties whose presence matters.
    pub(super) names: BTreeSet<String>,
    /// The discriminators whose values matter.
    pub(super) discriminators: BTreeSet<String>,
    pub(super) formula: Formula,
}

#[derive(Clone, Debug)]
pub(super) enum Formula {
    Has(String),
    /// The discriminator has one of these values.
    Is {
        discriminator: String,
        values: Vec<String>,
    },
    All(Vec<Self>),
    Any(Vec<Self>),
    One(Vec<Self>),
    Not(Box<Self>),
    Count {
        names: Vec<String>,
        least: usize,
        most: usize,
    },
    Rule(RuleTable),
}

/// The results of a CEL rule for each set of properties, and for each value of a discriminator.
#[derive(Clone, Debug)]
pub(super) struct RuleTable {
    names: Vec<String>,
    discriminator: Option<Candidate>,
    /// One result for each set, in ascending order, where the first name is the lowest bit. If there is a discriminator, there is such a
    /// sequence for each of its values.
    answers: Vec<bool>,
}

impl Constraint {
    fn from_formula(formula: Formula) -> Self {
        let mut constraint = Self {
            names: BTreeSet::new(),
            discriminators: BTreeSet::new(),
            formula: Formula::All(Vec::new()),
        };
        constraint.add_names(&formula);
        constraint.names.retain(|name| !constraint.discriminators.contains(name));
        constraint.formula = formula;
        constraint
    }

    fn add_names(&mut self, formula: &Formula) {
        match formula {
            Formula::Has(name) => drop(self.names.insert(name.clone())),
            Formula::Is { discriminator, .. } => drop(self.discriminators.insert(discriminator.clone())),
            Formula::All(parts) | Formula::Any(parts) | Formula::One(parts) => {
                parts.iter().for_each(|part| self.add_names(part));
            }
            Formula::Not(part) => self.add_names(part),
            Formula::Count { names, .. } => self.names.extend(names.iter().cloned()),
            Formula::Rule(RuleTable { names, discriminator, .. }) => {
                self.names.extend(names.iter().cloned());
                self.discriminators.extend(discriminator.iter().map(|known| known.property.clone()));
            }
        }
    }
}

impl Formula {
    pub(super) fn holds(&self, properties: Properties<'_>) -> bool {
        match self {
            Self::Has(name) => properties.has(name),
            Self::Is { discriminator, values } => properties.discriminator.is_some_and(|(own, value)| {
                own == discriminator && values.iter().any(|known| known == value)
            }),
            Self::All(parts) => parts.iter().all(|part| part.holds(properties)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(properties)),
            Self::One(parts) => parts.iter().filter(|part| part.holds(properties)).count() == 1,
            Self::Not(part) => !part.holds(properties),
            Self::Count { names, least, most } => {
                let count = names.iter().filter(|name| properties.has(name)).count();
                (*least..=*most).contains(&count)
            }
            Self::Rule(table) => table.holds(properties),
        }
    }
}

impl RuleTable {
    fn holds(&self, properties: Properties<'_>) -> bool {
        let set = self.names.iter().rev().fold(0, |set, name| 2 * set + usize::from(properties.has(name)));
        let of_value = match (&self.discriminator, properties.discriminator) {
            (Some(known), Some((own, value))) if own == known.property => {
                known.values.iter().position(|known| known == value)
            }
            (Some(_), _) => None,
            (None, _) => Some(0),
        };
        let answer = of_value.and_then(|at| self.answers.get((at << self.names.len()) + set));
        answer.copied().unwrap_or_default()
    }

    /// Evaluates a rule that depends only on these properties.
    fn from_rule(rule: &str, names: Vec<String>, discriminator: Option<Candidate>) -> Option<Self> {
        // One list of all the objects there can be: the rule is compiled once.
        let of_value = |value: Option<&str>| -> Vec<Value> {
            let object = |set: usize| {
                let there = names.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
                let mut object: Map<String, Value> =
                    there.map(|(_, name)| (name.clone(), json!(true))).collect();
                if let (Some(discriminator), Some(value)) = (&discriminator, value) {
                    object.insert(discriminator.property.clone(), json!(value));
                }
                Value::Object(object)
            };
            (0..1 << names.len()).map(object).collect()
        };
        let objects: Vec<Value> = match &discriminator {
            Some(known) => known.values.iter().flat_map(|value| of_value(Some(value))).collect(),
            None => of_value(None),
        };
        let mut properties: Map<String, Value> =
            names.iter().map(|name| (name.clone(), json!({"type": "boolean"}))).collect();
        if let Some(Candidate { property, .. }) = &discriminator {
            properties.insert(property.clone(), json!({"type": "string"}));
        }
        let schema = json!({"type": "array", "items": {"type": "object", "properties": properties}});
        let schema = JsonSchemaProps::from_value(schema).ok()?;
        let schema = Structural::from_json_schema(&schema).ok()?;
        let types = SchemaTypes::for_part(&schema);
        let rules = Rules::new(&types, Environment::default());
        let evaluated = rules.evaluate(schema.items.as_deref()?, rule, &Value::Array(objects), None).ok()?;
        let answers = evaluated.into_iter().map(|evaluated| match evaluated.outcome {
            crd_core::admit::Outcome::Value(Value::Bool(answer)) => answer,
            // What cannot be evaluated is rejected.
            _ => false,
        });
        Some(Self { answers: answers.collect(), names, discriminator })
    }
}

/// The constraints that rules impose. The key consists of the rule's text, and of the values of the discriminator that the rule reads.
#[derive(Debug, Default)]
pub(in super::super) struct KnownRules {
    known: HashMap<(String, Vec<String>), Option<Constraint>>,
    /// The number of sets that were tried.
    pub(super) sets: Sets,
}

/// A limited counter for the property sets that were tried.
#[derive(Debug, Default)]
pub(super) struct Sets(usize);

impl Sets {
    /// Adds this number of sets. Returns `false` if the limit would be exceeded.
    pub(super) fn count(&mut self, sets: usize) -> bool {
        let is_few = self.0 + sets <= MAX_SETS;
        if is_few {
            self.0 += sets;
        }
        is_few
    }
}

impl KnownRules {
    fn recognize(&mut self, rule: &str, discriminators: &[Candidate]) -> Option<Constraint> {
        let tested = tested_properties(rule)?;
        let discriminator = match tested.values.into_iter().collect::<Vec<_>>().as_slice() {
            [] => None,
            [one] => Some(discriminators.iter().find(|known| known.property == *one)?),
            _ => return None,
        };
        let names: Vec<String> = tested
            .present
            .into_iter()
            .filter(|name| discriminator.is_none_or(|known| known.property != *name))
            .collect();
        let values = discriminator.map(|known| known.values.clone()).unwrap_or_default();
        let key = (rule.to_owned(), values);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let is_tried = names.len() <= MAX_TRIED && self.sets.count(key.1.len().max(1) << names.len());
        let table = is_tried.then(|| RuleTable::from_rule(rule, names, discriminator.cloned())).flatten();
        let constraint = table.map(|table| Constraint::from_formula(Formula::Rule(table)));
        self.known.insert(key, constraint.clone());
        constraint
    }

    /// Returns the constraints on which properties an object has. Parts of the schema that are not recognized are ignored, because they can
    /// only add further constraints.
    pub(super) fn constraints(
        &mut self,
        schema: &Structural,
        discriminators: &[Candidate],
    ) -> Vec<Constraint> {
        let mut constraints: Vec<Constraint> = Vec::new();
        if let Some(validation) = schema.value_validation.as_deref() {
            let formulas = nested(validation, discriminators);
            constraints.extend(formulas.into_iter().flatten().map(Constraint::from_formula));
            let is_closed = !schema.extensions.preserve_unknown_fields && !takes_any_property(schema);
            if is_closed && (validation.min_properties.is_some() || validation.max_properties.is_some()) {
                let names = schema.properties.keys().map(str::to_owned).collect();
                let bound = |bound: Option<i64>| bound.and_then(|bound| usize::try_from(bound).ok());
                let count = Formula::Count {
                    names,
                    least: bound(validation.min_properties).unwrap_or_default(),
                    most: bound(validation.max_properties).unwrap_or(usize::MAX),
                };
                constraints.push(Constraint::from_formula(count));
            }
        }
        for rule in schema.validations.iter().take(MAX_RULES) {
            constraints.extend(self.recognize(&rule.rule, discriminators));
        }
        // One property is not a choice.
        constraints.retain(|constraint| constraint.names.len() + constraint.discriminators.len() > 1);
        constraints
    }
}

/// Returns the properties whose presence a `oneOf` constrains. Returns `None` if it also constrains something else.
pub(super) fn names_of_choice(
    branches: &[NestedValidation],
    discriminators: &[Candidate],
) -> Option<BTreeSet<String>> {
    let parts: Option<Vec<Formula>> =
        branches.iter().map(|branch| nested_formula(branch, discriminators)).collect();
    Some(Constraint::from_formula(Formula::One(parts?)).names)
}

/// Returns formulas for `allOf`, `anyOf`, `oneOf` and `not`, and `None` for a keyword that also constrains something else.
fn nested(validation: &ValueValidation, known: &[Candidate]) -> Vec<Option<Formula>> {
    let of_part = |part: &NestedValidation| nested_formula(part, known);
    let all = |parts: &Option<Vec<NestedValidation>>| -> Option<Option<Vec<Formula>>> {
        parts.as_ref().filter(|parts| !parts.is_empty()).map(|parts| parts.iter().map(of_part).collect())
    };
    let mut formulas: Vec<Option<Formula>> = validation.all_of.iter().flatten().map(of_part).collect();
    formulas.extend(all(&validation.any_of).map(|parts| parts.map(Formula::Any)));
    formulas.extend(all(&validation.one_of).map(|parts| parts.map(Formula::One)));
    formulas
        .extend(validation.not.as_deref().map(|part| of_part(part).map(|part| Formula::Not(Box::new(part)))));
    formulas
}

/// Returns a formula for a schema, if the schema constrains only the presence of properties and the values of discriminators.
fn nested_formula(nested_: &NestedValidation, known: &[Candidate]) -> Option<Formula> {
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
    let is_more = additional_properties.is_some() || items.is_some() || forbidden.is_some();
    if is_more || rest != ValueValidation::default() {
        return None;
    }
    let mut parts: Vec<Formula> = validation.required.iter().flatten().cloned().map(Formula::Has).collect();
    // An empty schema says nothing about its property.
    for (name, property) in properties.iter().filter(|(_, own)| **own != NestedValidation::default()) {
        parts.push(value_formula(name, property, known)?);
    }
    for formula in nested(validation, known) {
        parts.push(formula?);
    }
    Some(match parts.len() {
        1 => parts.remove(0),
        _ => Formula::All(parts),
    })
}

/// Returns a formula for a schema, if the schema lists only values of a discriminator.
fn value_formula(name: &str, schema: &NestedValidation, known: &[Candidate]) -> Option<Formula> {
    known.iter().find(|discriminator| discriminator.property == name)?;
    let values = strings(&schema.value_validation)?;
    let mut rest = schema.clone();
    rest.value_validation.enum_ = None;
    (rest == NestedValidation::default()).then(|| Formula::Is { discriminator: name.to_owned(), values })
}
