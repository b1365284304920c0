//! Decimal integers of any length, for quantities.

use std::cmp::Ordering;

/// An integer of any length, stored as decimal digits, so that a multiplication by a power of ten appends zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DecimalInteger {
    is_negative: bool,
    /// The digits from 0 to 9, the most significant first, without leading zeros; empty for zero.
    digits: Vec<u8>,
}

impl DecimalInteger {
    /// Parses ASCII digits. Returns `None` for other characters.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.bytes().map(|byte| byte.is_ascii_digit().then(|| byte - b'0'));
        Some(Self::new(false, digits.collect::<Option<_>>()?))
    }

    fn new(is_negative: bool, mut digits: Vec<u8>) -> Self {
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
        Self { is_negative: is_negative && !digits.is_empty(), digits }
    }

    /// Returns the number of decimal digits; 0 for zero.
    pub(crate) fn len(&self) -> usize {
        self.digits.len()
    }

    /// Returns the sign of the integer: -1, 0 or 1.
    pub(crate) fn signum(&self) -> i64 {
        match (self.digits.is_empty(), self.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    pub(crate) fn negated(mut self) -> Self {
        self.is_negative = !self.is_negative && !self.digits.is_empty();
        self
    }

    /// Multiplies the integer by ten to the power of `exponent`.
    pub(crate) fn times_power_of_ten(mut self, exponent: usize) -> Self {
        if !self.digits.is_empty() {
            self.digits.resize(self.digits.len() + exponent, 0);
        }
        self
    }

    /// Multiplies the integer by two to the power of `exponent`. The exponent is at most 60, because ten times the power must fit into 64
    /// bits.
    pub(crate) fn times_power_of_two(self, exponent: u32) -> Self {
        let mut carry = 0u64;
        let mut reversed = Vec::with_capacity(self.digits.len() + 20);
        let mut digits = self.digits.iter().rev();
        loop {
            match digits.next() {
                Some(digit) => carry += u64::from(*digit) << exponent,
                None if carry == 0 => break,
                None => {}
            }
            reversed.push((carry % 10) as u8);
            carry /= 10;
        }
        reversed.reverse();
        Self::new(self.is_negative, reversed)
    }

    /// Divides the integer by ten to the power of `exponent`, and rounds away from zero.
    pub(crate) fn over_power_of_ten(mut self, exponent: usize) -> Self {
        let rest = self.digits.split_off(self.digits.len().saturating_sub(exponent));
        if rest.iter().any(|digit| *digit != 0) {
            self.digits = sum(&self.digits, &[1]);
        }
        Self::new(self.is_negative, self.digits)
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        if self.is_negative == other.is_negative {
            return Self::new(self.is_negative, sum(&self.digits, &other.digits));
        }
        match self.order_of_amounts(other) {
            Ordering::Less => Self::new(other.is_negative, difference(&other.digits, &self.digits)),
            _ => Self::new(self.is_negative, difference(&self.digits, &other.digits)),
        }
    }

    /// Compares the digits of two integers as if they were fractions `0.d1d2d3...`. Signs are ignored.
    pub(crate) fn order_of_fractions(&self, other: &Self) -> Ordering {
        let significant =
            |digits: &[u8]| digits.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
        let (left, right) = (&self.digits, &other.digits);
        left[..significant(left)].cmp(&right[..significant(right)])
    }

    fn order_of_amounts(&self, other: &Self) -> Ordering {
        self.len().cmp(&other.len()).then_with(|| self.digits.cmp(&other.digits))
    }

    /// Returns the nearest double.
    pub(crate) fn to_float(&self) -> f64 {
        let text: String = self.digits.iter().map(|digit| char::from(digit + b'0')).collect();
        let amount = if text.is_empty() { 0.0 } else { text.parse().unwrap_or(f64::INFINITY) };
        if self.is_negative { -amount } else { amount }
    }
}

impl From<i64> for DecimalInteger {
    fn from(value: i64) -> Self {
        let text = value.unsigned_abs().to_string();
        Self::new(value < 0, text.bytes().map(|byte| byte - b'0').collect())
    }
}

fn sum(left: &[u8], right: &[u8]) -> Vec<u8> {
    let (long, short) = if left.len() < right.len() { (right, left) } else { (left, right) };
    let mut digits = vec![0; long.len() + 1];
    digits[1..].copy_from_slice(long);
    let mut addends = short.iter().rev();
    let mut carry = 0;
    for digit in digits.iter_mut().rev() {
        let addend = addends.next();
        if addend.is_none() && carry == 0 {
            break;
        }
        *digit += addend.unwrap_or(&0) + carry;
        carry = *digit / 10;
        *digit %= 10;
    }
    digits
}

/// Returns the digits of `large` minus `small`.
fn difference(large: &[u8], small: &[u8]) -> Vec<u8> {
    let mut digits = large.to_vec();
    let mut subtrahends = small.iter().rev();
    let mut borrow = 0;
    for digit in digits.iter_mut().rev() {
        let subtrahend = subtrahends.next();
        if subtrahend.is_none() && borrow == 0 {
            break;
        }
        let by = subtrahend.unwrap_or(&0) + borrow;
        borrow = u8::from(*digit < by);
        *digit = *digit + 10 * borrow - by;
    }
    digits
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use proptest::prelude::*;

    use super::DecimalInteger;

    fn integer() -> impl Strategy<Value = (DecimalInteger, BigInt)> {
        // Nines and zeros carry; most numbers of quantities are short.
        ("[0-9]{0,24}|9{1,40}|[09]{0,40}|10{0,40}", any::<bool>()).prop_map(|(text, is_negative)| {
            let ours = DecimalInteger::parse(&text).expect("digits");
            let theirs = BigInt::parse_bytes(format!("0{text}").as_bytes(), 10).expect("digits");
            if is_negative { (ours.negated(), -theirs) } else { (ours, theirs) }
        })
    }

    fn shown(value: &DecimalInteger) -> String {
        let digits: String = value.digits.iter().map(|digit| char::from(digit + b'0')).collect();
        match (digits.is_empty(), value.is_negative) {
            (true, _) => "0".to_owned(),
            (_, true) => format!("-{digits}"),
            _ => digits,
        }
    }

    proptest! {
        #[test]
        fn integers_compute_as_those_of_num_bigint(
            (a, big_a) in integer(), (b, big_b) in integer(), exponent in 0..50u32, power in 0..=60u32,
        ) {
            let ten = BigInt::from(10).pow(exponent);
            prop_assert_eq!(shown(&a), big_a.to_string());
            prop_assert_eq!(shown(&a.plus(&b)), (&big_a + &big_b).to_string());
            prop_assert_eq!(shown(&a.clone().times_power_of_ten(exponent as usize)), (&big_a * &ten).to_string());
            prop_assert_eq!(shown(&a.clone().times_power_of_two(power)), (&big_a << power).to_string());
            prop_assert_eq!(a.to_float(), big_a.to_string().parse::<f64>().expect("a number"));
            prop_assert_eq!(a.len(), big_a.to_string().trim_start_matches(['-', '0']).len());
            prop_assert_eq!(a.order_of_amounts(&b), big_a.magnitude().cmp(big_b.magnitude()));
            let is_whole = &big_a % &ten == BigInt::ZERO;
            let rounded = &big_a / &ten + if is_whole { 0 } else { a.signum() };
            prop_assert_eq!(shown(&a.clone().over_power_of_ten(exponent as usize)), rounded.to_string());
            let point = |value: &BigInt, len: usize| value.magnitude() * BigInt::from(10).pow(80 - len as u32).magnitude();
            prop_assert_eq!(a.order_of_fractions(&b), point(&big_a, a.len()).cmp(&point(&big_b, b.len())));
        }

        #[test]
        fn integers_of_64_bits_are_converted(value: i64) {
            prop_assert_eq!(shown(&value.into()), value.to_string());
        }
    }

    #[test]
    fn other_characters_are_no_digits() {
        assert_eq!(DecimalInteger::parse("1a"), None);
        assert_eq!(DecimalInteger::parse("-1"), None);
        assert_eq!(DecimalInteger::parse("007"), Some(7.into()));
        assert_eq!(DecimalInteger::parse(""), Some(0.into()));
    }
}
