//! Automata on bytes that build their states lazily.

use std::collections::HashSet;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::pool::{Pool, PoolGuard};
use regex_automata::{Anchored, HalfMatch, Input, MatchError, MatchKind};

use super::ast::Ast;
use super::hir;

/// Automata are built for patterns with at most this number of nodes. For this count, repetitions are not expanded. Patterns of public CRDs
/// have fewer than a thousand.
const MAX_PARTS: usize = 10_000;
/// Maximum size of an automaton on bytes. Building an automaton of this size takes a millisecond; patterns of public CRDs take a
/// tenth of that.
const NFA_BYTES: usize = 1 << 19;
/// Maximum memory for an automaton's lazily built states, in bytes.
const CACHE_BYTES: usize = 1 << 18;

/// An automaton that finds the ends of matches. Its states are in a pool, because searches of several threads build
/// them.
#[derive(Debug)]
pub(super) struct LazyAutomaton {
    dfa: DFA,
    caches: Pool<Cache, NewCache>,
}

type NewCache = Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// The error of an automaton that gave up because it needed new states again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct GaveUp;

impl LazyAutomaton {
    /// Maximum memory of an automaton with all its states, in bytes.
    pub(super) const BYTES: usize = NFA_BYTES + CACHE_BYTES;

    /// Compiles a pattern, unless its automaton would be large.
    pub(super) fn new(ast: &Ast) -> Option<Self> {
        Self::from_nfa(nfa(ast, false)?, config())
    }

    fn from_nfa(nfa: NFA, config: Config) -> Option<Self> {
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let of_cache = dfa.clone();
        Some(Self { dfa, caches: Pool::new(Box::new(move || of_cache.create_cache())) })
    }

    /// Returns the memory of the automaton with all its states.
    pub(super) fn bytes(&self) -> usize {
        self.dfa.get_nfa().memory_usage() + CACHE_BYTES
    }

    /// Returns `true` if the pattern matches somewhere in a string.
    pub(super) fn is_match(&self, text: &str) -> Result<bool, GaveUp> {
        let input = Input::new(text).anchored(Anchored::No).earliest(true);
        self.search(DFA::try_search_fwd, &input).map(|found| found.is_some())
    }

    fn search(&self, search: Search, input: &Input<'_>) -> Result<Option<usize>, GaveUp> {
        let found = search(&self.dfa, &mut self.caches.get(), input);
        found.map(|found| found.map(|half| half.offset())).map_err(|_| GaveUp)
    }
}

/// The ends of all matches in a string, one after the other.
///
/// A search reads on until a longer match is impossible, so it can read far past the end of a match: for `a*b|a`, everything after an `a`.
/// To keep the total time of all searches linear for each state, states from which no match was reached are remembered at some positions.
/// Source: T. Reps, "Maximal-munch" tokenization in linear time, 1998.
#[derive(Debug)]
pub(super) struct Ends<'a> {
    dfa: &'a DFA,
    cache: PoolGuard<'a, Cache, NewCache>,
    /// States at positions of the string from which no match can be reached.
    hopeless: HashSet<(LazyStateID, usize)>,
    /// The number of times that the cache had been cleared when `hopeless` was filled. Clearing the cache renames states.
    clears: usize,
}

/// The distance between positions at which hopeless states are remembered.
const STRIDE: usize = 16;
/// Maximum number of hopeless states that are remembered: about 16 MiB.
const MOST_HOPELESS: usize = 1 << 19;

impl Ends<'_> {
    /// Returns the end of the first match at or after byte `start`, and the number of bytes that were read to find it. All calls must be for
    /// the same string.
    fn find(&mut self, text: &str, start: usize) -> Result<(Option<usize>, u64), GaveUp> {
        let (dfa, cache) = (self.dfa, &mut *self.cache);
        if self.clears != cache.clear_count() {
            self.hopeless.clear();
            self.clears = cache.clear_count();
        }
        let input = Input::new(text).range(start..).anchored(Anchored::No);
        let mut state = dfa.start_state_forward(cache, &input).map_err(|_| GaveUp)?;
        let (mut end, mut read_in_vain, mut last) = (None, Vec::new(), text.len());
        let mut is_over = false;
        cache.search_start(start);
        for (at, byte) in text.bytes().enumerate().skip(start) {
            state = dfa.next_state(cache, state, byte).map_err(|_| GaveUp)?;
            cache.search_update(at);
            if state.is_match() {
                // The automaton is in the state of a match one byte after its end.
                end = Some(at);
                read_in_vain.clear();
            } else if state.is_quit() {
                return Err(GaveUp);
            }
            let place = (state, at + 1);
            let is_remembered = (at + 1) % STRIDE == 0 && self.clears == cache.clear_count();
            if state.is_dead() || is_remembered && self.hopeless.contains(&place) {
                (is_over, last) = (true, at);
                break;
            }
            if is_remembered {
                read_in_vain.push(place);
            }
        }
        cache.search_finish(last);
        if !is_over && dfa.next_eoi_state(cache, state).map_err(|_| GaveUp)?.is_match() {
            end = Some(text.len());
            read_in_vain.clear();
        }
        let left = MOST_HOPELESS - self.hopeless.len();
        if self.clears == cache.clear_count() {
            self.hopeless.extend(read_in_vain.into_iter().take(left));
        }
        Ok((end, (last - start) as u64))
    }
}

type Search = fn(&DFA, &mut Cache, &Input<'_>) -> Result<Option<HalfMatch>, MatchError>;

/// Two automata that find matches: the first finds the end of a match, and the second searches backwards from there for the start of the
/// match.
#[derive(Debug)]
pub(super) struct Finder {
    ends: LazyAutomaton,
    starts: LazyAutomaton,
}

impl Finder {
    /// Compiles a pattern, unless its automata would be large.
    pub(super) fn new(ast: &Ast) -> Option<Self> {
        // On the way back, the longest match is the one whose end was found.
        let backwards = config().match_kind(MatchKind::All);
        Some(Self {
            ends: LazyAutomaton::new(ast)?,
            starts: LazyAutomaton::from_nfa(nfa(ast, true)?, backwards)?,
        })
    }

    /// Returns `true` if the pattern matches somewhere in a string.
    pub(super) fn is_match(&self, text: &str) -> Result<bool, GaveUp> {
        self.ends.is_match(text)
    }

    /// Returns a search for the ends of all matches in one string.
    pub(super) fn ends(&self) -> Ends<'_> {
        let (dfa, cache) = (&self.ends.dfa, self.ends.caches.get());
        let clears = cache.clear_count();
        Ends { dfa, cache, hopeless: HashSet::new(), clears }
    }

    /// Returns the first match at or after byte `start`, and the number of bytes that were read to find it.
    pub(super) fn find_at(
        &self,
        ends: &mut Ends<'_>,
        text: &str,
        start: usize,
    ) -> Result<(Option<Range<usize>>, u64), GaveUp> {
        let (end, read) = ends.find(text, start)?;
        let Some(end) = end else { return Ok((None, read)) };
        let back = Input::new(text).range(start..end).anchored(Anchored::Yes);
        let found = self.starts.search(DFA::try_search_rev, &back)?;
        Ok((Some(found.unwrap_or(end)..end), read + (end - start) as u64))
    }
}

fn config() -> Config {
    DFA::config()
        .cache_capacity(CACHE_BYTES)
        .skip_cache_capacity_check(true)
        // It gives up where it needs new states again and again.
        .minimum_cache_clear_count(Some(3))
        .minimum_bytes_per_state(Some(10))
}

/// Returns the nondeterministic automaton of a pattern; `None` if the automaton would be large.
pub(super) fn nfa(ast: &Ast, is_backwards: bool) -> Option<NFA> {
    if hir::parts(ast) > MAX_PARTS {
        return None;
    }
    let config = thompson::Config::new()
        .nfa_size_limit(Some(NFA_BYTES))
        .reverse(is_backwards)
        .which_captures(thompson::WhichCaptures::None);
    thompson::Compiler::new().configure(config).build_from_hir(&hir::translate(ast)).ok()
}
