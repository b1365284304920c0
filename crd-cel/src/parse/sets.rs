//! The sets of tokens that can begin or follow the rules of the grammar.

use crate::lex::Kind;
use crate::recover::Set;

pub(super) const OPERAND: Set = Set::of(&[
    Kind::LeftBracket,
    Kind::LeftBrace,
    Kind::LeftParen,
    Kind::Dot,
    Kind::Minus,
    Kind::True,
    Kind::False,
    Kind::Null,
    Kind::Float,
    Kind::Int,
    Kind::Uint,
    Kind::String,
    Kind::Bytes,
    Kind::Ident,
]);
pub(super) const EXPRESSION: Set = OPERAND.and(Set::of(&[Kind::Not]));
pub(super) const OPTIONAL_EXPRESSION: Set = EXPRESSION.and(Set::of(&[Kind::Question]));
pub(super) const FIELD: Set = Set::of(&[Kind::Ident, Kind::EscapedIdent]);
pub(super) const OPTIONAL_FIELD: Set = FIELD.and(Set::of(&[Kind::Question]));
/// The tokens that can follow an operand: an operator, or the end of the expression.
pub(super) const OPERATORS: Set = Set::RULE_END.and(Set::of(&[
    Kind::Star,
    Kind::Slash,
    Kind::Percent,
    Kind::Plus,
    Kind::Minus,
    Kind::Less,
    Kind::LessEquals,
    Kind::Greater,
    Kind::GreaterEquals,
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
    Kind::And,
    Kind::Or,
]));
pub(super) const MEMBER_END: Set = Set::RULE_END.and(Set::of(&[Kind::Dot, Kind::LeftBracket]));

/// A rule that cannot end but with `kind`.
pub(super) const fn until(kind: Kind) -> Set {
    Set::of(&[kind])
}

pub(super) const OPERATORS_THEN_COLON: Set = Set::of(&[
    Kind::Star,
    Kind::Slash,
    Kind::Percent,
    Kind::Plus,
    Kind::Minus,
    Kind::Less,
    Kind::LessEquals,
    Kind::Greater,
    Kind::GreaterEquals,
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
    Kind::And,
    Kind::Or,
    Kind::Colon,
]);
