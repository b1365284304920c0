//! The types of generated modules, with their names and places.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use syn::{Fields, GenericArgument, Item, PathArguments, Type, UseTree};

/// The types of a generated file.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// By the path of the module: `group::version::kind`.
    modules: BTreeMap<String, Module>,
}

/// A type that is declared in a module of this path under this name.
pub(crate) type Identity = (String, String);

/// A field on the way to a type.
pub(crate) type FieldNames = Vec<String>;

/// The types of a kind, or those that several kinds share.
#[derive(Debug, Default)]
struct Module {
    /// The type of whole objects, if the module is that of a kind.
    root: Option<String>,
    /// For each type, its fields with their types, in order.
    types: BTreeMap<String, Vec<(String, String)>>,
    /// Names for types of `shared`.
    exports: BTreeMap<String, String>,
    /// Further names for types of the module.
    aliases: BTreeMap<String, String>,
}

impl Declared {
    /// Reads the text of a single file.
    pub(crate) fn read(text: &str) -> Self {
        let mut declared = Self::default();
        declared.read_items(&syn::parse_file(text).unwrap().items, "");
        declared
    }

    fn read_items(&mut self, items: &[Item], path: &str) {
        let mut module = Module::default();
        for item in items {
            match item {
                Item::Mod(inner) => {
                    if let Some((_, items)) = &inner.content {
                        self.read_items(items, format!("{path}::{}", inner.ident).trim_start_matches(':'));
                    }
                }
                Item::Use(item) => module.read_use(&item.tree),
                Item::Struct(item) => {
                    // The type of whole objects stands first.
                    module.root.get_or_insert_with(|| item.ident.to_string());
                    module.types.insert(item.ident.to_string(), fields(&item.fields));
                }
                Item::Enum(item) => {
                    module.types.insert(item.ident.to_string(), Vec::new());
                }
                _ => {}
            }
        }
        if path.matches("::").count() == 2 {
            module.root.take_if(|_| path.ends_with("::shared"));
            self.modules.insert(path.to_owned(), module);
        }
    }

    /// Returns all names of kinds with the first place of their types, for names of `exports` and declared types; further names stand for the same
    /// types.
    pub(crate) fn names(&self) -> Vec<(&str, &str, FieldNames)> {
        let mut names = Vec::new();
        for (path, module) in &self.modules {
            let places = self.places(path);
            let own = module.types.keys().chain(module.exports.keys());
            for name in own.filter(|name| Some(*name) != module.root.as_ref()) {
                if let Some(place) = self.resolve(path, name).and_then(|id| places.get(&id)) {
                    names.push((path.as_str(), name.as_str(), place.clone()));
                }
            }
        }
        names
    }

    /// Returns the type that a name stands for in a module.
    pub(crate) fn resolve(&self, module: &str, name: &str) -> Option<Identity> {
        let own = self.modules.get(module)?;
        let name = own.aliases.get(name).map_or(name, String::as_str);
        match own.exports.get(name) {
            Some(shared) => Some((shared_of(module), shared.clone())),
            None => own.types.contains_key(name).then(|| (module.to_owned(), name.to_owned())),
        }
    }

    /// Returns the type at a place of a kind.
    pub(crate) fn identity_at(&self, module: &str, place: &FieldNames) -> Option<Identity> {
        let mut type_ = (module.to_owned(), self.modules.get(module)?.root.clone()?);
        for field in place {
            type_ = self.field((&type_.0, &type_.1), field)?;
        }
        Some(type_)
    }

    fn field(&self, (module, name): (&str, &str), field: &str) -> Option<Identity> {
        let fields = self.modules.get(module)?.types.get(name)?;
        self.resolve(module, &fields.iter().find(|(name, _)| name == field)?.1)
    }

    /// Returns the first place of each type of a kind: the one that is nested least.
    fn places(&self, module: &str) -> BTreeMap<Identity, FieldNames> {
        let mut places = BTreeMap::new();
        let Some(root) = self.modules[module].root.clone() else { return places };
        let mut seen = BTreeSet::new();
        let mut queue = VecDeque::from([((module.to_owned(), root), FieldNames::new())]);
        while let Some((type_, place)) = queue.pop_front() {
            if !seen.insert(type_.clone()) {
                continue;
            }
            for field in self.modules[&type_.0].types[&type_.1].iter().map(|(name, _)| name) {
                if let Some(inner) = self.field((&type_.0, &type_.1), field) {
                    queue.push_back((inner, [&*place, std::slice::from_ref(field)].concat()));
                }
            }
            places.insert(type_, place);
        }
        places
    }
}

impl Module {
    /// Reads `super::shared::{A as B}` and `self::{A as B}`.
    fn read_use(&mut self, tree: &UseTree) {
        let UseTree::Path(path) = tree else { return };
        let (names, tree) = match &*path.tree {
            UseTree::Path(inner) if inner.ident == "shared" => (&mut self.exports, &*inner.tree),
            tree if path.ident == "self" => (&mut self.aliases, tree),
            _ => return,
        };
        let trees: Vec<&UseTree> = match tree {
            UseTree::Group(group) => group.items.iter().collect(),
            tree => vec![tree],
        };
        for tree in trees {
            match tree {
                UseTree::Rename(rename) => names.insert(rename.rename.to_string(), rename.ident.to_string()),
                UseTree::Name(name) => names.insert(name.ident.to_string(), name.ident.to_string()),
                _ => None,
            };
        }
    }
}

/// Returns the module that has the shared types of a module's kind.
fn shared_of(module: &str) -> String {
    module.rsplit_once("::").map(|(above, _)| format!("{above}::shared")).unwrap_or_default()
}

fn fields(fields: &Fields) -> Vec<(String, String)> {
    let named = fields.iter().filter_map(|field| Some((field.ident.as_ref()?.to_string(), held(&field.ty)?)));
    named.collect()
}

/// Returns the name of the type below `Option`, `Vec`, `Box` and maps.
fn held(type_: &Type) -> Option<String> {
    let Type::Path(path) = type_ else { return None };
    let last = path.path.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().rev().find_map(|argument| match argument {
                GenericArgument::Type(type_) => held(type_),
                _ => None,
            })
        }
        _ => Some(last.ident.to_string()),
    }
}
