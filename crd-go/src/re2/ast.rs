//! The tree of a parsed pattern.

use std::sync::Arc;

use super::class::{ClassUnicode, Look};

/// A node of a pattern, with the numbers that Go limits.
#[derive(Clone, Debug)]
pub(super) struct Ast {
    pub(super) kind: Kind,
    /// The height of the tree.
    pub(super) height: u32,
    /// The number of instructions.
    pub(super) size: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Empty,
    /// A sequence of characters; `true` if case does not matter.
    Literal(String, bool),
    /// Shared by all equal parts of a pattern.
    Class(Arc<ClassUnicode>),
    Look(Look),
    Capture(Box<Ast>),
    Concat(Vec<Ast>),
    Alternate(Vec<Ast>),
    Repeat(Repeat),
}

#[derive(Clone, Debug)]
pub(super) struct Repeat {
    pub(super) inner: Box<Ast>,
    pub(super) least: u32,
    pub(super) most: Option<u32>,
    pub(super) is_greedy: bool,
    /// `true` if the repetition was written with braces: only these repetitions are limited.
    pub(super) is_counted: bool,
}

impl Ast {
    pub(super) fn leaf(kind: Kind) -> Self {
        let size = match &kind {
            Kind::Literal(text, _) => text.chars().count() as u64,
            _ => 1,
        };
        Self { kind, height: 1, size }
    }

    pub(super) fn capture(inner: Self) -> Self {
        let (height, size) = (inner.height + 1, inner.size.saturating_add(2));
        Self { kind: Kind::Capture(Box::new(inner)), height, size }
    }

    pub(super) fn repeat(repeat: Repeat) -> Self {
        let inner = repeat.inner.size;
        let size = match (repeat.is_counted, repeat.least, repeat.most) {
            (_, 0, None) => inner.saturating_add(2),
            (false, ..) => inner.saturating_add(1),
            (true, least, None) => inner.saturating_mul(least.into()).saturating_add(1),
            (true, least, Some(most)) => {
                inner.saturating_mul(most.into()).saturating_add(u64::from(most.saturating_sub(least)))
            }
        };
        Self { height: repeat.inner.height + 1, size: size.max(1), kind: Kind::Repeat(repeat) }
    }

    pub(super) fn concat(mut parts: Vec<Self>) -> Self {
        match parts.len() {
            0 => Self::leaf(Kind::Empty),
            1 => parts.swap_remove(0),
            _ => {
                let (height, size) = Self::over(&parts, 0);
                Self { kind: Kind::Concat(parts), height, size }
            }
        }
    }

    pub(super) fn alternate(mut branches: Vec<Self>) -> Self {
        if branches.len() == 1 {
            return branches.swap_remove(0);
        }
        let (height, size) = Self::over(&branches, branches.len().saturating_sub(1) as u64);
        Self { kind: Kind::Alternate(branches), height, size }
    }

    fn over(parts: &[Self], more: u64) -> (u32, u64) {
        let height = parts.iter().map(|part| part.height).max().unwrap_or(0) + 1;
        let size = parts.iter().fold(more, |size, part| size.saturating_add(part.size));
        (height, size.max(1))
    }

    /// Returns `true` if every counted repetition, including nested ones, makes at most `most` copies.
    pub(super) fn repeats_at_most(&self, most: u32) -> bool {
        match &self.kind {
            Kind::Repeat(repeat) => {
                let count = repeat.most.unwrap_or(repeat.least);
                if !repeat.is_counted {
                    return repeat.inner.repeats_at_most(most);
                }
                if repeat.most == Some(0) {
                    return true;
                }
                count <= most && repeat.inner.repeats_at_most(most.checked_div(count).unwrap_or(most))
            }
            Kind::Capture(inner) => inner.repeats_at_most(most),
            Kind::Concat(parts) | Kind::Alternate(parts) => {
                parts.iter().all(|part| part.repeats_at_most(most))
            }
            Kind::Empty | Kind::Literal(..) | Kind::Class(_) | Kind::Look(_) => true,
        }
    }
}
