//! Conversion of a parsed pattern to the representation of `regex-automata`.

use regex_syntax::hir::{Class, Hir, Repetition};

use super::ast::{Ast, Kind};
use super::class::cases;

/// Converts a pattern. Groups are dropped, because their matches are not needed.
pub(super) fn translate(ast: &Ast) -> Hir {
    match &ast.kind {
        Kind::Empty => Hir::empty(),
        Kind::Literal(text, false) => Hir::literal(text.as_bytes()),
        Kind::Literal(text, true) => {
            Hir::concat(text.chars().map(|c| Hir::class(Class::Unicode(cases(c)))).collect())
        }
        Kind::Class(class) => Hir::class(Class::Unicode(class.as_ref().clone())),
        Kind::Look(look) => Hir::look(*look),
        Kind::Capture(inner) => translate(inner),
        Kind::Concat(parts) => Hir::concat(parts.iter().map(translate).collect()),
        Kind::Alternate(branches) => Hir::alternation(branches.iter().map(translate).collect()),
        Kind::Repeat(repeat) => Hir::repetition(Repetition {
            min: repeat.least,
            max: repeat.most,
            greedy: repeat.is_greedy,
            sub: Box::new(translate(&repeat.inner)),
        }),
    }
}

/// Returns the number of nodes of the converted pattern.
pub(super) fn parts(ast: &Ast) -> usize {
    let inside = match &ast.kind {
        Kind::Literal(text, true) => text.chars().count(),
        Kind::Capture(inner) => parts(inner),
        Kind::Concat(all) | Kind::Alternate(all) => all.iter().map(parts).sum(),
        Kind::Repeat(repeat) => parts(&repeat.inner),
        Kind::Empty | Kind::Literal(_, false) | Kind::Class(_) | Kind::Look(_) => 0,
    };
    inside + 1
}
