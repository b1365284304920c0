//! Functions that become program nodes, and functions that rules cannot call.

use crate::eval::implementation::{Code, Form, Implementation, Missing};

const fn form(form: Form) -> Implementation {
    Implementation::new(Code::Form(form)).work(0).missing(Missing::Bare)
}

pub(crate) const AND: Implementation = form(Form::And);
pub(crate) const OR: Implementation = form(Form::Or);
pub(crate) const CONDITIONAL: Implementation = form(Form::Conditional);
pub(crate) const NOT_FALSE: Implementation = form(Form::NotFalse);
pub(crate) const INDEX: Implementation = form(Form::Index { is_optional: false });
pub(crate) const OPTIONAL_INDEX: Implementation = form(Form::Index { is_optional: true });
pub(crate) const OPTIONAL_OR: Implementation = form(Form::Otherwise { is_unwrapped: false });
pub(crate) const OPTIONAL_OR_VALUE: Implementation = form(Form::Otherwise { is_unwrapped: true });
pub(crate) const MAP_INSERT: Implementation = form(Form::MapInsert);

/// The authorizer's functions, which do not exist in CRD rules.
pub(crate) const ABSENT: Implementation = Implementation::new(Code::Absent);
