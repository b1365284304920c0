//! Computes the values of simple expressions.

use std::cmp::Ordering;

use crd_cel::ast::{Comprehension, Expr, ExprId};
use crd_go::re2::Regex;
use serde_json::Value;

use super::{Quantifier, Scope, Variable};
use crate::change::{below, get};

/// Maximum number of elements over which a macro is evaluated.
const MOST_ELEMENTS: usize = 64;

impl Scope<'_> {
    /// Returns the value of an expression. Returns `None` if the expression is not simple, or if it reads an absent value.
    pub(super) fn known(&self, id: ExprId) -> Option<Value> {
        match self.ast.expr(id) {
            Expr::Literal(literal) => Self::literal(literal),
            Expr::Ident(name) => match self.variable(name.trim_start_matches('.'))? {
                Variable::Place(steps) => get(self.object, &steps).cloned(),
                Variable::Value(value) => Some(value),
                Variable::Unknown => None,
            },
            Expr::Select { operand, field, test_only } => {
                let field = super::field_name(field);
                if !test_only {
                    return match self.place(*operand) {
                        Some(place) => get(self.object, &below(&place, field)).cloned(),
                        None => self.known(*operand)?.get(&field).cloned(),
                    };
                }
                let operand = self.known(*operand)?;
                Some(operand.get(&field).is_some_and(|value| !value.is_null()).into())
            }
            Expr::List { elements, .. } => {
                let elements = self.args(*elements).iter();
                elements.map(|element| self.known(*element)).collect::<Option<Vec<_>>>().map(Value::from)
            }
            Expr::Call { function, target, args } => self.called(function, *target, self.args(*args)),
            Expr::Comprehension(fold) => {
                self.known(fold.range)?;
                if let Some((predicate, transform)) = self.mapping(fold) {
                    return self.mapped(fold, predicate, transform);
                }
                let (quantifier, predicate) = self.quantifier(fold)?;
                let mut count = 0;
                for element in self.elements(fold, MOST_ELEMENTS) {
                    let holds = self.inside(fold, element).truth(predicate)?;
                    match (quantifier, holds) {
                        (Quantifier::All, false) => return Some(false.into()),
                        (Quantifier::Exists, true) => return Some(true.into()),
                        (_, holds) => count += usize::from(holds),
                    }
                }
                Some(match quantifier {
                    Quantifier::All => true.into(),
                    Quantifier::Exists => false.into(),
                    Quantifier::ExistsOne => (count == 1).into(),
                })
            }
            _ => None,
        }
    }

    /// Returns the resulting list of a `map` or `filter` macro.
    fn mapped(
        &self,
        fold: &Comprehension<'_>,
        predicate: Option<ExprId>,
        transform: ExprId,
    ) -> Option<Value> {
        let mut items = Vec::new();
        for element in self.elements(fold, MOST_ELEMENTS) {
            let inside = self.inside(fold, element);
            if predicate.map_or(Some(true), |predicate| inside.truth(predicate))? {
                items.push(inside.known(transform)?);
            }
        }
        Some(items.into())
    }

    /// Returns `true` for `oldSelf` and selections from it. In rules that run on new objects, `oldSelf` is an empty optional.
    fn is_old(&self, id: ExprId) -> bool {
        match self.ast.expr(id) {
            Expr::Ident(name) => name.trim_start_matches('.') == "oldSelf",
            Expr::Select { operand, .. } => self.is_old(*operand),
            Expr::Call { function, target: None, args } if matches!(&**function, "_?._" | "_[?_]") => {
                self.args(*args).first().is_some_and(|operand| self.is_old(*operand))
            }
            _ => false,
        }
    }

    pub(super) fn truth(&self, id: ExprId) -> Option<bool> {
        self.known(id)?.as_bool()
    }

    fn called(&self, function: &str, target: Option<ExprId>, args: &[ExprId]) -> Option<Value> {
        match (function, target, args) {
            ("_&&_", None, [a, b]) => match (self.truth(*a), self.truth(*b)) {
                (Some(false), _) | (_, Some(false)) => Some(false.into()),
                (Some(true), Some(true)) => Some(true.into()),
                _ => None,
            },
            ("_||_", None, [a, b]) => match (self.truth(*a), self.truth(*b)) {
                (Some(true), _) | (_, Some(true)) => Some(true.into()),
                (Some(false), Some(false)) => Some(false.into()),
                _ => None,
            },
            ("!_", None, [a]) => Some((!self.truth(*a)?).into()),
            ("_?_:_", None, [condition, a, b]) => self.known(if self.truth(*condition)? { *a } else { *b }),
            ("_==_", None, [a, b]) => Some(same(&self.known(*a)?, &self.known(*b)?).into()),
            ("_!=_", None, [a, b]) => Some((!same(&self.known(*a)?, &self.known(*b)?)).into()),
            ("_<_" | "_<=_" | "_>_" | "_>=_", None, [a, b]) => {
                let ordering = order(&self.known(*a)?, &self.known(*b)?)?;
                Some(holds(function, ordering).into())
            }
            ("@in", None, [a, b]) => {
                let (element, range) = (self.known(*a)?, self.known(*b)?);
                match &range {
                    Value::Array(items) => Some(items.iter().any(|item| same(item, &element)).into()),
                    Value::Object(fields) => Some(fields.contains_key(element.as_str()?).into()),
                    _ => None,
                }
            }
            ("_+_", None, [a, b]) => match (self.known(*a)?, self.known(*b)?) {
                (Value::String(a), Value::String(b)) => Some((a + &b).into()),
                (a, b) => Some(a.as_i64()?.checked_add(b.as_i64()?)?.into()),
            },
            ("_-_" | "_*_" | "_/_" | "_%_", None, [a, b]) => {
                calculated(function, self.known(*a)?.as_i64()?, self.known(*b)?.as_i64()?).map(Value::from)
            }
            ("-_", None, [a]) => self.known(*a)?.as_i64()?.checked_neg().map(Value::from),
            ("_[_]", None, [operand, key]) => match self.known(*key)? {
                Value::String(name) => self.known(*operand)?.get(&name).cloned(),
                key => self.known(*operand)?.get(usize::try_from(key.as_u64()?).ok()?).cloned(),
            },
            ("size", Some(value), []) => size(&self.known(value)?),
            ("size", None, [value]) => size(&self.known(*value)?),
            ("orValue", Some(target), [or]) => self.known(target).or_else(|| self.known(*or)),
            ("hasValue", Some(target), []) if self.is_old(target) => Some(false.into()),
            ("hasValue", Some(target), []) => {
                self.place(target).map(|place| get(self.object, &place).is_some().into())
            }
            ("startsWith" | "endsWith" | "contains" | "matches", Some(target), [text]) => {
                let (value, text) = (self.known(target)?, self.known(*text)?);
                let (value, text) = (value.as_str()?, text.as_str()?);
                Some(match function {
                    "startsWith" => value.starts_with(text).into(),
                    "endsWith" => value.ends_with(text).into(),
                    "contains" => value.contains(text).into(),
                    _ => Regex::new(text).ok()?.is_match(value).into(),
                })
            }
            _ => None,
        }
    }
}

/// Returns the result of an operation on integers. Returns `None` if a quotient is not whole, because an operand may then be a double.
fn calculated(function: &str, a: i64, b: i64) -> Option<i64> {
    match function {
        "_-_" => a.checked_sub(b),
        "_*_" => a.checked_mul(b),
        "_%_" => a.checked_rem(b),
        _ => (a.checked_rem(b)? == 0).then(|| a.checked_div(b))?,
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => crd_go::json::deep_equal(a, b),
    }
}

fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (a, b) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn holds(operator: &str, ordering: Ordering) -> bool {
    match operator {
        "_<_" => ordering.is_lt(),
        "_<=_" => ordering.is_le(),
        "_>_" => ordering.is_gt(),
        _ => ordering.is_ge(),
    }
}

fn size(value: &Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => text.chars().count().into(),
        Value::Array(items) => items.len().into(),
        Value::Object(fields) => fields.len().into(),
        _ => return None,
    })
}
