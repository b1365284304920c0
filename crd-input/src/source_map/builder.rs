//! Builds the nodes of a source map.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

use super::nodes::{Content, Node, Nodes, Span};
use super::{hash, scalar_at};
use crate::scalar;
use crate::yaml::Event;

/// Builds the nodes of a text from its events.
#[derive(Default)]
pub(super) struct Builder<'t> {
    text: &'t str,
    nodes: Nodes,
    /// The root of every document.
    roots: Vec<Option<usize>>,
    /// The enclosing lists and maps.
    stack: Vec<Open>,
    /// The items of the enclosing lists.
    items: Vec<u32>,
    /// The entries of the enclosing maps.
    entries: Vec<(u64, u32)>,
    anchors: HashMap<usize, usize>,
    /// The root of the current document.
    root: Option<usize>,
    /// The end of the last value.
    end: usize,
}

/// A list or map that has not ended.
struct Open {
    node: usize,
    is_map: bool,
    /// The index of its first item or entry in the builder's list.
    first: usize,
    /// The key whose value follows.
    key: Option<NodeKey>,
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

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the nodes, and the root of every document.
    pub(super) fn finish(mut self) -> (Nodes, Vec<Option<usize>>) {
        self.nodes.merged.sort_by_key(|(map, _)| *map);
        (self.nodes, self.roots)
    }

    pub(super) fn fault(&mut self) {
        self.stack.clear();
        self.items.clear();
        self.entries.clear();
        self.root = None;
        self.roots.push(None);
    }

    pub(super) fn take(&mut self, event: Event<'_>, bytes: Range<usize>) {
        match event {
            Event::DocumentStart => {}
            Event::DocumentEnd => {
                // If a text has too many nodes, its document ends early.
                while !self.stack.is_empty() {
                    self.close(0..0);
                }
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
            Event::SequenceStart { anchor } => self.begin(false, bytes, anchor),
            Event::MappingStart { anchor } => self.begin(true, bytes, anchor),
            Event::SequenceEnd | Event::MappingEnd => self.close(bytes),
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
        self.stack.last().is_some_and(|open| open.is_map && open.key.is_none())
    }

    fn set_key(&mut self, key: NodeKey) {
        if let Some(open) = self.stack.last_mut() {
            open.key = Some(key);
        }
    }

    fn begin(&mut self, is_map: bool, bytes: Range<usize>, anchor: usize) {
        let node = self.len();
        self.add(Content::Null, bytes, anchor);
        let first = if is_map { self.entries.len() } else { self.items.len() };
        self.stack.push(Open { node, is_map, first, key: None });
    }

    /// Ends the innermost list or map.
    fn close(&mut self, bytes: Range<usize>) {
        let Some(Open { node, is_map, first, .. }) = self.stack.pop() else { return };
        // A collection in brackets ends with a character, a block ends with its last value.
        self.end = if bytes.is_empty() { self.end } else { bytes.end };
        let content = match is_map {
            true => {
                self.entries[first..].sort_unstable();
                Content::Mapping(moved(&mut self.entries, first, &mut self.nodes.entries))
            }
            false => Content::Sequence(moved(&mut self.items, first, &mut self.nodes.items)),
        };
        let node = &mut self.nodes.all[node];
        node.value = Span::from(node.value.start as usize..self.end);
        node.content = content;
    }

    fn add(&mut self, content: Content, value: Range<usize>, anchor: usize) {
        let node = self.len();
        let mut key = Span::default();
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Open { is_map: false, .. }) => self.items.push(short(node)),
            Some(open) => match open.key.take() {
                Some(NodeKey { merges: true, .. }) => {
                    self.nodes.merged.push((short(open.node), short(node)));
                }
                Some(NodeKey { hash, bytes, .. }) => {
                    key = bytes.into();
                    self.entries.extend(hash.map(|hash| (hash, short(node))));
                }
                None => {}
            },
        }
        if anchor != 0 {
            self.anchors.insert(anchor, node);
        }
        self.end = value.end;
        self.nodes.all.push(Node { key, value: value.into(), content });
    }
}

/// Moves the elements from `first` on to another list, and returns their range there.
fn moved<T>(from: &mut Vec<T>, first: usize, to: &mut Vec<T>) -> Span {
    let start = to.len();
    to.extend(from.drain(first..));
    (start..to.len()).into()
}

/// Converts the index of a node. The index fits, because a text has fewer nodes than bytes.
fn short(node: usize) -> u32 {
    u32::try_from(node).unwrap_or(u32::MAX)
}
