//! The answers of several releases to a definition: `--kube-version 1.30..1.37`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::hash::Hash;

use crd_core::check::{Advice, Feature, Matrix, OlderServers, Row, Support, Verdict, advice};
use crd_core::{Diagnostic, FieldPath, KubeVersion};
use crd_input::Origin;
use crd_report::Messages;
use serde_json::{Map, Value, json};

use crate::server::{in_words, releases_in_words};

/// The greatest number of lines that a row of the table names.
const LINES: usize = 4;

/// The verdict of all releases together. Causes and warnings that not all releases give name the releases that do.
pub(super) fn together(matrix: &Matrix) -> Verdict {
    let mut all = Verdict::default();
    all.accepted = matrix.verdicts.iter().all(|verdict| verdict.accepted);
    let name = |releases: &[KubeVersion]| match releases.len() == matrix.releases.len() {
        true => String::new(),
        false => format!("Kubernetes {}: ", releases_in_words(releases)),
    };
    let causes = |verdict: &Verdict| -> Vec<Diagnostic> {
        verdict.errors.iter().chain(&verdict.refusal).cloned().collect()
    };
    let causes = by_releases(matrix, causes, |cause| (cause.field.clone(), cause.reason));
    for (releases, mut cause) in causes {
        cause.message.insert_str(0, &name(&releases));
        all.errors.push(cause);
    }
    let warnings = by_releases(matrix, |verdict| verdict.warnings.clone(), Clone::clone);
    all.warnings = warnings.into_iter().map(|(releases, text)| name(&releases) + &text).collect();
    all
}

/// Texts of the verdicts, each with the releases that give it. Where the words differ between releases, the newest counts.
fn by_releases<T, K: Hash + Eq>(
    matrix: &Matrix,
    texts: impl Fn(&Verdict) -> Vec<T>,
    key: impl Fn(&T) -> K,
) -> Vec<(Vec<KubeVersion>, T)> {
    let mut known: HashMap<K, usize> = HashMap::new();
    let mut releases_of: Vec<Vec<KubeVersion>> = Vec::new();
    let mut found: Vec<(usize, T)> = Vec::new();
    let mut order: Vec<usize> = (0..matrix.releases.len()).collect();
    order.sort_by_key(|i| Reverse(matrix.releases[*i]));
    for i in order {
        let before = releases_of.len();
        for text in texts(&matrix.verdicts[i]) {
            let group = *known.entry(key(&text)).or_insert(releases_of.len());
            if group == releases_of.len() {
                releases_of.push(Vec::new());
            }
            if releases_of[group].last() != Some(&matrix.releases[i]) {
                releases_of[group].push(matrix.releases[i]);
            }
            if group >= before {
                found.push((group, text));
            }
        }
    }
    found.into_iter().map(|(group, text)| (releases_of[group].clone(), text)).collect()
}

/// Advice on the features that do nothing in some of the releases.
pub(super) fn inert(matrix: &Matrix) -> Vec<Advice> {
    let advice = |row: &Row| {
        let feature = row.feature.as_ref()?;
        let OlderServers::Inert(effect) = feature.before else { return None };
        let releases = with(matrix, row, Support::Inert);
        (!releases.is_empty()).then(|| {
            let message = format!(
                "{} does nothing in Kubernetes {}: {effect}",
                feature.title(),
                releases_in_words(&releases)
            );
            Advice::new(
                advice::INERT,
                row.field.clone(),
                message,
                Some(format!("Kubernetes {} has it", feature.since)),
            )
        })
    };
    matrix.rows.iter().filter_map(advice).collect()
}

/// The keys that the line of JSON has for several releases.
pub(super) fn add_to(line: &mut Value, matrix: &Matrix, placed: &mut impl FnMut(Value, &FieldPath) -> Value) {
    let answers = matrix.answers();
    let by_release = |values: Vec<Value>| -> Map<String, Value> {
        matrix.releases.iter().map(ToString::to_string).zip(values).collect()
    };
    let verdicts = matrix.verdicts.iter().zip(&answers).map(|(verdict, answer)| {
        let errors = verdict.errors.iter().chain(&verdict.refusal);
        let errors: Vec<String> = errors.map(ToString::to_string).collect();
        json!({"answer": answer.as_str(), "errors": errors, "warnings": verdict.warnings})
    });
    line["releases"] = Value::Object(by_release(verdicts.collect()));
    let rows = matrix.rows.iter().map(|row| {
        let answers = row.answers.iter().map(|answer| answer.as_str().into()).collect();
        let row_value = json!({
            "name": row.feature.as_ref().map(|feature| &feature.name),
            "since": row.feature.as_ref().map(|feature| feature.since.to_string()),
            "field": row.field.to_string(),
            "answers": by_release(answers),
        });
        placed(row_value, &row.field)
    });
    line["features"] = rows.collect();
    line["works"] = working(matrix, &answers).iter().map(ToString::to_string).collect();
    line["floor"] = floor(matrix, &answers).map(|release| release.to_string()).into();
}

/// The oldest release from which on all work.
fn floor(matrix: &Matrix, answers: &[Support]) -> Option<KubeVersion> {
    let mut all: Vec<(KubeVersion, Support)> =
        matrix.releases.iter().copied().zip(answers.iter().copied()).collect();
    all.sort_by_key(|(release, _)| Reverse(*release));
    all.into_iter().take_while(|(_, answer)| *answer == Support::Accepted).map(|(release, _)| release).last()
}

/// The table for people: a row for each part that does not work in all releases, and the releases in which all of it works.
pub(super) fn table(name: &str, matrix: &Matrix, origin: &Origin, places: &mut Messages<'_>) -> String {
    let answers = matrix.answers();
    let mut rows: Vec<(String, Vec<Support>, Vec<usize>)> = Vec::new();
    for row in matrix.rows.iter().filter(|row| row.answers.iter().any(|answer| *answer != Support::Accepted))
    {
        let (_, spot) = places.place(origin, &row.field);
        let label = label(row);
        let line = spot.map(|spot| spot.line);
        match rows.iter_mut().find(|(known, of_row, _)| *known == label && *of_row == row.answers) {
            Some((.., lines)) => lines.extend(line),
            None => rows.push((label, row.answers.clone(), line.into_iter().collect())),
        }
    }
    let mut text = format!("{name} ({})\n", places.name(&origin.file));
    if !rows.is_empty() {
        let labels: Vec<String> = rows.iter().map(|(label, _, lines)| with_lines(label, lines)).collect();
        let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
        let _ = write!(text, "  {:width$}", "");
        for release in &matrix.releases {
            let _ = write!(text, "  {:8}", release.to_string());
        }
        text = text.trim_end().to_owned() + "\n";
        for (label, (_, of_row, _)) in labels.iter().zip(&rows) {
            let _ = write!(text, "  {label:width$}");
            for answer in of_row {
                let _ = write!(text, "  {:8}", answer.as_str());
            }
            text = text.trim_end().to_owned() + "\n";
        }
    }
    let _ = writeln!(text, "  {}", conclusion(matrix, &answers));
    text
}

/// The releases in which the definition works, and those in which it would without some features.
fn conclusion(matrix: &Matrix, answers: &[Support]) -> String {
    let works = working(matrix, answers);
    let mut text = match works.as_slice() {
        [] => "works in none of these releases".to_owned(),
        works => format!("works in Kubernetes {}", releases_in_words(works)),
    };
    let mut without: BTreeMap<Vec<String>, Vec<KubeVersion>> = BTreeMap::new();
    for (i, release) in matrix.releases.iter().enumerate() {
        let blocking: Vec<&Row> =
            matrix.rows.iter().filter(|row| row.answers[i] != Support::Accepted).collect();
        let names = blocking.iter().map(|row| row.feature.as_ref().map(Feature::title));
        let Some(mut names) = names.collect::<Option<Vec<String>>>().filter(|names| !names.is_empty()) else {
            continue;
        };
        names.sort_unstable();
        names.dedup();
        without.entry(names).or_default().push(*release);
    }
    let mut without: Vec<_> = without.into_iter().collect();
    without.sort_by_key(|(_, releases)| Reverse(releases.last().copied()));
    for (names, releases) in without {
        let _ = write!(text, "; without {}, also in {}", in_words(&names), releases_in_words(&releases));
    }
    text
}

fn working(matrix: &Matrix, answers: &[Support]) -> Vec<KubeVersion> {
    let all = matrix.releases.iter().zip(answers);
    all.filter(|(_, answer)| **answer == Support::Accepted).map(|(release, _)| *release).collect()
}

/// The releases that give this answer to a row.
fn with(matrix: &Matrix, row: &Row, wanted: Support) -> Vec<KubeVersion> {
    let all = matrix.releases.iter().zip(&row.answers);
    all.filter(|(_, answer)| **answer == wanted).map(|(release, _)| *release).collect()
}

/// The name of a row: of its feature, or the end of its path.
fn label(row: &Row) -> String {
    match &row.feature {
        Some(feature) => feature.name.clone(),
        None => {
            let path = row.field.to_string();
            path.rsplit('.').next().unwrap_or_default().to_owned()
        }
    }
}

fn with_lines(label: &str, lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().take(LINES).map(ToString::to_string).collect();
    match lines.len() {
        0 => label.to_owned(),
        1 => format!("{label} (line {})", shown[0]),
        count if count > LINES => format!("{label} (lines {}, and {} more)", shown.join(", "), count - LINES),
        _ => format!("{label} (lines {})", shown.join(", ")),
    }
}
