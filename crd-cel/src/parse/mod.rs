//! The parser: builds the syntax tree of a rule, with macros expanded.
//!
//! Each rule of cel-go's grammar is a function, except that the levels of binary operators share one function. Loops parse chains such as
//! `a.b.c` and `a + b + c`. For other rules, the nesting depth is limited as in the API server. Deeply nested text therefore cannot
//! overflow the stack.

mod operands;
mod sets;

use std::borrow::Cow;

use crate::ast::{Ast, Expr, ExprId, ExprList};
use crate::issue::{Issue, Issues};
use crate::lex::{TokenKind, lex};
use crate::macros;
use crate::operator::Operator;
use crate::recover::{At, Fail, Input, Parsed, Set};
use crate::syntax::Syntax;
use sets::{EXPRESSION, OPERAND, OPERATORS, OPERATORS_THEN_COLON, until};

/// Parses an expression with the newest Kubernetes version's syntax.
///
/// # Errors
/// - The syntax is invalid. The error has all issues that the parser finds.
///
/// ```
/// let ast = crd_cel::parse("self.replicas > 1")?;
/// assert_eq!(ast.position(ast.root()), 14);
/// assert!(crd_cel::parse("self.replicas >").is_err());
/// # Ok::<(), crd_cel::Issues>(())
/// ```
pub fn parse(source: &str) -> Result<Ast<'_>, Issues> {
    parse_with(source, Syntax::default())
}

/// Parses an expression.
///
/// # Errors
/// - The syntax is invalid. The error has all issues that the parser finds.
pub fn parse_with(source: &str, syntax: Syntax) -> Result<Ast<'_>, Issues> {
    // A code point has four bytes at most, so most texts need not be counted.
    if source.len() > MAX_CODE_POINTS {
        let size = source.chars().count();
        if size > MAX_CODE_POINTS {
            let message =
                format!("expression code point size exceeds limit: size: {size}, limit {MAX_CODE_POINTS}");
            return Err(Issues::new("", vec![Issue::without_position(message)]));
        }
    }
    let lexed = lex(source, syntax.server);
    let ast = Ast::with_capacity(lexed.tokens.len() + lexed.tokens.len() / 2);
    let mut parser = Parser {
        input: Input::new(source, lexed),
        syntax,
        ast,
        issues: Vec::new(),
        depth: Depth::default(),
        too_deep: false,
    };
    let root = parser.start().ok();
    parser.finish(source, root).map_err(Issues::with_operators)
}

const MAX_CODE_POINTS: usize = 100_000;
/// Maximum depth of nested grammar rules, and of the syntax tree.
const MAX_DEPTH: u16 = 250;
/// Maximum number of reported syntax errors.
const MAX_SYNTAX_ERRORS: usize = 100;
/// Maximum number of nodes after expansion. The API server has no such limit, but parsing a chain of thirty `optMap` calls would never end,
/// because each call doubles the tree.
const MAX_NODES: usize = 400_000;

/// A node with its height, counted as by the server's visitor.
#[derive(Clone, Copy)]
struct ParsedNode {
    id: ExprId,
    height: u16,
}

/// The current nesting depths of three grammar rules.
#[derive(Default)]
struct Depth {
    expr: u16,
    relation: u16,
    calc: u16,
}

struct Parser<'s> {
    input: Input<'s>,
    syntax: Syntax,
    ast: Ast<'s>,
    /// Errors that the grammar does not cover, about reserved words, literals and macro arguments.
    issues: Vec<Issue>,
    depth: Depth,
    too_deep: bool,
}

// Nested rules are parsed recursively, and debug builds have large stack frames: the code before and after the nested
// rule is in functions of its own.
impl<'s> Parser<'s> {
    fn start(&mut self) -> Parsed<ExprId> {
        self.input.enter(until(TokenKind::End));
        let root = self.expr();
        self.input.leave();
        let root = root?;
        if let Err(fail) = self.input.expect(At::End, TokenKind::End, Set::RULE_END) {
            self.input.recover(fail)?;
        }
        Ok(root.id)
    }

    fn finish(mut self, source: &str, root: Option<ExprId>) -> Result<Ast<'s>, Issues> {
        if root.is_none() {
            self.input.forget_unread();
        }
        let mut issues = self.input.issues;
        let syntax_errors = issues.iter().filter(|issue| issue.position.is_some()).count();
        let fatal = root.is_none() || syntax_errors > MAX_SYNTAX_ERRORS;
        if syntax_errors > MAX_SYNTAX_ERRORS {
            issues.sort_by_key(Issue::place);
            issues.retain(|issue| issue.position.is_some());
            issues.truncate(MAX_SYNTAX_ERRORS + 1);
            issues[MAX_SYNTAX_ERRORS].message =
                format!("Syntax error: More than {MAX_SYNTAX_ERRORS} syntax errors");
        }
        if !fatal {
            issues.append(&mut self.issues);
            if self.too_deep {
                issues.push(Issue::without_position("max recursion depth exceeded"));
            } else if self.ast.len() > MAX_NODES && issues.is_empty() {
                let message = format!("expression has more than {MAX_NODES} nodes with its macros expanded");
                issues.push(Issue::without_position(message));
            }
        }
        match root {
            Some(root) if issues.is_empty() => {
                self.ast.set_root(root);
                Ok(self.ast)
            }
            _ => Err(Issues::new(source, issues)),
        }
    }

    // expr: conditionalOr ('?' conditionalOr ':' expr)?
    fn expr(&mut self) -> Parsed<ParsedNode> {
        self.depth.expr += 1;
        if self.depth.expr > MAX_DEPTH {
            return Err(self.nested_too_deep());
        }
        let expr = match self.conditional() {
            Ok(node) => Ok(node),
            Err(fail) => self.give_up(fail),
        };
        self.depth.expr -= 1;
        expr
    }

    fn conditional(&mut self) -> Parsed<ParsedNode> {
        let condition = self.or(OPERATORS.and(until(TokenKind::Question)));
        match condition {
            Ok(condition) if self.input.kind() == TokenKind::Question => self.branches(condition),
            other => other,
        }
    }

    fn branches(&mut self, condition: ParsedNode) -> Parsed<ParsedNode> {
        let position = self.input.take().start;
        // Not `OPERATORS` with its end: only a colon can follow.
        let yes = self.or(OPERATORS_THEN_COLON)?;
        self.input.expect(At::Colon, TokenKind::Colon, EXPRESSION)?;
        self.input.enter(Set::RULE_END);
        let no = self.expr();
        self.input.leave();
        let no = no?;
        let height = 1 + condition.height.max(yes.height).max(no.height);
        Ok(self.call(position, Operator::Conditional.name(), &[condition.id, yes.id, no.id], height))
    }

    // conditionalOr: conditionalAnd ('||' conditionalAnd)*
    fn or(&mut self, follow: Set) -> Parsed<ParsedNode> {
        match self.and(follow) {
            Ok(first) if self.input.kind() == TokenKind::Or => self.or_chain(first, follow),
            other => other,
        }
    }

    fn or_chain(&mut self, first: ParsedNode, follow: Set) -> Parsed<ParsedNode> {
        let (mut terms, mut operators) = (vec![first], Vec::new());
        while self.input.kind() == TokenKind::Or {
            operators.push(self.input.take().start);
            terms.push(self.and(follow)?);
        }
        Ok(self.balanced(Operator::Or.name(), &terms, &operators))
    }

    // conditionalAnd: relation ('&&' relation)*
    fn and(&mut self, follow: Set) -> Parsed<ParsedNode> {
        match self.relation(follow) {
            Ok(first) if self.input.kind() == TokenKind::And => self.and_chain(first, follow),
            other => other,
        }
    }

    fn and_chain(&mut self, first: ParsedNode, follow: Set) -> Parsed<ParsedNode> {
        let (mut terms, mut operators) = (vec![first], Vec::new());
        while self.input.kind() == TokenKind::And {
            operators.push(self.input.take().start);
            terms.push(self.relation(follow)?);
        }
        Ok(self.balanced(Operator::And.name(), &terms, &operators))
    }

    /// Builds a balanced tree, which has a small depth, from a chain of `&&` or `||`.
    fn balanced(&mut self, function: &'static str, terms: &[ParsedNode], operators: &[u32]) -> ParsedNode {
        let middle = operators.len() / 2;
        let left = match middle {
            0 => terms[0],
            _ => self.balanced(function, &terms[..=middle], &operators[..middle]),
        };
        let right = match operators.len() - middle - 1 {
            0 => terms[middle + 1],
            _ => self.balanced(function, &terms[middle + 1..], &operators[middle + 1..]),
        };
        self.call(operators[middle], function, &[left.id, right.id], left.height.max(right.height))
    }

    // relation: calc | relation op relation
    fn relation(&mut self, follow: Set) -> Parsed<ParsedNode> {
        self.depth.relation += 1;
        if self.depth.relation > MAX_DEPTH {
            return Err(self.nested_too_deep());
        }
        let left = match self.calc(follow) {
            Ok(first) if relation_operator(self.input.kind()).is_some() => self.relation_chain(first, follow),
            other => other,
        };
        self.depth.relation -= u16::from(left.is_ok());
        left
    }

    fn relation_chain(&mut self, mut left: ParsedNode, follow: Set) -> Parsed<ParsedNode> {
        while let Some(operator) = relation_operator(self.input.kind()) {
            let position = self.input.take().start;
            // The right side is a relation of its own.
            self.depth.relation += 1;
            if self.depth.relation > MAX_DEPTH {
                return Err(self.nested_too_deep());
            }
            let right = self.calc(follow)?;
            self.depth.relation -= 1;
            left = self.binary(position, operator, left, right);
        }
        Ok(left)
    }

    // calc: unary | calc ('*' | '/' | '%') calc | calc ('+' | '-') calc
    fn calc(&mut self, follow: Set) -> Parsed<ParsedNode> {
        let outer = self.depth.calc;
        let mut sum: Option<(u32, &'static str, ParsedNode)> = None;
        loop {
            // A right side is a rule of its own.
            let depth = outer + 1 + u16::from(sum.is_some());
            let mut product = match self.operand(follow, depth) {
                Ok(first) if product_operator(self.input.kind()).is_some() => {
                    self.product_chain(first, follow, depth)?
                }
                other => other?,
            };
            if let Some((position, operator, left)) = sum {
                product = self.binary(position, operator, left, product);
            }
            let operator = match self.input.kind() {
                TokenKind::Plus => Operator::Add.name(),
                TokenKind::Minus => Operator::Subtract.name(),
                _ => {
                    self.depth.calc = outer;
                    return Ok(product);
                }
            };
            sum = Some((self.input.take().start, operator, product));
        }
    }

    fn product_chain(&mut self, mut product: ParsedNode, follow: Set, depth: u16) -> Parsed<ParsedNode> {
        while let Some(operator) = product_operator(self.input.kind()) {
            let position = self.input.take().start;
            let right = self.operand(follow, depth + 1)?;
            product = self.binary(position, operator, product, right);
        }
        Ok(product)
    }

    fn operand(&mut self, follow: Set, depth: u16) -> Parsed<ParsedNode> {
        self.depth.calc = depth;
        if depth > MAX_DEPTH {
            return Err(self.nested_too_deep());
        }
        self.input.enter(follow);
        let operand = match self.unary() {
            Ok(node) => Ok(node),
            Err(fail) => self.give_up(fail),
        };
        self.input.leave();
        operand
    }

    // unary: member | '!'+ member | '-'+ member
    fn unary(&mut self) -> Parsed<ParsedNode> {
        self.input.sync(At::Unary, EXPRESSION)?;
        match self.input.kind() {
            TokenKind::Not => self.prefixed(TokenKind::Not, Operator::Not.name()),
            TokenKind::Minus if !matches!(self.input.kind_ahead(1), TokenKind::Int | TokenKind::Float) => {
                if !OPERAND.has(self.input.kind_ahead(1)) {
                    return Err(self.input.no_choice(At::Unary, 1));
                }
                self.prefixed(TokenKind::Minus, Operator::Negate.name())
            }
            kind if OPERAND.has(kind) => self.member(),
            _ => Err(self.input.no_choice(At::Unary, 0)),
        }
    }

    fn prefixed(&mut self, sign: TokenKind, function: &'static str) -> Parsed<ParsedNode> {
        let position = self.input.position();
        let mut odd = false;
        while self.input.kind() == sign {
            self.input.take();
            odd = !odd;
            self.input.sync_loop(OPERAND.and(until(sign)));
            if self.input.kind() == TokenKind::Minus && !OPERAND.has(self.input.kind_ahead(1)) {
                return Err(self.input.no_choice(At::Unary, 1));
            }
        }
        let operand = self.member()?;
        if !odd {
            return Ok(operand);
        }
        Ok(self.call(position, function, &[operand.id], operand.height))
    }

    fn binary(
        &mut self,
        position: u32,
        function: &'static str,
        left: ParsedNode,
        right: ParsedNode,
    ) -> ParsedNode {
        self.call(position, function, &[left.id, right.id], 1 + left.height.max(right.height))
    }

    fn call(&mut self, position: u32, function: &'static str, args: &[ExprId], height: u16) -> ParsedNode {
        let args = self.ast.push_list(args);
        self.node(position, Expr::Call { function: Cow::Borrowed(function), target: None, args }, height)
    }

    fn call_or_macro(
        &mut self,
        position: u32,
        function: Cow<'s, str>,
        target: Option<ExprId>,
        args: &[ExprId],
        height: u16,
    ) -> Parsed<ParsedNode> {
        if height <= MAX_DEPTH && self.ast.len() <= MAX_NODES {
            match macros::expand(&mut self.ast, self.syntax, position, &function, target, args) {
                Some(Ok(id)) => return Ok(ParsedNode { id, height }),
                Some(Err(error)) => {
                    // If the argument is not known, the syntax error is sufficient.
                    let is_known = !matches!(self.ast.expr(error.at), Expr::Error);
                    let position = self.ast.raw_position(error.at);
                    if is_known || self.input.issues.is_empty() {
                        self.issue(position, error.message);
                    }
                    // An enclosing macro reports the same place.
                    return Ok(self.node(position, Expr::Error, height));
                }
                None => {}
            }
        }
        let args: ExprList = self.ast.push_list(args);
        Ok(self.node(position, Expr::Call { function, target, args }, height))
    }

    fn node(&mut self, position: u32, expr: Expr<'s>, height: u16) -> ParsedNode {
        self.too_deep |= height > MAX_DEPTH;
        // One more than the limit is enough to report that there are more.
        ParsedNode { id: self.ast.push(position, expr), height: height.min(MAX_DEPTH + 1) }
    }

    fn error(&mut self) -> ParsedNode {
        let position = self.input.position();
        self.node(position, Expr::Error, 0)
    }

    /// Abandons a grammar rule, and returns an error node instead.
    #[inline(never)]
    fn give_up(&mut self, fail: Fail) -> Parsed<ParsedNode> {
        self.input.recover(fail)?;
        Ok(self.error())
    }

    #[inline(never)]
    fn nested_too_deep(&mut self) -> Fail {
        let message = format!("expression recursion limit exceeded: {MAX_DEPTH}");
        self.input.issues.push(Issue::without_position(message));
        Fail::Fatal
    }

    #[inline(never)]
    fn issue(&mut self, position: u32, message: impl Into<String>) {
        self.issues.push(Issue::at_position(position as usize, message));
    }
}

fn relation_operator(kind: TokenKind) -> Option<&'static str> {
    Some(match kind {
        TokenKind::Less => Operator::Less.name(),
        TokenKind::LessEquals => Operator::LessEqual.name(),
        TokenKind::Greater => Operator::Greater.name(),
        TokenKind::GreaterEquals => Operator::GreaterEqual.name(),
        TokenKind::Equals => Operator::Equal.name(),
        TokenKind::NotEquals => Operator::NotEqual.name(),
        TokenKind::In => Operator::In.name(),
        _ => return None,
    })
}

fn product_operator(kind: TokenKind) -> Option<&'static str> {
    Some(match kind {
        TokenKind::Star => Operator::Multiply.name(),
        TokenKind::Slash => Operator::Divide.name(),
        TokenKind::Percent => Operator::Modulo.name(),
        _ => return None,
    })
}
