//! One definition to the type trees of its versions.

use crd_core::crd::{AdditionalProperties, Items, JsonSchemaProps};
use crd_core::{Diagnostic, FieldPath, OrderedMap, Reason};

use super::layout::{ModulePath, Places};
use super::{Definition, Severity};
use crate::Config;
use crate::ir::lower::{self, Context};
use crate::ir::{Tree, unify};

/// How many fields and variants a version may have. Real ones have a third of it at most; formatting more would take
/// more time and memory than a definition should be able to take.
const MAX_SIZE: usize = 15_000;

/// What came of a definition.
#[derive(Debug, Default)]
pub(super) struct DefinitionOutput {
    pub(super) kinds: Vec<LoweredKind>,
    pub(super) findings: Vec<(Severity, Diagnostic)>,
    /// Which overrides were of use.
    pub(super) used_types: Vec<bool>,
    pub(super) used_names: Vec<bool>,
}

/// One version of a kind.
#[derive(Debug)]
pub(super) struct LoweredKind {
    /// Which version of the definition.
    pub(super) at: usize,
    pub(super) path: ModulePath,
    pub(super) tree: Tree,
}

/// Lowers all chosen versions of a definition.
pub(super) fn definition(definition: &Definition, places: &Places, config: &Config) -> DefinitionOutput {
    let mut output = DefinitionOutput::default();
    if let Some(first) = &places.repeats {
        let what = if places.is_copy { "not generated again" } else { "its module has a number" };
        let message = format!("Duplicate value: the same kind stands in {} already; {what}", first.file);
        let diagnostic =
            Diagnostic::new(FieldPath::new("metadata").child("name"), Reason::Duplicate, message);
        output.findings.push((Severity::Warning, diagnostic));
        if places.is_copy {
            return output;
        }
    }
    let wrong = super::names::check(&definition.crd);
    let causes = super::refused::causes(&definition.crd, &wrong, config);
    output.findings.extend(wrong.into_iter().map(|diagnostic| (Severity::Error, diagnostic)));
    output.findings.extend(causes);
    if output.findings.iter().any(|(severity, _)| *severity == Severity::Error) {
        return output;
    }
    for (at, path) in &places.versions {
        version(definition, *at, path, config, &mut output);
    }
    if output.kinds.is_empty() && output.findings.iter().all(|(severity, _)| *severity != Severity::Error) {
        let message = format!("nothing to generate: no version is among `{}`", config.chosen_versions());
        let diagnostic = Diagnostic::new(FieldPath::new("spec").child("versions"), Reason::NotFound, message);
        let help = "choose other versions";
        output.findings.push((Severity::Error, diagnostic.with_help(help)));
    }
    output
}

fn version(
    definition: &Definition,
    at: usize,
    path: &ModulePath,
    config: &Config,
    output: &mut DefinitionOutput,
) {
    let spec = &definition.crd.spec;
    let version = &spec.versions[at];
    let field = FieldPath::new("spec").child("versions").index(at);
    let no_overrides = config.chosen_type_overrides().is_empty();
    let largest = version.open_api_v3_schema().filter(|_| no_overrides).map_or(0, largest);
    if largest > MAX_SIZE {
        // Known before the work: equal types are one type, but an object keeps all its properties.
        let path = field.child("schema").child("openAPIV3Schema");
        output.findings.push((Severity::Error, too_many(path, largest)));
        return;
    }
    let context =
        Context { kind: &spec.names.kind, path: field.child("schema").child("openAPIV3Schema"), config };
    let lowered = lower::lower(version.open_api_v3_schema(), &context);
    output.findings.extend(lowered.warnings.into_iter().map(|warning| (Severity::Warning, warning)));
    merge(&mut output.used_types, &lowered.used_types);
    merge(&mut output.used_names, &lowered.used_names);

    let tree = unify::unify(lowered.tree);
    if tree.size() > MAX_SIZE {
        output.findings.push((Severity::Error, too_many(context.path, tree.size())));
        return;
    }
    output.kinds.push(LoweredKind { at, path: path.clone(), tree });
}

fn too_many(path: FieldPath, size: usize) -> Diagnostic {
    let message = format!(
        "Too many: {size}: must have at most {MAX_SIZE} properties and values of enums, equal types counted once"
    );
    Diagnostic::new(path, Reason::TooMany, message)
}

/// The most properties that one object in the spine of a schema has.
fn largest(schema: &JsonSchemaProps) -> usize {
    let properties = schema.properties.as_ref();
    let items = match &schema.items {
        Some(Items::Schema(items)) => Some(&**items),
        _ => None,
    };
    let values = match &schema.additional_properties {
        Some(AdditionalProperties::Schema(values)) => Some(&**values),
        _ => None,
    };
    let children = properties.into_iter().flat_map(OrderedMap::values).chain(items).chain(values);
    children.map(largest).fold(properties.map_or(0, OrderedMap::len), usize::max)
}

fn merge(all: &mut Vec<bool>, new: &[bool]) {
    all.resize(new.len(), false);
    for (all, new) in all.iter_mut().zip(new) {
        *all |= new;
    }
}
