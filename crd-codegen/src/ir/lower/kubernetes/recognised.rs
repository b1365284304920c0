//! Results of the comparison with k8s-openapi's types.

use crd_core::{CauseReason, Diagnostic, FieldPath, Keyword, OrderedMap};

use crate::ir::Type;

/// Schemas that look like types of k8s-openapi but do not match them.
#[derive(Debug, Default)]
pub(in crate::ir::lower) struct NearMisses {
    /// Near misses by message: the first place, the keyword that differs, and the number of further places.
    places: OrderedMap<(FieldPath, Option<Keyword>, usize)>,
    /// The number of places with a near miss.
    pub(in crate::ir::lower) count: usize,
}

impl NearMisses {
    pub(super) fn add(
        &mut self,
        message: String,
        keyword: Option<Keyword>,
        place: impl FnOnce() -> FieldPath,
    ) {
        self.count += 1;
        match self.places.get_mut(&message) {
            Some((_, _, more)) => *more += 1,
            None => drop(self.places.insert(message, (place(), keyword, 0))),
        }
    }

    /// Returns the warnings, each at its first place.
    pub(in crate::ir::lower) fn into_warnings(self) -> impl Iterator<Item = Diagnostic> {
        self.places.into_iter().map(|(message, (first, keyword, more))| {
            let more = match more {
                0 => String::new(),
                1 => ", and in one more place".to_owned(),
                more => format!(", and in {more} more places"),
            };
            let mut warning = Diagnostic::new(first, CauseReason::Invalid, format!("{message}{more}"));
            warning.keyword = keyword;
            warning.with_help("a type is generated for it, as if the option `k8s-openapi` were `none`")
        })
    }
}

/// The result of looking for the type of k8s-openapi for an object.
pub(in crate::ir::lower) enum Recognised {
    Taken(Type),
    /// The type with this index in the table. The type writes fields that were not set, so the apply configuration needs its own type.
    TakenButForApply(u16),
    /// Not a type of k8s-openapi. The reason is present if the object nearly matches one of these types.
    Not(Option<NotTaken>),
}

/// The reason why an object does not match a type.
pub(in crate::ir::lower) struct NotTaken {
    pub(super) message: String,
    pub(super) keyword: Option<Keyword>,
    /// `true` if a part of the object, instead of the object itself, is the reason.
    pub(super) is_below: bool,
}
