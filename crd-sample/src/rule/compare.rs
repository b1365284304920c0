//! Comparisons -> plans: one side becomes what the other side asks for.

use crd_cel::ast::{Expr, ExprId};
use serde_json::{Value, json};

use super::{Plan, Solver};
use crate::change::{Change, Steps, get, schema_at};
use crate::maker::Style;
use crate::numbers;

/// A side of a comparison.
enum Term {
    /// A value in the object.
    Place(Steps),
    /// The number of characters, items or entries of a value in the object.
    Size(Steps),
    /// A string in the object that a function reads: a duration, a quantity, a time.
    Read(Steps),
    Known(Value),
    /// A number that is added to a place.
    Sum(Steps, i64),
}

/// Longer lists and strings are not made.
const LONGEST: i64 = 4096;

impl Solver<'_> {
    pub(super) fn compare(&mut self, operator: &str, a: ExprId, b: ExprId, wanted: bool) -> Vec<Plan> {
        let operator = if wanted { operator } else { opposite(operator) };
        let (Some(a), Some(b)) = (self.term(a), self.term(b)) else { return Vec::new() };
        let mut plans = self.adjust(&a, operator, &b);
        plans.extend(self.adjust(&b, mirrored(operator), &a));
        for term in [&a, &b] {
            if let Term::Place(at) | Term::Size(at) | Term::Read(at) | Term::Sum(at, _) = term {
                plans.push(vec![Change::Remove(at.clone())]);
            }
        }
        plans
    }

    fn term(&self, id: ExprId) -> Option<Term> {
        if let Some(place) = self.scope.place(id) {
            return Some(Term::Place(place));
        }
        let place = |id: ExprId| self.scope.place(id);
        if let Expr::Call { function, target, args } = self.scope.ast.expr(id) {
            let args = self.scope.ast.list(*args);
            let operand = target.or(args.first().copied());
            match (&**function, operand, args) {
                ("size", Some(operand), _) => return place(operand).map(Term::Size),
                ("_+_", _, [a, b]) => {
                    let number = |id: &ExprId| self.scope.known(*id)?.as_i64();
                    return match (place(*a), number(b), place(*b), number(a)) {
                        (Some(at), Some(number), ..) | (_, _, Some(at), Some(number)) => {
                            Some(Term::Sum(at, number))
                        }
                        _ => None,
                    };
                }
                ("_-_", _, [a, b]) => {
                    return Some(Term::Sum(place(*a)?, self.scope.known(*b)?.as_i64()?.checked_neg()?));
                }
                (
                    "duration" | "quantity" | "timestamp" | "int" | "double" | "uint" | "ip" | "cidr"
                    | "semver" | "url" | "lowerAscii" | "upperAscii",
                    Some(operand),
                    _,
                ) => {
                    return match (place(operand), self.scope.known(operand)) {
                        (Some(at), _) => Some(Term::Read(at)),
                        (None, known) => known.map(Term::Known),
                    };
                }
                _ => {}
            }
        }
        self.scope.known(id).map(Term::Known)
    }

    /// Plans that change the left side only.
    fn adjust(&mut self, left: &Term, operator: &str, right: &Term) -> Vec<Plan> {
        let right = match right {
            Term::Known(value) => Some(value.clone()),
            Term::Place(at) | Term::Read(at) => get(self.scope.object, at).cloned(),
            Term::Size(at) => get(self.scope.object, at).and_then(size).map(Value::from),
            Term::Sum(at, more) => get(self.scope.object, at)
                .and_then(|value| value.as_i64()?.checked_add(*more))
                .map(Value::from),
        };
        let Some(right) = right else { return Vec::new() };
        match left {
            Term::Known(_) => Vec::new(),
            Term::Place(at) => self.values(at, operator, &right),
            Term::Read(at) => {
                let own = get(self.scope.object, at).cloned();
                readings(operator, &right, own.as_ref())
                    .into_iter()
                    .map(|value| vec![Change::Put(at.clone(), value)])
                    .collect()
            }
            Term::Sum(at, more) => {
                let right = right.as_i64().and_then(|number| number.checked_sub(*more));
                right.map_or_else(Vec::new, |right| self.values(at, operator, &right.into()))
            }
            Term::Size(at) => {
                let Some(size) = right.as_i64() else { return Vec::new() };
                let sizes: &[i64] = match operator {
                    "_==_" | "_<=_" | "_>=_" => &[0],
                    "_<_" => &[-1],
                    "_>_" => &[1],
                    _ => &[1, -1],
                };
                let sizes = sizes
                    .iter()
                    .map(|step| size.saturating_add(*step))
                    .filter(|size| (0..LONGEST).contains(size));
                let sizes: Vec<i64> = sizes.collect();
                sizes.into_iter().filter_map(|size| self.resized(at, size)).collect()
            }
        }
    }

    /// Values of a place that compare so.
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

    /// Makes a value longer or shorter.
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
        match own {
            Some(Value::Object(fields)) => {
                let mut fields = fields.clone();
                while fields.len() > size {
                    let key = fields.keys().next_back()?.clone();
                    fields.shift_remove(&key);
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
                Some(plan)
            }
            _ => {
                let made = self.maker.text_of_length(schema, size);
                let text = made.unwrap_or_else(|| {
                    let own = own.and_then(Value::as_str).unwrap_or_default();
                    own.chars().chain(std::iter::repeat('a')).take(size).collect()
                });
                Some(vec![Change::Put(at.to_vec(), json!(text))])
            }
        }
    }
}

fn size(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(fields) => Some(fields.len()),
        _ => None,
    }
}

/// Strings that functions read as less, as much, or more.
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
