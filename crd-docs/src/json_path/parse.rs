//! Parses JSON path templates.
//!
//! Source: `client-go/util/jsonpath/parser.go`. The parser accepts and rejects the same templates as client-go, even where client-go has
//! bugs.

use std::fmt;

use serde_json::Number;

use super::quoted::unquote;
use super::{Bound, Node};

/// The reason why a template is malformed, in client-go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

type Result<T> = std::result::Result<T, Malformed>;

fn malformed<T>(message: impl Into<String>) -> Result<T> {
    Err(Malformed(message.into()))
}

/// Reads a template.
pub(super) fn template(text: &str) -> Result<Vec<Node>> {
    let mut parser = Parser { text, at: 0, start: 0 };
    let mut root = Vec::new();
    loop {
        let rest = &text[parser.at..];
        let Some(open) = rest.find('{') else {
            parser.at = text.len();
            parser.push_text(&mut root);
            return Ok(root);
        };
        parser.at += open;
        parser.push_text(&mut root);
        parser.at += 1;
        parser.consume();
        root.push(Node::List(parser.action()?));
    }
}

/// Parses nodes that are not in braces.
fn steps(text: &str) -> Result<Vec<Node>> {
    match template(&format!("{{{text}}}"))?.into_iter().next() {
        Some(Node::List(nodes)) => Ok(nodes),
        _ => malformed("unclosed action"),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// The start of the text that was read but not yet consumed.
    start: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn consume(&mut self) -> &'t str {
        let text = &self.text[self.start..self.at];
        self.start = self.at;
        text
    }

    fn push_text(&mut self, root: &mut Vec<Node>) {
        if self.at > self.start {
            root.push(Node::Text(self.consume().into()));
        }
    }

    /// Parses the nodes up to the closing brace.
    fn action(&mut self) -> Result<Vec<Node>> {
        let mut nodes = Vec::new();
        loop {
            let rest = self.rest();
            if rest.starts_with('}') {
                self.at += 1;
                self.consume();
                return Ok(nodes);
            }
            if rest.starts_with("[?(") {
                nodes.push(self.filter()?);
                continue;
            }
            if rest.starts_with("..") {
                self.recursive(&mut nodes)?;
                continue;
            }
            match rest.chars().next() {
                None | Some('\r' | '\n') => return malformed("unclosed action"),
                Some(' ' | '@' | '$') => {
                    self.at += 1;
                    self.consume();
                }
                Some('[') => self.array(&mut nodes)?,
                Some(quote @ ('"' | '\'')) => nodes.push(self.quoted(quote)?),
                Some('.') => {
                    self.at += 1;
                    nodes.push(self.field());
                }
                Some(c) if matches!(c, '+' | '-') || is_digit(c) => nodes.push(self.number()?),
                Some(c) if c == '_' || c.is_alphabetic() => nodes.push(self.identifier()),
                Some(c) => {
                    return malformed(format!("unrecognized character in action: U+{:04X} '{c}'", c as u32));
                }
            }
        }
    }

    fn recursive(&mut self, nodes: &mut Vec<Node>) -> Result<()> {
        if nodes.last() == Some(&Node::Recursive) {
            return malformed("invalid multiple recursive descent");
        }
        self.at += 2;
        self.consume();
        nodes.push(Node::Recursive);
        if self.rest().starts_with(|c: char| c == '_' || c.is_alphabetic() || is_digit(c)) {
            nodes.push(self.field());
        }
        Ok(())
    }

    fn field(&mut self) -> Node {
        self.consume();
        while let Some(c) = self.rest().chars().next() {
            if c == '\\' {
                self.at += 1;
                self.next();
            } else if ends_name(c) {
                break;
            } else {
                self.at += c.len_utf8();
            }
        }
        match self.consume() {
            "*" => Node::Wildcard,
            name => Node::Field(name.replace('\\', "")),
        }
    }

    fn identifier(&mut self) -> Node {
        self.at += self.rest().find(ends_name).unwrap_or(self.rest().len());
        match self.consume() {
            "true" => Node::Literal(true.into()),
            "false" => Node::Literal(false.into()),
            name => Node::Identifier(name.to_owned()),
        }
    }

    fn number(&mut self) -> Result<Node> {
        if self.rest().starts_with(['+', '-']) {
            self.at += 1;
        }
        let is_part = |c: char| c == '.' || is_digit(c);
        self.at += self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let text = self.consume();
        if let Ok(integer) = text.parse::<i64>() {
            return Ok(Node::Literal(integer.into()));
        }
        let float = crd_go::number::parse_float(text).and_then(Number::from_f64);
        float.map_or_else(
            || malformed(format!("cannot parse number {text}")),
            |float| Ok(Node::Literal(float.into())),
        )
    }

    fn quoted(&mut self, end: char) -> Result<Node> {
        self.at += 1;
        loop {
            match self.next() {
                None | Some('\n') => return malformed("unterminated quoted string"),
                Some(c) if c == end && self.text.as_bytes()[self.at - 2] != b'\\' => break,
                Some(_) => {}
            }
        }
        let text = self.consume();
        match unquote(text) {
            Some(string) => Ok(Node::Text(string.into())),
            None => malformed(format!("unquote string {text} error invalid syntax")),
        }
    }

    fn array(&mut self, nodes: &mut Vec<Node>) -> Result<()> {
        loop {
            match self.next() {
                None | Some('\n') => return malformed("unterminated array"),
                Some(']') => break,
                Some(_) => {}
            }
        }
        let text = self.consume();
        let text = match &text[1..text.len() - 1] {
            "*" => ":",
            text => text,
        };
        if text.contains(',') {
            let parts = text.split(',').map(|part| steps(&format!("[{}]", part.trim_matches(' '))));
            nodes.push(Node::Union(parts.collect::<Result<_>>()?));
            return Ok(());
        }
        let key = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            nodes.extend(steps(&format!(".{key}"))?);
            return Ok(());
        }
        nodes.push(Node::Slice(slice(text)?));
        Ok(())
    }

    fn filter(&mut self) -> Result<Node> {
        self.at += 3;
        self.consume();
        let (mut begin, mut end, mut pair) = (false, false, ' ');
        loop {
            match self.next() {
                None | Some('\n') => return malformed("unterminated filter"),
                Some(quote @ ('"' | '\'')) if !begin => (begin, pair) = (true, quote),
                Some(quote @ ('"' | '\'')) => {
                    end |= quote == pair && self.text.as_bytes()[self.at - 2] != b'\\';
                }
                Some(')') if begin == end => break,
                Some(_) => {}
            }
        }
        if self.next() != Some(']') {
            return malformed("unclosed array expect ]");
        }
        let text = self.consume();
        let text = &text[..text.len() - 2];
        let Some((left, operator, right)) = comparison(text) else {
            return Ok(Node::Filter { left: steps(text)?, operator: "exists".to_owned(), right: Vec::new() });
        };
        Ok(Node::Filter { left: steps(left)?, operator: operator.to_owned(), right: steps(right)? })
    }
}

/// Splits a comparison into left side, operator and right side, like the pattern `^([^!<>=]+)([!<>=]+)(.+?)$`.
fn comparison(text: &str) -> Option<(&str, &str, &str)> {
    const OPERATORS: [char; 4] = ['!', '<', '>', '='];
    let operator = text.find(OPERATORS).filter(|at| *at > 0)?;
    let run = text[operator..].find(|c| !OPERATORS.contains(&c)).unwrap_or(text.len() - operator);
    // Something must be left for the right side.
    let end = if operator + run == text.len() { text.len() - 1 } else { operator + run };
    let right = &text[end..];
    (end > operator && !right.contains('\n')).then(|| (&text[..operator], &text[operator..end], right))
}

/// Parses an index or a slice: `^(-?[\d]*)(:-?[\d]*)?(:-?[\d]*)?$`.
fn slice(text: &str) -> Result<[Bound; 3]> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_number =
        |part: &&str| part.strip_prefix('-').unwrap_or(part).bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return malformed(format!("invalid array index {text}"));
    }
    let mut bounds = [Bound::default(); 3];
    for (i, bound) in bounds.iter_mut().enumerate() {
        let Some(part) = parts.get(i).filter(|part| !part.is_empty()) else { continue };
        let Ok(value) = part.parse() else {
            return malformed(format!("array index {part} is not a number"));
        };
        *bound = Bound { value, known: true, derived: false };
    }
    if parts.len() == 1 {
        bounds[1] = Bound { value: bounds[0].value.saturating_add(1), known: true, derived: true };
    }
    Ok(bounds)
}

fn is_digit(c: char) -> bool {
    // Go takes digits of all scripts, and then fails to read them as a number.
    c.is_numeric() && !c.is_alphabetic()
}

/// Returns `true` for characters that end a name.
fn ends_name(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}
