//! Finds changes to an object that probably satisfy or break a rule.
//!
//! The rule's expression is solved from the required result inwards. For example, if a conjunction must be true, both operands must be
//! true. If nothing can be solved, the values that the rule reads are replaced with constants from the rule (`guess`). The changed objects
//! are validated to see which change is right.

mod against;
mod compare;
mod guess;
mod known;
mod own;
mod pool;
mod solve;

use crd_cel::ast::{Comprehension, Expr, ExprId, ExprList, Literal};
use crd_cel::{Ast, parse, unescape_name};
use crd_core::Structural;
use crd_core::crd::ValidationRule;
use serde_json::Value;

use crate::change::{Change, Steps, below};
use crate::maker::Maker;

pub(crate) use against::{against, is_transition};
pub(crate) use guess::guesses;
pub(crate) use own::OwnRules;
pub(crate) use pool::pool;

/// Changes to an object that are made together.
pub(crate) type Plan = Vec<Change>;

/// Maximum number of plans for an expression.
const MOST_PLANS: usize = 16;

/// Returns plans after which a rule of the value at `at` returns `wanted`, the likeliest first.
pub(crate) fn plans(
    rule: &ValidationRule,
    wanted: bool,
    schema: &Structural,
    object: &Value,
    at: &[String],
    maker: &mut Maker,
) -> Vec<Plan> {
    let Ok(ast) = parse(&rule.rule) else { return Vec::new() };
    let scope = Scope { ast: &ast, object, at, variables: Vec::new() };
    let mut plans = Solver { scope, schema, maker }.solve(ast.root(), wanted, 0);
    plans.retain(|plan| !plan.is_empty());
    plans.truncate(2 * MOST_PLANS);
    plans
}

/// Solves a rule for an object.
struct Solver<'a> {
    scope: Scope<'a>,
    /// The schema of the whole object.
    schema: &'a Structural,
    maker: &'a mut Maker,
}

/// An expression, with the meanings of its variables.
#[derive(Clone)]
struct Scope<'a> {
    ast: &'a Ast<'a>,
    object: &'a Value,
    /// The path to `self` in the object.
    at: &'a [String],
    /// The variables of the enclosing loops, the innermost last.
    variables: Vec<(&'a str, Variable)>,
}

/// The value of a loop's variable, or the path to this value in the object.
#[derive(Clone, Debug)]
enum Variable {
    /// The path to a value in the object.
    Place(Steps),
    /// A value that is not part of the object, such as a map key.
    Value(Value),
    Unknown,
}

/// The macros that return a boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantifier {
    All,
    Exists,
    ExistsOne,
}

impl<'a> Scope<'a> {
    /// Returns the path in the object that an expression selects.
    fn place(&self, id: ExprId) -> Option<Steps> {
        match self.ast.expr(id) {
            Expr::Ident(name) => match self.variable(name.trim_start_matches('.'))? {
                Variable::Place(steps) => Some(steps),
                _ => None,
            },
            Expr::Select { operand, field, test_only: false } => {
                Some(below(&self.place(*operand)?, field_name(field)))
            }
            Expr::Call { function, target: None, args } => {
                let args = self.ast.list(*args);
                match (&**function, args) {
                    ("_[_]" | "_[?_]" | "_?._", [operand, key]) => {
                        let above = self.place(*operand)?;
                        match self.known(*key)? {
                            Value::String(name) if &**function == "_?._" => {
                                Some(below(&above, field_name(&name)))
                            }
                            Value::String(name) => Some(below(&above, name)),
                            Value::Number(index) => Some(below(&above, index.to_string())),
                            _ => None,
                        }
                    }
                    ("dyn" | "string", [operand]) => self.place(*operand),
                    _ => None,
                }
            }
            Expr::Call { function, target: Some(target), .. }
                if matches!(&**function, "orValue" | "value" | "trim") =>
            {
                self.place(*target)
            }
            _ => None,
        }
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        if let Some((_, variable)) = self.variables.iter().rev().find(|(known, _)| *known == name) {
            return Some(variable.clone());
        }
        (name == "self").then(|| Variable::Place(self.at.to_vec()))
    }

    /// Returns the value of a literal.
    fn literal(literal: &Literal<'_>) -> Option<Value> {
        Some(match literal {
            Literal::Null => Value::Null,
            Literal::Bool(truth) => Value::from(*truth),
            Literal::Int(number) => Value::from(*number),
            Literal::Uint(number) => Value::from(*number),
            Literal::Double(number) => crate::numbers::shortest(*number),
            Literal::String(text) => Value::from(&**text),
            Literal::Bytes(_) => return None,
        })
    }

    /// Recognizes the macros `all`, `exists` and `exists_one`, and returns the macro and the predicate.
    fn quantifier(&self, fold: &Comprehension<'_>) -> Option<(Quantifier, ExprId)> {
        let Expr::Call { function, target: None, args } = self.ast.expr(fold.step) else { return None };
        let args = self.ast.list(*args);
        match (self.ast.expr(fold.init), &**function, args) {
            (Expr::Literal(Literal::Bool(true)), "_&&_", [_, predicate]) => {
                Some((Quantifier::All, *predicate))
            }
            (Expr::Literal(Literal::Bool(false)), "_||_", [_, predicate]) => {
                Some((Quantifier::Exists, *predicate))
            }
            (Expr::Literal(Literal::Int(0)), "_?_:_", [predicate, _, _]) => {
                Some((Quantifier::ExistsOne, *predicate))
            }
            _ => None,
        }
    }

    /// Recognizes the macros `map` and `filter`, and returns the predicate and the expression for an item.
    fn mapping(&self, fold: &Comprehension<'_>) -> Option<(Option<ExprId>, ExprId)> {
        let call = |id: ExprId| match self.ast.expr(id) {
            Expr::Call { function, target: None, args } => Some((&**function, self.ast.list(*args))),
            _ => None,
        };
        let item = |id: ExprId| match call(id) {
            Some(("_+_", [_, list])) => match self.ast.expr(*list) {
                Expr::List { elements, .. } => self.ast.list(*elements).first().copied(),
                _ => None,
            },
            _ => None,
        };
        match (self.ast.expr(fold.init), call(fold.step)?) {
            (Expr::List { elements, .. }, _) if !elements.is_empty() => None,
            (Expr::List { .. }, ("_?_:_", [predicate, step, _])) => Some((Some(*predicate), item(*step)?)),
            (Expr::List { .. }, _) => Some((None, item(fold.step)?)),
            _ => None,
        }
    }

    /// Returns the meanings of a loop's two variables, for each element.
    fn elements(&self, fold: &Comprehension<'_>, most: usize) -> Vec<[Variable; 2]> {
        let place = self.place(fold.range);
        let Some(range) = self.known(fold.range) else { return Vec::new() };
        let element = |step: String, value: &Value| match &place {
            Some(place) => Variable::Place(below(place, step)),
            None => Variable::Value(value.clone()),
        };
        match &range {
            Value::Array(items) => items
                .iter()
                .enumerate()
                .take(most)
                .map(|(index, item)| {
                    let item = element(index.to_string(), item);
                    match fold.var2 {
                        Some(_) => [Variable::Value(index.into()), item],
                        None => [item, Variable::Unknown],
                    }
                })
                .collect(),
            Value::Object(fields) => fields
                .iter()
                .take(most)
                .map(|(key, value)| [Variable::Value(key.as_str().into()), element(key.clone(), value)])
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the scope for evaluating a loop's predicate for one element.
    fn inside(&self, fold: &Comprehension<'a>, [first, second]: [Variable; 2]) -> Self {
        let mut inside = self.clone();
        inside.variables.push((fold.var, first));
        inside.variables.extend(fold.var2.map(|name| (name, second)));
        inside
    }

    fn args(&self, args: ExprList) -> &'a [ExprId] {
        self.ast.list(args)
    }
}

/// Returns a field's name in the schema, without CEL's escapes.
fn field_name(escaped: &str) -> String {
    unescape_name(escaped).map_or_else(|| escaped.to_owned(), |name| name.into_owned())
}
