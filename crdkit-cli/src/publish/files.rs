//! Writes several files below a directory together. With `--check`, compares them with the existing files instead.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crd_input::output::{Directory, Unfinished, put, rewrite, sweep};
use crd_report::{Report, Status, some};

use super::{Ended, fail};

/// Files to write, compared with the existing files.
pub(super) struct Files {
    directory: Directory,
    is_check: bool,
    /// Temporary files with the new contents. The files are moved to their targets after all files are written.
    unfinished: Vec<Unfinished>,
    swept: BTreeSet<PathBuf>,
    files: usize,
    stale: usize,
    first_stale: Option<PathBuf>,
}

impl Files {
    /// Locks the directory. With `is_check`, the directory is not locked, because nothing is written.
    pub(super) fn new(out: &Path, is_check: bool) -> Result<Self, String> {
        if out == Path::new("-") {
            return Err("`--out` needs a directory, because there are several files".to_owned());
        }
        let directory = match is_check {
            true => Directory::unlocked(out),
            false => Directory::locked(out, &crd_report::waiting(out)),
        };
        let directory = directory.map_err(|error| error.to_string())?;
        let (unfinished, swept) = (Vec::new(), BTreeSet::new());
        Ok(Self { directory, is_check, unfinished, swept, files: 0, stale: 0, first_stale: None })
    }

    /// Adds a file. The file is written unless it exists with this text.
    pub(super) fn add(&mut self, file: &str, text: &str) -> Result<(), String> {
        self.files += 1;
        self.compare(file, text).map_err(|error| error.to_string())
    }

    fn compare(&mut self, file: &str, text: &str) -> Result<(), crd_input::output::WriteError> {
        let path = self.directory.path(file)?;
        if !self.is_check
            && let Some(parent) = path.parent()
            && self.swept.insert(parent.to_owned())
        {
            sweep(parent);
        }
        if self.directory.read(file)?.as_deref() == Some(text) {
            return Ok(());
        }
        if !self.is_check {
            self.unfinished.push(self.directory.write(file, text)?);
        }
        self.stale += 1;
        self.first_stale.get_or_insert(path);
        Ok(())
    }

    /// Moves all new files to their targets. Then unlocks the directory, because the user's files that are changed next may be in the same
    /// directory.
    pub(super) fn put(&mut self) -> Result<(), String> {
        let put = put(std::mem::take(&mut self.unfinished));
        let unlocked = put.and_then(|()| Directory::unlocked(self.directory.root()));
        self.directory = unlocked.map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Replaces the text in a user's file. The file keeps its permissions, and `path` may be a link to the file.
    pub(super) fn replace(&mut self, path: &Path, old: &str, text: &str) -> Result<(), String> {
        self.files += 1;
        if old == text {
            return Ok(());
        }
        if !self.is_check {
            rewrite(path, text, &crd_report::waiting(path)).map_err(|error| error.to_string())?;
        }
        self.stale += 1;
        self.first_stale.get_or_insert_with(|| path.to_owned());
        Ok(())
    }

    /// Reports the number of written files. With `--check`, it is an error if a file would be written.
    pub(super) fn end(self, report: Report) -> Ended<Status> {
        if let (true, Some(path)) = (self.is_check, &self.first_stale) {
            let of = some(self.files, "file");
            let text = format!("{} of {of} are out of date, such as {}", self.stale, path.display());
            return fail(report, Status::Wrong, text, Some("run the command without `--check`".to_owned()));
        }
        if !self.is_check {
            let (stale, current) = (some(self.stale, "file"), self.files - self.stale);
            let out = self.directory.root().display();
            report.line(&format!("wrote {stale} to {out}; {current} were up to date"));
        }
        Ok(Status::Fine)
    }
}
