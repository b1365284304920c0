//! The nodes of a program. They form a tree: each node owns its operands.

use std::borrow::Cow;

use super::hint::Hint;
use super::implementation::Implementation;
use super::map::Constants;
use super::message::Message;
use super::pattern::Pattern;
use super::price::Charge;
use super::value::Value;
use crate::operator::Operator;

/// A node of a compiled program.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Const(Value<'static>),
    Attribute(Box<Attribute>),
    And(Box<[Node; 2]>),
    Or(Box<[Node; 2]>),
    /// `@not_strictly_false`
    NotFalse(Box<Node>),
    /// `a.or(b)`, or `a.orValue(b)`, which returns the contained value. `b` is evaluated only if `a` is empty.
    Otherwise {
        parts: Box<[Node; 2]>,
        is_unwrapped: bool,
    },
    Call(Box<Call>),
    /// `x in [constants]`
    InSet(Box<(Node, Constants)>),
    /// A list, with its elements and the indices of optional elements.
    List(Box<[Node]>, Box<[u32]>),
    /// A map. Each entry has a key, a value, and `true` if it is optional.
    Map(Box<[(Node, Node, bool)]>),
    /// A message. Each field has a name, a value, and `true` if it is optional.
    Message(Message, Box<[(Box<str>, Node, bool)]>),
    /// `accumulator + [element]`. If `is_constant` is `true`, the element is a constant, so the list `[element]` is created only once.
    Append {
        slot: usize,
        element: Box<Node>,
        is_constant: bool,
    },
    /// `cel.@mapInsert(accumulator, key, value)`, or `cel.@mapInsert(accumulator, entries)`.
    Insert {
        slot: usize,
        key: Box<Node>,
        value: Option<Box<Node>>,
    },
    Fold(Box<Fold>),
    /// The macro `all`, `exists` or `exists_one`.
    Search(Box<Search>),
    /// The macro `map`, `filter` or `transformList`.
    Gather(Box<Gather>),
    /// The expression of a `cel.bind`, with the slot of the named value. The value is evaluated when it is read.
    Let(usize, Box<Node>),
}

/// A variable or a value, followed by selections.
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
    /// A slot for a named value. The value is evaluated at the first read.
    Lazy(usize, usize),
    Value(Node),
    /// The condition and the two branches.
    Conditional(Box<[Node; 3]>),
    /// A name that is not defined.
    Unknown(Box<str>),
}

/// One step of a selection.
#[derive(Clone, Debug)]
pub(super) struct Qualifier {
    pub(super) key: QualifierKey,
    /// `.?` or `[?]`
    pub(super) is_optional: bool,
}

#[derive(Clone, Debug)]
pub(super) enum QualifierKey {
    /// A constant, and the property's name if this differs from the constant.
    Const(Value<'static>, Option<Box<str>>, Hint),
    Node(Node),
}

/// A call of a function.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) implementation: Implementation,
    pub(super) args: Box<[Node]>,
    pub(super) charge: Charge,
    /// The pattern, if it is a literal.
    pub(super) pattern: Option<Pattern>,
    /// `true` if evaluation stops at the first argument that fails. Otherwise, a call with two arguments evaluates both arguments.
    pub(super) is_variadic: bool,
    pub(super) name: Cow<'static, str>,
}

/// The loop of a macro that cannot be evaluated directly.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    pub(super) range: Node,
    pub(super) var: usize,
    pub(super) var2: Option<usize>,
    pub(super) accumulator: usize,
    pub(super) init: Node,
    /// `None` if the loop visits all elements.
    pub(super) condition: Option<Node>,
    pub(super) step: Node,
    pub(super) result: Node,
}

/// A loop that evaluates a predicate for each element of a list, or each key of a map.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub(super) range: Node,
    pub(super) var: usize,
    pub(super) var2: Option<usize>,
    pub(super) predicate: Node,
    pub(super) aim: Aim,
}

/// A loop that builds a list.
#[derive(Clone, Debug)]
pub(super) struct Gather {
    pub(super) range: Node,
    pub(super) var: usize,
    pub(super) var2: Option<usize>,
    /// The condition for adding an element.
    pub(super) filter: Option<Node>,
    pub(super) element: Node,
    /// `true` if all elements are the same constant.
    pub(super) is_constant: bool,
}

/// The result of a search.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim {
    /// `true` if the predicate has this value for some element.
    First(bool),
    /// `true` if the predicate is true for exactly one element.
    One,
}

impl Node {
    /// Returns `true` if the node reads the slot, without a selection.
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

    /// Returns `true` if the node is a call to this operator, with arguments for which `args` returns `true`.
    pub(super) fn is_call(&self, operator: Operator, args: impl FnOnce(&[Self]) -> bool) -> bool {
        matches!(self, Self::Call(call) if call.name == operator.name() && args(&call.args))
    }
}
