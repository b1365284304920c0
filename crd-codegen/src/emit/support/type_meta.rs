/// `apiVersion` and `kind`.
pub(crate) mod type_meta {
    /// Rejects objects of another kind. A missing value is fine, because list items may omit `apiVersion` and `kind`.
    pub(crate) fn check<E: serde::de::Error>(found: Option<&str>, expected: &str) -> Result<(), E> {
        match found {
            Some(found) if found != expected => {
                Err(E::custom(format_args!("expected `{expected}`, found `{found}`")))
            }
            _ => Ok(()),
        }
    }
}
