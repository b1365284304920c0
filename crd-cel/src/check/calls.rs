//! Checks the types of calls.

use std::ops::Range;

use super::Checker;
use crate::ast::{Expr, ExprId, ExprList, Literal};
use crate::checked::Reference;
use crate::functions::OverloadId;
use crate::help;
use crate::names::undotted;
use crate::operator::Operator;
use crate::types::Ty;

impl<'a> Checker<'a, '_> {
    fn check_optional_select(&mut self, id: ExprId, args: ExprList) {
        let ast = self.ast;
        if let [operand, field] = *ast.list(args)
            && let Expr::Literal(Literal::String(field)) = ast.expr(field)
        {
            let ty = self.select_field(id, operand, field, true);
            let ty = self.unifier.substitute(ty);
            self.set(id, ty);
            self.set(ast.list(args)[1], Ty::STRING);
            if let Some(range) = self.library.function(Operator::OptionalSelect.name()) {
                let start = self.overloads.len() as u32;
                self.overloads.push(OverloadId::new(range.start));
                self.references[id.index()] = Reference::Call { start, end: start + 1, namespaced: false };
            }
        }
    }

    pub(super) fn check_call(
        &mut self,
        id: ExprId,
        function: &'a str,
        target: Option<ExprId>,
        args: ExprList,
    ) {
        if function == Operator::OptionalSelect.name() {
            return self.check_optional_select(id, args);
        }
        let ast = self.ast;
        for arg in ast.list(args) {
            self.check(*arg);
        }
        let Some(target) = target else {
            return self.resolve_or_report(id, function, None, args);
        };
        // `format.uri()` is a function with that name, whatever `format` may be.
        if let Expr::Ident(namespace) = ast.expr(target)
            && let Some(range) = self.library.namespaced(undotted(namespace), function)
            && self.is_available(&range)
        {
            return self.resolve(id, range, None, args, true);
        }
        self.check(target);
        self.resolve_or_report(id, function, Some(target), args);
    }

    fn is_available(&self, overloads: &Range<usize>) -> bool {
        self.library.overloads[overloads.clone()].iter().any(|overload| {
            overload.row.versions.are_in(self.environment.version(), self.environment.server())
        })
    }

    fn resolve_or_report(&mut self, id: ExprId, function: &str, target: Option<ExprId>, args: ExprList) {
        let range = self.library.function(undotted(function)).filter(|range| self.is_available(range));
        match range {
            Some(range) => self.resolve(id, range, target, args, false),
            None => {
                self.errors.undeclared_reference(self.ast, id, function);
                let known = &mut self.library.names_in(self.environment.version(), self.environment.server());
                self.errors.help(help::undeclared(self.environment, function, known));
            }
        }
    }

    /// Finds the overloads that match the types of the arguments. The call has type `dyn` if these overloads have different result types.
    fn resolve(
        &mut self,
        id: ExprId,
        range: Range<usize>,
        target: Option<ExprId>,
        args: ExprList,
        namespaced: bool,
    ) {
        let library = self.library;
        let function = library.overloads[range.start].row.function;
        if let Some(Operator::And | Operator::Or) = Operator::named(function) {
            return self.resolve_logical(id, range.start, args);
        }
        let arg_types: Vec<Ty> =
            target.iter().chain(self.ast.list(args)).map(|arg| self.node_types[arg.index()]).collect();
        let start = self.overloads.len();
        let mut result: Option<Ty> = None;
        for index in range {
            let overload = &library.overloads[index];
            if !overload.row.versions.are_in(self.environment.version(), self.environment.server())
                || overload.member != target.is_some()
                || overload.args.len() != arg_types.len()
            {
                continue;
            }
            let Some(found) = self.try_overload(index, &arg_types) else { continue };
            self.overloads.push(overload.id);
            result = match result {
                None => Some(found),
                Some(result) if result == Ty::DYN || result == found => Some(result),
                Some(_) => Some(Ty::DYN),
            };
        }
        let Some(result) = result else {
            let resolved: Vec<Ty> = arg_types.iter().map(|ty| self.unifier.resolve(*ty)).collect();
            let types = &self.unifier.types;
            let is_method = target.is_some();
            self.errors.no_matching_overload(self.ast, id, types, function, &resolved, is_method);
            let resolved: Vec<_> = resolved.iter().map(|ty| types.get(*ty)).collect();
            return self.errors.help(help::mismatch(function, &resolved));
        };
        self.set(id, result);
        let end = self.overloads.len() as u32;
        self.references[id.index()] = Reference::Call { start: start as u32, end, namespaced };
    }

    /// Returns the overload's result type, if the overload takes arguments of these types.
    fn try_overload(&mut self, index: usize, args: &[Ty]) -> Option<Ty> {
        let overload = &self.library.overloads[index];
        if overload.params.is_empty() {
            return self.unifier.all_assignable(args, &overload.args).then_some(overload.result);
        }
        let variables: Vec<Ty> = overload.params.iter().map(|_| self.unifier.fresh()).collect();
        let mut formals = Vec::with_capacity(args.len());
        for arg in &overload.args {
            formals.push(self.unifier.instantiate(*arg, &overload.params, &variables));
        }
        if !self.unifier.all_assignable(args, &formals) {
            return None;
        }
        let result = self.unifier.instantiate(overload.result, &overload.params, &variables);
        Some(self.unifier.substitute(result))
    }

    /// Checks `&&` and `||`: each side must be a `bool`, and each side that is not a `bool` is a separate error.
    fn resolve_logical(&mut self, id: ExprId, overload: usize, args: ExprList) {
        let ast = self.ast;
        let mut fits = true;
        for arg in ast.list(args) {
            let ty = self.ty(*arg);
            if !self.unifier.assignable(ty, Ty::BOOL) {
                self.errors.type_mismatch(ast, *arg, &self.unifier.types, Ty::BOOL, ty);
                fits = false;
            }
        }
        if fits {
            self.set(id, Ty::BOOL);
            let start = self.overloads.len() as u32;
            self.overloads.push(OverloadId::new(overload));
            self.references[id.index()] = Reference::Call { start, end: start + 1, namespaced: false };
        }
    }
}
