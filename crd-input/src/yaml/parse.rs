//! Parses tokens into events, according to the grammar of YAML, with its own stack of states.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::scan::{Kind, Scanner, Token};
use super::{Event, Mistake, Tag, mistake};

pub(super) struct Parser<'t> {
    scanner: Scanner<'t>,
    state: State,
    /// The states that follow the current node.
    states: Vec<State>,
    depth: usize,
    anchors: HashMap<&'t str, usize>,
    next_anchor: usize,
}

/// The parser's state, which determines the tokens that it expects.
#[derive(Clone, Copy, Debug)]
enum State {
    /// A document. At the beginning of a stream, it may lack the `---`.
    Document {
        first: bool,
    },
    DocumentContent,
    DocumentEnd,
    BlockEntry,
    /// An entry in a sequence that is not indented more than its key.
    IndentlessEntry,
    BlockKey,
    BlockValue,
    FlowEntry {
        first: bool,
    },
    /// A key in a list, as in `[key: value]`, which is a map with one entry.
    PairKey,
    PairValue,
    PairEnd,
    FlowKey {
        first: bool,
    },
    FlowValue,
    /// A key without a value in a flow map.
    FlowNoValue,
    End,
}

/// A node's anchor (0 if there is none) and tag, with their range of bytes.
#[derive(Default)]
struct Properties {
    anchor: usize,
    tag: Option<Tag>,
    bytes: Option<Range<usize>>,
}

type Step<'t> = Result<(Event<'t>, Range<usize>), Mistake>;

impl<'t> Parser<'t> {
    /// Creates a parser that begins at `at`, the start of a line. The first anchor has the number `next_anchor`.
    pub(super) fn new(text: &'t str, depth: usize, at: usize, next_anchor: usize) -> Self {
        Self {
            scanner: Scanner::new(text, at),
            state: State::Document { first: true },
            states: Vec::new(),
            depth,
            anchors: HashMap::new(),
            next_anchor,
        }
    }

    pub(super) fn next_anchor(&self) -> usize {
        self.next_anchor
    }

    pub(super) fn next(&mut self) -> Result<Option<(Event<'t>, Range<usize>)>, Mistake> {
        let step = match self.state {
            State::End => return Ok(None),
            State::Document { first } => return self.document(first),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockEntry => self.block_entry(),
            State::IndentlessEntry => self.indentless_entry(),
            State::BlockKey => self.block_key(),
            State::BlockValue => self.block_value(),
            State::FlowEntry { first } => self.flow_entry(first),
            State::PairKey => self.pair_key(),
            State::PairValue => self.pair_value(),
            State::PairEnd => {
                let at = self.scanner.peek()?.start;
                self.state = State::FlowEntry { first: false };
                Ok((Event::MappingEnd, at..at))
            }
            State::FlowKey { first } => self.flow_key(first),
            State::FlowValue => self.flow_value(),
            State::FlowNoValue => {
                self.state = State::FlowKey { first: false };
                self.empty_here()
            }
        };
        step.map(Some)
    }

    fn pop(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    fn peek(&mut self) -> Result<&Kind<'t>, Mistake> {
        Ok(&self.scanner.peek()?.kind)
    }

    /// Returns the event for an empty value.
    fn empty(at: usize) -> Step<'t> {
        Ok((Event::Scalar { text: Cow::Borrowed(""), plain: true, tag: Tag::None, anchor: 0 }, at..at))
    }

    fn empty_here(&mut self) -> Step<'t> {
        let at = self.scanner.peek()?.start;
        Self::empty(at)
    }

    fn document(&mut self, first: bool) -> Result<Option<(Event<'t>, Range<usize>)>, Mistake> {
        while !first && matches!(self.peek()?, Kind::DocumentEnd) {
            self.scanner.take()?;
        }
        let token = self.scanner.peek()?;
        let bytes = token.start..token.end;
        match token.kind {
            Kind::StreamEnd => {
                self.state = State::End;
                return Ok(None);
            }
            Kind::DocumentStart => {
                self.scanner.take()?;
                self.state = State::DocumentContent;
            }
            _ if first => self.state = State::DocumentContent,
            _ => return Err(mistake::document(bytes.start)),
        }
        self.states.push(State::DocumentEnd);
        Ok(Some((Event::DocumentStart, bytes)))
    }

    fn document_content(&mut self) -> Step<'t> {
        if matches!(self.peek()?, Kind::DocumentStart | Kind::DocumentEnd | Kind::StreamEnd) {
            self.pop();
            return self.empty_here();
        }
        self.node(true, false)
    }

    fn document_end(&mut self) -> Step<'t> {
        let at = self.scanner.peek()?.start;
        // kubectl splits documents only at `---`, but `...` ends a document as well.
        let mut first = false;
        if matches!(self.peek()?, Kind::DocumentEnd) {
            self.scanner.take()?;
            first = true;
        }
        self.anchors.clear();
        self.state = State::Document { first };
        Ok((Event::DocumentEnd, at..at))
    }

    fn node(&mut self, block: bool, indentless: bool) -> Step<'t> {
        let step = self.any_node(block, indentless)?;
        let begins = matches!(step.0, Event::SequenceStart { .. } | Event::MappingStart { .. });
        // The stack has a state for each list or map around, and one for the document.
        if begins && self.states.len() > self.depth {
            return Err(mistake::depth(step.1.start, self.depth));
        }
        Ok(step)
    }

    fn any_node(&mut self, block: bool, indentless: bool) -> Step<'t> {
        if let Kind::Alias(name) = *self.peek()? {
            let token = self.scanner.take()?;
            self.pop();
            let anchor = self.anchors.get(name).ok_or_else(|| mistake::unknown_anchor(token.start, name))?;
            return Ok((Event::Alias(*anchor), token.start..token.end));
        }
        let Properties { anchor, tag, bytes: properties } = self.properties()?;
        let token = self.scanner.peek()?;
        let bytes = token.start..token.end;
        match &token.kind {
            Kind::BlockEntry if indentless => {
                self.state = State::IndentlessEntry;
                Ok((Event::SequenceStart { anchor }, bytes))
            }
            Kind::Scalar { .. } => {
                let Token { kind: Kind::Scalar { text, plain }, .. } = self.scanner.take()? else {
                    return Self::empty(bytes.start);
                };
                self.pop();
                Ok((Event::Scalar { text, plain, tag: tag.unwrap_or(Tag::None), anchor }, bytes))
            }
            Kind::FlowSequenceStart => {
                self.scanner.take()?;
                self.state = State::FlowEntry { first: true };
                Ok((Event::SequenceStart { anchor }, bytes))
            }
            Kind::FlowMappingStart => {
                self.scanner.take()?;
                self.state = State::FlowKey { first: true };
                Ok((Event::MappingStart { anchor }, bytes))
            }
            Kind::BlockSequenceStart if block => {
                self.scanner.take()?;
                self.state = State::BlockEntry;
                Ok((Event::SequenceStart { anchor }, bytes))
            }
            Kind::BlockMappingStart if block => {
                self.scanner.take()?;
                self.state = State::BlockKey;
                Ok((Event::MappingStart { anchor }, bytes))
            }
            _ => {
                let Some(properties) = properties else { return Err(mistake::node(bytes.start)) };
                self.pop();
                let tag = tag.unwrap_or(Tag::None);
                Ok((Event::Scalar { text: Cow::Borrowed(""), plain: true, tag, anchor }, properties))
            }
        }
    }

    /// Parses the anchor and the tag before a node, in either order.
    fn properties(&mut self) -> Result<Properties, Mistake> {
        let mut properties = Properties::default();
        loop {
            match *self.peek()? {
                Kind::Anchor(name) if properties.anchor == 0 => {
                    properties.anchor = self.next_anchor;
                    self.next_anchor += 1;
                    self.anchors.insert(name, properties.anchor);
                }
                Kind::Tag(kind) if properties.tag.is_none() => properties.tag = Some(kind),
                _ => return Ok(properties),
            }
            let token = self.scanner.take()?;
            properties.bytes.get_or_insert(token.start..token.end).end = token.end;
        }
    }

    /// Parses the node after an indicator. If the next token cannot begin a node, the node is empty.
    fn node_after(
        &mut self,
        indicator: &Token<'t>,
        next: State,
        ends: fn(&Kind<'t>) -> bool,
        indentless: bool,
    ) -> Step<'t> {
        if ends(self.peek()?) {
            self.state = next;
            return Self::empty(indicator.end);
        }
        self.states.push(next);
        self.node(true, indentless)
    }

    fn block_entry(&mut self) -> Step<'t> {
        let token = self.scanner.take()?;
        match token.kind {
            Kind::BlockEntry => self.node_after(
                &token,
                State::BlockEntry,
                |kind| matches!(kind, Kind::BlockEntry | Kind::BlockEnd),
                false,
            ),
            Kind::BlockEnd => {
                self.pop();
                Ok((Event::SequenceEnd, token.start..token.end))
            }
            _ => Err(mistake::list_indentation(token.start)),
        }
    }

    fn indentless_entry(&mut self) -> Step<'t> {
        if !matches!(self.peek()?, Kind::BlockEntry) {
            let at = self.scanner.peek()?.start;
            self.pop();
            return Ok((Event::SequenceEnd, at..at));
        }
        let token = self.scanner.take()?;
        self.node_after(
            &token,
            State::IndentlessEntry,
            |kind| matches!(kind, Kind::BlockEntry | Kind::Key | Kind::Value | Kind::BlockEnd),
            false,
        )
    }

    fn block_key(&mut self) -> Step<'t> {
        let token = self.scanner.take()?;
        match token.kind {
            Kind::Key => self.node_after(&token, State::BlockValue, ends_block_node, true),
            Kind::BlockEnd => {
                self.pop();
                Ok((Event::MappingEnd, token.start..token.end))
            }
            _ => Err(mistake::map_indentation(token.start)),
        }
    }

    fn block_value(&mut self) -> Step<'t> {
        if !matches!(self.peek()?, Kind::Value) {
            self.state = State::BlockKey;
            return self.empty_here();
        }
        let token = self.scanner.take()?;
        self.node_after(&token, State::BlockKey, ends_block_node, true)
    }

    fn flow_entry(&mut self, first: bool) -> Step<'t> {
        if !first && !matches!(self.peek()?, Kind::FlowSequenceEnd) {
            let token = self.scanner.take()?;
            if !matches!(token.kind, Kind::FlowEntry) {
                return Err(mistake::flow_sequence(token.start));
            }
        }
        let token = self.scanner.peek()?;
        let bytes = token.start..token.end;
        match token.kind {
            Kind::FlowSequenceEnd => {
                self.scanner.take()?;
                self.pop();
                Ok((Event::SequenceEnd, bytes))
            }
            Kind::Key => {
                self.scanner.take()?;
                self.state = State::PairKey;
                Ok((Event::MappingStart { anchor: 0 }, bytes))
            }
            _ => {
                self.states.push(State::FlowEntry { first: false });
                self.node(false, false)
            }
        }
    }

    fn pair_key(&mut self) -> Step<'t> {
        if matches!(self.peek()?, Kind::Value | Kind::FlowEntry | Kind::FlowSequenceEnd) {
            // go-yaml skips any token here.
            let token = self.scanner.take()?;
            self.state = State::PairValue;
            return Self::empty(token.end);
        }
        self.states.push(State::PairValue);
        self.node(false, false)
    }

    fn pair_value(&mut self) -> Step<'t> {
        if matches!(self.peek()?, Kind::Value) {
            self.scanner.take()?;
            if !matches!(self.peek()?, Kind::FlowEntry | Kind::FlowSequenceEnd) {
                self.states.push(State::PairEnd);
                return self.node(false, false);
            }
        }
        self.state = State::PairEnd;
        self.empty_here()
    }

    fn flow_key(&mut self, first: bool) -> Step<'t> {
        if !first && !matches!(self.peek()?, Kind::FlowMappingEnd) {
            let token = self.scanner.take()?;
            if !matches!(token.kind, Kind::FlowEntry) {
                return Err(mistake::flow_mapping(token.start));
            }
        }
        match self.peek()? {
            Kind::FlowMappingEnd => {
                let token = self.scanner.take()?;
                self.pop();
                Ok((Event::MappingEnd, token.start..token.end))
            }
            Kind::Key => {
                self.scanner.take()?;
                if matches!(self.peek()?, Kind::Value | Kind::FlowEntry | Kind::FlowMappingEnd) {
                    self.state = State::FlowValue;
                    return self.empty_here();
                }
                self.states.push(State::FlowValue);
                self.node(false, false)
            }
            _ => {
                self.states.push(State::FlowNoValue);
                self.node(false, false)
            }
        }
    }

    fn flow_value(&mut self) -> Step<'t> {
        if matches!(self.peek()?, Kind::Value) {
            self.scanner.take()?;
            if !matches!(self.peek()?, Kind::FlowEntry | Kind::FlowMappingEnd) {
                self.states.push(State::FlowKey { first: false });
                return self.node(false, false);
            }
        }
        self.state = State::FlowKey { first: false };
        self.empty_here()
    }
}

fn ends_block_node(kind: &Kind<'_>) -> bool {
    matches!(kind, Kind::Key | Kind::Value | Kind::BlockEnd)
}
