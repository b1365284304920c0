//! Compiled regular expressions, and a run's cache of such expressions.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crd_go::re2::{Matcher, Regex};

use super::Error;

/// A run's patterns that are not literals.
#[derive(Debug, Default)]
pub(super) struct Patterns(pub(super) Option<Box<PatternMap>>);

/// Compiled patterns, by their text.
pub(super) type PatternMap = HashMap<Box<str>, Result<Arc<Compiled>, Error>>;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) text: Box<str>,
    pub(super) matcher: Matcher,
    /// Finds the positions of matches. Few rules need these.
    pub(super) regex: OnceLock<Option<Regex>>,
    /// The CPU work of compiling the pattern to automata.
    pub(super) automata_work: u64,
}
