//! Changes accepted objects. Creates objects that the API server rejects for exactly one fault, and accepted objects with values that just
//! reach a keyword's bound.

mod bounds;
mod faults;
mod seeded;
mod solve;
mod walk;
mod wrong;

use std::fmt;

use crd_core::FieldPath;
use serde_json::Value;

pub use self::seeded::Seeded;
use self::walk::Walk;
use crate::change::{Steps, get, put};
use crate::maker::Style;
use crate::sampler::Sampler;
use crate::search::Search;

/// An object that the API server rejects for one fault.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Broken {
    /// The rejected object.
    pub object: Value,
    /// The field in the API server's cause.
    pub field: FieldPath,
    /// The fault: the violated keyword or rule.
    pub fault: Fault,
    /// The API server's message, without the field.
    pub message: String,
}

/// An accepted object with a value that just reaches a keyword's bound.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Boundary {
    /// The accepted object.
    pub object: Value,
    /// The path to the value: field names, map keys and list indices.
    pub at: Vec<String>,
    /// The keyword whose bound the value reaches. The keyword rejects the next value.
    pub keyword: Fault,
}

/// A fault: the keyword or rule that a value violates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the variants are named after the keywords")]
pub enum Fault {
    Type,
    Enum,
    Maximum,
    Minimum,
    MultipleOf,
    MaxLength,
    MinLength,
    Pattern,
    Format,
    MaxItems,
    MinItems,
    /// A duplicate item in a list of type `set`, or an item with duplicate keys in a list of type `map`.
    Duplicate,
    MaxProperties,
    MinProperties,
    Required,
    /// A CEL rule with this expression.
    Rule(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Type => "of another type",
            Self::Enum => "not a value of the enum",
            Self::Maximum => "above the maximum",
            Self::Minimum => "below the minimum",
            Self::MultipleOf => "not a multiple",
            Self::MaxLength => "too long",
            Self::MinLength => "too short",
            Self::Pattern => "not a match of the pattern",
            Self::Format => "not of the format",
            Self::MaxItems => "a list with too many items",
            Self::MinItems => "a list with too few items",
            Self::Duplicate => "a duplicate",
            Self::MaxProperties => "an object with too many properties",
            Self::MinProperties => "an object with too few properties",
            Self::Required => "required, and absent",
            Self::Rule(rule) => return write!(f, "violates the rule `{rule}`"),
        })
    }
}

impl Sampler {
    /// Returns objects that the API server rejects for exactly one reason: one value violates one keyword or one rule.
    ///
    /// The first objects break the constraints of the [`full`](Self::full) object, one constraint each. Then come the constraints that only
    /// other objects can break. Random objects with one fault each follow, endlessly or until nothing can be broken. To break a constraint,
    /// a value is changed: for example, a number exceeds a bound by one, or values are chosen for which a rule returns `false`. Other
    /// faults that result from this change are then repaired. Each object is validated. The rejection must have only the intended cause.
    ///
    /// Transition rules are not broken, and neither are keywords within `allOf`, `anyOf`, `oneOf` and `not`.
    ///
    /// ```
    /// # fn example(sampler: &crd_sample::Sampler) {
    /// for broken in sampler.broken().take(100) {
    ///     println!("{}: {}: {}", broken.field, broken.fault, broken.message);
    /// }
    /// # }
    /// ```
    pub fn broken(&self) -> impl Iterator<Item = Broken> {
        Walk::new(self)
    }

    /// Returns copies of an object with one broken constraint each.
    pub fn broken_of<'s>(&'s self, object: &'s Value) -> impl Iterator<Item = Broken> + 's {
        let (mut maker, mut pool) = (self.maker(), self.work());
        let all = faults::breakable_parts(&self.created, object).into_iter();
        all.filter_map(move |breakable| self.break_one(object, &breakable, &mut maker, &mut pool))
    }

    /// Returns accepted objects in which one value just reaches a keyword's bound. Such values are the largest and the smallest number, the
    /// longest and the shortest string, list and map, and each value of an enum.
    pub fn boundaries(&self) -> impl Iterator<Item = Boundary> {
        let mut maker = self.maker();
        let object = self.full().ok();
        let object = object.unwrap_or_default();
        let all: Vec<(Steps, Fault, Value)> = faults::breakable_parts(&self.created, &object)
            .iter()
            .filter_map(|breakable| Some((breakable, get(&object, &breakable.at)?)))
            .flat_map(|(breakable, value)| {
                let values = bounds::values(&breakable.fault, breakable.schema, value, &mut maker);
                let (at, fault) = (breakable.at.clone(), breakable.fault.clone());
                values.into_iter().map(move |value| (at.clone(), fault.clone(), value)).collect::<Vec<_>>()
            })
            .collect();
        all.into_iter().filter_map(move |(at, keyword, value)| {
            let mut object = object.clone();
            put(&mut object, &at, value.clone());
            if self.validator().accepts(&object) {
                return Some(Boundary { object, at, keyword });
            }
            // A rule may want something else to change with it.
            let mut search = Search {
                schema: &self.created,
                validator: self.validator(),
                maker: &mut maker,
                style: Style::Minimal,
                budget: 60,
                pinned: Some(&at),
                target: None,
                is_desperate: false,
                steps_of_judgement: self.steps_of_judgement,
            };
            let object = search.accepted(object).ok()?;
            let found = get(&object, &at)?;
            let is_at_bound = match (found, &value) {
                (Value::Array(found), Value::Array(wanted)) => found.len() == wanted.len(),
                (Value::Object(found), Value::Object(wanted)) => found.len() == wanted.len(),
                (found, wanted) => found == wanted,
            };
            is_at_bound.then(|| Boundary { object, at: at.clone(), keyword })
        })
    }
}
