/// An integer or a string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(untagged, expecting = "expected an integer or a string")]
pub enum IntOrString {
    /// An integer.
    Int(i64),
    /// A string.
    String(String),
}

impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl From<i64> for IntOrString {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<String> for IntOrString {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<&str> for IntOrString {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}
