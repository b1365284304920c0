//! The steps of a program, as a tree in which each step owns its operands.

use std::borrow::Cow;

use super::hint::Hint;
use super::implementation::Implementation;
use super::map::Constants;
use super::message::Message;
use super::pattern::Pattern;
use super::price::Charge;
use super::value::Value;
use crate::operator::Operator;

/// A step of a compiled program.
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
    /// A list: the elements, and the indices of the optional elements.
    List(Box<[Node]>, Box<[u32]>),
    /// A map: the key and the value of each entry, and `true` if the entry is optional.
    Map(Box<[(Node, Node, bool)]>),
    /// A message: the name and the value of each field, and `true` if the field is optional.
    Message(Message, Box<[(Box<str>, Node, bool)]>),
    /// `accumulator + [element]`. If the element is a constant, `is_constant` is `true`, and the list `[element]` is not
    /// created again each time.
    Append {
        slot: usize,
        element: Box<Node>,
        is_constant: bool,
    },
    /// `cel.@mapInsert(accumulator, key, value)`, or `cel.@mapInsert(accumulator, entries)` with a map of entries.
    Insert {
        slot: usize,
        key: Box<Node>,
        value: Option<Box<Node>>,
    },
    Fold(Box<Fold>),
    /// A loop that is `all`, `exists` or `exists_one`.
    Search(Box<Search>),
    /// A loop that is `map`, `filter` or `transformList`.
    Gather(Box<Gather>),
    /// An expression that reads a named value: the slot of the value, and the expression. The value is evaluated when it is
    /// read.
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
    /// A slot that is filled with a named value when it is read.
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
    /// A constant, with the name of the property if it differs from the constant.
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
    /// `true` if evaluation stops at the first argument that fails. Other calls with two arguments evaluate both.
    pub(super) is_variadic: bool,
    pub(super) name: Cow<'static, str>,
}

/// A loop of a macro that has no direct evaluation.
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

/// A loop that evaluates a predicate for the elements of a list or a map.
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

/// The result that a search computes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim {
    /// `true` if there is an element whose predicate has this value.
    First(bool),
    /// `true` if there is exactly one element whose predicate is true.
    One,
}

impl Node {
    /// Returns `true` if the node reads the slot and selects nothing from it.
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

    /// Returns `true` if the node is a call of this operator, and `args` returns `true` for its arguments.
    pub(super) fn is_call(&self, operator: Operator, args: impl FnOnce(&[Self]) -> bool) -> bool {
        matches!(self, Self::Call(call) if call.name == operator.name() && args(&call.args))
    }
}
