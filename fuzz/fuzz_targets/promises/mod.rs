//! What holds for every object of every definition that the API server takes, whatever the object is.

use crd_core::CustomResourceDefinition;
use crd_core::admit::{Admission, StatusReason, Validator};
use serde_json::Value;

/// A kind, and what can be promised of its objects.
pub struct Kind {
    pub validator: Validator,
    /// What objects say that come back from the store as they are: in another version they may lose fields on the way.
    stored_version: String,
    /// Whether an object may not be let to replace itself.
    is_picky: bool,
}

impl Kind {
    /// `is_picky`: an object may not be let to replace itself, as by rules that ask for a change.
    pub fn new(crd: &CustomResourceDefinition, is_picky: bool) -> Option<Self> {
        let version = crd.spec.versions.iter().find(|version| version.storage)?;
        let stored_version = format!("{}/{}", crd.spec.group, version.name);
        Some(Self { validator: Validator::new(crd).ok()?, stored_version, is_picky })
    }

    /// Creates objects, and replaces each by each.
    pub fn answer(&self, objects: &[Value]) {
        let stored: Vec<Value> = objects.iter().filter_map(|object| self.create(object)).collect();
        for object in objects {
            for old in &stored {
                self.update(object, old);
            }
            // What is stored may be anything, if it is older than the definition.
            for old in objects {
                let _ = answered(|| self.validator.update(object, old));
                let _ = answered(|| self.validator.update_status(object, old));
            }
        }
    }

    /// The object that is stored, if one is.
    fn create(&self, object: &Value) -> Option<Value> {
        let stored = answered(|| self.validator.create(object))?;
        if stored["apiVersion"] == self.stored_version {
            let again = self.validator.create(&stored).result;
            assert_eq!(
                again.as_ref(),
                Ok(&stored),
                "what is stored is not taken as it is; it was sent as {object}"
            );
            self.replace_by_itself(&stored, object);
        }
        Some(stored)
    }

    /// Replaces an object that is stored.
    fn update(&self, object: &Value, old: &Value) {
        let updates = [
            answered(|| self.validator.update(object, old)),
            answered(|| self.validator.update_status(object, old)),
        ];
        for stored in updates.into_iter().flatten() {
            if stored["apiVersion"] == self.stored_version && old["apiVersion"] == self.stored_version {
                self.replace_by_itself(&stored, old);
            }
        }
    }

    fn replace_by_itself(&self, stored: &Value, before: &Value) {
        for admission in [self.validator.update(stored, stored), self.validator.update_status(stored, stored)]
        {
            match admission.result {
                Ok(again) => {
                    assert_eq!(again, *stored, "an update to itself changed it; before was {before}")
                }
                // There is no such subresource.
                Err(refusal) if refusal.reason == StatusReason::NotFound => {}
                Err(refusal) => {
                    assert!(
                        self.is_picky,
                        "an update to itself is refused: {refusal}\n{stored}\nbefore was {before}"
                    );
                }
            }
        }
    }
}

/// The object that is stored, of an answer that is the same when it is asked for again.
fn answered(request: impl Fn() -> Admission) -> Option<Value> {
    let admission = request();
    assert_eq!(admission, request(), "the same request, another answer");
    match admission.result {
        Ok(stored) => Some(stored),
        Err(refusal) => {
            assert_eq!(!refusal.causes.is_empty(), refusal.reason == StatusReason::Invalid, "{refusal}");
            None
        }
    }
}
