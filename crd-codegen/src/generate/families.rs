//! Generates the modules for a group and version, in which kinds share equal types.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crd_core::crd::Version;
use crd_core::{CauseReason, Diagnostic, FieldPath};

use serde_json::Value;

use super::dependencies::dependencies;
use super::kinds::LoweredKind;
use super::modules::{ModulePath, ModuleText, VersionOf};
use super::{Definition, ProblemSeverity, elide, kube_form};
use crate::KeptNames;
use crate::config::{Defaults, Form, KindPath, Layout, Settings, Target};
use crate::emit::{
    self, Abilities, ApplyRoot, CLIENT, DEFINITIONS, Dependency, Handle, Piece, Resource, SHARED, Scope,
    TypeKind,
};
use crate::ir::apply::{self, ApplyTypes};
use crate::ir::name::{self, Names, TypeNames, WantedNames};
use crate::ir::traits::{self, Known, Leaves, Traits};
use crate::ir::{Enum, Graph, Model, Struct, Type, TypeId, unify};

/// The kinds of a group and version, with named types.
pub(super) struct Family<'a> {
    /// The kinds, each with its CRD.
    members: Vec<Member<'a>>,
    models: Vec<Model>,
    forms: Option<ApplyTypes>,
    names: Names,
    known: Known,
    dependencies: BTreeSet<Dependency>,
    /// `true` for each `elide` option that had an effect.
    used_elide: Vec<bool>,
}

/// A kind in a [`Family`].
struct Member<'a> {
    index: usize,
    definition: &'a Definition,
    /// The index of the version in the CRD.
    at: usize,
    version: &'a Version,
    path: ModulePath,
    is_validated: bool,
    sample: Option<String>,
}

/// A generated module, before its code is generated.
pub(super) struct Module<'a> {
    family: &'a Family<'a>,
    content: Content,
}

/// The content of a [`Module`].
#[derive(Clone, Copy)]
enum Content {
    Kind(usize),
    /// The types that several kinds share.
    Shared,
    Client,
    /// The CRDs of all kinds.
    Definitions,
}

/// Groups kinds by group and version. Each of `kinds` is preceded by the index of its CRD.
///
/// With the form `derive`, kinds do not share types, because the attributes are specific to a CRD.
pub(super) fn families<'a>(
    definitions: &'a [Definition],
    kinds: Vec<(usize, LoweredKind)>,
    settings: &Settings,
) -> Vec<Family<'a>> {
    let mut by_version: BTreeMap<ModulePath, Vec<(usize, LoweredKind)>> = BTreeMap::new();
    for (index, kind) in kinds {
        let mut key = kind.path.clone();
        if settings.form == Form::Types {
            key.kind.clear();
        }
        by_version.entry(key).or_default().push((index, kind));
    }
    by_version.into_values().map(|kinds| family(definitions, kinds, settings)).collect()
}

fn family<'a>(
    definitions: &'a [Definition],
    mut kinds: Vec<(usize, LoweredKind)>,
    settings: &Settings,
) -> Family<'a> {
    // Whatever the order of the definitions, the types are the same.
    kinds.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
    let mut members = Vec::with_capacity(kinds.len());
    let mut trees = Vec::with_capacity(kinds.len());
    let mut objects = Vec::with_capacity(kinds.len());
    let kept = &kept_names(definitions, &mut kinds, settings);
    for (index, LoweredKind { at, path, mut tree, is_validated, sample, .. }) in kinds {
        let definition = &definitions[index];
        let version = &definition.crd.spec.versions[at];
        members.push(Member { index, definition, at, version, path, is_validated, sample });
        objects.push(tree.object.take());
        trees.push(tree);
    }
    let texts: Vec<&str> =
        members.iter().map(|member| member.definition.crd.spec.names.kind.as_str()).collect();
    let reserved: &[&str] = match settings.form {
        Form::Types => &[],
        Form::Derive | Form::Kube => name::RESERVED_WITH_DERIVES,
    };
    // Without a `names.lock`, a property that is added may take the place that a type is named after.
    let all_places = settings.layout == Layout::SingleFile && settings.kept_names == KeptNames::default();
    let wanted_names = WantedNames { overrides: &settings.name_override, kept, reserved, all_places };
    let (graph, roots) = unify::join(trees);
    let (mut graph, used_elide) = elide::elide(graph, &roots, &texts, &wanted_names, &settings.elide);
    let forms = settings.apply.then(|| apply::add(&mut graph, &roots));
    let graph = Arc::new(graph);
    let models = roots.into_iter().zip(objects);
    let models: Vec<Model> =
        models.map(|(root, object)| Model { graph: Arc::clone(&graph), root, object }).collect();
    let names = name::types(&models, &texts, &wanted_names, forms.as_ref());
    let known = traits::traits(&graph, leaves(settings), |id| wanted(&graph, id, &names, settings));
    let roots = models.iter().map(|model| &model.root).chain(forms.iter().flat_map(|forms| &forms.roots));
    let dependencies = dependencies(&graph, &roots.collect::<Vec<_>>(), settings);
    Family { members, models, forms, names, known, dependencies, used_elide }
}

/// Returns the type names from the last run, each with the path of the type.
fn kept_names(
    definitions: &[Definition],
    kinds: &mut [(usize, LoweredKind)],
    settings: &Settings,
) -> Vec<(String, KindPath)> {
    let (mut first, mut all, mut last) = (Vec::new(), None, Vec::new());
    for (index, kind) in kinds {
        let spec = &definitions[*index].crd.spec;
        let version = &spec.versions[kind.at].name;
        let kept = settings.kept_names.for_api_version(&format!("{}/{version}", spec.group));
        all = Some(kept);
        if let Some(tree) = kind.without_overrides.take() {
            let [before, after] = name::kept_elsewhere(tree, &spec.names.kind, kept, &settings.type_override);
            first.extend(before);
            last.extend(after);
        }
    }
    [&first, all.unwrap_or_default(), &last].concat()
}

impl Family<'_> {
    /// Returns the text of a function that returns this object. The object must be of the first kind.
    pub(super) fn object(&self, object: &Value, settings: &Settings) -> Option<String> {
        let Family { models, forms, names, known, members, .. } = self;
        let (model, member, pieces) = (models.first()?, members.first()?, BTreeSet::new());
        let names = &names.for_kind(0);
        let scope = Scope { model, names, known, settings, forms: forms.as_ref(), pieces: &pieces };
        let function = emit::object_function(&scope, object).ok()??;
        let ModulePath { group, version, kind } = &member.path;
        Some(format!("// Types of the module `{group}::{version}::{kind}`.\n{function}"))
    }

    /// Returns each kind's module, and the modules that the kinds share.
    pub(super) fn modules(&self, settings: &Settings) -> Vec<Module<'_>> {
        let mut contents: Vec<Content> = (0..self.members.len()).map(Content::Kind).collect();
        if self.names.has_shared() {
            contents.push(Content::Shared);
        }
        if settings.client || settings.validate {
            contents.push(Content::Definitions);
        }
        if settings.client && self.members.iter().any(|member| member.version.served) {
            contents.push(Content::Client);
        }
        contents.into_iter().map(|content| Module { family: self, content }).collect()
    }

    /// Returns `true` if this `elide` option had an effect.
    pub(super) fn has_elided(&self, rule: usize) -> bool {
        self.used_elide.get(rule).copied().unwrap_or_default()
    }

    /// Adds the types' names to the names that the next run keeps.
    pub(super) fn keep_names(&self, names: &mut KeptNames) {
        let Some(member) = self.members.first() else { return };
        let kinds: Vec<&str> =
            self.members.iter().map(|member| member.definition.crd.spec.names.kind.as_str()).collect();
        names.add(&member.api_version(), self.names.with_places(&kinds));
    }

    /// Returns the problems with names, each with the index of the CRD.
    pub(super) fn findings(&self, settings: &Settings) -> Vec<(usize, ProblemSeverity, Diagnostic)> {
        let Some(member) = self.members.first() else { return Vec::new() };
        let refused = self.names.refused.iter().map(|name| {
            let message = format!("Duplicate value: \"{name}\": another type already has the name");
            let diagnostic = Diagnostic::new(member.field(), CauseReason::Duplicate, message)
                .with_help("choose another name with `--name-override`");
            (member.index, ProblemSeverity::Warning, diagnostic)
        });
        let unknown = self.members.iter().filter(|member| settings.validate && !member.is_validated);
        let unknown = unknown.map(|member| {
            let message =
                "no method `validate` is generated for this kind: the API server would reject the CRD";
            let diagnostic = Diagnostic::new(member.field(), CauseReason::Invalid, message);
            (member.index, ProblemSeverity::Warning, diagnostic)
        });
        let not_said = self.members.iter().zip(&self.models).filter(|_| settings.form == Form::Kube);
        let not_said = not_said.flat_map(|(member, model)| {
            let warnings = kube_form::warnings(model, &member.definition.crd, member.at);
            warnings.into_iter().map(|warning| (member.index, ProblemSeverity::Warning, warning))
        });
        refused.chain(unknown).chain(not_said).collect()
    }
}

impl Member<'_> {
    fn api_version(&self) -> String {
        format!("{}/{}", self.definition.crd.spec.group, self.version.name)
    }

    /// Returns the path of the version in the CRD.
    fn field(&self) -> FieldPath {
        FieldPath::new("spec").child("versions").index(self.at)
    }
}

impl Module<'_> {
    /// Returns the index of the CRD for which the module is generated, or of the first CRD if there are several.
    pub(super) fn definition(&self) -> usize {
        let kind = if let Content::Kind(kind) = self.content { kind } else { 0 };
        self.family.members.get(kind).map_or(0, |member| member.index)
    }

    /// Returns the text of the module.
    ///
    /// # Errors
    /// The generated text is not Rust, which no input should cause.
    pub(super) fn text(&self, settings: &Settings) -> Result<ModuleText, Diagnostic> {
        match self.content {
            Content::Kind(kind) => self.kind_text(kind, settings),
            Content::Shared => self.shared_text(settings),
            Content::Client => self.client_text(CLIENT),
            Content::Definitions => self.client_text(DEFINITIONS),
        }
    }

    fn kind_text(&self, kind: usize, settings: &Settings) -> Result<ModuleText, Diagnostic> {
        let Family { models, forms, names, known, members, dependencies, .. } = self.family;
        let (model, names, member) = (&models[kind], names.for_kind(kind), &members[kind]);
        let spec = &member.definition.crd.spec;
        let form = forms.as_ref().map(|forms| &forms.roots[kind]);
        let roots: Vec<&Struct> = [&model.root].into_iter().chain(form).collect();
        let is_validated = member.is_validated;
        let pieces = emit::pieces(model, &names, &roots, forms.as_ref(), is_validated, known, settings);
        let root_wanted = wanted_traits(TypeKind::Root, |name| name == names.root, settings);
        let resource = Resource {
            group: &spec.group,
            version: &member.version.name,
            kind: &spec.names.kind,
            plural: &spec.names.plural,
            // The API server rejects what is neither; objects in namespaces are the common case.
            is_namespaced: spec.scope != "Cluster",
            is_deprecated: deprecation(member.version),
            sample: member.sample.as_deref(),
            apply: form.map(|root| {
                let traits = traits::root_traits(root, known, leaves(settings), root_wanted);
                ApplyRoot { root: root.clone(), traits }
            }),
            abilities: settings.client.then(|| abilities(member)),
            validated: is_validated.then_some(&member.path.kind),
            traits: traits::root_traits(&model.root, known, leaves_of_root(settings), root_wanted),
            definition: emit::OwnedDefinition { crd: &member.definition.crd, version: member.version },
        };
        let scope = Scope { model, names: &names, known, settings, forms: forms.as_ref(), pieces: &pieces };
        let mut header = format!(
            "// @generated by crd-codegen from {}. Do not edit.\n",
            shown(&member.definition.origin.file)
        );
        let recursion_limit = known.needed_recursion_limit(&model.root);
        if let Some(limit) = recursion_limit {
            header += "//\n// The types are nested deep: a crate that sends them between threads, and its documentation, need\n";
            header += &format!("// `#![recursion_limit = \"{limit}\"]`.\n");
        }
        let text = emit::kind_file(&scope, &resource, &header);
        let text = text.map_err(|error| internal(member.field(), &error))?;
        Ok(ModuleText {
            path: member.path.clone(),
            root_type: Some(names.root.clone()),
            type_names: type_names(&names),
            dependencies: dependencies.clone(),
            pieces,
            text,
            recursion_limit,
            of: Some(VersionOf::new(member.index, &member.definition.crd, member.at)),
        })
    }

    fn shared_text(&self, settings: &Settings) -> Result<ModuleText, Diagnostic> {
        let Family { models, forms, known, members, dependencies, .. } = self.family;
        let path = ModulePath { kind: SHARED.to_owned(), ..members[0].path.clone() };
        let names = self.family.names.for_shared();
        let mut model = models[0].clone();
        model.root = Struct::default();
        let pieces = emit::pieces(&model, &names, &[], forms.as_ref(), false, known, settings);
        let scope =
            Scope { model: &model, names: &names, known, settings, forms: forms.as_ref(), pieces: &pieces };
        let text = emit::shared_file(&scope, PLAIN);
        let text = text.map_err(|error| internal(members[0].field(), &error))?;
        let type_names = type_names(&names);
        let dependencies = dependencies.clone();
        Ok(ModuleText {
            path,
            root_type: None,
            type_names,
            pieces,
            dependencies,
            text,
            recursion_limit: None,
            of: None,
        })
    }
}

impl Module<'_> {
    /// Returns the text of the module `client`, or of the module with the CRDs that the client installs.
    fn client_text(&self, module: &str) -> Result<ModuleText, Diagnostic> {
        let Family { members, names, dependencies, .. } = self.family;
        let roots: Vec<String> = (0..members.len()).map(|kind| names.for_kind(kind).root).collect();
        let handles = members.iter().zip(&roots);
        let (text, root_type, type_names) = if module == CLIENT {
            // Of what is not served there is nothing to get.
            let handles = handles.filter(|(member, _)| member.version.served);
            let handles: Vec<Handle<'_>> =
                handles.map(|(member, root)| handle(member, root, String::new())).collect();
            let text = emit::client_file(&members[0].api_version(), &handles, PLAIN);
            (text, Some("Client".to_owned()), HashSet::from(["Client".to_owned()]))
        } else {
            let handles: Vec<Handle<'_>> =
                handles.map(|(member, root)| handle(member, root, embedded(member.definition))).collect();
            (emit::definition_strings_file(&handles, PLAIN), None, HashSet::new())
        };
        Ok(ModuleText {
            path: ModulePath { kind: module.to_owned(), ..members[0].path.clone() },
            root_type,
            type_names,
            pieces: if module == CLIENT { BTreeSet::from([Piece::Client]) } else { BTreeSet::new() },
            dependencies: dependencies.clone(),
            text: text.map_err(|error| internal(members[0].field(), &error))?,
            recursion_limit: None,
            of: None,
        })
    }
}

/// The first line of files that are generated from several CRDs.
const PLAIN: &str = "// @generated by crd-codegen. Do not edit.\n";

fn handle<'a>(member: &'a Member<'_>, root: &'a str, definition: String) -> Handle<'a> {
    let spec = &member.definition.crd.spec;
    Handle {
        module: &member.path.kind,
        root,
        kind: &spec.names.kind,
        plural: &spec.names.plural,
        is_namespaced: spec.scope != "Cluster",
        definition,
    }
}

fn abilities<'a>(member: &'a Member<'_>) -> Abilities<'a> {
    let subresources = member.version.subresources.as_ref();
    let selectable = member.version.selectable_fields.iter().flatten();
    Abilities {
        module: &member.path.kind,
        has_status: member.version.has_status(),
        has_scale: subresources.is_some_and(|subresources| subresources.scale.is_some()),
        selectable: selectable.map(|field| field.json_path.as_str()).collect(),
    }
}

/// Returns the CRD as a client applies it, without the fields that the API server sets.
fn embedded(definition: &Definition) -> String {
    let mut value = definition.crd.to_value();
    if let Some(object) = value.as_object_mut() {
        object.insert("apiVersion".to_owned(), "apiextensions.k8s.io/v1".into());
        object.insert("kind".to_owned(), "CustomResourceDefinition".into());
        object.remove("status");
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|key, _| matches!(key.as_str(), "name" | "labels" | "annotations"));
            if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
                annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
            }
        }
    }
    value.to_string()
}

fn internal(field: FieldPath, error: &str) -> Diagnostic {
    Diagnostic::new(
        field,
        CauseReason::Internal,
        format!("Internal error: the generated text is not Rust: {error}"),
    )
}

fn type_names(names: &TypeNames<'_>) -> HashSet<String> {
    let root = Some(&names.root).filter(|root| !root.is_empty());
    let own = names.declared().map(str::to_owned);
    let exports = names.exports.iter().map(|(_, name)| name.clone());
    own.chain(exports).chain(root.cloned()).collect()
}

fn deprecation(version: &Version) -> Option<&str> {
    (version.deprecated == Some(true)).then(|| version.deprecation_warning.as_deref().unwrap_or_default())
}

fn leaves(settings: &Settings) -> Leaves {
    Leaves {
        map_type: settings.map_type,
        date_time: settings.date_time,
        numbers: settings.numbers,
        kube: settings.kube,
    }
}

/// Returns the traits that the type for `metadata` implements. The support module's type and k8s-openapi's type implement the same traits.
fn leaves_of_root(settings: &Settings) -> Leaves {
    Leaves { kube: settings.kube || settings.form == Form::Derive, ..leaves(settings) }
}

/// Returns the traits that a struct or an enum derives.
fn wanted(graph: &Graph, id: TypeId, names: &Names, settings: &Settings) -> Traits {
    let kind = match &graph[id] {
        Type::Enum(Enum { is_open: true, .. }) => TypeKind::OpenEnum,
        Type::Enum(_) => TypeKind::SimpleEnum,
        Type::Union(_) => TypeKind::Union,
        _ => TypeKind::Struct,
    };
    wanted_traits(kind, |name| names.is_called(id, name), settings)
}

fn wanted_traits(kind: TypeKind, is_called: impl Fn(&str) -> bool, settings: &Settings) -> Traits {
    let mut wanted = Traits::CLONE | Traits::DEBUG | Traits::PARTIAL_EQ;
    if settings.defaults != Defaults::None {
        wanted = wanted | Traits::DEFAULT;
    }
    if matches!(kind, TypeKind::SimpleEnum | TypeKind::OpenEnum) {
        wanted = wanted | Traits::COPY | Traits::EQ | Traits::HASH;
    }
    let is_meant = |target: &Target| kind.is_meant_by(target, &is_called);
    for rule in settings.derive.iter().filter(|rule| is_meant(&rule.target)) {
        if let Some(trait_) = Traits::named(&rule.path) {
            wanted = wanted | trait_.with_supertraits();
        }
    }
    for rule in settings.no_derive.iter().filter(|rule| is_meant(&rule.target)) {
        wanted = Traits::named(&rule.path).map_or(wanted, |trait_| wanted.without(trait_));
    }
    wanted
}

/// Returns a file name with unsafe characters replaced, for a comment.
fn shown(file: &str) -> String {
    file.chars()
        .map(|c| if c.is_ascii_graphic() || c == ' ' || c.is_alphanumeric() { c } else { '?' })
        .collect()
}
