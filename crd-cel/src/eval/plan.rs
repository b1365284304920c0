//! Turns a syntax tree into the nodes of a program: variables become slots, selections one attribute, functions
//! pointers, and what is constant is evaluated once.

use std::sync::Arc;

use super::Error;
use super::cost::Meter;
use super::data::unescape;
use super::library::{self, Function};
use super::map::Entries;
use super::node::{Attribute, Base, Call, Fold, Key, Node, Qualifier};
use super::program::{Program, References};
use super::re2::Regex;
use super::value::{Blob, Text, Value};
use crate::ast::{Ast, Comprehension, Expr, ExprId, Literal};

/// Compiles a tree.
pub(super) fn plan(ast: &Ast<'_>, references: &dyn References, variables: &[&str]) -> Result<Program, Error> {
    let mut planner = Planner {
        ast,
        references,
        scope: variables.iter().enumerate().map(|(slot, name)| ((*name).to_owned(), slot, None)).collect(),
        variables: variables.len(),
        slots: variables.len(),
        lazy: Vec::new(),
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
            Expr::Ident(name) => Ok(self.variable(name)),
            Expr::Select { operand, field, test_only } => self.select(id, *operand, field, *test_only),
            Expr::Call { function, target, args } => {
                let args = self.ast.list(*args).to_vec();
                self.call(id, function, *target, &args)
            }
            Expr::List { elements, optional } => self.list(self.ast.list(*elements), optional),
            Expr::Map(entries) => {
                let mut nodes = Vec::with_capacity(entries.len());
                for entry in entries {
                    nodes.push((self.node(entry.key)?, self.node(entry.value)?, entry.optional));
                }
                Ok(constant_map(nodes))
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

    fn call(&mut self, id: ExprId, function: &str, target: Option<ExprId>, args: &[ExprId]) -> Planned {
        let function = function.strip_prefix('.').unwrap_or(function);
        match (function, args) {
            ("_&&_", [left, right]) => {
                return Ok(Node::And(Box::new([self.node(*left)?, self.node(*right)?])));
            }
            ("_||_", [left, right]) => {
                return Ok(Node::Or(Box::new([self.node(*left)?, self.node(*right)?])));
            }
            ("@not_strictly_false" | "__not_strictly_false__", [arg]) => {
                return Ok(Node::NotFalse(Box::new(self.node(*arg)?)));
            }
            ("_?_:_", [condition, yes, no]) => {
                let branches = [self.node(*condition)?, self.node(*yes)?, self.node(*no)?];
                return Ok(attribute(Base::Conditional(Box::new(branches))));
            }
            ("_?._", [operand, field]) => {
                let Expr::Literal(Literal::String(name)) = self.ast.expr(*field) else {
                    return Err(Error::new("unsupported optional field selection"));
                };
                let key = field_key(name);
                return Ok(qualified(self.node(*operand)?, Qualifier { key, is_optional: true }, false));
            }
            ("_[_]" | "_[?_]", [operand, index]) => {
                let key = match self.node(*index)? {
                    Node::Const(value) => match &value {
                        Value::String(name) => field_key(name),
                        _ => Key::Const(value, None),
                    },
                    node => Key::Node(node),
                };
                let qualifier = Qualifier { key, is_optional: function == "_[?_]" };
                return Ok(qualified(self.node(*operand)?, qualifier, false));
            }
            ("_+_", [accumulator, list]) => {
                if let Some(append) = self.append(*accumulator, *list)? {
                    return Ok(append);
                }
            }
            ("cel.@mapInsert", [accumulator, rest @ ..]) => {
                if let Some(insert) = self.insert(*accumulator, rest)? {
                    return Ok(insert);
                }
            }
            _ => {}
        }
        self.plain_call(id, function, target, args)
    }

    fn plain_call(&mut self, id: ExprId, function: &str, target: Option<ExprId>, args: &[ExprId]) -> Planned {
        let namespaced =
            target.and_then(|target| self.dotted(target)).map(|target| format!("{target}.{function}"));
        let (name, target) = match namespaced.filter(|name| library::find(name).is_some()) {
            Some(name) => (name, None),
            None => (function.to_owned(), target),
        };
        let nodes = target.iter().chain(args).map(|arg| self.node(*arg)).collect::<Result<Vec<_>, _>>()?;
        if let ("or" | "orValue", [_, _], true) = (&*name, &*nodes, target.is_some()) {
            let is_unwrapped = name == "orValue";
            let mut nodes = nodes.into_iter();
            if let (Some(first), Some(second)) = (nodes.next(), nodes.next()) {
                return Ok(Node::Otherwise { parts: Box::new([first, second]), is_unwrapped });
            }
            return Err(Error::no_such_overload());
        }
        let overload = self.references.overload(id);
        if (name == "@in" || name == "_in_")
            && let Some(set) = constant_set(&nodes, overload)
        {
            return Ok(set);
        }
        // What nobody has is an error only where it is called.
        let function = library::find(&name).unwrap_or(Function::Plain(|_, _| Err(Error::no_such_overload())));
        let regex = match (&function, nodes.get(1)) {
            (Function::Pattern(_), Some(Node::Const(Value::String(pattern)))) => {
                Some(Regex::new(pattern).map_err(Error::text)?)
            }
            _ => None,
        };
        let rule = self.references.rule(&name, id);
        let call = Call { function, args: nodes.into(), rule, regex, name: name.as_str().into() };
        // Conversions of constants are done once, and their failure refuses the rule.
        if let ([Node::Const(value)], true) = (&*call.args, library::is_conversion(&name)) {
            let mut meter = Meter::new(u64::MAX);
            return call.function.call(&mut meter, std::slice::from_ref(value), None).map(Node::Const);
        }
        Ok(Node::Call(Box::new(call)))
    }

    fn list(&mut self, elements: &[ExprId], optional: &[u32]) -> Planned {
        let nodes = elements.iter().map(|element| self.node(*element)).collect::<Result<Vec<_>, _>>()?;
        let constants: Option<Vec<Value<'static>>> = nodes.iter().map(constant_of).collect();
        Ok(match constants {
            Some(values) if optional.is_empty() => Node::Const(values.into()),
            _ => Node::List(nodes.into(), optional.into()),
        })
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

    fn append(&mut self, accumulator: ExprId, list: ExprId) -> Result<Option<Node>, Error> {
        let (Some(slot), Expr::List { elements, optional }) =
            (self.accumulator(accumulator), self.ast.expr(list))
        else {
            return Ok(None);
        };
        let ([element], []) = (self.ast.list(*elements), &**optional) else { return Ok(None) };
        let element = Box::new(self.node(*element)?);
        let is_constant = matches!(*element, Node::Const(_));
        Ok(Some(Node::Append { slot, element, is_constant }))
    }

    fn insert(&mut self, accumulator: ExprId, rest: &[ExprId]) -> Result<Option<Node>, Error> {
        let Some(slot) = self.accumulator(accumulator) else { return Ok(None) };
        let (key, value) = match rest {
            [entries] => (*entries, None),
            [key, value] => (*key, Some(*value)),
            _ => return Ok(None),
        };
        let key = Box::new(self.node(key)?);
        let value = value.map(|value| self.node(value).map(Box::new)).transpose()?;
        Ok(Some(Node::Insert { slot, key, value }))
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
        let condition = self.node(fold.condition)?;
        let step = self.node(fold.step)?;
        self.scope.truncate(depth + 1);
        let result = self.node(fold.result)?;
        self.scope.truncate(depth);
        Ok(Node::Fold(Box::new(Fold { range, var, var2, accumulator, init, condition, step, result })))
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

fn field_key(name: &str) -> Key {
    let unescaped =
        unescape(name).filter(|unescaped| unescaped != name).map(|unescaped| unescaped.into_owned().into());
    Key::Const(Value::String(Text::Shared(name.into())), unescaped)
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
        // A key that is there twice, or is none, is an error of the run.
        if entries.contains(&key) || entries.insert(key, value).is_err() {
            return Node::Map(nodes.into());
        }
    }
    Node::Const(Value::Map(entries.into()))
}

/// Membership in a list of constants: a look-up, which the API server does not charge for.
fn constant_set(nodes: &[Node], overload: Option<&str>) -> Option<Node> {
    let [needle, Node::Const(Value::List(list))] = nodes else { return None };
    if !matches!(overload, None | Some("in_list")) {
        return None;
    }
    if list.is_empty() {
        return Some(Node::Const(Value::Bool(false)));
    }
    let mut set = Entries::default();
    for element in list.iter() {
        let element = element.ok()?;
        if !matches!(
            element,
            Value::Bool(_)
                | Value::Int(_)
                | Value::Uint(_)
                | Value::Double(_)
                | Value::String(_)
                | Value::Null
        ) {
            return None;
        }
        set.insert(element, Value::Null).ok()?;
    }
    Some(Node::InSet(Box::new((needle.clone(), set))))
}
