//! Finds files that a search skips because of their contents, and reports them.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use crd_core::crd::KIND;
use crd_input::{Definition, Error, Limits, Source, is_template, read_bytes};

use super::others::{MISSPELLED, Others};
use crate::{Level, Message, MessageFormat, Messages, Report, Status, some};

/// Maximum number of unreadable files whose names are shown without `--verbose`.
const SHOWN: usize = 10;

/// The files that a search skipped.
#[derive(Default)]
pub struct LeftOut {
    /// `true` if the names of all skipped files are shown.
    is_verbose: bool,
    /// `true` if the run fails when a file that may contain a CRD is skipped.
    fails: bool,
    links: usize,
    pub(super) templates: Vec<String>,
    /// Patches and assertions.
    pub(super) patches: Vec<String>,
    others: Others,
    /// A warning for each skipped file.
    unreadable: Vec<Message>,
    /// A warning for each CRD with the same name as an earlier CRD but other contents.
    differing: Vec<Message>,
    /// `true` if the command's summary contains the numbers of skipped files.
    is_counted: Cell<bool>,
}

impl LeftOut {
    pub(super) fn new(is_verbose: bool, fails: bool, links: usize) -> Self {
        Self { is_verbose, fails, links, ..Self::default() }
    }

    /// Removes the errors for files that were found in a directory and are templates or do not contain a CRD. Returns the other errors.
    #[must_use]
    pub fn sift(&mut self, errors: Vec<Error>, sources: &[Source], limits: &Limits) -> Vec<Error> {
        self.sift_where(errors, sources, limits, &|line| is_kind(line))
    }

    /// Removes errors like [`LeftOut::sift`], but keeps those for files with a line for which `is_wanted` returns `true`.
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
            if is_template(&text) {
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

    /// Adds the files that another search skipped.
    pub fn add(&mut self, other: Self) {
        self.links = self.links.max(other.links);
        add_names(&mut self.templates, other.templates);
        add_names(&mut self.patches, other.patches);
        self.add_unreadable(other.unreadable);
        self.differing.extend(other.differing);
    }

    /// Keeps only the first of several CRDs in a directory with the same name. Adds a warning for each later CRD that differs from the
    /// first.
    pub fn keep_first(&mut self, definitions: &mut Vec<Definition>, sources: &[Source]) {
        let sources: HashMap<&str, &Source> =
            sources.iter().map(|source| (source.relative(), source)).collect();
        let mut first: HashMap<String, usize> = HashMap::new();
        let mut kept: Vec<Definition> = Vec::new();
        for definition in std::mem::take(definitions) {
            let file = &definition.origin.file;
            let found = sources.get(file.as_str()).filter(|source| source.is_found());
            let number = *first.entry(definition.crd.metadata.name.clone()).or_insert(kept.len());
            match (found, kept.get(number)) {
                (Some(source), Some(other)) if other.origin.file != *file => {
                    if other.crd.spec != definition.crd.spec {
                        self.differing.push(differing(source, &definition, &other.origin.file));
                    }
                }
                _ => kept.push(definition),
            }
        }
        *definitions = kept;
    }

    /// Adds files that contain only a part of a CRD.
    pub fn add_parts(&mut self, names: Vec<String>) {
        add_names(&mut self.patches, names);
    }

    /// Counts an object that is not a CRD. `kind` is empty if the object has no kind.
    pub fn add_other(&mut self, kind: &str) {
        self.others.add(kind);
    }

    fn add_unreadable(&mut self, messages: Vec<Message>) {
        let known: HashSet<String> = self.unreadable.iter().map(|message| message.file.clone()).collect();
        self.unreadable.extend(messages.into_iter().filter(|message| !known.contains(&message.file)));
    }

    /// Returns the last part of a command's summary, with the numbers of skipped files.
    #[must_use]
    pub fn summary(&self) -> String {
        self.is_counted.set(true);
        self.counts().iter().map(|count| format!("; {count} left out")).collect()
    }

    /// Returns the error for inputs that contain no CRD. `others` is the number of other objects.
    #[must_use]
    pub fn no_definition(&self, others: usize) -> Message {
        let is_empty = others == 0;
        let others = if is_empty { "no objects".to_owned() } else { some(others, "other object") };
        let named = self.others.named();
        let text = format!("no CustomResourceDefinition in the input: {others}{named}{}", self.summary());
        let help = match (self.templates.is_empty(), self.patches.is_empty()) {
            (false, _) => Some("render the templates: `helm template CHART | crdkit COMMAND -`"),
            (true, false) => Some("build the overlay: `kustomize build DIRECTORY | crdkit COMMAND -`"),
            (true, true) if is_empty => Some(
                "name files or directories with CRDs; with `--no-ignore`, files that git ignores are searched as well",
            ),
            (true, true) => self.others.help(),
        };
        Message { help: help.map(str::to_owned), ..Message::for_run(text) }
    }

    /// Shows the skipped files. Returns the exit status, which is `status` unless a skipped file makes the run fail.
    #[must_use]
    pub fn end(self, report: Report, status: Status) -> Status {
        let counts = self.counts();
        if !report.quiet {
            let shown =
                if self.is_verbose { self.unreadable.len() } else { SHOWN.min(self.unreadable.len()) };
            report.show(&self.unreadable[..shown], MessageFormat::Human);
            report.show(&self.differing, MessageFormat::Human);
            if let Some(kind) = self.others.misspelled() {
                let text = format!("an object of the kind `{kind}` is left out");
                let help = Some(MISSPELLED.to_owned());
                let message = Message { level: Level::Warning, help, ..Message::for_run(text) };
                report.show(&[message], MessageFormat::Human);
            }
        }
        if self.is_verbose {
            for (names, noun) in [(&self.templates, "template"), (&self.patches, "patch")] {
                names.iter().for_each(|name| report.line(&format!("left out the {noun} `{name}`")));
            }
        }
        if !self.is_counted.get() && !counts.is_empty() {
            report.line(&format!("left out {}", counts.join(", ")));
        }
        let (templates, unreadable) = (self.templates.len(), self.unreadable.len());
        let all = counted(&[(templates, "template"), (unreadable, "unreadable file"), (self.links, "link")]);
        if !self.fails || all.is_empty() {
            return status;
        }
        report.show(&[Message::for_run(format!("left out {}", all.join(", ")))], MessageFormat::Human);
        status.max(Status::Unreadable)
    }

    fn counts(&self) -> Vec<String> {
        let mut counts = counted(&[(self.templates.len(), "template")]);
        if !self.patches.is_empty() {
            // The plural of "patch" has an "e".
            let end = if self.patches.len() == 1 { "" } else { "es" };
            counts.push(format!("{} patch{end}", self.patches.len()));
        }
        counts.extend(counted(&[(self.unreadable.len(), "unreadable file")]));
        counts
    }
}

/// Returns the counts other than zero, each with its noun.
fn counted(counts: &[(usize, &str)]) -> Vec<String> {
    counts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| some(*count, noun)).collect()
}

fn add_names(names: &mut Vec<String>, others: Vec<String>) {
    let mut known: HashSet<String> = names.iter().cloned().collect();
    names.extend(others.into_iter().filter(|name| known.insert(name.clone())));
}

fn differing(source: &Source, definition: &Definition, first: &str) -> Message {
    let name = &definition.crd.metadata.name;
    Message {
        level: Level::Warning,
        file: source.name().to_owned(),
        help: Some("name the file to use, or exclude the other file with `--exclude`".to_owned()),
        ..Message::for_run(format!(
            "`{name}` in this file is ignored, because it differs from the CRD with this name in {first}"
        ))
    }
}

/// Returns the text of a file. Bytes that are not UTF-8 are replaced.
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
