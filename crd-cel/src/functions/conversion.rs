//! The functions that convert values to other types. The server converts constants when it compiles the rule.

/// A function that converts a value to another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    Bool,
    Bytes,
    Double,
    Duration,
    Dyn,
    Int,
    String,
    Timestamp,
    Type,
    Uint,
}

impl Conversion {
    const ALL: [Self; 10] = [
        Self::Bool,
        Self::Bytes,
        Self::Double,
        Self::Duration,
        Self::Dyn,
        Self::Int,
        Self::String,
        Self::Timestamp,
        Self::Type,
        Self::Uint,
    ];

    /// Returns the conversion with this function name.
    pub(crate) fn named(function: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|conversion| conversion.name() == function)
    }

    /// Returns the name of the function.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Bytes => "bytes",
            Self::Double => "double",
            Self::Duration => "duration",
            Self::Dyn => "dyn",
            Self::Int => "int",
            Self::String => "string",
            Self::Timestamp => "timestamp",
            Self::Type => "type",
            Self::Uint => "uint",
        }
    }
}
