//! Replaces conditional expressions in rules with one of the branches.

use crd_cel::Ast;
use crd_cel::ast::{Comprehension, Expr, ExprId, Literal};

use super::fields::name;

/// Conditional expressions, each with the branch that replaces it.
#[derive(Default)]
pub(super) struct Chosen(Vec<(ExprId, ExprId)>);

impl Chosen {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, conditional: ExprId, branch: ExprId) {
        self.0.push((conditional, branch));
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    /// Returns the branch that replaces an expression, or the expression itself.
    pub(super) fn resolve(&self, id: ExprId) -> ExprId {
        let branch = self.0.iter().find(|(conditional, _)| *conditional == id);
        branch.map_or(id, |(_, branch)| self.resolve(*branch))
    }

    /// Returns the first conditional expression that is always reached when an expression is evaluated, with the condition and both
    /// branches.
    pub(super) fn conditional(&self, ast: &Ast<'_>, id: ExprId) -> Option<(ExprId, [ExprId; 3])> {
        let parts: Vec<ExprId> = match ast.expr(id) {
            Expr::Select { operand, test_only: false, .. } => vec![*operand],
            Expr::Call { function, target, args } if !is_condition(function) => {
                target.iter().chain(ast.list(*args)).copied().collect()
            }
            // The other parts of a loop see its variables.
            Expr::Comprehension(fold) => vec![fold.range],
            _ => Vec::new(),
        };
        parts.into_iter().map(|part| self.resolve(part)).find_map(|part| match ast.expr(part) {
            Expr::Call { function, args, .. } if function == "_?_:_" => {
                <[ExprId; 3]>::try_from(ast.list(*args)).ok().map(|parts| (part, parts))
            }
            _ => self.conditional(ast, part),
        })
    }
}

/// Returns `true` for logical operators, and for conditional expressions.
fn is_condition(function: &str) -> bool {
    ["_&&_", "_||_", "!_", "_?_:_"].contains(&function)
}

/// Returns the value of a condition on literals.
pub(super) fn constant(ast: &Ast<'_>, id: ExprId, chosen: &Chosen) -> Option<bool> {
    match ast.expr(chosen.resolve(id)) {
        Expr::Literal(Literal::Bool(value)) => Some(*value),
        Expr::Call { function, target, args } => {
            let operands: Vec<ExprId> = target.iter().chain(ast.list(*args)).copied().collect();
            let [one, two] = operands[..] else { return None };
            let strings = [one, two].map(|id| string(ast, id, chosen));
            let numbers = [one, two].map(|id| number(ast, id, chosen));
            match (&**function, strings, numbers) {
                ("startsWith", [Some(text), Some(part)], _) => Some(text.starts_with(part)),
                ("endsWith", [Some(text), Some(part)], _) => Some(text.ends_with(part)),
                ("contains", [Some(text), Some(part)], _) => Some(text.contains(part)),
                ("_==_", [Some(one), Some(two)], _) => Some(one == two),
                ("_!=_", [Some(one), Some(two)], _) => Some(one != two),
                ("_==_", _, [Some(one), Some(two)]) => Some(one == two),
                ("_!=_", _, [Some(one), Some(two)]) => Some(one != two),
                ("_<_", _, [Some(one), Some(two)]) => Some(one < two),
                ("_<=_", _, [Some(one), Some(two)]) => Some(one <= two),
                ("_>_", _, [Some(one), Some(two)]) => Some(one > two),
                ("_>=_", _, [Some(one), Some(two)]) => Some(one >= two),
                _ => None,
            }
        }
        Expr::Comprehension(fold) => of_empty(ast, fold, chosen),
        _ => None,
    }
}

/// Returns the result of `all`, `exists` and similar macros for an empty list. This result is the loop's initial value.
fn of_empty(ast: &Ast<'_>, fold: &Comprehension<'_>, chosen: &Chosen) -> Option<bool> {
    let is_empty = size(ast, fold.range, chosen) == Some(0);
    let is_result = matches!(ast.expr(fold.result), Expr::Ident(name) if *name == fold.accumulator);
    match ast.expr(fold.init) {
        Expr::Literal(Literal::Bool(value)) if is_empty && is_result => Some(*value),
        _ => None,
    }
}

fn string<'a>(ast: &'a Ast<'_>, id: ExprId, chosen: &Chosen) -> Option<&'a str> {
    match ast.expr(chosen.resolve(id)) {
        Expr::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

fn number(ast: &Ast<'_>, id: ExprId, chosen: &Chosen) -> Option<i64> {
    match ast.expr(chosen.resolve(id)) {
        Expr::Literal(Literal::Int(number)) => Some(*number),
        Expr::Call { function, target, args } if function == "size" => match (target, ast.list(*args)) {
            (Some(of), []) | (None, [of]) => size(ast, *of, chosen),
            _ => None,
        },
        _ => None,
    }
}

/// Returns 0 if the expression is an empty list, map or string, and `None` otherwise.
fn size(ast: &Ast<'_>, id: ExprId, chosen: &Chosen) -> Option<i64> {
    let is_empty = match ast.expr(chosen.resolve(id)) {
        Expr::List { elements, .. } => ast.list(*elements).is_empty(),
        Expr::Map(entries) => entries.is_empty(),
        Expr::Literal(Literal::String(text)) => text.is_empty(),
        _ => false,
    };
    is_empty.then_some(0)
}

/// Returns a text that is the same for equal expressions.
pub(super) fn text(ast: &Ast<'_>, id: ExprId, chosen: &Chosen) -> String {
    let id = chosen.resolve(id);
    let of = |id: ExprId| text(ast, id, chosen);
    let below = || ast.children(id).into_iter().map(of).collect::<Vec<_>>().join(", ");
    match ast.expr(id) {
        Expr::Literal(literal) => format!("{literal:?}"),
        Expr::Ident(name) => name.to_string(),
        Expr::Select { operand, field, test_only } => format!("{test_only} {}.{}", of(*operand), name(field)),
        Expr::Call { function, target, .. } => format!("{function} {}({})", target.is_some(), below()),
        Expr::List { optional, .. } => format!("{optional:?}[{}]", below()),
        Expr::Comprehension(fold) => {
            format!("{} {:?} {}{{{}}}", fold.var, fold.var2, fold.accumulator, below())
        }
        other => format!("{other:?}({})", below()),
    }
}
