//! A pattern -> what matches it.

use std::ops::Range;

use regex_automata::meta;

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
    compiled: meta::Regex,
    /// About how many states it has.
    parts: u64,
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// - The first thing for which Go refuses it, or that it takes too much memory.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        let too_large = || Error::new(error::Code::TooLarge, pattern);
        let ast = parse::parse(pattern)?;
        if hir::parts(&ast) > MAX_PARTS {
            return Err(too_large());
        }
        let hir = hir::translate(&ast);
        drop(ast);
        let config = meta::Config::new().nfa_size_limit(Some(TWO_WAY_BYTES));
        let build = |config| meta::Builder::new().configure(config).build_from_hir(&hir).ok();
        // Without the lazy automata it is slower and takes half, for those also need the pattern backwards.
        let built =
            build(config.clone()).or_else(|| build(config.hybrid(false).nfa_size_limit(Some(ONE_WAY_BYTES))));
        let compiled = built.ok_or_else(too_large)?;
        let parts = (compiled.memory_usage() / BYTES_OF_A_PART) as u64;
        Ok(Self { compiled, parts })
    }

    /// How many steps it may take to look for the pattern in a text of so many bytes: at worst every part of the pattern
    /// is tried at every byte.
    #[must_use]
    pub fn most_steps(&self, text_bytes: usize) -> u64 {
        self.parts.saturating_mul(text_bytes as u64)
    }

    /// Whether the pattern matches somewhere in `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled.is_match(text)
    }

    /// Where the first match is, in bytes.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.compiled.find(text).map(|found| found.range())
    }

    /// Where the matches are, one after the other, as Go finds them.
    pub fn find_all(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        self.compiled.find_iter(text).map(|found| found.range())
    }
}

/// Of how many parts a pattern may be made, before repetitions are written out. Real ones have less than a thousand.
pub(super) const MAX_PARTS: usize = 100_000;
/// What one pattern may take in each direction where it is compiled in both.
const TWO_WAY_BYTES: usize = 16 << 20;
/// What one pattern may take at all. Go's limit is on the parsed pattern and lets through some that are larger here.
const ONE_WAY_BYTES: usize = 32 << 20;
/// What a state of the compiled pattern takes, about.
const BYTES_OF_A_PART: usize = 24;
