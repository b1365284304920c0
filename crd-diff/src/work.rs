//! Limits the CPU time of a comparison. The unit is a step, and the number of steps is the same on every machine.

use std::cell::Cell;

use crd_core::admit::{Rejection, StatusReason};
use crd_core::tree::{TreeVisitor, Visit};
use crd_core::{CustomResourceDefinition, KubeVersion};
use crd_go::re2::Language;
use crd_sample::Allowance;
use serde_json::Value;

use crate::schemas::Described;

/// The maximum total size of both CRDs, in bytes and without descriptions.
const LARGEST: u64 = 5 << 19;
/// The maximum total length of the paths in both CRDs, in bytes.
const LONGEST: u64 = 32 << 20;
/// The maximum length of a list in a CRD. The longest list in a public CRD has some 70 values.
const LONGEST_LIST: usize = 2000;
/// The maximum number of entries in a map in a CRD. The largest map in a public CRD has some 150 entries.
const LARGEST_MAP: usize = 10_000;
/// The maximum number of versions in a CRD. A limit is needed because each pair of served versions is compared.
const MOST_VERSIONS: usize = 50;
/// The number of steps for a request with an empty object.
const REQUEST: u64 = 200;
/// The number of steps for one byte of an object or a response.
pub(crate) const BYTE: u64 = 2;
/// The number of steps for compiling one byte of a schema.
const COMPILE: u64 = 2;
/// The number of steps for each step of building an automaton for patterns.
const AUTOMATON: u64 = 30;
/// The number of steps that are added to the limit for each byte of an existing object. They are enough for about fifteen requests.
const OF_OBJECT: u64 = 64;
/// The number of requests with an existing object if no failure is found.
const REQUESTS: u64 = 4;
/// The maximum size of an object in etcd, in bytes.
pub(crate) const LARGEST_STORED: usize = 3 << 19;
/// The number of bytes of schemas that count as one step of each request.
const SCHEMA: u64 = 320;

/// Several sizes of a CRD. They determine whether the CRD is compared, and how many steps requests take.
pub(crate) struct Weight {
    bytes: u64,
    defaults: u64,
    paths: u64,
    /// The total size of all names and strings in bytes, including removed descriptions.
    texts: u64,
    is_wide: bool,
}

impl Weight {
    /// Measures a CRD. `described` is the size of the descriptions. The CRD's size does not include it.
    pub(crate) fn of(crd: &CustomResourceDefinition, described: Described) -> Self {
        let sizes = Sizes::of(crd);
        Self {
            texts: sizes.texts + described.removed,
            bytes: sizes.bytes.saturating_sub(described.kept),
            defaults: sizes.defaults,
            paths: sizes.paths,
            is_wide: crd.spec.versions.len() > MOST_VERSIONS || sizes.is_wide,
        }
    }

    /// Returns `true` if the CRDs are too large to be compared.
    pub(crate) fn are_too_large(both: &[Self; 2]) -> bool {
        let sum = |of: fn(&Self) -> u64| both.iter().map(of).sum::<u64>();
        both.iter().any(|one| one.is_wide) || sum(|one| one.bytes) > LARGEST || sum(|one| one.paths) > LONGEST
    }

    /// Returns `true` if the API server certainly accepts a request of this size, however strings are escaped.
    pub(crate) fn is_sent(&self) -> bool {
        const OF_CHARACTER: u64 = 6;
        const MOST: u64 = 3 << 20;
        self.bytes + OF_CHARACTER * self.texts <= MOST
    }

    /// Returns `true` if a CRD is exceptionally large.
    pub(crate) fn is_large(&self) -> bool {
        const LARGE: u64 = 256 << 10;
        self.bytes > LARGE
    }
}

/// Returns the number of steps by which a CRD of this size increases the steps for each request.
fn of_request(bytes: u64, defaults: u64) -> u64 {
    bytes / SCHEMA + BYTE * defaults
}

/// Several sizes of a value, measured in one traversal.
#[derive(Default)]
struct Sizes {
    /// The approximate size in JSON, in bytes and without descriptions.
    bytes: u64,
    /// The total size of all names and strings in bytes, plus a few bytes for each value.
    texts: u64,
    /// The total size of all defaults that requests fill in, in bytes.
    defaults: u64,
    /// The total length of the paths of all objects, in bytes. A name is counted once for each object inside it.
    paths: u64,
    /// `true` if a list or a map is too large to be compared.
    is_wide: bool,
}

impl Sizes {
    fn of(value: &impl Visit) -> Self {
        let mut walk = SizeWalk { sizes: Self::default(), open: Vec::new() };
        value.visit(&mut walk);
        walk.sizes
    }
}

/// Adds up the sizes of a JSON form.
struct SizeWalk<'a> {
    sizes: Sizes,
    /// The lists and objects that have not ended.
    open: Vec<Open<'a>>,
}

/// A list or an object that has not ended.
struct Open<'a> {
    is_list: bool,
    entries: usize,
    /// The length of the path, in bytes.
    path: u64,
    /// The last key.
    key: &'a str,
    /// The size of all defaults, and of everything, before the value of the last key.
    before: (u64, u64),
}

impl SizeWalk<'_> {
    /// Counts the start of a value, and returns the length of its path.
    fn begin(&mut self) -> u64 {
        self.sizes.texts += 2;
        let Some(around) = self.open.last_mut() else { return 0 };
        around.entries += 1;
        around.path + if around.is_list { 2 } else { around.key.len() as u64 }
    }

    fn push(&mut self, is_list: bool) {
        let path = self.begin();
        self.sizes.bytes += 2;
        if !is_list {
            self.sizes.paths += path;
        }
        self.open.push(Open { is_list, entries: 0, path, key: "", before: (0, 0) });
    }

    /// Counts the end of a value.
    fn close(&mut self, is_text: bool) {
        let Some(around) = self.open.last() else { return };
        let (defaults, bytes) = around.before;
        match around.key {
            "default" => self.sizes.defaults = defaults + self.sizes.bytes - bytes,
            "description" if is_text => self.sizes.bytes = bytes - around.key.len() as u64 - KEY,
            _ => {}
        }
    }
}

/// Number of bytes around a key: two quotes, a colon and a comma.
const KEY: u64 = 4;

impl<'a> TreeVisitor<'a> for SizeWalk<'a> {
    fn leaf(&mut self, _: Value) {
        self.begin();
        self.sizes.texts += 4;
        self.sizes.bytes += 6;
        self.close(false);
    }

    fn text(&mut self, text: &'a str) {
        self.begin();
        self.sizes.texts += text.len() as u64;
        self.sizes.bytes += text.len() as u64 + 3;
        self.close(true);
    }

    fn begin_list(&mut self) {
        self.push(true);
    }

    fn begin_object(&mut self) {
        self.push(false);
    }

    fn key(&mut self, key: &'a str) {
        self.sizes.texts += key.len() as u64;
        self.sizes.bytes += key.len() as u64 + KEY;
        if let Some(around) = self.open.last_mut() {
            (around.key, around.before) = (key, (self.sizes.defaults, self.sizes.bytes));
        }
    }

    fn end(&mut self) {
        let Some(Open { is_list, entries, .. }) = self.open.pop() else { return };
        self.sizes.is_wide |= entries > if is_list { LONGEST_LIST } else { LARGEST_MAP };
        self.close(false);
    }
}

/// Returns the approximate size of a value in JSON, in bytes and without descriptions.
pub(crate) fn bytes(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 6,
        Value::String(text) => text.len() as u64 + 3,
        Value::Array(items) => items.iter().map(bytes).sum::<u64>() + 2,
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match value {
                Value::String(_) if name == "description" => 0,
                value => name.len() as u64 + 4 + bytes(value),
            };
            fields.iter().map(field).sum::<u64>() + 2
        }
    }
}

/// Parameters for the comparison.
#[derive(Clone, Copy)]
pub(crate) struct With<'w> {
    pub(crate) kube_version: KubeVersion,
    /// `true` if another tool adds a conversion webhook to the new CRD.
    pub(crate) has_webhook: bool,
    pub(crate) work: &'w Work,
}

/// Counts the remaining steps of a comparison.
#[derive(Debug)]
pub(crate) struct Work {
    /// The remaining steps of the current search, shared with the samplers.
    allowance: Allowance,
    /// The steps that are reserved for later searches.
    reserve: Cell<u64>,
    /// The limit for the whole comparison.
    all: u64,
    /// The number of steps for each request, without the steps for its object.
    request: Cell<u64>,
}

impl Work {
    pub(crate) fn new(steps: u64, both: &[Weight; 2]) -> Self {
        let request = both.iter().map(|weight| of_request(weight.bytes, weight.defaults)).sum();
        Self::with_allowance(Allowance::new(steps), steps, request)
    }

    /// Returns a counter for an allowance. `request` is the number of steps by which both CRDs increase the steps for each request.
    fn with_allowance(allowance: Allowance, all: u64, request: u64) -> Self {
        Self { allowance, reserve: Cell::new(0), all, request: Cell::new(REQUEST + request) }
    }

    /// Returns a counter for a search with reduced CRDs. It shares the steps of the current search. Requests take fewer steps.
    pub(crate) fn of_part(&self, old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Self {
        let steps = |crd: &CustomResourceDefinition| {
            let sizes = Sizes::of(crd);
            of_request(sizes.bytes, sizes.defaults)
        };
        Self::with_allowance(self.allowance.clone(), self.all, steps(old) + steps(new))
    }

    /// Makes all reserved steps available.
    pub(crate) fn share_no_more(&self) {
        self.allowance.give(self.reserve.take());
    }

    /// Runs a search with a share of the remaining steps. The share is proportional to `weight`, where `others` is the total weight of all
    /// later searches. The second result is `true` if the search used the whole share.
    pub(crate) fn within_share<T>(&self, weight: u64, others: u64, search: impl FnOnce() -> T) -> (T, bool) {
        let all = self.reserve.get() + self.allowance.left();
        let share = all / (weight + others).max(1) * weight;
        self.allowance.take(u64::MAX);
        self.allowance.give(share);
        let found = search();
        let left = self.allowance.left();
        self.allowance.take(u64::MAX);
        self.reserve.set(all - share + left);
        (found, left == 0)
    }

    /// Returns the remaining steps, for samplers.
    pub(crate) fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// Runs a search with half of the remaining steps.
    pub(crate) fn within_half<T>(&self, search: impl FnOnce(&Allowance) -> T) -> T {
        let half = self.allowance.left() / 2;
        let allowance = Allowance::new(half);
        let found = search(&allowance);
        self.take(half - allowance.left());
        found
    }

    /// Returns `true` if no step is left.
    pub(crate) fn is_over(&self) -> bool {
        self.allowance.left() == 0
    }

    /// Returns `true` if more than these steps are left.
    pub(crate) fn has(&self, steps: u64) -> bool {
        self.allowance.left() > steps
    }

    /// Counts the steps of a request with this object.
    pub(crate) fn request(&self, object: &Value) {
        self.take(self.request_cost() + BYTE * bytes(object));
    }

    /// Increases the limit for an existing object in proportion to its size. Returns `true` if there are then enough steps to try the
    /// object.
    pub(crate) fn is_enough_for(&self, object: &Value) -> bool {
        self.allowance.give(OF_OBJECT * bytes(object));
        self.allowance.left() >= REQUESTS * (self.request_cost() + BYTE * bytes(object))
    }

    fn request_cost(&self) -> u64 {
        self.request.get()
    }

    /// Counts the steps for compiling a CRD or a schema.
    pub(crate) fn compile(&self, schema: &Value) {
        self.take(COMPILE * bytes(schema));
    }

    /// Returns the limit for building the next automaton, in its own unit. Returns `None` if half of all steps are used, because the rest
    /// is reserved for objects.
    pub(crate) fn left_for_automata(&self) -> Option<usize> {
        let left = self.allowance.left().saturating_sub(self.all / 2) / AUTOMATON;
        usize::try_from(left).ok().filter(|left| *left > 0)
    }

    /// Returns the limit for building an automaton in a search, in its own unit.
    pub(crate) fn left_for_one_automaton(&self) -> Option<usize> {
        let left = self.allowance.left() / 2 / AUTOMATON;
        usize::try_from(left).ok().filter(|left| *left > 0)
    }

    /// Counts the steps for building an automaton. `None` means that the automaton became too large.
    pub(crate) fn automaton(&self, made: Option<&Language>) {
        const TOO_LARGE: u64 = 2000;
        self.take(AUTOMATON * made.map_or(TOO_LARGE, |language| language.steps() as u64));
    }

    /// Counts the steps for a response: the stored object, or the causes of a rejection. If defaults make the object much larger, each
    /// later request counts as more steps.
    pub(crate) fn answer(&self, object: &Value, answer: &Result<Value, Rejection>) {
        let filled = |stored: u64| {
            let filled = stored.saturating_sub(bytes(object));
            self.request.set(self.request_cost().max(BYTE * filled));
            stored
        };
        let bytes = match answer {
            Ok(stored) => filled(bytes(stored)),
            // Its defaults exceed the limit of etcd, or its judgement that of admission.
            Err(Rejection { reason: StatusReason::Unknown | StatusReason::LimitExceeded, .. }) => {
                filled(2 * LARGEST_STORED as u64)
            }
            Err(refusal) => refusal.causes.iter().map(|cause| cause.message.len() as u64).sum(),
        };
        self.take(BYTE * bytes);
    }

    /// Calls `build` to build an object, with the number of validations that are allowed. This number is limited by `most` and by the
    /// remaining steps.
    pub(crate) fn build(&self, most: usize, build: impl FnOnce(usize) -> Option<Value>) -> Option<Value> {
        let allowed = usize::try_from(self.allowance.left() / self.request_cost()).unwrap_or(usize::MAX);
        if allowed == 0 {
            self.take(u64::MAX);
            return None;
        }
        build(allowed.min(most))
    }

    /// Subtracts steps from those that remain for the current search.
    pub(crate) fn take(&self, steps: u64) {
        self.allowance.take(steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_count_for_all_values_below_them() {
        let nested = json!({"name": {"a": {}, "b": {"c": {}}}});
        // The paths are ``, `name`, `namea`, `nameb` and `namebc`.
        assert_eq!(Sizes::of(&nested).paths, 4 + 5 + 5 + 6);
    }

    #[test]
    fn one_walk_finds_all_sizes() {
        let value = json!({"default": {"default": "ab"}, "description": "gone", "list": [null, 1, "c", {"default": []}]});
        let sizes = Sizes::of(&value);
        assert_eq!(sizes.bytes, bytes(&value));
        assert_eq!(sizes.defaults, bytes(&value["default"]) + bytes(&json!([])));
        // Ten values, the names, the strings, and four for each scalar that is not a string.
        assert_eq!(sizes.texts, 10 * 2 + (7 + 7 + 11 + 4 + 7) + (2 + 4 + 1) + 2 * 4);
        assert!(!sizes.is_wide);
        assert!(Sizes::of(&json!({"list": vec![0; LONGEST_LIST + 1]})).is_wide);
    }

    #[test]
    fn descriptions_do_not_count() {
        let with = |text: &str| bytes(&json!({"a": {"description": text, "type": "string"}}));
        assert_eq!(with(""), with("a long text"));
        // A field with that name counts.
        assert!(bytes(&json!({"description": {"type": "string"}})) > 20);
    }
}
