//! Stores the values in a text, with their positions.

use std::ops::{Index, Range};

/// The values in a text. The items of all lists are in one `Vec`, and the entries of all maps in another, because most lists and maps are
/// small.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    pub(super) all: Vec<Node>,
    /// The items of all lists.
    pub(super) items: Vec<u32>,
    /// The entries of all maps. The entries of one map are sorted by the hashes of their keys. Hash tables would be slower, because most maps are
    /// never searched.
    pub(super) entries: Vec<(u64, u32)>,
    /// The values of merge keys, with their maps, in the order of the maps.
    pub(super) merged: Vec<(u32, u32)>,
}

/// A value in the text. Nodes are small, because a text can have a node for every two bytes. Keys and values are parsed again when they
/// are needed.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The range of bytes of the key; empty if the node has no key.
    pub(super) key: Span,
    pub(super) value: Span,
    pub(super) content: Content,
}

/// A range of bytes in a text, or of numbers in a list. The text is shorter than 4 GiB.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    Null,
    Scalar,
    /// A list, with the range of its items.
    Sequence(Span),
    /// A map, with the range of its entries.
    Mapping(Span),
    /// An alias of another node.
    Alias(u32),
}

impl Index<usize> for Nodes {
    type Output = Node;

    fn index(&self, node: usize) -> &Node {
        &self.all[node]
    }
}

impl Nodes {
    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the nodes of a list's items.
    pub(super) fn items(&self, range: Span) -> &[u32] {
        &self.items[Range::from(range)]
    }

    /// Returns the node whose key has this hash. If a key is repeated, the last node is returned, because its value is used.
    pub(super) fn entry(&self, range: Span, hash: u64) -> Option<usize> {
        let entries = &self.entries[Range::from(range)];
        let behind = entries.partition_point(|(other, _)| *other <= hash);
        entries[..behind].last().filter(|(last, _)| *last == hash).map(|(_, node)| *node as usize)
    }

    /// Returns the nodes of a map's values.
    pub(super) fn values(&self, range: Span) -> impl Iterator<Item = usize> {
        self.entries[Range::from(range)].iter().map(|(_, node)| *node as usize)
    }

    /// Returns the values of a map's merge keys.
    pub(super) fn merged(&self, map: usize) -> impl Iterator<Item = usize> {
        let before = self.merged.partition_point(|(other, _)| (*other as usize) < map);
        let of_map = self.merged[before..].iter().take_while(move |(other, _)| *other as usize == map);
        of_map.map(|(_, value)| *value as usize)
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        let short = |byte| u32::try_from(byte).unwrap_or(u32::MAX);
        Self { start: short(range.start), end: short(range.end) }
    }
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Self {
        span.start as usize..span.end as usize
    }
}
