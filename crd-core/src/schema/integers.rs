//! The narrowest Rust integer types that hold all integers of a schema.

use serde_json::Number;

use super::Structural;

/// An integer type of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of Rust's types")]
pub enum IntegerType {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl Structural {
    /// Returns the format's integer type if it holds every integer that the API server stores, and otherwise `i64`.
    ///
    /// The API server stores any `int64`, and enforces only the format `int32`: it removes unknown formats from schemas before validation
    /// (`pkg/apiserver/validation/formats.go` of `apiextensions-apiserver`). Only `minimum` and `maximum` can therefore keep -1 or 65536
    /// out of a `u16`.
    ///
    /// ```
    /// use crd_core::Structural;
    /// use crd_core::crd::JsonSchemaProps;
    /// use crd_core::schema::IntegerType;
    /// use serde_json::json;
    ///
    /// let of = |schema| Ok::<_, Box<dyn std::error::Error>>(
    ///     Structural::from_json_schema(&JsonSchemaProps::from_value(schema)?)?.integer_type(),
    /// );
    /// assert_eq!(of(json!({"type": "integer", "format": "uint8"}))?, IntegerType::I64);
    /// assert_eq!(of(json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255}))?, IntegerType::U8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn integer_type(&self) -> IntegerType {
        let format = self.value_validation.as_deref().and_then(|validation| validation.format.as_deref());
        let (wanted, least, most) = match format {
            Some("int32") => return IntegerType::I32,
            Some("int8") => (IntegerType::I8, i8::MIN.into(), i8::MAX.into()),
            Some("int16") => (IntegerType::I16, i16::MIN.into(), i16::MAX.into()),
            Some("uint8") => (IntegerType::U8, 0, u8::MAX.into()),
            Some("uint16") => (IntegerType::U16, 0, u16::MAX.into()),
            Some("uint32") => (IntegerType::U32, 0, u32::MAX.into()),
            // No integer that is stored is larger.
            Some("uint64" | "uint") => (IntegerType::U64, 0, i64::MAX),
            _ => return IntegerType::I64,
        };
        let [minimum, maximum] = self.integer_limits();
        if minimum >= least && maximum <= most { wanted } else { IntegerType::I64 }
    }

    /// Returns the smallest and the largest integer that `minimum` and `maximum` allow. A limit that is not an `i64` is
    /// ignored.
    #[must_use]
    pub fn integer_limits(&self) -> [i64; 2] {
        let validation = self.value_validation.as_deref();
        let minimum = validation.and_then(|validation| whole(validation.minimum.as_ref()?));
        let maximum = validation.and_then(|validation| whole(validation.maximum.as_ref()?));
        [minimum.unwrap_or(i64::MIN), maximum.unwrap_or(i64::MAX)]
    }
}

/// Returns the limit as an integer. Rust crates for JSON Schema write limits as floats, such as `0.0`.
fn whole(limit: &Number) -> Option<i64> {
    /// Below this limit, every whole `f64` represents exactly one `i64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below the limit")]
    let of_float = |float: f64| (float.fract() == 0.0 && float.abs() < EXACT).then_some(float as i64);
    limit.as_i64().or_else(|| of_float(limit.as_f64()?))
}
