//! The verdicts of all known Kubernetes versions on one CRD, grouped by the features that cause differences.

use std::cell::OnceCell;
use std::collections::HashMap;

use crd_cel::{Introduced, introduced};
use crd_go::KubeVersion;
use crd_go::outline::written_path;
use serde_json::Value;

use super::features::{self, Feature};
use super::means::{Means, OtherReleases};
use super::{ServerOptions, Verdict};
use crate::crd::MIN_KUBE_VERSION;
use crate::{CustomResourceDefinition, Diagnostic, FieldPath, Segment};

/// The verdicts of all known versions on one CRD.
///
/// ```
/// use crd_core::KubeVersion;
/// use crd_core::check::{ReleaseCompatibility, ServerOptions, Support};
/// use serde_json::json;
///
/// let crd = json!({
///     "metadata": {"name": "crontabs.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "crontabs", "kind": "CronTab"},
///         "scope": "Namespaced",
///         "versions": [{
///             "name": "v1", "served": true, "storage": true,
///             "schema": {"openAPIV3Schema": {"type": "object", "properties": {
///                 "spec": {"type": "object", "properties": {"color": {"type": "string"}}},
///             }}},
///             "selectableFields": [{"jsonPath": ".spec.color"}],
///         }],
///     }
/// });
/// let compatibility = ReleaseCompatibility::for_value(crd, None, ServerOptions::default());
/// let row = &compatibility.rows[0];
/// assert_eq!((row.feature.as_str(), row.field.to_string().as_str()),
///     ("selectableFields", "spec.versions[0].selectableFields"));
/// assert!(matches!(row.support(KubeVersion::new(30)), Support::Inert(_)));
/// assert_eq!(row.support(KubeVersion::new(31)), &Support::Accepted);
/// assert_eq!(compatibility.floor(), Some(KubeVersion::new(31)));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ReleaseCompatibility {
    /// One row for each feature that the CRD uses, and for each path at which a release rejects the CRD.
    pub rows: Vec<FeatureRow>,
    /// The CRD, if it could be read.
    pub definition: Option<CustomResourceDefinition>,
}

/// A feature at one path in a CRD, and each version's support for the feature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeatureRow {
    /// The name of the field, format or function.
    pub feature: String,
    /// The path in the CRD.
    pub field: FieldPath,
    /// One entry for each version, from [`KubeVersion::OLDEST`] on.
    support: Vec<Support>,
}

/// A version's support for a feature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// The feature is accepted and has its effect.
    #[default]
    Accepted,
    /// The CRD is accepted, and the feature has no effect.
    Inert(&'static Feature),
    /// The CRD is rejected, with these causes at the path.
    Rejected(Vec<Diagnostic>),
}

impl FeatureRow {
    /// Returns the support of a version. Versions outside the known range are treated as the oldest or the newest known version.
    #[must_use]
    pub fn support(&self, version: KubeVersion) -> &Support {
        &self.support[index(version)]
    }
}

impl ReleaseCompatibility {
    /// Checks a CRD in JSON for all known versions. The CRD is created or replaces `old`. The feature gates in the options apply to those
    /// versions that have the gates.
    #[must_use]
    pub fn for_value(value: Value, old: Option<&CustomResourceDefinition>, options: ServerOptions) -> Self {
        let has_versions = value.pointer("/spec/versions").is_some_and(Value::is_array);
        let mut rows = Rows::default();
        let crd = match Verdict::read(value) {
            Ok(crd) => crd,
            Err(refused) => {
                let causes = refused.refusal.into_iter();
                causes.for_each(|refusal| {
                    releases().for_each(|version| rows.refuse(version, refusal.clone(), None));
                });
                return Self { rows: rows.list, definition: None };
            }
        };
        let (used, differences) = features::survey(&crd);
        for found in used {
            let row = rows.row(found.feature.name.to_owned(), found.field.clone());
            for version in
                releases().filter(|version| !found.feature.is_in(options.with_kube_version(*version)))
            {
                row.support[index(version)] = Support::Inert(found.feature);
            }
        }
        let verdict =
            |version| Verdict::for_decoded(&crd, old, has_versions, options.with_kube_version(version));
        let older = || releases().take_while(|version| *version < KubeVersion::NEWEST);
        let mut means = Means::new(options.work);
        if old.is_none() && !options.has_gates() && !differences.others {
            let newest_first = older().collect::<Vec<_>>().into_iter().rev();
            means.others = Some(OtherReleases::new(newest_first, differences, options.work));
        }
        let newest = {
            let options = options.with_kube_version(KubeVersion::NEWEST);
            Verdict::for_decoded_with(&crd, old, has_versions, options, &mut means)
        };
        match means.others.filter(|_| newest.accepted) {
            Some(others) => {
                for release in others.into_releases().into_iter().rev() {
                    let version = release.version;
                    let answer = release.causes().map_or_else(|| verdict(version), Verdict::from_causes);
                    rows.reject_all(version, answer, &crd);
                }
            }
            None => {
                older().for_each(|version| rows.reject_all(version, verdict(version), &crd));
                rows.reject_all(KubeVersion::NEWEST, newest, &crd);
            }
        }
        Self { rows: rows.list, definition: Some(crd) }
    }

    /// Returns `true` if a release accepts the CRD, even if some of its features have no effect.
    #[must_use]
    pub fn is_accepted_by(&self, version: KubeVersion) -> bool {
        !self.rows.iter().any(|row| matches!(row.support(version), Support::Rejected(_)))
    }

    /// Returns the oldest release that accepts the CRD with all its features, as all later releases do. Returns `None` if the newest
    /// release does not.
    #[must_use]
    pub fn floor(&self) -> Option<KubeVersion> {
        floor_of(&self.rows.iter().collect::<Vec<_>>())
    }

    /// Returns the rows that the version before [`floor`](Self::floor) does not support, and the floor of the CRD without the features in
    /// these rows. `None` if the floor is the oldest known version, or if there is no floor.
    #[must_use]
    pub fn lower_floor(&self) -> Option<(Vec<&FeatureRow>, KubeVersion)> {
        let before = self.floor().filter(|floor| *floor > KubeVersion::OLDEST)?.previous();
        let (kept, without): (Vec<_>, Vec<_>) =
            self.rows.iter().partition(|row| *row.support(before) == Support::Accepted);
        Some((without, floor_of(&kept)?))
    }
}

/// Sets the annotation [`MIN_KUBE_VERSION`] of a CRD, and returns its value: the oldest version that accepts the CRD with all its features.
/// Versions before [`KubeVersion::OLDEST`] are not considered. If the newest release does not accept the CRD, the annotation is removed.
///
/// ```
/// use crd_core::crd::MIN_KUBE_VERSION;
/// use crd_core::{CustomResourceDefinition, KubeVersion, check};
/// use serde_json::json;
///
/// let mut crd = CustomResourceDefinition::from_value(json!({
///     "metadata": {"name": "crontabs.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "crontabs", "kind": "CronTab"},
///         "scope": "Namespaced",
///         "versions": [{
///             "name": "v1", "served": true, "storage": true,
///             "schema": {"openAPIV3Schema": {"type": "object", "properties": {
///                 "version": {"type": "string", "x-kubernetes-validations": [{"rule": "isSemver(self)"}]},
///             }}},
///         }],
///     }
/// }))?;
/// assert_eq!(check::annotate_min_kube_version(&mut crd), Some(KubeVersion::new(34)));
/// let annotations = crd.metadata.annotations.ok_or("annotations")?;
/// assert_eq!(annotations.get(MIN_KUBE_VERSION).map(String::as_str), Some("1.34"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn annotate_min_kube_version(crd: &mut CustomResourceDefinition) -> Option<KubeVersion> {
    let floor = ReleaseCompatibility::for_value(crd.to_value(), None, ServerOptions::default()).floor();
    let annotations = crd.metadata.annotations.get_or_insert_default();
    match floor {
        Some(floor) => {
            annotations.insert(MIN_KUBE_VERSION, floor.to_string());
        }
        None => {
            annotations.remove(MIN_KUBE_VERSION);
        }
    }
    crd.metadata.annotations = crd.metadata.annotations.take().filter(|annotations| !annotations.is_empty());
    floor
}

fn floor_of(rows: &[&FeatureRow]) -> Option<KubeVersion> {
    let mut floor = KubeVersion::OLDEST;
    for row in rows {
        let last = releases().filter(|version| *row.support(*version) != Support::Accepted).last();
        if let Some(last) = last {
            floor = floor.max(KubeVersion::new(last.minor() + 1));
        }
    }
    (floor <= KubeVersion::NEWEST).then_some(floor)
}

/// Returns all known releases, the oldest first.
fn releases() -> impl Iterator<Item = KubeVersion> {
    (KubeVersion::OLDEST.minor()..=KubeVersion::NEWEST.minor()).map(KubeVersion::new)
}

fn index(version: KubeVersion) -> usize {
    let version = version.clamp(KubeVersion::OLDEST, KubeVersion::NEWEST);
    (version.minor() - KubeVersion::OLDEST.minor()) as usize
}

#[derive(Default)]
struct Rows {
    list: Vec<FeatureRow>,
    /// The CRD as JSON, which is needed only if an expression in the CRD is rejected.
    json: OnceCell<Value>,
    /// For each rejected field, the position of its row in `list`.
    refused: HashMap<FieldPath, usize>,
}

impl Rows {
    fn row(&mut self, feature: String, field: FieldPath) -> &mut FeatureRow {
        let support = releases().map(|_| Support::Accepted).collect();
        self.list.push(FeatureRow { feature, field, support });
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    fn reject_all(&mut self, version: KubeVersion, verdict: Verdict, crd: &CustomResourceDefinition) {
        for cause in verdict.errors.into_iter().chain(verdict.refusal) {
            self.refuse(version, cause, Some(crd));
        }
    }

    fn refuse(&mut self, version: KubeVersion, cause: Diagnostic, crd: Option<&CustomResourceDefinition>) {
        let field = written_path(&cause.field);
        let at = match self.refused.get(&field) {
            Some(at) => *at,
            None => {
                let feature =
                    crd.and_then(|crd| self.functions_at(&field, crd)).unwrap_or_else(|| label(&field));
                self.row(feature, field.clone());
                self.refused.insert(field, self.list.len() - 1);
                self.list.len() - 1
            }
        };
        match &mut self.list[at].support[index(version)] {
            Support::Rejected(causes) => causes.push(cause),
            other => *other = Support::Rejected(vec![cause]),
        }
    }

    /// Returns the functions and macros that the expression in `field` uses and the oldest known release lacks.
    fn functions_at(&self, field: &FieldPath, crd: &CustomResourceDefinition) -> Option<String> {
        let pointer = pointer(field)?;
        let expression = self.json.get_or_init(|| crd.to_value()).pointer(&pointer)?.as_str()?;
        let is_new = |function: &Introduced| function.in_new_rules() > KubeVersion::OLDEST;
        let new = introduced(expression).into_iter().filter(is_new);
        let names: Vec<String> = new.map(|function| function.name).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// Returns the name of a field whose value is rejected.
fn label(field: &FieldPath) -> String {
    let text = field.to_string();
    text.rsplit('.').next().unwrap_or_default().to_owned()
}

/// Returns the JSON Pointer of a field, if the field is a `rule` or `messageExpression`.
fn pointer(field: &FieldPath) -> Option<String> {
    let segments = field.segments();
    let Some(Segment::Child(last)) = segments.last() else { return None };
    if !matches!(&**last, "rule" | "messageExpression") {
        return None;
    }
    let escape = |name: &str| name.replace('~', "~0").replace('/', "~1");
    let step = |segment: &&Segment| match segment {
        Segment::Child(name) | Segment::Key(name) => format!("/{}", escape(name)),
        Segment::Index(index) => format!("/{index}"),
    };
    Some(segments.iter().map(step).collect())
}
