//! Compiles and matches regular expressions in rules. A literal pattern is compiled at its first use. Other patterns are compiled once per
//! run.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crd_go::re2::{self, MatchError, Matcher, Regex};

use super::Error;
use super::meter::{Meter, work};
use super::patterns::Compiled;

/// A pattern that is a literal in the program.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    text: Box<str>,
    may_be_automaton: bool,
    compiled: OnceLock<Result<Arc<Compiled>, Error>>,
}

impl Pattern {
    /// Checks the syntax of a pattern. The pattern is compiled only at its first use. If `automata` is positive, the pattern is compiled to
    /// an automaton, and `automata` is decremented.
    ///
    /// # Errors
    /// - The pattern is invalid. The message is Go's, for the first mistake.
    pub(super) fn new(text: &str, automata: &mut usize) -> Result<Self, Error> {
        re2::check(text).map_err(|error| Error::text(error.to_string()))?;
        let may_be_automaton = *automata > 0;
        *automata = automata.saturating_sub(1);
        Ok(Self { text: text.into(), may_be_automaton, compiled: OnceLock::new() })
    }

    /// Returns the compiled pattern.
    pub(super) fn compiled(&self, meter: &mut Meter) -> Result<Arc<Compiled>, Error> {
        match self.compiled.get() {
            Some(compiled) => compiled.clone(),
            None => {
                let compiled = Compiled::new(meter, &self.text, self.may_be_automaton)?;
                self.compiled.get_or_init(|| compiled).clone()
            }
        }
    }
}

/// The maximum number of patterns that a run caches.
const MOST_PATTERNS: usize = 32;
const LONGEST_KEPT: usize = 1 << 16;

impl Meter {
    /// Returns the pattern with this text. The pattern is compiled at its first use.
    pub(super) fn pattern(&mut self, text: &str) -> Result<Arc<Compiled>, Error> {
        self.work(work::HASH + text.len() as u64)?;
        if let Some(compiled) = self.patterns.0.as_ref().and_then(|known| known.get(text)) {
            return compiled.clone();
        }
        let compiled = Compiled::new(self, text, true)?;
        let known = self.patterns.0.get_or_insert_default();
        if known.len() >= MOST_PATTERNS {
            known.clear();
        }
        if text.len() <= LONGEST_KEPT {
            known.insert(text.into(), compiled.clone());
        }
        compiled
    }

    /// Runs a pattern search, and charges its steps as CPU work.
    fn steps<T>(&mut self, search: impl FnOnce(&mut u64) -> Result<T, MatchError>) -> Result<T, Error> {
        let before = self.work_left() / work::PATTERN_STEP;
        let mut steps = before;
        let answer = search(&mut steps);
        self.work((before - steps) * work::PATTERN_STEP)?;
        // A pattern that is too large to be compiled counts as one that takes too much work.
        answer.map_err(|_| Error::OUT_OF_WORK)
    }
}

/// Maximum number of instructions for compiling a pattern to an automaton. Patterns with large character classes have a lower maximum,
/// because an automaton has a state for every range of bytes.
const MOST_INSTRUCTIONS: u64 = 2_000;
const MOST_WITH_CLASSES: u64 = 16;

impl Compiled {
    /// Compiles a pattern, or returns Go's error.
    fn new(meter: &mut Meter, text: &str, may_be_automaton: bool) -> Result<Result<Arc<Self>, Error>, Error> {
        meter.work(work::PATTERN + 20 * text.len() as u64)?;
        let mut matcher = match Matcher::new(text, false) {
            Ok(matcher) => matcher,
            Err(error) => return Ok(Err(Error::text(error.to_string()))),
        };
        let has_classes = text.contains("\\p") || text.contains("\\P") || text.contains("(?");
        let (most, each) = if has_classes {
            (MOST_WITH_CLASSES, 10 * work::PATTERN_PART)
        } else {
            (MOST_INSTRUCTIONS, work::PATTERN_PART)
        };
        let automata_work = each * matcher.instructions();
        if may_be_automaton && matcher.instructions() <= most {
            meter.work(automata_work)?;
            if let Ok(with_automaton) = Matcher::new(text, true) {
                matcher = with_automaton;
            }
        }
        Ok(Ok(Arc::new(Self { text: text.into(), matcher, regex: OnceLock::new(), automata_work })))
    }

    /// Returns `true` if the pattern matches anywhere in the text.
    ///
    /// # Errors
    /// - The search exceeds the remaining CPU work.
    pub(super) fn is_match(&self, meter: &mut Meter, text: &str) -> Result<bool, Error> {
        meter.steps(|steps| self.matcher.is_match(text, steps))
    }

    /// Begins a search for all matches in a string, in order.
    ///
    /// # Errors
    /// - Finding out if there is a match, or compiling the pattern, exceeds the remaining CPU work.
    pub(super) fn matches<'a>(&'a self, meter: &mut Meter, text: &'a str) -> Result<Matches<'a>, Error> {
        if !self.is_match(meter, text)? {
            return Ok(Matches(None));
        }
        if self.regex.get().is_none() {
            // One automaton for the ends of matches, one for their starts.
            meter.work(10 * work::PATTERN + 2 * self.automata_work)?;
        }
        let regex = self.regex.get_or_init(|| Regex::new(&self.text).ok()).as_ref();
        Ok(Matches(Some(regex.ok_or(Error::OUT_OF_WORK)?.matches(text))))
    }
}

/// A search for a pattern's matches in a string. It is empty if there are no matches.
pub(super) struct Matches<'a>(Option<re2::Matches<'a>>);

impl Matches<'_> {
    /// Returns the next match.
    ///
    /// # Errors
    /// - The search exceeds the remaining CPU work.
    pub(super) fn next(&mut self, meter: &mut Meter) -> Result<Option<Range<usize>>, Error> {
        match &mut self.0 {
            Some(matches) => meter.steps(|steps| matches.next(steps)),
            None => Ok(None),
        }
    }
}
