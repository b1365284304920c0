//! Compiles calls: chooses the function's implementation and cost, or a special program node.

use std::borrow::Cow;

use super::{Planned, Planner, attribute, field_key, qualified};
use crate::ast::{Expr, ExprId, ExprList};
use crate::declare::Library;
use crate::eval::Error;
use crate::eval::hint::Hint;
use crate::eval::implementation::{Code, Form, Implementation};
use crate::eval::map::Constants;
use crate::eval::meter::Meter;
use crate::eval::node::{Base, Call, Node, Qualifier, QualifierKey};
use crate::eval::pattern::Pattern;
use crate::eval::price::{Charge, Price};
use crate::eval::value::Value;
use crate::functions::{self, Conversion, Row};
use crate::instantiate::no_such_overload;
use crate::names::undotted;
use crate::operator::Operator;

impl Planner<'_, '_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        function: &str,
        target: Option<ExprId>,
        args: ExprList,
    ) -> Planned {
        let function = undotted(function);
        let (operation, ids) = match self.gathered(function, self.ast.list(args)) {
            Some(gathered) => gathered,
            None => {
                let (callee, is_namespaced) = self.callee(id, function, target);
                let target = target.filter(|_| !is_namespaced);
                let ids = target.iter().chain(self.ast.list(args)).copied().collect();
                (Operation::Call(callee), ids)
            }
        };
        let nodes = self.nodes(&ids)?;
        match operation {
            Operation::Call(callee) => self.assemble(callee, nodes),
            Operation::Append(slot) => append(slot, nodes),
            Operation::Insert(slot) => insert(slot, nodes),
        }
    }

    /// Recognizes a macro's step that adds to a list or a map. Returns the operation and the added expressions.
    fn gathered(&self, function: &str, args: &[ExprId]) -> Option<(Operation, Vec<ExprId>)> {
        match (Operator::named(function)?, args) {
            (Operator::Add, [accumulator, list]) => {
                let (slot, element) = self.appended(*accumulator, *list)?;
                Some((Operation::Append(slot), vec![element]))
            }
            (Operator::MapInsert, [accumulator, rest @ ..]) => {
                Some((Operation::Insert(self.accumulator(*accumulator)?), rest.to_vec()))
            }
            _ => None,
        }
    }

    /// Returns the called function, and `true` if `target` is a namespace and not a receiver.
    fn callee(&self, id: ExprId, function: &str, target: Option<ExprId>) -> (Callee, bool) {
        if let Some((overloads @ [first, ..], is_namespaced)) = self.references.overloads(id) {
            let row = first.row();
            let callee = match overloads {
                [_] => Callee::new(row, row.price.charge()),
                _ => {
                    let charge = Price::undecided(overloads.iter().map(|overload| overload.row().price));
                    // The server selects an overload by the list of arguments; an operator has a single function for
                    // all overloads.
                    let is_variadic = Operator::named(row.function).is_none();
                    Callee { is_variadic, ..Callee::new(row, charge) }
                }
            };
            return (callee, is_namespaced);
        }
        let library = Library::get();
        let namespaced = target
            .and_then(|target| self.dotted(target))
            .and_then(|namespace| library.namespaced(&namespace, function));
        let Some(overloads) = namespaced.clone().or_else(|| library.function(function)) else {
            return (Callee::unknown(function), false);
        };
        let rows = &functions::rows()[overloads];
        let charge = Price::likely(rows.iter().map(|row| row.price));
        (Callee::new(&rows[0], charge), namespaced.is_some())
    }

    fn assemble(&mut self, callee: Callee, nodes: Vec<Node>) -> Planned {
        let Code::Form(form) = callee.implementation.code else {
            return self.function_call(callee, nodes);
        };
        match (form, nodes.len()) {
            (Form::And, 2) => pair(nodes).map(|terms| Node::And(terms.into())),
            (Form::Or, 2) => pair(nodes).map(|terms| Node::Or(terms.into())),
            (Form::Otherwise { is_unwrapped }, 2) => {
                pair(nodes).map(|parts| Node::Otherwise { parts: parts.into(), is_unwrapped })
            }
            (Form::Conditional, 3) => {
                let parts: [Node; 3] = nodes.try_into().map_err(|_| Error::no_such_overload())?;
                Ok(attribute(Base::Conditional(Box::new(parts))))
            }
            (Form::NotFalse, 1) => nodes
                .into_iter()
                .next()
                .map(|arg| Node::NotFalse(Box::new(arg)))
                .ok_or(Error::no_such_overload()),
            (Form::Index { is_optional }, 2) => {
                let [operand, index] = pair(nodes)?;
                let key = match index {
                    Node::Const(Value::String(name)) => field_key(&name),
                    Node::Const(value) => match value.no_qualifier() {
                        None => QualifierKey::Const(value, None, Hint::default()),
                        Some(kind) => return Err(Error::text(format!("invalid qualifier type: {kind}"))),
                    },
                    node => QualifierKey::Node(node),
                };
                Ok(qualified(operand, Qualifier { key, is_optional }, false))
            }
            _ => self.function_call(callee, nodes),
        }
    }

    fn function_call(&mut self, callee: Callee, nodes: Vec<Node>) -> Planned {
        let Callee { name, implementation, charge, is_variadic } = callee;
        // A call that can also search a map is not replaced by a look-up.
        if charge == Charge::Size
            && let Some(set) = constant_set(&nodes)
        {
            return Ok(set);
        }
        let pattern = match (implementation.code, nodes.get(1)) {
            (Code::Pattern(_), Some(Node::Const(Value::String(pattern)))) => {
                Some(Pattern::new(pattern, self.automata)?)
            }
            _ => None,
        };
        // Conversions of constants are done once, and their failure rejects the rule.
        if let ([Node::Const(value)], Some(_)) = (&*nodes, Conversion::named(&name)) {
            let mut meter = Meter::for_constants(self.references.server());
            return match implementation.call(&mut meter, std::slice::from_ref(value), None) {
                Ok(value) => Ok(Node::Const(value)),
                Err(error) if error == Error::no_such_overload() => {
                    Err(Error::text(no_such_overload(&name, value.type_name())))
                }
                Err(error) => Err(error),
            };
        }
        // If the pattern is a literal, the server replaces the call.
        let is_variadic = is_variadic || pattern.is_some();
        let args = nodes.into();
        Ok(Node::Call(Box::new(Call { implementation, args, charge, pattern, is_variadic, name })))
    }

    /// Returns the slot of the accumulator that an expression reads.
    fn accumulator(&self, id: ExprId) -> Option<usize> {
        let Expr::Ident(name) = self.ast.expr(id) else { return None };
        if !crate::ast::is_accumulator(name) {
            return None;
        }
        match self.variable(name) {
            Node::Attribute(attribute) => match attribute.base {
                Base::Slot(slot) => Some(slot),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the slot and the element of `accumulator + [element]`.
    fn appended(&self, accumulator: ExprId, list: ExprId) -> Option<(usize, ExprId)> {
        let Expr::List { elements, optional } = self.ast.expr(list) else { return None };
        match (self.ast.list(*elements), &**optional) {
            ([element], []) => Some((self.accumulator(accumulator)?, *element)),
            _ => None,
        }
    }
}

/// A call, or an operation in a macro that replaces a call.
enum Operation {
    Call(Callee),
    /// Adds an element to the list in a slot.
    Append(usize),
    /// Adds an entry to the map in a slot.
    Insert(usize),
}

/// The function that a call refers to.
struct Callee {
    name: Cow<'static, str>,
    implementation: Implementation,
    charge: Charge,
    is_variadic: bool,
}

impl Callee {
    fn new(row: &'static Row, charge: Charge) -> Self {
        Self {
            name: Cow::Borrowed(row.function),
            implementation: row.implementation,
            charge,
            is_variadic: row.implementation.is_variadic,
        }
    }

    /// Returns a callee for a function that does not exist. This becomes an error only when the call is evaluated.
    fn unknown(name: &str) -> Self {
        Self {
            name: Cow::Owned(name.to_owned()),
            implementation: Implementation::UNKNOWN,
            charge: Charge::One,
            is_variadic: false,
        }
    }
}

fn pair(nodes: Vec<Node>) -> Result<[Node; 2], Error> {
    nodes.try_into().map_err(|_| Error::no_such_overload())
}

fn append(slot: usize, nodes: Vec<Node>) -> Planned {
    let element = nodes.into_iter().next().ok_or(Error::no_such_overload())?;
    let is_constant = matches!(element, Node::Const(_));
    Ok(Node::Append { slot, element: Box::new(element), is_constant })
}

fn insert(slot: usize, nodes: Vec<Node>) -> Planned {
    let mut nodes = nodes.into_iter().map(Box::new);
    let key = nodes.next().ok_or(Error::no_such_overload())?;
    Ok(Node::Insert { slot, key, value: nodes.next() })
}

/// Compiles `in` with a list of constants to a lookup. The API server does not charge for such a lookup.
fn constant_set(nodes: &[Node]) -> Option<Node> {
    let [needle, Node::Const(Value::List(list))] = nodes else { return None };
    if list.is_empty() {
        return Some(Node::Const(Value::Bool(false)));
    }
    let mut set = Constants::default();
    for element in list.iter() {
        let element = element.ok()?;
        if !matches!(
            element,
            Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_)
        ) {
            return None;
        }
        set.insert(&element);
    }
    Some(Node::InSet(Box::new((needle.clone(), set))))
}
