//! Patterns of schemas, each compiled once however many values it is for.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crd_cel::re2::Regex;

/// Patterns, compiled when they are first asked for: an object meets few of those that a large schema has.
#[derive(Debug, Default)]
pub(crate) struct Patterns(RwLock<HashMap<String, Arc<Compiled>>>);

type Compiled = Result<Regex, String>;

impl Patterns {
    /// Whether `pattern` matches somewhere in `text`.
    ///
    /// # Errors
    /// The pattern is none, or takes too much memory.
    pub(crate) fn is_match(&self, pattern: &str, text: &str) -> Result<bool, String> {
        let compiled = self.compiled(pattern);
        compiled.as_ref().as_ref().map(|regex| regex.is_match(text)).map_err(Clone::clone)
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
