/// A quantity such as `500m`, `1.5Gi` or `2`, kept as written: any number, or a string.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(untagged, expecting = "expected a number or a string")]
pub enum Quantity {
    /// A number.
    Number(serde_json::Number),
    /// A string, usually a number with a unit.
    String(String),
}

impl Default for Quantity {
    fn default() -> Self {
        Self::Number(0.into())
    }
}

impl From<i64> for Quantity {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<String> for Quantity {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<&str> for Quantity {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}
