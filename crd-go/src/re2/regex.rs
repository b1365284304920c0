//! Patterns that find their matches.

use std::ops::Range;
use std::sync::OnceLock;

use super::automaton::{Ends, Finder};
use super::matcher::MatchError;
use super::program::{MAX_INSTRUCTIONS, OutOfSteps, Program};
use super::{Error, error, parse};

/// A compiled pattern.
///
/// ```
/// # fn main() -> Result<(), crd_go::re2::Error> {
/// let digits = crd_go::re2::Regex::new("[0-9]+")?;
/// assert!(digits.is_match("a12b3"));
/// assert_eq!(digits.find("a12b3"), Some(1..3));
/// let (mut matches, mut steps) = (digits.matches("a12b3"), 1_000);
/// assert_eq!(matches.next(&mut steps), Ok(Some(1..3)));
/// assert_eq!(matches.next(&mut steps), Ok(Some(4..5)));
/// assert_eq!(matches.next(&mut steps), Ok(None));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Regex {
    pattern: Box<str>,
    /// The number of instructions of the program.
    instructions: u64,
    /// `None` for the few patterns whose automata would be too large.
    automata: Option<Finder>,
    /// Compiled when the automata give up, or if the pattern has no automata.
    program: OnceLock<Option<Program>>,
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// - Go rejects the pattern (the error is the first mistake), or the pattern needs too much memory.
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
        self.matches(text).next(&mut u64::MAX.clone()).ok().flatten()
    }

    /// Returns a search that finds the same matches as Go, one after the other.
    #[must_use]
    pub fn matches<'a>(&'a self, text: &'a str) -> Matches<'a> {
        let ends = self.automata.as_ref().map(Finder::ends);
        Matches { regex: self, text, ends, at: 0, last_end: None }
    }

    /// Returns `true` if no automata were built.
    #[cfg(test)]
    pub(super) fn is_program(&self) -> bool {
        self.automata.is_none()
    }

    fn find_at(
        &self,
        ends: Option<&mut Ends<'_>>,
        text: &str,
        start: usize,
        steps: &mut u64,
    ) -> Result<Option<Range<usize>>, MatchError> {
        let mut pay = |price| {
            *steps = steps.checked_sub(price).ok_or(MatchError::OutOfSteps)?;
            Ok(())
        };
        if let Some((automata, ends)) = self.automata.as_ref().zip(ends) {
            if let Ok((found, read)) = automata.find_at(ends, text, start) {
                return pay(STEPS_OF_SEARCH + read / BYTES_OF_STEP).map(|()| found);
            }
            // A search that gives up may have filled its memory.
            pay((text.len() - start) as u64 / BYTES_OF_STEP)?;
        }
        if self.program.get().is_none() {
            pay(self.instructions)?;
        }
        let program = self.program().ok_or(MatchError::TooLarge)?;
        program.find_at(text, start, steps).map_err(|OutOfSteps| MatchError::OutOfSteps)
    }

    /// Returns the pattern as a program. A pattern with automata is always small enough for a program.
    fn program(&self) -> Option<&Program> {
        let compile = || Program::new(&parse::parse(&self.pattern).ok()?, MAX_INSTRUCTIONS);
        self.program.get_or_init(compile).as_ref()
    }
}

/// The number of steps for a search that finds a match immediately.
const STEPS_OF_SEARCH: u64 = 10;

/// The number of bytes that the automata read in a step.
const BYTES_OF_STEP: u64 = 2;

/// A search for all matches of a [`Regex`] in a string.
#[derive(Debug)]
pub struct Matches<'a> {
    regex: &'a Regex,
    text: &'a str,
    /// Used if the regular expression has automata.
    ends: Option<Ends<'a>>,
    at: usize,
    last_end: Option<usize>,
}

impl Matches<'_> {
    /// Returns the range of the next match, in bytes. The steps of the search are subtracted from `steps`; each takes about ten
    /// nanoseconds.
    ///
    /// With an automaton, the steps of all searches together grow in proportion to the length of the string, and to the number of the
    /// automaton's states. Without an automaton, the number of steps can grow with the square of the length.
    ///
    /// # Errors
    /// - The search takes too many steps, or the pattern is too large: [`MatchError`].
    pub fn next(&mut self, steps: &mut u64) -> Result<Option<Range<usize>>, MatchError> {
        while self.at <= self.text.len() {
            let found = self.regex.find_at(self.ends.as_mut(), self.text, self.at, steps)?;
            let Some(found) = found else { break };
            let next_char = self.text[found.end..].chars().next().map_or(1, char::len_utf8);
            self.at = if found.is_empty() { found.end + next_char } else { found.end };
            // An empty match directly after another match does not count.
            if !(found.is_empty() && self.last_end == Some(found.end)) {
                self.last_end = Some(found.end);
                return Ok(Some(found));
            }
        }
        self.at = self.text.len() + 1;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of matches, and the number of steps that finding them took.
    fn count(pattern: &str, text: &str, most_steps: u64) -> Result<(usize, u64), MatchError> {
        let regex = Regex::new(pattern).expect("Go accepts the pattern");
        let (mut matches, mut steps, mut count) = (regex.matches(text), most_steps, 0);
        while matches.next(&mut steps)?.is_some() {
            count += 1;
        }
        Ok((count, most_steps - steps))
    }

    #[test]
    fn matches_that_end_at_once_take_a_few_steps_each() {
        let words = "abc ".repeat(25_000);
        let (count, steps) = count("[a-z]+", &words, 1_000_000).expect("the steps suffice");
        assert_eq!(count, 25_000);
        assert!(steps < 500_000, "{steps} steps");
    }

    #[test]
    fn what_is_read_behind_a_match_is_read_once() {
        let text = "a".repeat(100_000);
        // The states at a place differ: by how many bytes were read, or by what was read before.
        for pattern in ["a*b|a", "(aa)*b|a", "(aaa)*(b|c)|(a{5})*d|a", "(?:a|aa)+?b|a"] {
            let (count, steps) = count(pattern, &text, 10_000_000).expect("the steps suffice");
            assert_eq!(count, 100_000, "{pattern}");
            assert!(steps < 4_000_000, "{pattern}: {steps} steps");
        }
    }

    #[test]
    fn what_was_read_in_vain_hides_no_match() {
        // Each search reads to the end, where some of them find a longer match.
        for (pattern, tail) in
            [("a*b|a", "b"), ("(aa)*b|a", "b"), ("(aaa)*(b|c)|(a{5})*d|a", "d"), ("aa+$|a", "")]
        {
            for length in [0, 1, 15, 16, 17, 31, 32, 33, 100] {
                let text = format!("{}{tail}x{}{tail}", "a".repeat(length), "a".repeat(length + 7));
                let regex = Regex::new(pattern).expect("Go accepts the pattern");
                let mut program = Regex::new(pattern).expect("Go accepts the pattern");
                program.automata = None;
                let (mut one, mut other) = (regex.matches(&text), program.matches(&text));
                loop {
                    let found = one.next(&mut u64::MAX.clone());
                    assert_eq!(found, other.next(&mut u64::MAX.clone()), "{pattern} in {text}");
                    if found == Ok(None) {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn the_automata_and_the_program_find_the_same_matches() {
        for (pattern, text) in [
            ("a*b|a", "aaabaacaab"),
            ("x*", "axbxxx"),
            ("(a)(b)?", "abaab"),
            ("$", "ab"),
            ("^a|b$", "aab"),
            ("\\b", "ab cd"),
            ("(?:a|ab)(?:c|bcd)?", "abcdabc"),
            ("\u{e9}+|", "\u{e9}\u{e9}a\u{e9}"),
        ] {
            let regex = Regex::new(pattern).expect("Go accepts the pattern");
            let mut program = Regex::new(pattern).expect("Go accepts the pattern");
            assert!(!regex.is_program() && program.automata.take().is_some());
            let (mut one, mut other) = (regex.matches(text), program.matches(text));
            loop {
                let found = one.next(&mut u64::MAX.clone());
                assert_eq!(found, other.next(&mut u64::MAX.clone()), "{pattern} in {text}");
                if found == Ok(None) {
                    break;
                }
            }
        }
    }
}
