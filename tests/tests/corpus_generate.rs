//! Generation for the corpus of public definitions: types are generated for all of them and parse. `combinations.rs` compiles those of
//! demanding definitions.
//!
//! The corpus is not part of the project. If it is not next to the project, these tests print a line and pass. Without optimization,
//! they use a tenth of it; `cargo test --release -p crd-tests --test corpus_generate` uses all of it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crd_codegen::{Config, Definition, K8sOpenapi, generate};
use crd_input::Limits;
use crd_tests::demanding::{errors, read};
use crd_tests::shared;

/// Returns the files of the corpus: without optimization, a tenth of them.
fn sampled(corpus: &Path) -> Vec<PathBuf> {
    if cfg!(debug_assertions) {
        let (sources, _) = crd_input::sources(&[corpus.join("crds")], &Limits::default());
        sources.iter().step_by(10).filter_map(|source| source.path().map(Path::to_owned)).collect()
    } else {
        vec![corpus.join("crds")]
    }
}

#[test]
fn every_definition_generates() {
    let Some(corpus) = shared("corpus") else { return };
    let started = Instant::now();
    let definitions = read(&sampled(&corpus));
    let read = started.elapsed();
    // `generate` parses each file before it returns it, and code that does not parse is an error.
    let generated = generate(&definitions, &Config::new());
    let took = started.elapsed();
    assert!(definitions.len() > 100);
    assert_eq!(errors(&generated), [""; 0]);
    let lines: usize = generated.files.iter().map(|file| file.contents.lines().count()).sum();
    println!("{} definitions, {lines} lines, read in {read:?}, all in {took:?}", definitions.len());
    // The result is the same to the byte, whichever thread is faster.
    let again = generate(&definitions, &Config::new());
    assert!(generated.files == again.files);
}

/// Ends of the names of element types that look like plurals, and the reason for each.
const NOT_PLURAL: &[(&str, &str)] = &[
    ("Analytics", "has no singular"),
    ("Aws", "an acronym"),
    ("Cors", "an acronym"),
    ("Ovs", "an acronym"),
    ("Series", "is its own singular"),
    ("Tls", "an acronym"),
    ("Vfs", "virtual functions here, and a virtual file system elsewhere"),
    ("Windows", "also an operating system"),
    ("SubGroupsSubGroupsSubGroups", "groups in groups, of which others have the name in the singular"),
];

/// No name is too long, no kind's file has a name of another kind for the type of a field, and elements of lists and maps are in the
/// singular.
#[test]
fn names_belong_to_their_kinds() {
    let Some(corpus) = shared("corpus") else { return };
    let definitions = read(&sampled(&corpus));
    let generated = generate(&definitions, Config::new().apply(true));
    let (mut fields, mut elements) = (0, 0);
    let (mut foreign, mut long, mut plural) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for file in generated.files.iter().filter(|file| file.contents.contains("pub const KIND: ")) {
        let root = file.contents.split("pub const GROUP: ").next().unwrap().lines().rev();
        let root = root.filter_map(|line| line.strip_prefix("impl ")?.strip_suffix(" {")).next().unwrap();
        let declared = declared_types(&file.contents);
        // A kind of more than 26 characters is cut where the properties need the room.
        let root = &root[..root.len().min(26)];
        long.extend(declared.iter().filter(|name| name.len() > 60).cloned());
        let (mut single, mut several) = (BTreeSet::new(), BTreeSet::new());
        for line in file.contents.lines().filter_map(|line| line.strip_prefix("    pub ")) {
            let Some((field, type_)) = line.trim_end_matches(',').split_once(": ") else { continue };
            for name in type_.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                if declared.contains(name) {
                    fields += 1;
                    foreign.extend((!name.starts_with(root)).then(|| format!("{}: {line}", file.path)));
                    if type_.contains("Vec<") || type_.contains("BTreeMap<") {
                        elements += 1;
                        several.extend(is_plural(field, name, &declared).then(|| name.to_owned()));
                    } else {
                        single.insert(name.to_owned());
                    }
                }
            }
        }
        // A type that also stands alone may be named after that place: the object `artifacts` next to the list `secondaryArtifacts`.
        plural.extend(several.difference(&single).cloned());
    }
    println!("{fields} fields of generated types, {elements} with several of them");
    assert_eq!((foreign, long, plural), (Vec::new(), BTreeSet::new(), BTreeSet::new()));
}

/// Returns `true` if the elements of a field have its plural in their name, although nothing else has the singular.
fn is_plural(field: &str, name: &str, declared: &BTreeSet<String>) -> bool {
    let last = field.rsplit('_').next().unwrap_or_default();
    let name = name.strip_suffix("Apply").unwrap_or(name);
    let ends_like_field = name.to_lowercase().ends_with(last) && last.ends_with('s');
    let singular = [("ies", "y"), ("es", ""), ("s", "")]
        .into_iter()
        .filter_map(|(plural, singular)| Some(format!("{}{singular}", name.strip_suffix(plural)?)));
    let is_word = ["ss", "us", "is"].iter().any(|end| last.ends_with(end))
        || NOT_PLURAL.iter().any(|(end, _)| name.ends_with(end));
    ends_like_field && !is_word && !singular.into_iter().any(|name| declared.contains(&name))
}

/// Returns the types of a file, and those that it has from the shared ones.
fn declared_types(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text.lines() {
        if let ["pub", "struct" | "enum" | "type", name, ..] =
            *line.split([' ', '<', ';']).collect::<Vec<_>>()
        {
            names.insert(name.to_owned());
        }
    }
    let exports = text.split("pub use super::shared::").nth(1).unwrap_or_default();
    let (exports, _) = exports.split_once(';').unwrap_or_default();
    let exports = exports.trim_matches(['{', '}', '\n', ' ']).split(',').map(str::trim);
    names.extend(
        exports
            .filter_map(|export| export.rsplit(' ').next())
            .filter(|name| !name.is_empty())
            .map(str::to_owned),
    );
    names
}

/// Definitions of a folder are called as if each were alone, whichever others there are, and in whichever order.
#[test]
#[ignore = "generates the corpus several times"]
fn no_other_definition_renames_a_type() {
    let Some(corpus) = shared("corpus") else { return };
    let mut definitions = read(&sampled(&corpus));
    let names = |definitions: &[Definition]| -> BTreeMap<String, BTreeSet<String>> {
        let generated = generate(definitions, &Config::new());
        let kinds = generated.files.into_iter().filter(|file| file.contents.contains("pub const KIND: "));
        kinds.map(|file| (file.path, declared_types(&file.contents))).collect()
    };
    // Of a kind that comes twice, the second module has a number that depends on the order.
    let mut seen = BTreeSet::new();
    definitions.retain(|definition| {
        seen.insert((definition.crd.spec.group.clone(), definition.crd.spec.names.kind.to_lowercase()))
    });
    let all = names(&definitions);
    for parts in [2, 3, 7] {
        for part in 0..parts {
            let some = definitions.iter().skip(part).step_by(parts).rev().cloned().collect::<Vec<_>>();
            for (path, names) in names(&some) {
                assert_eq!(Some(&names), all.get(&path), "{path}");
            }
        }
    }
    println!("{} kinds, no rename", all.len());
}

/// Generates all definitions with each of these options, and prints how often an option has an effect.
#[test]
fn every_definition_generates_with_other_choices() {
    let Some(corpus) = shared("corpus") else { return };
    let definitions = read(&sampled(&corpus));
    let mut config = Config::new();
    config.unions(true).constructors(true).setters(true).apply(true);
    for (choice, k8s_openapi) in [("exact", K8sOpenapi::Exact), ("equivalent", K8sOpenapi::Equivalent)] {
        let generated = generate(&definitions, config.k8s_openapi(k8s_openapi));
        assert_eq!(errors(&generated), [""; 0]);
        let count = |part: &str| -> usize {
            generated.files.iter().map(|file| file.contents.matches(part).count()).sum()
        };
        let warned_of = |part: &str| {
            generated.findings.iter().filter(|finding| finding.diagnostic.message.contains(part)).count()
        };
        println!(
            "{choice}: {} types of k8s-openapi, {} nearly, {} of several; {} enums for unions, {} with a discriminator, {} unions without",
            count("k8s_openapi::api"),
            warned_of("nearly matches `"),
            warned_of("matches several types"),
            count("one_of::exactly(["),
            count("discriminator::mismatch("),
            warned_of("no enum is generated for"),
        );
    }
}
