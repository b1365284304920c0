//! Patterns that are matched in a limited number of steps.

use std::sync::OnceLock;

use super::automaton::LazyAutomaton;
use super::program::{MAX_INSTRUCTIONS, OutOfSteps, Program};
use super::{Error, parse};

/// A compiled pattern that matches in counted steps.
///
/// A step takes about ten nanoseconds, regardless of the pattern. A lazily built automaton matches ordinary patterns. If the automaton
/// would be large, or its states are discarded too often, a slower program reads the text once. The program tries each of its instructions
/// at most once per character. Both methods take time in proportion to the length of the text.
///
/// ```
/// # fn main() -> Result<(), crd_go::re2::Error> {
/// let name = crd_go::re2::Matcher::new("^[a-z]+$", true)?;
/// let mut steps = 1000;
/// assert_eq!(name.is_match("abc", &mut steps), Ok(true));
/// assert!(steps < 1000);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Matcher {
    pattern: Box<str>,
    instructions: u64,
    automaton: Option<LazyAutomaton>,
    /// Compiled when the automaton gives up, or if the matcher has no automaton.
    program: OnceLock<Option<Program>>,
}

/// The reason why a [`Matcher`] has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatchError {
    /// The search needs more steps than allowed.
    OutOfSteps,
    /// The pattern has more instructions than the limit for compilation.
    TooLarge,
}

impl Matcher {
    /// Compiles a pattern. Without an automaton, the matcher needs little memory and is about twenty times
    /// slower.
    ///
    /// # Errors
    /// - Go rejects the pattern; the error is the first mistake in it.
    pub fn new(pattern: &str, with_automaton: bool) -> Result<Self, Error> {
        let ast = parse::parse(pattern)?;
        let automaton = with_automaton.then(|| LazyAutomaton::new(&ast)).flatten();
        Ok(Self { pattern: pattern.into(), instructions: ast.size, automaton, program: OnceLock::new() })
    }

    /// Returns the approximate number of instructions in the pattern's program.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Returns the memory of the automaton with all its states; 0 if there is no automaton.
    #[must_use]
    pub fn automaton_bytes(&self) -> usize {
        self.automaton.as_ref().map_or(0, LazyAutomaton::bytes)
    }

    /// Maximum memory of an automaton with all its states, in bytes.
    pub const AUTOMATON_BYTES: usize = LazyAutomaton::BYTES;

    /// Returns `true` if the pattern matches somewhere in `text`. The steps of the search are subtracted from
    /// `steps`.
    ///
    /// # Errors
    /// - The search needs too many steps, or the pattern is too large: [`MatchError`].
    pub fn is_match(&self, text: &str, steps: &mut u64) -> Result<bool, MatchError> {
        if let Some(automaton) = &self.automaton {
            // Eight bytes take about a step, and a search that gives up may have filled its memory.
            let price = 4 + text.len() as u64 / 8;
            *steps = steps.checked_sub(price).ok_or(MatchError::OutOfSteps)?;
            if let Ok(answer) = automaton.is_match(text) {
                return Ok(answer);
            }
        }
        let compile = || Program::new(&parse::parse(&self.pattern).ok()?, MAX_INSTRUCTIONS);
        if self.program.get().is_none() {
            *steps = steps.checked_sub(self.instructions).ok_or(MatchError::OutOfSteps)?;
        }
        let program = self.program.get_or_init(compile).as_ref().ok_or(MatchError::TooLarge)?;
        program.is_match(text, steps).map_err(|OutOfSteps| MatchError::OutOfSteps)
    }
}
