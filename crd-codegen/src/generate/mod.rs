//! Generates Rust files in memory.

mod definitions;
mod dependencies;
mod elide;
mod excluded;
mod families;
mod file;
mod kinds;
mod kube_form;
mod layout;
mod limits;
mod modules;
mod names;
mod object;
mod package_parts;
mod rejected;
mod unused;

use std::sync::atomic::{AtomicUsize, Ordering};

use crd_core::Diagnostic;
use crd_input::{Definition, Problem, ProblemSeverity, in_parallel, in_turn};
use crd_sample::SharedSteps;

use crate::config::Settings;
use crate::{Config, KeptNames};
use families::{Family, Module};
use modules::ModuleText;

pub use file::GeneratedFile;
pub use object::object_as_rust;
pub(crate) use package_parts::PackageParts;
pub(crate) use {layout::allowed_lints, package_parts::PackageKind};

/// The generated files, and the problems with the CRDs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Generated {
    /// The files, sorted by path.
    pub files: Vec<GeneratedFile>,
    /// Errors and warnings about the CRDs, in the order of the CRDs.
    pub findings: Vec<Problem>,
    /// The names of all types, for [`Config::kept_names`] of the next run.
    pub names: KeptNames,
    /// The data from which a package is generated.
    pub(crate) parts: PackageParts,
}

/// Generates Rust code for all CRDs.
///
/// The problems include every reason why the API server would reject a CRD. [`Config::rejected`] determines whether code is generated for
/// such a CRD.
///
/// The files depend only on the CRDs, their order and the configuration. If nothing is generated for a CRD, there is a problem with the
/// severity [`Error`](ProblemSeverity::Error).
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
/// let generated = generate(&[Definition { crd, origin }], &Config::new());
/// let paths: Vec<_> = generated.files.iter().map(|file| file.path.as_str()).collect();
/// assert_eq!(
///     paths,
///     ["mod.rs", "names.lock", "stable_example_com/mod.rs", "stable_example_com/v1/mod.rs", "stable_example_com/v1/shirt.rs", "support.rs"]
/// );
/// assert!(generated.files[4].contents.contains("pub color: Option<String>"));
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn generate(definitions: &[Definition], config: &Config) -> Generated {
    generate_with_progress(definitions, config, &|| ())
}

/// Does the same as [`generate`], and calls `progress` after each CRD. The calls may come from any thread.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use crd_codegen::{Config, generate_with_progress};
///
/// let done = AtomicUsize::new(0);
/// let generated = generate_with_progress(&[], &Config::new(), &|| drop(done.fetch_add(1, Ordering::Relaxed)));
/// assert!(generated.files.is_empty());
/// ```
#[must_use]
pub fn generate_with_progress(
    definitions: &[Definition],
    config: &Config,
    progress: &(dyn Fn() + Sync),
) -> Generated {
    let settings = &config.resolve();
    let excluded = excluded::findings(settings);
    if !excluded.is_empty() {
        return Generated { findings: excluded, names: settings.kept_names.clone(), ..Generated::default() };
    }
    let places = layout::places(definitions, settings);
    let placed: Vec<_> = definitions.iter().zip(&places).collect();
    let (mut outputs, steps) = (Vec::with_capacity(placed.len()), SharedSteps::new());
    in_turn(
        &placed,
        |(definition, places), turn| {
            let output = kinds::definition(definition, places, settings, (&steps, &|| turn.wait()));
            turn.give(output, 0);
        },
        &mut |output| outputs.push(output),
    );
    let some_have_types = outputs.iter().any(|output| !output.kinds.is_empty());
    for output in outputs.iter_mut().filter(|output| output.lacks_versions) {
        output.findings.push(kinds::without_versions(settings, some_have_types));
    }
    let kinds = outputs.iter_mut().enumerate();
    let kinds = kinds
        .flat_map(|(i, output)| std::mem::take(&mut output.kinds).into_iter().map(move |kind| (i, kind)));
    let families = families::families(definitions, kinds.collect(), settings);
    for (i, severity, diagnostic) in families.iter().flat_map(|family| family.findings(settings)) {
        outputs[i].findings.push((severity, diagnostic));
    }
    let mut names = KeptNames::default();
    for family in &families {
        family.keep_names(&mut names);
    }
    let texts = texts(&families, definitions.len(), settings, progress);
    let mut modules = Vec::with_capacity(texts.len());
    for (i, text) in texts {
        match text {
            Ok(text) => modules.push(text),
            Err(diagnostic) => outputs[i].findings.push((ProblemSeverity::Error, diagnostic)),
        }
    }
    let mut findings = unused::findings(&outputs, &families, &modules, &names, settings);
    for (definition, output) in definitions.iter().zip(outputs) {
        findings.extend(output.findings.into_iter().map(|(severity, diagnostic)| Problem {
            origin: definition.origin.clone(),
            diagnostic,
            severity,
        }));
    }
    let parts = PackageParts::new(&modules, definitions);
    Generated { files: layout::files(modules, &names, settings), findings, names, parts }
}

/// Returns each module's text, with the index of a CRD for which the module is generated.
fn texts(
    families: &[Family<'_>],
    definitions: usize,
    settings: &Settings,
    progress: &(dyn Fn() + Sync),
) -> Vec<(usize, Result<ModuleText, Diagnostic>)> {
    let modules: Vec<Module<'_>> = families.iter().flat_map(|family| family.modules(settings)).collect();
    let mut left: Vec<usize> = vec![0; definitions];
    for module in &modules {
        left[module.definition()] += 1;
    }
    left.iter().filter(|left| **left == 0).for_each(|_| progress());
    let left: Vec<AtomicUsize> = left.into_iter().map(AtomicUsize::new).collect();
    in_parallel(&modules, |module| {
        let text = module.text(settings);
        let i = module.definition();
        if left[i].fetch_sub(1, Ordering::Relaxed) == 1 {
            progress();
        }
        (i, text)
    })
}
