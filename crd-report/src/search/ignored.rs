//! Finds files that a search skips because of their paths: a pattern excludes them, or git ignores them.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use crd_input::{Error, Fault, read_bytes, tracked_although_ignored};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Maximum size of a pattern file. Its patterns need about a hundred times as much memory.
const LARGEST_FILE: u64 = 256 << 10;
/// Maximum total size of the pattern files in memory: those in a directory and in the directories above it.
const MOST_OPEN: u64 = 320 << 10;
/// Maximum total size of the pattern files that a run reads. Reading one mebibyte takes a second.
const MOST_READ: u64 = 4 << 20;

/// Decides which files and directories are searched.
pub(super) struct Filter {
    exclude: Gitignore,
    /// `None` if the search includes files that git ignores.
    ignored: Option<RefCell<Ignored>>,
}

/// The patterns in all directories above the path that was checked last.
#[derive(Default)]
struct Ignored {
    /// The directories, from the root of the file system down.
    above: Vec<Patterns>,
    /// The total size in bytes of the pattern files that were read.
    read: u64,
    errors: Vec<Error>,
    /// The files and directories that git tracks although a pattern matches, for each root of a repository. Git does not ignore these.
    tracked: HashMap<PathBuf, HashSet<PathBuf>>,
}

/// The patterns from one directory.
struct Patterns {
    directory: PathBuf,
    /// `true` for the root of a repository.
    is_root: bool,
    /// `true` within a repository.
    is_in_repository: bool,
    patterns: Gitignore,
    bytes: u64,
}

impl Filter {
    /// Creates a filter for the patterns in `--exclude` and, unless `no_ignore` is set, for the files that git ignores.
    ///
    /// # Errors
    /// A pattern is invalid.
    pub(super) fn new(exclude: &[String], no_ignore: bool) -> Result<Self, Error> {
        let mut patterns = GitignoreBuilder::new(std::env::current_dir().unwrap_or_default());
        let invalid = |pattern: &str, error: &ignore::Error| {
            Error::new(format!("--exclude {pattern}"), Fault::new(error.to_string()))
        };
        for pattern in exclude {
            patterns.add_line(None, pattern).map_err(|error| invalid(pattern, &error))?;
        }
        let exclude = patterns.build().map_err(|error| invalid(&exclude.join(" "), &error))?;
        Ok(Self { exclude, ignored: (!no_ignore).then(RefCell::default) })
    }

    /// Returns `true` if a file or directory is searched.
    pub(super) fn keeps(&self, path: &Path, is_directory: bool) -> bool {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        !self.exclude.matched(&path, is_directory).is_ignore()
            && self.ignored.as_ref().is_none_or(|ignored| !ignored.borrow_mut().matches(&path, is_directory))
    }

    /// Returns `true` if a file in a commit is searched. Only `--exclude` matters, because git ignores no file in a commit.
    pub(super) fn keeps_of_commit(&self, path: &Path) -> bool {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let is_excluded = |(depth, above): (usize, &Path)| self.exclude.matched(above, depth > 0).is_ignore();
        !path.ancestors().enumerate().any(is_excluded)
    }

    /// Returns the errors for pattern files that were not read.
    pub(super) fn errors(self) -> Vec<Error> {
        self.ignored.map(|ignored| ignored.into_inner().errors).unwrap_or_default()
    }
}

impl Ignored {
    /// Returns `true` if git ignores the path. The nearest match decides, up to the root of the repository.
    fn matches(&mut self, path: &Path, is_directory: bool) -> bool {
        let Some(directory) = path.parent() else { return false };
        self.open(directory);
        if !self.is_match(path, is_directory) {
            return false;
        }
        let root = self.above.iter().rev().find(|above| above.is_root);
        let Some(root) = root.map(|above| above.directory.clone()) else { return false };
        let tracked = self.tracked.entry(root).or_insert_with_key(|root| tracked_although_ignored(root));
        !tracked.contains(path)
    }

    fn is_match(&self, path: &Path, is_directory: bool) -> bool {
        for above in self.above.iter().rev().take_while(|above| above.is_in_repository) {
            let matched = above.patterns.matched(path, is_directory);
            if !matched.is_none() || above.is_root {
                return matched.is_ignore();
            }
        }
        false
    }

    /// Reads the patterns in a directory and in the directories above it. Patterns in other directories are dropped, because the
    /// search is depth-first.
    fn open(&mut self, directory: &Path) {
        self.above.retain(|above| directory.starts_with(&above.directory));
        let last = self.above.last().map(|above| above.directory.clone());
        let missing: Vec<&Path> =
            directory.ancestors().take_while(|above| last.as_deref() != Some(*above)).collect();
        for directory in missing.into_iter().rev() {
            let is_root = directory.join(".git").exists();
            let is_in_repository = is_root || self.above.last().is_some_and(|above| above.is_in_repository);
            let (patterns, bytes) =
                if is_in_repository { self.read(directory) } else { (Gitignore::empty(), 0) };
            let directory = directory.to_owned();
            self.above.push(Patterns { directory, is_root, is_in_repository, patterns, bytes });
        }
    }

    /// Reads the patterns in one directory. Invalid patterns are skipped, as in git.
    fn read(&mut self, directory: &Path) -> (Gitignore, u64) {
        let mut patterns = GitignoreBuilder::new(directory);
        let mut bytes = 0;
        for file in [".git/info/exclude", ".gitignore"].map(|file| directory.join(file)) {
            let Some(size) = fs::metadata(&file).ok().filter(fs::Metadata::is_file).map(|file| file.len())
            else {
                continue;
            };
            let open: u64 = self.above.iter().map(|above| above.bytes).sum::<u64>() + bytes;
            if size > LARGEST_FILE || open + size > MOST_OPEN || self.read + size > MOST_READ {
                self.add_error(&file, size);
                continue;
            }
            let Ok(text) = read_bytes(&file, size) else { continue };
            (bytes, self.read) = (bytes + size, self.read + size);
            for line in String::from_utf8_lossy(&text).lines() {
                let _ = patterns.add_line(Some(file.clone()), line);
            }
        }
        (patterns.build().unwrap_or_else(|_| Gitignore::empty()), bytes)
    }

    fn add_error(&mut self, file: &Path, size: u64) {
        let current = std::env::current_dir().unwrap_or_default();
        let name = file.strip_prefix(current).unwrap_or(file).to_string_lossy().into_owned();
        // Links are looked at after the directories, so that a directory can be opened twice.
        if self.errors.iter().any(|error| error.file() == name) {
            return;
        }
        let text = match size > LARGEST_FILE {
            true => format!("the patterns are not read: the file has {size} bytes, more than {LARGEST_FILE}"),
            false => format!(
                "the patterns are not read: this file and the pattern files above it have more than {MOST_OPEN} bytes, or all pattern files of the run more than {MOST_READ}"
            ),
        };
        let help = "shorten the file, or search with `--no-ignore` and exclude files with `--exclude`";
        self.errors.push(Error::new(name, Fault::new(text).help(help)));
    }
}
