//! Direct evaluation of `map`, `filter` and `transformList`. Results, errors and costs are the same as for the macros' expansions.

use super::Error;
use super::implementation::Outcome;
use super::list::List;
use super::node::{Attribute, Base, Fold, Gather, Node};
use super::run::{LIST, Run};
use super::value::Value;

impl Gather {
    /// Converts a loop whose step is `accumulator + [element]`, with or without a condition. Any other loop is returned unchanged, in
    /// `Err`.
    pub(super) fn from_fold(fold: Box<Fold>) -> Result<Node, Box<Fold>> {
        let is_accumulator = |node: &Node| node.is_slot(fold.accumulator);
        let is_append = |node: &Node| matches!(node, Node::Append { slot, .. } if *slot == fold.accumulator);
        let is_conditional = |step: &Attribute| {
            step.qualifiers.is_empty()
                && !step.is_test
                && matches!(&step.base, Base::Conditional(parts) if is_append(&parts[1]) && is_accumulator(&parts[2]))
        };
        let gathers = match &fold.step {
            Node::Attribute(step) => is_conditional(step),
            step => is_append(step),
        };
        let begins = matches!(&fold.init, Node::Const(Value::List(list)) if list.is_empty());
        if !(begins && gathers && fold.condition.is_none() && is_accumulator(&fold.result)) {
            return Err(fold);
        }
        let Fold { range, var, var2, step, .. } = *fold;
        let (filter, append) = split(step);
        let (element, is_constant) = match append {
            Node::Append { element, is_constant, .. } => (*element, is_constant),
            other => (other, false),
        };
        Ok(Node::Gather(Box::new(Self { range, var, var2, filter, element, is_constant })))
    }
}

/// Returns a step's condition, and the operation that depends on the condition.
fn split(step: Node) -> (Option<Node>, Node) {
    match step {
        Node::Attribute(attribute) => match *attribute {
            Attribute { base: Base::Conditional(parts), .. } => {
                let [filter, append, _] = *parts;
                (Some(filter), append)
            }
            other => (None, Node::Attribute(Box::new(other))),
        },
        step => (None, step),
    }
}

impl<'v> Run<'v> {
    #[inline(never)]
    pub(super) fn gather(&mut self, gather: &'v Gather) -> Outcome<'v> {
        let range = self.eval(&gather.range)?;
        let mut values = Ok(Vec::new());
        self.each(range, (gather.var, gather.var2), |run| {
            if let Some(filter) = &gather.filter {
                let mark = run.meter.mark();
                let answer = run.eval(filter);
                run.meter.release(mark, &answer);
                match answer {
                    Ok(Value::Bool(true)) => {}
                    Ok(Value::Bool(false)) => return Ok(true),
                    Err(error) if error.ends_run() => return Err(error),
                    // The condition's last error stays.
                    Err(error) => {
                        values = Err(error);
                        return Ok(true);
                    }
                    Ok(_) => {
                        values = Err(Error::no_such_overload());
                        return Ok(true);
                    }
                }
            }
            // The accumulator is read first; then come the list of one element, and the sum.
            run.meter.charge_each(1)?;
            let element = run.operand(&gather.element)?;
            if !gather.is_constant {
                run.meter.charge(LIST)?;
            }
            run.meter.charge_each(1)?;
            run.meter.allocate_pushed()?;
            match (&mut values, element) {
                (Ok(gathered), Ok(element)) => gathered.push(element),
                (Ok(_), Err(error)) => values = Err(error),
                // An element's first error stays.
                (Err(_), _) => {}
            }
            Ok(true)
        })?;
        self.meter.charge_each(1)?;
        values.map(|values| Value::List(List::from(values)))
    }
}
