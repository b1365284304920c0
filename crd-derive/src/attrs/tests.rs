//! Checks that each of the derives' attributes has a line in the reference, a test that compiles, and a test that fails
//! to compile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::{Attribute, Item, Meta, Token};

use super::conversion::{Service, Webhook};
use super::field::{FieldAttrs, FieldColumnParts, VariantAttrs};
use super::item::AttributeItem;
use super::read::Attributes;
use super::resource::{Column, Crates, ObjectName, ResourceAttrs, Scale};
use super::rule::RuleParts;
use super::type_::TypeAttrs;
use super::{is_ours, parse_container, parse_field};
use crate::versions::attrs::{Changed, FieldVersions, Renamed};

/// The kind of item on which an attribute is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WordLevel {
    Resource,
    Type,
    Field,
    Variant,
    /// `#[version(...)]` on a field.
    Version,
}

/// An attribute's name with its context, such as `conversion.service.port`.
type Word = (WordLevel, String);

/// The names that the structs for attributes read, and the context of each name.
const DECLARED: [(WordLevel, &[&str], &[&str]); 16] = [
    (WordLevel::Resource, ResourceAttrs::NAMES, &[""]),
    (WordLevel::Resource, Column::NAMES, &["printcolumn."]),
    (WordLevel::Resource, Scale::NAMES, &["scale."]),
    (WordLevel::Resource, ObjectName::NAMES, &["object_name."]),
    (WordLevel::Resource, Webhook::NAMES, &["conversion."]),
    (WordLevel::Resource, Service::NAMES, &["conversion.service."]),
    (WordLevel::Resource, RuleParts::NAMES, &["validation."]),
    (WordLevel::Type, TypeAttrs::NAMES, &[""]),
    (WordLevel::Field, FieldAttrs::NAMES, &[""]),
    (WordLevel::Field, FieldColumnParts::NAMES, &["printcolumn."]),
    (WordLevel::Field, RuleParts::NAMES, &["validation."]),
    (WordLevel::Variant, VariantAttrs::NAMES, &[""]),
    (WordLevel::Version, FieldVersions::NAMES, &[""]),
    (WordLevel::Version, Renamed::NAMES, &["renamed."]),
    (WordLevel::Version, Changed::NAMES, &["changed."]),
    // kube-derive's list is longer: the others are read so that its code compiles.
    (WordLevel::Resource, Crates::NAMES, &["crates."]),
];

/// Returns the attributes in [`DECLARED`].
fn declared() -> BTreeSet<Word> {
    let mut words = BTreeSet::new();
    for (level, names, prefixes) in DECLARED {
        for name in names {
            words.extend(prefixes.iter().map(|prefix| (level, format!("{prefix}{name}"))));
        }
    }
    words
}

/// Returns the attributes that the files in a directory use.
fn used(folder: &Path) -> BTreeSet<Word> {
    files(folder, "rs").iter().flat_map(|file| used_in(file)).collect()
}

fn used_in(file: &Path) -> BTreeSet<Word> {
    let mut words = BTreeSet::new();
    let source = fs::read_to_string(file).expect("it is part of the repository");
    let items = syn::parse_file(&source).unwrap_or_else(|error| panic!("{}: {error}", file.display())).items;
    items.iter().for_each(|item| of_item(item, &mut words));
    words
}

/// Returns the attributes in a directory's files at which compiler errors point. If a name occurs in several contexts in a file, at
/// least as many errors must point at the name.
fn refused(folder: &Path) -> BTreeSet<Word> {
    let of_file = |file: PathBuf| {
        let stderr = fs::read_to_string(file.with_extension("stderr")).expect("the file has its errors");
        let (used, places) = (used_in(&file), pointed_at(&stderr));
        let name = |word: &Word| word.1.rsplit('.').next().unwrap_or_default().to_owned();
        // Paths of crates and the release are read for the resource and for the type, and rejected once.
        let is_shared = |(level, path): &Word| {
            *level == WordLevel::Type
                && (path.starts_with("crate") || path == "kube_version")
                && used.contains(&(WordLevel::Resource, path.clone()))
        };
        let meanings =
            |known: &str| used.iter().filter(|word| name(word) == known && !is_shared(word)).count();
        let is_rejected = |word: &Word| {
            let name = name(word);
            places.get(&name).is_some_and(|places| *places >= meanings(&name))
        };
        used.iter().filter(|word| is_rejected(word)).cloned().collect::<Vec<_>>()
    };
    files(folder, "rs").into_iter().flat_map(of_file).collect()
}

/// Returns the number of errors that point at each name or its value.
fn pointed_at(stderr: &str) -> BTreeMap<String, usize> {
    let mut places = BTreeMap::new();
    let lines: Vec<&str> = stderr.lines().collect();
    for pair in lines.windows(2) {
        let is_code = pair[0].trim_start().starts_with(|c: char| c.is_ascii_digit());
        let Some(start) = pair[1].find('^').filter(|_| is_code && pair[1].trim_start().starts_with('|'))
        else {
            continue;
        };
        let (before, at) = pair[0].split_at(start);
        for name in [leading(at), of_value(before)].into_iter().flatten() {
            *places.entry(name.to_owned()).or_default() += 1;
        }
    }
    places
}

/// Returns the word with which the code begins.
fn leading(code: &str) -> Option<&str> {
    let end = code.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(code.len());
    (end > 0).then(|| &code[..end])
}

/// Returns the word whose value would follow the code. The code ends with `word = `, `word(` or `word = [`.
fn of_value(code: &str) -> Option<&str> {
    let code = code.trim_end_matches(['[', '(', '=', ' ']);
    let start = code.rfind(|c: char| c != '_' && !c.is_alphanumeric()).map_or(0, |i| i + 1);
    (start < code.len()).then(|| &code[start..])
}

/// Returns the files in a directory, at any depth. Files that must fail to compile, in `ui`, are included only if the path leads to `ui`.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is part of the repository").flatten() {
        let path = entry.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "ui") {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
    found
}

fn of_item(item: &Item, words: &mut BTreeSet<Word>) {
    let mut container = |attrs: &[Attribute]| {
        let items = parse_container(attrs).expect("attributes are lists");
        of_list(WordLevel::Resource, "", &items.resource, words);
        of_list(WordLevel::Type, "", &items.type_, words);
    };
    match item {
        Item::Struct(item) => {
            container(&item.attrs);
            item.fields.iter().for_each(|field| of_attrs(WordLevel::Field, &field.attrs, words));
        }
        Item::Enum(item) => {
            container(&item.attrs);
            for variant in &item.variants {
                of_attrs(WordLevel::Variant, &variant.attrs, words);
                variant.fields.iter().for_each(|field| of_attrs(WordLevel::Field, &field.attrs, words));
            }
        }
        Item::Mod(module) => {
            module.content.iter().flat_map(|(_, items)| items).for_each(|item| of_item(item, words));
        }
        _ => {}
    }
}

fn of_attrs(level: WordLevel, attrs: &[Attribute], words: &mut BTreeSet<Word>) {
    assert!(attrs.iter().all(|attr| !is_ours(attr) || matches!(attr.meta, Meta::List(_))));
    of_list(level, "", &parse_field(attrs).expect("attributes are lists").0, words);
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("version")) {
        let items = attr.parse_args_with(Punctuated::<AttributeItem, Token![,]>::parse_terminated);
        let items: Vec<AttributeItem> = items.expect("attributes are lists").into_iter().collect();
        of_list(WordLevel::Version, "", &items, words);
    }
}

fn of_list(level: WordLevel, prefix: &str, items: &[AttributeItem], words: &mut BTreeSet<Word>) {
    for item in items {
        let AttributeItem::Meta(meta) = item else { continue };
        let Some(name) = meta.path().get_ident() else { continue };
        words.insert((level, format!("{prefix}{name}")));
        if let Meta::List(list) = meta
            && let Ok(inner) = list.parse_args_with(Punctuated::<AttributeItem, Token![,]>::parse_terminated)
        {
            let inner: Vec<AttributeItem> = inner.into_iter().collect();
            of_list(level, &format!("{prefix}{name}."), &inner, words);
        }
    }
}

/// Returns the rows of the reference for attributes on this kind of item.
fn rows(level: WordLevel) -> String {
    let (resource, schema, versions) = (
        include_str!("../../docs/custom_resource.md"),
        include_str!("../../docs/crd_schema.md"),
        include_str!("../../docs/versions.md"),
    );
    let table = |head: &str| {
        let rest = schema.split_once(head).expect("the table is there").1;
        rest.split_once("\n\n").map_or(rest, |(table, _)| table)
    };
    let text = match level {
        WordLevel::Resource => resource.to_owned(),
        // A spec has attributes of both.
        WordLevel::Type => table("| on a type |").to_owned() + resource,
        WordLevel::Field => table("| on a field |").to_owned(),
        WordLevel::Variant => table("| on a variant |").to_owned(),
        WordLevel::Version => versions.to_owned(),
    };
    text.lines().filter(|line| line.starts_with('|')).fold(String::new(), |rows, row| rows + row + "\n")
}

/// Returns `true` if a code span in the text contains the identifier `name`.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_alphanumeric());
    text.split('`').skip(1).step_by(2).any(|code| {
        code.match_indices(name).any(|(i, _)| {
            !is_part(code[..i].chars().next_back()) && !is_part(code[i + name.len()..].chars().next())
        })
    })
}

#[test]
fn every_word_has_its_line_a_use_and_a_failure() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crdkit/tests");
    let mut passing = used(&tests);
    passing.extend(used(&tests.join("shapes")));
    passing.extend(used(&tests.join("shapes/matrix")));
    let failing = refused(&tests.join("ui"));
    let mut missing = Vec::new();
    // No user writes `in_version`: `versions` does, where a mistake is one in some versions only.
    for word in declared().into_iter().filter(|(_, path)| path != "in_version") {
        let (level, path) = &word;
        let name = path.rsplit('.').next().unwrap_or_default();
        // The parts of a rule are described once, in the text.
        let has_line = match path.starts_with("validation.") {
            true => has_word(include_str!("../../docs/crd_schema.md"), name),
            false => has_word(&rows(*level), name),
        };
        for (what, is_there) in
            [("line", has_line), ("use", passing.contains(&word)), ("failure", failing.contains(&word))]
        {
            if !is_there {
                missing.push(format!("{level:?} `{path}` has no {what}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn words_are_told_apart_by_where_they_stand() {
    let words = declared();
    assert!(words.contains(&(WordLevel::Resource, "conversion.service.port".to_owned())));
    assert!(!words.contains(&(WordLevel::Variant, "printcolumn".to_owned())));
    assert!(has_word("| `priority = 0` |", "priority") && !has_word("| priority |", "priority"));
}

#[test]
fn serde_as_without_a_schema_names_its_flag() {
    let error = |field: syn::Field| super::misspelt::module(&field.attrs).map(|error| error.to_string());
    let expanded: syn::Field = syn::parse_quote! {
        #[serde(with = ":: serde_with :: As :: < :: serde_with :: DisplayFromStr >")]
        n: u64
    };
    let message = error(expanded).unwrap_or_default();
    assert!(message.contains("`#[serde_as(schemars = true)]`"), "{message}");
    let with_schema: syn::Field = syn::parse_quote! {
        #[serde(with = ":: serde_with :: As :: < :: serde_with :: DisplayFromStr >")]
        #[schemars(with = "serde_with::Schema<u64, serde_with::DisplayFromStr>")]
        n: u64
    };
    assert_eq!(error(with_schema), None);
}
