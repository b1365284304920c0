//! Writes whole files, while their directory is locked, and never through a link.

mod directory;
mod file;
mod lock;

pub use directory::{Directory, WriteError, put, rewrite};
pub use file::{Unfinished, is_leftover, read_written, replace, sweep};
pub use lock::DirectoryLock;
