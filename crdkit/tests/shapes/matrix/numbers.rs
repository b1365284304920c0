//! Truth values and numbers, with the bounds of their types.

use std::num::{NonZeroI64, NonZeroU8, NonZeroU32, Wrapping};
use std::sync::atomic::AtomicU16;

use super::{compare, row};

#[test]
fn numbers() {
    let largest = i64::MAX;
    compare(
        "numbers",
        &[
            row("bool", [true, false]),
            row("i8", [i8::MIN, 0, i8::MAX]),
            row("i16", [i16::MIN, 0, i16::MAX]),
            row("i32", [i32::MIN, 0, i32::MAX]),
            row("i64", [i64::MIN, 0, i64::MAX]),
            row("u8", [u8::MIN, u8::MAX]),
            row("u16", [u16::MIN, u16::MAX]),
            row("u32", [u32::MIN, u32::MAX]),
            // The API has no integer beyond 64 bits with a sign: these are all that can be stored.
            row("u64", [u64::MIN, largest.unsigned_abs()]),
            row("usize", [usize::MIN, usize::try_from(largest).unwrap_or(usize::MAX)]),
            row("isize", [isize::MIN, isize::MAX]),
            row("i128", [i128::from(i64::MIN), i128::from(i64::MAX)]),
            row("u128", [0, u128::from(largest.unsigned_abs())]),
            row("NonZeroU8", [NonZeroU8::MIN, NonZeroU8::MAX]),
            row("NonZeroU32", [NonZeroU32::MIN, NonZeroU32::MAX]),
            row("NonZeroI64", [NonZeroI64::MIN, NonZeroI64::MAX]),
            row("Wrapping<u8>", [Wrapping(u8::MAX)]),
            row("AtomicU16", [AtomicU16::new(u16::MAX)]),
            row("f32", [0.0, 0.1, f32::MIN, f32::MAX, f32::MIN_POSITIVE]),
            row("f64", [0.0, 0.1, f64::MIN, f64::MAX, f64::MIN_POSITIVE]),
        ],
    );
}
