//! Patterns that are matched in a limited number of steps.

use std::sync::OnceLock;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::pool::Pool;
use regex_automata::{Anchored, Input};

use super::program::{OutOfSteps, Program};
use super::regex::{MAX_INSTRUCTIONS, nfa};
use super::{Error, parse};

/// A compiled pattern that finds out in counted steps if it matches.
///
/// A step takes some ten nanoseconds, whatever the pattern is. An automaton that is built while it reads answers ordinary
/// patterns; where it would be large or thrashes, a program on characters goes through the text once, with all its
/// instructions at most at every character. Both are linear in the text.
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
    automaton: Option<SharedAutomaton>,
    /// Compiled when the automaton gives up, or where there is none.
    program: OnceLock<Option<Program>>,
}

/// The reason why a [`Matcher`] has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unanswered {
    /// The search takes more steps than were allowed.
    OutOfSteps,
    /// The pattern has more instructions than are ever compiled.
    TooLarge,
}

#[derive(Debug)]
struct SharedAutomaton {
    dfa: DFA,
    caches: Pool<
        Cache,
        Box<dyn Fn() -> Cache + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>,
    >,
}

impl Matcher {
    /// Compiles a pattern. Without an automaton it takes little memory and is some twenty times slower.
    ///
    /// # Errors
    /// - Go refuses the pattern: the first mistake.
    pub fn new(pattern: &str, with_automaton: bool) -> Result<Self, Error> {
        let ast = parse::parse(pattern)?;
        let automaton = with_automaton.then(|| nfa(&ast)).flatten().and_then(SharedAutomaton::new);
        Ok(Self { pattern: pattern.into(), instructions: ast.size, automaton, program: OnceLock::new() })
    }

    /// Returns the approximate number of instructions of the pattern's program.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Returns the memory of the automaton with all its states, 0 if there is no automaton.
    #[must_use]
    pub fn automaton_bytes(&self) -> usize {
        self.automaton.as_ref().map_or(0, |automaton| automaton.dfa.get_nfa().memory_usage() + CACHE_BYTES)
    }

    /// The largest amount of memory that an automaton takes, with all its states.
    pub const AUTOMATON_BYTES: usize = super::regex::NFA_BYTES + CACHE_BYTES;

    /// Returns `true` if the pattern matches somewhere in `text`. What that took is subtracted from `steps`.
    ///
    /// # Errors
    /// - The search takes too many steps, or the pattern is too large: [`Unanswered`].
    pub fn is_match(&self, text: &str, steps: &mut u64) -> Result<bool, Unanswered> {
        if let Some(automaton) = &self.automaton {
            // Eight bytes take about a step, and a search that gives up may have filled its memory.
            let price = 4 + text.len() as u64 / 8;
            *steps = steps.checked_sub(price).ok_or(Unanswered::OutOfSteps)?;
            if let Some(answer) = automaton.is_match(text) {
                return Ok(answer);
            }
        }
        let compile = || Program::new(&parse::parse(&self.pattern).ok()?, MAX_INSTRUCTIONS);
        if self.program.get().is_none() {
            *steps = steps.checked_sub(self.instructions).ok_or(Unanswered::OutOfSteps)?;
        }
        let program = self.program.get_or_init(compile).as_ref().ok_or(Unanswered::TooLarge)?;
        program.is_match(text, steps).map_err(|OutOfSteps| Unanswered::OutOfSteps)
    }
}

/// The memory limit of the states that an automaton builds while it reads.
const CACHE_BYTES: usize = 1 << 18;

impl SharedAutomaton {
    fn new(nfa: regex_automata::nfa::thompson::NFA) -> Option<Self> {
        let config = DFA::config()
            .cache_capacity(CACHE_BYTES)
            .skip_cache_capacity_check(true)
            // It gives up where it needs new states again and again.
            .minimum_cache_clear_count(Some(3))
            .minimum_bytes_per_state(Some(10));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let of_cache = dfa.clone();
        Some(Self { dfa, caches: Pool::new(Box::new(move || of_cache.create_cache())) })
    }

    /// `None` where it gives up.
    fn is_match(&self, text: &str) -> Option<bool> {
        let input = Input::new(text).anchored(Anchored::No).earliest(true);
        let found = self.dfa.try_search_fwd(&mut self.caches.get(), &input);
        found.map(|found| found.is_some()).ok()
    }
}
