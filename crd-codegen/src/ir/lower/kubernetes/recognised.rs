//! Results of the comparison with k8s-openapi types.

use crd_core::{CauseReason, Diagnostic, FieldPath, Keyword, OrderedMap};

use crate::ir::Type;

/// Near misses: schemas that are similar to a k8s-openapi type, but do not match it.
#[derive(Debug, Default)]
pub(in crate::ir::lower) struct NearMisses {
    /// For each message, the first position, the keyword that differs, and the number of further positions.
    places: OrderedMap<(FieldPath, Option<Keyword>, usize)>,
    /// The number of positions with a near miss.
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

    /// Returns the warnings, each for the first position.
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

/// The result of the search for a k8s-openapi type that matches an object.
pub(in crate::ir::lower) enum Recognised {
    Taken(Type),
    /// The type with this index in the table. An apply configuration must be generated, because the type serializes fields that were not
    /// set.
    TakenButForApply(u16),
    /// No k8s-openapi type matches. The reason is present if a type matches nearly.
    Not(Option<NotTaken>),
}

/// The reason why an object does not match a type.
pub(in crate::ir::lower) struct NotTaken {
    pub(super) message: String,
    pub(super) keyword: Option<Keyword>,
    /// `true` if the reason is in a part of the object.
    pub(super) is_below: bool,
}
