//! Results of type checking that compilation needs.

use crd_go::KubeVersion;

use crate::ast::ExprId;
use crate::checked::{Checked, Reference};
use crate::functions::OverloadId;
use crate::types::Type;

/// The results of type checking that compilation needs.
pub(crate) trait References {
    /// Returns a call's possible overloads, and `true` if the function's name begins with a namespace. Returns `None` for an unchecked
    /// expression.
    fn overloads(&self, call: ExprId) -> Option<(&[OverloadId], bool)>;

    /// Returns `true` for the name of a type.
    fn is_type(&self, name: ExprId) -> bool;

    /// Returns the release whose server runs the program.
    fn server(&self) -> KubeVersion;

    /// Returns `true` if the result is a boolean.
    fn is_bool(&self) -> bool;
}

impl References for Checked<'_, '_> {
    fn overloads(&self, call: ExprId) -> Option<(&[OverloadId], bool)> {
        match self.references[call.index()] {
            Reference::Call { start, end, namespaced } => {
                Some((&self.overloads[start as usize..end as usize], namespaced))
            }
            _ => None,
        }
    }

    fn is_type(&self, name: ExprId) -> bool {
        matches!(self.types.get(self.type_of(name)), Type::TypeOf(_))
    }

    fn server(&self) -> KubeVersion {
        self.environment.server()
    }

    fn is_bool(&self) -> bool {
        self.result() == Type::Bool
    }
}

/// Stands for an unchecked expression.
pub(super) struct Unchecked;

impl References for Unchecked {
    fn overloads(&self, _: ExprId) -> Option<(&[OverloadId], bool)> {
        None
    }

    fn is_type(&self, _: ExprId) -> bool {
        false
    }

    fn server(&self) -> KubeVersion {
        KubeVersion::default()
    }

    fn is_bool(&self) -> bool {
        false
    }
}
