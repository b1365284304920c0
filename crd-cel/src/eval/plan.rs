//! Turns a syntax tree into the nodes of a program: variables become slots, selections one attribute, functions
//! pointers, and what is constant is evaluated once.

use std::sync::Arc;

use super::Error;
use super::cost::Rule;
use super::library::{self, Function};
use super::map::{Constants, Entries};
use super::meter::Meter;
use super::node::{Attribute, Base, Call, Comparison, Fold, Gather, Hint, Key, Node, Qualifier, Search};
use super::pattern::Pattern;
use super::program::{Program, References};
use super::value::{Blob, Text, Value};
use crate::ast::{Ast, Comprehension, Expr, ExprId, ExprList, Literal, MapEntry};
use crate::instantiate::no_such_overload;
use crate::names::unescape_name;

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
                Ok(map(nodes, entries))
            }
            Expr::Comprehension(fold) => self.comprehension(fold),
            Expr::Struct { type_name, .. } => Err(Error::text(format!("unknown type: {type_name}"))),
            Expr::Error => Err(Error::new("unexpected failed resolution")),
        }
    }

    fn variable(&self, name: &str) -> Node {
        let plain = name.strip_prefix('.').unwrap_or(name);
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
            Expr::Ident(name) => Some(name.strip_prefix('.').unwrap_or(name).to_owned()),
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
        let (operation, ids) = self.operation(function, target, args);
        let nodes = self.nodes(&ids)?;
        self.assemble(id, operation, nodes)
    }

    /// What a call does, and the nodes that it does it with.
    fn operation(&self, function: &str, target: Option<ExprId>, args: ExprList) -> (Operation, Vec<ExprId>) {
        let function = function.strip_prefix('.').unwrap_or(function);
        let args = self.ast.list(args);
        match (function, args) {
            ("_+_", [accumulator, list]) => {
                if let Some((slot, element)) = self.appended(*accumulator, *list) {
                    return (Operation::Append(slot), vec![element]);
                }
            }
            ("cel.@mapInsert", [accumulator, rest @ ..]) => {
                if let Some(slot) = self.accumulator(*accumulator) {
                    return (Operation::Insert(slot), rest.to_vec());
                }
            }
            _ => {}
        }
        let namespaced =
            target.and_then(|target| self.dotted(target)).map(|target| format!("{target}.{function}"));
        match namespaced.filter(|name| library::find(name, None).is_some()) {
            Some(name) => (Operation::Function(name.into()), args.to_vec()),
            None => (Operation::Function(function.into()), target.iter().chain(args).copied().collect()),
        }
    }

    fn assemble(&mut self, id: ExprId, operation: Operation, nodes: Vec<Node>) -> Planned {
        let name = match operation {
            Operation::Function(name) => name,
            Operation::Append(slot) => return append(slot, nodes),
            Operation::Insert(slot) => return insert(slot, nodes),
        };
        match (&*name, nodes.len()) {
            ("_&&_", 2) => pair(nodes).map(|terms| Node::And(terms.into())),
            ("_||_", 2) => pair(nodes).map(|terms| Node::Or(terms.into())),
            ("or", 2) => {
                pair(nodes).map(|parts| Node::Otherwise { parts: parts.into(), is_unwrapped: false })
            }
            ("orValue", 2) => {
                pair(nodes).map(|parts| Node::Otherwise { parts: parts.into(), is_unwrapped: true })
            }
            ("_?_:_", 3) => {
                let parts: [Node; 3] = nodes.try_into().map_err(|_| Error::no_such_overload())?;
                Ok(attribute(Base::Conditional(Box::new(parts))))
            }
            ("@not_strictly_false" | "__not_strictly_false__", 1) => nodes
                .into_iter()
                .next()
                .map(|arg| Node::NotFalse(Box::new(arg)))
                .ok_or(Error::no_such_overload()),
            ("_[_]" | "_[?_]" | "_?._", 2) => {
                let [operand, index] = pair(nodes)?;
                let key = match index {
                    Node::Const(Value::String(name)) => field_key(&name),
                    Node::Const(value) => match value.no_qualifier() {
                        None => Key::Const(value, None, Hint::default()),
                        Some(kind) => return Err(Error::text(format!("invalid qualifier type: {kind}"))),
                    },
                    node => Key::Node(node),
                };
                Ok(qualified(operand, Qualifier { key, is_optional: &*name != "_[_]" }, false))
            }
            _ => self.plain_call(id, name, nodes),
        }
    }

    fn plain_call(&mut self, id: ExprId, name: Box<str>, nodes: Vec<Node>) -> Planned {
        let overload = self.references.overload(id);
        // A call that may look into a map, too, is not made a look-up.
        if matches!(&*name, "@in" | "_in_")
            && self.references.rule("@in", id) == Rule::Size(1)
            && let Some(set) = constant_set(&nodes)
        {
            return Ok(set);
        }
        // What nobody has is an error only where it is called.
        let function =
            library::find(&name, overload).unwrap_or(Function::Plain(|_, _| Err(Error::no_such_overload())));
        let pattern = match (&function, nodes.get(1)) {
            (Function::Pattern(_), Some(Node::Const(Value::String(pattern)))) => {
                Some(Pattern::new(pattern, self.automata)?)
            }
            _ => None,
        };
        // Conversions of constants are done once, and their failure refuses the rule.
        if let ([Node::Const(value)], true) = (&*nodes, library::is_conversion(&name)) {
            let mut meter = Meter::of_constants();
            return match function.call(&mut meter, std::slice::from_ref(value), None) {
                Ok(value) => Ok(Node::Const(value)),
                Err(error) if error == Error::no_such_overload() => {
                    Err(Error::text(no_such_overload(&name, value.type_name())))
                }
                Err(error) => Err(error),
            };
        }
        let rule = self.references.rule(&name, id);
        let comparison = Comparison::named(&name);
        let bytes = library::work_of_bytes(&name);
        let args = nodes.into();
        Ok(Node::Call(Box::new(Call { function, args, rule, pattern, bytes, name, comparison })))
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

/// What a call does.
enum Operation {
    Function(Box<str>),
    /// Adds to the list that a macro gathers in a slot.
    Append(usize),
    /// Adds to the map that a macro gathers in a slot.
    Insert(usize),
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

fn map(nodes: Vec<Node>, entries: &[MapEntry]) -> Node {
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
    let name = name.strip_prefix('.').unwrap_or(name);
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

fn constant_map(nodes: Vec<(Node, Node, bool)>) -> Node {
    let mut entries = Entries::default();
    for (key, value, is_optional) in &nodes {
        let (Some(key), Some(value), false) = (constant_of(key), constant_of(value), is_optional) else {
            return Node::Map(nodes.into());
        };
        // A key that is none is an error of the run.
        if entries.insert(key, value).is_err() {
            return Node::Map(nodes.into());
        }
    }
    Node::Const(Value::Map(entries.into()))
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
