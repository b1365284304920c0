//! Runs `all` and `exists`, which stop at the first element that decides.

use super::Error;
use super::node::{Node, Search};
use super::run::{Outcome, Run};
use super::value::Value;

impl Search {
    /// The search that a loop is, where it is one: `accumulator && predicate` while the accumulator is not false, or
    /// `accumulator || predicate` while it is not true.
    pub(super) fn of(fold: super::node::Fold) -> Node {
        let is_accumulator = |node: &Node| node.is_slot(fold.accumulator);
        let is_all = matches!(&fold.init, Node::Const(Value::Bool(true)))
            && matches!(&fold.condition, Node::NotFalse(arg) if is_accumulator(arg))
            && matches!(&fold.step, Node::And(terms) if is_accumulator(&terms[0]));
        let is_exists = matches!(&fold.init, Node::Const(Value::Bool(false)))
            && matches!(&fold.condition, Node::NotFalse(arg) if arg.is_negation_of(fold.accumulator))
            && matches!(&fold.step, Node::Or(terms) if is_accumulator(&terms[0]));
        if !(is_all || is_exists) || !is_accumulator(&fold.result) {
            return Node::Fold(Box::new(fold));
        }
        match fold.step {
            Node::And(terms) | Node::Or(terms) => {
                let [_, predicate] = *terms;
                let (range, var, var2) = (fold.range, fold.var, fold.var2);
                Node::Search(Box::new(Self { range, var, var2, predicate, deciding: is_exists }))
            }
            step => Node::Fold(Box::new(super::node::Fold { step, ..fold })),
        }
    }
}

impl<'v> Run<'v> {
    /// What is charged is what the loop would cost: its condition, the accumulator that its step reads, and its result.
    pub(super) fn search(&mut self, search: &'v Search) -> Outcome<'v> {
        let range = self.eval(&search.range)?;
        let deciding = search.deciding;
        let condition = if deciding { 3 } else { 2 };
        let mut found = Ok(!deciding);
        self.each(range, (search.var, search.var2), |run| {
            run.meter.charge_each(condition)?;
            if found == Ok(deciding) {
                return Ok(false);
            }
            run.meter.charge(1)?;
            match run.eval(&search.predicate) {
                Ok(Value::Bool(value)) if value == deciding => found = Ok(deciding),
                Ok(Value::Bool(_)) => {}
                Err(error) if error.is_limit() => return Err(error),
                // The first error stays until an element decides.
                Err(error) if found.is_ok() => found = Err(error),
                Ok(_) if found.is_ok() => found = Err(Error::no_such_overload()),
                _ => {}
            }
            Ok(true)
        })?;
        self.meter.charge(1)?;
        found.map(Value::Bool)
    }
}
