//! The type checker: finds the type of each node, and the overloads that each call can refer to.

mod aggregates;
mod calls;

use crd_go::cel_names::is_keyword;

use crate::ast::{Ast, Comprehension, Expr, ExprId, Literal};
use crate::checked::{Checked, Reference};
use crate::declare::Library;
use crate::declared::{DeclId, Declarations, Shape};
use crate::env::{Environment, Scope, Variable};
use crate::errors::Errors;
use crate::functions::OverloadId;
use crate::help;
use crate::issue::{Issue, Issues};
use crate::names::undotted;
use crate::parse::parse_with;
use crate::types::{Ty, Type, Types};
use crate::unify::{Unifier, is_dyn_or_error};
use crate::validate::validate;

impl Environment {
    /// Parses and checks an expression.
    ///
    /// # Errors
    /// - The syntax or the types of the expression are invalid. The error has all issues, with the API server's messages.
    ///
    /// ```
    /// use crd_cel::{Declarations, Declared, Environment, Scope, Shape, Variable, Version};
    ///
    /// let mut declarations = Declarations::default();
    /// let int = declarations.add(Declared { shape: Shape::Int, max_elements: 0, min_serialized_size: 1 });
    /// let variables = [("self", Variable::Declared(int))];
    /// let scope = Scope::new(&declarations, int, &variables);
    /// let environment = Environment::new(Version::NEWEST);
    /// assert_eq!(environment.compile("self + 1", &scope)?.result_type(), "int");
    ///
    /// let issues = environment.compile("self == 'a'", &scope).unwrap_err();
    /// assert_eq!(issues.as_slice()[0].message, "found no matching overload for '_==_' applied to '(int, string)'");
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    pub fn compile<'s, 'd>(self, source: &'s str, scope: &Scope<'d>) -> Result<Checked<'s, 'd>, Issues> {
        let ast: Ast<'s> = parse_with(source, self.syntax())?;
        check(self, source, ast, scope)
    }
}

fn check<'s, 'd>(
    environment: Environment,
    source: &str,
    ast: Ast<'s>,
    scope: &Scope<'d>,
) -> Result<Checked<'s, 'd>, Issues> {
    let environment = environment.known();
    let mut checker = Checker::new(&ast, environment, scope);
    checker.check(ast.root());
    let Checker { mut unifier, mut errors, mut node_types, references, overloads, .. } = checker;
    for ty in &mut node_types {
        *ty = unifier.resolve(*ty);
    }
    let types = unifier.types;
    if types.overflowed {
        let message = "types of the expression are too large".to_owned();
        errors.issues.push(Issue::without_position(message));
    }
    if !errors.issues.is_empty() {
        return Err(Issues::from_checker(source, errors.issues, environment.server()));
    }
    let checked = Checked { ast, environment, types, scope: *scope, node_types, references, overloads };
    if environment.version().is_at_least(29) {
        let mut errors = Errors::new(environment.server(), scope.declarations, Some(scope.root));
        validate(&checked, &mut errors);
        if !errors.issues.is_empty() {
            return Err(Issues::from_checker(source, errors.issues, environment.server()));
        }
    }
    Ok(checked)
}

struct Checker<'a, 's> {
    ast: &'a Ast<'s>,
    library: &'static Library,
    environment: Environment,
    declarations: &'a Declarations,
    variables: &'a [(&'a str, Variable)],
    unifier: Unifier<'static>,
    errors: Errors<'a>,
    /// The variables of the enclosing comprehensions, the innermost last.
    locals: Vec<(&'a str, Ty)>,
    node_types: Vec<Ty>,
    references: Vec<Reference>,
    overloads: Vec<OverloadId>,
}

// Each kind of node has a small function: nested comprehensions are checked recursively, and debug builds have large
// stack frames.
impl<'a, 's> Checker<'a, 's> {
    fn new(ast: &'a Ast<'s>, environment: Environment, scope: &Scope<'a>) -> Self {
        let library = Library::get();
        Checker {
            ast,
            library,
            environment,
            declarations: scope.declarations,
            variables: scope.variables,
            unifier: Unifier::new(Types::over(&library.types)),
            errors: Errors::new(environment.server(), scope.declarations, Some(scope.root)),
            locals: Vec::new(),
            node_types: vec![Ty::ERROR; ast.len()],
            references: vec![Reference::None; ast.len()],
            overloads: Vec::new(),
        }
    }

    fn check(&mut self, id: ExprId) {
        let ast = self.ast;
        match ast.expr(id) {
            Expr::Literal(literal) => self.set(id, literal_type(literal)),
            Expr::Ident(name) => self.check_ident(id, name),
            Expr::Select { operand, field, test_only } => self.check_select(id, *operand, field, *test_only),
            Expr::Call { function, target, args } => self.check_call(id, function, *target, *args),
            Expr::List { elements, optional } => self.check_list(id, *elements, optional),
            Expr::Map(entries) => self.check_map(id, entries),
            Expr::Struct { type_name, fields } => self.check_struct(id, type_name, fields),
            Expr::Comprehension(fold) => self.check_comprehension(id, fold),
            Expr::Error => {}
        }
    }

    fn set(&mut self, id: ExprId, ty: Ty) {
        self.node_types[id.index()] = ty;
    }

    fn ty(&self, id: ExprId) -> Ty {
        self.node_types[id.index()]
    }

    fn check_ident(&mut self, id: ExprId, name: &str) {
        match self.lookup(undotted(name)) {
            Some(ty) => {
                self.set(id, ty);
                self.references[id.index()] = Reference::Name;
            }
            None => {
                self.errors.undeclared_reference(self.ast, id, name);
                let locals = self.locals.iter().map(|(local, _)| *local);
                let known = &mut locals.chain(self.variables.iter().map(|(variable, _)| *variable));
                self.errors.help(help::undeclared(self.environment, name, known));
            }
        }
    }

    fn lookup(&mut self, name: &str) -> Option<Ty> {
        if let Some((_, ty)) = self.locals.iter().rev().find(|(local, _)| *local == name) {
            return Some(*ty);
        }
        if let Some((_, variable)) = self.variables.iter().find(|(variable, _)| *variable == name) {
            return Some(match variable {
                Variable::Declared(id) => self.declared(*id),
                Variable::Optional(id) => {
                    let inner = self.declared(*id);
                    self.unifier.types.intern(Type::Optional(inner))
                }
            });
        }
        let of = self.library.type_name(name, self.environment.version())?;
        Some(self.unifier.types.intern(Type::TypeOf(Some(of))))
    }

    /// Returns the declared type.
    fn declared(&mut self, id: DeclId) -> Ty {
        let ty = match &self.declarations.get(id).shape {
            Shape::Dyn => return Ty::DYN,
            Shape::Bool => return Ty::BOOL,
            Shape::Int => return Ty::INT,
            Shape::Uint => return Ty::UINT,
            Shape::Double => return Ty::DOUBLE,
            Shape::String => return Ty::STRING,
            Shape::Bytes => return Ty::BYTES,
            Shape::Timestamp => return Ty::TIMESTAMP,
            Shape::Duration => return Ty::DURATION,
            Shape::List(element) => Type::List(self.declared(*element)),
            Shape::Map(value) => Type::Map(Ty::STRING, self.declared(*value)),
            Shape::Object(_) => Type::Object(id),
        };
        self.unifier.types.intern(ty)
    }

    fn check_select(&mut self, id: ExprId, operand: ExprId, field: &str, test_only: bool) {
        // `google.protobuf.Timestamp` is one name, as a rule may write it.
        if !test_only
            && let Some(name) = self.qualified_type(id)
            && !self.is_shadowed(&name)
            && let Some(ty) = self.lookup(undotted(&name))
        {
            self.set(id, ty);
            self.references[id.index()] = Reference::Name;
            return;
        }
        let mut ty = self.select_field(id, operand, field, false);
        if test_only {
            ty = Ty::BOOL;
        }
        let ty = self.unifier.substitute(ty);
        self.set(id, ty);
    }

    /// Returns `true` if a dotted name begins with a comprehension's variable. Since Kubernetes 1.37, such a variable hides types.
    fn is_shadowed(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or_default();
        self.environment.server().is_at_least(37) && self.locals.iter().any(|(local, _)| *local == first)
    }

    /// Returns the qualified name for a chain of selections, if the chain begins with `google` or `net`, like the names of types.
    fn qualified_type(&self, id: ExprId) -> Option<String> {
        let mut fields = Vec::new();
        let mut at = id;
        loop {
            match self.ast.expr(at) {
                Expr::Select { operand, field, test_only: false } => {
                    fields.push(*field);
                    at = *operand;
                }
                Expr::Ident(first) if matches!(undotted(first), "google" | "net") => {
                    fields.push(first);
                    fields.reverse();
                    return Some(fields.join("."));
                }
                _ => return None,
            }
        }
    }

    fn select_field(&mut self, id: ExprId, operand: ExprId, field: &str, optional: bool) -> Ty {
        self.check(operand);
        let operand = self.unifier.substitute(self.ty(operand));
        let (target, was_optional) = match self.unifier.types.get(operand) {
            Type::Optional(inner) => (inner, true),
            _ => (operand, false),
        };
        let result = self.field_type(id, target, field);
        if was_optional || optional {
            return self.unifier.types.intern(Type::Optional(result));
        }
        result
    }

    fn field_type(&mut self, id: ExprId, target: Ty, field: &str) -> Ty {
        let position = self.ast.position(id);
        match self.unifier.types.get(target) {
            Type::Map(_, value) => value,
            Type::Object(object) => match self.find_field(object, field) {
                Some(ty) => ty,
                None => {
                    self.errors.undefined_field(position, field);
                    let known = &mut self.declarations.field_names(object);
                    self.errors.help(help::did_you_mean(field, known));
                    Ty::ERROR
                }
            },
            Type::Library(library) if library.is_message() => {
                self.errors.failed_resolution(position, library.name());
                Ty::ERROR
            }
            Type::Var(_) => {
                self.unifier.assignable(Ty::DYN, target);
                Ty::DYN
            }
            other => {
                if !is_dyn_or_error(other) {
                    self.errors.no_field_selection(self.ast, id, &self.unifier.types, target);
                }
                Ty::DYN
            }
        }
    }

    fn find_field(&mut self, object: DeclId, field: &str) -> Option<Ty> {
        let mut found = self.declarations.field(object, field);
        if found.is_none() && self.environment.version().is_at_least(31) && is_keyword(field) {
            // Since 1.31 a keyword can be written as it is.
            found = self.declarations.field(object, &format!("__{field}__"));
        }
        found.map(|id| self.declared(id))
    }

    fn check_comprehension(&mut self, id: ExprId, fold: &Comprehension<'a>) {
        self.check(fold.range);
        self.check(fold.init);
        let (var, var2) = self.element_types(fold);
        let accumulator = self.ty(fold.init);
        self.locals.push((fold.accumulator, accumulator));
        self.locals.push((fold.var, var));
        let outer = self.locals.len() - 1;
        if let Some(name) = fold.var2 {
            self.locals.push((name, var2));
        }
        self.check(fold.condition);
        self.assert_type(fold.condition, Ty::BOOL);
        self.check(fold.step);
        self.assert_type(fold.step, accumulator);
        self.locals.truncate(outer);
        self.check(fold.result);
        self.locals.pop();
        let result = self.unifier.substitute(self.ty(fold.result));
        self.set(id, result);
    }

    fn element_types(&mut self, fold: &Comprehension<'_>) -> (Ty, Ty) {
        let range = self.unifier.substitute(self.ty(fold.range));
        match self.unifier.types.get(range) {
            Type::List(element) if fold.var2.is_some() => (Ty::INT, element),
            Type::List(element) => (element, Ty::ERROR),
            Type::Map(key, value) => (key, value),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.unifier.assignable(Ty::DYN, range);
                (Ty::DYN, Ty::DYN)
            }
            _ => {
                self.errors.not_a_range(self.ast, fold.range, &self.unifier.types, range);
                (Ty::ERROR, Ty::ERROR)
            }
        }
    }

    fn assert_type(&mut self, id: ExprId, expected: Ty) {
        let found = self.ty(id);
        if !self.unifier.assignable(expected, found) {
            self.errors.type_mismatch(self.ast, id, &self.unifier.types, expected, found);
        }
    }
}

fn literal_type(literal: &Literal<'_>) -> Ty {
    match literal {
        Literal::Null => Ty::NULL,
        Literal::Bool(_) => Ty::BOOL,
        Literal::Int(_) => Ty::INT,
        Literal::Uint(_) => Ty::UINT,
        Literal::Double(_) => Ty::DOUBLE,
        Literal::String(_) => Ty::STRING,
        Literal::Bytes(_) => Ty::BYTES,
    }
}
