//! The response to an object, compared with the required response.

use crd_core::admit::Rejection;
use crd_core::crd::ValidationRule;
use serde_json::Value;

use crate::change::steps_of;

/// A rule that must be the only broken one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) rule: &'a ValidationRule,
    /// The steps to the value of the rule.
    pub(crate) at: &'a [String],
}

/// The number of missing targets, of causes outside rules, and of causes from rules.
pub(super) type Score = (usize, usize, usize);

/// Maximum number of counted causes; a rejection with more counts as one with this many.
const MANY: usize = 10_000;

/// The difference between an object and the required one.
#[derive(Clone, Debug)]
pub(crate) struct Missed {
    /// The rejection without the cause of the target. `None` if there are no other faults.
    pub(crate) refusal: Option<Rejection>,
    /// `true` unless the target is known to be broken.
    pub(super) lacks_target: bool,
}

impl Target<'_> {
    /// Returns the index of the cause of this rule at its place.
    fn cause(&self, refusal: &Rejection, object: &Value) -> Option<usize> {
        let mut broken = refusal.broken_rules();
        let broken =
            broken.find(|broken| broken.rule == self.rule.rule && steps_of(&broken.at, object) == self.at)?;
        Some(broken.cause)
    }
}

impl Missed {
    /// Compares a response with the required one: only `target` is broken, or nothing is.
    ///
    /// # Errors
    /// - The object does not have the required response.
    pub(super) fn compare(
        answer: Result<(), Rejection>,
        target: Option<Target<'_>>,
        object: &Value,
    ) -> Result<(), Self> {
        let (mut refusal, target) = match (answer, target) {
            (Ok(()), None) => return Ok(()),
            (Ok(()), Some(_)) => return Err(Self { refusal: None, lacks_target: true }),
            (Err(refusal), None) => return Err(Self { refusal: Some(refusal), lacks_target: false }),
            (Err(refusal), Some(target)) => (refusal, target),
        };
        let Some(index) = target.cause(&refusal, object) else {
            return Err(Self { refusal: Some(refusal), lacks_target: true });
        };
        refusal.causes.remove(index);
        refusal.failed_rules.retain(|failed| failed.cause != index);
        for failed in &mut refusal.failed_rules {
            failed.cause -= usize::from(failed.cause > index);
        }
        if refusal.causes.is_empty() {
            return Ok(());
        }
        Err(Self { refusal: Some(refusal), lacks_target: false })
    }

    pub(super) fn score(&self) -> Score {
        let missing = usize::from(self.lacks_target);
        let Some(refusal) = &self.refusal else { return (missing, 0, 0) };
        let rules = refusal.broken_rules().count();
        let others = refusal.faults().count() - rules;
        match refusal.causes.len() {
            // The object as a whole could not be read.
            0 => (missing, MANY, refusal.strict_errors().len()),
            _ => (missing, others, rules),
        }
    }

    /// Returns `true` if the faults are equal.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let [own, other] = [self, other].map(|missed| missed.refusal.as_ref().map(|refusal| &refusal.causes));
        own == other
    }
}
