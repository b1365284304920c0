//! Output directories. A run locks the directory, and writes all new files next to their targets before it moves the first file.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::file::{Unfinished, read_written, sweep, unexpected};
use super::lock::DirectoryLock;

/// Maximum size of a file that a run writes.
const LARGEST: u64 = 1 << 30;

/// A directory that a run writes to, or whose contents a run compares with its output.
#[derive(Clone, Debug)]
pub struct Directory {
    root: PathBuf,
    lock: Option<Arc<DirectoryLock>>,
}

/// An error while writing to a directory.
#[derive(Debug)]
pub struct WriteError {
    path: PathBuf,
    reason: io::Error,
}

impl Directory {
    /// Returns a directory that is only read, and that need not exist.
    ///
    /// # Errors
    /// There is a file at this path.
    pub fn unlocked(root: impl Into<PathBuf>) -> Result<Self, WriteError> {
        let root = root.into();
        if root.is_file() {
            let reason = io::Error::other("this is a file, and a directory is expected here");
            return Err(WriteError::new(root, reason));
        }
        Ok(Self { root, lock: None })
    }

    /// Creates a directory and locks it until the returned value is dropped. `waiting` is called if another run holds the lock.
    ///
    /// # Errors
    /// The directory cannot be created or locked.
    pub fn locked(root: impl Into<PathBuf>, waiting: &dyn Fn()) -> Result<Self, WriteError> {
        let Self { root, .. } = Self::unlocked(root)?;
        let lock = fs::create_dir_all(&root).and_then(|()| DirectoryLock::acquire(&root, waiting));
        match lock {
            Ok(lock) => Ok(Self { root, lock: Some(Arc::new(lock)) }),
            Err(reason) => Err(WriteError::new(root, reason)),
        }
    }

    /// Returns `true` if this run holds the lock.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Returns the path of the directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of a file below the directory. Names are checked when they are generated, so this check is only a safeguard.
    ///
    /// # Errors
    /// - the path leads out of the directory
    /// - a parent is a link, or anything else that is not a directory
    pub fn path(&self, file: &str) -> Result<PathBuf, WriteError> {
        let is_inside =
            !file.is_empty() && Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside {
            return Err(WriteError::new(file, io::Error::other("this is not in the output directory")));
        }
        let mut on_the_way = self.root.clone();
        for part in Path::new(file).parent().into_iter().flat_map(Path::components) {
            on_the_way.push(part);
            match fs::symlink_metadata(&on_the_way) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(metadata) => {
                    let reason = match metadata.is_symlink() {
                        true => unexpected(&metadata),
                        false => "this is not a directory, and a directory is expected here; remove it",
                    };
                    return Err(WriteError::new(on_the_way, io::Error::other(reason)));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(WriteError::new(on_the_way, error)),
            }
        }
        Ok(self.root.join(file))
    }

    /// Reads a file that an earlier run may have written; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// The path is not a file, a parent is not a directory, or the file cannot be read.
    pub fn read(&self, file: &str) -> Result<Option<String>, WriteError> {
        let path = self.path(file)?;
        read_written(&path, LARGEST).map_err(|reason| WriteError::new(path, reason))
    }

    /// Writes new contents to a file next to the target.
    ///
    /// # Errors
    /// As for [`Directory::read`], or the new file cannot be written.
    pub fn write(&self, file: &str, contents: &str) -> Result<Unfinished, WriteError> {
        let path = self.path(file)?;
        let parents = path.parent().map_or(Ok(()), fs::create_dir_all);
        parents
            .and_then(|()| Unfinished::write(&path, contents.as_bytes()))
            .map_err(|reason| WriteError::new(path, reason))
    }
}

/// Moves files to their targets, in this order.
///
/// # Errors
/// A file cannot be moved. Each file then has either its old or its new contents.
pub fn put(files: Vec<Unfinished>) -> Result<(), WriteError> {
    for file in files {
        let path = file.path().to_owned();
        file.put().map_err(|reason| WriteError::new(path, reason))?;
    }
    Ok(())
}

/// Replaces the contents of a user's file, and locks the file's directory while it does so. Links are followed. `waiting` is
/// called if another run holds the lock.
///
/// # Errors
/// The file does not exist, or cannot be replaced.
pub fn rewrite(path: &Path, contents: &str, waiting: &dyn Fn()) -> Result<(), WriteError> {
    let rewrite = || {
        let path = fs::canonicalize(path)?;
        let directory = path.parent().unwrap_or(Path::new("."));
        let _lock = DirectoryLock::acquire(directory, waiting)?;
        sweep(directory);
        Unfinished::write(&path, contents.as_bytes())?.put()
    };
    rewrite().map_err(|reason| WriteError::new(path, reason))
}

impl WriteError {
    /// Creates an error for a path.
    pub fn new(path: impl Into<PathBuf>, reason: io::Error) -> Self {
        Self { path: path.into(), reason }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.reason)
    }
}
