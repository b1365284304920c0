//! A file in an editor, with its CRDs and problems.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crd_core::CustomResourceDefinition;
use crd_input::SourceMap;
use crd_lint::{LintFinding, LintOptions, lint_within};
use crd_sample::Allowance;

use crate::cursor::{Cursor, CursorStep};
use crate::findings::{CheckedCrd, EditorFinding, check, linted};
use crate::options::EditorOptions;
use crate::placed::{documents_until, has_list};
use crate::resources::KnownKinds;
use crate::text::{Text, TextRange};

/// A text that an editor changes. Problems, completions and other answers are computed on demand.
pub struct EditorDocument {
    pub(crate) text: Text,
    pub(crate) options: EditorOptions,
    /// The kinds whose objects are checked.
    pub(crate) kinds: Arc<KnownKinds>,
    /// Counts the changes.
    version: u64,
    /// The `version` for which `findings` were computed.
    checked: Option<u64>,
    /// The CRDs, by index among the objects. If a CRD cannot be parsed now, the last parsed version is kept.
    pub(crate) crds: BTreeMap<usize, CheckedCrd>,
    findings: Vec<EditorFinding>,
}

/// A cursor in an object.
pub(crate) struct CursorIn {
    /// The byte range of the YAML document.
    pub(crate) document: Range<usize>,
    /// The object's index in the text.
    pub(crate) number: usize,
    pub(crate) cursor: Cursor,
}

/// A search for lint findings. It can take long, because some findings need an object as proof, so it can run on another thread.
#[derive(Clone, Debug)]
pub struct LintSearch {
    version: u64,
    crds: Vec<(usize, Arc<CustomResourceDefinition>)>,
    options: LintOptions,
}

/// The results of a [`LintSearch`].
#[derive(Clone, Debug)]
pub struct SearchedFindings {
    version: u64,
    found: Vec<(usize, Vec<LintFinding>)>,
}

impl EditorDocument {
    /// Returns a document with this text.
    #[must_use]
    pub fn new(text: &str, options: EditorOptions) -> Self {
        Self {
            text: Text::new(text),
            options,
            kinds: Arc::default(),
            version: 0,
            checked: None,
            crds: BTreeMap::new(),
            findings: Vec::new(),
        }
    }

    /// Returns the text with its lines.
    #[must_use]
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Replaces a part of the text.
    pub fn change(&mut self, range: TextRange, new: &str) {
        self.text = self.text.with(range, new);
        self.version += 1;
    }

    /// Replaces the whole text.
    pub fn set_text(&mut self, text: &str) {
        self.text = Text::new(text);
        self.version += 1;
    }

    /// Sets the known kinds. Their objects are then checked, completed and explained.
    pub fn set_kinds(&mut self, kinds: Arc<KnownKinds>) {
        self.kinds = kinds;
        self.version += 1;
    }

    /// Returns the CRDs in the text. If a CRD cannot be parsed now, the last parsed version is returned.
    pub fn crds(&mut self) -> impl Iterator<Item = &CustomResourceDefinition> {
        self.refresh();
        self.crds.values().map(|known| &*known.crd)
    }

    /// Returns the same findings as `crdkit check` and `crdkit validate`. Lint findings are included from [`EditorDocument::take_searched`]
    /// until the next change to the text.
    pub fn findings(&mut self) -> &[EditorFinding] {
        self.refresh();
        &self.findings
    }

    /// Returns a search for lint findings in the CRDs that the API server accepts.
    pub fn lint_search(&mut self) -> LintSearch {
        self.refresh();
        let accepted = self.crds.values().filter(|crd| crd.is_accepted);
        LintSearch {
            version: self.version,
            crds: accepted.map(|crd| (crd.number, Arc::clone(&crd.crd))).collect(),
            options: self.options.lint.clone(),
        }
    }

    /// Stores the results of a search. Returns `false` if the results are outdated, because the text has changed since the search began.
    pub fn take_searched(&mut self, searched: SearchedFindings) -> bool {
        if searched.version != self.version || self.checked != Some(self.version) {
            return false;
        }
        let map = SourceMap::from_shared(self.text.shared_body());
        self.findings.retain(|finding| finding.found_by != crate::FoundBy::Lint);
        for (number, found) in searched.found {
            self.findings.extend(linted(number, found, &self.text, &map));
        }
        true
    }

    /// Returns the cursor for a byte, with the object that contains the byte. Returns `None` in the items of a `List`, unless the item is a
    /// CRD.
    pub(crate) fn cursor_at(&self, at: usize) -> Option<CursorIn> {
        let text = self.text.as_str();
        let (document, number) = documents_until(text, at);
        let cursor = Cursor::find(text, at)?;
        let mut found = CursorIn { document, number, cursor };
        if has_list(text) {
            let start = found.document.start.saturating_sub(self.text.mark());
            found.number = SourceMap::from_shared(self.text.shared_body()).objects_before(start);
            let item = match found.cursor.path.as_slice() {
                [CursorStep::Key(items), CursorStep::Item(item), ..] if items == "items" => Some(*item),
                _ => None,
            };
            if let Some(item) = item.filter(|_| has_list(&text[found.document.clone()])) {
                found.number += item;
                found.cursor.path.drain(..2);
                self.crds.get(&found.number)?;
            }
        }
        Some(found)
    }

    /// Updates CRDs and findings if the text has changed.
    pub(crate) fn refresh(&mut self) {
        if self.checked == Some(self.version) {
            return;
        }
        self.checked = Some(self.version);
        let body = self.text.shared_body();
        let mut checked = check(&body, &self.options, &self.kinds);
        let crds = std::mem::take(&mut checked.crds);
        // What cannot be read may be a list of any number of objects.
        self.crds.retain(|number, _| checked.has_faults || *number < checked.objects);
        let map = SourceMap::from_shared(body);
        self.findings = checked.placed(&self.text, &map);
        for known in self.crds.values_mut() {
            known.is_accepted = false;
            known.is_current = false;
        }
        self.crds.extend(crds.into_iter().map(|crd| (crd.number, crd)));
    }
}

impl LintSearch {
    /// Runs the search. `allowance` limits the number of steps for each CRD. Another thread can end the search by taking the remaining
    /// steps from the allowance.
    #[must_use]
    pub fn run(&self, allowance: &Allowance) -> SearchedFindings {
        let found = |(number, crd): &(usize, Arc<CustomResourceDefinition>)| {
            (*number, lint_within(crd, &self.options, allowance))
        };
        SearchedFindings { version: self.version, found: self.crds.iter().map(found).collect() }
    }

    /// Returns `true` if there is nothing to search.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.crds.is_empty()
    }
}
