//! Patterns of schemas, each compiled once however many values it is for.

use std::collections::HashMap;

use crd_cel::re2::Regex;

/// Compiled patterns.
#[derive(Default)]
pub(crate) struct Patterns(HashMap<String, Result<Regex, String>>);

impl Patterns {
    /// Whether `pattern` matches somewhere in `text`.
    ///
    /// # Errors
    /// The pattern is none, or takes too much memory.
    pub(crate) fn is_match(&mut self, pattern: &str, text: &str) -> Result<bool, String> {
        let is_match = |compiled: &Result<Regex, String>| match compiled {
            Ok(regex) => Ok(regex.is_match(text)),
            Err(error) => Err(error.clone()),
        };
        if let Some(compiled) = self.0.get(pattern) {
            return is_match(compiled);
        }
        let compiled = Regex::new(pattern).map_err(|error| error.to_string());
        is_match(self.0.entry(pattern.to_owned()).or_insert(compiled))
    }
}
