//! Label selectors: `app=web,tier in (a,b),!old`.
//!
//! Source: `k8s.io/apimachinery/pkg/labels/selector.go`.

use std::collections::BTreeSet;

use crd_go::names::{label_key, label_value};
use crd_go::strings::quote;
use serde_json::Value;

use crate::KUBE_VERSION;

/// Conditions on labels. An object must meet all conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
    values: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    GreaterThan,
    LessThan,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Identifier(String),
    /// An operator or a keyword of the selector.
    Symbol(&'static str),
    /// Characters that are not operators.
    Unknown(String),
    End,
}

const SYMBOLS: [&str; 10] = ["!=", "==", "=", "!", ",", "(", ")", ">", "<", ""];

impl LabelSelector {
    /// Reads a selector.
    ///
    /// # Errors
    /// The selector is not valid. The message is the same as in the API server.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text };
        let mut requirements = Vec::new();
        loop {
            match parser.peek(true) {
                Token::Identifier(_) | Token::Symbol("!") => {
                    let requirement = parser.requirement();
                    requirements
                        .push(requirement.map_err(|error| format!("unable to parse requirement: {error}"))?);
                }
                Token::End => return Ok(Self(requirements)),
                other => return Err(format!("found '{other}', expected: !, identifier, or 'end of string'")),
            }
            match parser.next(true) {
                Token::End => return Ok(Self(requirements)),
                Token::Symbol(",") => match parser.peek(true) {
                    Token::Identifier(_) | Token::Symbol("!") => {}
                    other => return Err(format!("found '{other}', expected: identifier after ','")),
                },
                other => return Err(format!("found '{other}', expected: ',' or 'end of string'")),
            }
        }
    }

    /// Returns `true` if the selector has no condition.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` if an object's labels meet all conditions.
    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = object.get("metadata").and_then(|metadata| metadata.get("labels"));
        let label = |key: &str| labels.and_then(|labels| labels.get(key)).and_then(Value::as_str);
        self.0.iter().all(|requirement| requirement.holds(label(&requirement.key)))
    }
}

impl Requirement {
    fn new(key: String, operator: Operator, values: BTreeSet<String>) -> Result<Self, String> {
        let mut errors = Vec::new();
        if matches!(operator, Operator::GreaterThan | Operator::LessThan) {
            for value in values.iter().filter(|value| value.parse::<i64>().is_err()) {
                errors.push(format!(
                    "values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                    quote(value)
                ));
            }
        }
        for (i, value) in values.iter().enumerate() {
            let details = label_value(value, KUBE_VERSION);
            if !details.is_empty() {
                let path = format!("values[{i}][{key}]");
                errors.push(format!("{path}: Invalid value: {}: {}", quote(value), details.join("; ")));
            }
        }
        match errors.as_slice() {
            [] => Ok(Self { key, operator, values }),
            [error] => Err(error.clone()),
            errors => Err(format!("[{}]", errors.join(", "))),
        }
    }

    fn holds(&self, label: Option<&str>) -> bool {
        let number = |text: &str| text.parse::<i64>().ok();
        let bound = || self.values.first().and_then(|value| number(value));
        match (self.operator, label) {
            (Operator::In, Some(label)) => self.values.contains(label),
            (Operator::NotIn, Some(label)) => !self.values.contains(label),
            (Operator::NotIn | Operator::DoesNotExist, None) | (Operator::Exists, Some(_)) => true,
            (Operator::GreaterThan, Some(label)) => number(label) > bound() && number(label).is_some(),
            (Operator::LessThan, Some(label)) => number(label) < bound() && number(label).is_some(),
            _ => false,
        }
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Identifier(text) => f.write_str(text),
            Self::Symbol(text) => f.write_str(text),
            Self::Unknown(text) => write!(f, "error expected: keyword found '{text}'"),
            Self::End => Ok(()),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn peek(&mut self, as_value: bool) -> Token {
        let rest = self.rest;
        let token = self.next(as_value);
        self.rest = rest;
        token
    }

    /// Returns the next token. If `as_value` is `true`, `in` and `notin` are values instead of operators.
    fn next(&mut self, as_value: bool) -> Token {
        let is_blank = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
        let is_sign = |c: char| matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<');
        self.rest = self.rest.trim_start_matches(is_blank);
        if self.rest.is_empty() {
            return Token::End;
        }
        let end = self.rest.find(|c| is_blank(c) || is_sign(c)).unwrap_or(self.rest.len());
        if end > 0 {
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            return match name {
                "in" if !as_value => Token::Symbol("in"),
                "notin" if !as_value => Token::Symbol("notin"),
                name => Token::Identifier(name.to_owned()),
            };
        }
        let symbol = SYMBOLS.iter().find(|symbol| self.rest.starts_with(**symbol)).copied();
        match symbol.filter(|symbol| !symbol.is_empty()) {
            Some(symbol) => {
                self.rest = &self.rest[symbol.len()..];
                Token::Symbol(symbol)
            }
            None => Token::Unknown(std::mem::take(&mut self.rest).to_owned()),
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let is_absent = self.peek(true) == Token::Symbol("!");
        if is_absent {
            self.next(true);
        }
        let key = match self.next(true) {
            Token::Identifier(key) => key,
            other => return Err(format!("found '{other}', expected: identifier")),
        };
        let details = label_key(&key, KUBE_VERSION);
        if !details.is_empty() {
            return Err(format!("<nil>: Invalid value: {}: {}", quote(&key), details.join("; ")));
        }
        let is_alone = matches!(self.peek(true), Token::End | Token::Symbol(","));
        if is_absent || is_alone {
            let operator = if is_absent { Operator::DoesNotExist } else { Operator::Exists };
            return Requirement::new(key, operator, BTreeSet::new());
        }
        let operator = self.next(false);
        let (operator, is_list) = match &operator {
            Token::Symbol("in") => (Operator::In, true),
            Token::Symbol("notin") => (Operator::NotIn, true),
            Token::Symbol("=" | "==") => (Operator::In, false),
            Token::Symbol("!=") => (Operator::NotIn, false),
            Token::Symbol(">") => (Operator::GreaterThan, false),
            Token::Symbol("<") => (Operator::LessThan, false),
            other => return Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
        };
        let values = if is_list { self.list()? } else { self.exact()? };
        Requirement::new(key, operator, values)
    }

    fn exact(&mut self) -> Result<BTreeSet<String>, String> {
        if matches!(self.peek(true), Token::End | Token::Symbol(",")) {
            return Ok(BTreeSet::from([String::new()]));
        }
        match self.next(true) {
            Token::Identifier(value) => Ok(BTreeSet::from([value])),
            other => Err(format!("found '{other}', expected: identifier")),
        }
    }

    fn list(&mut self) -> Result<BTreeSet<String>, String> {
        match self.next(true) {
            Token::Symbol("(") => {}
            other => return Err(format!("found '{other}' expected: '('")),
        }
        let mut values = BTreeSet::new();
        let mut is_value_due = true;
        loop {
            match self.next(true) {
                Token::Identifier(value) if is_value_due => {
                    values.insert(value);
                    is_value_due = false;
                }
                Token::Symbol(",") => {
                    if is_value_due {
                        values.insert(String::new());
                    }
                    is_value_due = true;
                }
                Token::Symbol(")") => {
                    if is_value_due {
                        values.insert(String::new());
                    }
                    return Ok(values);
                }
                other if is_value_due => {
                    return Err(format!("found '{other}', expected: ',', or identifier"));
                }
                other => return Err(format!("found '{other}', expected: ',' or ')'")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_choose_by_labels() {
        let object = json!({"metadata": {"labels": {"x": "1", "app": "web"}}});
        for (selector, expected) in [
            ("", true),
            ("x=1", true),
            ("x==2", false),
            ("x!=2,app", true),
            ("!x", false),
            ("!y", true),
            ("x in (1, 2),app notin (db)", true),
            ("y notin (a)", true),
            ("x>0", true),
            ("app>0", false),
            ("x<1", false),
            ("in=1", false),
        ] {
            let parsed = LabelSelector::parse(selector).unwrap();
            assert_eq!(parsed.matches(&object), expected, "{selector}");
        }
    }

    #[test]
    fn errors_are_those_of_the_server() {
        for (selector, error) in [
            ("!", "unable to parse requirement: found '', expected: identifier"),
            ("x in a", "unable to parse requirement: found 'a' expected: '('"),
            (",", "found ',', expected: !, identifier, or 'end of string'"),
            ("x=1,", "found '', expected: identifier after ','"),
            (
                "x>b",
                "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must \
                 be an integer",
            ),
        ] {
            assert_eq!(LabelSelector::parse(selector).unwrap_err(), error, "{selector}");
        }
    }
}
