//! Search of folders in a repository: files that are not definitions are skipped and counted.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use crd_input::{Limits, Source};
use crd_report::some;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The options of a command line.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Search of folders")]
pub(crate) struct Search {
    /// Skip files and folders that match this pattern, which is written as in a .gitignore; repeatable
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Search also files and folders that git ignores
    #[arg(long)]
    no_ignore: bool,
}

/// Files and folders that are searched.
pub(crate) struct Filter {
    exclude: Gitignore,
    /// The `.gitignore` of each folder; `None` with `--no-ignore`.
    ignored: Option<RefCell<HashMap<PathBuf, Gitignore>>>,
    templates: Cell<usize>,
}

/// Files that were found in folders and are not definitions.
#[derive(Clone, Copy, Default)]
pub(crate) struct LeftOut {
    pub(crate) templates: usize,
    pub(crate) unreadable: usize,
}

impl Search {
    /// The filter.
    ///
    /// # Errors
    /// A pattern is invalid.
    pub(crate) fn filter(&self) -> Result<Filter, String> {
        let mut patterns = GitignoreBuilder::new(std::env::current_dir().unwrap_or_default());
        for pattern in &self.exclude {
            let added = patterns.add_line(None, pattern);
            added.map_err(|error| format!("`--exclude {pattern}`: {error}"))?;
        }
        let exclude = patterns.build().map_err(|error| format!("`--exclude`: {error}"))?;
        let ignored = (!self.no_ignore).then(RefCell::default);
        Ok(Filter { exclude, ignored, templates: Cell::new(0) })
    }
}

impl Filter {
    /// Returns `true` if a file or folder is searched.
    pub(crate) fn keeps(&self, path: &Path, is_directory: bool) -> bool {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if self.exclude.matched(&absolute, is_directory).is_ignore()
            || self.is_ignored(&absolute, is_directory)
        {
            return false;
        }
        if !is_directory && is_in_chart(&absolute) && has_template(&absolute) {
            self.templates.set(self.templates.get() + 1);
            return false;
        }
        true
    }

    /// The number of templates that were skipped.
    pub(crate) fn templates(&self) -> usize {
        self.templates.get()
    }

    /// Returns `true` if git ignores the path. Reads the `.gitignore` of each parent folder up to the root of the repository; the nearest match counts.
    fn is_ignored(&self, path: &Path, is_directory: bool) -> bool {
        let Some(ignored) = &self.ignored else { return false };
        let Some(root) = path.ancestors().skip(1).find(|folder| folder.join(".git").exists()) else {
            return false;
        };
        let mut ignored = ignored.borrow_mut();
        for folder in path.ancestors().skip(1) {
            let patterns = ignored.entry(folder.to_owned()).or_insert_with(|| patterns_of(folder));
            let matched = patterns.matched(path, is_directory);
            if !matched.is_none() || folder == root {
                return matched.is_ignore();
            }
        }
        false
    }
}

/// The patterns of a folder. Patterns that git cannot read are skipped, as git skips them.
fn patterns_of(folder: &Path) -> Gitignore {
    let mut patterns = GitignoreBuilder::new(folder);
    for file in [".git/info/exclude", ".gitignore"].map(|file| folder.join(file)) {
        if file.is_file() {
            let _ = patterns.add(file);
        }
    }
    patterns.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Returns `true` below the folder `templates` of a Helm chart.
fn is_in_chart(path: &Path) -> bool {
    let is_templates = |folder: &&Path| folder.file_name().is_some_and(|name| name == "templates");
    let charts = path.ancestors().skip(1).filter(is_templates).filter_map(Path::parent);
    charts.into_iter().any(|chart| chart.join("Chart.yaml").is_file())
}

fn has_template(path: &Path) -> bool {
    // Larger files are not written by hand and are read as any other file.
    const MOST: u64 = 4 << 20;
    let is_small = fs::metadata(path).is_ok_and(|metadata| metadata.len() <= MOST);
    is_small && fs::read(path).is_ok_and(|bytes| bytes.windows(2).any(|pair| pair == b"{{"))
}

impl LeftOut {
    /// Counts a file that has errors, if it was found in a folder and cannot be a definition.
    pub(crate) fn takes(&mut self, source: &Source, limits: &Limits) -> bool {
        if !source.is_found() {
            return false;
        }
        let Ok(text) = source.read(limits) else { return false };
        if text.lines().any(|line| line.contains("{{") && line.contains("}}")) {
            self.templates += 1;
        } else if !text.contains(crd_core::crd::KIND) {
            self.unreadable += 1;
        } else {
            return false;
        }
        true
    }

    /// The end of a summary.
    pub(crate) fn summary(self) -> String {
        let mut text = String::new();
        if self.templates > 0 {
            text += &format!("; {} left out", some(self.templates, "template"));
        }
        if self.unreadable > 0 {
            text += &format!("; {} left out", some(self.unreadable, "unreadable file"));
        }
        text
    }
}
