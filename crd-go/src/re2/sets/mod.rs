//! Sets of characters: from `regex-syntax`, or, without the feature `classes`, sets whose characters are never
//! read.

#[cfg(feature = "classes")]
mod tables;
#[cfg(not(feature = "classes"))]
mod unread;

#[cfg(any(feature = "ecma", feature = "matching"))]
pub(super) use tables::cases;
#[cfg(feature = "classes")]
pub(super) use tables::{ClassUnicode, Look, class, folded, ranges, table, united};
#[cfg(not(feature = "classes"))]
pub(super) use unread::{ClassUnicode, Look, class, folded, ranges, table, united};
