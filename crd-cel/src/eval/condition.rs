//! Evaluates conditions directly: computes the truth value without creating a [`Value`] for each part.
//!
//! This is a fast path for conditions without errors. It has the same truth values and costs as [`Run::eval`]. If it yields no result, the
//! condition is evaluated again, with [`Run::eval`].

use super::data::Scalar;
use super::implementation::Comparison;
use super::node::{Aim, Attribute, Base, Call, Node, Search};
use super::run::Run;
use super::select::Found;
use super::value::{CelString, Value};
use crate::operator::Operator;

/// A scalar value, with the cost and the CPU work of reading it.
struct ReadScalar<'v> {
    scalar: Scalar<'v>,
    cost: u64,
    work: u64,
}

/// Direct evaluation may use 1/16 of the remaining CPU work. The work counts even if there is no result.
const SHARE_OF_WORK: u64 = 16;

impl Node {
    /// Returns `true` if direct evaluation can be tried. The expression must have type `bool`.
    pub(super) fn is_condition(&self) -> bool {
        match self {
            Self::And(_) | Self::Or(_) | Self::InSet(_) | Self::Search(_) | Self::Attribute(_) => true,
            Self::Call(call) => call.implementation.comparison.is_some() || call.is_negation(),
            _ => false,
        }
    }
}

impl Call {
    fn is_negation(&self) -> bool {
        *self.name == *Operator::Not.name()
    }
}

impl<'v> Run<'v> {
    /// Returns the truth value of a condition. Returns `None` in case of an error. An error takes CPU work, but no cost is charged for
    /// it.
    pub(super) fn truth(&mut self, condition: &'v Node) -> Option<bool> {
        let before = self.meter.begin_trial(SHARE_OF_WORK);
        let truth = self.holds(condition);
        self.meter.end_trial(before, truth.is_some());
        truth
    }

    fn holds(&mut self, node: &'v Node) -> Option<bool> {
        match node {
            Node::Const(Value::Bool(value)) => Some(*value),
            Node::And(terms) => Some(self.holds(&terms[0])? && self.holds(&terms[1])?),
            Node::Or(terms) => Some(self.holds(&terms[0])? || self.holds(&terms[1])?),
            Node::Attribute(attribute) => self.attribute_holds(attribute, true),
            Node::Call(call) => self.call_holds(call),
            Node::InSet(parts) => match self.scalar(&parts.0) {
                Some(ReadScalar { scalar: Scalar::Text(text), cost, work }) => {
                    self.meter.charge_each(cost).ok()?;
                    let needle = Value::from(text);
                    self.meter.work(work).and_then(|()| self.meter.work_on_key(&needle)).ok()?;
                    parts.1.contains(&needle).ok()
                }
                _ => self.value_holds(node),
            },
            Node::Search(search) => match search.aim {
                Aim::First(deciding) => self.search_holds(search, deciding),
                Aim::One => self.value_holds(node),
            },
            _ => self.value_holds(node),
        }
    }

    /// Returns the truth value of an expression that cannot be evaluated directly.
    fn value_holds(&mut self, node: &'v Node) -> Option<bool> {
        match self.eval(node) {
            Ok(Value::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns the truth value of an attribute. `is_charged` has the same meaning as for [`Run::attribute`].
    fn attribute_holds(&mut self, attribute: &'v Attribute, is_charged: bool) -> Option<bool> {
        if let Base::Conditional(parts) = &attribute.base
            && attribute.qualifiers.is_empty()
        {
            let [condition, yes, no] = &**parts;
            return match if self.holds(condition)? { yes } else { no } {
                Node::Attribute(branch) => self.attribute_holds(branch, false),
                branch => self.holds(branch),
            };
        }
        if let Some(ReadScalar { scalar: Scalar::Bool(value), cost, work }) = self.field(attribute) {
            let free = u64::from(!is_charged && !attribute.is_test);
            self.meter.charge_each(cost - free).ok()?;
            self.meter.work(work).ok()?;
            return Some(value);
        }
        match self.attribute(attribute, is_charged) {
            Ok(Value::Bool(value)) => Some(value),
            _ => None,
        }
    }

    fn call_holds(&mut self, call: &'v Call) -> Option<bool> {
        match (&*call.args, call.implementation.comparison) {
            ([left, right], Some(comparison)) => {
                if let Some((left, right)) = self.scalar(left).zip(self.scalar(right))
                    && let Some((result, cost, work)) = compared(call, comparison, left.scalar, right.scalar)
                {
                    self.meter.charge_each(left.cost + right.cost).ok()?;
                    self.meter.work(left.work + right.work + work).ok()?;
                    self.meter.charge(cost).ok()?;
                    return Some(result);
                }
            }
            ([arg], None) if call.is_negation() => {
                let value = self.holds(arg)?;
                self.meter.charge_each(1).ok()?;
                return Some(!value);
            }
            _ => {}
        }
        match self.call(call) {
            Ok(Value::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// Evaluates `all` and `exists`, with the costs of [`Run::search`].
    fn search_holds(&mut self, search: &'v Search, deciding: bool) -> Option<bool> {
        let range = self.eval(&search.range).ok()?;
        let condition = if deciding { 3 } else { 2 };
        let mut found = Some(!deciding);
        let end = self.each(range, (search.var, search.var2), |run| {
            run.meter.charge_each(condition)?;
            if found == Some(deciding) {
                return Ok(false);
            }
            run.meter.charge_each(1)?;
            let mark = run.meter.mark();
            found = run.holds(&search.predicate);
            run.meter.release_all(mark);
            Ok(found.is_some())
        });
        end.and_then(|()| self.meter.charge_each(1)).ok()?;
        found
    }

    /// Returns a scalar: a constant, a variable, a field, or the size of a string, list or map. Returns `None` for other values. Nothing is
    /// charged.
    fn scalar(&self, node: &'v Node) -> Option<ReadScalar<'v>> {
        let scalar = match node {
            Node::Const(Value::String(text)) => Scalar::Text(text),
            Node::Const(Value::Int(number)) => Scalar::Int(*number),
            Node::Const(Value::Bool(value)) => Scalar::Bool(*value),
            Node::Attribute(attribute) => return self.field(attribute),
            Node::Call(call) => return self.size(call),
            _ => return None,
        };
        Some(ReadScalar { scalar, cost: 0, work: 0 })
    }

    fn field(&self, attribute: &'v Attribute) -> Option<ReadScalar<'v>> {
        let steps = attribute.qualifiers.len() as u64;
        let found = self.fields(attribute)?;
        if attribute.is_test {
            let is_present = match found {
                Found::Data(data) if data.decoded_bytes() == 0 && data.value().is_ok() => true,
                Found::Nothing => false,
                Found::Data(_) | Found::Value(_) => return None,
            };
            // A name in `has(...)` costs nothing.
            return Some(ReadScalar { scalar: Scalar::Bool(is_present), cost: steps, work: 0 });
        }
        let scalar = match found {
            Found::Data(data) => data.scalar()?,
            Found::Value(Value::String(CelString::Borrowed(text))) => Scalar::Text(text),
            Found::Value(Value::Int(number)) => Scalar::Int(number),
            Found::Value(Value::Bool(value)) => Scalar::Bool(value),
            Found::Value(_) | Found::Nothing => return None,
        };
        Some(ReadScalar { scalar, cost: steps + 1, work: 0 })
    }

    /// Returns the size of a string, a list or a map.
    fn size(&self, call: &'v Call) -> Option<ReadScalar<'v>> {
        let [Node::Attribute(attribute)] = &*call.args else { return None };
        if call.name != "size" || attribute.is_test {
            return None;
        }
        let value = match self.fields(attribute)? {
            Found::Data(data) if data.decoded_bytes() == 0 => data.value().ok()?,
            Found::Value(value) => value,
            Found::Data(_) | Found::Nothing => return None,
        };
        let work = match &value {
            Value::String(text) => text.len() as u64 / 8,
            Value::List(_) | Value::Map(_) => 0,
            _ => return None,
        };
        let size = i64::try_from(value.size()?).ok()?;
        Some(ReadScalar { scalar: Scalar::Int(size), cost: attribute.qualifiers.len() as u64 + 2, work })
    }
}

/// Returns a comparison's result, with its cost and CPU work. Returns `None` if a function call is needed to compare the sides.
fn compared(
    call: &Call,
    comparison: Comparison,
    left: Scalar<'_>,
    right: Scalar<'_>,
) -> Option<(bool, u64, u64)> {
    match (left, right) {
        (Scalar::Int(left), Scalar::Int(right)) => Some((comparison.holds(&left, &right), 1, 0)),
        (Scalar::Bool(left), Scalar::Bool(right)) if comparison.is_of_equality() => {
            Some((comparison.holds(&left, &right), 1, 0))
        }
        (Scalar::Text(left), Scalar::Text(right)) => {
            let work = left.len() / 8 + right.len() / 8;
            Some((comparison.holds(left, right), call.charge.cost_of_strings(left, right)?, work as u64))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::eval::{Data, DataKind, DataType, ListType, Program, Value};

    fn data_type() -> DataType {
        let text = || DataType::new(DataKind::String);
        let item = DataKind::object([
            ("k", text()),
            ("n", DataType::new(DataKind::Int)),
            ("long", text()),
            ("date", DataType::new(DataKind::Date)),
        ]);
        let list = |of| DataType::new(DataKind::List(Box::new(of), ListType::Atomic));
        DataType::new(DataKind::object([
            ("b", DataType::new(DataKind::Bool)),
            ("n", DataType::new(DataKind::Int)),
            ("d", DataType::new(DataKind::Double)),
            ("either", DataType::new(DataKind::IntOrString)),
            ("s", text()),
            ("wrong", DataType::new(DataKind::Int)),
            ("date", DataType::new(DataKind::Date)),
            ("any", DataType::new(DataKind::Preserved)),
            ("l", list(DataType::new(item.clone()))),
            ("names", list(text())),
            ("m", DataType::new(DataKind::Map(Box::new(DataType::new(item))))),
        ]))
    }

    /// Checks that direct and ordinary evaluation have the same result and cost, under every cost limit.
    fn check(conditions: &[&str]) {
        let json = json!({
            "b": true, "n": 3, "d": 0.5, "either": "a", "s": "\u{e4}bc defghi jklmnop", "wrong": "x", "date": "2024-02-29",
            "any": {"x": 1}, "names": ["a", "b", "a longer name than ten"],
            "l": [{"k": "a", "n": 1}, {"k": "b", "long": "more than ten letters"}, {"date": "no date"}],
            "m": {"x": {"k": "x"}, "y": {"n": 7}},
        });
        let data_type = data_type();
        for condition in conditions {
            let ast = crate::parse(condition).expect(condition);
            let mut program = Program::unchecked(&ast, &["self", "oldSelf"]).expect(condition);
            let evaluate = |program: &Program, limit| {
                let variables = [Some(Value::from_data(Data::new(&json, &data_type))), None];
                let evaluation = program.run(variables, limit);
                (format!("{:?}", evaluation.result), evaluation.cost)
            };
            program.is_condition = false;
            let (_, cost) = evaluate(&program, Program::CALL_LIMIT);
            let limits = (0..=cost + 1).chain([Program::CALL_LIMIT]);
            let expected: Vec<_> = limits.clone().map(|limit| evaluate(&program, limit)).collect();
            assert!(program.root.is_condition(), "{condition}");
            program.is_condition = true;
            let found: Vec<_> = limits.map(|limit| evaluate(&program, limit)).collect();
            assert_eq!(found, expected, "{condition}");
        }
    }

    #[test]
    fn conditions_have_the_values_and_costs_of_their_steps() {
        check(&[
            "self.b && self.n == 3",
            "self.n > 5 || self.either == 'a'",
            "!self.b || !(self.n <= 2)",
            "self.b == true && self.b != has(self.s)",
            "self.s != 'x' && self.s < 'z' && self.s >= self.either",
            "self.s == '' || '' == self.s",
            "self.d == 0.5 && self.d > 0.1 && self.n < 3.5",
            "has(self.b) && !has(self.zzz) && has(self.l) && has(self.date)",
            "has(self.wrong) || has(self.any)",
            "self.n == 3 ? self.b : self.n > 1",
            "(self.n == 4 ? self.b : has(self.n)) && true",
            "self.n in [1, 2, 3] && self.s in ['a', 'b'] || self.either in ['a']",
            "self.n in ['a', 'b'] || self.b in [true]",
            "self.l.all(x, has(x.k) || has(x.date))",
            "self.l.exists(x, x.k == 'b')",
            "self.l.exists_one(x, has(x.k) && x.k == 'b')",
            "self.names.all(x, x != 'b') || self.names.exists(x, x == 'b')",
            "self.names.all(x, self.names.exists(y, x == y))",
            "self.m.all(k, k != 'z' && has(self.m[k].k))",
            "self.m.exists(k, v, has(v.n) && v.n == 7)",
            "size(self.l) == 3 && self.names.size() > 2 && self.s.size() < 30 && self.m.size() == self.l.size() - 1",
            "self.names.filter(x, x == 'a').size() == 1",
            "self.s.matches('^.bc') && self.either.startsWith('a') && !self.s.contains('zz')",
            "self.names[0] == 'a' && self.m.x.k == 'x' && self['n'] == 3",
            "self.?n.orValue(1) == 3 && optional.none() == self.?zzz",
            "self.date > timestamp('2020-01-01T00:00:00Z')",
            "self.any == self.any && self.l[0] == self.l[0]",
            "[1, 2].all(x, x < self.n) && {'a': 1}.all(k, k == 'a')",
        ]);
    }

    #[test]
    fn errors_are_those_of_their_steps() {
        check(&[
            "self.wrong == 1",
            "self.wrong == 1 || self.b",
            "self.zzz && false",
            "!self.zzz",
            "!self.n",
            "self.n && self.b",
            "self.n == 3 ? self.n : self.b",
            "self.l.all(x, x.n > 0)",
            "self.l.all(x, x.k == 'a')",
            "self.l.exists(x, x.n == 1)",
            "self.l.all(x, x.date > timestamp('2020-01-01T00:00:00Z'))",
            "self.n.all(x, true)",
            "self.names.all(x, size(x) > self.zzz.size())",
            "size(self.n) == 1 || size(self.b) == 1",
            "self.s > self.n",
            "oldSelf == self.n",
            "self.n in self.zzz || self.zzz in [1]",
            "1 / 0 == 1 && self.b",
        ]);
    }
}
