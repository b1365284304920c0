//! Checks literals after type checking: durations, timestamps, patterns, mixed lists and maps, and format strings.
//!
//! The API server runs the same checks. Each check visits the whole tree.

use crd_go::re2;
use crd_go::time::{Duration, Timestamp, is_unix_time};

use crate::ast::{Expr, ExprId, Literal};
use crate::checked::Checked;
use crate::errors::Errors;
use crate::format;
use crate::types::{Ty, Type};

pub(crate) fn validate(checked: &Checked<'_, '_>, errors: &mut Errors<'_>) {
    let mut validator = Validator { checked, errors };
    // The flag: below a call of `format`, whose arguments may be of any types.
    let mut pending = vec![(checked.ast.root(), false)];
    while let Some((id, exempt)) = pending.pop() {
        let exempt_below = validator.visit(id, exempt) || exempt;
        pending.extend(checked.ast.children(id).into_iter().map(|child| (child, exempt_below)));
    }
}

struct Validator<'a, 'e, 'd> {
    checked: &'a Checked<'a, 'd>,
    errors: &'a mut Errors<'e>,
}

impl Validator<'_, '_, '_> {
    /// Checks a node. Returns `true` for a call to `format`.
    fn visit(&mut self, id: ExprId, exempt: bool) -> bool {
        let ast = &self.checked.ast;
        match ast.expr(id) {
            Expr::Call { function, target, args } => {
                let function = crate::names::undotted(function);
                self.literal_argument(function, ast.list(*args).first().copied());
                if function == "format"
                    && target.is_some()
                    && self.checked.environment.server().is_at_least(31)
                {
                    format::check_call(self.checked, self.errors, id);
                }
                return function == "format";
            }
            Expr::List { elements, optional } if !exempt => self.list(ast.list(*elements), optional),
            Expr::Map(entries) if !exempt => self.map(entries),
            _ => {}
        }
        false
    }

    /// Checks a literal by evaluating it, if it is the first argument of `duration`, `timestamp` or `matches`.
    fn literal_argument(&mut self, function: &str, argument: Option<ExprId>) {
        let Some(argument) = argument else { return };
        let Expr::Literal(literal) = self.checked.ast.expr(argument) else { return };
        let valid = match (function, literal) {
            ("duration", Literal::String(text)) => Duration::parse(text).is_some(),
            // The overloads are declared, but not implemented.
            ("duration", Literal::Int(_) | Literal::Null) | ("timestamp", Literal::Null) => false,
            ("timestamp", Literal::String(text)) => {
                Timestamp::parse(text).is_some_and(Timestamp::is_in_range)
            }
            ("timestamp", Literal::Int(seconds)) => is_unix_time(*seconds),
            ("matches", Literal::String(pattern)) => re2::check(pattern).is_ok(),
            _ => true,
        };
        if !valid {
            self.errors.report(&self.checked.ast, argument, format!("invalid {function} argument"));
        }
    }

    fn list(&mut self, elements: &[ExprId], optional: &[u32]) {
        let mut first = None;
        for (i, element) in elements.iter().enumerate() {
            let ty = self.type_of(*element, optional.contains(&(i as u32)));
            let expected = *first.get_or_insert(ty);
            if !self.same(expected, ty) {
                // Each list has at most one error.
                self.mismatch(*element, expected, ty);
                return;
            }
        }
    }

    fn map(&mut self, entries: &[crate::ast::MapEntry]) {
        let mut first = None;
        for entry in entries {
            let (key, value) = (self.type_of(entry.key, false), self.type_of(entry.value, entry.optional));
            let (expected_key, expected_value) = *first.get_or_insert((key, value));
            if !self.same(expected_key, key) {
                self.mismatch(entry.key, expected_key, key);
            }
            if !self.same(expected_value, value) {
                self.mismatch(entry.value, expected_value, value);
            }
        }
    }

    fn type_of(&self, id: ExprId, optional: bool) -> Ty {
        let ty = self.checked.type_of(id);
        match self.checked.types.get(ty) {
            Type::Optional(inner) if optional => inner,
            _ => ty,
        }
    }

    fn same(&self, a: Ty, b: Ty) -> bool {
        let unwrapped = |ty| match self.checked.types.get(ty) {
            Type::Wrapper(inner) => inner,
            _ => ty,
        };
        unwrapped(a) == unwrapped(b)
    }

    fn mismatch(&mut self, id: ExprId, expected: Ty, found: Ty) {
        self.errors.type_mismatch(&self.checked.ast, id, &self.checked.types, expected, found);
    }
}
