//! Checks the types in lists, maps and messages.

use super::Checker;
use crate::ast::{ExprId, ExprList, MapEntry, StructField};
use crate::checked::Reference;
use crate::declare::{MessageField, message_field};
use crate::names::undotted;
use crate::types::{Ty, Type};

impl Checker<'_, '_> {
    pub(super) fn check_list(&mut self, id: ExprId, elements: ExprList, optional: &[u32]) {
        let ast = self.ast;
        let mut element_type = None;
        for (i, element) in ast.list(elements).iter().enumerate() {
            self.check(*element);
            let mut ty = self.ty(*element);
            if optional.binary_search(&(i as u32)).is_ok() {
                ty = self.unwrap_optional(*element, ty);
            }
            element_type = Some(self.join(*element, element_type, ty));
        }
        let element_type = element_type.unwrap_or_else(|| self.unifier.fresh());
        let list = self.unifier.types.intern(Type::List(element_type));
        self.set(id, list);
    }

    pub(super) fn check_map(&mut self, id: ExprId, entries: &[MapEntry]) {
        let (mut key_type, mut value_type) = (None, None);
        for MapEntry { key, value, optional } in entries {
            self.check(*key);
            key_type = Some(self.join(*key, key_type, self.ty(*key)));
            self.check(*value);
            let mut ty = self.ty(*value);
            if *optional {
                ty = self.unwrap_optional(*value, ty);
            }
            value_type = Some(self.join(*value, value_type, ty));
        }
        let key_type = key_type.unwrap_or_else(|| self.unifier.fresh());
        let value_type = value_type.unwrap_or_else(|| self.unifier.fresh());
        let map = self.unifier.types.intern(Type::Map(key_type, value_type));
        self.set(id, map);
    }

    fn unwrap_optional(&mut self, id: ExprId, ty: Ty) -> Ty {
        match self.unifier.types.get(ty) {
            Type::Optional(inner) => inner,
            Type::Dyn | Type::Any => ty,
            _ => {
                let optional = self.unifier.types.intern(Type::Optional(ty));
                self.errors.type_mismatch(self.ast, id, &self.unifier.types, optional, ty);
                ty
            }
        }
    }

    /// Returns the element type of a list whose elements have the types `previous` and `current`.
    fn join(&mut self, id: ExprId, previous: Option<Ty>, current: Ty) -> Ty {
        let Some(previous) = previous else { return current };
        if self.unifier.assignable(previous, current) {
            return self.unifier.most_general(previous, current);
        }
        if !self.environment.version().is_at_least(29) {
            // In later versions, a validator reports this.
            self.errors.type_mismatch(self.ast, id, &self.unifier.types, previous, current);
            return Ty::ERROR;
        }
        Ty::DYN
    }

    pub(super) fn check_struct(&mut self, id: ExprId, type_name: &str, fields: &[StructField<'_>]) {
        let name = undotted(type_name);
        let Some(ident) = self.lookup(name) else {
            self.errors.undeclared_reference(self.ast, id, type_name);
            return;
        };
        self.references[id.index()] = Reference::Name;
        match self.unifier.types.get(ident) {
            Type::TypeOf(Some(of)) => {
                if name.starts_with("google.protobuf.") {
                    self.set(id, of);
                } else {
                    let of = self.declared_name(of);
                    self.errors.report(self.ast, id, format!("'{of}' is not a message type"));
                }
            }
            Type::Error => {}
            // Since 1.37, variables with that name are not considered.
            _ if self.environment.server().is_at_least(37) => {
                self.references[id.index()] = Reference::None;
                self.errors.undeclared_reference(self.ast, id, type_name);
                return;
            }
            _ => {
                let message = format!("'{}' is not a type", self.declared_name(ident));
                self.errors.report_types(self.ast.position(id), message, &self.unifier.types, &[ident]);
            }
        }
        for field in fields {
            self.check_struct_field(name, field);
        }
    }

    /// Returns the name of a type without its parameters.
    fn declared_name(&self, ty: Ty) -> String {
        let mut name = self.errors.name(&self.unifier.types, ty);
        name.truncate(name.find('(').unwrap_or(name.len()));
        name
    }

    fn check_struct_field(&mut self, type_name: &str, field: &StructField<'_>) {
        self.check(field.value);
        let position = field.position as usize;
        let expected = match message_field(type_name, field.name) {
            Some(MessageField::Of(ty)) => ty,
            Some(MessageField::Struct) => self.unifier.types.intern(Type::Map(Ty::STRING, Ty::DYN)),
            Some(MessageField::List) => self.unifier.types.intern(Type::List(Ty::DYN)),
            None if type_name.starts_with("google.protobuf.") => {
                self.errors.undefined_field(position, field.name);
                Ty::ERROR
            }
            None => {
                self.errors.failed_resolution(position, type_name);
                Ty::ERROR
            }
        };
        let mut found = self.ty(field.value);
        if field.optional {
            found = self.unwrap_optional(field.value, found);
        }
        if !self.unifier.assignable(expected, found) {
            self.errors.field_type_mismatch(position, &self.unifier.types, field.name, expected, found);
        }
    }
}
