//! One definition to the text of its versions.

use std::collections::{BTreeSet, HashSet};

use crd_core::crd::{AdditionalProperties, Items, JsonSchemaProps, Version};
use crd_core::{Diagnostic, FieldPath, OrderedMap, Reason};

use super::layout::{ModulePath, Places};

use super::{Definition, Severity};
use crate::Config;
use crate::config::{BytesType, DateTimeType, Defaults, Form, Target};
use crate::emit::{self, Dependency, Piece, Resource, Scope, TypeKind};
use crate::ir::lower::{self, Context};
use crate::ir::traits::{self, Leaves, Traits};
use crate::ir::{Enum, Graph, Type, TypeId, name, unify};

/// How many fields and variants a version may have. Real ones have a third of it at most; formatting more would take
/// more time and memory than a definition should be able to take.
const MAX_SIZE: usize = 15_000;

/// What came of a definition.
#[derive(Debug, Default)]
pub(super) struct DefinitionOutput {
    pub(super) kinds: Vec<Kind>,
    pub(super) findings: Vec<(Severity, Diagnostic)>,
    /// Which overrides were of use.
    pub(super) used_types: Vec<bool>,
    pub(super) used_names: Vec<bool>,
}

/// One version of a kind.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) path: ModulePath,
    pub(super) root_type: String,
    pub(super) type_names: HashSet<String>,
    pub(super) pieces: BTreeSet<Piece>,
    pub(super) dependencies: BTreeSet<Dependency>,
    pub(super) text: String,
    /// What the module of definitions has to know.
    pub(super) of: Of,
}

/// The definition to which a version of a kind belongs.
#[derive(Clone, Debug)]
pub(super) struct Of {
    pub(super) name: String,
    /// The version's place in the definition.
    pub(super) at: usize,
    pub(super) storage: Option<String>,
    pub(super) is_storage: bool,
}

/// Generates all chosen versions of a definition.
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

    let model = unify::unify(lowered.model);
    if model.size() > MAX_SIZE {
        output.findings.push((Severity::Error, too_many(context.path, model.size())));
        return;
    }
    let names = name::types(&model, &spec.names.kind);
    for name in &names.refused {
        let message = format!("Duplicate value: \"{name}\": the wanted name is another type's");
        let diagnostic = Diagnostic::new(context.path.clone(), Reason::Duplicate, message);
        output.findings.push((Severity::Warning, diagnostic));
    }
    let leaves = leaves(config);
    let known = traits::traits(&model.graph, leaves, |id| wanted(&model.graph, id, names.of(id), config));
    let pieces = emit::pieces(&model, &known, config);
    let root_wanted = wanted_traits(TypeKind::Root, &names.root, config);
    let resource = Resource {
        group: &spec.group,
        version: &version.name,
        kind: &spec.names.kind,
        plural: &spec.names.plural,
        // The API server refuses what is neither; objects in namespaces are the common case.
        is_namespaced: spec.scope != "Cluster",
        is_deprecated: deprecation(version),
        traits: traits::root_traits(&model.root, &known, leaves_of_root(leaves, config), root_wanted),
        definition: emit::Definition { crd: &definition.crd, version },
    };
    let scope = Scope { model: &model, names: &names, known: &known, config, pieces: &pieces };
    let mut header =
        format!("// @generated by crd-codegen from {}. Do not edit.\n", shown(&definition.origin.file));
    if let Some(limit) = known.needed_recursion_limit(&model.root) {
        header += "//\n// The types are nested deep: a crate that sends them between threads, and its documentation, need\n";
        header += &format!("// `#![recursion_limit = \"{limit}\"]`.\n");
    }
    match emit::kind_file(&scope, &resource, &header) {
        Ok(text) => output.kinds.push(Kind {
            path: path.clone(),
            root_type: names.root.clone(),
            type_names: type_names(&names),
            dependencies: dependencies(&model.graph, config),
            pieces,
            text,
            of: of(definition, at),
        }),
        Err(error) => {
            let message = format!("Internal error: the generated text is not Rust: {error}");
            output.findings.push((Severity::Error, Diagnostic::new(field, Reason::Internal, message)));
        }
    }
}

fn of(definition: &Definition, at: usize) -> Of {
    let spec = &definition.crd.spec;
    Of {
        name: format!("{}.{}", spec.names.plural, spec.group),
        at,
        storage: spec.versions.iter().find(|version| version.storage).map(|version| version.name.clone()),
        is_storage: spec.versions[at].storage,
    }
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

fn type_names(names: &name::TypeNames) -> HashSet<String> {
    names.order.iter().map(|id| names.of(*id).to_owned()).chain([names.root.clone()]).collect()
}

fn deprecation(version: &Version) -> Option<&str> {
    (version.deprecated == Some(true)).then(|| version.deprecation_warning.as_deref().unwrap_or_default())
}

fn leaves(config: &Config) -> Leaves {
    Leaves {
        map_type: config.chosen_map_type(),
        date_time: config.chosen_date_time(),
        numbers: config.chosen_numbers(),
        kube: config.chosen_kube(),
    }
}

/// The metadata that crdkit gives an object derives what k8s-openapi's does.
fn leaves_of_root(leaves: Leaves, config: &Config) -> Leaves {
    Leaves { kube: leaves.kube || config.chosen_form() == Form::Derive, ..leaves }
}

/// What a struct or an enum is to derive.
fn wanted(graph: &Graph, id: TypeId, name: &str, config: &Config) -> Traits {
    let kind = match &graph[id] {
        Type::Enum(Enum { is_open: true, .. }) => TypeKind::OpenEnum,
        Type::Enum(_) => TypeKind::SimpleEnum,
        _ => TypeKind::Struct,
    };
    wanted_traits(kind, name, config)
}

fn wanted_traits(kind: TypeKind, name: &str, config: &Config) -> Traits {
    let mut wanted = Traits::CLONE | Traits::DEBUG | Traits::PARTIAL_EQ;
    if config.chosen_defaults() != Defaults::None {
        wanted = wanted | Traits::DEFAULT;
    }
    if matches!(kind, TypeKind::SimpleEnum | TypeKind::OpenEnum) {
        wanted = wanted | Traits::COPY | Traits::EQ | Traits::HASH;
    }
    let is_meant = |target: &Target| kind.is_meant_by(target, name);
    for rule in config.chosen_derives().iter().filter(|rule| is_meant(&rule.target)) {
        if let Some(trait_) = Traits::named(&rule.path) {
            wanted = wanted | trait_.with_supertraits();
        }
    }
    for rule in config.chosen_no_derives().iter().filter(|rule| is_meant(&rule.target)) {
        wanted = Traits::named(&rule.path).map_or(wanted, |trait_| wanted.without(trait_));
    }
    wanted
}

fn dependencies(graph: &Graph, config: &Config) -> BTreeSet<Dependency> {
    let mut dependencies = BTreeSet::new();
    let is_derived = config.chosen_form() == Form::Derive;
    if config.chosen_kube() {
        dependencies.insert(Dependency::Kube);
        dependencies.extend(is_derived.then_some(Dependency::K8sOpenapi));
    }
    if is_derived {
        dependencies.insert(Dependency::Crdkit);
        dependencies.extend(schemars(graph, config));
    }
    if graph.iter().any(|(_, type_)| matches!(type_, Type::DateTime)) {
        dependencies.extend(match config.chosen_date_time() {
            DateTimeType::String => None,
            DateTimeType::Chrono => Some(Dependency::Chrono),
            DateTimeType::Jiff => Some(Dependency::Jiff),
        });
    }
    dependencies
}

/// What the types of the form `derive` need of schemars beside the attributes, which the derives read.
fn schemars(graph: &Graph, config: &Config) -> Option<Dependency> {
    let uses = |is_used: &dyn Fn(&Type) -> bool| graph.iter().any(|(_, type_)| is_used(type_));
    let has_date_times = uses(&|type_| matches!(type_, Type::DateTime));
    match config.chosen_date_time() {
        DateTimeType::Chrono if has_date_times => Some(Dependency::SchemarsChrono),
        DateTimeType::Jiff if has_date_times => Some(Dependency::SchemarsJiff),
        _ => uses(&|type_| {
            matches!(type_, Type::IntOrString | Type::Quantity | Type::EmbeddedResource)
                || matches!(type_, Type::Bytes) && config.chosen_bytes() == BytesType::Bytes
        })
        .then_some(Dependency::Schemars),
    }
}

/// A file's name as it can stand in a comment.
fn shown(file: &str) -> String {
    file.chars()
        .map(|c| if c.is_ascii_graphic() || c == ' ' || c.is_alphanumeric() { c } else { '?' })
        .collect()
}
