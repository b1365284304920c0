//! Recognizes rules that depend only on the presence and the values of single properties.

use std::collections::BTreeSet;

use crd_cel::ast::{Expr, ExprId};
use crd_cel::{Ast, parse, unescape_name};

/// The properties of `self` that a rule depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TestedProperties {
    /// The fields whose presence the rule tests, as in `has(self.a)`.
    pub present: BTreeSet<String>,
    /// The fields whose values the rule reads, as in `self.type == 'A'`.
    pub values: BTreeSet<String>,
}

/// Returns the properties of `self` that the rule depends on. `None` if the rule depends on anything else, such as `oldSelf` or the number
/// of properties, or cannot be parsed.
///
/// The presence and the values of these properties determine the rule's result.
///
/// ```
/// use crd_core::cel::tested_properties;
///
/// let tested = tested_properties("has(self.a) != has(self.b)").expect("a rule about two properties");
/// assert_eq!(tested.present.into_iter().collect::<Vec<_>>(), ["a", "b"]);
/// assert!(tested.values.is_empty());
///
/// let tested = tested_properties("self.type != 'A' || has(self.a)").expect("a rule about two properties");
/// assert_eq!(tested.present.into_iter().collect::<Vec<_>>(), ["a"]);
/// assert_eq!(tested.values.into_iter().collect::<Vec<_>>(), ["type"]);
///
/// assert_eq!(tested_properties("size(self) == 1"), None);
/// ```
#[must_use]
pub fn tested_properties(rule: &str) -> Option<TestedProperties> {
    let ast = parse(rule).ok()?;
    let mut tested = TestedProperties::default();
    let mut asked = vec![ast.root()];
    while let Some(id) = asked.pop() {
        match ast.expr(id) {
            Expr::Select { operand, field, test_only } if is_self(&ast, *operand) => {
                let names = if *test_only { &mut tested.present } else { &mut tested.values };
                names.insert(unescape_name(field)?.into_owned());
            }
            Expr::Ident(name) if matches!(name.trim_start_matches('.'), "self" | "oldSelf") => return None,
            // Rules have no message types.
            Expr::Struct { .. } | Expr::Error => return None,
            _ => asked.extend(ast.children(id)),
        }
    }
    Some(tested)
}

fn is_self(ast: &Ast<'_>, id: ExprId) -> bool {
    matches!(ast.expr(id), Expr::Ident(name) if name == "self")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_found_wherever_they_stand() {
        let tested = |rule| {
            let tested = tested_properties(rule).unwrap();
            let listed = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(" ");
            format!("{} | {}", listed(tested.present), listed(tested.values))
        };
        assert_eq!(tested("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1"), "a b | ");
        assert_eq!(tested("[has(self.a), has(self.__if__)].exists_one(x, x)"), "a if | ");
        assert_eq!(tested("{1: has(self.a)}[1]"), "a | ");
        assert_eq!(tested("true"), " | ");
        assert_eq!(tested("self.type in ['A', 'B'] ? has(self.a) : !has(self.b)"), "a b | type");
        assert_eq!(tested("has(self.type) && self.type == 'A'"), "type | type");
        assert_eq!(tested("has(self.a.b)"), " | a");
    }

    #[test]
    fn other_rules_are_not_described() {
        let others =
            ["has(oldSelf.a)", "self == oldSelf", "has(self.a) && size(self) > 1", "has(", "'a' in self"];
        for rule in others {
            assert_eq!(tested_properties(rule), None, "{rule}");
        }
    }
}
