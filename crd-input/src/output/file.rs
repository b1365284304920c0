//! Replaces individual files. New contents are written to a temporary file in the same directory. This file then replaces the old file.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// The suffix of unfinished files. Their names begin with a dot.
const UNFINISHED: &str = ".crd-codegen-new";

/// New contents of a file. They are written, but not yet moved to their target. They are removed when the value is dropped.
pub struct Unfinished {
    beside: TempPath,
    path: PathBuf,
}

impl Unfinished {
    /// Writes the contents to a new file next to `path`. The directory must exist.
    ///
    /// The file is created exclusively and under a random name, so that no planted link is followed. Its permissions
    /// are those of the file that it replaces, or the default permissions.
    ///
    /// # Errors
    /// - the path exists and is not a file
    /// - the new file cannot be written
    pub fn write(path: &Path, contents: &[u8]) -> io::Result<Self> {
        let old = regular(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let prefix = format!(".{name}.");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(UNFINISHED);
        // tempfile's own choice is a file that only its owner can read.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut beside = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        beside.write_all(contents)?;
        if let Some(old) = old {
            beside.as_file().set_permissions(old.permissions())?;
        }
        Ok(Self { beside: beside.into_temp_path(), path: path.to_owned() })
    }

    /// Renames the new file to its target.
    ///
    /// # Errors
    /// The new file cannot be renamed. It is then removed.
    pub fn put(self) -> io::Result<()> {
        self.beside.persist(self.path).map_err(|error| error.error)
    }

    /// Returns the path of the target.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Replaces one file.
///
/// # Errors
/// As for [`Unfinished::write`] and [`Unfinished::put`]. The old file then stays unchanged.
pub fn replace(path: &Path, contents: &str) -> io::Result<()> {
    Unfinished::write(path, contents.as_bytes())?.put()
}

/// Reads a file that an earlier run may have written; `None` if the file does not exist.
///
/// # Errors
/// - the path exists and is not a file, such as a link, a directory or a named pipe
/// - the file is larger than `most` bytes, or cannot be read
pub fn read_written(path: &Path, most: u64) -> io::Result<Option<String>> {
    if regular(path)?.is_none() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("the file is larger than {most} bytes")));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the metadata of a file, or `None` if nothing exists at the path.
///
/// # Errors
///
/// The path exists and is not a file. It is not opened, because a named pipe would block.
pub(super) fn regular(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(Some(metadata)),
        Ok(metadata) => Err(io::Error::other(unexpected(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the reason why something other than a file is neither read nor replaced.
pub(super) fn unexpected(metadata: &fs::Metadata) -> &'static str {
    if metadata.is_symlink() {
        "this is a link, and links are not followed here; remove it"
    } else if metadata.is_dir() {
        "this is a directory, and a file is expected here; remove it"
    } else {
        "this is neither a file nor a directory; remove it"
    }
}

/// Returns `true` if a killed run may have left a file with this name.
pub fn is_leftover(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && name.ends_with(UNFINISHED.as_bytes())
}

/// Removes the leftovers of killed runs from a directory. The caller must hold the directory's lock.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        // Removing a link leaves its target alone; a directory of such a name is not ours.
        if is_leftover(&entry.file_name()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
