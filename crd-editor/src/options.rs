//! Settings for a document.

use crd_core::check::ServerOptions;
use crd_lint::LintOptions;

/// Settings for a document.
#[derive(Clone, Debug, Default)]
pub struct EditorOptions {
    /// The API server that is emulated.
    pub server: ServerOptions,
    /// The options for lint.
    pub lint: LintOptions,
    /// `true` if yaml-language-server also runs. Problems that it reports itself are then left out: invalid YAML, duplicate keys and, if a
    /// comment in the text refers to a JSON Schema, everything that a JSON Schema can express.
    pub beside_yaml_language_server: bool,
}
