//! Compiles a syntax tree to program nodes. Variables become slots, chains of selections become attributes, and functions become pointers.
//! Constants are evaluated at this time.

mod calls;
mod references;

use std::sync::Arc;

use super::Error;
use super::hint::Hint;
use super::library;
use super::map::Entries;
use super::message::Message;
use super::node::{Attribute, Base, Fold, Gather, Node, Qualifier, QualifierKey, Search};
use super::program::Program;
use super::value::{Blob, CelString, Value};
use crate::ast::{Ast, Comprehension, Expr, ExprId, Literal, MapEntry, StructField};
use crate::checked::Checked;
use crate::names::undotted;
use crd_go::cel_names::unescape_name;
use references::{References, Unchecked};

impl Program {
    /// Compiles a checked expression. The program has the variables of the expression's scope, in the same order.
    ///
    /// # Errors
    /// - A conversion of a literal fails, or a literal pattern is invalid. The API server rejects such a rule.
    ///
    /// ```
    /// use crd_cel::eval::{Program, Value};
    /// use crd_cel::{Declarations, Declared, Environment, Scope, Shape, Variable};
    ///
    /// let mut declarations = Declarations::default();
    /// let int = declarations.add(Declared { shape: Shape::Int, max_elements: 0, min_serialized_size: 1 });
    /// let variables = [("self", Variable::Declared(int))];
    /// let scope = Scope::new(&declarations, int, &variables);
    /// let checked = Environment::default().compile("self / 0 == 1", &scope)?;
    ///
    /// let program = Program::new(&checked)?;
    /// let evaluation = program.run(vec![Some(Value::from(1))], Program::CALL_LIMIT);
    /// assert_eq!(evaluation.result.unwrap_err().message(), "division by zero");
    /// assert_eq!(evaluation.cost, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(checked: &Checked<'_, '_>) -> Result<Self, Error> {
        Self::with_automata(checked, &mut { Self::MOST_AUTOMATA })
    }

    /// Compiles a checked expression like [`Program::new`]. While `automata` is positive, each literal pattern is compiled to an automaton
    /// and decrements `automata`. Further patterns are matched more slowly. If programs share this number, it limits their total memory.
    ///
    /// # Errors
    /// - As for [`Program::new`].
    ///
    /// ```
    /// use crd_cel::eval::Program;
    /// use crd_cel::{Declarations, Declared, Environment, Scope, Shape};
    ///
    /// let mut declarations = Declarations::default();
    /// let any = declarations.add(Declared { shape: Shape::Dyn, max_elements: 0, min_serialized_size: 1 });
    /// let scope = Scope::new(&declarations, any, &[]);
    /// let checked = Environment::default().compile("'a'.matches('^a$') && 'b'.matches('b')", &scope)?;
    /// let mut automata = Program::MOST_AUTOMATA;
    /// Program::with_automata(&checked, &mut automata)?;
    /// assert_eq!(automata, Program::MOST_AUTOMATA - 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_automata(checked: &Checked<'_, '_>, automata: &mut usize) -> Result<Self, Error> {
        let variables: Vec<&str> = checked.scope.variables.iter().map(|(name, _)| *name).collect();
        plan(&checked.ast, checked, &variables, automata)
    }

    /// Compiles an expression without type checking. The program has the same result as for the checked expression, but the cost can differ
    /// if a function has several overloads.
    ///
    /// # Errors
    /// - A conversion of a literal fails, or a literal pattern is invalid. The API server rejects such a rule.
    pub fn unchecked(ast: &Ast<'_>, variables: &[&str]) -> Result<Self, Error> {
        plan(ast, &Unchecked, variables, &mut { Self::MOST_AUTOMATA })
    }
}

/// Compiles the syntax tree of an expression.
fn plan(
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
        server: references.server(),
        is_condition: references.is_bool() && root.is_condition(),
        root,
        lazy: planner.lazy,
        variables: variables.iter().map(|name| (*name).into()).collect(),
        slots: planner.slots,
    })
}

struct Planner<'a, 's> {
    /// The number of patterns that may still become automata.
    automata: &'a mut usize,
    ast: &'a Ast<'s>,
    references: &'a dyn References,
    /// The names in scope, with their slots and, if evaluated lazily, the index in `lazy`.
    scope: Vec<(String, usize, Option<usize>)>,
    /// The number of variables that do not come from loops.
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
            Expr::Struct { type_name, fields } => self.message(type_name, fields),
            Expr::Error => Err(Error::new("unexpected failed resolution")),
        }
    }

    fn message(&mut self, type_name: &str, fields: &[StructField<'_>]) -> Planned {
        let message = Message::named(undotted(type_name));
        let message = message.ok_or_else(|| Error::text(format!("unknown type: {type_name}")))?;
        let field =
            |field: &StructField<'_>| Ok((field.name.into(), self.node(field.value)?, field.optional));
        Ok(Node::Message(message, fields.iter().map(field).collect::<Result<_, Error>>()?))
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

    /// Returns the qualified name `a.b.c`; `None` for other expressions.
    fn dotted(&self, id: ExprId) -> Option<String> {
        match self.ast.expr(id) {
            Expr::Ident(name) => Some(undotted(name).to_owned()),
            Expr::Select { operand, field, test_only: false } => {
                Some(format!("{}.{field}", self.dotted(*operand)?))
            }
            _ => None,
        }
    }

    /// Returns `true` if a dotted name begins with a loop's variable. Such a variable hides others with the same name.
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

    // Recursive functions have small stack frames; functions that build nodes are not recursive.
    fn nodes(&mut self, ids: &[ExprId]) -> Result<Vec<Node>, Error> {
        let mut nodes = Vec::with_capacity(ids.len());
        for id in ids {
            nodes.push(self.node(*id)?);
        }
        Ok(nodes)
    }

    fn comprehension(&mut self, fold: &Comprehension<'_>) -> Planned {
        let is_binding = !crate::ast::is_accumulator(fold.accumulator)
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
        Ok(Search::from_fold(fold).or_else(Gather::from_fold).unwrap_or_else(Node::Fold))
    }

    fn binding(&mut self, fold: &Comprehension<'_>) -> Planned {
        let value = self.node(fold.init)?;
        self.lazy.push(value);
        let depth = self.scope.len();
        let slot = self.bind(fold.accumulator, Some(self.lazy.len() - 1));
        // The loop never runs, but an error in it rejects the rule.
        self.node(fold.condition)?;
        self.node(fold.step)?;
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

/// Adds a selection to a node. An attribute gets one more qualifier. Any other node becomes the base of a new attribute.
fn qualified(operand: Node, qualifier: Qualifier, is_test: bool) -> Node {
    let mut attribute = match operand {
        Node::Attribute(attribute) if !attribute.is_test => attribute,
        other => Box::new(Attribute { base: Base::Value(other), qualifiers: Vec::new(), is_test: false }),
    };
    attribute.qualifiers.push(qualifier);
    attribute.is_test = is_test;
    Node::Attribute(attribute)
}

/// Returns the type with this name, for an expression of type `type`. The server also treats a variable of type `type` as the name of a
/// type.
fn type_value(name: &str) -> Planned {
    let name = undotted(name);
    match library::type_named(name) {
        Some(name) => Ok(Node::Const(Value::Type(name.into()))),
        None => Err(Error::text(format!("reference to undefined type: {name}"))),
    }
}

fn field_key(name: &str) -> QualifierKey {
    let unescaped = unescape_name(name)
        .filter(|unescaped| unescaped != name)
        .map(|unescaped| unescaped.into_owned().into());
    QualifierKey::Const(Value::String(CelString::Shared(name.into())), unescaped, Hint::default())
}

fn constant(literal: &Literal<'_>) -> Value<'static> {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Uint(value) => Value::Uint(*value),
        Literal::Double(value) => Value::Double(*value),
        Literal::String(value) => Value::String(CelString::Shared(Arc::from(&**value))),
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
        // An invalid key rejects the rule.
        entries.insert(key, value)?;
    }
    Ok(Node::Const(Value::Map(entries.into())))
}
