//! Builds objects that violate only one constraint.

use serde_json::Value;

use super::Broken;
use super::faults::{self, Breakable, ENTRY, Key};
use crate::maker::{Maker, Style};
use crate::sampler::Sampler;
use crate::search::{Search, Target};
use crate::work::Work;

/// Maximum number of plans to try for one fault. A plan is a list of changes.
const MOST_PLANS: usize = 60;
/// Maximum number of validations for repairing other faults in an object that breaks a rule.
pub(super) const MENDING: usize = 60;
/// Maximum number of validations for a rule that no generated object has broken.
const THOROUGH: usize = 300;
/// The styles of objects that are generated in order to break a rule.
const BASES: [Style; 5] = [Style::Full, Style::Minimal, Style::Random, Style::Random, Style::Random];
/// Maximum number of values to try for one rule in one object.
const MOST_VALUES: usize = 3;

impl Sampler {
    /// Breaks only one constraint of an accepted object. The search takes its steps from `pool`.
    pub(super) fn break_one(
        &self,
        object: &Value,
        breakable: &Breakable<'_>,
        maker: &mut Maker,
        pool: &mut Work,
    ) -> Option<Broken> {
        let (broken, aside) = self.break_at_once(object, breakable, maker, false);
        if broken.is_some() || breakable.rule.is_none() {
            return broken;
        }
        let start = aside.unwrap_or_else(|| object.clone());
        maker.with_work(pool, |maker| self.mend(start, breakable, maker, MENDING))
    }

    /// Breaks one constraint of an accepted object with one plan. If `is_lenient` is `true`, the object may have other faults. If it is
    /// `false`, the first object with other faults is returned as the second result.
    pub(super) fn break_at_once(
        &self,
        object: &Value,
        breakable: &Breakable<'_>,
        maker: &mut Maker,
        is_lenient: bool,
    ) -> (Option<Broken>, Option<Value>) {
        let mut aside = None;
        let plans = breakable.plans(&self.created, object, maker);
        for plan in plans.into_iter().take(MOST_PLANS) {
            let Some(object) = self.search(maker, breakable, 0).apply(object, &plan) else { continue };
            let Err(refusal) = self.validator().create(&object).result else { continue };
            if let Some(cause) = breakable.cause(&refusal, is_lenient) {
                let (field, message) = (cause.field.clone(), cause.message.clone());
                let fault = breakable.fault.clone();
                return (Some(Broken { object, field, fault, message }), None);
            }
            if aside.is_none() && breakable.cause(&refusal, true).is_some() {
                aside = Some(object);
            }
        }
        (None, aside)
    }

    /// Searches for an object that breaks only one rule. Keywords do not need this search: if a keyword is violated, rules are not checked,
    /// so there are no other faults to repair.
    pub(super) fn mend(
        &self,
        start: Value,
        breakable: &Breakable<'_>,
        maker: &mut Maker,
        budget: usize,
    ) -> Option<Broken> {
        breakable.rule?;
        let object = self.search(maker, breakable, budget).find(start).ok()?;
        let refusal = self.validator().create(&object).result.err()?;
        let cause = breakable.cause(&refusal, false)?;
        let (field, message) = (cause.field.clone(), cause.message.clone());
        Some(Broken { object, field, fault: breakable.fault.clone(), message })
    }

    fn search<'a>(&'a self, maker: &'a mut Maker, breakable: &'a Breakable<'_>, budget: usize) -> Search<'a> {
        Search {
            schema: &self.created,
            validator: self.validator(),
            maker,
            style: Style::Minimal,
            budget,
            pinned: breakable.rule.is_some().then_some(&breakable.at),
            target: breakable.rule.map(|rule| Target { rule, at: &breakable.at }),
            is_desperate: false,
            steps_of_judgement: self.steps_of_judgement,
        }
    }

    /// Breaks a rule of the value at `at`, in objects of several styles that are generated for this purpose. These objects need not be
    /// valid, because there are no valid objects if two rules contradict each other. The result does not depend on the seed.
    pub(super) fn break_rule(&self, at: &[String], key: &Key, maker: &mut Maker) -> Option<Broken> {
        maker.is_varied = true;
        BASES.iter().zip(0..).find_map(|(style, number)| {
            maker.restart(number);
            // A rule can forbid any name of an entry.
            let entry = |step: &String| match (step.as_str(), number) {
                (ENTRY, 1 | 3) => format!("{ENTRY}-2"),
                (step, _) => step.to_owned(),
            };
            let at: Vec<String> = at.iter().map(entry).collect();
            let object = self.object_with(maker, *style, &at);
            let all = faults::breakable_parts(&self.created, &object).into_iter();
            let mut some = all.filter(|one| one.key() == *key).take(MOST_VALUES);
            some.find_map(|one| self.mend(object.clone(), &one, maker, THOROUGH))
        })
    }
}
