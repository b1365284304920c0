//! Turns a token that does not fit into an issue, and finds the place where parsing goes on.
//!
//! The API server's parser is made by ANTLR, whose default strategy this is: before a choice, a token that fits
//! nothing is dropped if the next one fits; a token that has to be there is dropped or made up; else the rule is given
//! up and tokens are skipped up to one that can follow it. So a text with several mistakes has its errors at the
//! places where the server has them.

use std::ops::Range;

use crate::issue::Issue;
use crate::lex::{Kind, Lexed, Token};

/// A set of tokens; beside them, whether the end of the rule is possible too.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Set(u64);

impl Set {
    pub(crate) const EMPTY: Self = Self(0);
    /// The rule may end here, and what follows is up to the rule that called it.
    pub(crate) const RULE_END: Self = Self(1 << 63);

    pub(crate) const fn of(kinds: &[Kind]) -> Self {
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

    pub(crate) const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    const fn may_end(self) -> bool {
        self.0 & Self::RULE_END.0 != 0
    }

    /// `'a'` or `{'a', 'b'}`, in the order of token types.
    fn expected(self) -> String {
        let kinds = Kind::ALL.iter().filter(|kind| **kind != Kind::End || self.0 == Self::of(&[Kind::End]).0);
        let names: Vec<_> = kinds.filter(|kind| self.has(**kind)).map(|kind| kind.name()).collect();
        match &*names {
            [name] => (*name).to_owned(),
            names => format!("{{{}}}", names.join(", ")),
        }
    }
}

/// Where in the grammar the parser is, as far as recovery tells places apart.
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

/// Why a rule was given up.
pub(crate) enum Fail {
    /// The rule that failed says so and skips tokens. Nothing is said while an earlier mistake is being recovered from.
    Rule(At, String),
    /// Parsing ends.
    Fatal,
}

pub(crate) type Parsed<T> = Result<T, Fail>;

/// The tokens, and what is known of mistakes so far.
pub(crate) struct Input<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    next: usize,
    /// What can follow each of the rules that are being parsed.
    follow: Vec<Set>,
    pub(crate) issues: Vec<Issue>,
    /// What is no token; the first issues are about it.
    refused: Vec<Range<usize>>,
    recovering: bool,
    /// At which token, and where in the grammar, rules were given up since the last token that fitted.
    last_failure: Option<(usize, u64)>,
    recoveries: usize,
}

/// How often the parser goes on after a mistake.
const MAX_RECOVERIES: usize = 30;
/// How many tokens it skips at once.
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

    pub(crate) fn kind(&self) -> Kind {
        self.kind_ahead(0)
    }

    pub(crate) fn kind_ahead(&self, ahead: usize) -> Kind {
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

    /// Takes the next token, which fits.
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

    /// Parses a rule that `follow` can come after.
    pub(crate) fn enter(&mut self, follow: Set) {
        self.follow.push(follow);
    }

    /// Ends what [`Input::enter`] began.
    pub(crate) fn leave(&mut self) {
        self.follow.pop();
    }

    /// Takes a token of `kind`, after which `after` can come.
    pub(crate) fn expect(&mut self, at: At, kind: Kind, after: Set) -> Parsed<Token> {
        if self.kind() == kind {
            return Ok(self.take());
        }
        self.count_recovery()?;
        let expected = Set::of(&[kind]);
        if self.drop_one(expected) {
            return Ok(self.take());
        }
        if self.after_in_context(after).has(self.kind()) {
            let message = format!("missing {} at {}", expected.expected(), self.shown());
            self.say(&message);
            let here = self.position();
            return Ok(Token { kind, start: here, end: here });
        }
        Err(self.mismatch(at, expected))
    }

    /// Before a choice: sees to it that the next token is one of `expected`.
    pub(crate) fn sync(&mut self, at: At, expected: Set) -> Parsed<()> {
        if self.recovering || expected.has(self.kind()) || self.drop_one(expected) {
            return Ok(());
        }
        Err(self.mismatch(at, expected))
    }

    /// After a step of a loop that has to be followed by something: skips what does not fit.
    pub(crate) fn sync_loop(&mut self, expected: Set) {
        if self.recovering || expected.has(self.kind()) {
            return;
        }
        self.say(&format!("extraneous input {} expecting {}", self.shown(), expected.expected()));
        let stop = expected.and(self.recovery_set());
        while self.kind() != Kind::End && !stop.has(self.kind()) {
            self.skip();
        }
    }

    fn drop_one(&mut self, expected: Set) -> bool {
        if !expected.has(self.kind_ahead(1)) {
            return false;
        }
        self.say(&format!("extraneous input {} expecting {}", self.shown(), expected.expected()));
        self.skip();
        self.recovering = false;
        self.last_failure = None;
        true
    }

    pub(crate) fn mismatch(&self, at: At, expected: Set) -> Fail {
        Fail::Rule(at, format!("mismatched input {} expecting {}", self.shown(), expected.expected()))
    }

    /// No choice fits: the next token does, and the one `ahead` of it does not.
    pub(crate) fn no_choice(&mut self, at: At, ahead: usize) -> Fail {
        let (first, offending) = (self.token(0), self.token(ahead));
        let text = self.between(ahead);
        if !self.recovering {
            // The server says so of its reserved words, for the sake of how it once put it.
            let message = match (first.kind, offending.kind) {
                (Kind::Dot, Kind::True | Kind::False | Kind::Null) if ahead == 1 => {
                    format!("mismatched input '{}' expecting IDENTIFIER", self.text(offending))
                }
                _ => format!("no viable alternative at input '{}'", escape_blanks(&text)),
            };
            self.report(&message, offending.start);
            self.recovering = true;
        }
        Fail::Rule(at, String::new())
    }

    /// The text from the next token to the one `ahead` of it, with the blanks between them but without what is no token.
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

    /// Takes back what is wrong with tokens that were never looked at: the server reads them as it goes.
    pub(crate) fn forget_unread(&mut self) {
        let read = self.token(1).start as usize;
        let parsed = self.issues.split_off(self.refused.len());
        self.issues.retain(|issue| issue.position.is_none_or(|position| position < read));
        self.issues.extend(parsed);
    }

    /// Gives up the rule in which `fail` arose, and goes on where it can end.
    pub(crate) fn recover(&mut self, fail: Fail) -> Parsed<()> {
        let Fail::Rule(at, message) = fail else { return Err(fail) };
        if !message.is_empty() {
            self.say(&message);
        }
        self.count_recovery()?;
        let mut skipped = 0;
        let places = match self.last_failure {
            Some((token, places)) if token == self.next => {
                if places & (1 << at as u8) != 0 {
                    // The same failure at the same place: without a step this would not end.
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
        while self.kind() != Kind::End && !stop.has(self.kind()) {
            if skipped == MAX_SKIPPED {
                let message = format!("error recovery token lookahead limit exceeded: {MAX_SKIPPED}");
                self.issues.push(Issue::of_all(message));
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

    /// `after`, and where the rule may end with it, what can follow the rule here.
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

    fn say(&mut self, message: &str) {
        if !self.recovering {
            self.recovering = true;
            self.report(message, self.position());
        }
    }

    fn report(&mut self, message: &str, position: u32) {
        let message = format!("Syntax error: {message}");
        self.issues.push(Issue::at(position as usize, message));
    }

    fn shown(&self) -> String {
        match self.token(0) {
            Token { kind: Kind::End, .. } => "'<EOF>'".to_owned(),
            token => format!("'{}'", escape_blanks(self.text(token))),
        }
    }
}

fn escape_blanks(text: &str) -> String {
    text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}
