//! JSON numbers as Go decodes them.

use serde_json::Number;

/// A JSON number as Kubernetes decodes it: an integer that fits is an `int64`, everything else a `float64`.
///
/// ```
/// use crd_go::json::Num;
/// use serde_json::Number;
///
/// assert_eq!(Num::from(&Number::from(3)), Num::Int(3));
/// assert_eq!(Num::from(&Number::from(u64::MAX)), Num::Float(18_446_744_073_709_551_615.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Num {
    /// An `int64`.
    Int(i64),
    /// A `float64`.
    Float(f64),
}

impl From<&Number> for Num {
    fn from(number: &Number) -> Self {
        match number.as_i64() {
            Some(number) => Self::Int(number),
            None => Self::Float(number.as_f64().unwrap_or(f64::INFINITY)),
        }
    }
}

impl Num {
    /// Converts the number to a `float64`, as Go does: an integer beyond 2^53 loses digits.
    #[must_use]
    pub fn as_float(self) -> f64 {
        match self {
            Self::Int(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}
