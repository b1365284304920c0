//! Checks a CRD like the API server, with the feature `check`.

use crd_core::check::{ServerOptions, Verdict, written_path};
use crd_core::{CustomResourceDefinition, Diagnostic, Edit, FieldPath, Remedy, Segment};

use super::{Places, UncheckedCrd};
use crate::error::Cause;
use crate::{Advice, Error};

/// The annotation that the API server requires if a CRD's group belongs to the Kubernetes project.
const APPROVED: &str = "api-approved.kubernetes.io";

impl UncheckedCrd {
    /// Returns the CRD if the API server would accept it. The default Kubernetes version is 1.37.
    ///
    /// The only version of a CRD is checked as the storage version, even if it will be merged with another storage version. A type with
    /// `#[crd(unchecked)]` is not checked.
    ///
    /// # Errors
    /// The API server would reject the CRD. The error has the API server's messages, each with the Rust type and field, and
    /// with a remedy if `crdkit check` knows one.
    pub fn check(self) -> Result<CustomResourceDefinition, Error> {
        if !self.is_unchecked {
            self.judge(Approval::Needed)?;
        }
        Ok(self.crd)
    }

    /// Does the same as [`UncheckedCrd::check`], for programs that do not install the CRD. A group of the Kubernetes project then needs no
    /// approval.
    pub(crate) fn check_for_clients(self) -> Result<CustomResourceDefinition, Error> {
        if !self.is_unchecked {
            self.judge_for_clients()?;
        }
        Ok(self.crd)
    }

    pub(crate) fn judge_for_clients(&self) -> Result<(), Error> {
        self.judge(Approval::Ignored)
    }

    /// Checks a CRD to which labels and annotations may be added later. Errors in labels and annotations are ignored.
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

/// The treatment of CRDs that lack the approval for a group of the Kubernetes project.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    /// The CRD is rejected.
    Needed,
    /// The missing approval is ignored.
    Ignored,
}

/// Marks the only version as the storage version. A CRD without a storage version is later merged with another CRD.
pub(crate) fn as_stored(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut crd = crd.clone();
    if let [only] = crd.spec.versions.as_mut_slice() {
        only.storage = true;
    }
    crd
}

/// Returns `true` if the cause is a missing or wrong approval for a group of the Kubernetes project.
fn is_approval(cause: &Diagnostic) -> bool {
    cause.field == FieldPath::new("metadata").child("annotations").key(APPROVED)
}

/// Returns `true` for a path to or into a schema's default.
fn is_in_default(field: &FieldPath) -> bool {
    field.segments().into_iter().any(is_default)
}

fn is_default(segment: &Segment) -> bool {
    matches!(segment, Segment::Child(name) if &**name == "default")
}

impl Places {
    /// Returns `Some` if the integer type of `field` exceeds the API's range: `Some(true)` if it exceeds the range in both
    /// directions.
    pub(crate) fn wide(&self, field: &str) -> Option<bool> {
        self.wide.get(field).copied()
    }

    /// Returns the advice that was found while the schemas were converted.
    pub(crate) fn lowered(&self) -> Vec<Advice> {
        let located =
            |advice: &Advice| Advice { location: self.sources.location(&advice.place), ..advice.clone() };
        self.advice.iter().map(located).collect()
    }

    /// Returns advice about the path `field` in the CRD.
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

    /// Returns the type name of a value in a default. The value may be a field of a struct.
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

    /// Returns the Rust attributes for a remedy, or `None` if the remedy does anything other than limit a length.
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

    /// Returns the position in the Rust code for a path in the CRD, or for the innermost known schema that contains it.
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
