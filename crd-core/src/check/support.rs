//! The answers of several releases to a definition.

use std::collections::HashMap;

use serde_json::Value;

use super::features::{Feature, features};
use super::{Options, Verdict, decode, request, written_path};
use crate::{CustomResourceDefinition, FieldPath, KubeVersion, Reason};

/// The answer of a release to a part of a definition, or to the whole of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Support {
    /// It is accepted, and works.
    Accepted,
    /// It is accepted, and does nothing.
    Inert,
    /// It is refused.
    Refused,
}

impl Support {
    /// The word for it: `accepted`, `inert` or `refused`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Inert => "inert",
            Self::Refused => "refused",
        }
    }
}

/// A part of a definition with the answers of all releases of a [`Matrix`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The feature that the part uses; `None` for a part that is refused for another reason.
    pub feature: Option<Feature>,
    /// The place in the definition as it was written.
    pub field: FieldPath,
    /// The kind of the causes, for a part that is refused for another reason than the feature.
    pub reason: Option<Reason>,
    /// An answer for each release.
    pub answers: Vec<Support>,
}

/// The answers of several releases to the creation of a definition.
///
/// ```
/// use crd_core::KubeVersion;
/// use crd_core::check::{Matrix, Support};
/// use serde_json::json;
///
/// let crd = json!({
///     "metadata": {"name": "shirts.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "shirts", "kind": "Shirt"},
///         "scope": "Namespaced",
///         "versions": [{
///             "name": "v1", "served": true, "storage": true,
///             "selectableFields": [{"jsonPath": ".spec.color"}],
///             "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
///                 "type": "object", "properties": {"color": {"type": "string"}},
///             }}}},
///         }],
///     },
/// });
/// let (matrix, _) = Matrix::of_value(crd, &[KubeVersion::new(30), KubeVersion::new(31)]);
/// assert_eq!(matrix.answers(), [Support::Inert, Support::Accepted]);
/// assert_eq!(matrix.rows[0].feature.as_ref().unwrap().name, "selectableFields");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Matrix {
    /// The releases, in the order in which they were given.
    pub releases: Vec<KubeVersion>,
    /// The verdict of each release.
    pub verdicts: Vec<Verdict>,
    /// The features of the definition, and the other parts that a release refuses.
    pub rows: Vec<Row>,
}

impl Matrix {
    /// The answers of some releases to a definition in JSON, and the definition if it could be read.
    #[must_use]
    pub fn of_value(value: Value, releases: &[KubeVersion]) -> (Self, Option<CustomResourceDefinition>) {
        let has_versions = value.pointer("/spec/versions").is_some_and(Value::is_array);
        let decoded = request::too_large(&value).map_or_else(|| decode::decode(value), Err);
        let verdict = |release: &KubeVersion| match &decoded {
            Ok(crd) => Verdict::of_decoded(crd, None, has_versions, Options::new(*release)),
            Err(refusal) => Verdict::refused(refusal.clone()),
        };
        let verdicts: Vec<Verdict> = releases.iter().map(verdict).collect();
        let features = decoded.as_ref().map(features).unwrap_or_default();
        let mut matrix = Self { releases: releases.to_vec(), verdicts, rows: Vec::new() };
        matrix.add_features(features);
        matrix.add_causes();
        (matrix, decoded.ok())
    }

    /// The answer of each release to the whole definition.
    #[must_use]
    pub fn answers(&self) -> Vec<Support> {
        self.answers_without(&[])
    }

    /// The answer of each release to the definition without some of its parts, which are given by their positions in
    /// [`rows`](Self::rows).
    ///
    /// Nothing is checked again: what is left is taken as it is with these parts.
    #[must_use]
    pub fn answers_without(&self, left_out: &[usize]) -> Vec<Support> {
        let rows = || self.rows.iter().enumerate().filter(|(i, _)| !left_out.contains(i));
        let worst = |release: usize| rows().map(|(_, row)| row.answers[release]).max();
        (0..self.releases.len()).map(|release| worst(release).unwrap_or(Support::Accepted)).collect()
    }

    fn add_features(&mut self, features: Vec<Feature>) {
        for feature in features {
            let answer = |release: &KubeVersion| {
                if feature.is_inert_in(*release) { Support::Inert } else { Support::Accepted }
            };
            let answers = self.releases.iter().map(answer).collect();
            self.rows.push(Row {
                field: feature.field.clone(),
                feature: Some(feature),
                reason: None,
                answers,
            });
        }
    }

    /// Adds the causes of refusals: to the feature that a release does not have yet, or as a row of their own.
    fn add_causes(&mut self) {
        let mut at: HashMap<FieldPath, Vec<usize>> = HashMap::new();
        for (i, row) in self.rows.iter().enumerate() {
            at.entry(row.field.clone()).or_default().push(i);
        }
        for (i, verdict) in self.verdicts.iter().enumerate() {
            for cause in verdict.errors.iter().chain(&verdict.refusal) {
                let field = written_path(&cause.field);
                let rows = at.entry(field.clone()).or_default();
                let explains = |row: &Row| match &row.feature {
                    Some(feature) => self.releases[i] < feature.since,
                    None => row.reason == Some(cause.reason),
                };
                if let Some(row) = rows.iter().copied().find(|row| explains(&self.rows[*row])) {
                    self.rows[row].answers[i] = Support::Refused;
                    continue;
                }
                rows.push(self.rows.len());
                let mut answers = vec![Support::Accepted; self.releases.len()];
                answers[i] = Support::Refused;
                self.rows.push(Row { feature: None, field, reason: Some(cause.reason), answers });
            }
        }
    }
}
