//! Expressions whose types have been checked.

use crate::ast::{Ast, Expr, ExprId};
use crate::env::{Environment, Scope};
use crate::functions::OverloadId;
use crate::names::undotted;
use crate::types::{Ty, Type, Types};

/// The declaration that a node refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reference {
    None,
    /// A variable, or a type with its qualified name.
    Name,
    /// The call can refer to the overloads `start..end` of [`Checked::overloads`]. `namespaced` is `true` for a function such
    /// as `sets.contains`, which has no target.
    Call {
        start: u32,
        end: u32,
        namespaced: bool,
    },
}

/// An expression whose types have been checked.
#[derive(Debug)]
pub struct Checked<'s, 'd> {
    pub(crate) ast: Ast<'s>,
    pub(crate) environment: Environment,
    pub(crate) types: Types<'static>,
    pub(crate) scope: Scope<'d>,
    /// The type of every node of the syntax tree.
    pub(crate) node_types: Vec<Ty>,
    pub(crate) references: Vec<Reference>,
    /// The overloads that calls can refer to.
    pub(crate) overloads: Vec<OverloadId>,
}

impl<'s> Checked<'s, '_> {
    /// Returns the syntax tree.
    #[must_use]
    pub fn ast(&self) -> &Ast<'s> {
        &self.ast
    }

    /// Returns the name of the result's type, such as `bool`, `list(selfType.spec)` or `google.protobuf.Duration`.
    #[must_use]
    pub fn result_type(&self) -> String {
        self.types.name(self.type_of(self.ast.root()), self.scope.declarations, Some(self.scope.root))
    }

    /// Returns the type of the result.
    #[must_use]
    pub fn result(&self) -> Type {
        self.types.get(self.type_of(self.ast.root()))
    }

    /// Returns `true` if the expression uses the variable `name`.
    #[must_use]
    pub fn uses(&self, name: &str) -> bool {
        self.references.iter().enumerate().any(|(i, reference)| {
            *reference == Reference::Name
                && matches!(self.ast.expr(ExprId(i as u32)), Expr::Ident(ident) if undotted(ident) == name)
        })
    }

    pub(crate) fn type_of(&self, id: ExprId) -> Ty {
        self.node_types[id.index()]
    }
}
