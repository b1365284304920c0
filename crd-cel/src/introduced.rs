//! Finds functions and macros that not every Kubernetes version has.

use crate::ast::{Ast, Expr, ExprId};
use crate::declare::Library;
use crate::env::{OLDEST, Version};
use crate::functions;
use crate::macros::Addition;
use crate::parse::parse;

/// The function in the expansion of the macro `sortBy`.
const SORT_BY: &str = "@sortByAssociatedKeys";

/// A function or a kind of macro, and the Kubernetes version that introduced it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Introduced {
    /// The release that introduced the function or macro.
    pub since: Version,
    /// The name of the function, such as `isIP` or `sets.contains`, or `two-variable macros`.
    pub name: String,
}

impl Introduced {
    /// Returns the first release that accepts the function or macro in new rules. This is one minor version after `since`, because a server
    /// compiles new rules with the functions of the previous version.
    #[must_use]
    pub fn in_new_rules(&self) -> Version {
        Version::new(self.since.minor() + 1)
    }
}

/// Returns the expression's functions and macros that are newer than Kubernetes 1.25. The oldest come first, and there are no duplicates.
///
/// Functions and macros are recognized by name. The result is empty for an expression that cannot be parsed.
///
/// ```
/// let found = crd_cel::introduced("isIP(self.address) && self.labels.all(k, v, k != v)");
/// let found: Vec<String> = found.iter().map(|found| format!("{} {}", found.since, found.name)).collect();
/// assert_eq!(found, ["1.30 isIP", "1.32 two-variable macros"]);
/// ```
#[must_use]
pub fn introduced(source: &str) -> Vec<Introduced> {
    let Ok(ast) = parse(source) else { return Vec::new() };
    let mut found = Vec::new();
    let mut ids = vec![ast.root()];
    while let Some(id) = ids.pop() {
        ids.extend(ast.children(id));
        found.extend(introduced_by(&ast, id).filter(|(minor, _)| *minor > OLDEST));
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|(minor, name)| Introduced { since: Version::new(minor), name }).collect()
}

/// Returns the name of a node's function or macro, with the minor version that introduced it.
fn introduced_by(ast: &Ast<'_>, id: ExprId) -> Option<(u32, String)> {
    match ast.expr(id) {
        Expr::Comprehension(fold) => {
            fold.var2?;
            Some((Addition::TwoVariables.since(), "two-variable macros".to_owned()))
        }
        Expr::Call { function, .. } if function == SORT_BY => {
            Some((Addition::SortBy.since(), "sortBy".to_owned()))
        }
        Expr::Call { function, target, .. } => {
            // `sets.contains(a, b)` is parsed as a method of the variable `sets`.
            let namespace = target.and_then(|target| match ast.expr(target) {
                Expr::Ident(name) => Some(name),
                _ => None,
            });
            let qualified = namespace.map(|namespace| format!("{namespace}.{function}"));
            let known = |name: String| Some((first(&name)?, name));
            qualified.and_then(known).or_else(|| known(function.to_string()))
        }
        _ => None,
    }
}

/// Returns the minor version that introduced a function, or `None` for an operator.
fn first(function: &str) -> Option<u32> {
    if !function.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let overloads = &functions::rows()[Library::get().function(function)?];
    overloads.iter().map(|row| row.versions.first()).min()
}

#[cfg(test)]
mod tests {
    use super::introduced;

    fn names(source: &str) -> Vec<String> {
        introduced(source).into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn old_functions_and_operators_are_left_out() {
        assert_eq!(names("self.a.matches('x') && size(self.b) > 0 && self.c[0] in [1]"), [""; 0]);
    }

    #[test]
    fn functions_of_namespaces_and_macros_are_found() {
        assert_eq!(names("sets.contains(self.a, [1]) && self.b.contains('x')"), ["sets.contains"]);
        assert_eq!(names("self.a.sortBy(x, x)[0] == 1"), ["sortBy"]);
        assert_eq!(names("format.dns1123Label().validate(self.name)"), ["format.dns1123Label", "validate"]);
        assert_eq!(names("self.a ="), [""; 0]);
    }
}
