//! Builds plans after which an expression returns a given boolean. A plan is a list of changes to the object.

use crd_cel::ast::{Comprehension, Expr, ExprId};
use crd_core::Structural;
use serde_json::{Value, json};

use super::{MOST_PLANS, Plan, Quantifier, Solver, Variable};
use crate::change::{Change, Steps, below, get, schema_at};
use crate::maker::Style;
use crate::typical;

/// Maximum depth to which expressions are solved. Values in deeper expressions are only guessed.
const DEEPEST: usize = 60;
/// Maximum number of list elements to change one by one.
const MOST_ELEMENTS: usize = 20;

impl<'a> Solver<'a> {
    /// Returns plans after which the expression returns `wanted`. An empty plan means that the object needs no change.
    pub(super) fn solve(&mut self, id: ExprId, wanted: bool, depth: usize) -> Vec<Plan> {
        if self.scope.truth(id) == Some(wanted) {
            return vec![Vec::new()];
        }
        if depth > DEEPEST {
            return Vec::new();
        }
        let ast = self.scope.ast;
        let mut plans = match ast.expr(id) {
            Expr::Select { operand, field, test_only: true } => {
                let field = super::field_name(field);
                self.scope.place(*operand).map_or_else(Vec::new, |place| {
                    let at = below(&place, field);
                    if wanted { vec![vec![Change::Make(at)]] } else { self.absent(at) }
                })
            }
            Expr::Call { function, target, args } => {
                self.call(id, function, *target, ast.list(*args), wanted, depth)
            }
            Expr::Comprehension(fold) => self.fold(fold, wanted, depth),
            Expr::Ident(_) | Expr::Select { .. } => self.put_truth(id, wanted),
            _ => Vec::new(),
        };
        plans.truncate(MOST_PLANS);
        plans
    }

    fn call(
        &mut self,
        id: ExprId,
        function: &str,
        target: Option<ExprId>,
        args: &[ExprId],
        wanted: bool,
        depth: usize,
    ) -> Vec<Plan> {
        match (function, target, args) {
            ("_&&_" | "_||_", None, [a, b]) => {
                let (a, b) = (self.solve(*a, wanted, depth + 1), self.solve(*b, wanted, depth + 1));
                if (function == "_&&_") == wanted { both(&a, &b) } else { either(a, b) }
            }
            ("!_", None, [a]) => self.solve(*a, !wanted, depth + 1),
            ("_?_:_", None, [condition, a, b]) => {
                let branches = [(true, *a), (false, *b)].map(|(truth, branch)| {
                    let condition = self.solve(*condition, truth, depth + 1);
                    both(&condition, &self.solve(branch, wanted, depth + 1))
                });
                let [a, b] = branches;
                either(a, b)
            }
            ("@not_strictly_false", None, [a]) => self.solve(*a, wanted, depth + 1),
            ("_==_" | "_!=_", None, [a, b]) if self.is_truth(*a) || self.is_truth(*b) => {
                let equal = (function == "_==_") == wanted;
                self.equal_truths(*a, *b, equal, depth)
            }
            ("_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_", None, [a, b]) => {
                self.compare(function, *a, *b, wanted)
            }
            ("@in", None, [a, b]) => self.contains(*a, *b, wanted),
            ("startsWith" | "endsWith" | "contains" | "matches", Some(target), [text]) => {
                self.text(function, target, *text, wanted)
            }
            ("hasValue", Some(target), []) => self.scope.place(target).map_or_else(Vec::new, |place| {
                if wanted { vec![vec![Change::Make(place)]] } else { self.absent(place) }
            }),
            ("orValue", Some(_), _) | ("_[_]" | "dyn", None, _) => self.put_truth(id, wanted),
            (_, Some(target), _) => {
                self.scope.place(target).map_or_else(Vec::new, |place| self.typical(&place))
            }
            (_, None, [argument, ..]) => {
                self.scope.place(*argument).map_or_else(Vec::new, |place| self.typical(&place))
            }
            _ => Vec::new(),
        }
    }

    /// Returns `true` if an expression is certainly a boolean.
    fn is_truth(&self, id: ExprId) -> bool {
        match self.scope.ast.expr(id) {
            Expr::Select { test_only, .. } => *test_only,
            Expr::Call { function, .. } => {
                matches!(
                    &**function,
                    "!_" | "_&&_"
                        | "_||_"
                        | "_==_"
                        | "_!=_"
                        | "_<_"
                        | "_<=_"
                        | "_>_"
                        | "_>=_"
                        | "@in"
                        | "hasValue"
                )
            }
            Expr::Comprehension(fold) => self.scope.quantifier(fold).is_some(),
            _ => false,
        }
    }

    /// Solves a comparison of two conditions, such as `has(self.a) == has(self.b)`.
    fn equal_truths(&mut self, a: ExprId, b: ExprId, equal: bool, depth: usize) -> Vec<Plan> {
        let mut plans = Vec::new();
        for truth in [true, false] {
            let a = self.solve(a, truth, depth + 1);
            let b = self.solve(b, truth == equal, depth + 1);
            plans.extend(both(&a, &b));
        }
        // The shortest change is the likeliest.
        plans.sort_by_key(Vec::len);
        plans
    }

    /// Returns plans that remove a field. In rules, a field that is `null` counts as absent.
    fn absent(&self, at: Steps) -> Vec<Plan> {
        let is_nullable = schema_at(self.schema, &at).is_some_and(Structural::is_nullable);
        let null = is_nullable.then(|| vec![Change::Put(at.clone(), Value::Null)]);
        std::iter::once(vec![Change::Remove(at)]).chain(null).collect()
    }

    fn put_truth(&mut self, id: ExprId, wanted: bool) -> Vec<Plan> {
        let place = self.scope.place(id);
        place.map_or_else(Vec::new, |place| vec![vec![Change::Put(place, json!(wanted))]])
    }

    /// Returns plans that set typical strings, for functions such as `isURL` and `quantity`.
    fn typical(&mut self, place: &[String]) -> Vec<Plan> {
        let name = place.last().map_or("", String::as_str);
        let texts = typical::texts(name).map(|text| vec![Change::Put(place.to_vec(), json!(text))]);
        texts.chain([vec![Change::Remove(place.to_vec())]]).collect()
    }

    fn contains(&mut self, element: ExprId, range: ExprId, wanted: bool) -> Vec<Plan> {
        let mut plans = Vec::new();
        if let (Some(place), Some(range)) = (self.scope.place(element), self.scope.known(range)) {
            let elements: Vec<Value> = match range {
                Value::Array(items) => items,
                Value::Object(fields) => fields.keys().map(|key| json!(key)).collect(),
                _ => Vec::new(),
            };
            if wanted {
                plans.extend(elements.into_iter().map(|item| vec![Change::Put(place.clone(), item)]));
            } else {
                plans.extend(self.others(&place, &elements));
                plans.push(vec![Change::Remove(place)]);
            }
        }
        if let (Expr::Comprehension(fold), Some(element), true) =
            (self.scope.ast.expr(range), self.scope.known(element), wanted)
        {
            plans.extend(self.among(fold, &element));
        }
        let (Some(place), Some(element)) = (self.scope.place(range), self.scope.known(element)) else {
            return plans;
        };
        match get(self.scope.object, &place) {
            Some(Value::Object(_)) => {
                let Some(key) = element.as_str() else { return plans };
                let at = below(&place, key);
                plans.push(vec![if wanted { Change::Make(at) } else { Change::Remove(at) }]);
            }
            Some(Value::Array(items)) if !wanted => {
                let kept: Vec<Value> = items.iter().filter(|item| **item != element).cloned().collect();
                plans.push(vec![Change::Put(place.clone(), kept.into())]);
                plans.push(vec![Change::Remove(place)]);
            }
            list => {
                let items = list.and_then(Value::as_array).cloned().unwrap_or_default();
                let more: Vec<Value> = items.into_iter().chain([element.clone()]).collect();
                plans.push(vec![Change::Put(place.clone(), more.into())]);
                plans.push(vec![Change::Put(place, json!([element]))]);
            }
        }
        plans
    }

    /// Solves `'data' in self.volumes.map(v, v.name)`. The plans add a new item with the wanted value, or set this value in an existing
    /// item.
    fn among(&mut self, fold: &'a Comprehension<'a>, wanted: &Value) -> Vec<Plan> {
        let Some((_, transform)) = self.scope.mapping(fold) else { return Vec::new() };
        let elements = self.scope.elements(fold, MOST_ELEMENTS);
        let mut plans = Vec::new();
        if let Some(place) = self.scope.place(fold.range) {
            let new = below(&place, elements.len().to_string());
            let inside = self.scope.inside(fold, [Variable::Place(new.clone()), Variable::Unknown]);
            let item = inside.place(transform);
            plans.extend(item.map(|item| vec![Change::Make(new), Change::Put(item, wanted.clone())]));
        }
        for element in elements {
            let item = self.scope.inside(fold, element).place(transform);
            plans.extend(item.map(|item| vec![Change::Put(item, wanted.clone())]));
        }
        plans
    }

    /// Returns plans that set a different value.
    pub(super) fn others(&mut self, place: &[String], not: &[Value]) -> Vec<Plan> {
        let Some(schema) = schema_at(self.schema, place) else { return Vec::new() };
        let values = schema.value_validation.as_ref().and_then(|validation| validation.enum_.as_ref());
        let named = values.into_iter().flatten().filter(|value| !not.contains(value) && !value.is_null());
        let mut plans: Vec<Plan> =
            named.map(|value| vec![Change::Put(place.to_vec(), value.clone())]).collect();
        if plans.is_empty() {
            let texts = not.iter().filter_map(Value::as_str);
            let texts: Vec<String> = texts.map(|text| format!("{text}x")).collect();
            let steps = not
                .iter()
                .filter_map(Value::as_i64)
                .flat_map(|number| [number.saturating_add(1), number.saturating_sub(1)]);
            let steps: Vec<i64> = steps.collect();
            plans.extend(texts.into_iter().map(|text| vec![Change::Put(place.to_vec(), json!(text))]));
            plans.extend(steps.into_iter().map(|number| vec![Change::Put(place.to_vec(), json!(number))]));
        }
        plans.push(vec![Change::Make(place.to_vec())]);
        plans
    }

    /// Returns plans for string functions. These functions are converted to patterns.
    fn text(&mut self, function: &str, target: ExprId, text: ExprId, wanted: bool) -> Vec<Plan> {
        let (Some(place), Some(Value::String(text))) = (self.scope.place(target), self.scope.known(text))
        else {
            return Vec::new();
        };
        let exact = crate::strings::escaped(&text);
        let pattern = match function {
            "startsWith" => format!("^{exact}"),
            "endsWith" => format!("{exact}$"),
            "contains" => exact,
            _ => text.clone(),
        };
        let mut plans = Vec::new();
        let none = Structural::default();
        let schema = schema_at(self.schema, &place).unwrap_or(&none);
        let (more, less) = if wanted { (Some(&*pattern), None) } else { (None, Some(&*pattern)) };
        let made = self.maker.text(schema, more, less, Style::Full);
        plans.extend(made.map(|text| vec![Change::Put(place.clone(), json!(text))]));
        if wanted && function != "matches" {
            let own = get(self.scope.object, &place).and_then(Value::as_str).unwrap_or_default();
            let with = if function == "endsWith" { format!("{own}{text}") } else { format!("{text}{own}") };
            plans.push(vec![Change::Put(place.clone(), json!(with))]);
        }
        plans.push(vec![Change::Remove(place)]);
        plans
    }

    fn fold(&mut self, fold: &'a Comprehension<'a>, wanted: bool, depth: usize) -> Vec<Plan> {
        let Some((quantifier, predicate)) = self.scope.quantifier(fold) else { return Vec::new() };
        let elements = self.scope.elements(fold, MOST_ELEMENTS);
        let place = self.scope.place(fold.range);
        let is_for_each = (quantifier == Quantifier::All) == wanted && quantifier != Quantifier::ExistsOne;
        let mut plans: Vec<Plan> = Vec::new();
        if is_for_each {
            // Each element has to hold, or not to.
            let mut all = vec![Vec::new()];
            for element in elements {
                let one = self.inside(fold, element, predicate, wanted, depth);
                all = both(&all, &one);
            }
            plans.extend(all);
            if let Some(place) = place {
                let is_map = get(self.scope.object, &place).is_some_and(Value::is_object);
                let empty = if is_map { json!({}) } else { json!([]) };
                plans.push(vec![Change::Put(place.clone(), empty)]);
                plans.push(vec![Change::Remove(place)]);
            }
            return plans;
        }
        if quantifier == Quantifier::ExistsOne && wanted {
            // Of several that hold, all but one must not.
            let holds = |element: &[Variable; 2]| self.scope.inside(fold, element.clone()).truth(predicate);
            let holding: Vec<_> = elements.iter().filter(|one| holds(one) == Some(true)).cloned().collect();
            for kept in 0..holding.len().min(if holding.len() > 1 { 3 } else { 0 }) {
                let mut all = vec![Vec::new()];
                for (_, element) in holding.iter().enumerate().filter(|(index, _)| *index != kept) {
                    all = both(&all, &self.inside(fold, element.clone(), predicate, false, depth));
                }
                plans.extend(all);
            }
        }
        let truth = if quantifier == Quantifier::ExistsOne { wanted } else { quantifier != Quantifier::All };
        let count = elements.len();
        for element in elements {
            plans.extend(self.inside(fold, element, predicate, truth, depth));
        }
        if let Some(place) = place {
            // One more element, which the plans of its predicate complete.
            let is_list = schema_at(self.schema, &place).is_some_and(|schema| schema.items.is_some());
            if is_list {
                let new = below(&place, count.to_string());
                let element = match fold.var2 {
                    Some(_) => [Variable::Value(count.into()), Variable::Place(new.clone())],
                    None => [Variable::Place(new.clone()), Variable::Unknown],
                };
                let add = vec![vec![Change::Make(new)]];
                plans.extend(both(&add, &self.inside(fold, element, predicate, truth, depth)));
            }
            plans.push(vec![Change::Make(place.clone())]);
        }
        plans
    }

    fn inside(
        &mut self,
        fold: &'a Comprehension<'a>,
        element: [Variable; 2],
        predicate: ExprId,
        wanted: bool,
        depth: usize,
    ) -> Vec<Plan> {
        let scope = self.scope.inside(fold, element);
        let outer = std::mem::replace(&mut self.scope, scope);
        let plans = self.solve(predicate, wanted, depth + 1);
        self.scope = outer;
        plans
    }
}

/// Returns plans that satisfy both operands. Each combines a plan for one operand with a plan for the other operand, the likeliest pairs
/// first.
pub(super) fn both(a: &[Plan], b: &[Plan]) -> Vec<Plan> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut pairs = vec![(0, 0)];
    for i in 1..a.len().max(b.len()) {
        pairs.extend((i < b.len()).then_some((0, i)));
        pairs.extend((i < a.len()).then_some((i, 0)));
        pairs.extend((i < a.len() && i < b.len()).then_some((i, i)));
    }
    pairs.truncate(MOST_PLANS);
    pairs.into_iter().map(|(i, j)| a[i].iter().chain(&b[j]).cloned().collect()).collect()
}

/// Returns the plans for each operand, alternating between the two.
fn either(a: Vec<Plan>, b: Vec<Plan>) -> Vec<Plan> {
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    let mut plans = Vec::new();
    loop {
        let next = [a.next(), b.next()];
        if next.iter().all(Option::is_none) {
            return plans;
        }
        plans.extend(next.into_iter().flatten());
    }
}
