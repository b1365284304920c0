//! Reports type errors with the API server's messages. Each method reports one kind of mistake.

use crd_go::KubeVersion;

use crate::ast::{Ast, ExprId};
use crate::declared::{DeclId, Declarations};
use crate::issue::Issue;
use crate::types::{Ty, Types};

/// The type errors of one expression.
pub(crate) struct Errors<'a> {
    pub(crate) issues: Vec<Issue>,
    server: KubeVersion,
    declarations: &'a Declarations,
    root: Option<DeclId>,
}

impl<'a> Errors<'a> {
    pub(crate) fn new(server: KubeVersion, declarations: &'a Declarations, root: Option<DeclId>) -> Self {
        Self { server, issues: Vec::new(), declarations, root }
    }

    pub(crate) fn report(&mut self, ast: &Ast<'_>, id: ExprId, message: impl Into<String>) {
        self.issues.push(Issue::at_position(ast.position(id), message.into()));
    }

    /// Adds an error whose message contains types.
    pub(crate) fn report_types(&mut self, position: usize, message: String, types: &Types<'_>, named: &[Ty]) {
        let is_about_dyn = named.iter().any(|ty| types.holds_dyn(*ty));
        self.issues.push(Issue { is_about_dyn, ..Issue::at_position(position, message) });
    }

    /// Adds advice to the last error.
    pub(crate) fn help(&mut self, help: Option<String>) {
        if let Some(issue) = self.issues.last_mut() {
            issue.help = help;
        }
    }

    pub(crate) fn undeclared_reference(&mut self, ast: &Ast<'_>, id: ExprId, name: &str) {
        self.report(ast, id, format!("undeclared reference to '{name}' (in container '')"));
    }

    pub(crate) fn undefined_field(&mut self, position: usize, name: &str) {
        let message = format!("undefined field '{name}'");
        self.issues.push(Issue::at_position(position, message));
    }

    pub(crate) fn failed_resolution(&mut self, position: usize, message_name: &str) {
        let message = format!("unexpected failed resolution of '{message_name}'");
        self.issues.push(Issue::at_position(position, message));
    }

    pub(crate) fn no_field_selection(&mut self, ast: &Ast<'_>, id: ExprId, types: &Types<'_>, ty: Ty) {
        let shown = self.message(types, ty);
        let message = format!("type '{shown}' does not support field selection");
        self.report_types(ast.position(id), message, types, &[ty]);
    }

    pub(crate) fn not_a_range(&mut self, ast: &Ast<'_>, id: ExprId, types: &Types<'_>, ty: Ty) {
        let shown = self.message(types, ty);
        let message = format!(
            "expression of type '{shown}' cannot be range of a comprehension (must be list, map, or dynamic)"
        );
        self.report_types(ast.position(id), message, types, &[ty]);
    }

    pub(crate) fn type_mismatch(
        &mut self,
        ast: &Ast<'_>,
        id: ExprId,
        types: &Types<'_>,
        expected: Ty,
        found: Ty,
    ) {
        let named = [expected, found];
        let [expected, found] = named.map(|ty| self.message(types, ty));
        let message = format!("expected type '{expected}' but found '{found}'");
        self.report_types(ast.position(id), message, types, &named);
    }

    pub(crate) fn field_type_mismatch(
        &mut self,
        position: usize,
        types: &Types<'_>,
        field: &str,
        expected: Ty,
        found: Ty,
    ) {
        let named = [expected, found];
        let [expected, found] = named.map(|ty| self.message(types, ty));
        let message =
            format!("expected type of field '{field}' is '{expected}' but provided type is '{found}'");
        self.report_types(position, message, types, &named);
    }

    pub(crate) fn no_matching_overload(
        &mut self,
        ast: &Ast<'_>,
        id: ExprId,
        types: &Types<'_>,
        function: &str,
        args: &[Ty],
        member: bool,
    ) {
        let shown: Vec<_> = args.iter().map(|arg| self.message(types, *arg)).collect();
        let signature = match shown.split_first() {
            Some((target, shown)) if member => format!("{target}.({})", shown.join(", ")),
            _ => format!("({})", shown.join(", ")),
        };
        let message = format!("found no matching overload for '{function}' applied to '{signature}'");
        self.report_types(ast.position(id), message, types, args);
    }

    pub(crate) fn message(&self, types: &Types<'_>, ty: Ty) -> String {
        self.as_server(types.message(ty, self.declarations, self.root))
    }

    pub(crate) fn name(&self, types: &Types<'_>, ty: Ty) -> String {
        self.as_server(types.name(ty, self.declarations, self.root))
    }

    /// Returns a type's name as in the server's messages.
    fn as_server(&self, name: String) -> String {
        if self.server.is_at_least(31) { name } else { name.replace("optional_type(", "optional(") }
    }
}
