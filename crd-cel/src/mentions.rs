//! Checks whether a rule uses a variable. This is a separate module, without the parser, because compiling the parser would take longer
//! than compiling all callers of this function.

use crd_go::KubeVersion;

use crate::lex::{Token, TokenKind, lex};

/// The macros whose first argument declares a variable.
pub(crate) const MACROS: [&str; 12] = [
    "all",
    "exists",
    "existsOne",
    "exists_one",
    "filter",
    "map",
    "optFlatMap",
    "optMap",
    "sortBy",
    "transformList",
    "transformMap",
    "transformMapEntry",
];

/// Returns `true` if a rule uses the variable `name`. The name does not count in strings and comments, as a field name, or if a macro
/// declares the variable.
///
/// ```
/// assert!(crd_cel::mentions("self.all(item, item in oldSelf)", "oldSelf"));
/// assert!(!crd_cel::mentions("self.oldSelf != 'oldSelf'", "oldSelf"));
/// ```
#[must_use]
pub fn mentions(rule: &str, name: &str) -> bool {
    // Names have no escapes, so that most rules need no tokens.
    if !rule.contains(name) {
        return false;
    }
    let tokens = lex(rule, KubeVersion::default()).tokens;
    let text = |token: &Token| &rule[token.start as usize..token.end as usize];
    let is_variable = |(i, token): (usize, &Token)| {
        let before = |steps: usize| Some(tokens[i.checked_sub(steps)?]);
        let is_kind = |token: Option<Token>, kind: TokenKind| token.is_some_and(|token| token.kind == kind);
        let is_field = match before(1).map(|token| token.kind) {
            // A dot in front of a name is not one behind a value.
            Some(TokenKind::Dot) => before(2).is_some_and(|token| ends_operand(token.kind)),
            Some(TokenKind::Question) => is_kind(before(2), TokenKind::Dot),
            _ => false,
        };
        let is_declared = is_kind(before(1), TokenKind::LeftParen)
            && is_kind(tokens.get(i + 1).copied(), TokenKind::Comma)
            && before(2).is_some_and(|token| MACROS.contains(&text(&token)))
            && is_kind(before(3), TokenKind::Dot);
        token.kind == TokenKind::Ident && text(token) == name && !is_field && !is_declared
    };
    tokens.iter().enumerate().any(is_variable)
}

pub(crate) fn ends_operand(kind: TokenKind) -> bool {
    use TokenKind::{
        Bytes, EscapedIdent, False, Float, Ident, Int, Null, RightBrace, RightBracket, RightParen, String,
        True, Uint,
    };
    matches!(
        kind,
        Ident
            | EscapedIdent
            | RightParen
            | RightBracket
            | RightBrace
            | String
            | Bytes
            | Int
            | Uint
            | Float
            | True
            | False
            | Null
    )
}

#[cfg(all(test, feature = "parse"))]
mod tests {
    use super::*;

    #[test]
    fn finds_what_the_parser_finds() {
        for rule in [
            "self.a >= oldSelf.a",
            "oldSelf",
            "oldSelf.orValue(1) == self",
            "self.items.exists(i, !oldSelf.items.all(j, j != i))",
            "!has(.oldSelf.a) || has(self.a)",
            "self.oldSelf == 'oldSelf'",
            "self[\"oldSelf\"] == 1 // oldSelf",
            "self[oldSelf]",
            "[oldSelf]",
            "{'a': oldSelf}",
            "{oldSelf: 1}",
            "has(self.oldSelf)",
            "has(oldSelf.self)",
            "self.?oldSelf.orValue(1) == 1",
            "self.a ? oldSelf : self",
            "self.l.all(oldSelf, true)",
            "self.l.all(oldSelf, oldSelf > 1)",
            "self.s.replace(oldSelf, 'x') == ''",
            "self.s.charAt(oldSelf) == ''",
            "oldSelfie == 1",
            "r'\\' == oldSelf",
            "'''oldSelf''' == b'oldSelf'",
            "size(oldSelf) == 1",
            "1 .oldSelf",
            "self.l.map(i, oldSelf, i)",
        ] {
            let Ok(ast) = crate::parse(rule) else { continue };
            assert_eq!(mentions(rule, "oldSelf"), ast.uses("oldSelf"), "{rule}");
        }
    }
}
