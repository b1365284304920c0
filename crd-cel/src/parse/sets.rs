//! Sets of tokens that can begin or follow a grammar rule.

use crate::lex::TokenKind;
use crate::recover::Set;

pub(super) const OPERAND: Set = Set::from_kinds(&[
    TokenKind::LeftBracket,
    TokenKind::LeftBrace,
    TokenKind::LeftParen,
    TokenKind::Dot,
    TokenKind::Minus,
    TokenKind::True,
    TokenKind::False,
    TokenKind::Null,
    TokenKind::Float,
    TokenKind::Int,
    TokenKind::Uint,
    TokenKind::String,
    TokenKind::Bytes,
    TokenKind::Ident,
]);
pub(super) const EXPRESSION: Set = OPERAND.and(Set::from_kinds(&[TokenKind::Not]));
pub(super) const OPTIONAL_EXPRESSION: Set = EXPRESSION.and(Set::from_kinds(&[TokenKind::Question]));
pub(super) const FIELD: Set = Set::from_kinds(&[TokenKind::Ident, TokenKind::EscapedIdent]);
pub(super) const OPTIONAL_FIELD: Set = FIELD.and(Set::from_kinds(&[TokenKind::Question]));
const BINARY_OPERATORS: Set = Set::from_kinds(&[
    TokenKind::Star,
    TokenKind::Slash,
    TokenKind::Percent,
    TokenKind::Plus,
    TokenKind::Minus,
    TokenKind::Less,
    TokenKind::LessEquals,
    TokenKind::Greater,
    TokenKind::GreaterEquals,
    TokenKind::Equals,
    TokenKind::NotEquals,
    TokenKind::In,
    TokenKind::And,
    TokenKind::Or,
]);
/// The tokens that can follow an operand: an operator, or the end of the expression.
pub(super) const OPERATORS: Set = Set::RULE_END.and(BINARY_OPERATORS);
pub(super) const OPERATORS_THEN_COLON: Set = BINARY_OPERATORS.and(Set::from_kinds(&[TokenKind::Colon]));
pub(super) const MEMBER_END: Set =
    Set::RULE_END.and(Set::from_kinds(&[TokenKind::Dot, TokenKind::LeftBracket]));

/// Returns the set of following tokens for a grammar rule that only `kind` can follow.
pub(super) const fn until(kind: TokenKind) -> Set {
    Set::from_kinds(&[kind])
}
