//! Locks a directory, so that only one run at a time writes to it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use super::file::regular;

/// The file that is locked on systems that cannot lock a directory.
const GUARD: &str = ".crd-codegen-guard";

/// A directory's lock. It is released when the value is dropped or the process ends, even if the process is killed.
#[derive(Debug)]
pub struct DirectoryLock {
    _locked: File,
}

impl DirectoryLock {
    /// Locks an existing directory. `waiting` is called once if another run holds the lock.
    ///
    /// # Errors
    /// Neither the directory nor a file in it can be locked.
    pub fn acquire(folder: &Path, waiting: &dyn Fn()) -> io::Result<Self> {
        // The directory itself is locked where the system can do that, so that no file stays behind. Windows does not
        // open directories, and some network file systems lock only what is open for writing.
        let direct = File::open(folder).and_then(|file| lock(file, waiting));
        direct.or_else(|_| lock(guard(folder)?, waiting)).map(|locked| Self { _locked: locked })
    }
}

fn guard(folder: &Path) -> io::Result<File> {
    let path = folder.join(GUARD);
    regular(&path)?;
    OpenOptions::new().create(true).truncate(false).write(true).open(path)
}

fn lock(file: File, waiting: &dyn Fn()) -> io::Result<File> {
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            waiting();
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    Ok(file)
}
