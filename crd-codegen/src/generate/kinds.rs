//! Builds the types for each version of a CRD.

use crd_core::admit::Validator;
use crd_core::yaml::to_yaml;
use crd_core::{CauseReason, Diagnostic, FieldPath};
use crd_sample::{Allowance, Sampler, SharedSteps};

use super::modules::{ModulePath, ModulePlaces};
use super::{Definition, ProblemSeverity, limits};
use crate::config::{Settings, Versions};
use crate::ir::lower::{self, Context};
use crate::ir::{Tree, unify};

/// The types for all selected versions of a CRD, and the problems with the CRD.
#[derive(Debug, Default)]
pub(super) struct DefinitionOutput {
    pub(super) kinds: Vec<LoweredKind>,
    pub(super) findings: Vec<(ProblemSeverity, Diagnostic)>,
    /// `true` if the CRD has no error, but none of its versions is selected.
    pub(super) lacks_versions: bool,
    /// `true` for each type override that had an effect. `used_names` is the same for name overrides.
    pub(super) used_types: Vec<bool>,
    pub(super) used_names: Vec<bool>,
}

/// One version of a kind.
#[derive(Debug)]
pub(super) struct LoweredKind {
    /// The index of the version in the CRD.
    pub(super) at: usize,
    pub(super) path: ModulePath,
    pub(super) tree: Tree,
    /// The types that would be generated without type overrides. They are only necessary if the last run may have named a type by a path
    /// that an override now replaces.
    pub(super) without_overrides: Option<Tree>,
    /// `true` if the root type has the method `validate`.
    pub(super) is_validated: bool,
    /// An object in YAML that the API server accepts, if the option `samples` is set.
    pub(super) sample: Option<String>,
}

/// Lowers all selected versions of a CRD. The search for samples is limited by `steps`. `wait` blocks until this CRD may use more steps
/// than its own share.
pub(super) fn definition(
    definition: &Definition,
    places: &ModulePlaces,
    settings: &Settings,
    (steps, wait): (&SharedSteps, &dyn Fn()),
) -> DefinitionOutput {
    let mut output = DefinitionOutput::default();
    if let Some(first) = &places.repeats {
        let what = if places.is_copy { "not generated again" } else { "its module name has a number" };
        let message = format!("Duplicate value: the same kind is already in {}; {what}", first.file);
        let diagnostic =
            Diagnostic::new(FieldPath::new("metadata").child("name"), CauseReason::Duplicate, message);
        output.findings.push((ProblemSeverity::Warning, diagnostic));
        if places.is_copy {
            return output;
        }
    }
    let beyond = beyond_limits(definition, places, settings);
    if !beyond.is_empty() {
        // Not even checked, which would take as long as it is large.
        output.findings.extend(beyond);
        return output;
    }
    let wrong = super::names::check(&definition.crd);
    let causes = super::rejected::causes(&definition.crd, &wrong, settings);
    output.findings.extend(wrong.into_iter().map(|diagnostic| (ProblemSeverity::Error, diagnostic)));
    output.findings.extend(causes);
    if output.findings.iter().any(|(severity, _)| *severity == ProblemSeverity::Error) {
        return output;
    }
    let is_validated = settings.validate && Validator::new(&definition.crd).is_ok();
    for (at, path) in &places.versions {
        if let Some(tree) = version(definition, *at, settings, &mut output) {
            let (path, without_overrides) = (path.clone(), without_overrides(definition, *at, settings));
            let kind = LoweredKind { at: *at, path, tree, without_overrides, is_validated, sample: None };
            output.kinds.push(kind);
        }
    }
    if settings.samples {
        let samples = |allowance: &Allowance| {
            let sample = |kind: &LoweredKind| sample(definition, kind.at, allowance);
            output.kinds.iter().map(sample).collect::<Vec<_>>()
        };
        let samples = steps.make(&definition.crd, wait, samples);
        output.kinds.iter_mut().zip(samples).for_each(|(kind, sample)| kind.sample = sample);
    }
    output.lacks_versions = output.kinds.is_empty()
        && output.findings.iter().all(|(severity, _)| *severity != ProblemSeverity::Error);
    output
}

/// Returns the finding for a CRD without a selected version. For a CRD that serves no version, it is only a warning if other CRDs have
/// types.
pub(super) fn without_versions(
    settings: &Settings,
    others_have_types: bool,
) -> (ProblemSeverity, Diagnostic) {
    let is_unserved = settings.versions == Versions::Served && others_have_types;
    let (severity, message) = if is_unserved {
        (ProblemSeverity::Warning, "no types are generated, because no version is served".to_owned())
    } else {
        let versions = &settings.versions;
        let message =
            format!("nothing to generate: the option `versions` selects none of the versions: `{versions}`");
        (ProblemSeverity::Error, message)
    };
    let path = FieldPath::new("spec").child("versions");
    let diagnostic = Diagnostic::new(path, CauseReason::NotFound, message);
    (severity, diagnostic.with_help("choose other versions"))
}

/// Returns the smallest object of a version that the API server accepts, if one is found.
fn sample(definition: &Definition, at: usize, allowance: &Allowance) -> Option<String> {
    let sampler = Sampler::new(&definition.crd, &definition.crd.spec.versions[at].name).ok()?;
    Some(to_yaml(&sampler.with_allowance(allowance).minimal().ok()?))
}

/// Returns errors for the schemas that exceed a limit. This check runs before the schemas are converted to types.
fn beyond_limits(
    definition: &Definition,
    places: &ModulePlaces,
    settings: &Settings,
) -> Vec<(ProblemSeverity, Diagnostic)> {
    if !settings.type_override.is_empty() {
        // One of them may stand instead of what has too much.
        return Vec::new();
    }
    let beyond = places.versions.iter().filter_map(|(at, _)| {
        let schema = definition.crd.spec.versions[*at].open_api_v3_schema()?;
        limits::exceeded_by_schema(schema, || schema_path(*at))
    });
    beyond.map(|diagnostic| (ProblemSeverity::Error, diagnostic)).collect()
}

/// Returns the types of a version, unless they exceed a limit.
fn version(
    definition: &Definition,
    at: usize,
    settings: &Settings,
    output: &mut DefinitionOutput,
) -> Option<Tree> {
    let spec = &definition.crd.spec;
    let type_overrides = &settings.type_override;
    let context = Context { kind: &spec.names.kind, path: schema_path(at), settings, type_overrides };
    let lowered = lower::lower(spec.versions[at].open_api_v3_schema(), &context);
    output.findings.extend(lowered.warnings.into_iter().map(|warning| (ProblemSeverity::Warning, warning)));
    merge(&mut output.used_types, &lowered.used_types);
    merge(&mut output.used_names, &lowered.used_names);

    let tree = unify::unify(lowered.tree);
    if let Some(diagnostic) = limits::exceeded_by_tree(&tree, context.path) {
        output.findings.push((ProblemSeverity::Error, diagnostic));
        return None;
    }
    Some(tree)
}

/// Returns the types of a version as generated without type overrides. The last run may have named a type by a path that an override now
/// replaces, although other fields still use the type.
fn without_overrides(definition: &Definition, at: usize, settings: &Settings) -> Option<Tree> {
    let spec = &definition.crd.spec;
    let kind = &spec.names.kind;
    let is_overridden =
        settings.type_override.iter().any(|rule| rule.place.is_about(kind)) || !settings.elide.is_empty();
    let kept = settings.kept_names.for_api_version(&format!("{}/{}", spec.group, spec.versions[at].name));
    let schema = spec.versions[at].open_api_v3_schema()?;
    if !is_overridden
        || !kept.iter().any(|(_, place)| place.is_about(kind))
        || limits::exceeded_by_schema(schema, || schema_path(at)).is_some()
    {
        return None;
    }
    let context = Context { kind, path: schema_path(at), settings, type_overrides: &[] };
    let tree = unify::unify(lower::lower(Some(schema), &context).tree);
    limits::exceeded_by_tree(&tree, context.path).is_none().then_some(tree)
}

fn schema_path(at: usize) -> FieldPath {
    FieldPath::new("spec").child("versions").index(at).child("schema").child("openAPIV3Schema")
}

fn merge(all: &mut Vec<bool>, new: &[bool]) {
    all.resize(new.len(), false);
    for (all, new) in all.iter_mut().zip(new) {
        *all |= new;
    }
}
