//! Finds strings that some patterns match and other patterns do not: a shortest string, or a string of a given length.
//!
//! The patterns run side by side as deterministic automata, character by character. Combinations of their states are the nodes of a graph,
//! and a string is a path through the graph.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::{Anchored, Input, hybrid::LazyStateID};
use regex_syntax::hir::{Class, Hir, HirKind};

use super::{Error, automaton, error, hir, parse};

/// The set of strings that match all patterns of one list and no pattern of another list.
///
/// ```
/// use crd_go::re2::Language;
///
/// let names = Language::new(&["^[a-z][a-z0-9-]*$"], &["-$"])?;
/// assert_eq!(names.shortest().as_deref(), Some("a"));
/// assert_eq!(names.string_of_length(4, &mut |count| count - 1).unwrap().chars().count(), 4);
///
/// // The difference of two patterns: the shortest string that the old one accepts and the new one rejects.
/// assert_eq!(Language::new(&["^[a-z]*$"], &["^[a-z]+$"])?.shortest().as_deref(), Some(""));
/// let nothing = Language::new(&["^a+$"], &["^a*$"])?;
/// assert!(nothing.is_complete() && nothing.shortest().is_none());
/// # Ok::<(), crd_go::re2::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Language {
    states: Vec<State>,
    classes: Vec<CharClass>,
    is_complete: bool,
    steps: usize,
    /// For every length from 0 upwards: the states that accept a string of that length.
    reach: RefCell<Vec<Vec<bool>>>,
}

#[derive(Clone, Debug)]
struct State {
    is_accepting: bool,
    /// Transitions to live states: classes of characters with their targets, the most readable characters first.
    ways: Vec<(usize, usize)>,
    /// The number of characters to the nearest accepting state.
    distance: Option<usize>,
}

/// Characters that no pattern distinguishes.
#[derive(Clone, Copy, Debug)]
struct CharClass {
    first: char,
    last: char,
    /// The readability of strings with these characters.
    weight: usize,
}

/// Maximum number of states in the graph; strings that need more states are not found.
const MOST_STATES: usize = 4096;
/// Maximum number of transitions to examine: a limit for the time.
const MOST_TRANSITIONS: usize = 1 << 18;
/// The number of steps for building the smallest automaton.
const BUILD_STEPS: usize = 256;
/// Maximum number of character classes; further classes are left out.
const MOST_CLASSES: usize = 96;
/// The memory of each automaton, in bytes.
const CACHE_BYTES: usize = 8 << 20;
/// Maximum number of entries in the table of lengths.
const MOST_ENTRIES: usize = 8 << 20;
/// Maximum number of lengths in the table that are kept for the next string.
const KEPT_LENGTHS: usize = 64;

impl Language {
    /// Returns the set of strings in which every pattern of `matching` matches somewhere, and no pattern of `refused` matches anywhere.
    ///
    /// # Errors
    /// - Go rejects a pattern, or a pattern needs too much memory.
    pub fn new(matching: &[&str], refused: &[&str]) -> Result<Self, Error> {
        Self::within_steps(matching, refused, MOST_TRANSITIONS)
    }

    /// Returns the language like [`new`](Self::new), in a limited number of steps. Parsing the patterns takes at most
    /// `most_steps`; building the language takes about as many, and never more than twice as many. In a step, all patterns read
    /// one character.
    ///
    /// # Errors
    /// - Go rejects a pattern, or a pattern needs too much memory, or too many steps to parse.
    pub fn within_steps(matching: &[&str], refused: &[&str], most_steps: usize) -> Result<Self, Error> {
        let wanted = matching.iter().map(|pattern| (*pattern, true));
        let (mut automata, mut steps) = (Vec::new(), 0);
        let mut bounds = vec!['\n', '\u{b}', ' ', '!', '0', ':', 'A', '[', '_', '`', 'a', '{', '\u{7f}'];
        for (pattern, is_wanted) in wanted.chain(refused.iter().map(|pattern| (*pattern, false))) {
            let ast = parse::parse(pattern)?;
            let too_large = || Error::new(error::Code::TooLarge, pattern);
            let automaton = Automaton::new(&ast, is_wanted).ok_or_else(too_large)?;
            steps += automaton.steps();
            automata.push(Some(automaton).filter(|_| steps <= most_steps).ok_or_else(too_large)?);
            char_bounds(&hir::translate(&ast), &mut bounds);
        }
        let (classes, has_all) = classes(bounds);
        let mut graph = Graph { automata, classes, states: Vec::new(), is_complete: has_all, steps };
        graph.explore(most_steps.min(MOST_TRANSITIONS));
        Ok(graph.finish())
    }

    /// Returns `true` if the language contains all strings. Otherwise, the patterns are too large, and a failed search proves nothing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the number of states and transitions: a measure of the memory.
    #[must_use]
    pub fn size(&self) -> usize {
        self.states.iter().map(|state| 1 + state.ways.len()).sum()
    }

    /// Returns the number of steps that building the language took.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Returns a shortest string, with the most readable characters; `None` if none is found.
    #[must_use]
    pub fn shortest(&self) -> Option<String> {
        let length = self.shortest_length()?;
        self.string_of_length(length, &mut |_| 0)
    }

    /// Returns the length of the shortest strings, in characters.
    #[must_use]
    pub fn shortest_length(&self) -> Option<usize> {
        self.states.first()?.distance
    }

    /// Returns a string of `length` characters; `None` if none is found. At each choice, `choose` returns a number below the given
    /// number; smaller numbers select more readable characters.
    #[must_use]
    pub fn string_of_length(&self, length: usize, choose: &mut dyn FnMut(usize) -> usize) -> Option<String> {
        self.within(length, length, choose)
    }

    /// Returns a string of at least `least` and at most `most` characters; `None` if none is found. If `choose` returns
    /// 0, the length is as close as possible to `least`.
    #[must_use]
    pub fn within(
        &self,
        least: usize,
        most: usize,
        choose: &mut dyn FnMut(usize) -> usize,
    ) -> Option<String> {
        let least = least.max(self.shortest_length()?);
        let most = most.min(MOST_ENTRIES / self.states.len().max(1));
        let mut reach = self.lengths(most.checked_sub(least).map(|_| most)?);
        let lengths: Vec<usize> = (least..=most).filter(|length| reach[*length][0]).collect();
        let length = *lengths.get(choose(lengths.len()).min(lengths.len().saturating_sub(1)))?;
        let mut text = String::new();
        let mut at = 0;
        for left in (0..length).rev() {
            let mut ways = self.states[at].ways.iter().filter(|(_, to)| reach[left][*to]);
            let total: usize = ways.clone().map(|(class, _)| self.classes[*class].weight).sum();
            let mut chosen = if total == 0 { 0 } else { choose(total).min(total - 1) };
            let way = ways.find(|(class, _)| {
                let weight = self.classes[*class].weight;
                let is_chosen = chosen < weight || total == 0;
                chosen = chosen.saturating_sub(weight);
                is_chosen
            });
            let (class, to) = *way?;
            text.push(self.classes[class].char(choose));
            at = to;
        }
        reach.truncate(KEPT_LENGTHS);
        self.reach.replace(reach);
        Some(text)
    }

    /// Returns the table of lengths, up to at least `most`.
    fn lengths(&self, most: usize) -> Vec<Vec<bool>> {
        let mut reach = self.reach.take();
        while reach.len() <= most {
            reach.push(match reach.last() {
                Some(next) => self.states.iter().map(|at| at.ways.iter().any(|(_, to)| next[*to])).collect(),
                None => self.states.iter().map(|at| at.is_accepting).collect(),
            });
        }
        reach
    }
}

impl CharClass {
    fn char(self, choose: &mut dyn FnMut(usize) -> usize) -> char {
        let count = u32::from(self.last) - u32::from(self.first) + 1;
        let chosen = choose(usize::try_from(count).unwrap_or(1));
        let chosen = u32::try_from(chosen).unwrap_or(0).min(count - 1);
        // Between the two there may be surrogates, which are not characters.
        char::from_u32(u32::from(self.first) + chosen).unwrap_or(self.first)
    }
}

/// A graph of combined states of all automata. Its nodes are created when they are first reached.
struct Graph {
    automata: Vec<Automaton>,
    classes: Vec<CharClass>,
    states: Vec<State>,
    is_complete: bool,
    steps: usize,
}

impl Graph {
    fn explore(&mut self, most_steps: usize) {
        let (most_steps, end) = (self.steps + most_steps, self.steps + 2 * most_steps);
        let start: Vec<Progress> = self.automata.iter_mut().map(Automaton::start).collect();
        let mut known = HashMap::from([(start.clone(), 0)]);
        let mut open = VecDeque::from([start.clone()]);
        self.add(&start);
        while let Some(state) = open.pop_front().filter(|_| self.steps <= end) {
            let from = known[&state];
            for class in 0..self.classes.len() {
                self.steps += 1;
                let char = self.classes[class].first;
                let automata = self.automata.iter_mut().zip(&state);
                let next: Vec<Progress> =
                    automata.map(|(automaton, progress)| automaton.next(*progress, char)).collect();
                if next.iter().zip(&self.automata).any(|(progress, automaton)| automaton.is_lost(*progress)) {
                    continue;
                }
                let to = match known.get(&next) {
                    Some(to) => *to,
                    None if known.len() >= MOST_STATES || self.steps > most_steps => {
                        self.is_complete = false;
                        continue;
                    }
                    None => {
                        let to = self.add(&next);
                        known.insert(next.clone(), to);
                        open.push_back(next);
                        to
                    }
                };
                self.states[from].ways.push((class, to));
            }
        }
        self.is_complete &= self.steps <= end && self.automata.iter().all(|one| !one.has_given_up);
    }

    fn add(&mut self, state: &[Progress]) -> usize {
        let automata = self.automata.iter_mut().zip(state);
        let is_accepting = automata.fold(true, |all, (automaton, progress)| {
            all & (automaton.matches_at_end(*progress) == automaton.is_wanted
                && *progress != Progress::Unknown)
        });
        self.states.push(State { is_accepting, ways: Vec::new(), distance: None });
        self.states.len() - 1
    }

    /// Finds the distances from the accepting states back to the start.
    fn finish(self) -> Language {
        let Self { classes, mut states, is_complete, steps, .. } = self;
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
        for (from, state) in states.iter().enumerate() {
            for (_, to) in &state.ways {
                before[*to].push(from);
            }
        }
        let mut open: VecDeque<usize> = (0..states.len()).filter(|at| states[*at].is_accepting).collect();
        open.iter().for_each(|at| states[*at].distance = Some(0));
        while let Some(at) = open.pop_front() {
            let next = states[at].distance.map(|distance| distance + 1);
            for from in std::mem::take(&mut before[at]) {
                if states[from].distance.is_none() {
                    states[from].distance = next;
                    open.push_back(from);
                }
            }
        }
        let is_live = states.iter().map(|state| state.distance.is_some()).collect::<Vec<_>>();
        for ways in states.iter_mut().map(|state| &mut state.ways) {
            ways.retain(|(_, to)| is_live[*to]);
            ways.sort_by_key(|(class, _)| usize::MAX - classes[*class].weight);
        }
        Language { states, classes, is_complete, steps, reach: RefCell::default() }
    }
}

/// A pattern that reads.
struct Automaton {
    dfa: DFA,
    cache: Cache,
    is_wanted: bool,
    has_given_up: bool,
}

/// The progress of one pattern after the characters that it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Progress {
    Reading(LazyStateID),
    /// A match was found; further characters do not matter.
    Matched,
    /// No match is possible.
    Lost,
    /// The automaton has grown too large.
    Unknown,
}

impl Automaton {
    fn new(ast: &super::ast::Ast, is_wanted: bool) -> Option<Self> {
        let config = DFA::config()
            .cache_capacity(CACHE_BYTES)
            .skip_cache_capacity_check(true)
            // States keep their numbers: the cache is never cleared.
            .minimum_cache_clear_count(Some(0));
        let dfa = DFA::builder().configure(config).build_from_nfa(automaton::nfa(ast, false)?).ok()?;
        let cache = dfa.create_cache();
        Some(Self { dfa, cache, is_wanted, has_given_up: false })
    }

    /// Returns the number of steps for building this automaton.
    fn steps(&self) -> usize {
        BUILD_STEPS + self.dfa.get_nfa().states().len() / 4
    }

    fn start(&mut self) -> Progress {
        let input = Input::new("").anchored(Anchored::No);
        let state = self.dfa.start_state_forward(&mut self.cache, &input).ok();
        self.progress(state)
    }

    fn next(&mut self, progress: Progress, char: char) -> Progress {
        let mut progress = progress;
        for byte in char.encode_utf8(&mut [0; 4]).bytes() {
            let Progress::Reading(state) = progress else { return progress };
            let state = self.dfa.next_state(&mut self.cache, state, byte).ok();
            progress = self.progress(state);
        }
        progress
    }

    fn progress(&mut self, state: Option<LazyStateID>) -> Progress {
        match state {
            None => {
                self.has_given_up = true;
                Progress::Unknown
            }
            Some(state) if state.is_match() => Progress::Matched,
            Some(state) if state.is_dead() || state.is_quit() => Progress::Lost,
            Some(state) => Progress::Reading(state),
        }
    }

    fn matches_at_end(&mut self, progress: Progress) -> bool {
        match progress {
            Progress::Matched => true,
            Progress::Lost | Progress::Unknown => false,
            Progress::Reading(state) => {
                let end = self.dfa.next_eoi_state(&mut self.cache, state);
                end.is_ok_and(|end| end.is_match())
            }
        }
    }

    /// Returns `true` if the language contains no string with this beginning.
    fn is_lost(&self, progress: Progress) -> bool {
        match progress {
            Progress::Reading(_) => false,
            Progress::Matched => !self.is_wanted,
            Progress::Lost => self.is_wanted,
            Progress::Unknown => true,
        }
    }
}

/// Collects the boundaries of a pattern's literals and ranges: the first character of each, and the character after the last character.
fn char_bounds(hir: &Hir, out: &mut Vec<char>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => {}
        HirKind::Literal(literal) => {
            for char in String::from_utf8_lossy(&literal.0).chars() {
                out.push(char);
                out.extend(following(char));
            }
        }
        HirKind::Class(Class::Unicode(class)) => {
            for range in class.ranges() {
                out.push(range.start());
                out.extend(following(range.end()));
            }
        }
        HirKind::Repetition(repeat) => char_bounds(&repeat.sub, out),
        HirKind::Capture(group) => char_bounds(&group.sub, out),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().for_each(|part| char_bounds(part, out));
        }
    }
}

fn following(char: char) -> Option<char> {
    match char {
        '\u{d7ff}' => Some('\u{e000}'),
        char => char::from_u32(u32::from(char) + 1),
    }
}

fn classes(mut bounds: Vec<char>) -> (Vec<CharClass>, bool) {
    bounds.push('\0');
    bounds.sort_unstable();
    bounds.dedup();
    let ends = bounds.iter().skip(1).map(|next| match next {
        '\u{e000}' => '\u{d7ff}',
        next => char::from_u32(u32::from(*next) - 1).unwrap_or(*next),
    });
    let last = std::iter::once(char::MAX);
    let mut classes: Vec<CharClass> = bounds
        .iter()
        .zip(ends.chain(last))
        .map(|(first, last)| CharClass { first: *first, last, weight: weight(*first) })
        .collect();
    let has_all = classes.len() <= MOST_CLASSES;
    if !has_all {
        // Those of ASCII stand first.
        classes.truncate(MOST_CLASSES);
    }
    (classes, has_all)
}

fn weight(char: char) -> usize {
    match char {
        'a'..='z' => 12,
        '0'..='9' => 6,
        'A'..='Z' => 4,
        '-' | '.' | '/' | '_' | ':' | ' ' => 2,
        char if char.is_ascii_graphic() => 1,
        char if char.is_control() => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::re2::Regex;

    fn shortest(matching: &[&str], refused: &[&str]) -> Option<String> {
        let language = Language::new(matching, refused).expect("the patterns are fine");
        assert!(language.is_complete(), "{matching:?} {refused:?}");
        language.shortest()
    }

    #[test]
    fn shortest_strings() {
        for (matching, refused, expected) in [
            (vec![], vec![], Some("")),
            (vec!["^a+$"], vec![], Some("a")),
            (vec!["b", "c"], vec!["bc"], Some("cb")),
            (vec!["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "^.{3,}$"], vec![], Some("aaa")),
            (vec!["^(red|blue|green)$"], vec!["e$"], Some("red")),
            (vec!["^(red|blue|green)$"], vec!["^red|n$"], Some("blue")),
            (vec![r"^\d+(s|m|h)$"], vec![r"^\d"], None),
            (vec![r"\bx\b"], vec!["^x"], Some(" x")),
            (vec!["^[^a-z0-9]$"], vec![], Some("A")),
            (vec!["^\u{e9}\u{1f600}$"], vec![], Some("\u{e9}\u{1f600}")),
            (vec!["(?i)^k$"], vec!["k"], Some("K")),
            (vec!["(?m)^b$"], vec!["^b"], Some("\nb")),
            (vec!["^a*$"], vec!["^(aa)*$"], Some("a")),
        ] {
            let found = shortest(&matching, &refused);
            assert_eq!(found.as_deref(), expected, "{matching:?} without {refused:?}");
        }
    }

    #[test]
    fn strings_of_a_length() {
        let pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
        let language = Language::new(&[pattern], &[]).expect("the pattern is fine");
        let regex = Regex::new(pattern).expect("the pattern is fine");
        let mut random = 1u64;
        let mut choose = |count: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % count.max(1)
        };
        for length in [1, 2, 63, 253] {
            let text = language.string_of_length(length, &mut choose).expect("there are such names");
            assert!(text.chars().count() == length && regex.is_match(&text), "{text}");
        }
        assert_eq!(language.string_of_length(0, &mut choose), None);
        assert!((5..=9).contains(&language.within(5, 9, &mut choose).expect("there are such names").len()));
        let even = Language::new(&["^(ab)*$"], &[]).expect("the pattern is fine");
        assert_eq!(even.within(3, 5, &mut choose).as_deref(), Some("abab"));
        assert_eq!(even.string_of_length(3, &mut choose), None);
    }

    #[test]
    fn large_patterns_end() {
        let language = Language::new(&["^(a|b)*a(a|b){40}c$"], &[]).expect("Go accepts it");
        assert!(!language.is_complete());
        assert!(Language::new(&["("], &[]).is_err());
    }
}
