//! Estimates the maximal cost of an evaluation.
//!
//! The algorithm is cel-go's. The API server's functions have estimates of their own. The estimates decide whether the API server accepts a
//! CRD. Therefore, sizes are looked up in the same order as in cel-go. All sums are saturating.

mod by_paths;
mod call;
mod functions;
mod path;
mod size;

use crate::ast::{Comprehension, Expr, ExprId, ExprList, Literal, MapEntry, is_accumulator};
use crate::checked::{Checked, Reference};
use crate::functions::{Estimate, OverloadId};
use crate::names::undotted;
use crate::types::{Ty, Type};
use call::{Argument, PricedCall};
use path::{Path, Paths, Step};
use size::{Collection, Elements, Size};

impl Checked<'_, '_> {
    /// Returns the maximal cost of one evaluation, assuming the largest values that the scope declares.
    ///
    /// ```
    /// use crd_cel::{Declarations, Declared, Environment, Scope, Shape, Variable};
    ///
    /// let mut declarations = Declarations::default();
    /// let name = declarations.add(Declared { shape: Shape::String, max_elements: 40, min_serialized_size: 2 });
    /// let variables = [("self", Variable::Declared(name))];
    /// let scope = Scope::new(&declarations, name, &variables);
    /// // The variable twice, and the comparison of forty bytes at most.
    /// assert_eq!(Environment::default().compile("self == self", &scope)?.max_cost(), 1 + 1 + 4);
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    #[must_use]
    pub fn max_cost(&self) -> u64 {
        let mut coster = Coster {
            checked: self,
            paths: Paths::default(),
            node_paths: vec![Path::NONE; self.ast.len()],
            sizes: vec![None; self.ast.len()],
            elements: vec![None; self.ast.len()],
            locals: Vec::new(),
            follows_values: self.environment.server().is_at_least(33),
        };
        coster.cost(self.ast.root())
    }
}

const SELECT_COST: u64 = 1;
const LIST_COST: u64 = 10;
const MAP_COST: u64 = 30;
const STRUCT_COST: u64 = 40;

/// A variable of a comprehension.
struct Local<'a> {
    name: &'a str,
    path: Path,
    size: Option<Size>,
    elements: Option<Elements>,
    /// The step from a list or map to the variable of a macro that iterates over it. `path` is the path of the list or map, and each read
    /// of the variable appends this step: see `by_paths`.
    step: Option<Step<'a>>,
}

struct Coster<'a> {
    checked: &'a Checked<'a, 'a>,
    paths: Paths<'a>,
    node_paths: Vec<Path>,
    /// The sizes that are already known.
    sizes: Vec<Option<Size>>,
    elements: Vec<Option<Elements>>,
    /// The variables of the enclosing comprehensions, the innermost last.
    locals: Vec<Local<'a>>,
    /// `true` if values keep their sizes in variables, lists and maps, as in cel-go since 0.23. In older versions, only declared paths and
    /// calls have sizes.
    follows_values: bool,
}

// Small functions, as in the checker, because debug builds have large stack frames.
impl<'a> Coster<'a> {
    fn cost(&mut self, id: ExprId) -> u64 {
        let checked = self.checked;
        match checked.ast.expr(id) {
            Expr::Literal(_) | Expr::Error => 0,
            Expr::Ident(name) => self.ident(id, undotted(name)),
            Expr::Select { field, .. } if checked.references[id.index()] == Reference::Name => {
                self.ident(id, field)
            }
            Expr::Select { operand, field, test_only } => self.select(id, *operand, field, *test_only),
            Expr::Call { args, target, .. } => self.call(id, *target, *args),
            Expr::List { elements, .. } => self.list(id, *elements),
            Expr::Map(entries) => self.map(id, entries),
            Expr::Struct { fields, .. } => {
                fields.iter().fold(STRUCT_COST, |sum, field| sum.saturating_add(self.cost(field.value)))
            }
            Expr::Comprehension(fold) => self.comprehension(id, fold),
        }
    }

    fn ident(&mut self, id: ExprId, name: &'a str) -> u64 {
        let local = self.local(name).map(|local| (local.path, local.step));
        self.node_paths[id.index()] = match local {
            Some((range, Some(step))) => self.paths.append(range, step),
            Some((path, None)) => path,
            None => self.paths.begin(name),
        };
        SELECT_COST
    }

    fn select(&mut self, id: ExprId, operand: ExprId, field: &'a str, test_only: bool) -> u64 {
        let mut sum = self.cost(operand);
        if test_only {
            return sum;
        }
        let steps = match self.checked.types.get(self.checked.type_of(operand)) {
            Type::Map(..) | Type::Object(_) => true,
            Type::Library(library) => library.is_message(),
            _ => false,
        };
        if steps {
            sum = sum.saturating_add(SELECT_COST);
        }
        let path = self.path(operand);
        self.node_paths[id.index()] = self.paths.append(path, Step::Field(field));
        sum
    }

    fn list(&mut self, id: ExprId, elements: ExprList) -> u64 {
        let (mut sum, mut sizes) = (LIST_COST, None);
        for element in self.checked.ast.list(elements) {
            sum = sum.saturating_add(self.cost(*element));
            if self.follows_values {
                sizes = Some(self.size_or_unknown(*element).union(sizes));
            }
        }
        if !self.follows_values {
            return sum;
        }
        self.elements[id.index()] = Some(Elements {
            kind: Collection::List,
            key: Size::exactly(1),
            value: sizes.unwrap_or(Size::exactly(0)),
        });
        sum
    }

    fn map(&mut self, id: ExprId, entries: &[MapEntry]) -> u64 {
        let (mut sum, mut keys, mut values) = (MAP_COST, None, None);
        for entry in entries {
            sum = sum.saturating_add(self.cost(entry.key));
            sum = sum.saturating_add(self.cost(entry.value));
            if self.follows_values {
                keys = Some(self.size_or_unknown(entry.key).union(keys));
                values = Some(self.size_or_unknown(entry.value).union(values));
            }
        }
        if !self.follows_values {
            return sum;
        }
        let nothing = Size::exactly(0);
        self.elements[id.index()] = Some(Elements {
            kind: Collection::Map,
            key: keys.unwrap_or(nothing),
            value: values.unwrap_or(nothing),
        });
        sum
    }

    fn call(&mut self, id: ExprId, target: Option<ExprId>, args: ExprList) -> u64 {
        let checked = self.checked;
        let args = checked.ast.list(args);
        let overloads = match checked.references[id.index()] {
            Reference::Call { start, end, namespaced } => Some((start as usize..end as usize, namespaced)),
            _ => None,
        };
        let is_dyn = overloads
            .as_ref()
            .is_some_and(|(range, _)| checked.overloads[range.start].row().estimate == Estimate::Dyn);
        if is_dyn
            && self.follows_values
            && let [arg] = *args
        {
            let cost = self.cost(arg);
            self.copy(id, arg);
            return cost.saturating_add(1);
        }
        let mut arguments = Vec::with_capacity(args.len());
        let mut args_cost: u64 = 0;
        for arg in args {
            let cost = self.cost(*arg);
            args_cost = args_cost.saturating_add(cost);
            arguments.push(self.argument(*arg, cost));
        }
        let Some((range, namespaced)) = overloads else { return 0 };
        let target = target.filter(|_| !namespaced).map(|target| {
            let cost = self.cost(target);
            self.argument(target, cost)
        });
        let call = PricedCall { id, target, args: arguments, args_cost };
        let most = self.overloads(&call, &checked.overloads[range]);
        most.saturating_add(call.target.map_or(0, |target| target.cost))
    }

    /// Returns the maximal cost of a call, over all its possible overloads.
    fn overloads(&mut self, call: &PricedCall, overloads: &[OverloadId]) -> u64 {
        let (mut most, mut result) = (0, None);
        for overload in overloads {
            let estimate = overload.row().estimate;
            let estimated = self.estimate(estimate, call);
            most = most.max(estimated.cost);
            if let Some(size) = estimated.result {
                result = Some(size.union(result));
            }
            let step = match estimate {
                Estimate::IndexList => Some(Step::Items),
                Estimate::IndexMap => Some(Step::Values),
                _ => None,
            };
            if let Some(step) = step {
                let indexed = call.args[0].id;
                if self.follows_values {
                    result = self.elements(indexed).map(|elements| elements.value);
                }
                let path = self.path(indexed);
                self.node_paths[call.id.index()] = self.paths.append(path, step);
            }
            if result.is_none() && self.follows_values {
                result = self.size(call.id);
            }
        }
        if result.is_some() {
            self.sizes[call.id.index()] = result;
        }
        most
    }

    fn argument(&mut self, id: ExprId, cost: u64) -> Argument {
        let path = self.path(id);
        let path = if self.paths.begins_with(path, &is_accumulator) { Path::NONE } else { path };
        let size = if self.follows_values { self.size(id) } else { self.computed_size(id) };
        let known = if self.follows_values { size } else { size.or_else(|| self.looked_up_size(id, path)) };
        Argument { id, cost, path, ty: self.checked.type_of(id), size, known: known.unwrap_or(Size::UNKNOWN) }
    }

    fn comprehension(&mut self, id: ExprId, fold: &'a Comprehension<'a>) -> u64 {
        if !self.follows_values {
            return self.comprehension_by_paths(id, fold);
        }
        let mut sum = self.cost(fold.range);
        sum = sum.saturating_add(self.cost(fold.init));
        let (path, size) = (self.path(fold.init), self.size(fold.init));
        let elements = self.elements(fold.init);
        self.locals.push(Local { name: fold.accumulator, path, size, elements, step: None });
        if self.is_bind(fold) {
            sum = sum.saturating_add(self.cost(fold.result));
            self.locals.pop();
            self.copy(id, fold.result);
            return sum;
        }
        let outer = self.locals.len();
        self.push_variables(fold);
        let each = self.cost(fold.condition);
        let each = each.saturating_add(self.cost(fold.step));
        self.locals.truncate(outer);
        sum = sum.saturating_add(self.cost(fold.result));
        self.locals.pop();
        // Looked up only now, because the steps can have changed the path of the range: see `Paths`.
        let rounds = self.size_or_unknown(fold.range);
        self.keep_result_size(id, fold, rounds);
        sum.saturating_add(rounds.max.saturating_mul(each))
    }

    fn push_variables(&mut self, fold: &'a Comprehension<'a>) {
        let elements = self.elements(fold.range);
        let kind = match elements {
            Some(elements) => elements.kind,
            None if matches!(self.type_of(fold.range), Type::List(_)) => Collection::List,
            None => Collection::Map,
        };
        let (key, value) = (elements.map(|elements| elements.key), elements.map(|elements| elements.value));
        let items = if kind == Collection::List { Step::Items } else { Step::Values };
        let range = self.path(fold.range);
        let Some(var2) = fold.var2 else {
            let (step, size) = if kind == Collection::List { (items, value) } else { (Step::Keys, key) };
            return self.push_variable(fold.var, range, step, size);
        };
        let step = if kind == Collection::List { Step::Indices } else { Step::Keys };
        self.push_variable(fold.var, range, step, key);
        self.push_variable(var2, range, items, value);
    }

    fn push_variable(&mut self, name: &'a str, range: Path, step: Step<'a>, size: Option<Size>) {
        let path = self.paths.append(range, step);
        self.locals.push(Local { name, path, size, elements: None, step: None });
    }

    fn keep_result_size(&mut self, id: ExprId, fold: &Comprehension<'_>, rounds: Size) {
        match self.checked.ast.expr(fold.init) {
            Expr::Literal(_) => {
                if let Some(size) = self.size(fold.init) {
                    self.sizes[id.index()] = Some(size);
                }
            }
            Expr::List { .. } | Expr::Map(_) => {
                self.sizes[id.index()] = Some(rounds);
                if let Some(elements) = self.elements(fold.step) {
                    self.elements[id.index()] = Some(elements);
                }
            }
            _ => {}
        }
    }

    /// Returns `true` for the expansion of `cel.bind`: a loop over an empty list that means `let accumulator = init in result`.
    fn is_bind(&self, fold: &Comprehension<'_>) -> bool {
        let ast = &self.checked.ast;
        !is_accumulator(fold.accumulator)
            && matches!(ast.expr(fold.range), Expr::List { elements, .. } if elements.is_empty())
            && matches!(ast.expr(fold.condition), Expr::Literal(Literal::Bool(false)))
    }

    fn copy(&mut self, to: ExprId, from: ExprId) {
        if let Some(size) = self.size(from) {
            self.sizes[to.index()] = Some(size);
        }
        if let Some(elements) = self.elements(from) {
            self.elements[to.index()] = Some(elements);
        }
    }

    fn local(&self, name: &str) -> Option<&Local<'a>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn local_at(&self, id: ExprId) -> Option<&Local<'a>> {
        match self.checked.ast.expr(id) {
            Expr::Ident(name) => self.local(undotted(name)),
            _ => None,
        }
    }

    fn type_of(&self, id: ExprId) -> Type {
        self.checked.types.get(self.checked.type_of(id))
    }

    fn path(&self, id: ExprId) -> Path {
        let local = self.local_at(id).filter(|_| self.follows_values);
        local.map_or(self.node_paths[id.index()], |local| local.path)
    }

    fn elements(&self, id: ExprId) -> Option<Elements> {
        self.elements[id.index()].or_else(|| self.local_at(id)?.elements)
    }

    /// Returns the size of a value, if it is known. It can come from an earlier computation, a literal, a declaration or the type.
    fn size(&mut self, id: ExprId) -> Option<Size> {
        if let Some(size) = self.sizes[id.index()] {
            return Some(size);
        }
        let checked = self.checked;
        if let Some(written) = self.written_size(id) {
            return Some(written);
        }
        if let Some(declared) = self.declared_size(self.path(id)) {
            self.sizes[id.index()] = Some(declared);
            return Some(declared);
        }
        if self.is_scalar(checked.type_of(id)) {
            return Some(Size::exactly(1));
        }
        self.local_at(id)?.size
    }

    /// Returns the size of a literal.
    fn written_size(&self, id: ExprId) -> Option<Size> {
        let count = match self.checked.ast.expr(id) {
            Expr::Literal(Literal::String(text)) => text.chars().count(),
            Expr::Literal(Literal::Bytes(bytes)) => bytes.len(),
            Expr::Literal(_) => 1,
            Expr::List { elements, .. } => elements.len(),
            Expr::Map(entries) => entries.len(),
            _ => return None,
        };
        Some(Size::exactly(count as u64))
    }

    fn size_or_unknown(&mut self, id: ExprId) -> Size {
        self.size(id).unwrap_or(Size::UNKNOWN)
    }

    fn declared_size(&self, path: Path) -> Option<Size> {
        let max = self.paths.declared_size(path, self.checked.scope.declarations, self.checked.scope.root)?;
        Some(Size { min: 0, max })
    }

    fn is_scalar(&self, ty: Ty) -> bool {
        match self.checked.types.get(ty) {
            Type::Bool | Type::Int | Type::Uint | Type::Double | Type::Duration | Type::Timestamp => true,
            Type::Optional(inner) => self.follows_values && self.is_scalar(inner),
            _ => false,
        }
    }
}
