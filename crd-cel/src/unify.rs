//! Decides which types are assignable to other types, and binds type variables.
//!
//! The algorithm is cel-go's, with the same order of cases. It decides which overloads match, and therefore affects costs.

use crate::types::{Ty, Type, Types};

/// The types and the bound type variables of one type check.
pub(crate) struct Unifier<'b> {
    pub(crate) types: Types<'b>,
    bindings: Vec<Option<Ty>>,
    /// The variables' earlier bindings, for undoing a failed attempt.
    trail: Vec<(u32, Option<Ty>)>,
}

impl<'b> Unifier<'b> {
    pub(crate) fn new(types: Types<'b>) -> Self {
        Self { types, bindings: Vec::new(), trail: Vec::new() }
    }

    pub(crate) fn fresh(&mut self) -> Ty {
        let number = self.bindings.len() as u32;
        self.bindings.push(None);
        self.types.intern(Type::Var(number))
    }

    /// Returns `true` if a value of type `from` can be used where `to` is expected. If so, type variables are bound as necessary.
    pub(crate) fn assignable(&mut self, from: Ty, to: Ty) -> bool {
        self.all_assignable(&[from], &[to])
    }

    pub(crate) fn all_assignable(&mut self, from: &[Ty], to: &[Ty]) -> bool {
        let mark = self.trail.len();
        if from.len() == to.len() && from.iter().zip(to).all(|(from, to)| self.assign(*from, *to)) {
            return true;
        }
        for (number, binding) in self.trail.drain(mark..).rev() {
            self.bindings[number as usize] = binding;
        }
        false
    }

    fn assign(&mut self, from: Ty, to: Ty) -> bool {
        if from == to && self.types.is_ground(from) {
            return true;
        }
        let (mut a, mut b) = (self.types.get(from), self.types.get(to));
        if let Type::Var(number) = b {
            match self.can_bind(from, to, number) {
                Some(fits) => return fits,
                None => {
                    // `from` contains the variable. `from` itself can be a variable that can be bound to `to`.
                }
            }
        }
        if let Type::Var(number) = a {
            return self.can_bind(to, from, number).unwrap_or(false);
        }
        if is_dyn_or_error(a) || is_dyn_or_error(b) {
            return true;
        }
        if a == Type::Null || b == Type::Null {
            return is_nullable(a) && is_nullable(b);
        }
        if let Type::Wrapper(inner) = a {
            a = self.types.get(inner);
        }
        if let Type::Wrapper(inner) = b {
            b = self.types.get(inner);
        }
        match (a, b) {
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => self.assign(a, b),
            (Type::Map(key, value), Type::Map(key2, value2)) => {
                self.assign(key, key2) && self.assign(value, value2)
            }
            (Type::TypeOf(_), Type::TypeOf(_)) => true,
            _ => a == b,
        }
    }

    /// Returns `true` if the variable `var` can have the type `ty`, and binds the variable to this type. Returns `None` if the
    /// variable is free and `ty` contains the variable.
    fn can_bind(&mut self, ty: Ty, var: Ty, number: u32) -> Option<bool> {
        if ty == var {
            return Some(true);
        }
        if let Some(bound) = self.bindings[number as usize] {
            if self.is_exactly(ty, bound) {
                return Some(true);
            }
            if !self.assign(ty, bound) {
                return Some(false);
            }
            let general = if self.is_equal_or_less_specific(ty, bound) { ty } else { bound };
            if !self.occurs(var, general) {
                self.bind(number, general);
            }
            return Some(true);
        }
        if self.occurs(var, ty) {
            return None;
        }
        self.bind(number, ty);
        Some(true)
    }

    fn bind(&mut self, number: u32, ty: Ty) {
        self.trail.push((number, self.bindings[number as usize]));
        self.bindings[number as usize] = Some(ty);
    }

    fn is_exactly(&self, a: Ty, b: Ty) -> bool {
        a == b || self.unwrapped(a) == self.unwrapped(b)
    }

    fn unwrapped(&self, ty: Ty) -> Ty {
        match self.types.get(ty) {
            Type::Wrapper(inner) => inner,
            _ => ty,
        }
    }

    /// Returns the more general of two types if one is assignable to the other.
    pub(crate) fn most_general(&self, a: Ty, b: Ty) -> Ty {
        if self.is_equal_or_less_specific(a, b) { a } else { b }
    }

    fn is_equal_or_less_specific(&self, a: Ty, b: Ty) -> bool {
        let open = |ty| matches!(ty, Type::Dyn | Type::Any | Type::Var(_) | Type::Param(_));
        match (self.types.get(a), self.types.get(b)) {
            (general, _) if a == b || open(general) => true,
            (_, general) if open(general) => false,
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => {
                self.is_equal_or_less_specific(a, b)
            }
            (Type::Map(key, value), Type::Map(key2, value2)) => {
                self.is_equal_or_less_specific(key, key2) && self.is_equal_or_less_specific(value, value2)
            }
            (Type::TypeOf(_), Type::TypeOf(_)) => true,
            _ => self.is_exactly(a, b),
        }
    }

    fn occurs(&self, var: Ty, within: Ty) -> bool {
        if var == within {
            return true;
        }
        if self.types.is_ground(within) {
            return false;
        }
        match self.types.get(within) {
            Type::Var(number) => self.bindings[number as usize].is_some_and(|bound| self.occurs(var, bound)),
            Type::List(inner) | Type::Optional(inner) | Type::TypeOf(Some(inner)) => self.occurs(var, inner),
            Type::Map(key, value) => self.occurs(var, key) || self.occurs(var, value),
            _ => false,
        }
    }

    /// Returns the type with bound variables replaced by their types.
    pub(crate) fn substitute(&mut self, ty: Ty) -> Ty {
        self.rewrite(ty, &|_, _| None)
    }

    /// Returns the type with bound variables replaced by their types, and free variables replaced by `dyn`.
    pub(crate) fn resolve(&mut self, ty: Ty) -> Ty {
        self.rewrite(ty, &|_, ty| matches!(ty, Type::Var(_) | Type::Param(_)).then_some(Ty::DYN))
    }

    /// Returns the type with a declaration's parameters replaced by `variables`.
    pub(crate) fn instantiate(&mut self, ty: Ty, params: &[char], variables: &[Ty]) -> Ty {
        self.rewrite(ty, &|_, ty| match ty {
            Type::Param(name) => params.iter().position(|param| *param == name).map(|i| variables[i]),
            _ => None,
        })
    }

    fn rewrite(&mut self, ty: Ty, leaf: &dyn Fn(&Self, Type) -> Option<Ty>) -> Ty {
        if self.types.is_ground(ty) {
            return ty;
        }
        let what = self.types.get(ty);
        let rewritten = match what {
            Type::Var(number) => match self.bindings[number as usize] {
                Some(bound) => return self.rewrite(bound, leaf),
                None => return leaf(self, what).unwrap_or(ty),
            },
            Type::Param(_) => return leaf(self, what).unwrap_or(ty),
            Type::List(inner) => Type::List(self.rewrite(inner, leaf)),
            Type::Optional(inner) => Type::Optional(self.rewrite(inner, leaf)),
            Type::TypeOf(Some(inner)) => Type::TypeOf(Some(self.rewrite(inner, leaf))),
            Type::Map(key, value) => Type::Map(self.rewrite(key, leaf), self.rewrite(value, leaf)),
            _ => return ty,
        };
        if rewritten == what { ty } else { self.types.intern(rewritten) }
    }
}

pub(crate) fn is_dyn_or_error(ty: Type) -> bool {
    matches!(ty, Type::Dyn | Type::Any | Type::Error)
}

fn is_nullable(ty: Type) -> bool {
    matches!(
        ty,
        Type::Null
            | Type::Wrapper(_)
            | Type::Optional(_)
            | Type::Library(_)
            | Type::Object(_)
            | Type::Duration
            | Type::Timestamp
            | Type::Any
    )
}
