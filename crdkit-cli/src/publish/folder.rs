//! A folder of written files, which a run can also only check.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crd_report::{Report, Status, some};

use super::{Ended, fail};

/// Files of a run, compared with those that are there.
pub(super) struct Directory<'o> {
    out: &'o Path,
    is_check: bool,
    files: usize,
    stale: usize,
    first_stale: Option<PathBuf>,
}

impl<'o> Directory<'o> {
    /// `is_check`: nothing is written.
    pub(super) fn new(out: &'o Path, is_check: bool) -> Self {
        Self { out, is_check, files: 0, stale: 0, first_stale: None }
    }

    /// Writes a file, if it is not there with that text.
    pub(super) fn put(&mut self, path: &str, text: &str) -> Result<(), String> {
        let path = self.out.join(path);
        self.files += 1;
        if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            return Ok(());
        }
        if !self.is_check {
            write(self.out, &path, text)
                .map_err(|reason| format!("{} cannot be written: {reason}", path.display()))?;
        }
        self.stale += 1;
        self.first_stale.get_or_insert(path);
        Ok(())
    }

    /// Replaces the text of a file of the user, which keeps its permissions and may be behind a link.
    pub(super) fn replace(&mut self, path: &Path, old: &str, text: &str) -> Result<(), String> {
        self.files += 1;
        if old == text {
            return Ok(());
        }
        if !self.is_check {
            replace(path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        }
        self.stale += 1;
        self.first_stale.get_or_insert_with(|| path.to_owned());
        Ok(())
    }

    /// Reports the files that were written; those that should have been are an error of a check.
    pub(super) fn end(self, report: Report) -> Ended<Status> {
        if let (true, Some(path)) = (self.is_check, &self.first_stale) {
            let of = some(self.files, "file");
            let text = format!("{} of {of} are not current, such as {}", self.stale, path.display());
            return fail(report, Status::Wrong, text, Some("run the command without `--check`".to_owned()));
        }
        if !self.is_check {
            let (stale, current) = (some(self.stale, "file"), self.files - self.stale);
            report.line(&format!("wrote {stale} to {}; {current} were current", self.out.display()));
        }
        Ok(Status::Fine)
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    write_beside(&path, text, |file| file.set_permissions(permissions))
}

/// Writes a file of the folder. Links below the folder are not followed.
fn write(out: &Path, path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(out);
    if folder != out && fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink()) {
        return Err("its folder is a link".to_owned());
    }
    let written = fs::create_dir_all(folder).and_then(|()| write_beside(path, text, readable));
    written.map_err(|error| error.to_string())
}

/// Writes a file beside its place and renames it.
fn write_beside(path: &Path, text: &str, permit: impl FnOnce(&fs::File) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".crdkit-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    permit(file.as_file())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Gives a new file the permissions that files have, where temporary ones are their owner's only.
#[cfg(unix)]
fn readable(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &fs::File) -> io::Result<()> {
    Ok(())
}
