//! Rules that depend only on the presence of properties.

use std::collections::BTreeSet;

use crd_cel::ast::Expr;
use crd_cel::{Ast, parse, unescape_name};

/// The properties of `self` on whose presence the rule depends. `None` if it depends on anything else, or cannot be
/// parsed.
///
/// Such a rule is a function from sets of present properties to booleans, however it is written.
///
/// ```
/// use crd_core::cel::present_properties;
///
/// let names = |rule| present_properties(rule).map(|names| names.into_iter().collect::<Vec<_>>().join(" "));
/// assert_eq!(names("has(self.a) != has(self.b)").as_deref(), Some("a b"));
/// assert_eq!(names("[has(self.a), has(self.b)].filter(x, x).size() == 1").as_deref(), Some("a b"));
/// assert_eq!(names("has(self.a) && self.a > 0"), None);
/// ```
#[must_use]
pub fn present_properties(rule: &str) -> Option<BTreeSet<String>> {
    let ast = parse(rule).ok()?;
    let mut names = BTreeSet::new();
    let mut asked = vec![ast.root()];
    while let Some(id) = asked.pop() {
        match ast.expr(id) {
            Expr::Select { operand, field, test_only: true } if is_self(&ast, *operand) => {
                names.insert(unescape_name(field)?.into_owned());
            }
            Expr::Ident(name) if matches!(name.trim_start_matches('.'), "self" | "oldSelf") => return None,
            // Rules have no message types.
            Expr::Struct { .. } | Expr::Error => return None,
            _ => asked.extend(ast.children(id)),
        }
    }
    Some(names)
}

fn is_self(ast: &Ast<'_>, id: crd_cel::ast::ExprId) -> bool {
    matches!(ast.expr(id), Expr::Ident(name) if name == "self")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_presence_counts() {
        let names = |rule| present_properties(rule).map(|names| names.into_iter().collect::<Vec<_>>());
        assert_eq!(names("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1").unwrap(), ["a", "b"]);
        assert_eq!(names("[has(self.a), has(self.__if__)].exists_one(x, x)").unwrap(), ["a", "if"]);
        assert_eq!(names("{1: has(self.a)}[1]").unwrap(), ["a"]);
        assert_eq!(names("true").unwrap(), [""; 0]);
        for rule in [
            "self.a",
            "has(self.a.b)",
            "has(oldSelf.a)",
            "self == oldSelf",
            "has(self.a) && size(self) > 1",
            "has(",
            "'a' in self",
        ] {
            assert_eq!(names(rule), None, "{rule}");
        }
    }
}
