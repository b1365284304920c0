//! Choices for findings.

use crd_core::check::ServerOptions;
use crd_lint::LintOptions;

/// Settings for the findings in a document.
#[derive(Clone, Debug, Default)]
pub struct EditorOptions {
    /// The API server that is emulated.
    pub server: ServerOptions,
    /// The rules of lint.
    pub lint: LintOptions,
    /// yaml-language-server also runs: findings that it reports itself are left out. These are invalid YAML, duplicate keys and, in a
    /// text whose modeline names a JSON Schema, everything that a JSON Schema can express about an object.
    pub beside_yaml_language_server: bool,
}
