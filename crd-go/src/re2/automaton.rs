//! Automata on bytes that build their states while they read.

use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};

use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::pool::Pool;
use regex_automata::{Anchored, HalfMatch, Input, MatchError, MatchKind};

use super::ast::Ast;
use super::hir;

/// The largest number of nodes, before repetitions are written out, of a pattern that becomes automata. Real patterns have
/// fewer than a thousand.
const MAX_PARTS: usize = 10_000;
/// The largest size of an automaton on bytes. Building one of that size takes a millisecond; real patterns take a tenth of it.
const NFA_BYTES: usize = 1 << 19;
/// The memory limit of the states that an automaton builds while it reads.
const CACHE_BYTES: usize = 1 << 18;

/// An automaton that finds the ends of matches. Its states are in a pool, because searches of several threads build
/// them.
#[derive(Debug)]
pub(super) struct LazyAutomaton {
    dfa: DFA,
    caches: Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>>,
}

/// An automaton has given up, because it needs new states again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct GaveUp;

impl LazyAutomaton {
    /// The largest amount of memory of an automaton, with all its states.
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

    /// The memory of the automaton with all its states.
    pub(super) fn bytes(&self) -> usize {
        self.dfa.get_nfa().memory_usage() + CACHE_BYTES
    }

    /// Returns `true` if the pattern matches somewhere in a string.
    pub(super) fn is_match(&self, text: &str) -> Result<bool, GaveUp> {
        let input = Input::new(text).anchored(Anchored::No).earliest(true);
        self.search(DFA::try_search_fwd, &input).map(|found| found.is_some())
    }

    /// Returns the end of the first match at or after byte `start`, and the number of bytes that were read to find it.
    fn find_end(&self, text: &str, start: usize) -> Result<(Option<usize>, u64), GaveUp> {
        let cache = &mut self.caches.get();
        let input = Input::new(text).range(start..).anchored(Anchored::No);
        let mut state = self.dfa.start_state_forward(cache, &input).map_err(|_| GaveUp)?;
        let mut end = None;
        cache.search_start(start);
        for (at, byte) in text.bytes().enumerate().skip(start) {
            state = self.dfa.next_state(cache, state, byte).map_err(|_| GaveUp)?;
            if state.is_match() {
                // The automaton is in the state of a match one byte after its end.
                end = Some(at);
            } else if state.is_dead() {
                cache.search_finish(at);
                return Ok((end, (at - start) as u64));
            } else if state.is_quit() {
                return Err(GaveUp);
            }
            cache.search_update(at);
        }
        cache.search_finish(text.len());
        let last = self.dfa.next_eoi_state(cache, state).map_err(|_| GaveUp)?;
        let end = if last.is_match() { Some(text.len()) } else { end };
        Ok((end, (text.len() - start) as u64))
    }

    fn search(&self, search: Search, input: &Input<'_>) -> Result<Option<usize>, GaveUp> {
        let found = search(&self.dfa, &mut self.caches.get(), input);
        found.map(|found| found.map(|half| half.offset())).map_err(|_| GaveUp)
    }
}

type Search = fn(&DFA, &mut Cache, &Input<'_>) -> Result<Option<HalfMatch>, MatchError>;

/// Two automata that find matches: one finds the end of a match, the other one goes from there back to its start.
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

    /// Returns the first match at or after byte `start`, and the number of bytes that were read to find it. A match is known only when no
    /// longer one is possible, so the bytes behind it can be many.
    pub(super) fn find_at(&self, text: &str, start: usize) -> Result<(Option<Range<usize>>, u64), GaveUp> {
        let (end, read) = self.ends.find_end(text, start)?;
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

/// The automaton of a pattern without its states of sets, unless it would be large.
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
