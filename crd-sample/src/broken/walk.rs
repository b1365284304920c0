//! Breaks all breakable constraints of a schema, one after another, and then random constraints.

use std::collections::HashSet;

use crd_core::Structural;
use serde_json::Value;

use super::Broken;
use super::faults::{self, Breakable, Key, address};
use crate::change::Steps;
use crate::maker::Maker;
use crate::sampler::Sampler;
use crate::work::Work;

/// The iteration ends after this many consecutive objects in which no constraint could be broken.
const MOST_MISSES: usize = 50;
/// Maximum number of validations for finding an object with a value at a given path.
const MOST_JUDGED: usize = 100;

/// A path, and the schema node for values at this path.
type SchemaPlace<'s> = (Steps, &'s Structural);

/// The iterator that [`Sampler::broken`] returns.
pub(super) struct Walk<'s> {
    sampler: &'s Sampler,
    maker: Maker,
    object: Value,
    /// The constraints of the current object that have not been broken yet. The next one is last.
    open: Vec<Breakable<'s>>,
    /// The schema nodes for which earlier objects had values. The next two fields have the constraints that were tried, and those that were
    /// broken.
    nodes: HashSet<usize>,
    tried: HashSet<Key>,
    broken: HashSet<Key>,
    stage: Stage<'s>,
    misses: usize,
    /// The remaining steps for all searches. They are limited because a CRD can have many rules that no object breaks.
    pool: Work,
}

/// The source of the next object.
enum Stage<'s> {
    Full,
    /// Objects with a value for a schema node, if no earlier object had one.
    Places(std::vec::IntoIter<SchemaPlace<'s>>),
    /// The rules that no object has broken so far, each with a path to a value.
    Rules(std::vec::IntoIter<(Steps, Key)>),
    Random(Box<dyn Iterator<Item = Value> + 's>),
}

impl<'s> Walk<'s> {
    pub(super) fn new(sampler: &'s Sampler) -> Self {
        Self {
            sampler,
            maker: sampler.maker(),
            object: Value::Null,
            open: Vec::new(),
            nodes: HashSet::new(),
            tried: HashSet::new(),
            broken: HashSet::new(),
            stage: Stage::Full,
            misses: 0,
            pool: sampler.work(),
        }
    }

    /// Returns all paths in the schema.
    fn places(&self) -> std::vec::IntoIter<SchemaPlace<'s>> {
        let mut places = Vec::new();
        faults::places(&self.sampler.created, &[], &mut places);
        places.into_iter()
    }

    /// Returns all rules, with the paths to their values.
    fn rules(&self) -> std::vec::IntoIter<(Steps, Key)> {
        let root = [(Steps::new(), &*self.sampler.created)];
        let places = root.into_iter().chain(self.places());
        let of_place = |(at, node): SchemaPlace<'s>| {
            faults::rules_of(node).into_iter().map(move |key| (at.clone(), key))
        };
        places.flat_map(of_place).collect::<Vec<_>>().into_iter()
    }

    /// Continues with the next object, or breaks the next rule and returns the broken object. Returns `None` if nothing is left to break.
    fn advance(&mut self) -> Option<Option<Broken>> {
        match &mut self.stage {
            Stage::Full => {
                let object = self.sampler.full().ok();
                self.stage = Stage::Places(self.places());
                if let Some(object) = object {
                    self.take_up(object);
                }
            }
            Stage::Places(places) => {
                let (nodes, sampler) = (&self.nodes, self.sampler);
                let is_open = |node: &Structural| !nodes.contains(&address(node));
                let next = places.find(|(_, node)| is_open(node)).filter(|_| !self.pool.is_done());
                let Some((at, _)) = next else {
                    self.stage = Stage::Rules(self.rules());
                    return Some(None);
                };
                let find = |maker: &mut Maker| sampler.containing_with(maker, &at, None, MOST_JUDGED);
                if let Some(object) = self.maker.with_work(&mut self.pool, find) {
                    self.take_up(object);
                }
            }
            Stage::Rules(rules) => {
                let (broken, sampler) = (&self.broken, self.sampler);
                let mut open = rules.filter(|(_, key)| !broken.contains(key));
                let found = self.maker.with_work(&mut self.pool, |maker| {
                    open.find_map(|(at, key)| {
                        (!maker.work.is_done()).then(|| sampler.break_rule(&at, &key, maker))?
                    })
                });
                if found.is_none() {
                    self.stage = Stage::Random(Box::new(sampler.accepted()));
                }
                return Some(found);
            }
            Stage::Random(objects) => {
                self.misses += 1;
                self.object = objects.next().filter(|_| self.misses <= MOST_MISSES)?;
                let all = faults::breakable_parts(&self.sampler.created, &self.object);
                // Such as were not tested before come first.
                let new: Vec<&Breakable<'_>> =
                    all.iter().filter(|one| !self.tried.contains(&one.key())).collect();
                let some = if new.is_empty() { all.iter().collect() } else { new };
                self.open = self.maker.random.item(&some).map(|one| (*one).clone()).into_iter().collect();
            }
        }
        Some(None)
    }

    /// Continues with an object. Only constraints that have not been tried before are kept.
    fn take_up(&mut self, object: Value) {
        self.object = object;
        let mut all = faults::breakable_parts(&self.sampler.created, &self.object);
        self.nodes.extend(all.iter().map(|one| address(one.schema)));
        let is_first = self.tried.is_empty();
        all.retain(|one| is_first || !self.tried.contains(&one.key()));
        all.reverse();
        self.open = all;
    }
}

impl Iterator for Walk<'_> {
    type Item = Broken;

    fn next(&mut self) -> Option<Broken> {
        loop {
            while let Some(breakable) = self.open.pop() {
                self.tried.insert(breakable.key());
                let broken =
                    self.sampler.break_one(&self.object, &breakable, &mut self.maker, &mut self.pool);
                if broken.is_some() {
                    self.broken.insert(breakable.key());
                    self.misses = 0;
                    return broken;
                }
            }
            if let Some(broken) = self.advance()? {
                return Some(broken);
            }
        }
    }
}
