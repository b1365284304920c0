//! Error recovery: reports a token that does not fit, and finds the place where parsing continues.
//!
//! Error recovery follows the default strategy of ANTLR, which generates the API server's parser. Before a choice, an unexpected token is
//! dropped if the token after it is expected. A required token is dropped or inserted. Otherwise the rule is abandoned, and tokens are
//! skipped up to a token that can follow the rule. The errors of a text with several mistakes therefore have the server's positions.

use std::ops::Range;

use crate::issue::Issue;
use crate::lex::{Lexed, Token, TokenKind};

/// A set of kinds of tokens. The set can also contain the end of the rule.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Set(u64);

impl Set {
    pub(crate) const EMPTY: Self = Self(0);
    /// The end of the rule, followed by the tokens that can follow it in the calling rule.
    pub(crate) const RULE_END: Self = Self(1 << 63);

    pub(crate) const fn from_kinds(kinds: &[TokenKind]) -> Self {
        let mut set = 0;
        let mut i = 0;
        while i < kinds.len() {
            set |= 1 << kinds[i] as u8;
            i += 1;
        }
        Self(set)
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn has(self, kind: TokenKind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    const fn may_end(self) -> bool {
        self.0 & Self::RULE_END.0 != 0
    }

    /// Returns the tokens as messages list them: `'a'` or `{'a', 'b'}`, in the order of token types.
    fn expected(self) -> String {
        let kinds = TokenKind::ALL
            .iter()
            .filter(|kind| **kind != TokenKind::End || self.0 == Self::from_kinds(&[TokenKind::End]).0);
        let names: Vec<_> = kinds.filter(|kind| self.has(**kind)).map(|kind| kind.name()).collect();
        match &*names {
            [name] => (*name).to_owned(),
            names => format!("{{{}}}", names.join(", ")),
        }
    }
}

/// A position in the grammar, as far as recovery distinguishes positions.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
pub(crate) enum At {
    End,
    Colon,
    Unary,
    Primary,
    MemberDot,
    Field,
    Index,
    IndexEnd,
    Arguments,
    ArgumentsEnd,
    ParenthesisEnd,
    ListStart,
    ListEnd,
    ListClose,
    MapStart,
    MapColon,
    MapEnd,
    MapClose,
    MessageStart,
    MessageField,
    MessageColon,
    MessageEnd,
    MessageClose,
    Number,
}

/// The reason why the parser abandons a rule of the grammar.
pub(crate) enum Fail {
    /// A mismatch with the grammar, which the failing rule of the grammar reports before it skips tokens. While the parser recovers from an
    /// earlier mistake, mismatches are not reported.
    Rule(At, String),
    /// A mistake after which parsing ends.
    Fatal,
}

pub(crate) type Parsed<T> = Result<T, Fail>;

/// The tokens, and the state of error recovery.
pub(crate) struct Input<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    next: usize,
    /// The tokens that can follow each of the active rules.
    follow: Vec<Set>,
    pub(crate) issues: Vec<Issue>,
    /// Invalid parts of the text, which the first issues describe.
    refused: Vec<Range<usize>>,
    recovering: bool,
    /// The token and the positions in the grammar where rules were abandoned since the last token that
    /// matched.
    last_failure: Option<(usize, u64)>,
    recoveries: usize,
}

/// Maximum number of recoveries from mistakes in one rule.
const MAX_RECOVERIES: usize = 30;
/// Maximum number of tokens that one recovery skips.
const MAX_SKIPPED: usize = 256;

impl<'s> Input<'s> {
    pub(crate) fn new(source: &'s str, lexed: Lexed) -> Self {
        let Lexed { tokens, issues, refused } = lexed;
        Self {
            source,
            tokens,
            next: 0,
            follow: Vec::new(),
            refused,
            issues,
            recovering: false,
            last_failure: None,
            recoveries: 0,
        }
    }

    pub(crate) fn kind(&self) -> TokenKind {
        self.kind_ahead(0)
    }

    pub(crate) fn kind_ahead(&self, ahead: usize) -> TokenKind {
        self.token(ahead).kind
    }

    pub(crate) fn position(&self) -> u32 {
        self.token(0).start
    }

    pub(crate) fn text(&self, token: Token) -> &'s str {
        &self.source[token.start as usize..token.end as usize]
    }

    fn token(&self, ahead: usize) -> Token {
        // The last token is the end, and it is followed by itself.
        let last = self.tokens.len() - 1;
        self.tokens[(self.next + ahead).min(last)]
    }

    /// Consumes the next token, which has the expected kind.
    pub(crate) fn take(&mut self) -> Token {
        self.recovering = false;
        self.last_failure = None;
        self.skip()
    }

    fn skip(&mut self) -> Token {
        let token = self.token(0);
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    /// Begins a rule of the grammar. The tokens in `follow` can follow the rule.
    pub(crate) fn enter(&mut self, follow: Set) {
        self.follow.push(follow);
    }

    /// Ends the rule of the grammar that [`Input::enter`] began.
    pub(crate) fn leave(&mut self) {
        self.follow.pop();
    }

    /// Consumes a token of `kind`. The tokens in `after` can follow this token.
    pub(crate) fn expect(&mut self, at: At, kind: TokenKind, after: Set) -> Parsed<Token> {
        if self.kind() == kind {
            return Ok(self.take());
        }
        self.count_recovery()?;
        let expected = Set::from_kinds(&[kind]);
        if self.drop_one(expected) {
            return Ok(self.take());
        }
        if self.after_in_context(after).has(self.kind()) {
            let message = format!("missing {} at {}", expected.expected(), self.shown());
            self.report_once(&message);
            let here = self.position();
            return Ok(Token { kind, start: here, end: here });
        }
        Err(self.mismatch(at, expected))
    }

    /// Recovers before a choice, so that the next token is one of `expected`.
    pub(crate) fn sync(&mut self, at: At, expected: Set) -> Parsed<()> {
        if self.recovering || expected.has(self.kind()) || self.drop_one(expected) {
            return Ok(());
        }
        Err(self.mismatch(at, expected))
    }

    /// Recovers after a step of a loop that requires a following token: skips tokens that do not fit.
    pub(crate) fn sync_loop(&mut self, expected: Set) {
        if self.recovering || expected.has(self.kind()) {
            return;
        }
        self.report_once(&format!("extraneous input {} expecting {}", self.shown(), expected.expected()));
        let stop = expected.and(self.recovery_set());
        while self.kind() != TokenKind::End && !stop.has(self.kind()) {
            self.skip();
        }
    }

    fn drop_one(&mut self, expected: Set) -> bool {
        if !expected.has(self.kind_ahead(1)) {
            return false;
        }
        self.report_once(&format!("extraneous input {} expecting {}", self.shown(), expected.expected()));
        self.skip();
        self.recovering = false;
        self.last_failure = None;
        true
    }

    pub(crate) fn mismatch(&self, at: At, expected: Set) -> Fail {
        Fail::Rule(at, format!("mismatched input {} expecting {}", self.shown(), expected.expected()))
    }

    /// Returns the error for a choice without a matching alternative: the next token is expected, but the token `ahead`
    /// positions after it is not.
    pub(crate) fn no_choice(&mut self, at: At, ahead: usize) -> Fail {
        let (first, offending) = (self.token(0), self.token(ahead));
        let text = self.between(ahead);
        if !self.recovering {
            // The server says so of its reserved words, for the sake of how it once put it.
            let message = match (first.kind, offending.kind) {
                (TokenKind::Dot, TokenKind::True | TokenKind::False | TokenKind::Null) if ahead == 1 => {
                    format!("mismatched input '{}' expecting IDENTIFIER", self.text(offending))
                }
                _ => format!("no viable alternative at input '{}'", escape_blanks(&text)),
            };
            self.report(&message, offending.start);
            self.recovering = true;
        }
        Fail::Rule(at, String::new())
    }

    /// Returns the text from the next token to the token `ahead` positions after it, with whitespace, but without invalid
    /// parts.
    fn between(&self, ahead: usize) -> String {
        let first = self.token(0);
        let (mut text, mut end) = (self.text(first).to_owned(), first.end as usize);
        for i in 1..=ahead {
            let token = self.token(i);
            let gap = self.source[end..token.start as usize].char_indices();
            let refused = |at: usize| self.refused.iter().any(|range| range.contains(&at));
            text.extend(gap.filter(|(i, _)| !refused(end + i)).map(|(_, c)| c));
            text.push_str(self.text(token));
            end = token.end as usize;
        }
        text
    }

    /// Removes issues of tokens that were never read: the server reads tokens one by one.
    pub(crate) fn forget_unread(&mut self) {
        let read = self.token(1).start as usize;
        let parsed = self.issues.split_off(self.refused.len());
        self.issues.retain(|issue| issue.position.is_none_or(|position| position < read));
        self.issues.extend(parsed);
    }

    /// Abandons the rule that caused `fail`, and continues at a token that can follow the rule.
    pub(crate) fn recover(&mut self, fail: Fail) -> Parsed<()> {
        let Fail::Rule(at, message) = fail else { return Err(fail) };
        if !message.is_empty() {
            self.report_once(&message);
        }
        self.count_recovery()?;
        let mut skipped = 0;
        let places = match self.last_failure {
            Some((token, places)) if token == self.next => {
                if places & (1 << at as u8) != 0 {
                    // The same failure at the same place: skipping a token guarantees progress.
                    self.skip();
                    skipped += 1;
                }
                places
            }
            Some((_, places)) => places,
            None => 0,
        };
        self.last_failure = Some((self.next, places | 1 << at as u8));
        let stop = self.recovery_set();
        while self.kind() != TokenKind::End && !stop.has(self.kind()) {
            if skipped == MAX_SKIPPED {
                let message = format!("error recovery token lookahead limit exceeded: {MAX_SKIPPED}");
                self.issues.push(Issue::without_position(message));
                return Err(Fail::Fatal);
            }
            skipped += 1;
            self.skip();
        }
        Ok(())
    }

    fn count_recovery(&mut self) -> Parsed<()> {
        if self.recoveries == MAX_RECOVERIES {
            let message = format!("error recovery attempt limit exceeded: {MAX_RECOVERIES}");
            self.report(&message, self.position());
            return Err(Fail::Fatal);
        }
        self.recoveries += 1;
        Ok(())
    }

    fn recovery_set(&self) -> Set {
        self.follow.iter().fold(Set::EMPTY, |all, set| all.and(*set))
    }

    /// Returns the tokens of `after`. If `after` contains the end of the rule, also returns the tokens that can follow the rule at this
    /// position.
    fn after_in_context(&self, after: Set) -> Set {
        let mut all = after;
        let mut open = after.may_end();
        for set in self.follow.iter().rev() {
            if !open {
                break;
            }
            all = all.and(*set);
            open = set.may_end();
        }
        all
    }

    /// Reports a mismatch, unless the parser still recovers from an earlier mistake.
    fn report_once(&mut self, message: &str) {
        if !self.recovering {
            self.recovering = true;
            self.report(message, self.position());
        }
    }

    fn report(&mut self, message: &str, position: u32) {
        let message = format!("Syntax error: {message}");
        self.issues.push(Issue::at_position(position as usize, message));
    }

    fn shown(&self) -> String {
        match self.token(0) {
            Token { kind: TokenKind::End, .. } => "'<EOF>'".to_owned(),
            token => format!("'{}'", escape_blanks(self.text(token))),
        }
    }
}

fn escape_blanks(text: &str) -> String {
    text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}
