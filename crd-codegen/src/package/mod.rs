//! A whole package around generated modules: its manifest, its README, the root of the crate, and tests that read and write samples.

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

    /// A package of a name.
    ///
    /// # Errors
    /// Cargo would reject the name, or the tests of the package could not use the crate by it.
    pub fn new(name: &str) -> Result<Self, InvalidOption> {
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if !is_name || syn::parse_str::<Ident>(&name.replace('-', "_")).is_err() {
            return Err(InvalidOption::new(format!("`{name}` is not the name of a package")));
        }
        Ok(Self { name: name.to_owned(), ..Self::default() })
    }

    /// The files of the package, and warnings about kinds without a sample. `generated` is a tree of modules.
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
