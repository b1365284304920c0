//! Kubernetes quantities of any length: `1.5Gi`, `100m`, `1e3`.

use std::cmp::Ordering;

use crate::eval::Error;
use crate::eval::decimal::DecimalInteger;

/// A quantity: a number times a power of ten. There is a variant for numbers that fit into 64 bits, because only such quantities can be
/// converted to integers.
#[derive(Clone, Debug)]
pub struct Quantity(Amount);

#[derive(Clone, Debug)]
enum Amount {
    Short { value: i64, exponent: i32 },
    Long { value: DecimalInteger, exponent: i32 },
}

const WRONG_FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const WRONG_NUMBER: &str = "unable to parse numeric part of quantity";

const WRONG_SUFFIX: &str = "unable to parse quantity's suffix";

/// Maximum difference between the exponents of two summands. It limits the number of digits in a sum.
const MAX_SHIFT: i64 = 20_000;

/// The CPU work of reading, comparing or adding a digit.
pub(crate) const DIGIT: u64 = 4;

/// Maximum length of a quantity's text. It limits the memory for a number.
pub(crate) const MAX_LENGTH: usize = 50_000;

/// The meaning of a suffix: an exponent to the base 10 or 2.
enum Suffix {
    Ten(i32),
    Two(u32),
}

impl From<i64> for Quantity {
    fn from(value: i64) -> Self {
        Self(Amount::Short { value, exponent: 0 })
    }
}

impl Quantity {
    /// Parses a quantity like `resource.ParseQuantity`.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err(WRONG_FORMAT);
        }
        if text.len() > MAX_LENGTH {
            return Err(WRONG_NUMBER);
        }
        let is_negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, mut rest) = unsigned.split_at(digits(unsigned));
        let mut fraction = "";
        if let Some(after) = rest.strip_prefix('.') {
            (fraction, rest) = after.split_at(digits(after));
        }
        let letters = rest.bytes().take_while(|byte| b"eEinumkKMGTP".contains(byte)).count();
        let number = rest[letters..].strip_prefix(['-', '+']).unwrap_or(&rest[letters..]);
        if digits(number) < number.len() {
            return Err(WRONG_FORMAT);
        }
        let suffix = suffix(rest).ok_or(WRONG_SUFFIX)?;
        let whole = whole.trim_start_matches('0');
        let short = Self::short(if whole.is_empty() { "0" } else { whole }, fraction, &suffix, is_negative);
        match short {
            Some(short) => Ok(short),
            None => Self::long(whole, fraction, &suffix, is_negative),
        }
    }

    /// Returns the quantity if it has so few digits that the number certainly fits into 64 bits.
    fn short(whole: &str, fraction: &str, suffix: &Suffix, is_negative: bool) -> Option<Self> {
        let (precision, exponent, factor) = match suffix {
            Suffix::Ten(exponent) => (18 - (whole.len() + fraction.len()) as i64, *exponent, 1),
            Suffix::Two(exponent) if fraction.is_empty() => {
                (15 - whole.len() as i64 - i64::from(exponent * 3 / 10) - 1, 0, 1i64 << exponent)
            }
            Suffix::Two(_) => return None,
        };
        let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        if precision < 0 || exponent < -9 {
            return None;
        }
        let value = format!("{whole}{fraction}").parse::<i64>().ok()?.checked_mul(factor)?;
        Some(Self(Amount::Short { value: if is_negative { -value } else { value }, exponent }))
    }

    fn long(whole: &str, fraction: &str, suffix: &Suffix, is_negative: bool) -> Result<Self, &'static str> {
        let mut value = DecimalInteger::parse(&format!("{whole}{fraction}")).ok_or(WRONG_NUMBER)?;
        let mut exponent = -i64::try_from(fraction.len()).map_err(|_| WRONG_NUMBER)?;
        match suffix {
            Suffix::Ten(by) => exponent += i64::from(*by),
            Suffix::Two(by) => value = value.times_power_of_two(*by),
        }
        // Anything is at least a billionth, and rounded up to billionths.
        if exponent < -9 && value.signum() != 0 {
            value = value.over_power_of_ten(usize::try_from(-9 - exponent).unwrap_or(usize::MAX));
            exponent = -9;
        }
        if let Suffix::Two(_) = suffix {
            let most = Self(Amount::Short { value: i64::MAX, exponent: 0 });
            let exponent = i32::try_from(exponent).map_err(|_| WRONG_NUMBER)?;
            if Self(Amount::Long { value: value.clone(), exponent }).order(&most).is_gt() {
                let value = DecimalInteger::from(i64::MAX);
                return Ok(Self(Amount::Long {
                    value: if is_negative { value.negated() } else { value },
                    exponent: 0,
                }));
            }
        }
        let exponent = i32::try_from(exponent).map_err(|_| WRONG_NUMBER)?;
        Ok(Self(Amount::Long { value: if is_negative { value.negated() } else { value }, exponent }))
    }

    /// Returns the CPU work of comparing or adding this quantity and another quantity.
    pub(crate) fn work(&self) -> u64 {
        DIGIT * self.digits()
    }

    /// Returns the number of digits, including the zeros for the exponent. Returns 0 if the quantity's number fits into 64 bits.
    pub(crate) fn digits(&self) -> u64 {
        let (digits, exponent) = match &self.0 {
            Amount::Short { exponent: -18..=18, .. } => return 0,
            Amount::Short { exponent, .. } => (20, exponent),
            Amount::Long { value, exponent } => (value.len() as u64, exponent),
        };
        digits + u64::from(exponent.unsigned_abs()).min(MAX_SHIFT as u64)
    }

    fn parts(&self) -> (DecimalInteger, i64) {
        match &self.0 {
            Amount::Short { value, exponent } => (DecimalInteger::from(*value), i64::from(*exponent)),
            Amount::Long { value, exponent } => (value.clone(), i64::from(*exponent)),
        }
    }

    pub(crate) fn sign(&self) -> i64 {
        match &self.0 {
            Amount::Short { value, .. } => value.signum(),
            Amount::Long { value, .. } => value.signum(),
        }
    }

    pub(crate) fn as_integer(&self) -> Option<i64> {
        match &self.0 {
            Amount::Short { value, exponent: 0 } => Some(*value),
            Amount::Short { value: 0, exponent: 1.. } => Some(0),
            Amount::Short { value, exponent: exponent @ 1..=18 } => {
                value.checked_mul(10i64.pow(*exponent as u32))
            }
            _ => None,
        }
    }

    pub(crate) fn as_float(&self) -> f64 {
        let (base, exponent) = match &self.0 {
            Amount::Short { value, exponent } => (*value as f64, *exponent),
            Amount::Long { value, exponent } => (value.to_float(), *exponent),
        };
        if exponent == 0 {
            return base;
        }
        base * format!("1e{exponent}").parse::<f64>().unwrap_or(f64::INFINITY)
    }

    pub(crate) fn negated(&self) -> Self {
        Self(match &self.0 {
            Amount::Short { value, exponent } => match value.checked_neg() {
                Some(value) => Amount::Short { value, exponent: *exponent },
                None => Amount::Long { value: DecimalInteger::from(*value).negated(), exponent: *exponent },
            },
            Amount::Long { value, exponent } => {
                Amount::Long { value: value.clone().negated(), exponent: *exponent }
            }
        })
    }

    pub(crate) fn add(&self, other: &Self) -> Result<Self, Error> {
        if let (Amount::Short { value: a, exponent: i }, Amount::Short { value: b, exponent: j }) =
            (&self.0, &other.0)
        {
            if *b == 0 {
                return Ok(self.clone());
            }
            if *a == 0 {
                return Ok(other.clone());
            }
            let least = *i.min(j);
            let shifted = |value: i64, exponent: i32| {
                let by = u32::try_from(i64::from(exponent) - i64::from(least)).ok().filter(|by| *by <= 18)?;
                value.checked_mul(10i64.pow(by))
            };
            if let Some(value) = shifted(*a, *i).zip(shifted(*b, *j)).and_then(|(a, b)| a.checked_add(b)) {
                return Ok(Self(Amount::Short { value, exponent: least }));
            }
        }
        let ((a, i), (b, j)) = (self.parts(), other.parts());
        let least = i.min(j);
        if (i - least).max(j - least) > MAX_SHIFT {
            return Err(Error::OUT_OF_WORK);
        }
        let shifted = |value: DecimalInteger, exponent| value.times_power_of_ten((exponent - least) as usize);
        let value = shifted(a, i).plus(&shifted(b, j));
        Ok(Self(Amount::Long { value, exponent: least as i32 }))
    }

    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let by_sign = self.sign().cmp(&other.sign());
        if by_sign.is_ne() || self.sign() == 0 {
            return by_sign;
        }
        let ((a, i), (b, j)) = (self.parts(), other.parts());
        // The number of digits before the point decides, then the digits.
        let (left, right) = (a.len() as i64 + i, b.len() as i64 + j);
        let by_amount = left.cmp(&right).then_with(|| a.order_of_fractions(&b));
        if self.sign() < 0 { by_amount.reverse() } else { by_amount }
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}

fn suffix(text: &str) -> Option<Suffix> {
    Some(match text {
        "n" => Suffix::Ten(-9),
        "u" => Suffix::Ten(-6),
        "m" => Suffix::Ten(-3),
        "" => Suffix::Ten(0),
        "k" => Suffix::Ten(3),
        "M" => Suffix::Ten(6),
        "G" => Suffix::Ten(9),
        "T" => Suffix::Ten(12),
        "P" => Suffix::Ten(15),
        "E" => Suffix::Ten(18),
        "Ki" => Suffix::Two(10),
        "Mi" => Suffix::Two(20),
        "Gi" => Suffix::Two(30),
        "Ti" => Suffix::Two(40),
        "Pi" => Suffix::Two(50),
        "Ei" => Suffix::Two(60),
        _ => {
            let exponent: i64 = text.strip_prefix(['e', 'E'])?.parse().ok()?;
            // Go keeps the lower half of the exponent.
            Suffix::Ten(exponent as i32)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read() {
        for text in
            ["5", "2Gi", "100m", "1.0e+3", "1.0E+3", "Gi", "-1.5Mi", "+1", ".5", "5.", "1n", "7E", "0.1n"]
        {
            assert!(Quantity::parse(text).is_ok(), "{text}");
        }
        for (text, error) in [
            ("1,5", WRONG_FORMAT),
            ("1 Gi", WRONG_FORMAT),
            ("", WRONG_FORMAT),
            ("1g", WRONG_FORMAT),
            ("1K", WRONG_SUFFIX),
            ("1\u{b5}", WRONG_FORMAT),
            ("1KiB", WRONG_FORMAT),
        ] {
            assert_eq!(Quantity::parse(text).err(), Some(error), "{text}");
        }
    }

    #[test]
    fn quantities_are_numbers() {
        let read = |text: &str| Quantity::parse(text).unwrap();
        for (text, integer, float) in [
            ("2Ki", Some(2048), 2048.0),
            ("3k", Some(3000), 3000.0),
            ("2.0e+3", Some(2000), 2000.0),
            ("5000m", None, 5.0),
            ("1.5Gi", None, 1_610_612_736.0),
            ("250m", None, 0.25),
            ("1Ei", None, 1.152921504606847e18),
            ("9999999999999999999999", None, 1e22),
        ] {
            assert_eq!((read(text).as_integer(), read(text).as_float()), (integer, float), "{text}");
        }
        assert_eq!(read("0.5"), read("500m"));
        assert_eq!(read("1Gi").add(&read("2048Mi")), Ok(read("3Gi")));
        assert_eq!(read("1e30").add(&read("1")).unwrap().add(&read("1e30").negated()), Ok(read("1")));
        assert_eq!(read("0.1n"), read("1n"));
        assert!(read("-1").order(&read("1e2000000000")).is_lt() && read("1e-5").order(&read("0")).is_gt());
        assert!(read("1e2000000000").add(&read("1")).is_err_and(|error| error.is_out_of_work()));
    }
}
