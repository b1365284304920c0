//! Checks new CRDs as updates: reads the stored CRDs of `--old`, and merges new CRDs with them like `kubectl apply` and server-side apply.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use crd_core::check::{Verdict, written_path};
use crd_core::{CauseReason, CustomResourceDefinition, Diagnostic, FieldPath, KubeVersion};
use crd_go::field::Segment;
use crd_input::Limits;
use crd_report::{Found, LeftOut, Report, Search};
use crd_server::{MergedCrd, NotMerged, UpdateMethod, merge_crd};
use serde_json::Value;

/// The stored CRDs, and the method by which new CRDs replace them.
#[derive(Args)]
pub(super) struct Update {
    /// Files or directories with the stored CRDs: check each new CRD as an update of the stored CRD with the same name
    #[arg(long, value_name = "OLD")]
    old: Vec<PathBuf>,
    /// How the client updates the stored CRDs; some methods keep fields of the stored CRDs
    #[arg(long = "as", value_enum, default_value_t, value_name = "METHOD", requires = "old")]
    method: Method,
    /// Field manager of `--as server-side-apply`
    #[arg(long, value_name = "NAME", default_value = "kubectl", requires = "old")]
    field_manager: String,
    /// With `--as server-side-apply`, take over the fields of other field managers
    #[arg(long, requires = "old")]
    force_conflicts: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Method {
    /// As `kubectl replace`: keeps no field of the stored CRD
    #[default]
    Replace,
    /// As `kubectl apply`: keeps fields that the annotation `kubectl.kubernetes.io/last-applied-configuration` of the stored CRD lacks. If
    /// a stored CRD from a file has no annotation, all its fields count as applied; if it is from a cluster, none of its fields do
    Apply,
    /// As `kubectl apply --server-side`: keeps fields of other field managers. Without `managedFields`, the field manager of the request
    /// owns the whole stored CRD
    ServerSideApply,
}

/// The stored CRDs by name.
pub(super) type StoredByName = BTreeMap<String, CustomResourceDefinition>;

/// A CRD that the API server would validate.
pub(super) struct Arrival {
    pub(super) value: Value,
    /// The result if the CRD is not validated, for example because it is rejected before validation.
    pub(super) verdict: Option<Verdict>,
    pub(super) kept: Kept,
}

/// The values in a merged CRD that come from the stored CRD.
#[derive(Default)]
pub(super) struct Kept {
    paths: Vec<FieldPath>,
    method: Method,
}

impl Arrival {
    /// Returns a CRD to validate without changes.
    fn as_it_is(value: Value) -> Self {
        Self { value, verdict: None, kept: Kept::default() }
    }
}

impl Update {
    /// Reads the stored CRDs.
    pub(super) fn stored(
        &self,
        search: &Search,
        limits: &Limits,
        report: Report,
    ) -> Result<(StoredByName, LeftOut), String> {
        if self.method != Method::ServerSideApply && (self.force_conflicts || self.field_manager != "kubectl")
        {
            return Err("`--field-manager` and `--force-conflicts` need `--as server-side-apply`".to_owned());
        }
        let Found { sources, mut errors, mut left_out, .. } = search.sources(&self.old, limits, report);
        let read = crd_input::definitions(&sources, limits, &|| ());
        left_out.add_parts(read.parts);
        errors.extend(left_out.sift(read.errors, &sources, limits));
        if let Some(error) = errors.first() {
            return Err(error.to_string());
        }
        if !self.old.is_empty() && read.definitions.is_empty() {
            return Err("no CustomResourceDefinition in the inputs of `--old`".to_owned());
        }
        let by_name = |found: crd_input::Definition| (found.crd.metadata.name.clone(), found.crd);
        Ok((read.definitions.into_iter().map(by_name).collect(), left_out))
    }

    /// Returns `true` if CRDs are merged as by `kubectl apply` or server-side apply. The verdict then covers the size limit of `kubectl
    /// apply`, so no advice about this limit is needed.
    pub(super) fn is_merged(&self) -> bool {
        self.method != Method::Replace
    }

    /// Returns the object that the API server would validate. If kubectl would not send the object, the result already contains a verdict.
    pub(super) fn arrival(
        &self,
        value: Value,
        (is_definition, is_unsent): (bool, bool),
        old: Option<&CustomResourceDefinition>,
        release: KubeVersion,
    ) -> Arrival {
        match is_unsent {
            true => Arrival { verdict: Some(Verdict::unsent()), ..Arrival::as_it_is(value) },
            false if is_definition => self.merged(value, old, release),
            false => Arrival::as_it_is(value),
        }
    }

    /// Merges a CRD with the stored CRD.
    fn merged(&self, new: Value, stored: Option<&CustomResourceDefinition>, release: KubeVersion) -> Arrival {
        let method = match self.method {
            Method::Replace => return Arrival::as_it_is(new),
            Method::Apply => UpdateMethod::Apply,
            Method::ServerSideApply => {
                UpdateMethod::ServerSideApply { manager: &self.field_manager, force: self.force_conflicts }
            }
        };
        let stored = stored.map(CustomResourceDefinition::to_value);
        match merge_crd(stored.as_ref(), &new, method, release) {
            Err(not_merged) => Arrival { verdict: Some(rejection(&not_merged)), ..Arrival::as_it_is(new) },
            Ok(MergedCrd { crd, is_sent, .. }) => {
                let mut kept = Kept { paths: Vec::new(), method: self.method };
                kept.compare(&crd, &new, &FieldPath::root());
                // Nothing is sent, and nothing can be rejected.
                let verdict = (!is_sent).then(|| Verdict::from_causes(Vec::new()));
                Arrival { value: crd, verdict, kept }
            }
        }
    }
}

/// Returns the verdict for a CRD that server-side apply rejects.
fn rejection(not_merged: &NotMerged) -> Verdict {
    let status = not_merged.rejected.status();
    let text = |value: &Value| value["message"].as_str().unwrap_or_default().to_owned();
    let causes = status["details"]["causes"].as_array().into_iter().flatten();
    let conflict = |(cause, place): (&Value, &FieldPath)| {
        Diagnostic::new(place.clone(), CauseReason::FieldManagerConflict, text(cause))
            .with_help(CONFLICT_HELP)
    };
    let errors: Vec<Diagnostic> = causes.zip(&not_merged.places).map(conflict).collect();
    let place = not_merged.places.first().cloned().unwrap_or_default();
    let without_causes = || Diagnostic::new(place, CauseReason::Internal, "");
    let mut refusal = errors.first().cloned().unwrap_or_else(without_causes);
    refusal.message = text(status);
    let mut verdict = Verdict::from_causes(errors);
    verdict.accepted = false;
    verdict.refusal = Some(refusal);
    verdict
}

const CONFLICT_HELP: &str =
    "leave the field out, write the stored value, or take the field over with `--force-conflicts`";

impl Kept {
    /// Collects the values in a merged CRD that the new CRD lacks.
    fn compare(&mut self, merged: &Value, new: &Value, path: &FieldPath) {
        let (Value::Object(merged), Value::Object(new)) = (merged, new) else { return };
        for (name, value) in merged {
            let path = path.child(name.as_str());
            match new.get(name).filter(|new| !new.is_null()) {
                Some(new) => self.compare(value, new, &path),
                None => self.paths.push(path),
            }
        }
    }

    /// Returns `true` if the value at a path, or a part of this value, is kept from the stored CRD.
    pub(super) fn has(&self, place: &FieldPath) -> bool {
        let places = [place.clone(), written_path(place)];
        places.iter().any(|place| {
            let is_part = |kept: &FieldPath| place.segments().len() > 1 && is_within(kept, place);
            self.paths.iter().any(|kept| is_within(place, kept) || is_part(kept))
        })
    }

    /// Adds a remedy to each cause about a kept value. The remedy says where the value comes from.
    pub(super) fn explain(&self, causes: &mut [Diagnostic]) {
        for cause in causes.iter_mut().filter(|cause| self.has(&cause.place)) {
            let is_annotations = cause.place == FieldPath::new("metadata").child("annotations");
            let help = match self.method {
                Method::Apply if is_annotations => {
                    "`kubectl apply` keeps the whole CRD in an annotation: apply it with `--server-side`, or use `kubectl replace`"
                }
                Method::Apply => {
                    "the value is kept from the stored CRD, because `kubectl apply` did not write it before: write the field into the new CRD (`null` removes it), or use `kubectl replace`"
                }
                _ => {
                    "the value is kept from the stored CRD, because another field manager owns it: write the field into the new CRD, or use `kubectl replace`"
                }
            };
            cause.remedy = Some(help.into());
        }
    }
}

/// Returns `true` if `path` is equal to `above` or leads through it.
fn is_within(path: &FieldPath, above: &FieldPath) -> bool {
    let name = |segment: &Segment| match segment {
        Segment::Child(name) | Segment::Key(name) => Some(name.clone()),
        Segment::Index(_) => None,
    };
    let (path, above) = (path.segments(), above.segments());
    above.len() <= path.len()
        && above.iter().zip(&path).all(|(a, b)| a == b || name(a).is_some() && name(a) == name(b))
}
