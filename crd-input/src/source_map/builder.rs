//! Builds the nodes of a source map.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

use super::{Content, Node, Span, hash, scalar_at};
use crate::scalar;
use crate::yaml::Event;

/// Builds the nodes of a text from its events.
#[derive(Default)]
pub(super) struct Builder<'t> {
    text: &'t str,
    pub(super) nodes: Vec<Node>,
    /// The root of every document.
    pub(super) roots: Vec<Option<usize>>,
    /// The enclosing lists and maps, each with the key whose value follows.
    stack: Vec<(usize, Option<NodeKey>)>,
    anchors: HashMap<usize, usize>,
    /// The root of the current document.
    root: Option<usize>,
    /// The end of the last value.
    end: usize,
}

struct NodeKey {
    /// The hash of the key, if the scalar can be a key.
    hash: Option<u64>,
    merges: bool,
    bytes: Range<usize>,
}

impl<'t> Builder<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, ..Self::default() }
    }

    pub(super) fn fault(&mut self) {
        self.stack.clear();
        self.root = None;
        self.roots.push(None);
    }

    pub(super) fn take(&mut self, event: Event<'_>, bytes: Range<usize>) {
        match event {
            Event::DocumentStart => {}
            Event::DocumentEnd => {
                let root = self.root.take();
                self.roots.push(root);
            }
            Event::Scalar { text, plain, tag, anchor } => {
                let merges = scalar::is_merge(&text, plain, tag);
                if self.expects_key() {
                    let hash = scalar::key(text, plain, tag).ok().map(|name| hash(&name));
                    self.set_key(NodeKey { hash, merges, bytes });
                } else {
                    let is_null = scalar::is_empty(&text, plain, tag);
                    self.add(if is_null { Content::Null } else { Content::Scalar }, bytes, anchor);
                }
            }
            Event::SequenceStart { anchor } => self.begin(Content::Sequence(Vec::new()), bytes, anchor),
            Event::MappingStart { anchor } => {
                self.begin(Content::Mapping(Box::default()), bytes, anchor);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((node, _)) = self.stack.pop() {
                    // A collection in brackets ends with a character, a block ends with its last value.
                    self.end = if bytes.is_empty() { self.end } else { bytes.end };
                    let node = &mut self.nodes[node];
                    node.value = Span::from(node.value.start as usize..self.end);
                    match &mut node.content {
                        Content::Mapping(mapping) => {
                            mapping.entries.sort_unstable();
                            mapping.entries.shrink_to_fit();
                        }
                        Content::Sequence(items) => items.shrink_to_fit(),
                        _ => {}
                    }
                }
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(target) if self.expects_key() => {
                    let node = &self.nodes[*target];
                    let hash = match (&node.content, scalar_at(self.text, node.value)) {
                        (Content::Scalar, Some(Value::String(name))) => Some(hash(&name)),
                        (Content::Scalar, Some(other)) => Some(hash(&other.to_string())),
                        _ => None,
                    };
                    self.set_key(NodeKey { hash, merges: false, bytes });
                }
                Some(target) => self.add(Content::Alias(short(*target)), bytes, 0),
                None => self.add(Content::Null, bytes, 0),
            },
        }
    }

    pub(super) fn expects_key(&self) -> bool {
        matches!(self.stack.last(), Some((node, None)) if matches!(self.nodes[*node].content, Content::Mapping(_)))
    }

    fn set_key(&mut self, key: NodeKey) {
        if let Some((_, slot)) = self.stack.last_mut() {
            *slot = Some(key);
        }
    }

    fn begin(&mut self, content: Content, bytes: Range<usize>, anchor: usize) {
        let node = self.nodes.len();
        self.add(content, bytes, anchor);
        self.stack.push((node, None));
    }

    fn add(&mut self, content: Content, value: Range<usize>, anchor: usize) {
        let node = self.nodes.len();
        let mut key = Span::default();
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some((parent, waiting)) => match (&mut self.nodes[*parent].content, waiting.take()) {
                (Content::Sequence(items), _) => items.push(short(node)),
                (Content::Mapping(mapping), Some(NodeKey { merges: true, .. })) => {
                    mapping.merged.push(short(node));
                }
                (Content::Mapping(mapping), Some(NodeKey { hash, bytes, .. })) => {
                    key = bytes.into();
                    mapping.entries.extend(hash.map(|hash| (hash, short(node))));
                }
                _ => {}
            },
        }
        if anchor != 0 {
            self.anchors.insert(anchor, node);
        }
        self.end = value.end;
        self.nodes.push(Node { key, value: value.into(), content });
    }
}

/// Converts the index of a node. The index fits, because a text has fewer nodes than bytes.
fn short(node: usize) -> u32 {
    u32::try_from(node).unwrap_or(u32::MAX)
}
