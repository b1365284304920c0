//! Scans text into tokens, as libyaml does. The indentation of blocks produces start and end tokens, and a `:` turns the preceding token
//! into a key.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::cursor::Cursor;
use super::{Mistake, Tag, mistake, scalars};

/// A token and its range of bytes.
#[derive(Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Debug)]
pub(super) enum Kind<'t> {
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'t str),
    Anchor(&'t str),
    Tag(Tag),
    Scalar { text: Cow<'t, str>, plain: bool },
}

pub(super) struct Scanner<'t> {
    pub(super) cursor: Cursor<'t>,
    tokens: VecDeque<Token<'t>>,
    /// The number of tokens that were returned.
    taken: usize,
    /// `true` if no other token can be inserted before the first token.
    is_head_final: bool,
    /// The column of the innermost open block.
    indent: Option<usize>,
    indents: Vec<Option<usize>>,
    /// The tokens that can become a key: one for the block and one for each open flow collection.
    keys: Vec<Option<SimpleKey>>,
    key_allowed: bool,
    /// `true` at the end of the text, after which no token becomes a key.
    ended: bool,
}

/// A token that becomes a key if a `:` follows within 1024 characters on the same line.
#[derive(Clone, Copy)]
struct SimpleKey {
    /// The number of the token.
    token: usize,
    at: usize,
    /// `true` if only a key is allowed at this position.
    required: bool,
}

const KEY_CHARACTERS: usize = 1024;

impl<'t> Scanner<'t> {
    /// Creates a scanner that begins at `at`, the start of a line.
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self {
            cursor: Cursor::new(text, at),
            tokens: VecDeque::new(),
            taken: 0,
            is_head_final: false,
            indent: None,
            indents: Vec::new(),
            keys: vec![None],
            key_allowed: true,
            ended: false,
        }
    }

    /// Returns the next token. At the end of the stream, the end token is returned repeatedly.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<&Token<'t>, Mistake> {
        if !self.is_head_final {
            self.find_head()?;
        }
        Ok(self.tokens.front().expect("`find_head` was called until there was a token"))
    }

    fn find_head(&mut self) -> Result<(), Mistake> {
        while self.tokens.is_empty() || self.head_may_be_key()? {
            self.fetch()?;
        }
        self.is_head_final = true;
        Ok(())
    }

    pub(super) fn take(&mut self) -> Result<Token<'t>, Mistake> {
        self.peek()?;
        self.is_head_final = false;
        self.taken += 1;
        Ok(self.tokens.pop_front().expect("`peek` has found a token"))
    }

    fn in_flow(&self) -> bool {
        self.keys.len() > 1
    }

    fn head_may_be_key(&mut self) -> Result<bool, Mistake> {
        let head = self.taken;
        match self.keys.iter().position(|key| key.is_some_and(|key| key.token == head)) {
            Some(level) => self.is_key_valid(level),
            None => Ok(false),
        }
    }

    fn is_key_valid(&mut self, level: usize) -> Result<bool, Mistake> {
        let Some(key) = self.keys.get(level).copied().flatten() else { return Ok(false) };
        let far = self.cursor.at - key.at > KEY_CHARACTERS
            && self.cursor.text[key.at..self.cursor.at].chars().count() > KEY_CHARACTERS;
        if key.at >= self.cursor.line && !far && !self.ended {
            return Ok(true);
        }
        if key.required {
            return Err(mistake::key_without_value(key.at));
        }
        self.keys[level] = None;
        Ok(false)
    }

    fn save_key(&mut self) -> Result<(), Mistake> {
        if self.key_allowed {
            let required = !self.in_flow() && self.indent == Some(self.cursor.column());
            let token = self.taken + self.tokens.len();
            self.remove_key()?;
            self.set_key(Some(SimpleKey { token, at: self.cursor.at, required }));
        }
        Ok(())
    }

    fn remove_key(&mut self) -> Result<(), Mistake> {
        match self.keys.last().copied().flatten() {
            Some(SimpleKey { required: true, at, .. }) => Err(mistake::key_without_value(at)),
            _ => {
                self.set_key(None);
                Ok(())
            }
        }
    }

    fn set_key(&mut self, key: Option<SimpleKey>) {
        if let Some(last) = self.keys.last_mut() {
            *last = key;
        }
    }

    fn push(&mut self, kind: Kind<'t>, start: usize) {
        self.tokens.push_back(Token { kind, start, end: self.cursor.at });
    }

    /// Pushes a token of `length` bytes.
    fn push_indicator(&mut self, kind: Kind<'t>, length: usize) {
        let start = self.cursor.at;
        self.cursor.at += length;
        self.push(kind, start);
    }

    /// Begins a block collection if the column is deeper than the current block. The start token is inserted before the token with the
    /// given number, or at the end.
    fn roll_indent(&mut self, column: usize, number: Option<usize>, kind: Kind<'t>, at: usize) {
        if self.in_flow() || self.indent.is_some_and(|indent| indent >= column) {
            return;
        }
        self.indents.push(self.indent);
        self.indent = Some(column);
        let index = number.map_or(self.tokens.len(), |number| number - self.taken);
        self.tokens.insert(index, Token { kind, start: at, end: at });
    }

    /// Ends the block collections that are deeper than the column, or all of them if no column is given.
    fn unroll_indent(&mut self, column: Option<usize>) {
        while !self.in_flow() && self.indent > column {
            self.push(Kind::BlockEnd, self.cursor.at);
            self.indent = self.indents.pop().flatten();
        }
    }

    fn fetch(&mut self) -> Result<(), Mistake> {
        self.skip_to_token();
        self.unroll_indent(Some(self.cursor.column()));
        let in_flow = self.in_flow();
        if self.cursor.is_document_indicator() {
            let kind = if self.cursor.byte() == b'-' { Kind::DocumentStart } else { Kind::DocumentEnd };
            self.end_blocks()?;
            self.push_indicator(kind, 3);
            return Ok(());
        }
        match self.cursor.byte() {
            0 => self.stream_end(),
            b'%' if self.cursor.column() == 0 => Err(mistake::directive(self.cursor.at)),
            b'[' => self.flow_start(Kind::FlowSequenceStart),
            b'{' => self.flow_start(Kind::FlowMappingStart),
            b']' => self.flow_end(Kind::FlowSequenceEnd),
            b'}' => self.flow_end(Kind::FlowMappingEnd),
            b',' => {
                self.remove_key()?;
                self.key_allowed = true;
                self.push_indicator(Kind::FlowEntry, 1);
                Ok(())
            }
            b'-' if self.cursor.ends_word(1) => self.block_entry(),
            b'?' if in_flow || self.cursor.ends_word(1) => self.key(),
            b':' if in_flow || self.cursor.ends_word(1) => self.value(),
            b'*' | b'&' => self.anchor(),
            b'!' => self.tag(),
            b'|' | b'>' if !in_flow => self.block_scalar(),
            b'\'' | b'"' => self.quoted(),
            reserved @ (b'#' | b'%' | b'@' | b'`' | b'|' | b'>' | b'\t') => {
                Err(mistake::start_of_value(self.cursor.at, char::from(reserved)))
            }
            _ => self.plain(),
        }
    }

    fn skip_to_token(&mut self) {
        loop {
            self.cursor.skip_spaces(usize::MAX);
            while self.cursor.byte() == b'\t' && (self.in_flow() || !self.key_allowed) {
                self.cursor.at += 1;
                self.cursor.skip_spaces(usize::MAX);
            }
            if self.cursor.byte() == b'#' {
                self.cursor.take_line();
            }
            if !self.cursor.is_break() {
                return;
            }
            self.cursor.take_break();
            if !self.in_flow() {
                self.key_allowed = true;
            }
        }
    }

    fn end_blocks(&mut self) -> Result<(), Mistake> {
        self.unroll_indent(None);
        self.remove_key()?;
        self.key_allowed = false;
        Ok(())
    }

    fn stream_end(&mut self) -> Result<(), Mistake> {
        self.ended = true;
        self.end_blocks()?;
        self.push(Kind::StreamEnd, self.cursor.at);
        Ok(())
    }

    fn flow_start(&mut self, kind: Kind<'t>) -> Result<(), Mistake> {
        self.save_key()?;
        self.keys.push(None);
        self.key_allowed = true;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn flow_end(&mut self, kind: Kind<'t>) -> Result<(), Mistake> {
        self.remove_key()?;
        if self.in_flow() {
            self.keys.pop();
        }
        self.key_allowed = false;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn block_entry(&mut self) -> Result<(), Mistake> {
        if !self.in_flow() {
            if !self.key_allowed {
                return Err(mistake::entry_not_allowed(self.cursor.at));
            }
            self.roll_indent(self.cursor.column(), None, Kind::BlockSequenceStart, self.cursor.at);
        }
        self.remove_key()?;
        self.key_allowed = true;
        self.push_indicator(Kind::BlockEntry, 1);
        Ok(())
    }

    fn key(&mut self) -> Result<(), Mistake> {
        if !self.in_flow() {
            if !self.key_allowed {
                return Err(mistake::key_not_allowed(self.cursor.at));
            }
            self.roll_indent(self.cursor.column(), None, Kind::BlockMappingStart, self.cursor.at);
        }
        self.remove_key()?;
        self.key_allowed = !self.in_flow();
        self.push_indicator(Kind::Key, 1);
        Ok(())
    }

    fn value(&mut self) -> Result<(), Mistake> {
        let level = self.keys.len() - 1;
        let key = if self.is_key_valid(level)? { self.keys[level] } else { None };
        if let Some(key) = key {
            let token = Token { kind: Kind::Key, start: key.at, end: key.at };
            self.tokens.insert(key.token - self.taken, token);
            let column = key.at - self.cursor.line;
            self.roll_indent(column, Some(key.token), Kind::BlockMappingStart, key.at);
            self.keys[level] = None;
            self.key_allowed = false;
        } else {
            if !self.in_flow() {
                if !self.key_allowed {
                    return Err(mistake::value_not_allowed(self.cursor.at));
                }
                self.roll_indent(self.cursor.column(), None, Kind::BlockMappingStart, self.cursor.at);
            }
            self.key_allowed = !self.in_flow();
        }
        self.push_indicator(Kind::Value, 1);
        Ok(())
    }

    fn anchor(&mut self) -> Result<(), Mistake> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.cursor.at;
        let is_alias = self.cursor.byte() == b'*';
        self.cursor.at += 1;
        let name = self.take_word();
        let ends = self.cursor.ends_word(0)
            || matches!(self.cursor.byte(), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ends {
            return Err(mistake::anchor_name(start));
        }
        self.push(if is_alias { Kind::Alias(name) } else { Kind::Anchor(name) }, start);
        Ok(())
    }

    fn take_word(&mut self) -> &'t str {
        let start = self.cursor.at;
        while self.cursor.byte().is_ascii_alphanumeric() || matches!(self.cursor.byte(), b'_' | b'-') {
            self.cursor.at += 1;
        }
        &self.cursor.text[start..self.cursor.at]
    }

    fn tag(&mut self) -> Result<(), Mistake> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.cursor.at;
        let tag = if self.cursor.ahead(1) == b'<' {
            self.cursor.at += 2;
            let uri = self.take_uri();
            if uri.is_empty() || self.cursor.byte() != b'>' {
                return Err(mistake::tag(start));
            }
            self.cursor.at += 1;
            Tag::from_name(uri.strip_prefix("tag:yaml.org,2002:"))
        } else {
            self.cursor.at += 1;
            let word = self.take_word();
            match self.cursor.byte() {
                b'!' if word.is_empty() => {
                    self.cursor.at += 1;
                    let uri = self.take_uri();
                    if uri.is_empty() {
                        return Err(mistake::tag(start));
                    }
                    Tag::from_name(Some(uri))
                }
                // A tag with a handle: without directives, no handles are declared.
                b'!' => return Err(mistake::tag(start)),
                _ => {
                    self.take_uri();
                    Tag::Other
                }
            }
        };
        if !self.cursor.ends_word(0) {
            return Err(mistake::tag(start));
        }
        self.push(Kind::Tag(tag), start);
        Ok(())
    }

    fn take_uri(&mut self) -> &'t str {
        let start = self.cursor.at;
        while self.cursor.byte().is_ascii_alphanumeric()
            || b"_-;/?:@&=+$,.!~*'()[]%".contains(&self.cursor.byte())
        {
            self.cursor.at += 1;
        }
        &self.cursor.text[start..self.cursor.at]
    }

    fn block_scalar(&mut self) -> Result<(), Mistake> {
        self.remove_key()?;
        self.key_allowed = true;
        let start = self.cursor.at;
        let (text, end) = scalars::block(&mut self.cursor, self.indent)?;
        self.tokens.push_back(Token { kind: Kind::Scalar { text: text.into(), plain: false }, start, end });
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), Mistake> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.cursor.at;
        let text = scalars::quoted(&mut self.cursor)?;
        self.push(Kind::Scalar { text, plain: false }, start);
        Ok(())
    }

    fn plain(&mut self) -> Result<(), Mistake> {
        self.save_key()?;
        let start = self.cursor.at;
        let indent = self.indent.map_or(0, |indent| indent + 1);
        let in_flow = self.in_flow();
        let plain = scalars::plain(&mut self.cursor, in_flow, indent)?;
        let scalar = Token { kind: Kind::Scalar { text: plain.text, plain: true }, start, end: plain.end };
        if !in_flow && plain.end == self.cursor.at && self.is_key_of_block(start) {
            self.roll_indent(start - self.cursor.line, None, Kind::BlockMappingStart, start);
            self.tokens.push_back(Token { kind: Kind::Key, start, end: start });
            self.tokens.push_back(scalar);
            self.set_key(None);
            self.key_allowed = false;
            self.push_indicator(Kind::Value, 1);
            return Ok(());
        }
        self.key_allowed = plain.line_broke;
        self.tokens.push_back(scalar);
        Ok(())
    }

    /// Returns `true` if the scalar from `start` to the cursor is a key in a block map. This is a fast path for most keys;
    /// [`Scanner::value`] handles all of them.
    fn is_key_of_block(&self, start: usize) -> bool {
        self.cursor.byte() == b':'
            && self.cursor.ends_word(1)
            && self.cursor.at - start <= KEY_CHARACTERS
            && self.cursor.line <= start
            && matches!(self.keys.last(), Some(Some(key)) if key.at == start)
    }
}
