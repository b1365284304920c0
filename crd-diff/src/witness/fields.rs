//! Recognizes field paths in rules, and rules that count present fields.

use crd_cel::ast::{Expr, ExprId, Literal};
use crd_cel::{Ast, unescape_name};

/// Returns the path of the field that an expression selects from `self` or `oldSelf`.
pub(super) fn path(ast: &Ast<'_>, id: ExprId) -> Option<Vec<String>> {
    match ast.expr(id) {
        Expr::Ident(name) if ["self", "oldSelf"].contains(&&**name) => Some(Vec::new()),
        Expr::Select { operand, field, .. } => {
            let mut path = path(ast, *operand)?;
            path.push(name(field));
            Some(path)
        }
        _ => None,
    }
}

/// Returns a field's name without the escapes of CEL expressions.
pub(super) fn name(field: &str) -> String {
    unescape_name(field).map_or_else(|| field.to_owned(), |name| name.into_owned())
}

/// Returns the `has` tests in an expression such as `[has(self.a), has(self.b)].filter(x, x == true).size() <= 1`, which compares the
/// number of present fields with 1.
pub(super) fn counted<'a>(ast: &'a Ast<'_>, operator: &str, one: ExprId, two: ExprId) -> &'a [ExprId] {
    let is_one = matches!(ast.expr(two), Expr::Literal(Literal::Int(1)));
    let of = match ast.expr(one) {
        Expr::Call { function, target, args } if function == "size" => match (target, ast.list(*args)) {
            (Some(of), []) | (None, [of]) => filtered(ast, *of),
            _ => None,
        },
        _ => None,
    };
    let of = of.filter(|parts| is_one && parts.iter().all(|part| is_presence(ast, *part)));
    if ["_==_", "_<=_", "_>=_"].contains(&operator) { of.unwrap_or_default() } else { &[] }
}

/// Returns `true` for a test such as `has(self.a)`, which cannot fail.
pub(super) fn is_presence(ast: &Ast<'_>, id: ExprId) -> bool {
    matches!(ast.expr(id), Expr::Select { test_only: true, .. })
        && path(ast, id).is_some_and(|path| path.len() == 1)
}

/// Returns the conditions of `[condition, ...].filter(x, x == true)`, or of `filter(x, x)`.
pub(super) fn filtered<'a>(ast: &'a Ast<'_>, id: ExprId) -> Option<&'a [ExprId]> {
    let Expr::Comprehension(fold) = ast.expr(id) else { return None };
    let Expr::List { elements, optional } = ast.expr(fold.range) else { return None };
    let is_var = |id: ExprId| matches!(ast.expr(id), Expr::Ident(name) if *name == fold.var);
    let is_true = |id: ExprId| matches!(ast.expr(id), Expr::Literal(Literal::Bool(true)));
    // The step of a filter is `condition ? accumulator + [x] : accumulator`.
    let Expr::Call { function, args, .. } = ast.expr(fold.step) else { return None };
    let [condition, kept, _] = ast.list(*args) else { return None };
    let is_kept = match ast.expr(*condition) {
        Expr::Call { function, args, .. } if function == "_==_" => match ast.list(*args) {
            [one, two] => is_var(*one) && is_true(*two) || is_true(*one) && is_var(*two),
            _ => false,
        },
        _ => is_var(*condition),
    };
    let is_appended = matches!(ast.expr(*kept), Expr::Call { function, .. } if function == "_+_");
    let is_filter =
        function == "_?_:_" && is_kept && is_appended && fold.var2.is_none() && optional.is_empty();
    is_filter.then(|| ast.list(*elements))
}
