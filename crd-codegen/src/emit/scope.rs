//! The types of one generated file, with the settings.

use std::collections::BTreeSet;

use super::support::Piece;
use crate::config::Settings;
use crate::ir::apply::ApplyTypes;
use crate::ir::name::TypeNames;
use crate::ir::traits::Known;
use crate::ir::{Model, Type, TypeId};

/// The types of a file, with the generator's settings.
pub(crate) struct Scope<'a> {
    pub(crate) model: &'a Model,
    pub(crate) names: &'a TypeNames<'a>,
    pub(crate) known: &'a Known,
    pub(crate) settings: &'a Settings,
    /// The apply configurations of the types, if they are generated.
    pub(crate) forms: Option<&'a ApplyTypes>,
    /// The items of the support module that the file uses.
    pub(crate) pieces: &'a BTreeSet<Piece>,
}

impl Scope<'_> {
    /// Returns `true` if the type is a struct that the file declares.
    pub(super) fn is_declared_struct(&self, id: TypeId) -> bool {
        matches!(&self.model.graph[id], Type::Struct(struct_) if struct_.kubernetes.is_none())
    }
}
