//! Patterns of schemas, each compiled once for all values.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crd_go::re2::{MatchError, Matcher};
use foldhash::fast::RandomState;

/// Maximum memory of all automata for a CRD's patterns, in bytes. Further patterns are matched without an automaton, more slowly.
const AUTOMATA_BYTES: usize = 48 << 20;
/// Maximum number of instructions in all compiled patterns of a CRD. Public CRDs have less than a hundredth of this number.
const MOST_INSTRUCTIONS: u64 = 2 << 20;

/// The patterns of a CRD, compiled at their first use: an object uses only a few patterns of a large schema.
#[derive(Debug, Default)]
pub struct Patterns {
    compiled: RwLock<HashMap<String, Arc<Compiled>, RandomState>>,
    automata_bytes: AtomicUsize,
    instructions: AtomicU64,
}

type Compiled = Result<Matcher, NoMatch>;

/// The reason why a pattern cannot be matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMatch {
    /// The pattern is invalid: Go's message.
    Invalid(String),
    /// The search needs more than the remaining steps.
    OutOfSteps,
    /// The pattern, or all patterns of the CRD together, would be too large.
    TooLarge,
}

impl Patterns {
    /// Returns `true` if `pattern` matches somewhere in `text`. The steps of the search are subtracted from `steps`.
    ///
    /// # Errors
    /// - The pattern cannot be matched: [`NoMatch`].
    pub fn is_match(&self, pattern: &str, text: &str, steps: &mut u64) -> Result<bool, NoMatch> {
        let compiled = self.compiled(pattern);
        let matcher = compiled.as_ref().as_ref().map_err(Clone::clone)?;
        matcher.is_match(text, steps).map_err(|unanswered| match unanswered {
            MatchError::OutOfSteps => NoMatch::OutOfSteps,
            _ => NoMatch::TooLarge,
        })
    }

    fn compiled(&self, pattern: &str) -> Arc<Compiled> {
        if let Some(compiled) = self.compiled.read().unwrap_or_else(PoisonError::into_inner).get(pattern) {
            return Arc::clone(compiled);
        }
        let compiled = Arc::new(self.compile(pattern));
        let mut patterns = self.compiled.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(patterns.entry(pattern.to_owned()).or_insert(compiled))
    }

    fn compile(&self, pattern: &str) -> Compiled {
        let taken = self.automata_bytes.load(Ordering::Relaxed);
        let with_automaton = taken + Matcher::AUTOMATON_BYTES <= AUTOMATA_BYTES;
        let matcher = Matcher::new(pattern, with_automaton);
        let matcher = matcher.map_err(|error| NoMatch::Invalid(error.to_string()))?;
        self.automata_bytes.fetch_add(matcher.automaton_bytes(), Ordering::Relaxed);
        let instructions = self.instructions.fetch_add(matcher.instructions(), Ordering::Relaxed);
        if instructions.saturating_add(matcher.instructions()) > MOST_INSTRUCTIONS {
            return Err(NoMatch::TooLarge);
        }
        Ok(matcher)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_of_pattern_and_text_is_bounded() {
        let patterns = Patterns::default();
        let is_match = |pattern: &str, text: &str| patterns.is_match(pattern, text, &mut 1_000_000);
        let long = "x".repeat(1 << 20);
        assert_eq!(is_match("^x+$", &long), Ok(true));
        assert_eq!(is_match(&long[..1000], &long), Ok(true));
        // Automata are abandoned here, because each position has another set of states.
        let mut random = 1u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if random >> 31 == 0 { 'a' } else { 'b' }
        };
        let text: String = (0..1 << 16).map(|_| next()).collect();
        assert_eq!(is_match("(a|b)*a(a|b){200}c", &text), Err(NoMatch::OutOfSteps));
        assert_eq!(is_match("a{1", "a{1"), Ok(true));
        assert!(matches!(is_match("a(", "a"), Err(NoMatch::Invalid(_))));
    }

    #[test]
    fn the_size_of_all_patterns_is_bounded() {
        let patterns = Patterns::default();
        let pattern = |i: usize| format!("^({i}|{}){{1000}}$", "abc".repeat(100));
        let compiled =
            (0..10).filter(|i| patterns.is_match(&pattern(*i), "a", &mut u64::MAX.clone()).is_ok());
        assert!((1..10).contains(&compiled.count()));
    }
}
