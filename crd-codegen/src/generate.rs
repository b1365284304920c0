//! From definitions to Rust files, in memory.

mod definitions;
mod kinds;
mod layout;
mod names;
mod refused;
mod unused;

use crd_core::{CustomResourceDefinition, Diagnostic};

use crate::Config;
use crate::input::in_parallel;
use kinds::DefinitionOutput;

/// A definition and where it was read.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The definition.
    pub crd: CustomResourceDefinition,
    /// Where it was read.
    pub origin: Origin,
}

/// Where a definition was read: what the header of generated files names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The file, relative and with `/` between folders, or `<stdin>`.
    pub file: String,
    /// The number of the document in the file, from 0; an item of a `List` counts as a document.
    pub document: usize,
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The files, sorted by path.
    pub files: Vec<GeneratedFile>,
    /// What is to be said about the definitions, in their order.
    pub findings: Vec<Finding>,
}

/// One file of Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Its path below the output folder, with `/` between folders; made of checked names only.
    pub path: String,
    /// Its text.
    pub contents: String,
}

/// Something to say about a definition.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Which definition.
    pub origin: Origin,
    /// What, and where in it.
    pub diagnostic: Diagnostic,
    /// Whether nothing was generated for it.
    pub severity: Severity,
}

/// How bad a [`Finding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing was generated for the definition.
    Error,
    /// Something could not be expressed, and what was done instead.
    Warning,
}

/// Generates Rust for all definitions. `progress` is called after each definition, from any thread.
///
/// What the API server would refuse is said of each definition, and [`Config::refused`] says what becomes of it.
///
/// The files depend on the definitions, their order and the configuration only. A definition of which nothing comes
/// has an [`Error`](Severity::Error) among the findings.
///
/// ```
/// use crd_codegen::{Config, Definition, Origin, generate};
/// use crd_core::CustomResourceDefinition;
/// use serde_json::json;
///
/// let crd = CustomResourceDefinition::from_value(json!({
///     "metadata": {"name": "shirts.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "shirts", "kind": "Shirt"},
///         "scope": "Namespaced",
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
///             "type": "object",
///             "properties": {"spec": {"type": "object", "properties": {"color": {"type": "string"}}}},
///         }}}],
///     },
/// }))?;
/// let origin = Origin { file: "shirts.yaml".into(), document: 0 };
/// let generated = generate(&[Definition { crd, origin }], &Config::new(), &|| ());
/// let paths: Vec<_> = generated.files.iter().map(|file| file.path.as_str()).collect();
/// assert_eq!(
///     paths,
///     ["mod.rs", "stable_example_com/mod.rs", "stable_example_com/v1/mod.rs", "stable_example_com/v1/shirt.rs", "support.rs"]
/// );
/// assert!(generated.files[3].contents.contains("pub color: Option<String>"));
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn generate(definitions: &[Definition], config: &Config, progress: &(dyn Fn() + Sync)) -> Generated {
    let places = layout::places(definitions, config);
    let placed: Vec<_> = definitions.iter().zip(&places).collect();
    let outputs = in_parallel(&placed, |(definition, places)| {
        let output = kinds::definition(definition, places, config);
        progress();
        output
    });
    let mut findings = unused::findings(&outputs, config);
    for (definition, output) in definitions.iter().zip(&outputs) {
        findings.extend(output.findings.iter().map(|(severity, diagnostic)| Finding {
            origin: definition.origin.clone(),
            diagnostic: diagnostic.clone(),
            severity: *severity,
        }));
    }
    let kinds: Vec<_> = outputs.into_iter().flat_map(|output: DefinitionOutput| output.kinds).collect();
    let files = layout::files(kinds, config);
    Generated { files, findings }
}
