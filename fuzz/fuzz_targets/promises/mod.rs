//! Properties that hold for all objects of all definitions that the API server accepts.

use crd_core::CustomResourceDefinition;
use crd_core::admit::{Admission, StatusReason, Validator};
use serde_json::Value;

/// A kind, with the properties of its objects.
pub struct Kind {
    pub validator: Validator,
    /// The `apiVersion` of objects that are stored unchanged. Objects of other versions can lose fields in the store.
    stored_version: String,
    /// `true` if the API server can refuse to replace an object by itself.
    is_picky: bool,
}

impl Kind {
    /// `is_picky` is `true` if the API server can refuse to replace an object by itself, as by rules that require a change.
    pub fn new(crd: &CustomResourceDefinition, is_picky: bool) -> Option<Self> {
        let version = crd.storage_version()?;
        let stored_version = format!("{}/{}", crd.spec.group, version.name);
        Some(Self { validator: Validator::new(crd).ok()?, stored_version, is_picky })
    }

    /// Creates objects, and replaces each of them by all others.
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

    /// Returns the stored object, if the request is accepted.
    fn create(&self, object: &Value) -> Option<Value> {
        let stored = answered(|| self.validator.create(object));
        assert_eq!(
            self.validator.accepts(object),
            stored.is_some(),
            "the verdict alone differs from that of the whole admission: {object}"
        );
        let stored = stored?;
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

    /// Replaces a stored object.
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

/// Returns the stored object. Checks that a second request gets the same answer.
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
