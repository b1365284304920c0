//! Implementations of functions, as entries in the table of functions.

use super::Error;
use super::meter::Meter;
use super::pattern::Pattern;
use super::patterns::Compiled;
use super::value::Value;

/// The result of a function call.
pub(super) type Outcome<'v> = Result<Value<'v>, Error>;

type Plain = for<'v> fn(&mut Meter, &[Value<'v>]) -> Outcome<'v>;

type OnPattern = for<'v> fn(&mut Meter, &[Value<'v>], &Compiled) -> Outcome<'v>;

/// A function's code, with data about its CPU work and errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Implementation {
    pub(super) code: Code,
    /// The CPU work per byte of the arguments, in eighths of a nanosecond. The value is 0 for operators, and for functions that count their
    /// work themselves.
    pub(super) work: u64,
    /// The server's error for arguments without an overload.
    pub(super) missing: Missing,
    /// The comparison operator, if the function is a comparison.
    pub(super) comparison: Option<Comparison>,
    /// `true` if the server calls the function with a list of arguments, regardless of their number.
    pub(super) is_variadic: bool,
}

/// The code that implements a function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code {
    Plain(Plain),
    /// A function whose second argument is a pattern.
    Pattern(OnPattern),
    /// A function that is not called: a call becomes a program node of its own.
    Form(Form),
    /// A function that rules cannot call, because no value in a rule has the type of its argument.
    Absent,
}

/// A call that has its own program node instead of a function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    And,
    Or,
    Conditional,
    /// `@not_strictly_false`
    NotFalse,
    Index {
        is_optional: bool,
    },
    /// The functions `or` and `orValue` of optionals.
    Otherwise {
        is_unwrapped: bool,
    },
    /// A step in a macro: adds an entry to a map.
    MapInsert,
}

/// The text of the server's error for arguments without an overload: `no such overload`, sometimes followed by more text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Missing {
    /// `no such overload`
    Bare,
    /// `no such overload: size`. The name is left out if this variant's function returns `true` for the first argument. The name is also
    /// left out if the first argument is a string, a timestamp or a duration, because these types have their own functions.
    Name(fn(&Value<'_>) -> bool),
    /// `no such overload: sum(list)`. The name and the types are left out if this variant's function returns `true` for the arguments.
    Types(fn(&[Value<'_>]) -> bool),
    /// `no such overload: int.flatten()`
    Method,
}

impl Implementation {
    pub(super) const fn new(code: Code) -> Self {
        Self { code, work: 32, missing: Missing::Types(|_| false), comparison: None, is_variadic: false }
    }

    pub(super) const fn plain(function: Plain) -> Self {
        Self::new(Code::Plain(function))
    }

    pub(super) const fn pattern(function: OnPattern) -> Self {
        Self::new(Code::Pattern(function))
    }

    pub(super) const fn work(mut self, work: u64) -> Self {
        self.work = work;
        self
    }

    pub(super) const fn variadic(mut self) -> Self {
        self.is_variadic = true;
        self
    }

    pub(super) const fn missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    pub(super) const fn comparison(mut self, comparison: Comparison) -> Self {
        self.comparison = Some(comparison);
        self
    }

    /// A function that does not exist: calling it is an error at run time.
    pub(super) const UNKNOWN: Self = Self::plain(|_, _| Err(Error::no_such_overload()));

    pub(super) fn call<'v>(
        &self,
        meter: &mut Meter,
        args: &[Value<'v>],
        pattern: Option<&Pattern>,
    ) -> Outcome<'v> {
        let function = match self.code {
            Code::Plain(function) => return function(meter, args),
            Code::Pattern(function) => function,
            Code::Form(_) | Code::Absent => return Err(Error::no_such_overload()),
        };
        let compiled = match (pattern, args) {
            (Some(pattern), _) => pattern.compiled(meter)?,
            (None, [_, Value::String(pattern), ..]) => meter.pattern(pattern)?,
            _ => return Err(Error::no_such_overload()),
        };
        function(meter, args, &compiled)
    }
}

/// An operator that compares two values.
#[derive(Clone, Copy, Debug)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    pub(super) fn holds<T: PartialOrd + ?Sized>(self, left: &T, right: &T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
        }
    }

    /// Returns `true` for `==` and `!=`.
    pub(super) fn is_of_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}
