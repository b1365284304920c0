//! Collects the words in expressions. An expression can refer only to names among its words.

use std::collections::HashSet;
use std::sync::LazyLock;

use crd_go::cel_names::is_keyword;

use crate::functions::{self, Row};

/// The words in some expressions. They include every name that the expressions can refer to, but also the words in strings and comments.
///
/// ```
/// use crd_cel::{Environment, Version, Words};
///
/// let of = |minor| Environment::for_server(Version::new(minor));
/// let mut words = Words::default();
/// words.add("self.size() > 0");
/// assert!(of(35).compiles_as(of(34), &words));
/// words.add("self.sortBy(x, x) == self");
/// assert!(!of(35).compiles_as(of(34), &words));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Words<'e>(HashSet<&'e str>);

impl<'e> Words<'e> {
    /// Adds an expression's words. The expression may be invalid.
    pub fn add(&mut self, expression: &'e str) {
        self.0.extend(expression.split(|c: char| !is_of_name(c)).filter(|word| !word.is_empty()));
    }

    /// Returns `true` if an expression can refer to a function or macro by this name. Only the last part of a qualified name such as
    /// `sets.contains` is looked up. For operators such as `_+_`, the result is always `true`, because expressions do not contain their
    /// names. For functions such as `@mapInsert`, the result is always `false`, because only macros call these.
    pub(crate) fn can_mean(&self, function: &str) -> bool {
        let name = function.rsplit('.').next().unwrap_or(function);
        match name.as_bytes().first() {
            Some(b'@') => false,
            Some(first) if first.is_ascii_alphabetic() => self.0.contains(name),
            _ => true,
        }
    }

    /// Returns `true` if an expression can create values of a library's types, such as URLs, with one of the functions in [`MAKERS`].
    pub(crate) fn can_make_library_types(&self) -> bool {
        MAKERS.iter().any(|function| self.can_mean(function))
    }

    /// Returns `true` if a keyword can be a field name in an expression. Literals and `in` do not count: as field names they need
    /// backticks, which exist since Kubernetes 1.33.
    pub(crate) fn can_name_keywords(&self) -> bool {
        let is_field = |word: &&str| is_keyword(word) && !matches!(*word, "true" | "false" | "null" | "in");
        self.0.iter().any(is_field)
    }
}

/// The functions that create values of a library's types from other values.
static MAKERS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let is_of_library = |types: &str| types.contains("kubernetes.") || types.contains("net.");
    let makes = |row: &&Row| {
        let (arguments, result) = row.signature.rsplit_once(" -> ").unwrap_or_default();
        is_of_library(result) && !is_of_library(arguments)
    };
    let mut makers: Vec<&str> = functions::rows().iter().filter(makes).map(|row| row.function).collect();
    // The overloads of a function stand together.
    makers.dedup();
    makers
});

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn values_of_libraries_come_out_of_their_functions() {
        for (expression, makes) in [
            ("url(self.a).getHost()", true),
            ("!format.dns1123Label().validate(self.a).hasValue()", true),
            ("self.path.startsWith('/') && isURL(self.name)", false),
        ] {
            let mut words = Words::default();
            words.add(expression);
            assert_eq!(words.can_make_library_types(), makes, "{expression}");
        }
    }

    #[test]
    fn names_are_found_whatever_stands_around_them() {
        let mut words = Words::default();
        words.add("ip . isCanonical(self.a)&&!self.b.c.exists(i,v,true)\n// url");
        for name in ["ip", "ip.isCanonical", "exists", "url", "_+_"] {
            assert!(words.can_mean(name), "{name}");
        }
        for name in ["isIP", "cidr", "exist", "ip.family", "cel.@mapInsert"] {
            assert!(!words.can_mean(name), "{name}");
        }
    }
}
