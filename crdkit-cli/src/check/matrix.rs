//! Compares the responses of several Kubernetes versions to a CRD, in a table with a row for each feature of the CRD and a column for each
//! version.

use crd_core::check::features::Feature;
use crd_core::check::{CrdAdvice, FeatureRow, ReleaseCompatibility, Support, advice::INERT_FIELD};
use crd_core::{Diagnostic, KubeVersion};
use crd_input::Origin;
use crd_report::Messages;
use serde_json::{Map, Value, json};

/// Maximum number of rows for a CRD in text output.
const SHOWN: usize = 100;

/// The responses of several versions to a CRD.
pub(super) struct Matrix<'a> {
    pub(super) releases: &'a [KubeVersion],
    pub(super) compatibility: &'a ReleaseCompatibility,
}

impl Matrix<'_> {
    /// Returns the reasons for which versions reject the CRD, each with a list of these versions.
    pub(super) fn errors(&self) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for row in &self.compatibility.rows {
            let mut causes: Vec<(&Diagnostic, Vec<KubeVersion>)> = Vec::new();
            for release in self.releases {
                let Support::Rejected(refused) = row.support(*release) else { continue };
                for cause in refused {
                    match causes.iter_mut().find(|(known, _)| known.message == cause.message) {
                        Some((_, releases)) => releases.push(*release),
                        None => causes.push((cause, vec![*release])),
                    }
                }
            }
            for (cause, releases) in causes {
                let mut cause = cause.clone();
                cause.message = format!("in Kubernetes {}: {}", spans(&releases), cause.message);
                errors.push(cause);
            }
        }
        errors
    }

    /// Returns advice about features that have no effect in some of the versions.
    pub(super) fn advice(&self) -> impl Iterator<Item = CrdAdvice> {
        self.compatibility.rows.iter().filter_map(|row| {
            let mut without: Option<(&Feature, Vec<KubeVersion>)> = None;
            for release in self.releases {
                if let Support::Inert(feature) = row.support(*release) {
                    without.get_or_insert((feature, Vec::new())).1.push(*release);
                }
            }
            let (feature, releases) = without?;
            let newest = releases.last().copied().unwrap_or_default();
            let message = feature.message(spans(&releases), newest);
            Some(CrdAdvice::new(INERT_FIELD, row.field.clone(), message, None))
        })
    }

    /// Returns the table as text.
    pub(super) fn text(&self, name: &str, origin: &Origin, places: &mut Messages<'_>) -> String {
        let mut table = vec![vec![name.to_owned(), String::new()]];
        table[0].extend(self.releases.iter().map(ToString::to_string));
        for row in self.compatibility.rows.iter().take(SHOWN) {
            let place = match places.place(origin, &row.field) {
                (file, Some(spot)) => format!("{file}:{}:{}", spot.line, spot.column),
                (_, None) => row.field.to_string(),
            };
            let answers = self.releases.iter().map(|release| answer(row.support(*release)).to_owned());
            table.push([format!("  {}", row.feature), place].into_iter().chain(answers).collect());
        }
        let answers = self.releases.iter().map(|release| self.whole(*release).to_owned());
        table.push(["  CRD".to_owned(), String::new()].into_iter().chain(answers).collect());
        let mut text = aligned(&table);
        if let Some(more @ 1..) = self.compatibility.rows.len().checked_sub(SHOWN) {
            text += &format!("  {more} more rows; `--format json` shows all\n");
        }
        format!("{text}  {}\n\n", self.floor())
    }

    /// Returns the table as fields for the CRD's line of JSON.
    pub(super) fn json(&self, origin: &Origin, places: &mut Messages<'_>) -> Map<String, Value> {
        let by_release = |value: &dyn Fn(KubeVersion) -> Value| -> Value {
            self.releases.iter().map(|release| (release.to_string(), value(*release))).collect()
        };
        let row = |row: &FeatureRow| {
            let mut line = json!({
                "feature": row.feature,
                "field": row.field.to_string(),
                "releases": by_release(&|release| detailed(row.support(release), release)),
            });
            if let (_, Some(spot)) = places.place(origin, &row.field) {
                (line["line"], line["column"]) = (spot.line.into(), spot.column.into());
            }
            line
        };
        let features: Vec<Value> = self.compatibility.rows.iter().map(row).collect();
        let mut fields = Map::new();
        fields.insert("releases".to_owned(), by_release(&|release| self.whole(release).into()));
        fields.insert("features".to_owned(), features.into());
        let floor = self.compatibility.floor().map(|floor| floor.to_string());
        fields.insert("floor".to_owned(), json!(floor));
        if let Some((without, floor)) = self.compatibility.lower_floor() {
            let names = names(&without);
            fields.insert("without".to_owned(), json!({"features": names, "floor": floor.to_string()}));
        }
        fields
    }

    /// Returns a version's response to the whole CRD.
    fn whole(&self, release: KubeVersion) -> &'static str {
        let rows = &self.compatibility.rows;
        let is_inert = || rows.iter().any(|row| matches!(row.support(release), Support::Inert(_)));
        match self.compatibility.is_accepted_by(release) {
            false => "rejected",
            true if is_inert() => "inert",
            true => "accepted",
        }
    }

    /// Returns the oldest release in which the CRD works.
    fn floor(&self) -> String {
        let oldest = KubeVersion::OLDEST;
        let works = |release: &KubeVersion| self.whole(*release) == "accepted";
        match self.compatibility.floor() {
            None => {
                let all = (oldest.minor()..=KubeVersion::NEWEST.minor()).map(KubeVersion::new);
                let accepted: Vec<KubeVersion> = all.filter(works).collect();
                match accepted.as_slice() {
                    [] => "no known release accepts the CRD with all features".to_owned(),
                    some => format!("only {} accepts the CRD with all features", spans(some)),
                }
            }
            Some(floor) if floor == oldest => {
                format!("works with all features since {oldest}, the oldest known release")
            }
            Some(floor) => match self.compatibility.lower_floor() {
                None => format!("needs {floor}"),
                Some((without, lower)) => {
                    let names: Vec<String> = names(&without).iter().map(|name| format!("`{name}`")).collect();
                    format!("needs {floor}; without {}, {lower} would suffice", names.join(", "))
                }
            },
        }
    }
}

/// Returns the features' names without duplicates.
fn names<'r>(rows: &[&'r FeatureRow]) -> Vec<&'r str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.feature.as_str()) {
            names.push(&row.feature);
        }
    }
    names
}

fn answer(support: &Support) -> &'static str {
    match support {
        Support::Accepted => "accepted",
        Support::Inert(_) => "inert",
        Support::Rejected(_) => "rejected",
    }
}

fn detailed(support: &Support, release: KubeVersion) -> Value {
    let mut value = json!({"answer": answer(support)});
    match support {
        Support::Accepted => {}
        Support::Inert(feature) => value["message"] = feature.message(release, release).into(),
        Support::Rejected(causes) => {
            let cause = |cause: &Diagnostic| {
                json!({
                    "field": cause.field.to_string(),
                    "reason": cause.reason.as_str(),
                    "message": cause.message,
                    "help": cause.help(),
                })
            };
            value["errors"] = causes.iter().map(cause).collect();
        }
    }
    value
}

/// Formats versions as on the command line: `1.30 to 1.33, 1.36`.
fn spans(releases: &[KubeVersion]) -> String {
    let mut spans: Vec<(KubeVersion, KubeVersion)> = Vec::new();
    for release in releases {
        match spans.last_mut() {
            Some((_, last)) if *last == release.previous() => *last = *release,
            _ => spans.push((*release, *release)),
        }
    }
    let span = |(first, last): (KubeVersion, KubeVersion)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    };
    spans.into_iter().map(span).collect::<Vec<_>>().join(", ")
}

/// Returns lines with aligned columns.
fn aligned(table: &[Vec<String>]) -> String {
    let columns = table.first().map_or(0, Vec::len);
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in table {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_in_a_row_are_a_span() {
        let shown = |minors: &[u32]| spans(&minors.iter().copied().map(KubeVersion::new).collect::<Vec<_>>());
        assert_eq!(shown(&[30]), "1.30");
        assert_eq!(shown(&[30, 31, 33, 35, 36, 37]), "1.30 to 1.31, 1.33, 1.35 to 1.37");
    }
}
