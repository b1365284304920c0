//! The response to an object, compared with the required response.

use crd_core::admit::Rejection;
use crd_core::crd::ValidationRule;
use serde_json::Value;

use crate::change::steps_of;

/// The rule that must be broken, while all other rules hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) rule: &'a ValidationRule,
    /// The steps to the value of the rule.
    pub(crate) at: &'a [String],
}

/// The number of target rules that are not broken (0 or 1), of causes outside rules, and of causes from rules.
pub(super) type Score = (usize, usize, usize);

/// Maximum number of causes that are counted in a rejection.
const MANY: usize = 10_000;

/// The difference between the response to an object and the required response.
#[derive(Clone, Debug)]
pub(crate) struct Missed {
    /// The rejection without the cause for the target; `None` if no other cause is left.
    pub(crate) refusal: Option<Rejection>,
    /// `true` if there is a target rule, and the object is not known to break it.
    pub(super) lacks_target: bool,
}

impl Target<'_> {
    /// Returns the index of the cause for this rule at this place.
    fn cause(&self, refusal: &Rejection, object: &Value) -> Option<usize> {
        let mut broken = refusal.broken_rules();
        let broken =
            broken.find(|broken| broken.rule == self.rule.rule && steps_of(&broken.at, object) == self.at)?;
        Some(broken.cause)
    }
}

impl Missed {
    /// Checks that a response is the required one: only `target` is broken or, without a target, the object is accepted.
    ///
    /// # Errors
    /// - The response is not the required one.
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

    /// Returns `true` if the two responses have the same causes.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let [own, other] = [self, other].map(|missed| missed.refusal.as_ref().map(|refusal| &refusal.causes));
        own == other
    }
}
