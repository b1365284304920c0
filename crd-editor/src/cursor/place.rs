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
    /// A key, or a position where a key can be. The path leads to the map of the key.
    Key,
    /// A scalar value, or a position where a scalar can be. The path leads to the value.
    Value,
}

/// The place of a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) path: Vec<CursorStep>,
    pub(crate) part: CursorPart,
    /// The bytes of the key or of the scalar, with its quotes.
    pub(crate) bytes: Range<usize>,
    /// The column of the keys of a block map; `None` in braces.
    pub(crate) column: Option<usize>,
}
