/// Reads objects in which the value of one property determines which other property is set.
pub(crate) mod discriminator {
    use serde::de::Error;

    /// Returns the error for an object with properties that do not belong to `value`. `cases` has, for each value, the property that belongs to the
    /// value, or an empty string if there is none.
    pub(crate) fn mismatch<E: Error>(property: &str, value: &str, cases: &[(&str, &str)]) -> E {
        let own = cases.iter().find(|(known, _)| *known == value);
        let others = cases.iter().filter(|(_, name)| !name.is_empty() && own.is_none_or(|(_, own)| own != name));
        let mut others: Vec<String> = others.map(|(_, name)| format!("`{name}`")).collect();
        others.dedup();
        let others = others.join(", ");
        match own {
            Some((_, "")) => E::custom(format_args!("where `{property}` is `{value}`, none of {others} may be set")),
            Some((_, own)) if others.is_empty() => {
                E::custom(format_args!("where `{property}` is `{value}`, `{own}` must be set"))
            }
            Some((_, own)) => E::custom(format_args!(
                "where `{property}` is `{value}`, `{own}` must be set, and none of {others}"
            )),
            None => {
                let known: Vec<String> = cases.iter().map(|(known, _)| format!("`{known}`")).collect();
                E::custom(format_args!("unknown `{property}` `{value}`, expected one of {}", known.join(", ")))
            }
        }
    }
}
