//! Definitions -> files of YAML in a folder, written or found current.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crd_core::CustomResourceDefinition;

use crate::{CustomResource, Error, to_yaml};

/// The YAML files of definitions in a folder, one a definition, and whether they say what the types say.
///
/// A test keeps them true: `UPDATE_CRDS=1 cargo test` writes them, any other run fails where one is stale.
///
/// ```no_run
/// # use crdkit::{CrdSchema, CustomResource};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// # #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
/// # struct ShirtSpec { color: String }
/// #[test]
/// fn the_crd_files_are_current() -> Result<(), crdkit::Error> {
///     crdkit::CrdFiles::new("crds").add::<Shirt>()?.update_or_check()
/// }
/// ```
#[derive(Clone, Debug)]
pub struct CrdFiles {
    folder: PathBuf,
    crds: Vec<CustomResourceDefinition>,
}

/// How a file stands to the definition that belongs into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It says the same.
    Current,
    /// It says something else.
    Stale,
    /// It is not there.
    Missing,
}

impl CrdFiles {
    /// The variable that makes [`CrdFiles::update_or_check`] write.
    pub const VARIABLE: &'static str = "UPDATE_CRDS";

    /// Files in `folder`, relative to the folder of the package.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), crds: Vec::new() }
    }

    /// Adds the definition of `R`.
    ///
    /// # Errors
    /// - The type has no definition, as [`CustomResource::crd`] says.
    /// - Another type has a definition of that name.
    pub fn add<R: CustomResource>(&mut self) -> Result<&mut Self, Error> {
        self.add_crd(R::crd()?)
    }

    /// Adds a definition, such as one of several versions that [`merge_crds`](crate::merge_crds) made.
    ///
    /// # Errors
    /// There is a definition of that name.
    pub fn add_crd(&mut self, crd: CustomResourceDefinition) -> Result<&mut Self, Error> {
        if self.crds.iter().any(|other| other.metadata.name == crd.metadata.name) {
            return Err(Error::files(
                format!("two definitions have the name `{}`", crd.metadata.name),
                "join versions with `merge_crds`, or give one of them another group or plural name",
            ));
        }
        self.crds.push(crd);
        Ok(self)
    }

    /// The files with their texts: `stable.example.com_shirts.yaml`.
    #[must_use]
    pub fn texts(&self) -> Vec<(PathBuf, String)> {
        let text = |crd: &CustomResourceDefinition| {
            let file = format!("{}_{}.yaml", file_name(&crd.spec.group), file_name(&crd.spec.names.plural));
            (self.folder.join(file), to_yaml(&crd.to_value()))
        };
        self.crds.iter().map(text).collect()
    }

    /// How each file stands.
    ///
    /// # Errors
    /// A file is there and cannot be read.
    pub fn states(&self) -> Result<Vec<(PathBuf, FileState)>, Error> {
        let state = |(path, text): (PathBuf, String)| match fs::read_to_string(&path) {
            // A checkout may have other line breaks.
            Ok(found) if found.replace("\r\n", "\n") == text => Ok((path, FileState::Current)),
            Ok(_) => Ok((path, FileState::Stale)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((path, FileState::Missing)),
            Err(error) => Err(failed("read", &path, &error)),
        };
        self.texts().into_iter().map(state).collect()
    }

    /// Writes every file that is not current.
    ///
    /// # Errors
    /// A file cannot be written. It is written beside its place and renamed, so that none is left half done.
    pub fn write(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.folder).map_err(|error| failed("create", &self.folder, &error))?;
        let states = self.states()?;
        for ((path, text), (_, state)) in self.texts().into_iter().zip(states) {
            if state == FileState::Current {
                continue;
            }
            let beside = path.with_extension("yaml.new");
            fs::write(&beside, text).map_err(|error| failed("write", &beside, &error))?;
            fs::rename(&beside, &path).map_err(|error| failed("write", &path, &error))?;
        }
        Ok(())
    }

    /// Checks that every file is current.
    ///
    /// # Errors
    /// A file is missing or stale; the error shows the first lines that differ.
    pub fn check(&self) -> Result<(), Error> {
        let mut wrong = Vec::new();
        for ((path, text), (_, state)) in self.texts().into_iter().zip(self.states()?) {
            match state {
                FileState::Current => {}
                FileState::Missing => wrong.push(format!("`{}` is missing", path.display())),
                FileState::Stale => {
                    let found = fs::read_to_string(&path).unwrap_or_default();
                    wrong.push(format!("`{}` is stale{}", path.display(), first_difference(&found, &text)));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(Error::files(wrong.join("\n"), format!("write them with `{}=1 cargo test`", Self::VARIABLE)))
    }

    /// Writes the files where the variable `UPDATE_CRDS` is set, and checks them otherwise.
    ///
    /// # Errors
    /// As [`CrdFiles::write`] and [`CrdFiles::check`].
    pub fn update_or_check(&self) -> Result<(), Error> {
        match std::env::var_os(Self::VARIABLE) {
            Some(value) if !value.is_empty() && value != "0" => self.write(),
            _ => self.check(),
        }
    }
}

/// A group or plural name as part of a file name: whatever a constant says, it leads to no other folder.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '-' }).collect()
}

fn first_difference(found: &str, expected: &str) -> String {
    let found: Vec<&str> = found.lines().collect();
    for (i, line) in expected.lines().enumerate() {
        let old = found.get(i).copied();
        if old != Some(line) {
            let old = old.map_or_else(String::new, |old| format!("\n  - {old}"));
            return format!(", first in line {}:{old}\n  + {line}", i + 1);
        }
    }
    let rest = found.get(expected.lines().count()).copied().unwrap_or_default();
    format!(", first in line {}:\n  - {rest}", expected.lines().count() + 1)
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::files(format!("cannot {what} `{}`: {error}", path.display()), "")
}
