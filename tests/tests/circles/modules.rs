//! The files of a crate and which of them use items of which others, read from the source text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

use crd_tests::rust_files;

/// A path from the root of the crate.
type Segments = Vec<String>;

/// The modules of a crate.
pub(crate) struct Modules {
    modules: BTreeMap<Segments, Module>,
}

/// A module, which may be a file or stand within one.
#[derive(Default)]
struct Module {
    /// The module that is the file.
    file: Segments,
    /// Names of items that the module defines.
    items: BTreeSet<String>,
    /// Names that `use` brings into the module, with their paths.
    names: BTreeMap<String, Segments>,
    /// Modules all of whose names are brought in.
    globs: Vec<Segments>,
    /// Paths that the code of the module contains.
    paths: BTreeSet<Segments>,
}

impl Modules {
    /// Reads the files of a directory.
    ///
    /// # Panics
    ///
    /// Panics if a file cannot be read or parsed.
    #[must_use]
    pub(crate) fn read(source: &Path) -> Self {
        let files = rust_files(source).into_iter().map(|file| {
            let text = std::fs::read_to_string(&file).expect("sources can be read");
            (file.strip_prefix(source).expect("files are below the directory").to_owned(), text)
        });
        let files: Vec<_> = files.collect();
        Self::parse(files.iter().map(|(path, text)| (path.as_path(), text.as_str())))
    }

    /// Parses files, named by their paths below the directory of sources.
    ///
    /// # Panics
    ///
    /// Panics if a file cannot be parsed.
    pub(crate) fn parse<'a>(files: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Self {
        let mut modules = Self { modules: BTreeMap::new() };
        for (path, text) in files {
            let mut segments: Segments =
                path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if matches!(segments.last().map(String::as_str), Some("mod" | "lib" | "main")) {
                segments.pop();
            }
            let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            modules.add(&segments, &segments, &file.items);
        }
        modules
    }

    fn add(&mut self, path: &Segments, file: &Segments, items: &[Item]) {
        // `lib.rs` and `main.rs` are one module here.
        let mut module = self.modules.remove(path).unwrap_or_default();
        module.file.clone_from(file);
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            module.items.extend(name(item));
            match item {
                Item::Mod(inner) => {
                    if let Some((_, items)) = &inner.content {
                        let mut path = path.clone();
                        path.push(inner.ident.to_string());
                        self.add(&path, file, items);
                    }
                }
                Item::Use(item) => module.add_use(item),
                _ => Paths(&mut module.paths).visit_item(item),
            }
        }
        self.modules.insert(path.clone(), module);
    }

    /// Returns the circles: sets of files each of which uses each other one, at least through others. Files are named by their paths
    /// without the extension, and sorted.
    #[must_use]
    pub(crate) fn circles(&self) -> Vec<Vec<String>> {
        let edges = self.edges();
        let reached: BTreeMap<&Segments, BTreeSet<&Segments>> =
            edges.keys().map(|file| (file, reached_from(file, &edges))).collect();
        let mut circles = BTreeSet::new();
        for (file, others) in &reached {
            if others.contains(file) {
                let back =
                    others.iter().filter(|other| reached.get(**other).is_some_and(|r| r.contains(*file)));
                circles.insert(back.map(|other| shown(other)).collect::<Vec<_>>());
            }
        }
        circles.into_iter().collect()
    }

    /// Returns the files that each file uses, by their paths without the extension.
    #[must_use]
    pub(crate) fn uses(&self) -> BTreeMap<String, BTreeSet<String>> {
        let edges = self.edges();
        edges.iter().map(|(file, used)| (shown(file), used.iter().map(shown).collect())).collect()
    }

    fn edges(&self) -> BTreeMap<Segments, BTreeSet<Segments>> {
        let mut edges: BTreeMap<Segments, BTreeSet<Segments>> = BTreeMap::new();
        for (path, module) in &self.modules {
            let used = module.paths.iter().filter_map(|used| self.find(path, used, 0));
            let used = used.filter(|file| *file != &module.file).cloned();
            edges.entry(module.file.clone()).or_default().extend(used);
        }
        edges
    }

    /// Returns the file that defines what a path in a module names, if it is of this crate.
    fn find(&self, module: &Segments, path: &[String], depth: usize) -> Option<&Segments> {
        // Two modules that bring in all names of each other would be followed without end.
        if depth > 16 {
            return None;
        }
        let mut at = module.clone();
        let mut rest = path;
        let mut is_relative = true;
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => {
                    at.pop();
                }
                _ => break,
            }
            is_relative = false;
            rest = others;
        }
        while let Some((first, others)) = rest.split_first() {
            let current = self.modules.get(&at)?;
            let mut child = at.clone();
            child.push(first.clone());
            if self.modules.contains_key(&child) {
                at = child;
                rest = others;
                is_relative = false;
                continue;
            }
            if let Some(full) = current.names.get(first) {
                let mut full = full.clone();
                full.extend_from_slice(others);
                // A name that stands for itself: `use syn;`.
                return (full.as_slice() != rest).then(|| self.find(&at, &full, depth + 1)).flatten();
            }
            if current.items.contains(first) {
                return Some(&current.file);
            }
            for glob in &current.globs {
                let mut full = glob.clone();
                full.extend_from_slice(rest);
                if let Some(found) = self.find(&at, &full, depth + 1) {
                    return Some(found);
                }
            }
            // The name comes from a macro, or from another crate.
            return (!is_relative && depth == 0).then_some(&current.file);
        }
        // The path is a module: what uses it names an item in it, by a longer path.
        None
    }
}

impl Module {
    fn add_use(&mut self, item: &ItemUse) {
        let is_private = matches!(item.vis, Visibility::Inherited);
        self.add_tree(Segments::new(), &item.tree, is_private);
    }

    fn add_tree(&mut self, mut prefix: Segments, tree: &UseTree, is_private: bool) {
        let (name, path) = match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                return self.add_tree(prefix, &path.tree, is_private);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.add_tree(prefix.clone(), tree, is_private));
            }
            UseTree::Glob(_) => return self.globs.push(prefix),
            UseTree::Name(name) if name.ident == "self" => {
                (prefix.last().cloned().expect("`self` follows a path"), prefix)
            }
            UseTree::Name(name) => {
                prefix.push(name.ident.to_string());
                (name.ident.to_string(), prefix)
            }
            UseTree::Rename(rename) => {
                if rename.ident != "self" {
                    prefix.push(rename.ident.to_string());
                }
                (rename.rename.to_string(), prefix)
            }
        };
        // A re-export shows an item at another place, and does not use it.
        if is_private {
            self.paths.insert(path.clone());
        }
        self.names.insert(name, path);
    }
}

/// Collects the paths of code.
struct Paths<'a>(&'a mut BTreeSet<Segments>);

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        visit::visit_macro(self, call);
        self.add_tokens(call.tokens.clone());
    }
}

impl Paths<'_> {
    /// Adds all that looks like a path in the arguments of a macro.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path = Segments::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.0.insert(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                other => {
                    self.0.insert(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
        self.0.insert(path);
    }
}

/// Returns the files that `file` uses, directly or through others.
fn reached_from<'a>(
    file: &Segments,
    edges: &'a BTreeMap<Segments, BTreeSet<Segments>>,
) -> BTreeSet<&'a Segments> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<_> = edges.get(file).into_iter().flatten().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(edges.get(file).into_iter().flatten());
        }
    }
    reached
}

fn shown(file: &Segments) -> String {
    if file.is_empty() { "lib".to_owned() } else { file.join("/") }
}

fn is_test(attributes: &[Attribute]) -> bool {
    let tests = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                let condition = list.tokens.to_string();
                condition == "test" || condition.starts_with("all (test") || condition.starts_with("all(test")
            })
    };
    attributes.iter().any(tests)
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}
