//! From definitions to Rust files, in memory.

mod definitions;
mod excluded;
mod families;
mod kinds;
mod layout;
mod limits;
mod names;
mod refused;
mod unused;

use std::sync::atomic::{AtomicUsize, Ordering};

use crd_core::Diagnostic;
use crd_input::{Definition, Finding, Severity, in_parallel};

use crate::{Config, KeptNames};
use families::{Family, Module, ModuleText};

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The files, sorted by path.
    pub files: Vec<GeneratedFile>,
    /// What is to be said about the definitions, in their order.
    pub findings: Vec<Finding>,
    /// The names of all types, for [`Config::kept_names`] of the next run.
    pub names: KeptNames,
}

/// One file: Rust, or the names that the next run is to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Its path below the output folder, with `/` between folders; made of checked names only.
    pub path: String,
    /// Its text.
    pub contents: String,
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
///     ["mod.rs", "names.lock", "stable_example_com/mod.rs", "stable_example_com/v1/mod.rs", "stable_example_com/v1/shirt.rs", "support.rs"]
/// );
/// assert!(generated.files[4].contents.contains("pub color: Option<String>"));
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn generate(definitions: &[Definition], config: &Config, progress: &(dyn Fn() + Sync)) -> Generated {
    let excluded = excluded::findings(config);
    if !excluded.is_empty() {
        let names = config.chosen_kept_names().clone();
        return Generated { files: Vec::new(), findings: excluded, names };
    }
    let places = layout::places(definitions, config);
    let placed: Vec<_> = definitions.iter().zip(&places).collect();
    let mut outputs =
        in_parallel(&placed, |(definition, places)| kinds::definition(definition, places, config));
    let kinds = outputs.iter_mut().enumerate();
    let kinds = kinds
        .flat_map(|(i, output)| std::mem::take(&mut output.kinds).into_iter().map(move |kind| (i, kind)));
    let families = families::families(definitions, kinds.collect(), config);
    for (i, severity, diagnostic) in families.iter().flat_map(|family| family.findings(config)) {
        outputs[i].findings.push((severity, diagnostic));
    }
    let mut names = KeptNames::default();
    for family in &families {
        family.keep_names(&mut names);
    }
    let texts = texts(&families, definitions.len(), config, progress);
    let mut modules = Vec::with_capacity(texts.len());
    for (i, text) in texts {
        match text {
            Ok(text) => modules.push(text),
            Err(diagnostic) => outputs[i].findings.push((Severity::Error, diagnostic)),
        }
    }
    let mut findings = unused::findings(&outputs, &modules, config);
    for (definition, output) in definitions.iter().zip(outputs) {
        findings.extend(output.findings.into_iter().map(|(severity, diagnostic)| Finding {
            origin: definition.origin.clone(),
            diagnostic,
            severity,
        }));
    }
    Generated { files: layout::files(modules, &names, config), findings, names }
}

/// The texts of all modules, each with the index of a definition that it is generated for.
fn texts(
    families: &[Family<'_>],
    definitions: usize,
    config: &Config,
    progress: &(dyn Fn() + Sync),
) -> Vec<(usize, Result<ModuleText, Diagnostic>)> {
    let modules: Vec<Module<'_>> = families.iter().flat_map(|family| family.modules(config)).collect();
    let mut left: Vec<usize> = vec![0; definitions];
    for module in &modules {
        left[module.definition()] += 1;
    }
    left.iter().filter(|left| **left == 0).for_each(|_| progress());
    let left: Vec<AtomicUsize> = left.into_iter().map(AtomicUsize::new).collect();
    in_parallel(&modules, |module| {
        let text = module.text(config);
        let i = module.definition();
        if left[i].fetch_sub(1, Ordering::Relaxed) == 1 {
            progress();
        }
        (i, text)
    })
}
