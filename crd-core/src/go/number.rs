//! JSON numbers as Go reads and prints them.

use serde_json::Number;

/// A JSON number as Go decodes it: what is an integer and fits is an `int64`, the rest a `float64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Num {
    Int(i64),
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
    /// The number as a `float64`.
    pub(crate) fn as_float(self) -> f64 {
        match self {
            // What Go's conversion does; beyond 2^53 digits are lost there too.
            Self::Int(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

/// `%v` of a `float64`: the shortest digits that read back, with an exponent from 1e+06 on and below 1e-04.
pub(crate) fn float(value: f64) -> String {
    let (digits, exponent) = scientific(value);
    if (-4..6).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// A `float64` as `json.Marshal` prints it: an exponent from 1e21 on and below 1e-6.
pub(super) fn json_float(value: f64) -> String {
    let (digits, exponent) = scientific(value);
    if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{}", exponent.unsigned_abs())
}

/// The shortest digits and the decimal exponent.
fn scientific(value: f64) -> (String, i32) {
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_go() {
        for (value, shown, json) in [
            (100_000.0, "100000", "100000"),
            (1_000_000.0, "1e+06", "1000000"),
            (1_234_567.5, "1.2345675e+06", "1234567.5"),
            (0.0001, "0.0001", "0.0001"),
            (0.00001, "1e-05", "0.00001"),
            (1e-7, "1e-07", "1e-7"),
            (1e21, "1e+21", "1e+21"),
            (-0.0, "-0", "-0"),
            (1e100, "1e+100", "1e+100"),
            (0.1, "0.1", "0.1"),
        ] {
            assert_eq!((float(value).as_str(), json_float(value).as_str()), (shown, json));
        }
    }
}
