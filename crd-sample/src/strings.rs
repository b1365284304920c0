//! Generates strings that satisfy lengths, formats and patterns.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crd_core::formats::Format;
use crd_core::values::Patterns;
use crd_go::re2::Language;

use crate::constraints::Constraints;
use crate::random::Random;
use crate::typical;

/// Maximum length of generated strings.
const LONGEST: usize = 4096;
/// Maximum number of characters by which most random strings exceed their minimum length.
const SPREAD: usize = 12;
/// Number of steps of one pattern search, in addition to the steps that the search counts itself.
const OF_TRY: u64 = 20;
/// The number of steps of a sample's work for each step of building an automaton.
const OF_AUTOMATON: u64 = 30;
/// The steps for each byte of a string that an automaton generates.
const OF_CHARACTER: u64 = 5;
/// The steps for an automaton that is not built because it is too large.
const TOO_LARGE: u64 = 2000;
/// Maximum number of steps of one pattern search.
const STEPS: u64 = 1_000_000;

/// Generates strings, and caches the automata of patterns.
#[derive(Debug)]
pub(crate) struct Strings {
    patterns: Arc<Patterns>,
    /// The cached automata. Their keys are the patterns and formats that strings must match, and the patterns that strings must not match.
    languages: HashMap<[Vec<String>; 3], Option<Rc<Language>>>,
    /// The total size of the cached automata.
    size: usize,
    /// The number of steps that building the automata has taken, and its maximum.
    steps: usize,
    most_steps: usize,
    /// The steps that attempts and new automata have taken since the last call of `steps_of_texts`.
    tries: Cell<u64>,
}

/// Maximum size of all automata that are kept: about 64 MiB.
const MOST_KEPT: usize = 4 << 20;
/// Maximum number of steps for building all automata. These steps take somewhat less than a second. Public CRDs need a tenth of this
/// number.
const MOST_STEPS: usize = 1 << 19;

impl Strings {
    /// Creates a generator of strings that may take this many steps.
    pub(crate) fn new(patterns: &Arc<Patterns>, work: u64) -> Self {
        let (patterns, languages) = (Arc::clone(patterns), HashMap::new());
        let most_steps = usize::try_from(work / OF_AUTOMATON).unwrap_or(usize::MAX).min(MOST_STEPS);
        Self { patterns, languages, size: 0, steps: 0, most_steps, tries: Cell::new(0) }
    }

    /// Returns the number of steps that generating strings has taken since the last call.
    pub(crate) fn steps_of_texts(&self) -> u64 {
        self.tries.take()
    }

    /// Generates a string: a typical one for a field with this name, or a random one.
    pub(crate) fn make(
        &mut self,
        constraints: &Constraints<'_>,
        name: &str,
        random: Option<&mut Random>,
    ) -> Option<String> {
        let Some(random) = random else {
            let of_formats = constraints.formats.iter().filter_map(|format| typical::format_value(format));
            let candidates: Vec<&str> = of_formats.chain(typical::texts(name)).collect();
            let found = candidates.into_iter().find(|text| self.accepts(constraints, text));
            return found.map(str::to_owned).or_else(|| self.make_from_language(constraints, 0, &mut |_| 0));
        };
        let spread = if random.one_in(12) { 60 } else { SPREAD };
        let made = self.make_from_language(constraints, spread, &mut |count| random.below(count));
        made.or_else(|| self.make(constraints, name, None))
    }

    /// Generates a string with exactly this many characters.
    pub(crate) fn make_of_length(&mut self, constraints: &Constraints<'_>, length: usize) -> Option<String> {
        let language = self.language(constraints)?;
        let text = language.string_of_length(length, &mut |_| 0)?;
        self.accepts(constraints, &text).then_some(text)
    }

    /// Returns `true` if a string satisfies the keywords.
    pub(crate) fn accepts(&self, constraints: &Constraints<'_>, text: &str) -> bool {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        let matches = |pattern: &&str| {
            let mut left = STEPS;
            let is_match = self.patterns.is_match(pattern, text, &mut left) == Ok(true);
            self.tries.set(self.tries.get() + OF_TRY + (STEPS - left));
            is_match
        };
        let has_format = |format: &&str| Format::from_name(format).is_none_or(|format| format.matches(text));
        constraints.min_length.is_none_or(|least| length >= least)
            && constraints.max_length.is_none_or(|most| length <= most)
            && constraints.patterns.iter().all(matches)
            && !constraints.rejected_patterns.iter().any(matches)
            && constraints.formats.iter().all(has_format)
            && !constraints.rejected_values.iter().any(|value| value.as_str() == Some(text))
    }

    fn make_from_language(
        &mut self,
        constraints: &Constraints<'_>,
        spread: usize,
        choose: &mut dyn FnMut(usize) -> usize,
    ) -> Option<String> {
        let size = |limit: i64| usize::try_from(limit).unwrap_or(0);
        let known = constraints.formats.iter().find_map(|format| typical::checked_format_values(format));
        if let Some(texts) = known {
            let fine: Vec<&&str> = texts.iter().filter(|text| self.accepts(constraints, text)).collect();
            return fine.get(choose(fine.len())).map(|text| (**text).to_owned());
        }
        let least = constraints.min_length.map_or(0, size).min(LONGEST);
        let most = constraints.max_length.map_or(LONGEST, size);
        let language = self.language(constraints)?;
        let least = least.max(language.shortest_length()?);
        let mut last = None;
        // Several ones, because not everything that is rejected is in the automata.
        for more in [spread, spread, spread + 1, spread + 2, spread + 4] {
            let text = language.within(least, most.min(least + more).max(least.min(most)), choose)?;
            self.tries.set(self.tries.get() + OF_CHARACTER * text.len() as u64);
            if self.accepts(constraints, &text) {
                return Some(text);
            }
            last = Some(text);
        }
        last
    }

    fn language(&mut self, constraints: &Constraints<'_>) -> Option<Rc<Language>> {
        let refused: Vec<String> = constraints
            .rejected_values
            .iter()
            .filter_map(|value| value.as_str())
            .map(|text| format!("^{}$", escaped(text)))
            .collect();
        let refused: Vec<&str> =
            constraints.rejected_patterns.iter().copied().chain(refused.iter().map(String::as_str)).collect();
        let parts = [&constraints.patterns, &constraints.formats, &refused];
        let key = parts.map(|part| part.iter().map(|text| (*text).to_owned()).collect());
        if self.size > MOST_KEPT {
            self.languages.clear();
            self.size = 0;
        }
        let (size, steps, tries) = (&mut self.size, &mut self.steps, &self.tries);
        let most_steps = self.most_steps;
        let made = self.languages.entry(key).or_insert_with(|| {
            let left = most_steps.checked_sub(*steps)?;
            let formats: Vec<String> =
                constraints.formats.iter().filter_map(|format| typical::pattern(format)).collect();
            let matching: Vec<&str> =
                constraints.patterns.iter().copied().chain(formats.iter().map(String::as_str)).collect();
            let Ok(language) = Language::within_steps(&matching, &refused, left) else {
                tries.set(tries.get() + OF_AUTOMATON * TOO_LARGE.min(left as u64));
                return None;
            };
            *steps += language.steps();
            *size += language.size();
            tries.set(tries.get() + OF_AUTOMATON * language.steps() as u64);
            Some(Rc::new(language))
        });
        made.clone()
    }
}

/// Escapes a text for a pattern, so that the pattern matches exactly this text.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        if char.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(char);
    }
    out
}
