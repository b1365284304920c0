//! The lexer: splits the text of a rule into tokens. Invalid parts become issues, and the lexer continues after them.
//!
//! As in cel-go, each token is the longest match. This matters for text such as `'abc` or `1e`, because the split determines the positions
//! of errors.

use std::ops::Range;

use crd_go::KubeVersion;

use crate::issue::Issue;

/// The kinds of tokens, in the order in which the API server's messages list expected tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum TokenKind {
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    And,
    Or,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    Dot,
    Comma,
    Minus,
    Not,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Ident,
    EscapedIdent,
    End,
}

impl TokenKind {
    /// Returns the name that error messages use when they list the expected tokens. The name is in quotes if all tokens of this kind have
    /// the same text.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Equals => "'=='",
            Self::NotEquals => "'!='",
            Self::In => "'in'",
            Self::Less => "'<'",
            Self::LessEquals => "'<='",
            Self::GreaterEquals => "'>='",
            Self::Greater => "'>'",
            Self::And => "'&&'",
            Self::Or => "'||'",
            Self::LeftBracket => "'['",
            Self::RightBracket => "']'",
            Self::LeftBrace => "'{'",
            Self::RightBrace => "'}'",
            Self::LeftParen => "'('",
            Self::RightParen => "')'",
            Self::Dot => "'.'",
            Self::Comma => "','",
            Self::Minus => "'-'",
            Self::Not => "'!'",
            Self::Question => "'?'",
            Self::Colon => "':'",
            Self::Plus => "'+'",
            Self::Star => "'*'",
            Self::Slash => "'/'",
            Self::Percent => "'%'",
            Self::True => "'true'",
            Self::False => "'false'",
            Self::Null => "'null'",
            Self::Float => "NUM_FLOAT",
            Self::Int => "NUM_INT",
            Self::Uint => "NUM_UINT",
            Self::String => "STRING",
            Self::Bytes => "BYTES",
            Self::Ident => "IDENTIFIER",
            Self::EscapedIdent => "ESC_IDENTIFIER",
            Self::End => "<EOF>",
        }
    }

    pub(crate) const ALL: [Self; 36] = [
        Self::Equals,
        Self::NotEquals,
        Self::In,
        Self::Less,
        Self::LessEquals,
        Self::GreaterEquals,
        Self::Greater,
        Self::And,
        Self::Or,
        Self::LeftBracket,
        Self::RightBracket,
        Self::LeftBrace,
        Self::RightBrace,
        Self::LeftParen,
        Self::RightParen,
        Self::Dot,
        Self::Comma,
        Self::Minus,
        Self::Not,
        Self::Question,
        Self::Colon,
        Self::Plus,
        Self::Star,
        Self::Slash,
        Self::Percent,
        Self::True,
        Self::False,
        Self::Null,
        Self::Float,
        Self::Int,
        Self::Uint,
        Self::String,
        Self::Bytes,
        Self::Ident,
        Self::EscapedIdent,
        Self::End,
    ];
}

/// A token, with its kind and byte range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The tokens of a text, with issues for invalid parts.
pub(crate) struct Lexed {
    /// The tokens. The last token is [`TokenKind::End`].
    pub(crate) tokens: Vec<Token>,
    /// An issue for each invalid part in `refused`.
    pub(crate) issues: Vec<Issue>,
    pub(crate) refused: Vec<Range<usize>>,
}

pub(crate) fn lex(source: &str, server: KubeVersion) -> Lexed {
    let mut lexer = Lexer { server, source, bytes: source.as_bytes(), at: 0 };
    let tokens = Vec::with_capacity(source.len() / 3 + 2);
    let mut lexed = Lexed { tokens, issues: Vec::new(), refused: Vec::new() };
    loop {
        lexer.skip_blank();
        let start = lexer.at;
        if start == source.len() {
            lexed.tokens.push(Token { kind: TokenKind::End, start: start as u32, end: start as u32 });
            return lexed;
        }
        match lexer.token() {
            Ok(kind) => lexed.tokens.push(Token { kind, start: start as u32, end: lexer.at as u32 }),
            Err(failed_at) => {
                // The code point at which the match fails belongs to the invalid part.
                let end = failed_at + source[failed_at..].chars().next().map_or(0, char::len_utf8);
                let text = &source[start..end];
                let message = format!("Syntax error: token recognition error at: '{text}'");
                lexed.issues.push(Issue::at_position(start, message));
                lexed.refused.push(start..end);
                lexer.at = end;
            }
        }
    }
}

struct Lexer<'s> {
    server: KubeVersion,
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        // No token begins with zero, so zero can represent the end.
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_blank(&mut self) {
        loop {
            match self.peek(0) {
                b'\t' | b' ' | b'\r' | b'\n' | 0x0c => self.at += 1,
                b'/' if self.peek(1) == b'/' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Reads a token. Returns the failing position in `Err` if no token matches.
    fn token(&mut self) -> Result<TokenKind, usize> {
        let (first, second) = (self.peek(0), self.peek(1));
        let (kind, length) = match (first, second) {
            (b'=', b'=') => (TokenKind::Equals, 2),
            (b'!', b'=') => (TokenKind::NotEquals, 2),
            (b'<', b'=') => (TokenKind::LessEquals, 2),
            (b'>', b'=') => (TokenKind::GreaterEquals, 2),
            (b'&', b'&') => (TokenKind::And, 2),
            (b'|', b'|') => (TokenKind::Or, 2),
            (b'=' | b'&' | b'|', _) => return Err(self.at + 1),
            (b'<', _) => (TokenKind::Less, 1),
            (b'>', _) => (TokenKind::Greater, 1),
            (b'[', _) => (TokenKind::LeftBracket, 1),
            (b']', _) => (TokenKind::RightBracket, 1),
            (b'{', _) => (TokenKind::LeftBrace, 1),
            (b'}', _) => (TokenKind::RightBrace, 1),
            (b'(', _) => (TokenKind::LeftParen, 1),
            (b')', _) => (TokenKind::RightParen, 1),
            (b',', _) => (TokenKind::Comma, 1),
            (b'-', _) => (TokenKind::Minus, 1),
            (b'!', _) => (TokenKind::Not, 1),
            (b'?', _) => (TokenKind::Question, 1),
            (b':', _) => (TokenKind::Colon, 1),
            (b'+', _) => (TokenKind::Plus, 1),
            (b'*', _) => (TokenKind::Star, 1),
            (b'/', _) => (TokenKind::Slash, 1),
            (b'%', _) => (TokenKind::Percent, 1),
            (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => return Ok(self.number()),
            (b'.', _) => (TokenKind::Dot, 1),
            (b'"' | b'\'', _) => {
                self.at = self.string(self.at, false)?;
                return Ok(TokenKind::String);
            }
            // Before, backticks were not part of the language.
            (b'`', _) if self.server.is_at_least(33) => return self.escaped_ident(),
            (b'a'..=b'z' | b'A'..=b'Z' | b'_', _) => return Ok(self.word()),
            _ => return Err(self.at),
        };
        self.at += length;
        Ok(kind)
    }

    fn number(&mut self) -> TokenKind {
        if self.peek(0) == b'0' && self.peek(1) == b'x' && self.peek(2).is_ascii_hexdigit() {
            self.at += 2;
            self.skip(u8::is_ascii_hexdigit);
            return self.int_or_uint();
        }
        self.skip(u8::is_ascii_digit);
        let mut float = false;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            float = true;
            self.at += 1;
            self.skip(u8::is_ascii_digit);
        }
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                float = true;
                self.at += 1 + sign;
                self.skip(u8::is_ascii_digit);
            }
        }
        if float { TokenKind::Float } else { self.int_or_uint() }
    }

    fn int_or_uint(&mut self) -> TokenKind {
        if matches!(self.peek(0), b'u' | b'U') {
            self.at += 1;
            return TokenKind::Uint;
        }
        TokenKind::Int
    }

    fn skip(&mut self, accepted: fn(&u8) -> bool) {
        while accepted(&self.peek(0)) {
            self.at += 1;
        }
    }

    /// Returns a keyword, a name, or a string with a prefix.
    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let word = &self.source[start..self.at];
        if matches!(self.peek(0), b'"' | b'\'') {
            let prefix = match word {
                "r" | "R" => Some((TokenKind::String, true)),
                "b" | "B" => Some((TokenKind::Bytes, false)),
                "br" | "bR" | "Br" | "BR" => Some((TokenKind::Bytes, true)),
                _ => None,
            };
            // If the string does not end, the prefix is a name: the longest match wins.
            if let Some((kind, raw)) = prefix
                && let Ok(end) = self.string(self.at, raw)
            {
                self.at = end;
                return kind;
            }
        }
        match word {
            "in" => TokenKind::In,
            "true" => TokenKind::True,
            "false" => TokenKind::False,
            "null" => TokenKind::Null,
            _ => TokenKind::Ident,
        }
    }

    /// Returns the end of a string whose opening quote is at `start`, or the failing position in `Err`.
    fn string(&self, start: usize, raw: bool) -> Result<usize, usize> {
        let quote = self.bytes[start];
        if self.bytes.get(start + 1) != Some(&quote) {
            return self.string_body(start + 1, quote, 1, raw);
        }
        if self.bytes.get(start + 2) != Some(&quote) {
            return Ok(start + 2);
        }
        // Without a closing `'''`, the opening one is an empty string and the beginning of another.
        self.string_body(start + 3, quote, 3, raw).or(Ok(start + 2))
    }

    fn string_body(&self, mut at: usize, quote: u8, quotes: usize, raw: bool) -> Result<usize, usize> {
        loop {
            let Some(&byte) = self.bytes.get(at) else { return Err(at) };
            if byte == quote && (1..quotes).all(|ahead| self.bytes.get(at + ahead) == Some(&quote)) {
                return Ok(at + quotes);
            }
            match byte {
                b'\\' if !raw => at = self.escape(at)?,
                b'\n' | b'\r' if quotes == 1 => return Err(at),
                _ => at += 1,
            }
        }
    }

    /// Returns the end of the escape sequence at `at`, or the failing position in `Err`.
    fn escape(&self, at: usize) -> Result<usize, usize> {
        let (digits, accepted): (usize, fn(&u8) -> bool) = match self.bytes.get(at + 1) {
            Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`') => {
                return Ok(at + 2);
            }
            Some(b'x' | b'X') => (2, u8::is_ascii_hexdigit),
            Some(b'u') => (4, u8::is_ascii_hexdigit),
            Some(b'U') => (8, u8::is_ascii_hexdigit),
            Some(b'0'..=b'3') => (2, |byte| matches!(byte, b'0'..=b'7')),
            _ => return Err((at + 1).min(self.bytes.len())),
        };
        let digits = at + 2..at + 2 + digits;
        for digit in digits.clone() {
            if !self.bytes.get(digit).is_some_and(accepted) {
                return Err(digit.min(self.bytes.len()));
            }
        }
        Ok(digits.end)
    }

    fn escaped_ident(&mut self) -> Result<TokenKind, usize> {
        let mut end = self.at + 1;
        while self.bytes.get(end).is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b' ')
        }) {
            end += 1;
        }
        if end == self.at + 1 || self.bytes.get(end) != Some(&b'`') {
            return Err(end);
        }
        self.at = end + 1;
        Ok(TokenKind::EscapedIdent)
    }
}
