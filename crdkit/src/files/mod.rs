//! Writes CRDs to YAML files, or compares them with existing files. Either each CRD has its own file, or one file contains all CRDs.

mod replace;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crd_core::CustomResourceDefinition;
use crd_core::yaml::to_yaml_with_comments;

use crate::{Advice, CustomResource, Error, UncheckedCrd, advice};

/// The YAML files for the CRDs of Rust types.
///
/// Use it in a test to keep the files up to date: `UPDATE_CRDS=1 cargo test` writes the files, and any other run fails
/// if a file is stale. In an xtask or another package's build step, call [`write`](Self::write) or
/// [`check`](Self::check) instead.
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
    place: FilesTarget,
    crds: Vec<UncheckedCrd>,
    labels: Vec<(String, String)>,
    annotations: Vec<(String, String)>,
    is_for_helm: bool,
}

/// The directory or file that contains the CRDs.
#[derive(Clone, Debug)]
enum FilesTarget {
    /// A directory with one file for each CRD.
    Folder(PathBuf),
    /// One file for all CRDs.
    Bundle(PathBuf),
}

/// The result of comparing a file with the CRDs that belong in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileState {
    /// The file is up to date.
    Current,
    /// The file has different contents.
    Stale,
    /// The file does not exist.
    Missing,
}

impl CrdFiles {
    /// The environment variable that makes [`CrdFiles::update_or_check`] write the files.
    pub const VARIABLE: &'static str = "UPDATE_CRDS";

    /// Chooses one file for each CRD, in the directory `folder`: `stable.example.com_shirts.yaml`. In tests, the path
    /// is relative to the package's directory.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::for_target(FilesTarget::Folder(folder.into()))
    }

    /// Chooses one file for all CRDs, in the order in which they are added.
    ///
    /// ```
    /// # use crdkit::{CrdFiles, CrdSchema, CustomResource};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
    /// # struct ShirtSpec { color: String }
    /// # #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "stable.example.com", version = "v1", kind = "Hat", namespaced)]
    /// # struct HatSpec { color: String }
    /// let mut files = CrdFiles::bundle("deploy/crds.yaml");
    /// files.add::<Shirt>()?.add::<Hat>()?;
    /// let (path, text) = &files.contents()[0];
    /// assert_eq!(path.to_str(), Some("deploy/crds.yaml"));
    /// assert_eq!(text.matches("\n---\n").count(), 1);
    /// # Ok::<(), crdkit::Error>(())
    /// ```
    pub fn bundle(file: impl Into<PathBuf>) -> Self {
        Self::for_target(FilesTarget::Bundle(file.into()))
    }

    fn for_target(place: FilesTarget) -> Self {
        Self { place, crds: Vec::new(), labels: Vec::new(), annotations: Vec::new(), is_for_helm: false }
    }

    /// Adds a label to every written CRD. An existing label with this key is replaced.
    ///
    /// ```
    /// # use crdkit::{CrdFiles, CrdSchema, CustomResource};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
    /// # struct ShirtSpec { color: String }
    /// let mut files = CrdFiles::new("crds");
    /// files.add::<Shirt>()?.label("app.kubernetes.io/part-of", "wardrobe");
    /// assert!(files.contents()[0].1.contains("    app.kubernetes.io/part-of: wardrobe\n"));
    /// # Ok::<(), crdkit::Error>(())
    /// ```
    pub fn label(&mut self, key: impl Into<String>, value: impl Into<String>) -> &mut Self {
        self.labels.push((key.into(), value.into()));
        self
    }

    /// Adds an annotation to every written CRD. An existing annotation with this key is replaced.
    ///
    /// ```
    /// # use crdkit::{CrdFiles, CrdSchema, CustomResource};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
    /// # struct ShirtSpec { color: String }
    /// let mut files = CrdFiles::new("crds");
    /// files.add::<Shirt>()?.annotation("helm.sh/resource-policy", "keep");
    /// assert!(files.contents()[0].1.contains("    helm.sh/resource-policy: keep\n"));
    /// # Ok::<(), crdkit::Error>(())
    /// ```
    pub fn annotation(&mut self, key: impl Into<String>, value: impl Into<String>) -> &mut Self {
        self.annotations.push((key.into(), value.into()));
        self
    }

    /// Writes the files as Helm templates: a `{{` in a description is escaped, so that Helm does not evaluate it.
    ///
    /// Files in a chart's `crds/` directory are not templates and do not need this.
    ///
    /// ```
    /// # use crdkit::{CrdFiles, CrdSchema, CustomResource};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
    /// struct ShirtSpec {
    ///     /// The print on it, such as `{{ name }}`.
    ///     text: String,
    /// }
    ///
    /// let mut files = CrdFiles::new("chart/templates");
    /// files.add::<Shirt>()?.for_helm();
    /// assert!(files.contents()[0].1.contains("such as `{{`{{`}} name }}`."));
    /// # Ok::<(), crdkit::Error>(())
    /// ```
    pub fn for_helm(&mut self) -> &mut Self {
        self.is_for_helm = true;
        self
    }

    /// Adds the CRD of `R`.
    ///
    /// # Errors
    /// - The type has no valid CRD: see [`CustomResource::crd`].
    /// - Another CRD in the same group uses one of the CRD's names: its kind, plural, singular or short names.
    pub fn add<R: CustomResource>(&mut self) -> Result<&mut Self, Error> {
        // Labels and annotations may be added to it yet.
        self.insert(R::unchecked()?)
    }

    /// Adds a CRD, such as a CRD with several versions from [`merge_crds`](crate::merge_crds). Pass an [`UncheckedCrd`] to keep the
    /// comments of `#[crd(allow(...))]`. In a module with `#[crdkit::versions(...)]`, the function `unchecked` returns it.
    ///
    /// # Errors
    /// - The API server would reject the CRD for a reason other than its labels and annotations.
    /// - Another CRD in the same group uses one of the CRD's names: its kind, plural, singular or short names. The API server
    ///   serves only one of two such CRDs.
    pub fn add_crd(&mut self, crd: impl Into<UncheckedCrd>) -> Result<&mut Self, Error> {
        self.insert(crd.into())
    }

    fn insert(&mut self, unchecked: UncheckedCrd) -> Result<&mut Self, Error> {
        unchecked.judge_but_for_pairs()?;
        let crd = unchecked.as_crd();
        let others = || self.crds.iter().map(UncheckedCrd::as_crd);
        if others().any(|other| other.metadata.name == crd.metadata.name) {
            return Err(Error::files(
                format!("two CRDs have the name `{}`", crd.metadata.name),
                "join versions with `merge_crds`, or give one of them another group or plural name",
            ));
        }
        for other in others().filter(|other| other.spec.group == crd.spec.group) {
            if let Some(name) = shared_name(other, crd) {
                return Err(Error::files(
                    format!(
                        "`{}` and `{}` both have the name `{name}`",
                        other.metadata.name, crd.metadata.name
                    ),
                    "give one of them another kind, plural, singular or short name",
                ));
            }
        }
        self.crds.push(unchecked);
        Ok(self)
    }

    /// Returns the path and the contents of each file.
    #[must_use]
    pub fn contents(&self) -> Vec<(PathBuf, String)> {
        let texts = self.crds.iter().map(|crd| self.text(crd));
        match &self.place {
            FilesTarget::Bundle(file) => vec![(file.clone(), texts.collect::<Vec<_>>().join("---\n"))],
            FilesTarget::Folder(folder) => {
                let path = |crd: &CustomResourceDefinition| {
                    let (group, plural) = (file_name(&crd.spec.group), file_name(&crd.spec.names.plural));
                    folder.join(format!("{group}_{plural}.yaml"))
                };
                self.crds.iter().map(UncheckedCrd::as_crd).map(path).zip(texts).collect()
            }
        }
    }

    /// Returns the CRDs with the added labels and annotations.
    #[cfg(feature = "diff")]
    pub(crate) fn definitions(&self) -> impl Iterator<Item = CustomResourceDefinition> {
        self.crds.iter().map(|crd| self.finished(crd.as_crd()))
    }

    /// Adds the labels and annotations to a CRD.
    fn finished(&self, crd: &CustomResourceDefinition) -> CustomResourceDefinition {
        let mut crd = crd.clone();
        for (all, added) in
            [(&mut crd.metadata.labels, &self.labels), (&mut crd.metadata.annotations, &self.annotations)]
        {
            for (key, value) in added {
                all.get_or_insert_default().insert(key.clone(), value.clone());
            }
        }
        crd
    }

    fn text(&self, crd: &UncheckedCrd) -> String {
        let text = to_yaml_with_comments(&self.finished(crd.as_crd()), &crd.comments());
        // Go's templates print a string in backquotes as it is. The file is YAML before and after.
        if self.is_for_helm { text.replace("{{", "{{`{{`}}") } else { text }
    }

    /// Returns the advice on all CRDs, in the order in which the CRDs were added. [`CrdFiles::write`] and [`CrdFiles::check`]
    /// print the same advice on standard error, once in a process.
    ///
    /// ```
    /// # use crdkit::{CrdFiles, CrdSchema, CustomResource};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "stable.example.com", version = "v1", kind = "Tank", namespaced)]
    /// struct TankSpec { litres: u64 }
    ///
    /// let mut files = CrdFiles::new("crds");
    /// assert_eq!(files.add::<Tank>()?.advice()[0].name, "wide-integer");
    /// # Ok::<(), crdkit::Error>(())
    /// ```
    #[must_use]
    pub fn advice(&self) -> Vec<Advice> {
        self.crds.iter().flat_map(|crd| crd.with_crd(self.finished(crd.as_crd())).advice()).collect()
    }

    fn print_advice(&self) {
        self.crds.iter().for_each(|crd| advice::print(&crd.with_crd(self.finished(crd.as_crd()))));
    }

    /// Returns the state of each file.
    ///
    /// # Errors
    /// - With the added labels and annotations, the API server would reject a CRD.
    /// - A file exists but cannot be read, or its path is a link, a directory or a device.
    pub fn states(&self) -> Result<Vec<(PathBuf, FileState)>, Error> {
        self.crds.iter().try_for_each(|crd| crd.with_crd(self.finished(crd.as_crd())).check().map(drop))?;
        let state = |(path, text): (PathBuf, String)| match replace::read(&path) {
            // A checkout may have other line breaks.
            Ok(Some(found)) if found.replace("\r\n", "\n") == text => Ok((path, FileState::Current)),
            Ok(Some(_)) => Ok((path, FileState::Stale)),
            Ok(None) => Ok((path, FileState::Missing)),
            Err(error) => Err(failed("read", &path, error)),
        };
        self.contents().into_iter().map(state).collect()
    }

    /// Writes every file that is not up to date.
    ///
    /// # Errors
    /// A file cannot be written, or its path is a link, a directory or a device. No partial file remains: the contents are
    /// written to a new file next to the old file, and the new file is then renamed. The permissions of the old file are
    /// kept. Processes that write to the same directory wait for each other.
    pub fn write(&self) -> Result<(), Error> {
        self.print_advice();
        let folder = match &self.place {
            FilesTarget::Folder(folder) => folder.as_path(),
            FilesTarget::Bundle(file) => file.parent().unwrap_or(Path::new("")),
        };
        if !folder.as_os_str().is_empty() {
            fs::create_dir_all(folder).map_err(|error| failed("create", folder, error))?;
        }
        // Tests of several packages may write to one directory.
        let _lock = replace::lock(folder).map_err(|error| failed("lock", folder, error))?;
        replace::sweep(folder);
        let states = self.states()?;
        for ((path, text), (_, state)) in self.contents().into_iter().zip(states) {
            if state != FileState::Current {
                replace::replace(&path, &text).map_err(|error| failed("write", &path, error))?;
            }
        }
        Ok(())
    }

    /// Checks that every file is up to date.
    ///
    /// # Errors
    /// A file is missing or stale. The error shows the first line that differs.
    pub fn check(&self) -> Result<(), Error> {
        self.print_advice();
        let mut wrong = Vec::new();
        for ((path, text), (_, state)) in self.contents().into_iter().zip(self.states()?) {
            match state {
                FileState::Current => {}
                FileState::Missing => wrong.push(format!("`{}` is missing", path.display())),
                FileState::Stale => {
                    let found = replace::read(&path).ok().flatten().unwrap_or_default();
                    wrong.push(format!("`{}` is stale{}", path.display(), first_difference(&found, &text)));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(Error::files(wrong.join("\n"), format!("write them with `{}=1 cargo test`", Self::VARIABLE)))
    }

    /// Writes the files if the environment variable `UPDATE_CRDS` is set, and checks them otherwise.
    ///
    /// # Errors
    /// The same as for [`CrdFiles::write`] and [`CrdFiles::check`].
    pub fn update_or_check(&self) -> Result<(), Error> {
        match std::env::var_os(Self::VARIABLE) {
            Some(value) if !value.is_empty() && value != "0" => self.write(),
            _ => self.check(),
        }
    }
}

/// Returns a name that both CRDs use. Of two such CRDs in one group, the API server's naming controller accepts only the first.
fn shared_name<'a>(a: &'a CustomResourceDefinition, b: &CustomResourceDefinition) -> Option<&'a str> {
    // Kinds are one space of names, resources with their short names another.
    let kinds = |crd: &CustomResourceDefinition| {
        [crd.spec.names.kind.clone(), crd.spec.names.list_kind().into_owned()]
    };
    if kinds(a).iter().any(|kind| kinds(b).contains(kind)) {
        return Some(&a.spec.names.kind);
    }
    let theirs: Vec<&str> = resources(b).collect();
    resources(a).find(|name| theirs.contains(name))
}

fn resources(crd: &CustomResourceDefinition) -> impl Iterator<Item = &str> {
    let names = &crd.spec.names;
    let short_names = names.short_names.iter().flatten().map(String::as_str);
    [names.plural.as_str(), names.singular.as_str()]
        .into_iter()
        .filter(|name| !name.is_empty())
        .chain(short_names)
}

/// Makes a group or plural name safe for use in a file name, so that no path leads to another directory.
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

fn failed(what: &str, path: &Path, error: io::Error) -> Error {
    Error::files(format!("cannot {what} `{}`: {error}", path.display()), "").caused_by(error)
}
