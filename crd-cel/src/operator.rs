//! Operators: functions with special names.

/// An operator, or a function that only macros call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    And,
    Conditional,
    Divide,
    Equal,
    Greater,
    GreaterEqual,
    In,
    Index,
    Less,
    LessEqual,
    MapInsert,
    Modulo,
    Multiply,
    Negate,
    Not,
    NotEqual,
    /// `@not_strictly_false`, which is also true for errors, so that `all` and `exists` continue after errors.
    NotStrictlyFalse,
    OptionalIndex,
    OptionalSelect,
    Or,
    SortByKeys,
    Subtract,
}

impl Operator {
    #[cfg(feature = "check")]
    const ALL: [Self; 23] = [
        Self::Add,
        Self::And,
        Self::Conditional,
        Self::Divide,
        Self::Equal,
        Self::Greater,
        Self::GreaterEqual,
        Self::In,
        Self::Index,
        Self::Less,
        Self::LessEqual,
        Self::MapInsert,
        Self::Modulo,
        Self::Multiply,
        Self::Negate,
        Self::Not,
        Self::NotEqual,
        Self::NotStrictlyFalse,
        Self::OptionalIndex,
        Self::OptionalSelect,
        Self::Or,
        Self::SortByKeys,
        Self::Subtract,
    ];

    /// Returns the operator with this function name, if there is one.
    #[cfg(feature = "check")]
    pub(crate) fn named(function: &str) -> Option<Self> {
        // Most functions have the names of methods.
        if !function.starts_with(['_', '@', '-', '!', 'c']) {
            return None;
        }
        Self::ALL.into_iter().find(|operator| operator.name() == function)
    }

    /// Returns the name of the function.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Add => "_+_",
            Self::And => "_&&_",
            Self::Conditional => "_?_:_",
            Self::Divide => "_/_",
            Self::Equal => "_==_",
            Self::Greater => "_>_",
            Self::GreaterEqual => "_>=_",
            Self::In => "@in",
            Self::Index => "_[_]",
            Self::Less => "_<_",
            Self::LessEqual => "_<=_",
            Self::MapInsert => "cel.@mapInsert",
            Self::Modulo => "_%_",
            Self::Multiply => "_*_",
            Self::Negate => "-_",
            Self::Not => "!_",
            Self::NotEqual => "_!=_",
            Self::NotStrictlyFalse => "@not_strictly_false",
            Self::OptionalIndex => "_[?_]",
            Self::OptionalSelect => "_?._",
            Self::Or => "_||_",
            Self::SortByKeys => "@sortByAssociatedKeys",
            Self::Subtract => "_-_",
        }
    }
}
