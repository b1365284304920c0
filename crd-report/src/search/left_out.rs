//! Files that a search leaves out by their contents, and the report of them.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use crd_core::crd::KIND;
use crd_input::{Error, Limits, Source, read_bytes};

use crate::{Level, Message, MessageFormat, Messages, Report, Status, some};

/// The number of unreadable files that are shown without `--verbose`.
const SHOWN: usize = 10;

/// The files that a search left out.
#[derive(Default)]
pub struct LeftOut {
    /// `true` to name all files.
    is_verbose: bool,
    /// `true` if the run fails because of a file that may contain a CRD.
    fails: bool,
    links: usize,
    templates: Vec<String>,
    /// A warning for each file.
    unreadable: Vec<Message>,
    /// `true` if the report of the command has the counts.
    is_counted: Cell<bool>,
}

impl LeftOut {
    pub(super) fn new(is_verbose: bool, fails: bool, links: usize) -> Self {
        Self { is_verbose, fails, links, ..Self::default() }
    }

    pub(super) fn template(&mut self, source: &Source) {
        self.templates.push(source.name().to_owned());
    }

    /// Takes the errors of files that were found in a directory and are templates, or contain no CRD. Returns the other errors.
    #[must_use]
    pub fn sift(&mut self, errors: Vec<Error>, sources: &[Source], limits: &Limits) -> Vec<Error> {
        self.sift_where(errors, sources, limits, &|line| is_kind(line))
    }

    /// Takes the errors of files as [`LeftOut::sift`] does, but returns those of files with a line for which `is_wanted`
    /// returns `true`.
    #[must_use]
    pub fn sift_where(
        &mut self,
        errors: Vec<Error>,
        sources: &[Source],
        limits: &Limits,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Vec<Error> {
        if errors.is_empty() {
            return errors;
        }
        let found = sources.iter().filter(|source| source.is_found());
        let found: HashMap<&str, &Source> = found.map(|source| (source.name(), source)).collect();
        let (mut rest, mut unreadable, mut last) = (Vec::new(), Vec::new(), None);
        for error in errors {
            let source = found.get(error.file());
            // Only the first error of a file is a warning.
            if last.as_deref() == Some(error.file()) {
                continue;
            }
            let Some(text) = source.and_then(|source| text(source, limits)) else {
                rest.push(error);
                continue;
            };
            if text.lines().any(|line| line.contains("{{") && line.contains("}}")) {
                self.templates.push(error.file().to_owned());
            } else if text.lines().any(is_wanted) {
                rest.push(error);
                continue;
            } else {
                unreadable.push(error.clone());
            }
            last = Some(error.file().to_owned());
        }
        let warning = |message| Message { level: Level::Warning, ..message };
        let unreadable = Messages::new(sources, limits).all(&unreadable, &[]);
        self.add_unreadable(unreadable.into_iter().map(warning).collect());
        rest
    }

    /// Adds the files that another search left out.
    pub fn add(&mut self, other: Self) {
        self.links = self.links.max(other.links);
        let known: HashSet<String> = self.templates.iter().cloned().collect();
        self.templates.extend(other.templates.into_iter().filter(|name| !known.contains(name)));
        self.add_unreadable(other.unreadable);
    }

    fn add_unreadable(&mut self, messages: Vec<Message>) {
        let known: HashSet<String> = self.unreadable.iter().map(|message| message.file.clone()).collect();
        self.unreadable.extend(messages.into_iter().filter(|message| !known.contains(&message.file)));
    }

    /// Returns the end of the summary of a command.
    #[must_use]
    pub fn summary(&self) -> String {
        self.is_counted.set(true);
        self.counts().iter().map(|count| format!("; {count} left out")).collect()
    }

    /// Returns the error for inputs with no CRD and so many other objects.
    #[must_use]
    pub fn no_definition(&self, others: usize) -> Message {
        let others = if others == 0 { "no objects".to_owned() } else { some(others, "other object") };
        Message::for_run(format!("no CustomResourceDefinition in the input: {others}{}", self.summary()))
    }

    /// Shows the files that were left out, and returns the status of a run that would have `status` without them.
    #[must_use]
    pub fn end(self, report: Report, status: Status) -> Status {
        let counts = self.counts();
        if !report.quiet {
            let shown =
                if self.is_verbose { self.unreadable.len() } else { SHOWN.min(self.unreadable.len()) };
            report.show(&self.unreadable[..shown], MessageFormat::Human);
        }
        if self.is_verbose {
            self.templates.iter().for_each(|name| report.line(&format!("left out the template `{name}`")));
        }
        if !self.is_counted.get() && !counts.is_empty() {
            report.line(&format!("left out {}", counts.join(", ")));
        }
        if !self.fails || counts.is_empty() && self.links == 0 {
            return status;
        }
        let links = (self.links > 0).then(|| some(self.links, "link"));
        let all: Vec<String> = counts.into_iter().chain(links).collect();
        report.show(&[Message::for_run(format!("left out {}", all.join(", ")))], MessageFormat::Human);
        status.max(Status::Unreadable)
    }

    fn counts(&self) -> Vec<String> {
        let counts = [(self.templates.len(), "template"), (self.unreadable.len(), "unreadable file")];
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| some(count, noun)).collect()
    }
}

/// The text of a file, in which bytes that are not UTF-8 are replaced.
fn text(source: &Source, limits: &Limits) -> Option<String> {
    match source.path() {
        Some(path) => Some(String::from_utf8_lossy(&read_bytes(path, limits.file_bytes).ok()?).into_owned()),
        None => source.read(limits).ok().map(|text| text.to_string()),
    }
}

/// Returns `true` for the line `kind: CustomResourceDefinition`, in YAML or JSON.
fn is_kind(line: &str) -> bool {
    let is_text = |c: &char| !c.is_whitespace() && !"\"'".contains(*c);
    line.contains(KIND) && line.chars().filter(is_text).collect::<String>().contains(&format!("kind:{KIND}"))
}
