//! Turns a syntax tree into the nodes of a program: variables become slots, selections one attribute, functions
//! pointers, and what is constant is evaluated once.

use std::borrow::Cow;
use std::sync::Arc;

use super::Error;
use super::library::{self, Form, Function, Implementation};
use super::map::{Constants, Entries};
use super::meter::Meter;
use super::node::{Attribute, Base, Call, Fold, Gather, Hint, Key, Node, Qualifier, Search};
use super::pattern::Pattern;
use super::price::{Charge, Price};
use super::program::{Program, References};
use super::value::{Blob, Text, Value};
use crate::ast::{Ast, Comprehension, Expr, ExprId, ExprList, Literal, MapEntry};
use crate::check::undotted;
use crate::declare::Library;
use crate::functions::{self, Conversion, Row};
use crate::instantiate::no_such_overload;
use crate::names::unescape_name;
use crate::operator::Operator;

/// Compiles a tree.
pub(super) fn plan(
    ast: &Ast<'_>,
    references: &dyn References,
    variables: &[&str],
    automata: &mut usize,
) -> Result<Program, Error> {
    let mut planner = Planner {
        ast,
        references,
        scope: variables.iter().enumerate().map(|(slot, name)| ((*name).to_owned(), slot, None)).collect(),
        variables: variables.len(),
        slots: variables.len(),
        lazy: Vec::new(),
        automata,
    };
    let root = planner.node(ast.root())?;
    Ok(Program {
        root,
        lazy: planner.lazy,
        variables: variables.iter().map(|name| (*name).into()).collect(),
        slots: planner.slots,
    })
}

struct Planner<'a, 's> {
    /// How many more patterns may become automata.
    automata: &'a mut usize,
    ast: &'a Ast<'s>,
    references: &'a dyn References,
    /// Names in scope, their slots, and the numbers of lazy values.
    scope: Vec<(String, usize, Option<usize>)>,
    /// How many of them are not from loops.
    variables: usize,
    slots: usize,
    lazy: Vec<Node>,
}

type Planned = Result<Node, Error>;

impl Planner<'_, '_> {
    fn node(&mut self, id: ExprId) -> Planned {
        match self.ast.expr(id) {
            Expr::Literal(literal) => Ok(Node::Const(constant(literal))),
            Expr::Ident(name) if self.references.is_type(id) => type_value(name),
            Expr::Ident(name) => Ok(self.variable(name)),
            Expr::Select { operand, field, test_only } => self.select(id, *operand, field, *test_only),
            Expr::Call { function, target, args } => self.call(id, function, *target, *args),
            Expr::List { elements, optional } => {
                let nodes = self.nodes(self.ast.list(*elements))?;
                Ok(list(nodes, optional))
            }
            Expr::Map(entries) => {
                let ids: Vec<ExprId> = entries.iter().flat_map(|entry| [entry.key, entry.value]).collect();
                let nodes = self.nodes(&ids)?;
                map(nodes, entries)
            }
            Expr::Comprehension(fold) => self.comprehension(fold),
            Expr::Struct { type_name, .. } => Err(Error::text(format!("unknown type: {type_name}"))),
            Expr::Error => Err(Error::new("unexpected failed resolution")),
        }
    }

    fn variable(&self, name: &str) -> Node {
        let plain = undotted(name);
        let found = self
            .scope
            .iter()
            .rev()
            .find(|(known, ..)| known == plain && (plain == name || !known.starts_with('.')));
        let base = match found {
            Some((_, slot, None)) => Base::Slot(*slot),
            Some((_, slot, Some(lazy))) => Base::Lazy(*slot, *lazy),
            None => match library::type_named(plain) {
                Some(name) => return Node::Const(Value::Type(name.into())),
                None => Base::Unknown(plain.into()),
            },
        };
        attribute(base)
    }

    /// `a.b.c`, where it is one and has no call in it.
    fn dotted(&self, id: ExprId) -> Option<String> {
        match self.ast.expr(id) {
            Expr::Ident(name) => Some(undotted(name).to_owned()),
            Expr::Select { operand, field, test_only: false } => {
                Some(format!("{}.{field}", self.dotted(*operand)?))
            }
            _ => None,
        }
    }

    /// Whether a dotted name begins with the variable of a loop, which hides what is called so outside.
    fn is_local(&self, dotted: &str) -> bool {
        let first = dotted.split('.').next().unwrap_or_default();
        self.scope[self.variables..].iter().any(|(name, ..)| name == first)
    }

    fn select(&mut self, id: ExprId, operand: ExprId, field: &str, is_test: bool) -> Planned {
        if let Some(name) = self.dotted(id).filter(|name| !is_test && !self.is_local(name)) {
            if let Some((_, slot, None)) = self.scope.iter().rev().find(|(known, ..)| *known == name) {
                return Ok(attribute(Base::Slot(*slot)));
            }
            if let Some(name) = library::type_named(&name) {
                return Ok(Node::Const(Value::Type(name.into())));
            }
        }
        let operand = self.node(operand)?;
        Ok(qualified(operand, Qualifier { key: field_key(field), is_optional: false }, is_test))
    }

    // What goes down the tree has small stack frames, and what makes nodes of nodes does not go down.
    fn nodes(&mut self, ids: &[ExprId]) -> Result<Vec<Node>, Error> {
        let mut nodes = Vec::with_capacity(ids.len());
        for id in ids {
            nodes.push(self.node(*id)?);
        }
        Ok(nodes)
    }

    fn call(&mut self, id: ExprId, function: &str, target: Option<ExprId>, args: ExprList) -> Planned {
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

    /// What a macro does to the list or the map that it gathers, and the nodes that it does it with.
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

    /// What is called, and whether its name begins with a namespace.
    fn callee(&self, id: ExprId, function: &str, target: Option<ExprId>) -> (Callee, bool) {
        if let Some((overloads @ [first, ..], is_namespaced)) = self.references.overloads(id) {
            let charge = match overloads {
                [one] => one.row().price.charge(),
                _ => Price::undecided(overloads.iter().map(|overload| overload.row().price)),
            };
            return (Callee::new(first.row(), charge), is_namespaced);
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
        let Function::Form(form) = callee.implementation.function else {
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
                        None => Key::Const(value, None, Hint::default()),
                        Some(kind) => return Err(Error::text(format!("invalid qualifier type: {kind}"))),
                    },
                    node => Key::Node(node),
                };
                Ok(qualified(operand, Qualifier { key, is_optional }, false))
            }
            _ => self.function_call(callee, nodes),
        }
    }

    fn function_call(&mut self, callee: Callee, nodes: Vec<Node>) -> Planned {
        let Callee { name, implementation, charge } = callee;
        // A call that may look into a map, too, is not made a look-up.
        if charge == Charge::Size
            && let Some(set) = constant_set(&nodes)
        {
            return Ok(set);
        }
        let pattern = match (implementation.function, nodes.get(1)) {
            (Function::Pattern(_), Some(Node::Const(Value::String(pattern)))) => {
                Some(Pattern::new(pattern, self.automata)?)
            }
            _ => None,
        };
        // Conversions of constants are done once, and their failure refuses the rule.
        if let ([Node::Const(value)], Some(_)) = (&*nodes, Conversion::named(&name)) {
            let mut meter = Meter::of_constants();
            return match implementation.call(&mut meter, std::slice::from_ref(value), None) {
                Ok(value) => Ok(Node::Const(value)),
                Err(error) if error == Error::no_such_overload() => {
                    Err(Error::text(no_such_overload(&name, value.type_name())))
                }
                Err(error) => Err(error),
            };
        }
        Ok(Node::Call(Box::new(Call { implementation, args: nodes.into(), charge, pattern, name })))
    }

    /// The slot of an accumulator that is read.
    fn accumulator(&self, id: ExprId) -> Option<usize> {
        let Expr::Ident(name) = self.ast.expr(id) else { return None };
        if name != crate::ast::ACCUMULATOR {
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

    /// The slot and the element of `accumulator + [element]`.
    fn appended(&self, accumulator: ExprId, list: ExprId) -> Option<(usize, ExprId)> {
        let Expr::List { elements, optional } = self.ast.expr(list) else { return None };
        match (self.ast.list(*elements), &**optional) {
            ([element], []) => Some((self.accumulator(accumulator)?, *element)),
            _ => None,
        }
    }

    fn comprehension(&mut self, fold: &Comprehension<'_>) -> Planned {
        let is_binding = fold.accumulator != crate::ast::ACCUMULATOR
            && matches!(self.ast.expr(fold.condition), Expr::Literal(Literal::Bool(false)));
        if is_binding {
            return self.binding(fold);
        }
        let range = self.node(fold.range)?;
        let init = self.node(fold.init)?;
        let depth = self.scope.len();
        let accumulator = self.bind(fold.accumulator, None);
        let var = self.bind(fold.var, None);
        let var2 = fold.var2.map(|name| self.bind(name, None));
        let condition = match self.node(fold.condition)? {
            Node::Const(Value::Bool(true)) => None,
            condition => Some(condition),
        };
        let step = self.node(fold.step)?;
        self.scope.truncate(depth + 1);
        let result = self.node(fold.result)?;
        self.scope.truncate(depth);
        let fold = Box::new(Fold { range, var, var2, accumulator, init, condition, step, result });
        Ok(Search::of(fold).or_else(Gather::of).unwrap_or_else(Node::Fold))
    }

    fn binding(&mut self, fold: &Comprehension<'_>) -> Planned {
        let value = self.node(fold.init)?;
        self.lazy.push(value);
        let depth = self.scope.len();
        let slot = self.bind(fold.accumulator, Some(self.lazy.len() - 1));
        let result = self.node(fold.result)?;
        self.scope.truncate(depth);
        Ok(Node::Let(slot, Box::new(result)))
    }

    fn bind(&mut self, name: &str, lazy: Option<usize>) -> usize {
        let slot = self.slots;
        self.slots += 1;
        self.scope.push((name.to_owned(), slot, lazy));
        slot
    }
}

/// A step that a call is.
enum Operation {
    Call(Callee),
    /// Adds to the list that a macro gathers in a slot.
    Append(usize),
    /// Adds to the map that a macro gathers in a slot.
    Insert(usize),
}

/// A function that is called.
struct Callee {
    name: Cow<'static, str>,
    implementation: Implementation,
    charge: Charge,
}

impl Callee {
    fn new(row: &'static Row, charge: Charge) -> Self {
        Self { name: Cow::Borrowed(row.function), implementation: row.implementation, charge }
    }

    /// A function that nobody has is an error only where it is called.
    fn unknown(name: &str) -> Self {
        Self {
            name: Cow::Owned(name.to_owned()),
            implementation: Implementation::UNKNOWN,
            charge: Charge::One,
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

fn list(nodes: Vec<Node>, optional: &[u32]) -> Node {
    let constants: Option<Vec<Value<'static>>> = nodes.iter().map(constant_of).collect();
    match constants {
        Some(values) if optional.is_empty() => Node::Const(values.into()),
        _ => Node::List(nodes.into(), optional.into()),
    }
}

fn map(nodes: Vec<Node>, entries: &[MapEntry]) -> Planned {
    let mut nodes = nodes.into_iter();
    let mut triples = Vec::with_capacity(entries.len());
    for entry in entries {
        if let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
            triples.push((key, value, entry.optional));
        }
    }
    constant_map(triples)
}

fn attribute(base: Base) -> Node {
    Node::Attribute(Box::new(Attribute { base, qualifiers: Vec::new(), is_test: false }))
}

/// Selects from a value: an attribute gets one more qualifier, anything else becomes one.
fn qualified(operand: Node, qualifier: Qualifier, is_test: bool) -> Node {
    let mut attribute = match operand {
        Node::Attribute(attribute) if !attribute.is_test => attribute,
        other => Box::new(Attribute { base: Base::Value(other), qualifiers: Vec::new(), is_test: false }),
    };
    attribute.qualifiers.push(qualifier);
    attribute.is_test = is_test;
    Node::Attribute(attribute)
}

/// The type that a name of type `type` stands for: the server takes a variable of that type for one, too.
fn type_value(name: &str) -> Planned {
    let name = undotted(name);
    match library::type_named(name) {
        Some(name) => Ok(Node::Const(Value::Type(name.into()))),
        None => Err(Error::text(format!("reference to undefined type: {name}"))),
    }
}

fn field_key(name: &str) -> Key {
    let unescaped = unescape_name(name)
        .filter(|unescaped| unescaped != name)
        .map(|unescaped| unescaped.into_owned().into());
    Key::Const(Value::String(Text::Shared(name.into())), unescaped, Hint::default())
}

fn constant(literal: &Literal<'_>) -> Value<'static> {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Uint(value) => Value::Uint(*value),
        Literal::Double(value) => Value::Double(*value),
        Literal::String(value) => Value::String(Text::Shared(Arc::from(&**value))),
        Literal::Bytes(value) => Value::Bytes(Blob::Shared(Arc::from(&**value))),
    }
}

fn constant_of(node: &Node) -> Option<Value<'static>> {
    match node {
        Node::Const(value) => Some(value.clone()),
        _ => None,
    }
}

fn constant_map(nodes: Vec<(Node, Node, bool)>) -> Planned {
    let constants: Option<Vec<_>> = nodes
        .iter()
        .map(|(key, value, is_optional)| {
            Some((constant_of(key)?, constant_of(value)?)).filter(|_| !is_optional)
        })
        .collect();
    let Some(constants) = constants else { return Ok(Node::Map(nodes.into())) };
    let mut entries = Entries::default();
    for (key, value) in constants {
        // A key that is not one refuses the rule.
        entries.insert(key, value)?;
    }
    Ok(Node::Const(Value::Map(entries.into())))
}

/// Membership in a list of constants: a look-up, which the API server does not charge for.
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
