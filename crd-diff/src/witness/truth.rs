//! Truth tables, for deciding whether a condition follows from other conditions.

use std::collections::HashMap;

use crate::work::Work;

/// The maximum number of facts, whose values are the columns of the table.
const MOST_FACTS: usize = 9;
/// The maximum number of nodes in all formulas.
const MOST_NODES: usize = 300;

/// The number of formula nodes that can be evaluated in one step.
const NODES_IN_STEP: u64 = 10;

/// The value of a condition: true, false, or an error, as in CEL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    False,
    True,
    Fails,
}

/// A condition that combines facts with logical operators. A fact is an expression that is not analyzed further.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    Known(Truth),
    Fact(usize),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
    /// Exactly one of the formulas is true.
    One(Vec<Self>),
    If(Box<[Self; 3]>),
}

/// The facts in several formulas, by text.
#[derive(Default)]
pub(super) struct Facts {
    known: HashMap<String, usize>,
    /// `true` for facts whose evaluation can fail.
    may_fail: Vec<bool>,
}

impl Facts {
    /// Returns the fact with this text, which all formulas share.
    pub(super) fn fact(&mut self, text: String, may_fail: bool) -> Formula {
        let next = self.may_fail.len();
        let index = *self.known.entry(text).or_insert(next);
        if index == next {
            self.may_fail.push(may_fail);
        }
        Formula::Fact(index)
    }

    /// Returns `true` if a condition is true whenever all premises are true. Returns `false` if there are too many facts, or too few steps
    /// are left to decide.
    pub(super) fn follows(&self, work: &Work, premises: &[Formula], condition: &Formula) -> bool {
        let size: usize = premises.iter().chain([condition]).map(Formula::size).sum();
        if self.may_fail.len() > MOST_FACTS || size > MOST_NODES {
            return false;
        }
        let rows: u64 = self.may_fail.iter().map(|may_fail| if *may_fail { 3 } else { 2 }).product();
        let steps = rows * size as u64 / NODES_IN_STEP;
        if !work.has(steps) {
            return false;
        }
        work.take(steps);
        let mut values = vec![Truth::False; self.may_fail.len()];
        loop {
            let holds = |formula: &Formula| formula.value(&values) == Truth::True;
            if premises.iter().all(holds) && !holds(condition) {
                return false;
            }
            if !self.advance(&mut values) {
                return true;
            }
        }
    }

    /// Advances to the next combination of values for the facts. Returns `false` after the last combination.
    fn advance(&self, values: &mut [Truth]) -> bool {
        for (value, may_fail) in values.iter_mut().zip(&self.may_fail) {
            *value = match value {
                Truth::False => Truth::True,
                Truth::True if *may_fail => Truth::Fails,
                _ => Truth::False,
            };
            if *value != Truth::False {
                return true;
            }
        }
        false
    }
}

impl Formula {
    pub(super) fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    fn size(&self) -> usize {
        1 + match self {
            Self::Known(_) | Self::Fact(_) => 0,
            Self::Not(one) => one.size(),
            Self::All(all) | Self::Any(all) | Self::One(all) => all.iter().map(Self::size).sum(),
            Self::If(parts) => parts.iter().map(Self::size).sum(),
        }
    }

    fn value(&self, facts: &[Truth]) -> Truth {
        // One value decides, whatever fails next to it.
        let joined = |all: &[Self], deciding: Truth, other: Truth| {
            let mut values = all.iter().map(|part| part.value(facts));
            let mut found = other;
            let is_decided = values.any(|value| {
                found = if value == Truth::Fails { value } else { found };
                value == deciding
            });
            if is_decided { deciding } else { found }
        };
        match self {
            Self::Known(value) => *value,
            Self::Fact(index) => facts[*index],
            Self::Not(one) => match one.value(facts) {
                Truth::False => Truth::True,
                Truth::True => Truth::False,
                Truth::Fails => Truth::Fails,
            },
            Self::All(all) => joined(all, Truth::False, Truth::True),
            Self::Any(all) => joined(all, Truth::True, Truth::False),
            Self::One(all) => {
                let held = all.iter().filter(|part| part.value(facts) == Truth::True).count();
                if held == 1 { Truth::True } else { Truth::False }
            }
            Self::If(parts) => match parts[0].value(facts) {
                Truth::True => parts[1].value(facts),
                Truth::False => parts[2].value(facts),
                Truth::Fails => Truth::Fails,
            },
        }
    }
}
