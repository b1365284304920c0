//! Direct evaluation of `all`, `exists` and `exists_one`. Results, errors and costs are the same as for the macros' expansions.

use super::Error;
use super::implementation::Outcome;
use super::node::{Aim, Attribute, Base, Fold, Node, Search};
use super::run::Run;
use super::value::Value;
use crate::operator::Operator;

impl Search {
    /// Converts a loop to an equivalent search. If there is none, the loop is returned unchanged, in `Err`.
    pub(super) fn from_fold(fold: Box<Fold>) -> Result<Node, Box<Fold>> {
        let Some(aim) = aim(&fold) else { return Err(fold) };
        let fold = *fold;
        let Fold { range, var, var2, .. } = fold;
        match predicate(fold.step) {
            Ok(predicate) => Ok(Node::Search(Box::new(Self { range, var, var2, predicate, aim }))),
            Err(step) => Err(Box::new(Fold { range, step: *step, ..fold })),
        }
    }
}

/// Recognizes the loop's macro and returns its aim. `all` continues while the accumulator is not false, `exists` continues while the
/// accumulator is not true, and `exists_one` counts.
fn aim(fold: &Fold) -> Option<Aim> {
    let is_accumulator = |node: &Node| node.is_slot(fold.accumulator);
    match (&fold.init, &fold.condition, &fold.step) {
        (Node::Const(Value::Bool(true)), Some(Node::NotFalse(arg)), Node::And(terms))
            if is_accumulator(arg) && is_accumulator(&terms[0]) && is_accumulator(&fold.result) =>
        {
            Some(Aim::First(false))
        }
        (Node::Const(Value::Bool(false)), Some(Node::NotFalse(arg)), Node::Or(terms))
            if arg.is_call(Operator::Not, |args| matches!(args, [arg] if is_accumulator(arg)))
                && is_accumulator(&terms[0])
                && is_accumulator(&fold.result) =>
        {
            Some(Aim::First(true))
        }
        (Node::Const(Value::Int(0)), None, Node::Attribute(step)) => {
            let with_one =
                |args: &[Node]| matches!(args, [arg, Node::Const(Value::Int(1))] if is_accumulator(arg));
            let Attribute { base: Base::Conditional(parts), qualifiers, is_test: false } = &**step else {
                return None;
            };
            let counts = qualifiers.is_empty()
                && parts[1].is_call(Operator::Add, with_one)
                && is_accumulator(&parts[2]);
            (counts && fold.result.is_call(Operator::Equal, with_one)).then_some(Aim::One)
        }
        _ => None,
    }
}

/// Returns the predicate in a search's step. If the step has another form, it is returned unchanged, in `Err`.
fn predicate(step: Node) -> Result<Node, Box<Node>> {
    match step {
        Node::And(terms) | Node::Or(terms) => {
            let [_, predicate] = *terms;
            Ok(predicate)
        }
        Node::Attribute(attribute) => match *attribute {
            Attribute { base: Base::Conditional(parts), .. } => {
                let [predicate, ..] = *parts;
                Ok(predicate)
            }
            other => Err(Box::new(Node::Attribute(Box::new(other)))),
        },
        other => Err(Box::new(other)),
    }
}

impl<'v> Run<'v> {
    #[inline(never)]
    pub(super) fn search(&mut self, search: &'v Search) -> Outcome<'v> {
        let range = self.eval(&search.range)?;
        match search.aim {
            Aim::First(deciding) => self.first(search, range, deciding),
            Aim::One => self.one(search, range),
        }
    }

    /// Searches for an element for which the predicate is `deciding`. Each element costs as much as the loop's condition and a read of the
    /// accumulator. The result costs 1.
    fn first(&mut self, search: &'v Search, range: Value<'v>, deciding: bool) -> Outcome<'v> {
        let condition = if deciding { 3 } else { 2 };
        let mut found = Ok(!deciding);
        self.each(range, (search.var, search.var2), |run| {
            run.meter.charge_each(condition)?;
            if found == Ok(deciding) {
                return Ok(false);
            }
            run.meter.charge_each(1)?;
            let mark = run.meter.mark();
            let answer = run.eval(&search.predicate);
            run.meter.release(mark, &answer);
            match answer {
                Ok(Value::Bool(value)) if value == deciding => found = Ok(deciding),
                Ok(Value::Bool(_)) => {}
                Err(error) if error.ends_run() => return Err(error),
                // The first error stays until an element decides.
                Err(error) if found.is_ok() => found = Err(error),
                Ok(_) if found.is_ok() => found = Err(Error::no_such_overload()),
                _ => {}
            }
            Ok(true)
        })?;
        self.meter.charge_each(1)?;
        found.map(Value::Bool)
    }

    /// Determines if the predicate is true for exactly one element. Incrementing the counter costs 2, and so does comparing the result.
    fn one(&mut self, search: &'v Search, range: Value<'v>) -> Outcome<'v> {
        let mut count = Ok(0);
        self.each(range, (search.var, search.var2), |run| {
            let mark = run.meter.mark();
            let answer = run.eval(&search.predicate);
            run.meter.release(mark, &answer);
            match answer {
                Ok(Value::Bool(true)) => {
                    run.meter.charge_each(2)?;
                    count = count.clone().map(|count| count + 1);
                }
                Ok(Value::Bool(false)) => {}
                Err(error) if error.ends_run() => return Err(error),
                // The last error stays.
                Err(error) => count = Err(error),
                Ok(_) => count = Err(Error::no_such_overload()),
            }
            Ok(true)
        })?;
        self.meter.charge_each(2)?;
        count.map(|count: u64| Value::Bool(count == 1))
    }
}
