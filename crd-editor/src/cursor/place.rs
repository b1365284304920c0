//! Places in a document: the path to a key or to a value.

use std::ops::Range;

/// A step from the root of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CursorStep {
    /// The value of a key.
    Key(String),
    /// An item of a list.
    Item(usize),
}

/// The kind of place at a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CursorPart {
    /// A key, or the place for one. The path leads to its map.
    Key,
    /// A scalar value, or the place for one. The path leads to it.
    Value,
}

/// The place of a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) path: Vec<CursorStep>,
    pub(crate) part: CursorPart,
    /// The bytes of the key or of the scalar, with its quotes.
    pub(crate) bytes: Range<usize>,
    /// The column where a block map has its keys; `None` in braces.
    pub(crate) column: Option<usize>,
}
