//! Choices for findings.

use crd_core::check::ServerOptions;
use crd_lint::LintOptions;

/// Choices for the findings of a document.
#[derive(Clone, Debug, Default)]
pub struct EditorOptions {
    /// The API server that answers.
    pub server: ServerOptions,
    /// The rules of lint.
    pub lint: LintOptions,
    /// yaml-language-server is open beside: what it says itself is left out. That is what cannot be read as YAML, keys that are there twice, and,
    /// in a text whose modeline names a JSON Schema, what a JSON Schema says of an object.
    pub beside_yaml_language_server: bool,
}
