//! Generates one object per seed: an accepted object, or an object with a fault.

use std::collections::HashMap;

use serde_json::Value;

use super::Broken;
use super::Fault;
use super::faults::{self, Breakable, Key};
use super::solve::MENDING;
use crate::error::NoSample;
use crate::maker::{Maker, Style};
use crate::sampler::Sampler;

/// Maximum number of validations per search for an accepted object.
const BUDGET: usize = 200;
/// Maximum number of searches for an accepted object.
const MOST_SEARCHES: usize = 20;
/// Number of objects to try before the result may have other faults besides the intended fault.
const STRICT_TRIES: u64 = 40;
/// Maximum number of objects to try.
const MOST_TRIES: u64 = 400;

/// Generates one object per seed, for test frameworks that choose the seeds. Patterns are compiled only once.
///
/// ```
/// # fn example(sampler: &crd_sample::Sampler) -> Result<(), Box<dyn std::error::Error>> {
/// let mut objects = sampler.seeded();
/// println!("{}", objects.accepted(7)?);
/// if let Some(broken) = objects.broken(7)? {
///     println!("{}: {}", broken.field, broken.fault);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Seeded {
    sampler: Sampler,
    maker: Maker,
    /// For each rule that was searched for, an object that breaks only this rule, or `None` if none was found.
    examples: HashMap<Key, Option<Broken>>,
}

impl Sampler {
    /// Creates a generator of single objects.
    #[must_use]
    pub fn seeded(&self) -> Seeded {
        Seeded { sampler: self.clone(), maker: self.maker(), examples: HashMap::new() }
    }
}

impl Seeded {
    /// Returns a random object that the API server accepts.
    ///
    /// # Errors
    /// - No accepted object was found within the budget. The error has the API server's response to the object with the fewest causes.
    pub fn accepted(&mut self, seed: u64) -> Result<Value, NoSample> {
        self.restart(seed);
        let mut nearest = None;
        for _ in 0..MOST_SEARCHES {
            match self.sampler.try_find(&mut self.maker, Style::Random, None, BUDGET) {
                Ok(object) => return Ok(object),
                Err(refusal) => nearest = Some(refusal),
            }
            self.maker.work = self.sampler.work();
        }
        let refusal = nearest.expect("there was at least one search");
        Err(NoSample { refusal })
    }

    /// Returns a random object that the API server rejects for one reason. All keywords and rules that apply to the object are equally
    /// likely.
    ///
    /// After many failed attempts, the result may have other faults besides the intended fault. This happens, for example, if a rule
    /// repeats a bound. Returns `None` if nothing can be broken.
    ///
    /// # Errors
    /// - No accepted object was found. The error has the API server's response to the object with the fewest causes.
    pub fn broken(&mut self, seed: u64) -> Result<Option<Broken>, NoSample> {
        for attempt in 0..MOST_TRIES {
            let object = self.accepted(seed.wrapping_add(attempt))?;
            let broken = self.broken_of(&object, attempt >= STRICT_TRIES);
            if broken.is_some() {
                return Ok(broken);
            }
        }
        Ok(None)
    }

    /// Returns a random object that probably fits the schema. The object is not validated.
    #[must_use]
    pub fn unjudged(&mut self, seed: u64) -> Value {
        self.restart(seed);
        self.sampler.object(&mut self.maker, Style::Random)
    }

    /// Restarts the generator, so that the result depends only on the seed.
    fn restart(&mut self, seed: u64) {
        self.maker.restart(seed);
        self.maker.is_varied = false;
        self.maker.work = self.sampler.work();
    }

    /// Breaks one constraint of an object. If the chosen constraint cannot be broken, another constraint is tried.
    fn broken_of(&mut self, object: &Value, is_lenient: bool) -> Option<Broken> {
        let Self { sampler, maker, examples } = self;
        let mut open = faults::breakable_parts(&sampler.created, object);
        while let Some(breakable) = choose(&mut open, maker) {
            if breakable.rule.is_none() {
                let (broken, _) = sampler.break_at_once(object, &breakable, maker, is_lenient);
                if broken.is_some() {
                    return broken;
                }
                continue;
            }
            // Nothing is tried with a rule that holds for every object.
            let example = examples.entry(breakable.key()).or_insert_with(|| {
                // The same example, whatever the object is in which the rule is first met.
                let at = faults::place_of_node(&sampler.created, &breakable.at);
                let pool = &mut sampler.work();
                sampler.maker().with_work(pool, |maker| sampler.break_rule(&at, &breakable.key(), maker))
            });
            if example.is_none() && !is_lenient {
                continue;
            }
            let (broken, aside) = sampler.break_at_once(object, &breakable, maker, is_lenient);
            let mended = || {
                maker.with_work(&mut sampler.work(), |maker| sampler.mend(aside?, &breakable, maker, MENDING))
            };
            let broken = broken.or_else(mended).or_else(|| example.clone());
            if broken.is_some() {
                return broken;
            }
        }
        None
    }
}

/// Removes and returns one of the open constraints. First a keyword or rule is chosen at random, and then a value that it applies to.
fn choose<'s>(open: &mut Vec<Breakable<'s>>, maker: &mut Maker) -> Option<Breakable<'s>> {
    let mut kinds: Vec<&Fault> = Vec::new();
    for kind in open.iter().map(|breakable| &breakable.fault) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let kind = *maker.random.item(&kinds)?;
    let places: Vec<usize> = (0..open.len()).filter(|index| open[*index].fault == *kind).collect();
    let index = *maker.random.item(&places)?;
    Some(open.swap_remove(index))
}
