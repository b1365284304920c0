//! The path to the key or value at a cursor.

use std::ops::Range;

/// A step of a path from the root of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CursorStep {
    /// The value of a key.
    Key(String),
    /// An item of a list.
    Item(usize),
}

/// The part of a document at a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CursorPart {
    /// A key, or a position where a key can be. The path leads to the map that contains the key.
    Key,
    /// A scalar value, or a position where a scalar can be. The path leads to the value.
    Value,
}

/// A cursor in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) path: Vec<CursorStep>,
    pub(crate) part: CursorPart,
    /// The byte range of the key or the scalar, including quotes.
    pub(crate) bytes: Range<usize>,
    /// The column of the keys, in a block map. `None` in braces.
    pub(crate) column: Option<usize>,
}
