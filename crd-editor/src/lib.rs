//! Language support for Kubernetes CRDs in editors: problems, quick fixes, completions and hovers, for a text that changes.
//!
//! The crate works for any front end, such as `crdkit lsp`: the input is a text, and the output refers to positions in this text. The crate
//! reads neither files nor a clock, and starts no threads.
//!
//! ```
//! use crd_editor::{EditorDocument, EditorOptions, Position};
//!
//! let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\nspec: {group: b.c, scop: 1}\n";
//! let mut document = EditorDocument::new(text, EditorOptions::default());
//! let found = document.findings().iter().find(|finding| finding.code == "unknown-field").unwrap();
//! assert_eq!(found.range.start, Position { line: 3, character: 19 });
//! assert_eq!(found.message, "the API does not have this field, so the API server drops it");
//! ```
#![forbid(unsafe_code)]

mod actions;
mod complete;
mod cursor;
mod definition;
mod document;
mod expression;
mod findings;
mod hints;
mod hover;
mod keywords;
mod options;
mod outline;
mod placed;
mod price;
mod project;
mod properties;
mod rename;
mod resources;
mod scalar;
mod schemas;
mod text;

pub use actions::EditorAction;
pub use complete::{CompletionKind, EditorCompletion};
pub use crd_sample::Allowance;
pub use definition::EditorTarget;
pub use document::{EditorDocument, LintSearch, SearchedFindings};
pub use findings::{EditorFinding, FoundBy, Severity};
pub use hints::EditorHint;
pub use hover::EditorHover;
pub use options::EditorOptions;
pub use outline::{EditorSymbol, SymbolKind};
pub use rename::NotRenamed;
pub use resources::KnownKinds;
pub use text::{Position, Text, TextEdit, TextRange};
