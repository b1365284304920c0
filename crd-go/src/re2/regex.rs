//! Patterns that find their matches.

use std::ops::Range;
use std::sync::OnceLock;

use super::automaton::Finder;
use super::program::{MAX_INSTRUCTIONS, Program};
use super::{Error, error, parse};

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
#[derive(Debug)]
pub struct Regex {
    pattern: Box<str>,
    /// The number of instructions of the program.
    instructions: u64,
    /// For nearly every pattern; the automata of some would be large.
    automata: Option<Finder>,
    /// Compiled when the automata give up, or where there are none.
    program: OnceLock<Option<Program>>,
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// - Go refuses the pattern (the first mistake), or it takes too much memory.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        let ast = parse::parse(pattern)?;
        let automata = Finder::new(&ast);
        let program = OnceLock::new();
        if automata.is_none() {
            let compiled = Program::new(&ast, MAX_INSTRUCTIONS);
            let compiled = compiled.ok_or_else(|| Error::new(error::Code::TooLarge, pattern))?;
            program.get_or_init(|| Some(compiled));
        }
        Ok(Self { pattern: pattern.into(), instructions: ast.size, automata, program })
    }

    /// Returns the number of steps that a search in a string of so many bytes takes at most. At every byte, the program
    /// reaches every instruction, on two ways if alternatives meet there, and tries it.
    #[must_use]
    pub fn most_steps(&self, text_bytes: usize) -> u64 {
        self.instructions.saturating_mul(3).saturating_mul(text_bytes as u64)
    }

    /// Returns `true` if the pattern matches somewhere in `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        if let Some(Ok(answer)) = self.automata.as_ref().map(|automata| automata.is_match(text)) {
            return answer;
        }
        self.program().is_some_and(|program| program.is_match(text, &mut u64::MAX.clone()).unwrap_or(false))
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
        self.automata.is_none()
    }

    fn find_at(&self, text: &str, start: usize) -> Option<Range<usize>> {
        if let Some(Ok(found)) = self.automata.as_ref().map(|automata| automata.find_at(text, start)) {
            return found;
        }
        self.program()?.find_at(text, start)
    }

    /// The pattern as a program. A pattern that becomes automata is small enough for one.
    fn program(&self) -> Option<&Program> {
        let compile = || Program::new(&parse::parse(&self.pattern).ok()?, MAX_INSTRUCTIONS);
        self.program.get_or_init(compile).as_ref()
    }
}
