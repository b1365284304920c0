//! Counts a run's cost, CPU work and memory. The cost is the API server's. The CPU work approximates the time.
//!
//! A cost limit alone does not bound the time, because some slow steps are cheap: `size()` of a megabyte costs 1. Therefore, the CPU work
//! has a limit too.

use crd_go::KubeVersion;

use super::Error;
use super::data::Data;
use super::list::List;
use super::map::Map;
use super::opaque::Opaque;
use super::patterns::Patterns;
use super::value::Value;

/// Counts a run's cost, CPU work and memory.
#[derive(Debug)]
pub(crate) struct Meter {
    /// The Kubernetes version of the server that runs the expression.
    pub(super) server: KubeVersion,
    cost: u64,
    limit: u64,
    work: u64,
    held: u64,
    pinned: u64,
    pub(super) patterns: Patterns,
}

/// Maximum number of bytes in values that a run creates.
const MEMORY: u64 = 64 << 20;

/// The CPU work for each kind of step. A unit is about one nanosecond on a processor of 2020.
pub(crate) mod work {
    /// Reading an element of a list or an entry of a map.
    pub(crate) const ELEMENT: u64 = 50;
    /// Inserting a value into a hash table, or looking one up.
    pub(crate) const HASH: u64 = 150;
    /// Allocating memory.
    pub(crate) const ALLOCATE: u64 = 30;
    /// Compiling a pattern, for each of its instructions.
    pub(crate) const PATTERN: u64 = 20_000;
    pub(crate) const PATTERN_PART: u64 = 2_000;
    /// Advancing a pattern search by one step.
    pub(crate) const PATTERN_STEP: u64 = 10;
}

/// The memory counters at the beginning of a step. They are used at the end of the step, to release the memory of temporary values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    held: u64,
    pinned: u64,
}

/// The counters at the beginning of a trial: an evaluation whose result may be discarded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    cost: u64,
    /// The work that the trial may not use.
    work: u64,
    mark: Mark,
}

impl Meter {
    pub(crate) fn new(server: KubeVersion, limit: u64, work: u64) -> Self {
        Self { server, cost: 0, limit, work, held: 0, pinned: 0, patterns: Patterns::default() }
    }

    /// Returns a meter without limits. It is for constants, which are evaluated while a program is compiled.
    pub(crate) fn for_constants(server: KubeVersion) -> Self {
        Self::new(server, u64::MAX, u64::MAX)
    }

    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    /// Returns the remaining work.
    pub(crate) fn work_left(&self) -> u64 {
        self.work
    }

    /// Charges cost 1 for each of `steps` steps. Stops at the first step that exceeds the limit.
    #[inline]
    pub(crate) fn charge_each(&mut self, steps: u64) -> Result<(), Error> {
        if self.limit.saturating_sub(self.cost) < steps {
            self.cost = self.cost.max(self.limit.saturating_add(1));
            return Err(Error::LIMIT);
        }
        self.cost += steps;
        Ok(())
    }

    #[inline]
    pub(crate) fn charge(&mut self, cost: u64) -> Result<(), Error> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(Error::LIMIT) } else { Ok(()) }
    }

    /// Refunds the cost of a call that the server does not charge for.
    pub(crate) fn give_back(&mut self, cost: u64) {
        self.cost = self.cost.saturating_sub(cost);
    }

    /// Subtracts an amount from the remaining work.
    #[inline]
    pub(crate) fn work(&mut self, units: u64) -> Result<(), Error> {
        match self.work.checked_sub(units) {
            Some(rest) => {
                self.work = rest;
                Ok(())
            }
            None => {
                self.work = 0;
                Err(Error::OUT_OF_WORK)
            }
        }
    }

    /// Charges `units` units of work for each of `count` elements.
    pub(crate) fn work_on_each(&mut self, count: usize, units: u64) -> Result<(), Error> {
        self.work((count as u64).saturating_mul(units))
    }

    /// Charges the work of reading this many bytes one by one.
    #[inline]
    pub(crate) fn work_on_bytes(&mut self, bytes: usize) -> Result<(), Error> {
        self.work(bytes as u64)
    }

    /// Charges the work of copying or comparing this many bytes.
    #[inline]
    pub(crate) fn work_on_copy(&mut self, bytes: usize) -> Result<(), Error> {
        self.work(bytes as u64 / 8)
    }

    /// Charges the work of counting the code points of a string.
    #[inline]
    pub(crate) fn work_on_size(&mut self, value: &Value<'_>) -> Result<(), Error> {
        match value {
            Value::String(text) => self.work(text.len() as u64 / 8),
            _ => Ok(()),
        }
    }

    /// Charges the work of reading the arguments, at `eighths` eighths of a nanosecond per byte. Only strings and bytes count.
    #[inline]
    pub(crate) fn work_on_arguments(&mut self, values: &[Value<'_>], eighths: u64) -> Result<(), Error> {
        let mut bytes = 0;
        for value in values {
            bytes += match value {
                Value::String(text) => text.len(),
                Value::Bytes(blob) => blob.len(),
                _ => 0,
            };
        }
        // An error can quote the text.
        let eighths = if bytes > 4096 && eighths >= 32 { 4 * eighths } else { eighths };
        self.work((bytes as u64).saturating_mul(eighths) / 8)
    }

    /// Charges the work of looking for a key in a hash table.
    #[inline]
    pub(crate) fn work_on_key(&mut self, key: &Value<'_>) -> Result<(), Error> {
        match key {
            Value::String(text) => self.work(work::HASH + text.len() as u64),
            _ => self.work(work::HASH),
        }
    }

    /// Charges the work of creating an error. The message can quote a function's argument character by character.
    pub(super) fn work_on_error(&mut self, error: &Error) -> Result<(), Error> {
        let bytes = error.message().len() as u64;
        self.work(if bytes < 1024 { bytes } else { 32 * bytes })
    }

    /// Charges the work of reading data with a schema, because dates, durations and bytes are decoded at each read.
    #[inline]
    pub(crate) fn work_on_data(&mut self, data: Data<'_>) -> Result<(), Error> {
        match data.decoded_bytes() {
            0 => Ok(()),
            bytes => self.work(8 * bytes as u64),
        }
    }

    /// Charges the work of reading every element of a list once.
    pub(crate) fn work_on_list(&mut self, list: &List<'_>) -> Result<(), Error> {
        self.work_on_each(list.len(), work::ELEMENT)?;
        match list.data() {
            Some(data) if data.has_decoded_elements() => (0..list.len())
                .filter_map(|index| data.element(index))
                .try_for_each(|data| self.work_on_data(data)),
            _ => Ok(()),
        }
    }

    /// Charges the work of reading one element of a list.
    #[inline]
    pub(crate) fn work_on_element(&mut self, list: &List<'_>, index: usize) -> Result<(), Error> {
        match list.data().and_then(|data| data.element(index)) {
            Some(data) => self.work_on_data(data),
            None => Ok(()),
        }
    }

    /// Charges the work of reading every key and every value of a map once.
    pub(crate) fn work_on_keys(&mut self, map: &Map<'_>) -> Result<(), Error> {
        self.work_on_each(map.len(), 2 * work::HASH)?;
        match map.data() {
            Some(data) if data.has_decoded_members() => {
                let members = data.members().into_iter().flatten();
                members
                    .filter_map(|(name, _)| data.member_unescaped(name, name))
                    .try_for_each(|data| self.work_on_data(data))
            }
            _ => Ok(()),
        }
    }

    /// Counts the memory and the work for this many new bytes. Fails if a limit is exceeded.
    pub(crate) fn allocate(&mut self, bytes: usize) -> Result<(), Error> {
        // An allocation has an overhead.
        self.held = self.held.saturating_add(bytes as u64).saturating_add(32);
        if self.held > MEMORY {
            return Err(Error::OUT_OF_WORK);
        }
        self.work(work::ALLOCATE + bytes as u64 / 3)
    }

    /// Counts the memory for this many new bytes in a value that grows. Fails if the limit is exceeded. Bytes count twice, because a
    /// growing list doubles its capacity.
    pub(crate) fn allocate_grown(&mut self, bytes: usize) -> Result<(), Error> {
        self.held = self.held.saturating_add(2u64.saturating_mul(bytes as u64));
        if self.held > MEMORY { Err(Error::OUT_OF_WORK) } else { Ok(()) }
    }

    /// Counts the memory and the work for this many new values. Fails if a limit is exceeded.
    pub(crate) fn allocate_values(&mut self, values: usize) -> Result<(), Error> {
        self.allocate(values.saturating_mul(size_of::<Value<'_>>()))
    }

    /// Counts the memory and the work for one more value in a list. Fails if a limit is exceeded.
    #[inline]
    pub(crate) fn allocate_pushed(&mut self) -> Result<(), Error> {
        self.work(work::ELEMENT)?;
        self.allocate_grown(size_of::<Value<'_>>())
    }

    /// Begins a trial: an evaluation whose result may be discarded. The trial may use `1/share` of the remaining work.
    pub(super) fn begin_trial(&mut self, share: u64) -> Trial {
        let trial = self.work / share;
        let before = Trial { cost: self.cost, work: self.work - trial, mark: self.mark() };
        self.work = trial;
        before
    }

    /// Ends a trial: an evaluation whose result may be discarded. A discarded evaluation counts as work, but not as cost or memory.
    pub(super) fn end_trial(&mut self, before: Trial, is_valid: bool) {
        self.work += before.work;
        if !is_valid {
            self.cost = before.cost;
            self.held = before.mark.held;
            self.pinned = before.mark.pinned;
        }
    }

    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        Mark { held: self.held, pinned: self.pinned }
    }

    /// Releases the memory counted since `mark`, unless the result may hold it.
    #[inline]
    pub(crate) fn release(&mut self, mark: Mark, result: &Result<Value<'_>, Error>) {
        if self.held != mark.held && result.as_ref().map_or(true, holds_nothing) {
            self.release_all(mark);
        }
    }

    /// Releases the memory counted since `mark`, except for lazily evaluated variables.
    pub(crate) fn release_all(&mut self, mark: Mark) {
        self.held = mark.held + (self.pinned - mark.pinned);
    }

    /// Assigns the memory counted since `mark` to a variable.
    pub(crate) fn pin(&mut self, mark: Mark) {
        let made = self.held.saturating_sub(mark.held + (self.pinned - mark.pinned));
        self.pinned += made;
    }

    /// Releases the memory of a variable's value.
    pub(crate) fn unpin(&mut self, mark: Mark) {
        self.pinned = mark.pinned;
    }
}

/// Returns `true` if a value holds no memory of its own.
fn holds_nothing(value: &Value<'_>) -> bool {
    match value {
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Double(_)
        | Value::Timestamp(_)
        | Value::Duration(_)
        | Value::Type(_)
        | Value::Preserved(_)
        | Value::Optional(None) => true,
        Value::Optional(Some(value)) => holds_nothing(value),
        Value::String(text) => text.is_borrowed(),
        Value::Bytes(bytes) => bytes.is_borrowed(),
        Value::List(list) => list.data().is_some(),
        Value::Map(map) => map.data().is_some(),
        Value::Opaque(opaque) => matches!(**opaque, Opaque::Ip(_) | Opaque::Cidr(_) | Opaque::Format(_)),
    }
}
