//! The steps of a program, each owning those below it.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::cost::Rule;
use super::library::Function;
use super::map::Entries;
use super::value::Value;
use crate::re2::Regex;

/// A step of a program.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Const(Value<'static>),
    Attribute(Box<Attribute>),
    And(Box<[Node; 2]>),
    Or(Box<[Node; 2]>),
    /// `@not_strictly_false`
    NotFalse(Box<Node>),
    /// `a.or(b)`, and `a.orValue(b)` where the value is taken out: the second is evaluated only if it is needed.
    Otherwise {
        parts: Box<[Node; 2]>,
        is_unwrapped: bool,
    },
    Call(Box<Call>),
    /// `x in [constants]`
    InSet(Box<(Node, Entries<'static>)>),
    /// The elements, and the indices of optional ones.
    List(Box<[Node]>, Box<[u32]>),
    /// Keys, values, and whether they are optional.
    Map(Box<[(Node, Node, bool)]>),
    /// `accumulator + [element]`; whether the list is made anew each time.
    Append {
        slot: usize,
        element: Box<Node>,
        is_constant: bool,
    },
    /// `cel.@mapInsert(accumulator, key, value)` or with a map of entries.
    Insert {
        slot: usize,
        key: Box<Node>,
        value: Option<Box<Node>>,
    },
    Fold(Box<Fold>),
    /// A loop that is `all` or `exists`.
    Search(Box<Search>),
    /// A value with a name, evaluated when it is read: the slot, the number of the value, the result.
    Let(usize, Box<Node>),
}

/// A variable or a value, and what is selected from it.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) base: Base,
    pub(super) qualifiers: Vec<Qualifier>,
    /// `has(...)`
    pub(super) is_test: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Base {
    Slot(usize),
    /// A slot that the value of that number fills when it is read.
    Lazy(usize, usize),
    Value(Node),
    /// Condition, and the two branches.
    Conditional(Box<[Node; 3]>),
    /// A name that nothing has.
    Unknown(Box<str>),
}

/// One step of a selection.
#[derive(Clone, Debug)]
pub(super) struct Qualifier {
    pub(super) key: Key,
    /// `.?` or `[?]`
    pub(super) is_optional: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Key {
    /// A constant, and the name of the property where it is another.
    Const(Value<'static>, Option<Box<str>>, Hint),
    Node(Node),
}

/// A call of a function.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) function: Function,
    pub(super) args: Box<[Node]>,
    pub(super) rule: Rule,
    /// The pattern, where it is a literal.
    pub(super) regex: Option<Regex>,
    pub(super) name: Box<str>,
    /// What it compares, where it does nothing else.
    pub(super) comparison: Option<Comparison>,
}

/// A call that compares.
#[derive(Clone, Copy, Debug)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "_==_" => Self::Equal,
            "_!=_" => Self::NotEqual,
            "_<_" => Self::Less,
            "_<=_" => Self::LessEqual,
            "_>_" => Self::Greater,
            "_>=_" => Self::GreaterEqual,
            _ => return None,
        })
    }

    pub(super) fn of<T: PartialOrd>(self, left: &T, right: &T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
        }
    }
}

/// A loop.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    pub(super) range: Node,
    pub(super) var: usize,
    pub(super) var2: Option<usize>,
    pub(super) accumulator: usize,
    pub(super) init: Node,
    pub(super) condition: Node,
    pub(super) step: Node,
    pub(super) result: Node,
}

/// A loop that looks for an element with which the predicate is `deciding`.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub(super) range: Node,
    pub(super) var: usize,
    pub(super) var2: Option<usize>,
    pub(super) predicate: Node,
    pub(super) deciding: bool,
}

impl Node {
    /// Whether it is what stands in a slot, and no more.
    pub(super) fn is_slot(&self, slot: usize) -> bool {
        match self {
            Self::Attribute(attribute) => {
                attribute.qualifiers.is_empty()
                    && !attribute.is_test
                    && matches!(attribute.base, Base::Slot(own) if own == slot)
            }
            _ => false,
        }
    }

    pub(super) fn is_negation_of(&self, slot: usize) -> bool {
        matches!(self, Self::Call(call) if &*call.name == "!_" && matches!(&*call.args, [arg] if arg.is_slot(slot)))
    }
}

/// Where a field was found last in a sorted list of fields: a hint, which is checked.
#[derive(Debug, Default)]
pub(super) struct Hint(AtomicUsize);

impl Hint {
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, index: usize) {
        self.0.store(index, Ordering::Relaxed);
    }
}

impl Clone for Hint {
    fn clone(&self) -> Self {
        Self(AtomicUsize::new(self.get()))
    }
}
