//! Writes files: as a whole, under the lock of their directory, and never through a link.

mod directory;
mod file;
mod lock;

pub use directory::{Directory, WriteError, put, rewrite};
pub use file::{Unfinished, is_leftover, read_written, replace, sweep};
pub use lock::DirectoryLock;
