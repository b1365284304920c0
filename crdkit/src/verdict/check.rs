//! The API server's verdict on a CRD, with the feature `check`.

use crd_core::check::{ServerOptions, Verdict, written_path};
use crd_core::{CustomResourceDefinition, Diagnostic, Edit, FieldPath, Remedy, Segment};

use super::{Places, UncheckedCrd};
use crate::error::Cause;
use crate::{Advice, Error};

/// The annotation that the API server requires in CRDs of the Kubernetes project's groups.
const APPROVED: &str = "api-approved.kubernetes.io";

impl UncheckedCrd {
    /// Returns the CRD if the API server would accept it. The Kubernetes version of the API server is 1.37 by default.
    ///
    /// If the CRD has only one version, it is checked as the storage version: a version that is not stored is installed together with the
    /// storage version. A type with `#[crd(unchecked)]` is not checked.
    ///
    /// # Errors
    /// The API server would reject the CRD. The error has the API server's reasons and messages, each with the Rust type and
    /// field, and with the help that `crdkit check` gives.
    pub fn check(self) -> Result<CustomResourceDefinition, Error> {
        if !self.is_unchecked {
            self.judge(Approval::Needed)?;
        }
        Ok(self.crd)
    }

    /// Does the same as [`UncheckedCrd::check`], for programs that do not install the CRD: a CRD in a group of the Kubernetes project needs
    /// no approval.
    pub(crate) fn check_for_clients(self) -> Result<CustomResourceDefinition, Error> {
        if !self.is_unchecked {
            self.judge_for_clients()?;
        }
        Ok(self.crd)
    }

    pub(crate) fn judge_for_clients(&self) -> Result<(), Error> {
        self.judge(Approval::Ignored)
    }

    /// Checks a CRD that may still receive labels and annotations: causes in labels and annotations are ignored.
    pub(crate) fn judge_but_for_pairs(&self) -> Result<(), Error> {
        if self.is_unchecked {
            return Ok(());
        }
        self.refuse(|cause| {
            let at = cause.field.to_string();
            !at.starts_with("metadata.annotations") && !at.starts_with("metadata.labels")
        })
    }

    fn judge(&self, approval: Approval) -> Result<(), Error> {
        self.refuse(|cause| approval == Approval::Needed || !is_approval(cause))
    }

    fn refuse(&self, counts: impl Fn(&Diagnostic) -> bool) -> Result<(), Error> {
        let verdict = Verdict::with_options(&as_stored(&self.crd), ServerOptions::new(self.kube_version));
        let causes: Vec<Cause> = verdict
            .refusal
            .iter()
            .chain(&verdict.errors)
            .filter(|cause| counts(cause))
            .map(|cause| self.places.cause(cause))
            .collect();
        if causes.is_empty() {
            return Ok(());
        }
        Err(Error::rejected(format!("the API server would reject `{}`:", self.crd.metadata.name), causes))
    }
}

/// The treatment of a group of the Kubernetes project without the approval that its CRDs need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    /// The CRD is rejected.
    Needed,
    /// The cause is omitted.
    Ignored,
}

/// Returns the CRD with its version marked as stored, because it is installed together with a stored version.
pub(crate) fn as_stored(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut crd = crd.clone();
    if let [only] = crd.spec.versions.as_mut_slice() {
        only.storage = true;
    }
    crd
}

/// Returns `true` if the cause is the approval that groups of the Kubernetes project need.
fn is_approval(cause: &Diagnostic) -> bool {
    cause.field == FieldPath::new("metadata").child("annotations").key(APPROVED)
}

/// Returns `true` for a default of a schema, or a place inside one.
fn is_in_default(field: &FieldPath) -> bool {
    field.segments().into_iter().any(is_default)
}

fn is_default(segment: &Segment) -> bool {
    matches!(segment, Segment::Child(name) if &**name == "default")
}

impl Places {
    /// Returns `Some` if the integer type of `field` has values that the API cannot hold. The value is `true` if these values may be
    /// negative.
    pub(crate) fn wide(&self, field: &str) -> Option<bool> {
        self.wide.get(field).copied()
    }

    /// Returns the advice that was found while schemas were lowered.
    pub(crate) fn lowered(&self) -> Vec<Advice> {
        let located =
            |advice: &Advice| Advice { location: self.sources.location(&advice.place), ..advice.clone() };
        self.advice.iter().map(located).collect()
    }

    /// Returns advice at a place in the CRD.
    pub(crate) fn advice(
        &self,
        name: &'static str,
        field: &FieldPath,
        message: String,
        help: String,
    ) -> Advice {
        let Cause { place, location, .. } = self.located_cause(field);
        Advice { name, field: field.to_string(), place, location, message, help }
    }

    fn cause(&self, cause: &Diagnostic) -> Cause {
        let mut help = cause.help().unwrap_or_default().to_owned();
        if let Some(in_rust) = cause.remedy.as_ref().and_then(|remedy| self.in_rust(remedy)) {
            help = format!("{help}; in Rust, {in_rust}");
        }
        if help.is_empty() && is_in_default(&cause.field) {
            let of_quantity = if self.type_of_default(&cause.field).ends_with("Quantity") {
                ": quantities are written as `1Ti` or `500m`"
            } else {
                ""
            };
            help = format!(
                "return a value that the schema accepts from `Default` or the function of `#[serde(default)]`{of_quantity}"
            );
        }
        if is_approval(cause) {
            help = format!(
                "add `annotation(\"{APPROVED}\", \"...\")` with the URL of the approval, or with `unapproved` and the \
                 reason; or use a group of your own domain"
            );
        }
        Cause { message: cause.to_string(), help, ..self.located_cause(&cause.field) }
    }

    /// Returns the name of the type of a value in a default, which may be a field of a struct.
    fn type_of_default(&self, field: &FieldPath) -> &str {
        let Cause { field: mut at, .. } = self.located_cause(field);
        for segment in field.segments().into_iter().skip_while(|segment| !is_default(segment)).skip(1) {
            at = match segment {
                Segment::Index(_) => format!("{at}[]"),
                Segment::Child(name) | Segment::Key(name) => {
                    let of_field = format!("{at}.{}", name.replace('.', "\\."));
                    if self.by_field.contains(&of_field) { of_field } else { format!("{at}[*]") }
                }
            };
        }
        self.by_field.get(&at).map_or("", |(type_name, _)| type_name)
    }

    /// Returns the attributes that add the limits of a remedy; `None` if the remedy contains any other edit.
    fn in_rust(&self, remedy: &Remedy) -> Option<String> {
        let attribute = |edit: &Edit| {
            let Edit::Add { at, value } = edit else { return None };
            let Some(Segment::Child(keyword)) = at.segments().last() else { return None };
            if !["maxItems", "maxLength", "maxProperties"].contains(&&**keyword) {
                return None;
            }
            let Cause { place, field, .. } = self.located_cause(at);
            let length = format!("length(max = {})", value.json());
            Some(match (field.ends_with("[]"), field.ends_with("[*]")) {
                (true, _) => format!("`#[schemars(inner({length}))]` on `{place}`"),
                (_, true) => {
                    format!("a newtype with `#[schemars({length})]` as the type of the values of `{place}`")
                }
                _ => format!("`#[schemars({length})]` on `{place}`"),
            })
        };
        let attributes: Option<Vec<String>> = remedy.edits.iter().map(attribute).collect();
        attributes.filter(|all| !all.is_empty()).map(|all| all.join(" and "))
    }

    /// Returns the place in the Rust code for a place in the CRD, or for the innermost known schema that
    /// contains it.
    pub(crate) fn located_cause(&self, field: &FieldPath) -> Cause {
        let mut cause = self.unlocated(field);
        cause.location = self.sources.location(&cause.place);
        cause
    }

    fn unlocated(&self, field: &FieldPath) -> Cause {
        let path = written_path(field);
        let segments = path.segments();
        let mut cause = Cause { type_name: self.type_name.clone(), ..Cause::default() };
        let schema =
            |segment: &&Segment| matches!(segment, Segment::Child(name) if &**name == "openAPIV3Schema");
        let Some(start) = segments.iter().position(schema) else {
            cause.place.clone_from(&self.type_name);
            return cause;
        };
        let mut steps = segments[start + 1..].iter();
        let mut at = String::new();
        loop {
            if let Some((type_name, place)) = self.by_field.get(&at) {
                (cause.type_name, cause.place) = (type_name.clone(), place.clone());
            }
            cause.field.clone_from(&at);
            let Some(Segment::Child(keyword)) = steps.next() else { break };
            match &**keyword {
                "properties" => match steps.next() {
                    Some(Segment::Key(name)) => at = format!("{at}.{}", name.replace('.', "\\.")),
                    _ => break,
                },
                "items" => at.push_str("[]"),
                "additionalProperties" => at.push_str("[*]"),
                _ => break,
            }
        }
        if cause.place.is_empty() {
            cause.place.clone_from(&self.type_name);
        }
        cause
    }
}
