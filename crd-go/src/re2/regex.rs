//! Patterns that find their matches.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::{meta, nfa::thompson};

use super::program::Program;
use super::{Error, error, hir, parse};

/// A compiled pattern.
///
/// ```
/// # fn main() -> Result<(), crd_go::re2::Error> {
/// let digits = crd_go::re2::Regex::new("[0-9]+")?;
/// assert!(digits.is_match("a12b3"));
/// assert_eq!(digits.find("a12b3"), Some(1..3));
/// assert_eq!(digits.find_all("a12b3").collect::<Vec<_>>(), [1..3, 4..5]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Regex {
    engine: Engine,
    /// The approximate number of states.
    parts: u64,
}

#[derive(Clone, Debug)]
enum Engine {
    /// Automata on bytes, for nearly every pattern.
    Automata(meta::Regex),
    /// Instructions on characters, for patterns of which the automata would be large.
    Program(Arc<Program>),
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// - Go refuses the pattern (the first mistake), or it takes too much memory.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        let ast = parse::parse(pattern)?;
        if let Some(compiled) = automata(&ast) {
            let parts = (compiled.memory_usage() / BYTES_OF_A_PART) as u64;
            return Ok(Self { engine: Engine::Automata(compiled), parts });
        }
        let program = Program::new(&ast, MAX_INSTRUCTIONS);
        let program = program.ok_or_else(|| Error::new(error::Code::TooLarge, pattern))?;
        let parts = program.len() as u64;
        Ok(Self { engine: Engine::Program(Arc::new(program)), parts })
    }

    /// Returns the number of steps that a search in a string of so many bytes takes at most: every part of the pattern is
    /// tried at every byte.
    #[must_use]
    pub fn most_steps(&self, text_bytes: usize) -> u64 {
        self.parts.saturating_mul(text_bytes as u64)
    }

    /// Returns `true` if the pattern matches somewhere in `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Automata(compiled) => compiled.is_match(text),
            Engine::Program(program) => program.is_match(text, &mut u64::MAX.clone()).unwrap_or(false),
        }
    }

    /// Returns the range of the first match, in bytes.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.find_at(text, 0)
    }

    /// Returns the ranges of all matches in turn, as Go finds them.
    pub fn find_all(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        let (mut at, mut last_end) = (0, None);
        std::iter::from_fn(move || {
            loop {
                let found = (at <= text.len()).then(|| self.find_at(text, at)).flatten()?;
                let next_char = text[found.end..].chars().next().map_or(1, char::len_utf8);
                at = if found.is_empty() { found.end + next_char } else { found.end };
                // An empty match directly after another match does not count.
                if !(found.is_empty() && last_end == Some(found.end)) {
                    last_end = Some(found.end);
                    return Some(found);
                }
            }
        })
    }

    /// Returns `true` if no automata were built.
    #[cfg(test)]
    pub(super) fn is_program(&self) -> bool {
        matches!(self.engine, Engine::Program(_))
    }

    fn find_at(&self, text: &str, start: usize) -> Option<Range<usize>> {
        match &self.engine {
            Engine::Automata(compiled) => {
                let input = regex_automata::Input::new(text).range(start..);
                compiled.find(input).map(|found| found.range())
            }
            Engine::Program(program) => program.find_at(text, start),
        }
    }
}

/// Automata for a pattern, unless they would be large.
fn automata(ast: &super::ast::Ast) -> Option<meta::Regex> {
    if hir::parts(ast) > MAX_PARTS {
        return None;
    }
    let config = meta::Config::new().nfa_size_limit(Some(NFA_BYTES));
    meta::Builder::new().configure(config).build_from_hir(&hir::translate(ast)).ok()
}

/// The automaton of a pattern without its states of sets, unless it would be large.
pub(super) fn nfa(ast: &super::ast::Ast) -> Option<thompson::NFA> {
    if hir::parts(ast) > MAX_PARTS {
        return None;
    }
    let config =
        thompson::Config::new().nfa_size_limit(Some(NFA_BYTES)).which_captures(thompson::WhichCaptures::None);
    thompson::Compiler::new().configure(config).build_from_hir(&hir::translate(ast)).ok()
}

/// The largest number of nodes, before repetitions are written out, of a pattern that becomes automata. Real patterns have
/// fewer than a thousand.
const MAX_PARTS: usize = 10_000;
/// The largest size of an automaton on bytes. Building one of that size takes a millisecond; real patterns take a tenth of it.
pub(super) const NFA_BYTES: usize = 1 << 19;
/// The largest number of instructions of one pattern. Go itself accepts three times as many.
pub(super) const MAX_INSTRUCTIONS: usize = 1 << 20;
/// The approximate size of a state of the compiled pattern.
const BYTES_OF_A_PART: usize = 24;
