//! Everything that is written: files whole, under the lock of their folder, and never through a link.

mod file;
mod lock;

pub use file::{Unfinished, is_leftover, read_written, replace, sweep, unexpected};
pub use lock::DirectoryLock;
