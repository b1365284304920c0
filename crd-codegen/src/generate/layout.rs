//! Assigns modules to groups, versions and kinds, and files to modules.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::file::GeneratedFile;
use super::modules::{ModulePath, ModulePlaces, ModuleText};
use super::{Definition, definitions};
use crate::KeptNames;
use crate::config::{Builders, Form, Layout, Settings, Versions};
use crate::emit::{self, CLIENT, DEFINITIONS, Dependency, Nested, Piece, SHARED, Schemas};
use crate::ir::name::modules;
use crd_core::crd::Version;

/// The name of the support module.
const SUPPORT: &str = "support";

/// Lints for hand-written code. Each top-level module allows these lints. No program uses all types, and a package without features uses
/// nothing from the support module. Not every property has a description. A CRD may contain names such as `foo`, enum values with a common
/// ending, and unions with members of very different sizes.
const ALLOWED: &str = "\
#[allow(dead_code, missing_docs, unreachable_pub, unused_imports, unused_macros)]
#[allow(clippy::disallowed_names, clippy::enum_variant_names, clippy::large_enum_variant)]
";

/// The lints for the form `kube`. clippy would report a second printer column as a duplicate attribute.
const ALLOWED_WITH_KUBE: &str = "\
#[allow(dead_code, missing_docs, unreachable_pub, unused_imports, unused_macros)]
#[allow(clippy::disallowed_names, clippy::duplicated_attributes, clippy::enum_variant_names)]
#[allow(clippy::large_enum_variant)]
";

/// The lints for the form `derive`. Its doc comments are exact descriptions, and its attributes contain printer columns.
const ALLOWED_WITH_DERIVES: &str = "\
#[allow(dead_code, missing_docs, unreachable_pub, unused_imports, unused_macros)]
#[allow(clippy::disallowed_names, clippy::enum_variant_names, clippy::large_enum_variant)]
#[allow(clippy::doc_lazy_continuation, clippy::doc_markdown, clippy::doc_overindented_list_items)]
#[allow(clippy::duplicated_attributes, rustdoc::all)]
";

/// Builders' setters have the names of fields, such as `add`.
const ALLOWED_WITH_BUILDERS: &str = "#[allow(clippy::should_implement_trait)]\n";

/// Returns every CRD's modules. The names are assigned before code is generated, so they depend only on the order of the CRDs.
pub(super) fn places(definitions: &[Definition], settings: &Settings) -> Vec<ModulePlaces> {
    let texts = definitions.iter().map(|definition| definition.crd.spec.group.as_str());
    let groups = named(texts, &[SUPPORT, DEFINITIONS]);
    let mut versions_of: HashMap<&str, Vec<&str>> = HashMap::new();
    for definition in definitions {
        let versions = definition.crd.spec.versions.iter().map(|version| version.name.as_str());
        versions_of.entry(&definition.crd.spec.group).or_default().extend(versions);
    }
    let versions: HashMap<&str, HashMap<&str, String>> =
        versions_of.into_iter().map(|(group, versions)| (group, named(versions.into_iter(), &[]))).collect();

    // A module a definition: of two definitions of a kind, the second one gets a number.
    let mut seen: HashMap<(&str, &str, &str), usize> = HashMap::new();
    let mut kinds_of: BTreeMap<(&str, &str), Vec<(usize, usize)>> = BTreeMap::new();
    let mut places = vec![ModulePlaces::default(); definitions.len()];
    for (i, definition) in definitions.iter().enumerate() {
        let spec = &definition.crd.spec;
        for at in chosen(&spec.versions, &settings.versions) {
            let version = spec.versions[at].name.as_str();
            if let Some(&first) = seen.get(&(spec.group.as_str(), version, spec.names.kind.as_str())) {
                places[i].repeats = Some(definitions[first].origin.clone());
                places[i].is_copy = definitions[first].crd == definition.crd;
            } else {
                seen.insert((&spec.group, version, &spec.names.kind), i);
            }
            if !places[i].is_copy {
                kinds_of.entry((&spec.group, version)).or_default().push((i, at));
            }
        }
    }
    for ((group, version), kinds) in kinds_of {
        let texts: Vec<_> = kinds.iter().map(|(i, _)| definitions[*i].crd.spec.names.kind.as_str()).collect();
        for (kind, (i, at)) in modules(&texts, &[CLIENT, DEFINITIONS, SHARED]).into_iter().zip(&kinds) {
            let version = versions[group][version].clone();
            places[*i].versions.push((*at, ModulePath { group: groups[group].clone(), version, kind }));
        }
    }
    for places in &mut places {
        places.versions.sort_by_key(|(at, _)| *at);
    }
    places
}

/// Returns a map from strings to module names.
fn named<'a>(texts: impl Iterator<Item = &'a str>, taken: &[&str]) -> HashMap<&'a str, String> {
    let mut seen = BTreeSet::new();
    let distinct: Vec<&str> = texts.filter(|text| seen.insert(*text)).collect();
    distinct.iter().copied().zip(modules(&distinct, taken)).collect()
}

/// Returns the versions to generate.
fn chosen(versions: &[Version], choice: &Versions) -> Vec<usize> {
    let is_chosen = |version: &Version| match choice {
        Versions::Served => version.served,
        Versions::All => true,
        Versions::Storage => version.storage,
        Versions::Named(names) => names.contains(&version.name),
    };
    (0..versions.len()).filter(|at| is_chosen(&versions[*at])).collect()
}

/// Returns the generated files, sorted by path; empty if there are no kinds.
pub(super) fn files(
    mut kinds: Vec<ModuleText>,
    names: &KeptNames,
    settings: &Settings,
) -> Vec<GeneratedFile> {
    if kinds.is_empty() {
        return Vec::new();
    }
    kinds.sort_by(|a, b| a.path.cmp(&b.path));
    let mut pieces: BTreeSet<Piece> = kinds.iter().flat_map(|kind| kind.pieces.iter().copied()).collect();
    if pieces.contains(&Piece::EmbeddedResource) {
        pieces.insert(Piece::ObjectMeta);
    }
    let header = root_header(&dependencies(&kinds));
    let form = settings.form;
    let allowed = &*allowed_lints(settings);
    let schemas = match form {
        Form::Derive => Schemas::Crdkit,
        _ if settings.derives_schemas() => Schemas::Schemars,
        Form::Types | Form::Kube => Schemas::None,
    };
    let support = emit::support_file(&pieces, settings.kube, schemas, PLAIN_HEADER);
    let mut extras: Vec<(&str, String)> = Vec::new();
    if form == Form::Derive {
        extras.push((DEFINITIONS, definitions::file(&kinds, PLAIN_HEADER)));
    }
    if !pieces.is_empty() {
        extras.push((SUPPORT, support));
    }

    let mut tree = ModuleTree::new();
    for kind in kinds {
        let (group, version) = (kind.path.group.clone(), kind.path.version.clone());
        tree.entry(group).or_default().entry(version).or_default().push(kind);
    }
    let mut files = match settings.layout {
        Layout::Tree => tree_files(tree, extras, names, &header, allowed),
        Layout::SingleFile => {
            let contents = single_file(tree, extras, header, allowed);
            vec![GeneratedFile { path: "mod.rs".to_owned(), contents }]
        }
    };
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Returns the crates that the modules use.
pub(super) fn dependencies(modules: &[ModuleText]) -> BTreeSet<Dependency> {
    let mut dependencies: BTreeSet<Dependency> =
        modules.iter().flat_map(|module| module.dependencies.iter().copied()).collect();
    dependencies.insert(Dependency::Serde);
    // Some modules need features of a crate that others use without them.
    if dependencies.contains(&Dependency::SchemarsChrono) || dependencies.contains(&Dependency::SchemarsJiff)
    {
        dependencies.remove(&Dependency::Schemars);
    }
    if !dependencies.contains(&Dependency::SerdeJsonExact) {
        dependencies.insert(Dependency::SerdeJson);
    }
    dependencies
}

/// Returns the attributes for top-level modules.
pub(crate) fn allowed_lints(settings: &Settings) -> String {
    let of_form = match settings.form {
        Form::Types => ALLOWED,
        Form::Kube => ALLOWED_WITH_KUBE,
        Form::Derive => ALLOWED_WITH_DERIVES,
    };
    let of_builders = if settings.builders == Builders::None { "" } else { ALLOWED_WITH_BUILDERS };
    format!("{of_form}{of_builders}")
}

/// The modules of kinds by group and version.
type ModuleTree = BTreeMap<String, BTreeMap<String, Vec<ModuleText>>>;

/// The first line of generated files that do not list dependencies.
const PLAIN_HEADER: &str = "// @generated by crd-codegen. Do not edit.\n";

/// Returns files in a directory for each group and version, with a file for each kind, and a file with all type names.
fn tree_files(
    tree: ModuleTree,
    extras: Vec<(&str, String)>,
    names: &KeptNames,
    header: &str,
    allowed: &str,
) -> Vec<GeneratedFile> {
    let file = |path: String, contents: String| GeneratedFile { path, contents };
    let extra_names = extras.iter().map(|(name, _)| (*name).to_owned());
    let roots: Vec<String> = tree.keys().cloned().chain(extra_names).collect();
    let declarations: Vec<String> = roots.iter().map(|root| format!("{allowed}pub mod {root};\n")).collect();
    let mut files = vec![
        file("mod.rs".to_owned(), format!("{header}\n{}", declarations.concat())),
        file(KeptNames::FILE.to_owned(), names.text()),
    ];
    files.extend(extras.into_iter().map(|(name, text)| file(format!("{name}.rs"), text)));
    for (group, versions) in tree {
        let names: Vec<String> = versions.keys().cloned().collect();
        files.push(file(format!("{group}/mod.rs"), module_text(&names, &[], PLAIN_HEADER)));
        for (version, kinds) in versions {
            let (names, exports) = exports(&kinds);
            let contents = module_text(&names, &exports, PLAIN_HEADER);
            files.push(file(format!("{group}/{version}/mod.rs"), contents));
            for kind in kinds {
                files.push(file(format!("{group}/{version}/{}.rs", kind.path.kind), kind.text));
            }
        }
    }
    files
}

/// Returns one file in which the modules are nested.
fn single_file(tree: ModuleTree, extras: Vec<(&str, String)>, header: String, allowed: &str) -> String {
    let mut nested = Nested::new(header);
    for (group, versions) in tree {
        nested.open(allowed, &group);
        for (version, kinds) in versions {
            nested.open("", &version);
            for kind in &kinds {
                nested.open("", &kind.path.kind);
                nested.add(&kind.text);
                nested.close();
            }
            nested.add(&export_text(&exports(&kinds).1));
            nested.close();
        }
        nested.close();
    }
    for (name, text) in extras {
        nested.open(allowed, name);
        nested.add(&text);
        nested.close();
    }
    nested.text()
}

/// Returns the modules of kinds, and the root types that are re-exported. If two root types have the same name, only the first type
/// is re-exported.
fn exports(kinds: &[ModuleText]) -> (Vec<String>, Vec<(String, String)>) {
    let mut seen = BTreeSet::new();
    let modules = kinds.iter().map(|kind| kind.path.kind.clone()).collect();
    // A kind by the name of `Client` is the one that is exported.
    let (clients, kinds): (Vec<_>, Vec<_>) = kinds.iter().partition(|kind| kind.path.kind == CLIENT);
    let roots = kinds.into_iter().chain(clients);
    let roots = roots.filter_map(|kind| Some((kind.path.kind.clone(), kind.root_type.clone()?)));
    (modules, roots.filter(|(_, root)| seen.insert(root.clone())).collect())
}

fn module_text(modules: &[String], exports: &[(String, String)], header: &str) -> String {
    let mut text = format!("{header}\n");
    for module in modules {
        text += &format!("pub mod {module};\n");
    }
    text + &export_text(exports)
}

fn export_text(exports: &[(String, String)]) -> String {
    let lines: String =
        exports.iter().map(|(module, type_)| format!("pub use self::{module}::{type_};\n")).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn root_header(dependencies: &BTreeSet<Dependency>) -> String {
    let mut header = "// @generated by crd-codegen. Do not edit.\n//\n// [dependencies]\n".to_owned();
    for dependency in dependencies {
        header += &format!("// {}\n", dependency.line());
    }
    header
}
