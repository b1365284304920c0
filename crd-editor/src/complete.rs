//! Completions: keywords and their values, paths, and names in expressions.

use std::ops::Range;

use crd_core::{CustomResourceDefinition, Structural};

use crate::cursor::{Cursor, CursorPart, CursorStep};
use crate::document::{CursorIn, EditorDocument};
use crate::expression::{Expression, OfferedKind};
use crate::keywords::{Keyword, Owner, PlaceKind, Values};
use crate::placed::is_crd;
use crate::schemas::{SchemaAt, version_at};
use crate::text::{Position, TextEdit};

/// A completion: a text that an editor can insert at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditorCompletion {
    /// The name.
    pub label: String,
    /// The kind of the completion.
    pub kind: CompletionKind,
    /// The type of a value, or the signature of a function.
    pub detail: String,
    /// The effect of the inserted text, in Markdown.
    pub documentation: Option<String>,
    /// The edit that inserts the text.
    pub edit: TextEdit,
}

/// The kinds of completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompletionKind {
    /// A keyword of CRDs.
    Keyword,
    /// A value of a keyword.
    Value,
    /// A field of an object.
    Field,
    /// The rest of a minimal accepted object.
    Sample,
    /// A variable in an expression.
    Variable,
    /// A function or a macro in an expression.
    Function,
}

impl EditorDocument {
    /// Returns the completions at a position. If the text cannot be parsed now, types come from the last version that could be parsed.
    pub fn completions(&mut self, position: Position) -> Vec<EditorCompletion> {
        self.completions_at(self.text.offset(position)).unwrap_or_default()
    }

    fn completions_at(&mut self, at: usize) -> Option<Vec<EditorCompletion>> {
        self.refresh();
        let text = self.text.as_str();
        let CursorIn { document, number, cursor } = self.cursor_at(at)?;
        let crd = self.crds.get(&number).map(|known| &*known.crd);
        if crd.is_none() && !is_crd(&text[document.clone()]) {
            let document = &text[document];
            let (kind, root) = self.kinds.of_document(document)?;
            let mut found = self.resource_completions(root, &cursor)?;
            found.extend(self.sample(kind, document, &cursor));
            return Some(found);
        }
        let place = PlaceKind::at(&cursor.path);
        let found = match (place, &cursor.part) {
            (Some(PlaceKind::Fields(owner)), CursorPart::Key) => self.keywords(owner, &cursor),
            (Some(PlaceKind::Values(Values::Cel)), _) => self.names(crd?, &cursor, at)?,
            (Some(PlaceKind::Values(values)), _) => self.values(values, crd, &cursor, at),
            _ => return None,
        };
        Some(found)
    }

    /// Returns the keywords that are missing in a map.
    fn keywords(&self, owner: &'static Owner, cursor: &Cursor) -> Vec<EditorCompletion> {
        let present = cursor.siblings(self.text.as_str());
        let own = &self.text.as_str()[cursor.bytes.clone()];
        let fits = |keyword: &&Keyword| {
            keyword.values != Values::Rejected
                && (keyword.name == own || !present.iter().any(|name| name == keyword.name))
        };
        let has_colon = self.text.as_str()[cursor.bytes.end..].trim_start_matches(' ').starts_with(':');
        let completion = |keyword: &Keyword| {
            let end = match keyword.values {
                _ if has_colon => "",
                Values::Object(_) | Values::List(_) | Values::Map(_) | Values::Texts => ":",
                _ => ": ",
            };
            EditorCompletion {
                label: keyword.name.to_owned(),
                kind: CompletionKind::Keyword,
                detail: owner.name.to_owned(),
                documentation: Some(keyword.about(owner)),
                edit: self.replacing(cursor.bytes.clone(), format!("{}{end}", keyword.name)),
            }
        };
        owner.keywords.iter().filter(fits).map(completion).collect()
    }

    /// Returns a keyword's possible values.
    fn values(
        &self,
        values: Values,
        crd: Option<&CustomResourceDefinition>,
        cursor: &Cursor,
        at: usize,
    ) -> Vec<EditorCompletion> {
        let words: Vec<String> = match values {
            Values::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Values::Bool => vec!["true".to_owned(), "false".to_owned()],
            Values::Text => crd.and_then(|crd| names_of_fields(crd, cursor)).unwrap_or_default(),
            Values::Path => return crd.and_then(|crd| self.paths(crd, cursor, at)).unwrap_or_default(),
            _ => Vec::new(),
        };
        let completion = |word: String| EditorCompletion {
            edit: self.replacing(cursor.bytes.clone(), word.clone()),
            label: word,
            kind: CompletionKind::Value,
            detail: String::new(),
            documentation: None,
        };
        words.into_iter().map(completion).collect()
    }

    /// Returns the fields and items that can come next in a path through the schema.
    fn paths(
        &self,
        crd: &CustomResourceDefinition,
        cursor: &Cursor,
        at: usize,
    ) -> Option<Vec<EditorCompletion>> {
        let text = self.text.as_str();
        let quoted = usize::from(text[cursor.bytes.clone()].starts_with(['"', '\'']));
        let start = cursor.bytes.start + quoted;
        let written = text.get(start..at.max(start))?;
        let end = start + text.get(start..cursor.bytes.end)?.trim_end_matches(['"', '\'']).len();
        let (above, _) = written.rsplit_once('.').unwrap_or(("", written));
        let schema = SchemaAt::find(crd, &cursor.path)?;
        // The path of a rule begins at the node with the rule.
        let from = match schema.steps() {
            [] => &[],
            [steps @ .., _, _, _] => steps,
            _ => return None,
        };
        let mut node = schema.node(from)?.node;
        for name in above.split('.').filter(|name| !name.is_empty()) {
            node = node.properties.get(name)?;
        }
        let completion = |(name, child): (&str, &Structural)| {
            let path = format!("{above}.{name}");
            EditorCompletion {
                edit: self.replacing(start..end.max(at), path.clone()),
                label: path,
                kind: CompletionKind::Field,
                detail: child.type_.as_ref().map_or_else(String::new, |own| own.as_str().to_owned()),
                documentation: child.generic.description.clone(),
            }
        };
        Some(node.properties.iter().map(completion).collect())
    }

    /// Returns the variables, fields and functions that can be inserted into an expression.
    fn names(
        &self,
        crd: &CustomResourceDefinition,
        cursor: &Cursor,
        at: usize,
    ) -> Option<Vec<EditorCompletion>> {
        let version = self.options.server.kube_version;
        let expression = Expression::find(crd, version, self.text.as_str(), cursor, at)?;
        let (word, offered) = expression.offered()?;
        let bytes = expression.read.bytes(word);
        let completion = |offered: crate::expression::Offered| EditorCompletion {
            edit: self.replacing(bytes.clone(), expression.read.escaped(&offered.name)),
            label: offered.name,
            kind: match offered.kind {
                OfferedKind::Field => CompletionKind::Field,
                OfferedKind::Variable => CompletionKind::Variable,
                OfferedKind::Function => CompletionKind::Function,
            },
            detail: offered.detail,
            documentation: None,
        };
        Some(offered.into_iter().map(completion).collect())
    }

    pub(crate) fn replacing(&self, bytes: Range<usize>, new_text: String) -> TextEdit {
        TextEdit { range: self.text.range(bytes), new_text }
    }
}

/// Returns the field names that `required` or `x-kubernetes-list-map-keys` can contain.
fn names_of_fields(crd: &CustomResourceDefinition, cursor: &Cursor) -> Option<Vec<String>> {
    version_at(crd, &cursor.path)?;
    let schema = SchemaAt::find(crd, &cursor.path)?;
    let [steps @ .., CursorStep::Key(keyword), CursorStep::Item(_)] = schema.steps() else { return None };
    let node = schema.node(steps)?.node;
    let named = match keyword.as_str() {
        "required" => node,
        "x-kubernetes-list-map-keys" => node.items.as_deref()?,
        _ => return None,
    };
    Some(named.properties.keys().map(str::to_owned).collect())
}
