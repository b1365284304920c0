//! Calls to estimate, and their estimates.

use super::path::Path;
use super::size::Size;
use crate::ast::ExprId;
use crate::types::Ty;

/// An argument, or the receiver of a method.
#[derive(Clone, Copy)]
pub(super) struct Argument {
    pub(super) id: ExprId,
    pub(super) cost: u64,
    pub(super) path: Path,
    pub(super) ty: Ty,
    pub(super) size: Option<Size>,
    /// The size that cel-go's own estimates use.
    pub(super) known: Size,
}

/// A call to estimate, with one of its possible overloads.
pub(super) struct PricedCall {
    pub(super) id: ExprId,
    pub(super) target: Option<Argument>,
    pub(super) args: Vec<Argument>,
    /// The arguments' total cost.
    pub(super) args_cost: u64,
}

/// The maximal cost of a call, and the size of its result if known.
#[derive(Clone, Copy)]
pub(super) struct Estimated {
    pub(super) cost: u64,
    pub(super) result: Option<Size>,
}

impl Estimated {
    pub(super) const ONE: Self = Self { cost: 1, result: None };

    pub(super) fn cost(cost: u64) -> Self {
        Self { cost, result: None }
    }

    pub(super) fn sized(cost: u64, result: Size) -> Self {
        Self { cost, result: Some(result) }
    }
}
