//! An object after pruning, defaulting and validation.

use crd_core::admit::{Admission, StatusReason, Submitted, Validator};
use serde_json::Value;

use crate::json::metadata_mut;
use crate::request_info::RequestInfo;
use crate::status::Failure;

/// An object after pruning, defaulting and validation.
pub(super) struct Admitted {
    pub(super) result: Result<Value, Failure>,
    /// `true` if the object is rejected before it is compared with the stored object.
    pub(super) is_unreadable: bool,
    /// The object as it was sent. `None` for CRDs, which need no conversion because they have only one version.
    submitted: Option<Submitted>,
}

impl Admitted {
    pub(super) fn from_crd(result: Result<Value, Failure>, is_unreadable: bool) -> Self {
        Self { result, is_unreadable, submitted: None }
    }

    pub(super) fn from_object(
        admission: Admission,
        submitted: Submitted,
        place: &RequestInfo,
        kind: &str,
        name: &str,
    ) -> Self {
        let reasons = [StatusReason::BadRequest, StatusReason::NotFound];
        let is_unreadable = admission.result.as_ref().is_err_and(|refusal| reasons.contains(&refusal.reason));
        let refuse = |refusal| Failure::from_rejection(&refusal, &place.definition.resource, name, kind);
        Self { result: admission.result.map_err(refuse), is_unreadable, submitted: Some(submitted) }
    }

    /// Performs another check, unless the object is already rejected.
    pub(super) fn check(&mut self, check: impl FnOnce(&Value) -> Result<(), Failure>) {
        if let Ok(object) = &self.result
            && let Err(failure) = check(object)
        {
            self.result = Err(failure);
        }
    }

    /// Returns the object as it was sent, but without field managers.
    pub(super) fn decoded(submitted: Option<Submitted>, place: &RequestInfo) -> Option<Value> {
        decoded(place.definition.validator(&place.version), submitted?)
    }

    /// Returns the result of the validation, and the object as it was sent.
    pub(super) fn into_parts(self) -> (Result<Value, Failure>, Option<Submitted>) {
        (self.result, self.submitted)
    }
}

/// Returns an object as it was sent, but without field managers.
fn decoded(validator: &Validator, submitted: Submitted) -> Option<Value> {
    let mut decoded = validator.decoded(submitted).ok()?;
    if let Some(metadata) = metadata_mut(&mut decoded) {
        crd_go::json::remove(metadata, "managedFields");
    }
    Some(decoded)
}
