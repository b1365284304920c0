//! Reads the result that a test expects, and compares it with the actual result.

use std::rc::Rc;

use crd_core::admit::{Admission, Rejection};
use crd_core::{Diagnostic, Keyword};
use crd_docs::table::{Columns, RESERVE};
use crd_go::budget::Reserve;
use serde_json::{Map, Value};

use super::difference::{Difference, Line};
use super::object::SuiteObject;
use super::place::{Faults, SuiteValue};

/// The result that a test expects.
pub(super) struct Expectation {
    verdict: Verdict,
    /// All warnings in order; `None` if they are not compared.
    warnings: Option<Vec<String>>,
    /// The expected table cells for the stored object, by column name. Other cells are not compared.
    columns: Option<Map<String, Value>>,
}

enum Verdict {
    /// The object is accepted. If an object is given, the stored object must equal it.
    Accepted(Option<Rc<SuiteObject>>),
    /// The object is rejected with exactly these causes, in any order. A cause that only says that rules were not run need not be expected.
    Causes(Vec<Cause>),
    /// The object is rejected as a whole, with this message.
    Rejected(String),
}

/// An expected cause. Fields that are `None` are not compared.
struct Cause {
    field: String,
    reason: Option<String>,
    message: Option<String>,
}

impl Expectation {
    /// Reads the value of the key `expect`. `object` is the object in the test, which has already been read.
    pub(super) fn read(
        place: &SuiteValue<'_>,
        object: Option<Rc<SuiteObject>>,
        faults: &mut Faults,
    ) -> Option<Self> {
        let map = place.map(&["accepted", "object", "columns", "warnings", "errors", "message"], faults)?;
        let texts = |place: SuiteValue<'_>, faults: &mut Faults| -> Vec<String> {
            let items = place.items(faults).unwrap_or_default();
            items.iter().filter_map(|item| item.text(faults)).map(str::to_owned).collect()
        };
        let warnings = place.get("warnings").map(|place| texts(place, faults));
        let verdicts = ["accepted", "errors", "message"].into_iter().filter(|key| map.contains_key(*key));
        let verdicts: Vec<&str> = verdicts.collect();
        let [verdict] = verdicts.as_slice() else {
            let help = "give one of `accepted: true`, `errors` and `message`".to_owned();
            let message = if verdicts.is_empty() {
                "the expected verdict is missing"
            } else {
                "there is more than one verdict"
            };
            faults.add(&place.path, message, Some(help));
            return None;
        };
        let has_object = map.contains_key("object");
        if has_object && *verdict != "accepted" {
            faults.add(
                &place.path.child("object"),
                "only accepted objects are stored; remove `object`, or expect `accepted: true`",
                None,
            );
        }
        let columns = place.get("columns").and_then(|place| columns(&place, verdict, faults));
        let value = place.get(verdict)?;
        let verdict = match *verdict {
            "accepted" => accepted(&value, object, faults)?,
            "errors" => Verdict::Causes(causes(&value, faults)?),
            _ => Verdict::Rejected(value.text(faults)?.to_owned()),
        };
        Some(Self { verdict, warnings, columns })
    }

    /// Returns the differences from the actual result. The list is empty if the test passes.
    pub(super) fn differences(&self, admission: &Admission, columns: Option<&Columns>) -> Vec<Difference> {
        let Admission { result, warnings, .. } = admission;
        let mut differences: Vec<Difference> = self.verdict.difference(result).into_iter().collect();
        if let (Some(expected), Some(columns), Ok(stored)) = (&self.columns, columns, result) {
            differences.extend(columns_difference(expected, columns, stored));
        }
        if let Some(expected) = self.warnings.as_ref().filter(|expected| *expected != warnings) {
            let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
            differences.push(Difference::between_lists("other warnings", expected, &warnings));
        }
        differences
    }
}

/// Reads the expected cells. Only accepted objects have cells.
fn columns(place: &SuiteValue<'_>, verdict: &str, faults: &mut Faults) -> Option<Map<String, Value>> {
    if verdict != "accepted" {
        faults.add(
            &place.path,
            "only accepted objects have columns; remove `columns`, or expect `accepted: true`",
            None,
        );
        return None;
    }
    let Some(columns) = place.value.as_object() else {
        faults.add(&place.path, "must be a map", Some("give cells by the names of their columns".to_owned()));
        return None;
    };
    Some(columns.clone())
}

fn columns_difference(
    expected: &Map<String, Value>,
    columns: &Columns,
    stored: &Value,
) -> Option<Difference> {
    // The API server adds the time of creation. Ages depend on the time, which a test does not have: they are `<unknown>`.
    let mut stored = stored.clone();
    if let Some(metadata) = stored.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.entry("creationTimestamp").or_insert_with(|| "1970-01-01T00:00:00Z".into());
    }
    let row = columns.row(&stored, None, &mut Reserve::new(RESERVE)).cells;
    let cells = columns.columns().iter().zip(row).filter(|(column, _)| expected.contains_key(&column.name));
    let actual = cells.map(|(column, cell)| (column.name.clone(), cell)).collect();
    Difference::between_objects("other columns", &Value::Object(expected.clone()), &Value::Object(actual))
}

fn accepted(place: &SuiteValue<'_>, object: Option<Rc<SuiteObject>>, faults: &mut Faults) -> Option<Verdict> {
    if *place.value == Value::Bool(true) {
        return Some(Verdict::Accepted(object));
    }
    let help = "for an object that is rejected, give `errors` or `message`".to_owned();
    faults.add(&place.path, "must be `true`", Some(help));
    None
}

fn causes(place: &SuiteValue<'_>, faults: &mut Faults) -> Option<Vec<Cause>> {
    let items = place.items(faults)?;
    if items.is_empty() {
        let help = "for an object that is accepted, give `accepted: true`".to_owned();
        faults.add(&place.path, "the list is empty", Some(help));
        return None;
    }
    let mut causes = Vec::new();
    for item in items {
        if item.map(&["field", "reason", "message"], faults).is_none() {
            continue;
        }
        let field = item.required("field", faults).and_then(|field| field.text(faults));
        let mut text =
            |key| item.get(key).and_then(|text: SuiteValue<'_>| text.text(faults)).map(str::to_owned);
        let (reason, message) = (text("reason"), text("message"));
        causes.extend(field.map(|field| Cause { field: field.to_owned(), reason, message }));
    }
    Some(causes)
}

impl Verdict {
    fn difference(&self, result: &Result<Value, Rejection>) -> Option<Difference> {
        match (self, result) {
            (Self::Accepted(None), Ok(_)) => None,
            (Self::Accepted(Some(expected)), Ok(stored)) => {
                Difference::between_objects("another object is stored", &expected.value, stored)
            }
            (Self::Accepted(_), Err(refusal)) => Some(Difference::new("rejected", shown_rejection(refusal))),
            (Self::Causes(expected), Err(refusal)) if !refusal.causes.is_empty() => {
                causes_difference(expected, &refusal.causes)
            }
            (Self::Rejected(expected), Err(refusal)) if refusal.causes.is_empty() => {
                let message = refusal.to_string();
                (*expected != message).then(|| {
                    Difference::between_lists("rejected with another message", &[expected], &[&message])
                })
            }
            (Self::Causes(_) | Self::Rejected(_), Ok(_)) => Some(Difference::new("accepted", self.shown())),
            (Self::Causes(_), Err(refusal)) => {
                let lines = self.shown().into_iter().chain(shown_rejection(refusal)).collect();
                Some(Difference::new("rejected without a list of errors", lines))
            }
            (Self::Rejected(_), Err(refusal)) => {
                let lines = self.shown().into_iter().chain(shown_rejection(refusal)).collect();
                Some(Difference::new("rejected with a list of errors", lines))
            }
        }
    }

    /// Returns the expected rejection.
    fn shown(&self) -> Vec<Line> {
        match self {
            Self::Accepted(_) => Vec::new(),
            Self::Causes(causes) => causes.iter().map(|cause| Line::expected(cause.shown())).collect(),
            Self::Rejected(message) => vec![Line::expected(message)],
        }
    }
}

fn shown_rejection(refusal: &Rejection) -> Vec<Line> {
    if refusal.causes.is_empty() {
        return vec![Line::actual(refusal.to_string())];
    }
    refusal.faults().map(|cause| Line::actual(shown(cause))).collect()
}

/// Returns the difference between expected and actual causes. Returns `None` if each expected cause matches an actual cause, and no other
/// causes remain except for the note about rules.
fn causes_difference(expected: &[Cause], actual: &[Diagnostic]) -> Option<Difference> {
    let taken = pairs(expected, actual);
    let missing = (0..expected.len()).filter(|i| !taken.contains(&Some(*i)));
    let unexpected = (0..actual.len()).filter(|i| taken[*i].is_none() && !is_note(&actual[*i]));
    let lines: Vec<Line> = missing
        .map(|i| Line::expected(expected[i].shown()))
        .chain(unexpected.map(|i| Line::actual(shown(&actual[i]))))
        .collect();
    (!lines.is_empty()).then(|| Difference::new("rejected with other errors", lines))
}

/// Returns `true` for the API server's note that rules were not run because of other causes. Tests need not expect this note. Otherwise,
/// adding the first rule to a CRD would break tests that expect other causes.
fn is_note(cause: &Diagnostic) -> bool {
    cause.keyword == Some(Keyword::UncheckedRules)
}

/// Matches as many expected causes as possible with actual causes. An expected cause with only a field can match several actual causes, and
/// must not take an actual cause that another expected cause needs. Returns the index of the expected cause for each actual cause.
fn pairs(expected: &[Cause], actual: &[Diagnostic]) -> Vec<Option<usize>> {
    let mut taken = vec![None; actual.len()];
    for i in 0..expected.len() {
        pair(i, expected, actual, &mut taken, &mut vec![false; actual.len()]);
    }
    taken
}

/// Finds an actual cause for an expected cause. If the actual cause is already taken, searches for another actual cause for the previous
/// expected cause (Kuhn's algorithm).
fn pair(
    i: usize,
    expected: &[Cause],
    actual: &[Diagnostic],
    taken: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    for (j, cause) in actual.iter().enumerate() {
        if seen[j] || !expected[i].is_met_by(cause) {
            continue;
        }
        seen[j] = true;
        if taken[j].is_none_or(|other| pair(other, expected, actual, taken, seen)) {
            taken[j] = Some(i);
            return true;
        }
    }
    false
}

impl Cause {
    fn is_met_by(&self, cause: &Diagnostic) -> bool {
        self.field == cause.field.to_string()
            && self.reason.as_ref().is_none_or(|reason| reason == cause.reason.as_str())
            && self.message.as_ref().is_none_or(|message| *message == cause.message)
    }

    fn shown(&self) -> String {
        let reason = self.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        match &self.message {
            Some(message) => format!("{}: {message}{reason}", self.field),
            None => format!("{}{reason}", self.field),
        }
    }
}

fn shown(cause: &Diagnostic) -> String {
    format!("{}: {} ({})", cause.field, cause.message, cause.reason.as_str())
}
