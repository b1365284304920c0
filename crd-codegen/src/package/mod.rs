//! Generates a whole package around generated modules, with a manifest, a README, a crate root, and tests that deserialize and serialize
//! samples.

mod contents;
mod manifest;
mod readme;
mod root;
mod samples;

use crd_input::Problem;
use syn::Ident;

use crate::{Config, Definition, Generated, GeneratedFile, InvalidOption};
use contents::Contents;

pub use contents::Package;

impl Package {
    /// The name of the manifest.
    pub const MANIFEST: &str = manifest::FILE;

    /// Returns a package with this name.
    ///
    /// # Errors
    /// Cargo would reject the name, or the package's tests could not refer to the crate by this name.
    pub fn new(name: &str) -> Result<Self, InvalidOption> {
        check_package_name(name)?;
        let is_usable = syn::parse_str::<Ident>(&name.replace('-', "_")).is_ok() && !OF_RUST.contains(&name);
        match is_usable {
            true => Ok(Self { name: name.to_owned(), ..Self::default() }),
            false => Err(not_a_package(name)),
        }
    }

    /// Returns the files of the package, and warnings about kinds without a sample. `generated` is a tree of modules.
    #[must_use]
    pub fn files(
        &self,
        generated: &Generated,
        definitions: &[Definition],
        config: &Config,
    ) -> (Vec<GeneratedFile>, Vec<Problem>) {
        let settings = config.resolve();
        let contents = Contents::new(self, generated, &settings);
        let mut files = vec![
            GeneratedFile::new(manifest::FILE, manifest::text(&contents)),
            GeneratedFile::new(readme::FILE, readme::text(&contents, definitions)),
        ];
        files.extend(root::files(&contents, &generated.files));
        let (tests, findings) = samples::files(&contents, definitions);
        files.extend(tests);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        (files, findings)
    }
}

/// Crates that are available in every program. A package cannot have such a name.
const OF_RUST: [&str; 6] = ["alloc", "core", "proc-macro", "proc_macro", "std", "test"];
/// The maximum length of a name in registries.
const LONGEST_NAME: usize = 64;

/// Checks the name of a package by the rules of Cargo.
///
/// # Errors
/// The name is empty or too long, contains other characters than letters, digits, `-` and `_`, or does not begin with a letter or `_`.
#[doc(hidden)]
pub fn check_package_name(name: &str) -> Result<(), InvalidOption> {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.len() <= LONGEST_NAME
        && name.starts_with(is_first)
        && name.chars().all(|c| is_first(c) || c.is_ascii_digit() || c == '-');
    if is_name { Ok(()) } else { Err(not_a_package(name)) }
}

fn not_a_package(name: &str) -> InvalidOption {
    let shown: String = name.chars().take(LONGEST_NAME).collect();
    let more = if shown.len() < name.len() { "..." } else { "" };
    InvalidOption::new(format!("`{shown}{more}` is not the name of a package"))
}
