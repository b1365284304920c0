//! The table of types that `--k8s-openapi` knows, `crd-codegen/src/ir/kubernetes/types.txt`, from the sources of k8s-openapi.
//!
//! Fetches several versions of k8s-openapi, for the fields of types in earlier versions of Kubernetes, and compiles the newest
//! two. `UPDATE_GOLDEN=1 cargo test -p crd-tests --test kubernetes_types -- --ignored` rewrites the table.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crd_tests::project::Project;
use crd_tests::workspace;
use serde_json::Value;

/// Versions of k8s-openapi, each with the minor versions of Kubernetes that are looked up in it. The table has the last one, the
/// newest version that k8s-openapi supports both for kube 4 and for kube 5.
const SOURCES: [(&str, &str, std::ops::RangeInclusive<u32>); 5] = [
    ("k11", "=0.11.0", 11..=17),
    ("k16", "=0.16.0", 18..=21),
    ("k20", "=0.20.0", 22..=27),
    ("k24", "=0.24.0", 28..=31),
    ("k28", "=0.28.0", 32..=36),
];

const HEADER: &str = "\
# The structs of k8s-openapi for Kubernetes 1.36 that custom resources embed. Written by `tests/tests/kubernetes_types.rs`.
#
# A line without an indent is the path of a type below `k8s_openapi`; with `no-default` it has no `Default`. The lines after it
# are its fields: the property, with `!` if it is written even where it was absent; its type; the first minor version that
# had the property, where the type is older; and how its description begins.
";

/// Types that custom resources embed, with all types below them. Types that only Kubernetes itself writes, such as the status of a
/// pod, are not listed, because unrelated schemas have the same shapes by chance.
const ROOTS: &[&str] = &[
    "api::admissionregistration::v1::MatchResources",
    "api::admissionregistration::v1::MutatingWebhook",
    "api::admissionregistration::v1::Validation",
    "api::admissionregistration::v1::ValidatingWebhook",
    "api::admissionregistration::v1::Variable",
    "api::apps::v1::DaemonSetSpec",
    "api::apps::v1::DeploymentSpec",
    "api::autoscaling::v2::HorizontalPodAutoscalerSpec",
    "api::batch::v1::JobSpec",
    "api::core::v1::NodeSelector",
    "api::core::v1::ObjectReference",
    "api::core::v1::PersistentVolumeSpec",
    "api::core::v1::PodTemplateSpec",
    "api::core::v1::ResourceQuotaSpec",
    "api::core::v1::SecretReference",
    "api::core::v1::ServiceSpec",
    "api::core::v1::Taint",
    "api::core::v1::TopologySelectorTerm",
    "api::networking::v1::IngressSpec",
    "api::networking::v1::NetworkPolicySpec",
    "api::policy::v1::PodDisruptionBudgetSpec",
    "api::rbac::v1::AggregationRule",
    "api::rbac::v1::PolicyRule",
    "api::rbac::v1::RoleRef",
    "api::rbac::v1::Subject",
    "apimachinery::pkg::apis::meta::v1::Condition",
];

/// A struct as in the table.
#[derive(Debug, Default)]
struct Type {
    has_default: bool,
    fields: Vec<Field>,
}

/// A line of the table.
#[derive(Debug)]
struct Field {
    property: String,
    kind: String,
    is_written: bool,
    /// The beginning of its description.
    beginning: String,
}

#[test]
#[ignore = "fetches five versions of k8s-openapi"]
fn the_table_lists_the_types_of_k8s_openapi() {
    let lines: Vec<String> = SOURCES
        .iter()
        .map(|(name, version, _)| {
            format!("{name} = {{ package = \"k8s-openapi\", version = \"{version}\", default-features = false }}\n")
        })
        .collect();
    let project = Project::new(Path::new(env!("CARGO_TARGET_TMPDIR")), "kubernetes_types", &lines.concat());
    project.write("src/lib.rs", "");
    let metadata: Value =
        serde_json::from_str(&project.cargo(&["metadata", "--format-version", "1"])).unwrap();
    let folder = |version: &str| -> PathBuf {
        let version = version.trim_start_matches('=');
        let packages = metadata["packages"].as_array().unwrap();
        let package =
            packages.iter().find(|package| package["name"] == "k8s-openapi" && package["version"] == version);
        Path::new(package.unwrap()["manifest_path"].as_str().unwrap()).with_file_name("src")
    };
    // For each type, for each property, the first version that has it.
    let mut first: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    let mut types = BTreeMap::new();
    for (_, version, minors) in SOURCES {
        for minor in minors {
            types = read(&folder(version).join(format!("v1_{minor}")));
            for (path, type_) in &types {
                let properties = first.entry(path.clone()).or_default();
                for field in &type_.fields {
                    properties.entry(field.property.clone()).or_insert(minor);
                }
            }
        }
    }
    let text = table(&types, &first);
    let path = workspace().join("crd-codegen/src/ir/kubernetes/types.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap_or_default() == text, "UPDATE_GOLDEN=1 writes it again");
}

/// The types of k8s-openapi read and write the fields of the table, and objects survive a round trip through the generated types of
/// `crd-codegen/tests/golden/kubernetes.rs`.
#[test]
#[ignore = "compiles two versions of k8s-openapi, which takes minutes"]
fn the_compiled_types_agree_with_the_table() {
    let golden =
        |name: &str| fs::read_to_string(workspace().join("crd-codegen/tests/golden").join(name)).unwrap();
    let table = fs::read_to_string(workspace().join("crd-codegen/src/ir/kubernetes/types.txt")).unwrap();
    for version in ["0.29", "0.28"] {
        let dependencies = format!(
            "k8s-openapi = {{ version = \"{version}\", features = [\"latest\"] }}\n\
             serde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n"
        );
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let project = Project::new(folder, &format!("k8s_openapi_{}", &version[2..]), &dependencies);
        project.write("src/kubernetes.rs", &golden("kubernetes.rs"));
        project.write("src/kubernetes_exact.rs", &golden("kubernetes_exact.rs"));
        project.write("src/fields.rs", include_str!("kubernetes_types/fields.rs"));
        let mut main = include_str!("kubernetes_types/program.rs").to_owned();
        main += "\nfn table() {\n";
        let mut types = table.lines().filter(|line| !line.starts_with('#')).peekable();
        while let Some(head) = types.next() {
            let (path, has_default) =
                head.strip_suffix(" no-default").map_or((head, true), |path| (path, false));
            let (mut all, mut written) = (Vec::new(), Vec::new());
            while let Some(line) = types.next_if(|line| line.starts_with(' ')) {
                let property = line.trim_start().split(' ').next().unwrap();
                all.push(property.trim_end_matches('!'));
                if let Some(property) = property.strip_suffix('!') {
                    written.push(property);
                }
            }
            writeln!(main, "    fields::has::<k8s_openapi::{path}>(&{all:?});").unwrap();
            if has_default {
                writeln!(main, "    fields::writes::<k8s_openapi::{path}>(&{written:?});").unwrap();
            }
        }
        main += "}\n";
        project.write("src/main.rs", &main);
        assert_eq!(project.cargo(&["run", "--quiet"]).trim(), "as expected", "{version}");
    }
}

fn table(types: &BTreeMap<String, Type>, first: &BTreeMap<String, BTreeMap<String, u32>>) -> String {
    let mut text = HEADER.to_owned();
    let mut known = BTreeSet::new();
    let mut wanted: Vec<&str> = ROOTS.to_vec();
    while let Some(path) = wanted.pop() {
        let type_ = types.get(path).unwrap_or_else(|| panic!("no `{path}`"));
        if known.insert(path) {
            let parts = type_.fields.iter().map(|field| field.kind.trim_matches(['[', ']', '{', '}']));
            wanted.extend(parts.filter(|part| part.contains("::")));
        }
    }
    for path in known {
        let type_ = &types[path];
        let oldest = *first[path].values().min().unwrap();
        writeln!(text, "{path}{}", if type_.has_default { "" } else { " no-default" }).unwrap();
        for Field { property, kind, is_written, beginning } in &type_.fields {
            let mark = if *is_written { "!" } else { "" };
            let since = first[path][property];
            let since = if since > oldest { format!(" {since}") } else { String::new() };
            writeln!(text, " {property}{mark} {kind}{since} | {beginning}").unwrap();
        }
    }
    text
}

/// Returns the structs of a version by their paths: those of stable versions that are not resources themselves.
fn read(folder: &Path) -> BTreeMap<String, Type> {
    let mut types = BTreeMap::new();
    let mut folders = vec![folder.join("api"), folder.join("apimachinery/pkg/apis/meta")];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                let is_version = name.starts_with('v') && name[1..].starts_with(|c: char| c.is_ascii_digit());
                if !is_version || name[1..].bytes().all(|byte| byte.is_ascii_digit()) {
                    folders.push(path);
                }
            } else if let Some((struct_, type_)) = of_file(&fs::read_to_string(&path).unwrap()) {
                let module = path.parent().unwrap().strip_prefix(folder).unwrap();
                let module = module.to_string_lossy().replace('/', "::");
                types.insert(format!("{module}::{struct_}"), type_);
            }
        }
    }
    types
}

/// Returns the struct of a file; `None` for resources, whose `apiVersion` and `kind` are not fields, and for structs without named fields.
fn of_file(text: &str) -> Option<(String, Type)> {
    let file = syn::parse_file(text).unwrap();
    let struct_ = file.items.iter().find_map(|item| match item {
        syn::Item::Struct(struct_) if matches!(struct_.fields, syn::Fields::Named(_)) => Some(struct_),
        _ => None,
    })?;
    let written: Vec<&str> =
        text.split("serialize_field(").skip(1).filter_map(|rest| rest.split('"').nth(1)).collect();
    if written.len() != struct_.fields.len() || written.is_empty() {
        return None;
    }
    let derives = struct_.attrs.iter().filter(|attribute| attribute.path().is_ident("derive"));
    let mut has_default = false;
    for attribute in derives {
        attribute
            .parse_nested_meta(|meta| {
                has_default |= meta.path.is_ident("Default");
                Ok(())
            })
            .unwrap();
    }
    let fields = struct_.fields.iter().zip(written);
    let fields = fields.map(|(field, property)| {
        let optional = argument(&field.ty, "Option");
        let type_ = optional.as_deref().map_or(&field.ty, |inner| inner[0]);
        let (kind, beginning) = (plain(type_), beginning(&field.attrs));
        Field { property: property.to_owned(), kind, is_written: optional.is_none(), beginning }
    });
    Some((struct_.ident.to_string(), Type { has_default, fields: fields.collect() }))
}

/// Returns the first words of a documentation, as descriptions are compared: letters and digits in lower case.
fn beginning(attributes: &[syn::Attribute]) -> String {
    let first = attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(syn::MetaNameValue {
            value: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }),
            ..
        }) => Some(text.value()),
        _ => None,
    });
    let text = first.unwrap_or_default().to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(8).collect::<Vec<_>>().join(" ")
}

/// Returns a type as the table names it.
fn plain(type_: &syn::Type) -> String {
    if let Some([inner]) = argument(type_, "Vec").as_deref() {
        return format!("[{}]", plain(inner));
    }
    if let Some([_, inner]) = argument(type_, "BTreeMap").as_deref() {
        return format!("{{{}}}", plain(inner));
    }
    if let Some([inner]) = argument(type_, "Box").as_deref() {
        return plain(inner);
    }
    let syn::Type::Path(path) = type_ else { panic!("no path") };
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    match (names[0].as_str(), names.last().unwrap().as_str()) {
        (_, "String") => "string".to_owned(),
        ("bool", _) => "boolean".to_owned(),
        (
            _,
            name @ ("i32" | "i64" | "f64" | "ByteString" | "IntOrString" | "MicroTime" | "Quantity" | "Time"),
        ) => name.to_owned(),
        (_, "RawExtension" | "FieldsV1" | "Value") => "json".to_owned(),
        // Versions of Kubernetes are modules at the root.
        ("crate", _) => {
            names[1..].iter().filter(|name| !name.starts_with("v1_")).cloned().collect::<Vec<_>>().join("::")
        }
        _ => panic!("{names:?}"),
    }
}

/// Returns the arguments of a generic type with this name.
fn argument<'a>(type_: &'a syn::Type, name: &str) -> Option<Vec<&'a syn::Type>> {
    let syn::Type::Path(path) = type_ else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == name)?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(type_) => Some(type_),
        _ => None,
    });
    Some(types.collect())
}
