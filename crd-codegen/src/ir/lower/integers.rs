//! Integer types: as narrow as a schema guarantees.

use crd_core::Structural;
use serde_json::Number;

use super::format;
use crate::ir::Integer;

/// The narrowest of the integer types that the format names and that hold every integer the API server stores.
///
/// The API server stores `int64`s, and enforces no format but `int32`: it removes formats that it does not know from schemas
/// before it validates (`pkg/apiserver/validation/formats.go` of `apiextensions-apiserver`), so that only `minimum` and
/// `maximum` keep -1 or 65536 out of a `uint16`.
pub(super) fn integer(schema: &Structural) -> Integer {
    let (wanted, least, most) = match format(schema) {
        Some("int32") => return Integer::I32,
        Some("int8") => (Integer::I8, i8::MIN.into(), i8::MAX.into()),
        Some("int16") => (Integer::I16, i16::MIN.into(), i16::MAX.into()),
        Some("uint8") => (Integer::U8, 0, u8::MAX.into()),
        Some("uint16") => (Integer::U16, 0, u16::MAX.into()),
        Some("uint32") => (Integer::U32, 0, u32::MAX.into()),
        // No integer that is stored is larger.
        Some("uint64" | "uint") => (Integer::U64, 0, i64::MAX),
        _ => return Integer::I64,
    };
    let [minimum, maximum] = bounds(schema);
    if minimum >= least && maximum <= most { wanted } else { Integer::I64 }
}

/// Returns `true` if every integer that the API server stores has 32 bits.
pub(super) fn is_i32(schema: &Structural) -> bool {
    let [minimum, maximum] = bounds(schema);
    format(schema) == Some("int32") || minimum >= i32::MIN.into() && maximum <= i32::MAX.into()
}

/// The least and the greatest integer that `minimum` and `maximum` allow. A bound that is not an `i64` does not count.
fn bounds(schema: &Structural) -> [i64; 2] {
    let validation = schema.value_validation.as_deref();
    let minimum = validation.and_then(|validation| whole(validation.minimum.as_ref()?));
    let maximum = validation.and_then(|validation| whole(validation.maximum.as_ref()?));
    [minimum.unwrap_or(i64::MIN), maximum.unwrap_or(i64::MAX)]
}

/// The bound as an integer; definitions of crates for JSON Schema write `0.0`.
fn whole(bound: &Number) -> Option<i64> {
    /// The limit below which every whole `f64` is an `i64` and the only number that it stands for.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below the limit")]
    let of_float = |float: f64| (float.fract() == 0.0 && float.abs() < EXACT).then_some(float as i64);
    bound.as_i64().or_else(|| of_float(bound.as_f64()?))
}
