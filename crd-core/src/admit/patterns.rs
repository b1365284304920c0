//! Patterns of schemas, each compiled once however many values it is for.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crd_cel::re2::Regex;

/// The most steps that one search may take. What comes near it is no schema that anyone wrote: a pattern of a kilobyte
/// may look through a text of a hundred megabytes.
const MOST_STEPS: u64 = 1 << 33;

/// Patterns, compiled when they are first asked for: an object meets few of those that a large schema has.
#[derive(Debug, Default)]
pub(crate) struct Patterns(RwLock<HashMap<String, Arc<Compiled>>>);

type Compiled = Result<Regex, String>;

impl Patterns {
    /// Whether `pattern` matches somewhere in `text`.
    ///
    /// # Errors
    /// The pattern is none, or takes too much memory, or too long on such a text.
    pub(crate) fn is_match(&self, pattern: &str, text: &str) -> Result<bool, String> {
        let compiled = self.compiled(pattern);
        let regex = compiled.as_ref().as_ref().map_err(Clone::clone)?;
        if regex.most_steps(text.len()) > MOST_STEPS {
            return Err(format!("it is too large to be looked for in {} bytes", text.len()));
        }
        Ok(regex.is_match(text))
    }

    fn compiled(&self, pattern: &str) -> Arc<Compiled> {
        if let Some(compiled) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(pattern) {
            return Arc::clone(compiled);
        }
        let compiled = Arc::new(Regex::new(pattern).map_err(|error| error.to_string()));
        let mut patterns = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(patterns.entry(pattern.to_owned()).or_insert(compiled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_of_pattern_and_text_is_bounded() {
        let long = "x".repeat(1 << 20);
        let patterns = Patterns::default();
        assert_eq!(patterns.is_match("^x+$", &long), Ok(true));
        assert_eq!(patterns.is_match(&long[..1000], &long), Ok(true));
        let error = patterns
            .is_match(&long[..1 << 18], &long)
            .map_err(|error| error.contains("too large to be looked for"));
        assert_eq!(error, Err(true));
    }
}
