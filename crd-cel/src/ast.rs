//! The syntax tree: an arena of nodes that borrow their names from the text of the rule.
//!
//! Macros are expanded in the same way as by the API server's compiler. The expansions, not the macros, are then type-checked and
//! estimated.

use std::borrow::Cow;

/// The identifier of a node in an [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub(crate) u32);

impl ExprId {
    /// Returns the node's index, for tables with one entry per node.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Several nodes of an [`Ast`], in order: see [`Ast::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprList {
    start: u32,
    len: u32,
}

impl ExprList {
    /// Returns the number of nodes.
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Returns `true` if the list is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// An expression: the content of a node in the syntax tree.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Expr<'s> {
    /// A literal.
    Literal(Literal<'s>),
    /// A name, including a leading dot.
    Ident(Cow<'s, str>),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        /// The expression before the dot.
        operand: ExprId,
        /// The name after the dot.
        field: &'s str,
        /// `true` for `has(operand.field)`, a test for the field; `false` for a selection.
        test_only: bool,
    },
    /// A function, a method or an operator (by its name: `_+_`, `!_`, `_[_]`, `_?_:_` ...).
    Call {
        /// The name of the function.
        function: Cow<'s, str>,
        /// The receiver of a method: `a` in `a.f(b)`. `None` for functions and operators.
        target: Option<ExprId>,
        /// The arguments of the call.
        args: ExprList,
    },
    /// `[a, ?b]`
    List {
        /// The elements of the list.
        elements: ExprList,
        /// The indices of elements with a question mark.
        optional: Vec<u32>,
    },
    /// `{k: v, ?k: v}`
    Map(Vec<MapEntry>),
    /// `Message{field: value}`
    Struct {
        /// The name of the type.
        type_name: Cow<'s, str>,
        /// The fields of the message.
        fields: Vec<StructField<'s>>,
    },
    /// The expansion of a macro such as `all`.
    Comprehension(Box<Comprehension<'s>>),
    /// A part that cannot be parsed. The parser never returns a tree with this variant.
    Error,
}

/// A literal in the text of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal<'s> {
    /// `null`
    Null,
    /// `true`
    Bool(bool),
    /// `1`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// `1.5`
    Double(f64),
    /// `'a'`, unescaped
    String(Cow<'s, str>),
    /// `b'a'`, unescaped
    Bytes(Cow<'s, [u8]>),
}

/// An entry of a map literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MapEntry {
    /// The key of the entry.
    pub key: ExprId,
    /// The value of the entry.
    pub value: ExprId,
    /// `true` for an optional entry, which has a question mark.
    pub optional: bool,
}

/// A field of a message literal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StructField<'s> {
    /// The name of the field.
    pub name: &'s str,
    /// The position of the colon in the text.
    pub position: u32,
    /// The value of the field.
    pub value: ExprId,
    /// `true` for an optional field, which has a question mark.
    pub optional: bool,
}

/// A loop over a list or a map.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comprehension<'s> {
    /// The list or the map that the loop iterates over.
    pub range: ExprId,
    /// The variable for the element, the key, or the index.
    pub var: &'s str,
    /// The second variable, for the element or the value.
    pub var2: Option<&'s str>,
    /// The accumulator: the variable that holds the intermediate result.
    pub accumulator: &'s str,
    /// The initial value of the accumulator.
    pub init: ExprId,
    /// The loop runs while this condition is true.
    pub condition: ExprId,
    /// The value of the accumulator after a step.
    pub step: ExprId,
    /// The result of the loop.
    pub result: ExprId,
}

/// The accumulator of macros. No rule can contain this name, because it is not an identifier.
pub const ACCUMULATOR: &str = "@result";
/// The accumulator of macros up to Kubernetes 1.32. Rules can contain this name, because it is an identifier.
pub(crate) const OLD_ACCUMULATOR: &str = "__result__";

/// Returns `true` for both names of accumulators. A tree contains only one of these names.
#[cfg(feature = "check")]
pub(crate) fn is_accumulator(name: &str) -> bool {
    name == ACCUMULATOR || name == OLD_ACCUMULATOR
}

/// The syntax tree of a parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Ast<'s> {
    nodes: Vec<Expr<'s>>,
    positions: Vec<u32>,
    lists: Vec<ExprId>,
    root: ExprId,
}

impl<'s> Ast<'s> {
    pub(crate) fn with_capacity(nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            positions: Vec::with_capacity(nodes),
            lists: Vec::with_capacity(nodes / 2),
            root: ExprId(0),
        }
    }

    /// Returns the root of the tree.
    #[must_use]
    pub fn root(&self) -> ExprId {
        self.root
    }

    /// Returns the number of nodes. Every [`ExprId::index`] is smaller than this number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns `true` if the tree has no nodes. A parsed expression always has nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the expression at `id`.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr<'s> {
        &self.nodes[id.index()]
    }

    /// Returns `true` if both expressions have the same tree. Such expressions differ at most in whitespace, comments, quotes and needless
    /// parentheses.
    ///
    /// ```
    /// let ast = crd_cel::parse("self.a == 'x'")?;
    /// assert!(ast.is_same_tree(&crd_cel::parse("(self.a) == \"x\"")?));
    /// assert!(!ast.is_same_tree(&crd_cel::parse("'x' == self.a")?));
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    #[must_use]
    pub fn is_same_tree(&self, other: &Ast<'_>) -> bool {
        self.nodes == other.nodes && self.lists == other.lists && self.root == other.root
    }

    /// Returns `true` if the expression uses a variable with this name, even if a macro declares the variable. The API server does not
    /// distinguish such variables either: see `compilation.go` in `k8s.io/apiextensions-apiserver`.
    ///
    /// ```
    /// let uses = |rule| crd_cel::parse(rule).is_ok_and(|ast| ast.uses("oldSelf"));
    /// assert!(uses("self.all(x, x in oldSelf)"));
    /// assert!(!uses("self.oldSelf != 'oldSelf'"));
    /// ```
    #[must_use]
    pub fn uses(&self, name: &str) -> bool {
        let mut rest = vec![self.root];
        while let Some(id) = rest.pop() {
            // A leading dot has no effect, because rules have no containers.
            if matches!(self.expr(id), Expr::Ident(ident) if ident.strip_prefix('.').unwrap_or(ident) == name)
            {
                return true;
            }
            rest.extend(self.children(id));
        }
        false
    }

    /// Returns the byte offset of a node in the text. For a name or a literal, this is the beginning. For other expressions, it is the
    /// operator, dot, parenthesis or bracket. For all nodes that a macro generates, it is the macro's parenthesis.
    #[must_use]
    pub fn position(&self, id: ExprId) -> usize {
        self.positions[id.index()] as usize
    }

    /// Returns the nodes of a list.
    #[must_use]
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        &self.lists[list.start as usize..][..list.len as usize]
    }

    pub(crate) fn set_root(&mut self, root: ExprId) {
        self.root = root;
    }

    pub(crate) fn raw_position(&self, id: ExprId) -> u32 {
        self.positions[id.index()]
    }

    pub(crate) fn push(&mut self, position: u32, expr: Expr<'s>) -> ExprId {
        // Texts have at most 100,000 code points, and expanded trees `MAX_NODES` nodes, so a `u32` holds every index.
        let id = ExprId(self.nodes.len() as u32);
        self.nodes.push(expr);
        self.positions.push(position);
        id
    }

    pub(crate) fn push_list(&mut self, ids: &[ExprId]) -> ExprList {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(ids);
        ExprList { start, len: ids.len() as u32 }
    }

    /// Returns the children of `id`, in the order of evaluation.
    #[must_use]
    pub fn children(&self, id: ExprId) -> Vec<ExprId> {
        let mut children = Vec::new();
        match self.expr(id) {
            Expr::Literal(_) | Expr::Ident(_) | Expr::Error => {}
            Expr::Select { operand, .. } => children.push(*operand),
            Expr::Call { target, args, .. } => {
                children.extend(target);
                children.extend(self.list(*args));
            }
            Expr::List { elements, .. } => children.extend(self.list(*elements)),
            Expr::Map(entries) => children.extend(entries.iter().flat_map(|entry| [entry.key, entry.value])),
            Expr::Struct { fields, .. } => children.extend(fields.iter().map(|field| field.value)),
            Expr::Comprehension(fold) => {
                children.extend([fold.range, fold.init, fold.condition, fold.step, fold.result]);
            }
        }
        children
    }
}
