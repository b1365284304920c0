//! Turns a rejected object into an accepted object, by changes that reduce the number of causes.
//!
//! Every cause of a rejection has a path or a broken rule. The values at these paths, and the values that the rules read, are replaced
//! until no cause is left. The search is deterministic, and the number of validations is limited.

mod target;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crd_core::admit::{Rejection, StatusReason, Validator};
use crd_core::crd::ValidationRule;
use crd_core::{CauseReason, Diagnostic, Keyword, Structural};
use serde_json::{Value, json};

use crate::change::{Change, Steps, below, get, put, remove, schema_at, steps_of};
use crate::maker::{IDENTITY, Maker, Style};
use crate::rule::{self, Plan};
use crate::work;

use self::target::Score;
pub(crate) use self::target::{Missed, Target};

/// Maximum number of causes of one rejection for which changes are tried.
const MOST_CAUSES: usize = 12;
/// If a rejection has at least this many causes, all causes are handled in one step.
const MANY_CAUSES: usize = 3;
/// Maximum number of causes to handle in one step, because each needs a copy of the object.
const MOST_AT_ONCE: usize = 200;
/// Maximum number of consecutive changes that do not reduce the number of causes.
const MOST_SIDESTEPS: usize = 40;
/// Maximum number of levels above a cause's path at which values are removed or regenerated.
const NEAR: usize = 2;

/// A search for an accepted object, or for an object that breaks only one rule.
pub(crate) struct Search<'a> {
    /// The schema for creating objects.
    pub(crate) schema: &'a Structural,
    pub(crate) validator: &'a Validator,
    pub(crate) maker: &'a mut Maker,
    pub(crate) style: Style,
    /// The remaining number of validations.
    pub(crate) budget: usize,
    /// The path to a value that must be kept.
    pub(crate) pinned: Option<&'a [String]>,
    /// The rule that the object must break, or `None` in a search for an accepted object.
    pub(crate) target: Option<Target<'a>>,
    /// `true` if large parts of the object may be removed, because no smaller change helped.
    pub(crate) is_desperate: bool,
    /// The number of steps of a validation that do not depend on the object's size.
    pub(crate) steps_of_judgement: u64,
}

/// The result of trying plans. A plan is a list of changes to an object.
enum Trial {
    Found(Value),
    /// The budget is used up.
    Exhausted,
    Rejected {
        /// A changed object whose rejection has fewer causes.
        better: Option<Box<(Value, Missed)>>,
        /// The first changed object whose rejection has the same number of causes, but other causes.
        aside: Option<Box<(Value, Missed)>>,
    },
}

/// The objects that a search has tried, as hashes of the JSON.
#[derive(Default)]
struct History {
    hasher: BuildHasherDefault<DefaultHasher>,
    /// The hashes of objects from which the search has continued.
    visited: HashSet<u64>,
    known: HashMap<u64, Score>,
}

impl History {
    fn hash(&self, object: &Value) -> u64 {
        self.hasher.hash_one(object.to_string())
    }

    fn visit(&mut self, object: &Value) {
        self.visited.insert(self.hash(object));
    }

    /// Returns `true` if an object need not be validated, because the search has continued from it before, or because it is known to be no
    /// better than `score`.
    fn excludes(&self, hash: u64, score: Score) -> bool {
        self.visited.contains(&hash) || self.known.get(&hash).is_some_and(|known| *known >= score)
    }
}

impl Search<'_> {
    /// Returns an accepted object or, if the search has a target, an object that breaks only this rule.
    ///
    /// # Errors
    /// - The budget is used up. The error has the response with the fewest causes.
    pub(crate) fn find(&mut self, object: Value) -> Result<Value, Missed> {
        let mut current = object;
        let mut missed = match self.judge(&current) {
            Ok(()) => return Ok(current),
            Err(missed) => missed,
        };
        let mut best = missed.clone();
        let mut history = History::default();
        history.visit(&current);
        let mut sidesteps = 0;
        self.is_desperate = false;
        while self.budget > 0 && !self.maker.work.is_done() {
            if let Some(object) = self.all_at_once(&missed, &current) {
                match self.judge(&object) {
                    Ok(()) => return Ok(object),
                    Err(new) if new.score() < missed.score() => {
                        history.visit(&object);
                        (current, missed) = (object, new);
                        best = if missed.score() < best.score() { missed.clone() } else { best };
                        continue;
                    }
                    Err(_) => {}
                }
            }
            let next = match self.try_plans(&missed, &current, &mut history) {
                Trial::Found(object) => return Ok(object),
                Trial::Exhausted => break,
                Trial::Rejected { better, aside } => {
                    sidesteps = if better.is_some() { 0 } else { sidesteps + 1 };
                    better.or(aside)
                }
            };
            let Some(change) = next.filter(|_| sidesteps <= MOST_SIDESTEPS) else {
                if self.is_desperate {
                    break;
                }
                (self.is_desperate, sidesteps) = (true, 0);
                continue;
            };
            (current, missed) = *change;
            history.visit(&current);
            if missed.score() < best.score() {
                best = missed.clone();
            }
        }
        Err(best)
    }

    /// Returns an accepted object. The search must not have a target.
    ///
    /// # Errors
    /// - The budget is used up. The error is the rejection with the fewest causes.
    pub(crate) fn accepted(&mut self, object: Value) -> Result<Value, Box<Rejection>> {
        self.find(object).map_err(|missed| {
            Box::new(missed.refusal.expect("an object that is not rejected is one that is searched for"))
        })
    }

    /// Tries the plans for each cause of a response, until a changed object has fewer causes.
    fn try_plans(&mut self, missed: &Missed, current: &Value, history: &mut History) -> Trial {
        let (score, steps) = (missed.score(), work::steps_of(current) / 4);
        let mut aside = None;
        for turn in turns(missed) {
            for plan in self.plans_of_turn(missed, turn, current) {
                if self.budget == 0 || self.maker.work.is_done() {
                    return Trial::Exhausted;
                }
                self.maker.work.take(steps);
                let Some(object) = self.apply(current, &plan) else { continue };
                let hash = history.hash(&object);
                if history.excludes(hash, score) {
                    continue;
                }
                let judged = self.judge(&object);
                history.known.insert(hash, judged.as_ref().err().map_or((0, 0, 0), Missed::score));
                match judged {
                    Ok(()) => return Trial::Found(object),
                    Err(new) if new.score() < score => {
                        return Trial::Rejected { better: Some(Box::new((object, new))), aside };
                    }
                    Err(new) if new.score() == score && !new.is_like(missed) => {
                        aside.get_or_insert_with(|| Box::new((object, new)));
                    }
                    Err(_) => {}
                }
            }
        }
        Trial::Rejected { better: None, aside }
    }

    /// Applies the likeliest plan for every cause at once. This is for objects with many unrelated faults.
    fn all_at_once(&mut self, missed: &Missed, object: &Value) -> Option<Value> {
        let refusal = missed.refusal.as_ref()?;
        let count = refusal.faults().count();
        if count < MANY_CAUSES {
            return None;
        }
        let mut object = object.clone();
        let steps = work::steps_of(&object) / 4;
        for index in 0..count.min(MOST_AT_ONCE).min(self.maker.work.times(steps)) {
            self.maker.work.take(steps);
            let plan = self.plans(refusal, index, &object).into_iter().next();
            let new = plan.and_then(|plan| self.apply(&object, &plan));
            object = new.unwrap_or(object);
        }
        Some(object)
    }

    fn judge(&mut self, object: &Value) -> Result<(), Missed> {
        self.budget = self.budget.saturating_sub(1);
        let texts = self.maker.strings.steps_of_texts();
        self.maker.work.take(texts + self.steps_of_judgement + work::steps_of(object));
        let answer = match self.validator.create(object).result {
            Ok(stored) => {
                self.maker.work.take(work::steps_of(&stored).saturating_sub(work::steps_of(object)));
                Ok(())
            }
            Err(refusal) => {
                if matches!(refusal.reason, StatusReason::Unknown | StatusReason::LimitExceeded) {
                    self.maker.work.take(work::OF_LIMIT);
                }
                Err(refusal)
            }
        };
        Missed::compare(answer, self.target, object)
    }

    fn plans_of_turn(&mut self, missed: &Missed, turn: Turn, object: &Value) -> Vec<Plan> {
        match (turn, &missed.refusal, self.target) {
            (Turn::Cause(index), Some(refusal), _) => self.plans(refusal, index, object),
            (Turn::Target, _, Some(Target { rule, at })) => {
                let mut plans = rule::against(rule, self.schema, object, at, self.maker);
                plans.retain(|plan| !self.is_against_pin(plan));
                plans
            }
            _ => Vec::new(),
        }
    }

    fn plans(&mut self, refusal: &Rejection, index: usize, object: &Value) -> Vec<Plan> {
        let Some(cause) = refusal.causes.get(index) else { return self.strict(refusal, object) };
        if let Some(broken) = refusal.broken_rules().find(|broken| broken.cause == index) {
            let at = steps_of(&broken.at, object);
            let rules = schema_at(self.schema, &at).map_or(&[][..], |schema| &schema.validations);
            if let Some(rule) = rules.iter().find(|rule| rule.rule == broken.rule) {
                return self.plans_for_rule(rule, object, &at);
            }
        }
        let at = steps_of(&cause.place, object);
        // A rule that could not be evaluated stands at its value.
        let rules = schema_at(self.schema, &at).map_or(&[][..], |schema| &schema.validations);
        let mut plans = Vec::new();
        if matches!(cause.keyword, Some(Keyword::Validations | Keyword::UncheckedRules)) {
            for rule in rules {
                plans.extend(self.plans_for_rule(rule, object, &at));
            }
        }
        plans.extend(self.plans_for_schema(cause, object, &at));
        plans
    }

    fn plans_for_rule(&mut self, rule: &ValidationRule, object: &Value, at: &[String]) -> Vec<Plan> {
        let mut plans = Vec::new();
        if let Some(schema) = schema_at(self.schema, at) {
            let bytes: usize = schema.validations.iter().map(|rule| rule.rule.len()).sum();
            self.maker.work.take(bytes as u64);
            let pool = rule::pool(schema);
            let (wanted, refused) = (pool.wanted.iter(), pool.refused.iter());
            let made = (!pool.is_empty()).then(|| {
                self.maker.text(schema, wanted.map(String::as_str), refused.map(String::as_str), Style::Full)
            });
            plans.extend(made.flatten().map(|text| vec![Change::Put(at.to_vec(), json!(text))]));
        }
        plans.extend(rule::plans(rule, true, self.schema, object, at, self.maker));
        plans.extend(rule::guesses(rule, self.schema, object, at));
        self.around(object, at, &mut plans);
        plans.retain(|plan| !self.is_against_pin(plan));
        plans
    }

    fn plans_for_schema(&self, cause: &Diagnostic, object: &Value, at: &[String]) -> Vec<Plan> {
        let make = || vec![Change::Make(at.to_vec())];
        let mut plans = Vec::new();
        if cause.reason == CauseReason::Required && get(object, at).is_none() {
            plans.extend([make(), make()]);
        } else {
            let has_branches = schema_at(self.schema, at).is_some_and(|schema| {
                schema.value_validation.as_ref().is_some_and(|validation| {
                    validation.one_of.is_some() || validation.any_of.is_some() || validation.not.is_some()
                })
            });
            plans.extend((0..if has_branches { 12 } else { 4 }).map(|_| make()));
        }
        self.around(object, at, &mut plans);
        plans.retain(|plan| !self.is_against_pin(plan));
        self.beside_pin(object, at, &mut plans);
        plans
    }

    /// Adds plans that remove fields beside the path to the value that must be kept.
    fn beside_pin(&self, object: &Value, at: &[String], plans: &mut Vec<Plan>) {
        let kept = self.pinned.and_then(|pinned| pinned.strip_prefix(at)).and_then(|below| below.first());
        let Some((kept, Value::Object(fields))) = kept.zip(get(object, at)) else { return };
        let others = fields.keys().filter(|name| *name != kept);
        plans.extend(others.map(|name| vec![Change::Remove(below(at, name.clone()))]));
    }

    /// Adds plans that remove the value at a path, or that remove or regenerate a parent of this value.
    fn around(&self, object: &Value, at: &[String], plans: &mut Vec<Plan>) {
        let outermost = if self.is_desperate { 1 } else { at.len().saturating_sub(NEAR).max(2) };
        for end in (outermost..=at.len()).rev() {
            let place = &at[..end];
            if end < at.len() {
                plans.push(vec![Change::Make(place.to_vec())]);
                plans.push(vec![Change::Make(place.to_vec())]);
            }
            if get(object, place).is_some() {
                plans.push(vec![Change::Remove(place.to_vec())]);
            }
            // No rule is run on `null`.
            if schema_at(self.schema, place).is_some_and(Structural::is_nullable) {
                plans.push(vec![Change::Put(place.to_vec(), Value::Null)]);
            }
        }
        if self.is_desperate {
            plans.push(vec![Change::Make(Steps::new())]);
        }
    }

    /// Returns plans that remove unknown fields.
    fn strict(&self, refusal: &Rejection, object: &Value) -> Vec<Plan> {
        let unknown = refusal.unknown_fields();
        let mut plans: Vec<Plan> =
            unknown.map(|path| vec![Change::Remove(steps_of(&path, object))]).collect();
        if refusal.reason == StatusReason::BadRequest {
            plans.push(vec![Change::Make(Steps::new())]);
        }
        plans
    }

    /// Returns `true` if a plan can remove the value that must be kept.
    fn is_against_pin(&self, plan: &Plan) -> bool {
        let Some(pinned) = self.pinned else { return false };
        plan.iter().any(|change| match change {
            Change::Remove(at) => pinned.starts_with(at),
            Change::Make(at) | Change::Draw(at) => at.len() < pinned.len() && pinned.starts_with(at),
            Change::Put(at, value) => value.is_null() && pinned.starts_with(at),
        })
    }

    /// Applies a plan to an object. Returns `None` if a path does not exist, or if the value at a path must not change.
    pub(crate) fn apply(&mut self, object: &Value, plan: &Plan) -> Option<Value> {
        let mut object = object.clone();
        for change in plan {
            let at = match change {
                Change::Put(at, _) | Change::Make(at) | Change::Draw(at) | Change::Remove(at) => at,
            };
            let is_fixed = match at.as_slice() {
                [] => false,
                [first] => IDENTITY.contains(&first.as_str()),
                [first, ..] => first == "apiVersion" || first == "kind",
            };
            if is_fixed {
                return None;
            }
            match change {
                Change::Put(at, value) => self.put(&mut object, at, value.clone())?,
                Change::Make(at) => self.make(&mut object, at, self.style)?,
                Change::Draw(at) => self.make(&mut object, at, Style::Random)?,
                Change::Remove(at) => remove(&mut object, at),
            }
        }
        Some(object)
    }

    fn make(&mut self, object: &mut Value, at: &[String], style: Style) -> Option<()> {
        self.maker.is_varied = true;
        let Some((name, _)) = at.split_last() else {
            let made = self.maker.fields(self.schema, style, &IDENTITY);
            let fields = object.as_object_mut()?;
            fields.retain(|name, _| IDENTITY.contains(&name.as_str()));
            fields.extend(made);
            return Some(());
        };
        let schema = schema_at(self.schema, at)?;
        let style = match style {
            // A value that is to be another one is not the typical one.
            Style::Minimal if get(object, at).is_some() && self.maker.random.one_in(2) => Style::Random,
            Style::Full if is_scalar(schema) && self.maker.random.one_in(2) => Style::Random,
            style => style,
        };
        let made = self.maker.value(schema, name, style);
        let made = if made.is_null() && !schema.is_nullable() { json!({}) } else { made };
        self.put(object, at, made)
    }

    /// Sets the value at a path, and creates missing parents.
    fn put(&mut self, object: &mut Value, at: &[String], value: Value) -> Option<()> {
        for end in 1..at.len() {
            let above = &at[..end];
            if get(object, above).is_none_or(Value::is_null) {
                let made = match schema_at(self.schema, above) {
                    Some(schema) => self.maker.value(schema, &above[end - 1], Style::Minimal),
                    None => json!({}),
                };
                put(object, above, made).then_some(())?;
            }
        }
        put(object, at, value).then_some(())
    }
}

fn is_scalar(schema: &Structural) -> bool {
    schema.properties.is_empty() && schema.items.is_none() && schema.map_values().is_none()
}

/// A part of a response that is handled at one time.
#[derive(Clone, Copy)]
enum Turn {
    /// The cause with this index.
    Cause(usize),
    Target,
}

/// Returns the causes to handle, in order, and only one for each field. If the target rule is not broken yet, it comes last.
fn turns(missed: &Missed) -> Vec<Turn> {
    let target = missed.lacks_target.then_some(Turn::Target);
    let Some(refusal) = &missed.refusal else { return target.into_iter().collect() };
    let mut seen = HashSet::new();
    let count = refusal.faults().count();
    let is_rule = |index: &usize| refusal.broken_rules().any(|broken| broken.cause == *index);
    let mut turns: Vec<usize> = (0..count).collect();
    turns.sort_by_key(is_rule);
    turns.retain(|index| {
        let cause = &refusal.causes[*index];
        let place = if cause.field.is_root() { cause.message.clone() } else { cause.field.to_string() };
        is_rule(index) || seen.insert(place)
    });
    turns.truncate(MOST_CAUSES);
    if turns.is_empty() {
        turns.push(0);
    }
    // Rules are not checked next to other causes.
    let target = target.filter(|_| count == refusal.causes.len());
    turns.into_iter().map(Turn::Cause).chain(target).collect()
}
