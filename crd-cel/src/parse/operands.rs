//! Operands: names, calls, selections, indices, literals, lists, maps and messages.

use std::borrow::Cow;

use super::sets::{EXPRESSION, FIELD, MEMBER_END, OPERAND, OPTIONAL_EXPRESSION, OPTIONAL_FIELD, until};
use super::{ParsedNode, Parser};
use crate::ast::{Expr, ExprId, Literal, MapEntry, StructField};
use crate::lex::{Token, TokenKind};
use crate::literal;
use crate::operator::Operator;
use crate::recover::{At, Parsed, Set};

impl<'s> Parser<'s> {
    pub(super) fn member(&mut self) -> Parsed<ParsedNode> {
        match self.member_chain() {
            Ok(node) => Ok(node),
            Err(fail) => self.give_up(fail),
        }
    }

    // member: primary | member '.' '?'? field | member '.' name '(' args? ')' | member '[' '?'? expr ']'
    fn member_chain(&mut self) -> Parsed<ParsedNode> {
        let mut left = self.first()?;
        while let Some(longer) = self.link(left)? {
            left = longer;
        }
        Ok(left)
    }

    fn first(&mut self) -> Parsed<ParsedNode> {
        self.input.enter(MEMBER_END);
        let primary = match self.primary() {
            Err(fail) => self.give_up(fail),
            node => node,
        };
        self.input.leave();
        primary
    }

    /// Parses the next selection, call or index in a chain, if there is one.
    fn link(&mut self, left: ParsedNode) -> Parsed<Option<ParsedNode>> {
        let longer = match self.input.kind() {
            TokenKind::Dot => match (self.input.kind_ahead(1), self.input.kind_ahead(2)) {
                (TokenKind::Ident, TokenKind::LeftParen) => self.method(left),
                (TokenKind::Ident | TokenKind::EscapedIdent | TokenKind::Question, _) => self.select(left),
                _ => {
                    let fail = self.input.no_choice(At::MemberDot, 1);
                    return self.input.recover(fail).map(|()| None);
                }
            },
            TokenKind::LeftBracket => self.index(left),
            _ => return Ok(None),
        };
        longer.map(Some)
    }

    fn select(&mut self, operand: ParsedNode) -> Parsed<ParsedNode> {
        let dot = self.input.take().start;
        let optional = self.question();
        let start = self.input.position();
        self.input.enter(MEMBER_END);
        let field = match self.field(At::Field) {
            Ok(field) => Ok(Some(field)),
            Err(fail) => self.input.recover(fail).map(|()| None),
        };
        self.input.leave();
        let Some(field) = field? else {
            if optional.is_some() {
                self.issue(start, "unsupported ident kind");
            }
            return Ok(self.error());
        };
        let name = self.input.text(field).trim_matches('`');
        let height = operand.height + 1;
        if optional.is_some() {
            if !self.syntax.optionals {
                self.issue(dot, "unsupported syntax '.?'");
            }
            let name = self.ast.push(field.start, Expr::Literal(Literal::String(Cow::Borrowed(name))));
            return Ok(self.call(dot, Operator::OptionalSelect.name(), &[operand.id, name], height));
        }
        Ok(self.node(dot, Expr::Select { operand: operand.id, field: name, test_only: false }, height))
    }

    /// Parses a field's name. Names in backticks exist only in later versions.
    fn field(&mut self, at: At) -> Parsed<Token> {
        self.input.sync(at, FIELD)?;
        match self.input.kind() {
            TokenKind::Ident => Ok(self.input.take()),
            TokenKind::EscapedIdent => {
                let token = self.input.take();
                if !self.syntax.server.is_at_least(37) {
                    self.issue(token.start, "unsupported syntax: '`'");
                }
                Ok(token)
            }
            _ => Err(self.input.no_choice(at, 0)),
        }
    }

    fn method(&mut self, target: ParsedNode) -> Parsed<ParsedNode> {
        self.input.take();
        let name = self.input.take();
        let name = self.input.text(name);
        let paren = self.input.take().start;
        let (args, height) = self.arguments()?;
        self.close_arguments()?;
        let height = 1 + target.height.max(height);
        self.call_or_macro(paren, Cow::Borrowed(name), Some(target.id), &args, height)
    }

    fn index(&mut self, operand: ParsedNode) -> Parsed<ParsedNode> {
        let bracket = self.input.take().start;
        self.input.sync(At::Index, OPTIONAL_EXPRESSION)?;
        let optional = self.question();
        self.input.enter(until(TokenKind::RightBracket));
        let index = self.expr();
        self.input.leave();
        let index = index?;
        self.input.expect(At::IndexEnd, TokenKind::RightBracket, MEMBER_END)?;
        if optional.is_some() && !self.syntax.optionals {
            self.issue(bracket, "unsupported syntax '[?'");
        }
        let function =
            if optional.is_some() { Operator::OptionalIndex.name() } else { Operator::Index.name() };
        Ok(self.call(bracket, function, &[operand.id, index.id], 1 + operand.height.max(index.height)))
    }

    /// Parses a call's arguments, between the parentheses.
    fn arguments(&mut self) -> Parsed<(Vec<ExprId>, u16)> {
        let (mut args, mut height) = (Vec::new(), 0);
        self.input.sync(At::Arguments, EXPRESSION.and(until(TokenKind::RightParen)))?;
        if EXPRESSION.has(self.input.kind()) {
            loop {
                self.input.enter(Set::from_kinds(&[TokenKind::Comma, TokenKind::RightParen]));
                let arg = self.expr();
                self.input.leave();
                let arg = arg?;
                args.push(arg.id);
                height = height.max(arg.height);
                if self.input.kind() != TokenKind::Comma {
                    break;
                }
                self.input.take();
            }
        }
        Ok((args, height))
    }

    fn close_arguments(&mut self) -> Parsed<()> {
        self.input.expect(At::ArgumentsEnd, TokenKind::RightParen, MEMBER_END).map(|_| ())
    }

    // primary: '.'? name | '.'? name '(' args? ')' | '(' expr ')' | list | map | message | literal
    fn primary(&mut self) -> Parsed<ParsedNode> {
        self.input.sync(At::Primary, OPERAND)?;
        match self.input.kind() {
            TokenKind::LeftParen => self.parenthesized(),
            TokenKind::LeftBracket => self.list(),
            TokenKind::LeftBrace => self.map(),
            TokenKind::Ident => self.name(),
            TokenKind::Dot if self.input.kind_ahead(1) == TokenKind::Ident => self.name(),
            TokenKind::Dot => Err(self.input.no_choice(At::Primary, 1)),
            kind if OPERAND.has(kind) => self.literal(),
            _ => Err(self.input.no_choice(At::Primary, 0)),
        }
    }

    fn parenthesized(&mut self) -> Parsed<ParsedNode> {
        self.input.take();
        self.input.enter(until(TokenKind::RightParen));
        let inner = self.expr();
        self.input.leave();
        let inner = inner?;
        self.input.expect(At::ParenthesisEnd, TokenKind::RightParen, Set::RULE_END)?;
        Ok(inner)
    }

    /// Parses a name, a call or a message, with or without a leading dot.
    fn name(&mut self) -> Parsed<ParsedNode> {
        if self.is_message() {
            return self.message();
        }
        let name = self.name_alone();
        if self.input.kind() == TokenKind::LeftParen {
            return self.global_call(name);
        }
        let (position, expr) = match name {
            Name { is_reserved: true, start, .. } => (start, Expr::Error),
            Name { at, text, .. } => (at, Expr::Ident(text)),
        };
        Ok(self.node(position, expr, 0))
    }

    fn name_alone(&mut self) -> Name<'s> {
        let start = self.input.position();
        let dotted = self.input.kind() == TokenKind::Dot;
        if dotted {
            self.input.take();
        }
        let token = self.input.take();
        let mut text = Cow::Borrowed(self.input.text(token));
        let is_reserved = RESERVED.contains(&&*text);
        if is_reserved {
            self.issue(start, format!("reserved identifier: {text}"));
        }
        if dotted {
            let whole = Token { start, ..token };
            // The text of the name, or its parts joined if there are spaces between them.
            text = match self.input.text(whole) {
                whole if whole.len() == text.len() + 1 => Cow::Borrowed(whole),
                _ => Cow::Owned(format!(".{text}")),
            };
        }
        Name { start, at: token.start, text, is_reserved }
    }

    fn global_call(&mut self, name: Name<'s>) -> Parsed<ParsedNode> {
        let paren = self.input.take().start;
        let issues = self.issues.len();
        let (args, height) = self.arguments()?;
        if let Err(fail) = self.close_arguments() {
            // The call remains a call.
            self.input.recover(fail)?;
        }
        if name.is_reserved {
            // Errors in the arguments of a reserved name are not reported.
            self.issues.truncate(issues);
            return Ok(self.node(name.start, Expr::Error, height));
        }
        self.call_or_macro(paren, name.text, None, &args, height)
    }

    /// Returns `true` if a brace follows the qualified name at the current token.
    fn is_message(&self) -> bool {
        let mut ahead = usize::from(self.input.kind() == TokenKind::Dot);
        while self.input.kind_ahead(ahead + 1) == TokenKind::Dot
            && self.input.kind_ahead(ahead + 2) == TokenKind::Ident
        {
            ahead += 2;
        }
        self.input.kind_ahead(ahead + 1) == TokenKind::LeftBrace
    }

    fn message(&mut self) -> Parsed<ParsedNode> {
        let mut type_name = String::new();
        while self.input.kind() != TokenKind::LeftBrace {
            let token = self.input.take();
            type_name.push_str(self.input.text(token));
        }
        let brace = self.input.take().start;
        let (mut fields, mut height) = (Vec::new(), 0);
        let first = OPTIONAL_FIELD.and(Set::from_kinds(&[TokenKind::Comma, TokenKind::RightBrace]));
        self.input.sync(At::MessageStart, first)?;
        if OPTIONAL_FIELD.has(self.input.kind()) {
            self.input.enter(Set::from_kinds(&[TokenKind::Comma, TokenKind::RightBrace]));
            let parsed = match self.fields(&mut fields, &mut height) {
                Ok(()) => Ok(()),
                // The list of fields is a rule of its own, which ends here.
                Err(fail) => self.input.recover(fail),
            };
            self.input.leave();
            parsed?;
        }
        self.close(At::MessageEnd, At::MessageClose, TokenKind::RightBrace)?;
        Ok(self.node(brace, Expr::Struct { type_name: Cow::Owned(type_name), fields }, height))
    }

    fn fields(&mut self, fields: &mut Vec<StructField<'s>>, height: &mut u16) -> Parsed<()> {
        loop {
            let start = self.input.position();
            let optional = self.optional_question();
            self.input.enter(until(TokenKind::Colon));
            let field = match self.field(At::MessageField) {
                Ok(field) => Ok(Some(field)),
                Err(fail) => self.input.recover(fail).map(|()| None),
            };
            self.input.leave();
            let field = field?;
            let colon = self.input.expect(At::MessageColon, TokenKind::Colon, EXPRESSION)?;
            self.input.enter(Set::RULE_END.and(until(TokenKind::Comma)));
            let value = self.expr();
            self.input.leave();
            let value = value?;
            *height = value.height.max(*height);
            if field.is_none() && optional {
                self.issue(start, "unsupported ident kind");
            }
            if let Some(field) = field {
                let name = self.input.text(field);
                fields.push(StructField { name, position: colon.start, value: value.id, optional });
            }
            if self.input.kind() != TokenKind::Comma || !OPTIONAL_FIELD.has(self.input.kind_ahead(1)) {
                return Ok(());
            }
            self.input.take();
        }
    }

    fn list(&mut self) -> Parsed<ParsedNode> {
        let bracket = self.input.take().start;
        let (mut elements, mut optional, mut height) = (Vec::new(), Vec::new(), 0);
        let first = OPTIONAL_EXPRESSION.and(Set::from_kinds(&[TokenKind::Comma, TokenKind::RightBracket]));
        self.input.sync(At::ListStart, first)?;
        if OPTIONAL_EXPRESSION.has(self.input.kind()) {
            loop {
                if self.optional_question() {
                    optional.push(elements.len() as u32);
                }
                self.input.enter(Set::from_kinds(&[TokenKind::Comma, TokenKind::RightBracket]));
                let element = self.expr();
                self.input.leave();
                let element = element?;
                elements.push(element.id);
                height = height.max(element.height);
                if self.input.kind() != TokenKind::Comma || !OPTIONAL_EXPRESSION.has(self.input.kind_ahead(1))
                {
                    break;
                }
                self.input.take();
            }
        }
        self.close(At::ListEnd, At::ListClose, TokenKind::RightBracket)?;
        let elements = self.ast.push_list(&elements);
        Ok(self.node(bracket, Expr::List { elements, optional }, height))
    }

    fn map(&mut self) -> Parsed<ParsedNode> {
        let brace = self.input.take().start;
        let (mut entries, mut height) = (Vec::new(), 0);
        let first = OPTIONAL_EXPRESSION.and(Set::from_kinds(&[TokenKind::Comma, TokenKind::RightBrace]));
        self.input.sync(At::MapStart, first)?;
        if OPTIONAL_EXPRESSION.has(self.input.kind()) {
            self.input.enter(Set::from_kinds(&[TokenKind::Comma, TokenKind::RightBrace]));
            let parsed = match self.entries(&mut entries, &mut height) {
                Ok(()) => Ok(()),
                // The list of entries is a rule of its own, which ends here.
                Err(fail) => self.input.recover(fail),
            };
            self.input.leave();
            parsed?;
        }
        self.close(At::MapEnd, At::MapClose, TokenKind::RightBrace)?;
        Ok(self.node(brace, Expr::Map(entries), height))
    }

    fn entries(&mut self, entries: &mut Vec<MapEntry>, height: &mut u16) -> Parsed<()> {
        loop {
            let optional = self.optional_question();
            let issues = self.issues.len();
            self.input.enter(until(TokenKind::Colon));
            let key = self.expr();
            self.input.leave();
            let key = key?;
            if let Err(fail) = self.input.expect(At::MapColon, TokenKind::Colon, EXPRESSION) {
                // Errors in a key without a value are not reported.
                self.issues.truncate(issues);
                return Err(fail);
            }
            self.input.enter(Set::RULE_END.and(until(TokenKind::Comma)));
            let value = self.expr();
            self.input.leave();
            let value = value?;
            *height = key.height.max(value.height).max(*height);
            entries.push(MapEntry { key: key.id, value: value.id, optional });
            if self.input.kind() != TokenKind::Comma || !OPTIONAL_EXPRESSION.has(self.input.kind_ahead(1)) {
                return Ok(());
            }
            self.input.take();
        }
    }

    /// Consumes the end of a list, map or message, with or without a trailing comma.
    fn close(&mut self, end: At, close: At, bracket: TokenKind) -> Parsed<()> {
        self.input.sync(end, Set::from_kinds(&[TokenKind::Comma, bracket]))?;
        if self.input.kind() == TokenKind::Comma {
            self.input.take();
        }
        self.input.expect(close, bracket, Set::RULE_END)?;
        Ok(())
    }

    fn question(&mut self) -> Option<u32> {
        (self.input.kind() == TokenKind::Question).then(|| self.input.take().start)
    }

    /// Reads the question mark of an optional element or entry, if there is one.
    fn optional_question(&mut self) -> bool {
        let question = self.question();
        if let Some(question) = question.filter(|_| !self.syntax.optionals) {
            self.issue(question, "unsupported syntax '?'");
        }
        question.is_some()
    }

    fn literal(&mut self) -> Parsed<ParsedNode> {
        let start = self.input.position();
        let negative = self.input.kind() == TokenKind::Minus;
        if negative {
            if !matches!(self.input.kind_ahead(1), TokenKind::Int | TokenKind::Float) {
                return Err(self.input.no_choice(At::Number, 1));
            }
            self.input.take();
        }
        let token = self.input.take();
        let text = self.input.text(token);
        let literal = match token.kind {
            TokenKind::True => Ok(Literal::Bool(true)),
            TokenKind::False => Ok(Literal::Bool(false)),
            TokenKind::Null => Ok(Literal::Null),
            TokenKind::String => literal::string(text, self.syntax.server).map(Literal::String),
            TokenKind::Bytes => literal::bytes(text).map(Literal::Bytes),
            kind => literal::number(kind, text, negative),
        };
        match literal {
            Ok(literal) => Ok(self.node(start, Expr::Literal(literal), 0)),
            Err(message) => {
                self.issue(start, message);
                Ok(self.node(start, Expr::Error, 0))
            }
        }
    }
}

/// A name as written in the text.
struct Name<'s> {
    /// The start position, including a leading dot.
    start: u32,
    /// The start position, without a leading dot.
    at: u32,
    text: Cow<'s, str>,
    is_reserved: bool,
}

/// Reserved words. They are allowed only as field names.
const RESERVED: [&str; 20] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
    "in",
    "null",
    "true",
];
