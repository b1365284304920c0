//! Replaces individual files: the new contents are written to a new file next to the old file, and the new file is then renamed.
//!
//! This module needs only the standard library, because every user builds every dependency of this crate.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The end of a file's name until the file is renamed. The name begins with a dot.
const UNFINISHED: &str = ".crdkit-new";
/// The file to lock on Windows, where directories cannot be locked.
const GUARD: &str = ".crdkit-guard";

/// Reads a file; `None` if it does not exist.
///
/// # Errors
///
/// The path is a link or anything else that is not a file, or the file cannot be read as text.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    match regular(path)? {
        Some(_) => fs::read_to_string(path).map(Some),
        None => Ok(None),
    }
}

/// Replaces a file. A failure leaves the old file intact.
pub(super) fn replace(path: &Path, contents: &str) -> io::Result<()> {
    let old = regular(path)?;
    let (beside, mut file) = create_beside(path)?;
    let written = file.write_all(contents.as_bytes()).and_then(|()| match old {
        Some(old) => file.set_permissions(old.permissions()),
        None => Ok(()),
    });
    drop(file);
    let replaced = written.and_then(|()| fs::rename(&beside, path));
    if replaced.is_err() {
        // The error to report is the first one.
        let _ = fs::remove_file(&beside);
    }
    replaced
}

/// Locks a directory until the returned file is dropped or the process ends. Waits while another process holds the lock.
pub(super) fn lock(folder: &Path) -> io::Result<File> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let direct = File::open(folder).and_then(|file| file.lock().map(|()| file));
    direct.or_else(|_| {
        let guard = folder.join(GUARD);
        regular(&guard)?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(guard)?;
        file.lock()?;
        Ok(file)
    })
}

/// Removes files that killed processes left behind. The caller must hold the directory's lock.
pub(super) fn sweep(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        // Removing a link leaves its target alone; a directory of such a name is not ours.
        if name.starts_with(b".") && name.ends_with(UNFINISHED.as_bytes()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Creates a new file with a random name next to `path`. No link that somebody planted there is followed.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    loop {
        // The keys of a `RandomState` come from the system's source of random numbers.
        let random = RandomState::new().build_hasher().finish();
        let beside = path.with_file_name(format!(".{name}.{random:016x}{UNFINISHED}"));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the metadata of a file, or `None` if nothing exists at the path. Anything else is an error, because opening
/// a named pipe would block.
fn regular(path: &Path) -> io::Result<Option<fs::Metadata>> {
    let reason = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => return Ok(Some(metadata)),
        Ok(metadata) if metadata.is_symlink() => "this is a link, and links are not followed here; remove it",
        Ok(metadata) if metadata.is_dir() => "this is a directory, and a file is expected here; remove it",
        Ok(_) => "this is neither a file nor a directory; remove it",
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Err(io::Error::other(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates an empty directory for a test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("crdkit-replace-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_file_is_replaced_and_nothing_stays_beside() {
        let folder = folder("whole");
        let file = folder.join("a.yaml");
        replace(&file, "old").unwrap();
        replace(&file, "new").unwrap();
        assert_eq!(read(&file).unwrap().as_deref(), Some("new"));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::write(folder.join(".a.yaml.0.crdkit-new"), "half").unwrap();
        sweep(&folder);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_folders_and_devices_are_refused() {
        use std::os::unix::fs::symlink;
        let folder = folder("refused");
        let victim = folder.join("victim");
        fs::write(&victim, "victim").unwrap();
        symlink(&victim, folder.join("link")).unwrap();
        symlink("/dev/full", folder.join("device")).unwrap();
        fs::create_dir(folder.join("folder")).unwrap();
        for name in ["link", "device", "folder"] {
            replace(&folder.join(name), "x").unwrap_err();
            read(&folder.join(name)).unwrap_err();
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "victim");
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("permissions");
        let file = folder.join("a.yaml");
        replace(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&file, "new").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        fs::remove_dir_all(folder).unwrap();
    }
}
