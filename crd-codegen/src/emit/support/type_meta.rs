/// `apiVersion` and `kind`.
pub(crate) mod type_meta {
    /// Refuses objects of another kind. In lists, objects may come without it.
    pub(crate) fn check<E: serde::de::Error>(found: Option<&str>, expected: &str) -> Result<(), E> {
        match found {
            Some(found) if found != expected => {
                Err(E::custom(format_args!("expected `{expected}`, found `{found}`")))
            }
            _ => Ok(()),
        }
    }
}
