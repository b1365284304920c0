//! Checks the size of files and functions, the names of types, and the first words of documentation in all packages.
//!
//! Generated files (`@generated` in their first line) are exempt. All other exceptions are listed in
//! `tests/housekeeping/exceptions.txt`.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod housekeeping {
    pub(crate) mod docs;
    pub(crate) mod messages;
}

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crd_tests::{rust_files, workspace};
use syn::Item;

/// The packages, as folders of the workspace.
const PACKAGES: [&str; 19] = [
    "crd-go",
    "crd-cel",
    "crd-core",
    "crd-sample",
    "crd-diff",
    "crd-lint",
    "crd-docs",
    "crd-editor",
    "crd-server",
    "crd-input",
    "crd-report",
    "crd-derive",
    "crdkit",
    "crd-codegen",
    "crdkit-cli",
    "tests",
    "fuzz",
    "examples",
    "xtask",
];

/// The file with the exceptions, in the workspace.
const EXCEPTIONS: &str = "tests/housekeeping/exceptions.txt";

/// The greatest number of lines of a file.
const LONGEST_FILE: usize = 500;

/// The greatest number of lines of a function.
const LONGEST_FUNCTION: usize = 60;

#[test]
fn files_are_short() {
    let exceptions = Exceptions::read();
    exceptions.check("long-file", |source| {
        let lines = source.text.lines().count();
        (lines > LONGEST_FILE && !exceptions.files.contains(&source.path))
            .then(|| format!("{}: {lines} lines", source.path))
            .into_iter()
            .collect()
    });
}

#[test]
fn functions_are_short() {
    let exceptions = Exceptions::read();
    exceptions.check("long-function", |source| {
        let long = functions(&source.text).into_iter().filter(|(_, lines)| *lines > LONGEST_FUNCTION);
        long.map(|(name, lines)| format!("{}: `{name}` has {lines} lines", source.path)).collect()
    });
}

#[test]
fn documentation_does_not_begin_with_a_question_word() {
    Exceptions::read().check("doc-question", |source| {
        let lines = source.text.lines().enumerate().filter(|(_, line)| begins_with_question_word(line));
        lines.map(|(number, line)| format!("{}:{}: {}", source.path, number + 1, line.trim())).collect()
    });
}

#[test]
fn documentation_of_functions_begins_with_a_verb() {
    Exceptions::read().check("doc-noun", |source| {
        let Ok(file) = syn::parse_file(&source.text) else { return Vec::new() };
        let nouns = housekeeping::docs::nouns(&file).into_iter();
        nouns.map(|found| format!("{}: {found}", source.path)).collect()
    });
}

/// Words that the glossary of the project replaces, and their replacements.
const WRONG_WORDS: [(&str, &str); 6] = [
    ("refuses", "rejects"),
    ("refused", "rejected"),
    ("folder", "directory"),
    ("in the place of", "instead of"),
    ("in place of", "instead of"),
    ("as it is written", "as written"),
];

#[test]
fn comments_use_the_words_of_the_glossary() {
    Exceptions::read().check("wrong-word", |source| {
        let is_code = source.path.contains("/src/");
        let lines = source.text.lines().enumerate().filter(|(_, line)| is_code && is_comment(line));
        let found = lines.flat_map(|(number, line)| {
            wrong_words(line).map(move |better| format!("{}:{}: use `{better}`", source.path, number + 1))
        });
        found.collect()
    });
}

/// The packages whose messages are those of the API server.
const SERVER_WORDS: [&str; 5] = ["crd-go/", "crd-cel/", "crd-core/", "crd-server/", "crd-docs/"];

#[test]
fn messages_use_the_words_of_the_glossary() {
    Exceptions::read().check("wrong-message", |source| {
        let is_ours = source.path.starts_with("crd")
            && source.path.contains("/src/")
            && !source.path.ends_with("/tests.rs")
            && !SERVER_WORDS.iter().any(|package| source.path.starts_with(package));
        let code = source.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().enumerate().filter(|(_, line)| is_ours && !is_comment(line));
        let found = lines.flat_map(|(number, line)| {
            let texts = line.split('"').skip(1).step_by(2).filter(|text| text.contains(' '));
            // Names of variables are no words.
            let words = |text: &str| text.split(['{', '}']).step_by(2).collect::<Vec<_>>().join(" ");
            let better = texts.map(words).flat_map(|text| wrong_words(&text).collect::<Vec<_>>());
            better.map(move |better| format!("{}:{}: use `{better}`", source.path, number + 1))
        });
        found.collect()
    });
}

#[test]
fn pages_use_the_words_of_the_glossary() {
    let pages = std::fs::read_dir(workspace().join("book/src")).unwrap().map(|page| page.unwrap().path());
    let mut found = Vec::new();
    for page in pages.chain(["README.md", "CONTRIBUTING.md"].map(|page| workspace().join(page))) {
        if page.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let (text, mut is_listing) = (std::fs::read_to_string(&page).unwrap(), false);
        for (number, line) in text.lines().enumerate() {
            is_listing ^= line.trim_start().starts_with("```");
            if !is_listing && !line.starts_with('>') {
                let place = format!("{}:{}", page.display(), number + 1);
                found.extend(wrong_words(line).map(|better| format!("{place}: use `{better}`")));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Returns the better words for those of a line outside code and quotations.
fn wrong_words(line: &str) -> impl Iterator<Item = &'static str> {
    let prose: String = line.split(['`', '"']).step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    // To refuse to do something is right, and editors have folders.
    let prose = prose.replace("refuses to ", "").replace("workspace folder", "");
    WRONG_WORDS.into_iter().filter(move |(wrong, _)| prose.contains(wrong)).map(|(_, better)| better)
}

#[test]
fn the_glossary_is_checked_outside_of_code() {
    assert_eq!(wrong_words("/// Refused in the folder.").collect::<Vec<_>>(), ["rejected", "directory"]);
    assert_eq!(wrong_words("/// `folder` and \"refused\" stay.").next(), None);
}

#[test]
fn types_of_a_package_have_names_of_their_own() {
    let exceptions = Exceptions::read();
    exceptions.check_packages("same-name", |package| {
        let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for source in sources(package) {
            // Files in other folders are programs of their own.
            let is_code =
                source.path.starts_with(&format!("{package}/src/")) && !source.path.ends_with("/tests.rs");
            if !is_code || exceptions.names.iter().any(|folder| source.path.starts_with(folder)) {
                continue;
            }
            let Ok(file) = syn::parse_file(&source.text) else { panic!("{} cannot be parsed", source.path) };
            let mut names = BTreeSet::new();
            type_names(&file.items, &mut names);
            for name in names {
                named.entry(name).or_default().push(source.path.clone());
            }
        }
        let shared = named.into_iter().filter(|(_, files)| files.len() > 1);
        shared.map(|(name, files)| format!("`{name}`: {}", files.join(", "))).collect()
    });
}

#[test]
fn no_code_reads_messages_back() {
    let exceptions = Exceptions::read();
    let mut unused = exceptions.reads.clone();
    let mut found = Vec::new();
    for source in PACKAGES[..13].iter().flat_map(|package| sources(package)) {
        let is_code = source.path.contains("/src/") && !source.path.ends_with("/tests.rs");
        if is_code && let Ok(file) = syn::parse_file(&source.text) {
            for read in housekeeping::messages::reads(&file) {
                let place = (source.path.clone(), read);
                unused.remove(&place);
                if !exceptions.reads.contains(&place) {
                    found.push(format!("{}: {}", place.0, place.1));
                }
            }
        }
    }
    assert!(found.is_empty(), "messages are for people; give their causes fields:\n  {}", found.join("\n  "));
    assert!(unused.is_empty(), "{EXCEPTIONS} has exceptions that nothing needs: {unused:?}");
}

/// A source file that people wrote.
struct Source {
    /// The path in the workspace.
    path: String,
    text: String,
}

/// Returns the source files of a package, except for generated ones.
fn sources(package: &str) -> Vec<Source> {
    let root = workspace();
    let read = |file: PathBuf| {
        let path = file.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(&file).unwrap();
        let is_generated = text.lines().next().is_some_and(|line| line.contains("@generated"));
        (!is_generated).then_some(Source { path, text })
    };
    rust_files(&root.join(package)).into_iter().filter_map(read).collect()
}

/// The exceptions from the rules.
struct Exceptions {
    /// The greatest number of violations by rule and package.
    limits: BTreeMap<(String, String), usize>,
    /// Files that can be long.
    files: BTreeSet<String>,
    /// Folders whose types can have any names.
    names: BTreeSet<String>,
    /// Reads of texts that are no messages, by file.
    reads: BTreeSet<(String, String)>,
}

impl Exceptions {
    fn read() -> Self {
        let text = std::fs::read_to_string(workspace().join(EXCEPTIONS)).unwrap();
        let mut exceptions = Self {
            limits: BTreeMap::new(),
            files: BTreeSet::new(),
            names: BTreeSet::new(),
            reads: BTreeSet::new(),
        };
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            match *line.split_whitespace().collect::<Vec<_>>() {
                ["limit", rule, package, count] => {
                    let count =
                        count.parse().unwrap_or_else(|_| panic!("not a number in {EXCEPTIONS}: {line}"));
                    exceptions.limits.insert((rule.to_owned(), package.to_owned()), count);
                }
                ["read", path, read, _, ..] => {
                    exceptions.reads.insert((path.to_owned(), read.to_owned()));
                }
                [kind @ ("file" | "names"), path, _, ..] => {
                    assert!(
                        workspace().join(path).exists(),
                        "{EXCEPTIONS} names a path that does not exist: {path}"
                    );
                    let paths = if kind == "file" { &mut exceptions.files } else { &mut exceptions.names };
                    paths.insert(path.to_owned());
                }
                _ => panic!("not an exception in {EXCEPTIONS}: {line}"),
            }
        }
        exceptions
    }

    /// Checks a rule in all files. `violations` finds those in a file.
    #[track_caller]
    fn check(&self, rule: &str, violations: impl Fn(&Source) -> Vec<String>) {
        self.check_packages(rule, |package| sources(package).iter().flat_map(&violations).collect());
    }

    /// Fails if packages have more violations of a rule than their limits. `violations` finds those in a package.
    #[track_caller]
    fn check_packages(&self, rule: &str, violations: impl Fn(&str) -> Vec<String>) {
        let mut failed = String::new();
        for package in PACKAGES {
            let limit = self.limits.get(&(rule.to_owned(), package.to_owned())).copied().unwrap_or(0);
            let found = violations(package);
            if found.len() > limit {
                failed += &format!(
                    "`{package}` violates the rule `{rule}` {} times, at most {limit} are allowed:\n  {}\n",
                    found.len(),
                    found.join("\n  ")
                );
            }
        }
        assert!(failed.is_empty(), "{failed}");
    }
}

/// Returns `true` for a line of documentation that begins with "What" or "Whether".
fn begins_with_question_word(line: &str) -> bool {
    let line = line.trim_start();
    let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
    doc.is_some_and(|doc| ["What", "Whether"].contains(&doc.split_whitespace().next().unwrap_or_default()))
}

/// Returns the functions of a source that rustfmt has formatted, with their lines: the closing brace has the indentation of the
/// first line. syn knows the lines of an item only with a feature that slows the generator down.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut functions = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indentation = &line[..line.len() - line.trim_start().len()];
        let closes = |line: &&str| line.strip_prefix(indentation) == Some("}");
        let declares = |line: &&str| {
            line.strip_prefix(indentation).is_some_and(|rest| rest.starts_with(')') && rest.ends_with(';'))
        };
        if line.ends_with([';', '}']) {
            continue;
        }
        let rest = lines[first..].iter();
        if let Some(length) =
            rest.clone().position(closes).filter(|end| !rest.clone().take(*end).any(declares))
        {
            functions.push((name.to_owned(), length + 1));
        }
    }
    functions
}

/// Returns the name of the function that a line begins.
fn function_name(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let is_qualifier = |word: &str| {
        word.starts_with("pub")
            || ["const", "async", "unsafe", "extern", "\"C\"", "crate)", "super)"].contains(&word)
    };
    if !before.split_whitespace().all(is_qualifier) {
        return None;
    }
    rest.split(['(', '<'])
        .next()
        .filter(|name| name.chars().all(|char| char.is_alphanumeric() || char == '_'))
}

/// The names of the types and traits among items, without those of tests.
fn type_names(items: &[Item], names: &mut BTreeSet<String>) {
    for item in items {
        let name = match item {
            Item::Struct(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Union(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Mod(module) => {
                if let Some((_, items)) = module.content.as_ref().filter(|_| module.ident != "tests") {
                    type_names(items, names);
                }
                continue;
            }
            _ => continue,
        };
        names.insert(name.to_string());
    }
}

#[test]
fn lines_of_functions_are_counted() {
    let text = "impl A {\n    pub(crate) fn one<T>(\n        a: T,\n    ) -> u8 {\n        if a {\n        }\n        1\n    }\n\n    fn two();\n    const fn three() {}\n}\n";
    assert_eq!(functions(text), [("one".to_owned(), 7)]);
    assert!(begins_with_question_word("    /// Whether it is") && !begins_with_question_word("/// Whatever"));
}
