//! Collects patterns from all rules about a string, for generating a string that satisfies all these rules.

use std::collections::BTreeMap;

use crd_cel::ast::{Expr, ExprId, Literal};
use crd_cel::{Ast, parse};
use crd_core::Structural;

use crate::strings::escaped;

/// The patterns that a string must match (`wanted`) and must not match (`refused`).
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Pool {
    pub(crate) wanted: Vec<String>,
    pub(crate) refused: Vec<String>,
    /// Patterns for the parts of the string, for each separator. The inner key is the part's index.
    parts: BTreeMap<String, BTreeMap<usize, String>>,
}

/// Maximum number of parts of a string.
const MOST_PARTS: usize = 10;

/// Returns the patterns for `self` in a schema node's rules. Only conjunctions of string functions are recognized.
pub(crate) fn pool(schema: &Structural) -> Pool {
    let mut pool = Pool::default();
    for rule in &schema.validations {
        if let Ok(ast) = parse(&rule.rule) {
            pool.read(&ast, ast.root(), true);
        }
    }
    for (separator, parts) in std::mem::take(&mut pool.parts) {
        let last = parts.keys().next_back().copied().unwrap_or(0).min(MOST_PARTS);
        let part = |index: usize| parts.get(&index).map_or("[a-z0-9]+", |pattern| inner(pattern));
        let all: Vec<String> = (0..=last).map(|index| format!("(?:{})", part(index))).collect();
        pool.wanted.push(format!("^{}$", all.join(&escaped(&separator))));
    }
    pool
}

impl Pool {
    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.refused.is_empty()
    }

    fn read(&mut self, ast: &Ast<'_>, id: ExprId, is_wanted: bool) {
        let Expr::Call { function, target, args } = ast.expr(id) else { return };
        match (&**function, target, ast.list(*args)) {
            ("_&&_", None, [a, b]) if is_wanted => {
                self.read(ast, *a, true);
                self.read(ast, *b, true);
            }
            ("_||_", None, [a, b]) if !is_wanted => {
                self.read(ast, *a, false);
                self.read(ast, *b, false);
            }
            ("!_", None, [a]) => self.read(ast, *a, !is_wanted),
            ("_||_", None, sides) => self.wanted.extend(either(ast, sides)),
            (function, Some(target), [text]) => {
                let (Some(text), true) = (string(ast, *text), function != "split") else { return };
                let pattern = match function {
                    "startsWith" => format!("^{}", escaped(text)),
                    "endsWith" => format!("{}$", escaped(text)),
                    "contains" => escaped(text),
                    "matches" => text.to_owned(),
                    _ => return,
                };
                if is_self(ast, *target) {
                    if is_wanted { self.wanted.push(pattern) } else { self.refused.push(pattern) }
                } else if let Some((separator, index)) = part(ast, *target).filter(|_| is_wanted) {
                    self.parts.entry(separator.to_owned()).or_default().entry(index).or_insert(pattern);
                }
            }
            _ => {}
        }
    }
}

/// Returns a pattern for a disjunction, if each operand can be expressed as one pattern.
fn either(ast: &Ast<'_>, sides: &[ExprId]) -> Option<String> {
    let patterns = sides.iter().map(|side| {
        let mut pool = Pool::default();
        pool.read(ast, *side, true);
        let is_alone = pool.wanted.len() == 1 && pool.refused.is_empty() && pool.parts.is_empty();
        pool.wanted.pop().filter(|_| is_alone).map(|pattern| format!("(?:{pattern})"))
    });
    Some(patterns.collect::<Option<Vec<_>>>()?.join("|"))
}

fn string<'a>(ast: &'a Ast<'_>, id: ExprId) -> Option<&'a str> {
    match ast.expr(id) {
        Expr::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

/// Returns `true` for `self` and `string(self)`.
fn is_self(ast: &Ast<'_>, id: ExprId) -> bool {
    match ast.expr(id) {
        Expr::Ident(name) => name == "self",
        Expr::Call { function, target: None, args } if function == "string" => {
            ast.list(*args).iter().all(|id| is_self(ast, *id))
        }
        _ => false,
    }
}

/// Returns the separator and the index in an expression such as `self.split('@')[0]`.
fn part<'a>(ast: &'a Ast<'_>, id: ExprId) -> Option<(&'a str, usize)> {
    let Expr::Call { function, target: None, args } = ast.expr(id) else { return None };
    let &[list, index] = ast.list(*args) else { return None };
    let Expr::Call { function: split, target: Some(target), args } = ast.expr(list) else { return None };
    let &[separator] = ast.list(*args) else { return None };
    let Expr::Literal(Literal::Int(index)) = ast.expr(index) else { return None };
    let is_part = function == "_[_]" && split == "split" && is_self(ast, *target);
    let separator = string(ast, separator).filter(|separator| is_part && !separator.is_empty())?;
    Some((separator, usize::try_from(*index).ok()?))
}

/// Returns a pattern without the anchors at its ends.
fn inner(pattern: &str) -> &str {
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    pattern.strip_suffix('$').filter(|inner| !inner.ends_with('\\')).unwrap_or(pattern)
}

#[cfg(test)]
mod tests {
    use crd_core::crd::JsonSchemaProps;
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_about_one_string_are_one_demand() {
        let schema = JsonSchemaProps::from_value(json!({"type": "string", "x-kubernetes-validations": [
            {"rule": "self.startsWith('a.') && !self.contains('x')"},
            {"rule": "self.size() > 2 && string(self).matches('^[a-z.]+$')"},
            {"rule": "self.split('@')[1].matches('^b+$')"},
            {"rule": "self == '' || self.endsWith('z')"},
            {"rule": "self.endsWith('y') || self.endsWith('z')"},
        ]}));
        let schema =
            Structural::from_json_schema(&schema.expect("it is a schema")).expect("it is structural");
        let Pool { wanted, refused, .. } = pool(&schema);
        assert_eq!(wanted, [r"^a\.", "^[a-z.]+$", "(?:y$)|(?:z$)", r"^(?:[a-z0-9]+)\@(?:b+)$"]);
        assert_eq!(refused, ["x"]);
    }
}
