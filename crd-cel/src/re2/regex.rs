//! A pattern -> what matches it.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::{meta, nfa::thompson};

use super::program::Program;
use super::{Error, error, hir, parse};

/// A compiled pattern.
///
/// ```
/// # fn main() -> Result<(), crd_cel::re2::Error> {
/// let digits = crd_cel::re2::Regex::new("[0-9]+")?;
/// assert!(digits.is_match("a12b3"));
/// assert_eq!(digits.find("a12b3"), Some(1..3));
/// assert_eq!(digits.find_all("a12b3").collect::<Vec<_>>(), [1..3, 4..5]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Regex {
    engine: Engine,
    /// About how many states it has.
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
    /// - The first thing for which Go refuses it, or that it takes too much memory.
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

    /// How many steps it may take to look for the pattern in a text of so many bytes: at worst every part of the pattern
    /// is tried at every byte.
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

    /// Where the first match is, in bytes.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.find_at(text, 0)
    }

    /// Where the matches are, one after the other, as Go finds them.
    pub fn find_all(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        let (mut at, mut last_end) = (0, None);
        std::iter::from_fn(move || {
            loop {
                let found = (at <= text.len()).then(|| self.find_at(text, at)).flatten()?;
                let next_char = text[found.end..].chars().next().map_or(1, char::len_utf8);
                at = if found.is_empty() { found.end + next_char } else { found.end };
                // An empty match right behind another match is none.
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

/// Of how many parts a pattern may be made, before repetitions are written out, that becomes automata. Real ones have less
/// than a thousand.
const MAX_PARTS: usize = 10_000;
/// The size of an automaton on bytes. It takes a millisecond to build one as large; real patterns take a tenth of it.
pub(super) const NFA_BYTES: usize = 1 << 19;
/// The most instructions of one pattern. Go itself lets through three times as many.
pub(super) const MAX_INSTRUCTIONS: usize = 1 << 20;
/// What a state of the compiled pattern takes, about.
const BYTES_OF_A_PART: usize = 24;
