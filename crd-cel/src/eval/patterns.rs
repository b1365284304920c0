//! Compiled regular expressions, and the patterns that a run caches.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crd_go::re2::{Matcher, Regex};

use super::Error;

/// The patterns of a run that are not literals.
#[derive(Debug, Default)]
pub(super) struct Patterns(pub(super) Option<Box<PatternMap>>);

/// The compiled patterns of a run, by their texts.
pub(super) type PatternMap = HashMap<Box<str>, Result<Arc<Compiled>, Error>>;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) text: Box<str>,
    pub(super) matcher: Matcher,
    /// Finds the positions of matches, which few rules need.
    pub(super) regex: OnceLock<Option<Regex>>,
    /// The work of compiling the pattern to automata.
    pub(super) automata_work: u64,
}
