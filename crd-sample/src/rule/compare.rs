//! Solves comparisons in a rule. A plan changes the object so that the comparison has the required result, by setting one side to a value
//! that fits the other side.

use crd_cel::ast::{Expr, ExprId};
use crd_core::schema::SchemaType;
use serde_json::{Value, json};

use super::{Plan, Solver};
use crate::change::{Change, get, schema_at};
use crate::maker::Style;
use crate::numbers;

/// Lists and strings with this length or more are not built.
const LONGEST: i64 = 4096;
/// Maximum depth to which terms are solved. Values in deeper terms are only guessed.
const DEEPEST: usize = 12;

impl Solver<'_> {
    pub(super) fn compare(&mut self, operator: &str, a: ExprId, b: ExprId, wanted: bool) -> Vec<Plan> {
        let operator = if wanted { operator } else { opposite(operator) };
        let mut plans = Vec::new();
        for (side, operator, other) in [(a, operator, b), (b, mirrored(operator), a)] {
            if let Some(value) = self.side(other) {
                plans.extend(self.reach(side, operator, &value, 0));
            }
        }
        let sides = [a, b].into_iter().filter_map(|side| self.scope.place(self.operand(side)));
        plans.extend(sides.map(|at| vec![Change::Remove(at)]).collect::<Vec<_>>());
        plans
    }

    /// Returns the value of one side of a comparison. For a call that parses a string, such as `duration(...)`, this is the string.
    fn side(&self, id: ExprId) -> Option<Value> {
        self.scope.known(id).or_else(|| self.scope.known(self.read(id)?))
    }

    /// Returns the operand, if the expression is a call that parses a string or converts a number.
    fn read(&self, id: ExprId) -> Option<ExprId> {
        let Expr::Call { function, target, args } = self.scope.ast.expr(id) else { return None };
        let is_reader = matches!(
            &**function,
            "duration"
                | "quantity"
                | "timestamp"
                | "int"
                | "double"
                | "uint"
                | "ip"
                | "cidr"
                | "semver"
                | "url"
                | "lowerAscii"
                | "upperAscii"
        );
        is_reader.then(|| target.or(self.scope.ast.list(*args).first().copied()))?
    }

    /// Returns the operand whose size or parsed value is compared.
    fn operand(&self, id: ExprId) -> ExprId {
        match self.scope.ast.expr(id) {
            Expr::Call { function, target, args } if &**function == "size" => {
                target.or(self.scope.ast.list(*args).first().copied()).unwrap_or(id)
            }
            _ => self.read(id).unwrap_or(id),
        }
    }

    /// Returns plans that make the comparison of a term with a value true. The term's operations are inverted, the outermost first.
    fn reach(&mut self, id: ExprId, operator: &str, right: &Value, depth: usize) -> Vec<Plan> {
        if let Some(at) = self.scope.place(id) {
            return self.values(&at, operator, right);
        }
        if depth > DEEPEST {
            return Vec::new();
        }
        if let Some(operand) = self.read(id) {
            return self.readings(operand, operator, right, depth);
        }
        let Expr::Call { function, target, args } = self.scope.ast.expr(id) else { return Vec::new() };
        let args = self.scope.ast.list(*args);
        match (&**function, target.or(args.first().copied()), args) {
            ("size", Some(operand), _) => {
                let at = self.scope.place(operand);
                at.map_or_else(Vec::new, |at| self.sizes(&at, operator, right))
            }
            ("_?_:_", _, [condition, a, b]) => match self.scope.truth(*condition) {
                Some(truth) => self.reach(if truth { *a } else { *b }, operator, right, depth + 1),
                None => Vec::new(),
            },
            ("-_", Some(operand), _) => {
                let right = right.as_i64().and_then(i64::checked_neg);
                let plans =
                    right.map(|right| self.reach(operand, mirrored(operator), &right.into(), depth + 1));
                plans.unwrap_or_default()
            }
            ("_+_" | "_-_" | "_*_" | "_/_" | "_%_", _, [a, b]) => {
                let Some(right) = right.as_i64() else { return Vec::new() };
                self.undo(function, [*a, *b], operator, right, depth)
            }
            _ => Vec::new(),
        }
    }

    /// Returns plans that change only one operand of an arithmetic operation.
    fn undo(
        &mut self,
        function: &str,
        [a, b]: [ExprId; 2],
        operator: &str,
        right: i64,
        depth: usize,
    ) -> Vec<Plan> {
        let mut plans = Vec::new();
        for (id, other, is_left) in [(a, b, true), (b, a, false)] {
            let Some(other) = self.scope.known(other).and_then(|value| value.as_i64()) else { continue };
            let own = self.scope.known(id).and_then(|value| value.as_i64());
            for (operator, value) in undone(function, is_left, operator, right, other, own) {
                plans.extend(self.reach(id, operator, &value.into(), depth + 1));
            }
        }
        plans
    }

    fn readings(&mut self, operand: ExprId, operator: &str, right: &Value, depth: usize) -> Vec<Plan> {
        let Some(at) = self.scope.place(operand) else {
            return self.reach(operand, operator, right, depth + 1);
        };
        let own = get(self.scope.object, &at).cloned();
        if own.as_ref().is_some_and(Value::is_number) {
            return self.values(&at, operator, right);
        }
        let values = readings(operator, right, own.as_ref());
        values.into_iter().map(|value| vec![Change::Put(at.clone(), value)]).collect()
    }

    /// Returns plans that change the size of the value at a path, so that a comparison with this size is true.
    fn sizes(&mut self, at: &[String], operator: &str, right: &Value) -> Vec<Plan> {
        let Some(size) = right.as_i64() else { return Vec::new() };
        let steps: &[i64] = match operator {
            "_==_" | "_<=_" | "_>=_" => &[0],
            "_<_" => &[-1],
            "_>_" => &[1],
            _ => &[1, -1],
        };
        let sizes = steps.iter().map(|step| size.saturating_add(*step));
        let sizes: Vec<i64> = sizes.filter(|size| (0..LONGEST).contains(size)).collect();
        sizes.into_iter().filter_map(|size| self.resized(at, size)).collect()
    }

    /// Returns plans that set the value at a path, so that the comparison is true.
    fn values(&mut self, at: &[String], operator: &str, right: &Value) -> Vec<Plan> {
        let put = |value: Value| vec![Change::Put(at.to_vec(), value)];
        match operator {
            "_==_" => vec![put(right.clone())],
            "_!=_" => match right {
                Value::Bool(truth) => vec![put(json!(!truth))],
                right => self.others(at, std::slice::from_ref(right)),
            },
            operator => match right {
                Value::Number(number) => {
                    let step = match operator {
                        "_<_" => -1,
                        "_>_" => 1,
                        _ => 0,
                    };
                    match number.as_i64() {
                        Some(number) => vec![put(json!(number.saturating_add(step)))],
                        None => number
                            .as_f64()
                            .map(|number| put(numbers::shortest(number + step as f64)))
                            .into_iter()
                            .collect(),
                    }
                }
                Value::String(text) => match operator {
                    "_<=_" | "_>=_" => vec![put(right.clone())],
                    "_>_" => vec![put(json!(format!("{text}x")))],
                    _ => vec![put(json!("")), put(json!("0"))],
                },
                _ => Vec::new(),
            },
        }
    }

    /// Returns a plan that changes a string, list or map to the given size.
    fn resized(&mut self, at: &[String], size: i64) -> Option<Plan> {
        let schema = schema_at(self.schema, at)?;
        let size = usize::try_from(size).ok()?;
        let own = get(self.scope.object, at);
        if let Some(items_schema) = schema.items.as_deref() {
            let mut items = own.and_then(Value::as_array).cloned().unwrap_or_default();
            items.truncate(size);
            let keys = schema.extensions.list_map_keys.as_deref().unwrap_or_default();
            let mut tries = 0;
            while items.len() < size && tries < 4 * size + 20 {
                tries += 1;
                let style = if items.is_empty() { Style::Minimal } else { Style::Random };
                let item = self.maker.value(items_schema, "", style);
                let identity = |item| crate::maker::identity(item, keys, items_schema);
                if !crate::maker::is_unique(schema)
                    || !items.iter().any(|other| identity(other) == identity(&item))
                {
                    items.push(item);
                }
            }
            return Some(vec![Change::Put(at.to_vec(), items.into())]);
        }
        let is_object = own.map_or(schema.type_ == Some(SchemaType::Object), Value::is_object);
        if is_object {
            let mut fields = own.and_then(Value::as_object).cloned().unwrap_or_default();
            while fields.len() > size {
                let key = fields.keys().next_back()?.clone();
                crd_go::json::remove(&mut fields, &key);
            }
            let absent = schema.properties.iter().filter(|(name, _)| !fields.contains_key(*name));
            let mut plan = vec![Change::Put(at.to_vec(), fields.clone().into())];
            let absent = absent.map(|(name, _)| name.to_owned());
            let keys = (0..size).map(|i| format!("key-{i}"));
            let names: Vec<String> =
                if schema.map_values().is_some() { keys.collect() } else { absent.collect() };
            let count = size.saturating_sub(fields.len());
            plan.extend(
                names.into_iter().take(count).map(|name| Change::Make(crate::change::below(at, name))),
            );
            return Some(plan);
        }
        let made = self.maker.text_of_length(schema, size);
        let text = made.unwrap_or_else(|| {
            let own = own.and_then(Value::as_str).unwrap_or_default();
            own.chars().chain(std::iter::repeat('a')).take(size).collect()
        });
        Some(vec![Change::Put(at.to_vec(), json!(text))])
    }
}

/// Returns conditions on one operand of an arithmetic operation, each as an operator and a number. If the operand satisfies one of these
/// conditions, the comparison of the result with `right` is probably true. `own` is the operand's current value, and `other` is the other
/// operand.
fn undone<'o>(
    function: &str,
    is_left: bool,
    operator: &'o str,
    right: i64,
    other: i64,
    own: Option<i64>,
) -> Vec<(&'o str, i64)> {
    let exact = |values: &[Option<i64>]| values.iter().flatten().map(|value| ("_==_", *value)).collect();
    match (function, is_left) {
        ("_+_", _) => right.checked_sub(other).map(|value| (operator, value)).into_iter().collect(),
        ("_-_", true) => right.checked_add(other).map(|value| (operator, value)).into_iter().collect(),
        ("_-_", false) => {
            other.checked_sub(right).map(|value| (mirrored(operator), value)).into_iter().collect()
        }
        // The products around the one that is compared with, of which one is on each side of it.
        ("_*_", _) => {
            let quotient = right.checked_div_euclid(other);
            let near = |step: i64| quotient.and_then(|quotient| quotient.checked_add(step));
            match operator {
                "_==_" => exact(&[quotient]),
                _ => exact(&[near(0), near(1), near(-1)]),
            }
        }
        ("_/_", true) => {
            let product = right.checked_mul(other);
            let near = |step: Option<i64>| product?.checked_add(step?);
            exact(&[product, near(Some(other)), near(other.checked_neg()), near(Some(1)), near(Some(-1))])
        }
        ("_%_", true) => {
            let own = own.unwrap_or(0);
            let least = own.checked_rem(other).and_then(|rest| own.checked_sub(rest));
            let near = |step: i64| least?.checked_add(right)?.checked_add(step);
            let above = near(0).and_then(|value| value.checked_add(other));
            match operator {
                "_==_" => exact(&[near(0), above, near(0).and_then(|value| value.checked_sub(other))]),
                _ => exact(&[near(1), near(-1), near(0), above]),
            }
        }
        _ => Vec::new(),
    }
}

/// Returns strings whose parsed values probably compare with `right` as required, for functions such as `duration`.
fn readings(operator: &str, right: &Value, own: Option<&Value>) -> Vec<Value> {
    const LESS: &[&str] = &["0", "0s", "1", "1s", "1ms", "1970-01-01T00:00:00Z", "0.0.1", "10.0.0.1"];
    const MORE: &[&str] =
        &["100", "1h", "720h", "1Gi", "1Ti", "2999-01-01T00:00:00Z", "99.0.0", "10.0.0.1", "1000000"];
    let texts: &[&[&str]] = match operator {
        "_==_" => &[],
        "_<_" | "_<=_" => &[LESS],
        "_>_" | "_>=_" => &[MORE],
        _ => &[MORE, LESS],
    };
    let same = (operator != "_!=_").then(|| right.clone());
    let numbers = right.as_i64().into_iter().flat_map(|number| {
        [number, number.saturating_add(1), number.saturating_sub(1)].map(|number| json!(number.to_string()))
    });
    let texts = texts.iter().flat_map(|texts| texts.iter()).map(|text| json!(text));
    same.into_iter().chain(numbers).chain(texts).filter(|value| Some(value) != own).take(14).collect()
}

fn opposite(operator: &str) -> &'static str {
    match operator {
        "_==_" => "_!=_",
        "_!=_" => "_==_",
        "_<_" => "_>=_",
        "_<=_" => "_>_",
        "_>_" => "_<=_",
        _ => "_<_",
    }
}

fn mirrored(operator: &str) -> &'static str {
    match operator {
        "_==_" => "_==_",
        "_!=_" => "_!=_",
        "_<_" => "_>_",
        "_<=_" => "_>=_",
        "_>_" => "_<_",
        _ => "_<=_",
    }
}
