/// Reads properties of which only one may be set.
pub(crate) mod one_of {
    use serde::de::Error;

    /// Returns the property that is set.
    pub(crate) fn exactly<T, E: Error, const N: usize>(found: [(&str, Option<T>); N]) -> Result<T, E> {
        let names = found.each_ref().map(|(name, _)| *name);
        at_most(found)?.ok_or_else(|| {
            E::custom(format_args!("exactly one of {} must be set, found none", listed(&names)))
        })
    }

    /// Returns the property that is set, if any.
    pub(crate) fn at_most<T, E: Error, const N: usize>(found: [(&str, Option<T>); N]) -> Result<Option<T>, E> {
        let names = found.each_ref().map(|(name, _)| *name);
        let there: Vec<&str> =
            found.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| *name).collect();
        if there.len() > 1 {
            return Err(E::custom(format_args!(
                "only one of {} may be set, found {}",
                listed(&names),
                listed(&there)
            )));
        }
        Ok(found.into_iter().find_map(|(_, value)| value))
    }

    fn listed(names: &[&str]) -> String {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    }
}
