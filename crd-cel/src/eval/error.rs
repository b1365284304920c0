//! Evaluation errors, with cel-go's texts.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The error of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(ErrorRepr);

#[derive(Clone, Debug, PartialEq, Eq)]
enum ErrorRepr {
    /// The cost of the evaluation is too high.
    Limit,
    /// The evaluation reached its limit for CPU work.
    Work,
    /// A panic in the server's own code. The server catches this panic.
    Fault(Cow<'static, str>),
    Static(&'static str),
    /// The function has no overload for the types of the arguments. The value is the name of the function, if the API server's message
    /// contains it.
    NoOverload(Option<Arc<str>>),
    /// A message that is built during the evaluation. The text is shared, because the error is copied whenever a rule reads a variable
    /// whose value is this error.
    Owned(Arc<str>),
}

impl Error {
    /// The evaluation exceeded its cost limit.
    pub(crate) const LIMIT: Self = Self(ErrorRepr::Limit);
    /// The evaluation exceeded a limit for CPU work or memory. The server has no such limits.
    pub(crate) const OUT_OF_WORK: Self = Self(ErrorRepr::Work);
    pub(crate) const INT_OVERFLOW: Self = Self::new("integer overflow");
    pub(crate) const UINT_OVERFLOW: Self = Self::new("unsigned integer overflow");
    pub(crate) const TIMESTAMP_OVERFLOW: Self = Self::new("timestamp overflow");

    /// The API server panics because bytes cannot be a key of a Go map.
    pub(crate) const UNHASHABLE_BYTES: Self = Self::fault(crate::faults::UNHASHABLE_BYTES);
    pub(crate) const UNHASHABLE_VERSION: Self =
        Self::fault("internal error: runtime error: hash of unhashable type cel.Semver");

    pub(crate) const UNHASHABLE_LIST: Self =
        Self::fault("internal error: runtime error: hash of unhashable type []interface {}");
    pub(crate) const UNHASHABLE_MAP: Self =
        Self::fault("internal error: runtime error: hash of unhashable type map[string]interface {}");

    pub(crate) const UNHASHABLE_FORMAT: Self =
        Self::fault("internal error: runtime error: hash of unhashable type cel.Format");

    /// The API server panics because its cost function expects a list, but evaluating the argument failed.
    pub(crate) const NO_LIST: Self = Self::fault(
        "internal error: interface conversion: *types.Err is not traits.Lister: missing method Add",
    );

    const fn fault(message: &'static str) -> Self {
        Self(ErrorRepr::Fault(Cow::Borrowed(message)))
    }

    /// Returns the server's panic for a value that the server wrongly assumes to be a list. The message contains the first method, in
    /// alphabetical order, that the value's Go type lacks.
    pub(crate) fn not_a_list(go_type: &str, has_sum: bool) -> Self {
        let method = if has_sum { "Contains" } else { "Add" };
        let message = format!(
            "internal error: interface conversion: {go_type} is not traits.Lister: missing method {method}"
        );
        Self(ErrorRepr::Fault(message.into()))
    }

    /// Returns the server's panic for a value that the server wrongly assumes to be an integer.
    pub(crate) fn not_an_int(go_type: &str) -> Self {
        let message = format!("internal error: interface conversion: ref.Val is {go_type}, not types.Int");
        Self(ErrorRepr::Fault(message.into()))
    }

    pub(crate) const fn new(message: &'static str) -> Self {
        Self(ErrorRepr::Static(message))
    }

    pub(crate) fn text(message: impl Into<Arc<str>>) -> Self {
        Self(ErrorRepr::Owned(message.into()))
    }

    pub(crate) fn no_such_overload() -> Self {
        Self(ErrorRepr::NoOverload(None))
    }

    /// Returns the error for a call to a function that does not exist, or that has no overload for the arguments.
    pub(crate) fn no_such_overload_of(call: impl fmt::Display) -> Self {
        Self(ErrorRepr::NoOverload(Some(format!("no such overload: {call}").into())))
    }

    pub(crate) fn no_such_key(key: impl fmt::Display) -> Self {
        Self::text(format!("no such key: {key}"))
    }

    pub(crate) fn index_out_of_bounds(index: impl fmt::Display) -> Self {
        Self::text(format!("index out of bounds: {index}"))
    }

    pub(crate) fn conversion(from: &str, to: &str) -> Self {
        Self::text(format!("type conversion error from '{from}' to '{to}'"))
    }

    /// Returns `true` if the evaluation exceeded its cost limit. The operators `&&` and `||` never absorb this error.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        self.0 == ErrorRepr::Limit
    }

    /// Returns `true` if the evaluation exceeded its limit for CPU work or memory. The server's result is then unknown. The operators `&&`
    /// and `||` never absorb this error.
    #[must_use]
    pub fn is_out_of_work(&self) -> bool {
        self.0 == ErrorRepr::Work
    }

    /// Returns `true` if the error ends the whole run.
    pub(crate) fn ends_run(&self) -> bool {
        self.is_limit() || self.is_out_of_work()
    }

    /// Returns `true` for a panic in the server's own code.
    pub(crate) fn is_fault(&self) -> bool {
        matches!(self.0, ErrorRepr::Fault(_))
    }

    /// Returns `true` if operators never absorb this error.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.0, ErrorRepr::Limit | ErrorRepr::Work | ErrorRepr::Fault(_))
    }

    /// Returns `true` if a function has no overload for its arguments.
    #[must_use]
    pub fn is_no_such_overload(&self) -> bool {
        matches!(self.0, ErrorRepr::NoOverload(_))
    }

    /// Returns cel-go's message.
    #[must_use]
    pub fn message(&self) -> &str {
        match &self.0 {
            ErrorRepr::Limit => "operation cancelled: actual cost limit exceeded",
            ErrorRepr::Work => "the evaluation takes more work than the limit of this tool",
            ErrorRepr::Static(message) => message,
            ErrorRepr::NoOverload(call) => call.as_deref().unwrap_or("no such overload"),
            ErrorRepr::Fault(message) => message,
            ErrorRepr::Owned(message) => message,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}
