//! Shows the differences between a result and the expected result in lines.

use crd_report::{shortened, visible};
use serde_json::{Map, Number, Value};
use similar::{ChangeTag, TextDiff};

/// A difference between an actual and an expected result.
pub(super) struct Difference {
    /// The kind of difference: `accepted`, `another object is stored`.
    pub(super) text: &'static str,
    pub(super) lines: Vec<Line>,
}

pub(super) struct Line {
    pub(super) side: ChangeTag,
    text: String,
}

/// The number of context lines before and after a difference between objects.
const CONTEXT: usize = 3;

impl Difference {
    pub(super) fn new(text: &'static str, lines: Vec<Line>) -> Self {
        Self { text, lines }
    }

    /// Returns the difference between two lists that are not equal.
    pub(super) fn between_lists<S: AsRef<str>, T: AsRef<str>>(
        text: &'static str,
        expected: &[S],
        actual: &[T],
    ) -> Self {
        let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
        let actual: Vec<&str> = actual.iter().map(AsRef::as_ref).collect();
        let diff = TextDiff::from_slices(&expected, &actual);
        let lines = diff.iter_all_changes().map(|change| Line::new(change.tag(), change.value()));
        Self { text, lines: lines.collect() }
    }

    /// Returns the difference between two objects, or `None` if they are equal. The order of fields and the notation of numbers (`1`,
    /// `1.0`) do not matter.
    pub(super) fn between_objects(text: &'static str, expected: &Value, actual: &Value) -> Option<Self> {
        let [expected, actual] = [expected, actual].map(comparable);
        if expected == actual {
            return None;
        }
        let [expected, actual] = [expected, actual].map(|object| format!("{object:#}\n"));
        let diff = TextDiff::from_lines(&expected, &actual);
        let mut lines = Vec::new();
        for (i, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
            if i > 0 {
                lines.push(Line::new(ChangeTag::Equal, "..."));
            }
            let changes = group.iter().flat_map(|operation| diff.iter_changes(operation));
            lines
                .extend(changes.map(|change| Line::new(change.tag(), change.value().trim_end_matches('\n'))));
        }
        Some(Self { text, lines })
    }
}

impl Line {
    pub(super) fn expected(text: impl Into<String>) -> Self {
        Self { side: ChangeTag::Delete, text: text.into() }
    }

    pub(super) fn actual(text: impl Into<String>) -> Self {
        Self { side: ChangeTag::Insert, text: text.into() }
    }

    fn new(side: ChangeTag, text: &str) -> Self {
        Self { side, text: text.to_owned() }
    }

    /// Returns the line for display, such as `- expected`, with control characters escaped.
    pub(super) fn shown(&self) -> String {
        format!("{} {}", self.side, visible(&shortened(&self.text)))
    }
}

/// Returns the value with sorted fields, and with integers for whole numbers.
fn comparable(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            let field = |(name, value): (&String, &Value)| (name.clone(), comparable(value));
            Value::Object(fields.into_iter().map(field).collect::<Map<String, Value>>())
        }
        Value::Array(items) => items.iter().map(comparable).collect(),
        Value::Number(number) => Value::Number(whole(number).unwrap_or_else(|| number.clone())),
        other => other.clone(),
    }
}

/// Returns the integer that a float represents. Returns `None` above 2^53, because doubles do not represent all larger integers.
fn whole(number: &Number) -> Option<Number> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|_| number.is_f64())?;
    if float.fract() != 0.0 || float.abs() > MOST {
        return None;
    }
    format!("{float:.0}").parse::<i64>().ok().map(Number::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(expected: &Value, actual: &Value) -> Option<Vec<String>> {
        let difference = Difference::between_objects("", expected, actual)?;
        Some(difference.lines.iter().map(Line::shown).collect())
    }

    #[test]
    fn order_of_fields_and_notation_of_numbers_do_not_matter() {
        let expected = json!({"a": 1, "b": [2.5, {"d": -0.0, "c": null}]});
        assert_eq!(lines(&expected, &json!({"b": [2.5, {"c": null, "d": 0}], "a": 1.0})), None);
        assert_eq!(lines(&json!(1e300), &json!(1e300)), None);
        assert!(lines(&json!(1), &json!("1")).is_some());
        assert!(lines(&json!([1, 2]), &json!([2, 1])).is_some());
        assert!(lines(&json!({"a": null}), &json!({})).is_some());
    }

    #[test]
    fn differences_are_shown_with_their_context() {
        let object =
            |a: i32, z: &str| json!({"a": a, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "z": z});
        let lines = lines(&object(1, "x"), &object(2, "\u{1b}[31m")).unwrap();
        assert_eq!(lines[..3], ["  {", "-   \"a\": 1,", "+   \"a\": 2,"]);
        assert_eq!(lines[6], "  ...");
        assert_eq!(lines[lines.len() - 2], "+   \"z\": \"\\u001b[31m\"");
    }
}
