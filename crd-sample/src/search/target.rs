//! Compares the response to an object with the required response.

use crd_core::admit::Rejection;
use crd_core::crd::ValidationRule;
use serde_json::Value;

use crate::change::steps_of;

/// The only rule that the object must break.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) rule: &'a ValidationRule,
    /// The path to the rule's value.
    pub(crate) at: &'a [String],
}

/// The number of target rules that are not broken (0 or 1), the number of causes from keywords, and the number of causes from rules.
pub(super) type Score = (usize, usize, usize);

/// The number of causes for an object that cannot be read at all.
const MANY: usize = 10_000;

/// The difference between the response to an object and the required response.
#[derive(Clone, Debug)]
pub(crate) struct Missed {
    /// The rejection without the target's cause, or `None` if the object is accepted.
    pub(crate) refusal: Option<Rejection>,
    /// `true` if there is a target rule that the object does not break, as far as known.
    pub(super) lacks_target: bool,
}

impl Target<'_> {
    /// Returns the index of the cause for the target.
    fn cause(&self, refusal: &Rejection, object: &Value) -> Option<usize> {
        let mut broken = refusal.broken_rules();
        let broken =
            broken.find(|broken| broken.rule == self.rule.rule && steps_of(&broken.at, object) == self.at)?;
        Some(broken.cause)
    }
}

impl Missed {
    /// Checks that a response is the required response. With a target, only this rule must be broken. Without a target, the object
    /// must be accepted.
    ///
    /// # Errors
    /// - The response is not the required response.
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
