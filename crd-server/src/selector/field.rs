//! Field selectors: `metadata.name=a,spec.color!=red`.
//!
//! Source: `k8s.io/apimachinery/pkg/fields/selector.go`, and `selectableFields` in
//! `apiextensions-apiserver/pkg/registry/customresource/strategy.go`.

use serde_json::Value;

/// Conditions on fields. An object must meet all conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSelector(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    field: String,
    value: String,
    is_negated: bool,
    /// The paths from which the value is read. The first path with a value is used.
    paths: Vec<String>,
    /// The value if all paths are absent.
    absent: String,
}

impl Term {
    fn new(field: &str, value: String, is_negated: bool) -> Self {
        Self {
            field: field.to_owned(),
            value,
            is_negated,
            paths: vec![field.to_owned()],
            absent: String::new(),
        }
    }

    fn holds(&self, object: &Value) -> bool {
        let mut found = self.paths.iter().map(|path| value_at(object, path)).filter(|text| !text.is_empty());
        (found.next().unwrap_or_else(|| self.absent.clone()) == self.value) != self.is_negated
    }
}

impl FieldSelector {
    /// Reads a selector.
    ///
    /// # Errors
    /// The selector is not valid. The message is the same as in the API server.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        let mut parts = split(text);
        parts.sort_unstable();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let term = ["!=", "==", "="].into_iter().filter_map(|operator| {
                let at = part.find(operator)?;
                Some((at, operator))
            });
            // The first operator counts, and of those that begin there the longest.
            let Some((at, operator)) =
                term.min_by_key(|(at, operator)| (*at, std::cmp::Reverse(operator.len())))
            else {
                return Err(format!("invalid selector: '{text}'; can't understand '{part}'"));
            };
            let value = unescape(&part[at + operator.len()..])?;
            terms.push(Term::new(&part[..at], value, operator == "!="));
        }
        Ok(Self(terms))
    }

    /// Returns `true` if the selector has no condition.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` if this name and namespace meet the conditions on them.
    pub(crate) fn matches_key(&self, namespace: &str, name: &str) -> bool {
        self.0.iter().all(|term| {
            let found = match term.field.as_str() {
                "metadata.name" => name,
                "metadata.namespace" => namespace,
                _ => return true,
            };
            (found == term.value) != term.is_negated
        })
    }

    /// Returns `true` if all conditions are on the name or the namespace.
    pub(crate) fn is_of_key(&self) -> bool {
        self.fields().all(|field| matches!(field, "metadata.name" | "metadata.namespace"))
    }

    /// Returns the name that selected objects must have, if a condition requires a name.
    pub(crate) fn name(&self) -> Option<&str> {
        let term = self.0.iter().find(|term| term.field == "metadata.name" && !term.is_negated)?;
        Some(&term.value)
    }

    /// Returns the selector with one more condition.
    pub(crate) fn and_equal(mut self, field: &str, value: &str) -> Self {
        self.0.push(Term::new(field, value.to_owned(), false));
        self
    }

    /// Sets the paths from which the conditions read their values. `selected` returns a field's paths, and the value to use if all paths
    /// are absent.
    pub(crate) fn at(mut self, selected: impl for<'a> Fn(&'a str) -> (Vec<&'a str>, &'a str)) -> Self {
        for term in &mut self.0 {
            let (paths, absent) = selected(&term.field);
            (term.paths, term.absent) = (paths.into_iter().map(str::to_owned).collect(), absent.to_owned());
        }
        self
    }

    /// Returns the names of the fields in the conditions.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|term| term.field.as_str())
    }

    /// Returns `true` if an object meets all conditions.
    pub(crate) fn matches(&self, object: &Value) -> bool {
        self.0.iter().all(|term| term.holds(object))
    }
}

/// Returns a field's value as a string, or an empty string if the field is absent. Selectable fields always contain scalars.
fn value_at(object: &Value, path: &str) -> String {
    let mut value = object;
    for name in path.trim_start_matches('.').split('.') {
        match value.get(name) {
            Some(inner) => value = inner,
            None => return String::new(),
        }
    }
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => crd_go::json::show(other),
    }
}

fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut is_escaped) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ',' => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => out.push(escaped),
                other => {
                    let sequence: String = ['\\'].into_iter().chain(other).collect();
                    return Err(format!("invalid field selector: invalid escape sequence: {sequence}"));
                }
            },
            ',' | '=' => return Err(format!("invalid field selector: unescaped character in value: {c}")),
            c => out.push(c),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_choose_by_fields() {
        let object = json!({"metadata": {"name": "a"}, "spec": {"n": 1, "on": true, "text": "x,y"}});
        for (selector, expected) in [
            ("", true),
            ("metadata.name=a", true),
            ("metadata.name==b", false),
            ("metadata.name!=b,spec.n=1", true),
            ("spec.on=true", true),
            ("spec.none=", true),
            ("spec.text=x\\,y", true),
        ] {
            assert_eq!(FieldSelector::parse(selector).unwrap().matches(&object), expected, "{selector}");
        }
    }

    #[test]
    fn errors_are_those_of_the_server() {
        let error = FieldSelector::parse("abc").unwrap_err();
        assert_eq!(error, "invalid selector: 'abc'; can't understand 'abc'");
        assert!(FieldSelector::parse("a=b=c").is_err());
    }
}
