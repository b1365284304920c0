//! Generates the crate root and the modules for groups. Each version is behind a feature.

use std::collections::{BTreeMap, BTreeSet};

use super::contents::{Contents, HEADER, UNFORMATTED};
use crate::emit::crate_documentation;
use crate::generate::allowed_lints;
use crate::{GeneratedFile, KeptNames};

/// Returns the modules as files of a crate.
pub(super) fn files(contents: &Contents<'_>, tree: &[GeneratedFile]) -> Vec<GeneratedFile> {
    let mut groups: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for kind in contents.kinds {
        groups.entry(format!("{}/mod.rs", kind.path.group)).or_default().insert(&kind.path.version);
    }
    let file = |file: &GeneratedFile| match file.path.as_str() {
        "mod.rs" => GeneratedFile::new("src/lib.rs", lib(contents, tree)),
        KeptNames::FILE => file.clone(),
        path => match groups.get(path) {
            Some(versions) => GeneratedFile::new(format!("src/{path}"), group(contents, versions)),
            None => GeneratedFile::new(format!("src/{path}"), file.contents.clone()),
        },
    };
    tree.iter().map(file).collect()
}

/// Returns the text of `src/lib.rs`.
fn lib(contents: &Contents<'_>, tree: &[GeneratedFile]) -> String {
    let mut text = format!(
        "{HEADER}\n{}\n",
        crate_documentation(&format!("{}.", contents.description.trim_end_matches('.')))
    );
    if let Some(limit) = contents.recursion_limit {
        text += &format!("#![recursion_limit = \"{limit}\"]\n");
    }
    // The documentation on docs.rs names the feature of each module.
    text += "#![cfg_attr(docsrs, feature(doc_cfg))]\n\n";
    let lints = allowed_lints(contents.settings);
    for module in tree.iter().filter_map(|file| top_module(&file.path)) {
        text += &format!("{UNFORMATTED}{lints}pub mod {module};\n");
    }
    text
}

/// Returns the name of the top-level module, if the file contains one, such as `support.rs` or `cert_manager_io/mod.rs`.
fn top_module(path: &str) -> Option<&str> {
    let module = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs"))?;
    (module != "mod" && !module.contains('/')).then_some(module)
}

/// Returns the text of a group's module.
fn group(contents: &Contents<'_>, versions: &BTreeSet<&str>) -> String {
    let mut text = format!("{HEADER}\n");
    for version in versions {
        text += &format!("{}pub mod {version};\n", contents.condition(version));
    }
    text
}
