//! Packages and workspaces that tests create below the target directory, and runs of cargo on them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A package of generated code.
pub struct Project {
    folder: Folder,
}

impl Project {
    /// Returns a package with this name in `folder`, with these lines under `[dependencies]`. Files that have not changed since an earlier run
    /// are not compiled again.
    ///
    /// # Panics
    /// It cannot be written.
    #[must_use]
    pub fn new(folder: &Path, name: &str, dependencies: &str) -> Self {
        let project = Self { folder: Folder::new(folder.join(name)) };
        let manifest = format!(
            "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependencies}\n{PROFILE}"
        );
        project.write("Cargo.toml", &manifest);
        project
    }

    /// Writes a file of the package.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn write(&self, path: &str, text: &str) {
        self.folder.write(path, text);
    }

    /// Runs cargo on the package and returns its output.
    ///
    /// # Panics
    /// It fails.
    #[must_use]
    pub fn cargo(&self, arguments: &[&str]) -> String {
        self.folder.remove_others("src");
        self.folder.cargo(Command::new(env!("CARGO")).args(arguments))
    }

    /// Runs cargo on the package, which may fail, and returns its output and status.
    ///
    /// # Panics
    /// It cannot be started.
    #[must_use]
    pub fn try_cargo(&self, arguments: &[&str]) -> Output {
        self.folder.remove_others("src");
        self.folder.output(Command::new(env!("CARGO")).args(arguments))
    }
}

/// A workspace of packages of generated code, which share their built dependencies.
pub struct Workspace {
    folder: Folder,
}

impl Workspace {
    /// Returns a workspace with this name in `folder`, with these lines under `[workspace.dependencies]`.
    ///
    /// # Panics
    /// It cannot be written.
    #[must_use]
    pub fn new(folder: &Path, name: &str, dependencies: &str) -> Self {
        let workspace = Self { folder: Folder::new(folder.join(name)) };
        let manifest = format!(
            "[workspace]\nmembers = [\"packages/*\"]\nresolver = \"3\"\n\n[workspace.dependencies]\n{dependencies}\n{PROFILE}"
        );
        workspace.folder.write("Cargo.toml", &manifest);
        workspace
    }

    /// Adds a package that depends on these dependencies of the workspace.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn add(&self, package: &str, dependencies: &[&str]) {
        let lines: String =
            dependencies.iter().map(|dependency| format!("{dependency}.workspace = true\n")).collect();
        let manifest = format!(
            "[package]\nname = \"{package}\"\nedition = \"2024\"\n\n[lib]\ntest = false\ndoctest = false\n\n\
             [dependencies]\n{lines}"
        );
        self.write(package, "Cargo.toml", &manifest);
    }

    /// Writes a file of a package.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn write(&self, package: &str, path: &str, text: &str) {
        self.folder.write(&format!("packages/{package}/{path}"), text);
    }

    /// Runs cargo on the workspace and returns its output.
    ///
    /// # Panics
    /// It fails.
    #[must_use]
    pub fn cargo(&self, arguments: &[&str]) -> String {
        self.folder.remove_others("packages");
        self.folder.cargo(Command::new(env!("CARGO")).args(arguments))
    }

    /// Runs cargo on the workspace with clippy as the compiler of its packages, so that a build also has the warnings of clippy.
    ///
    /// # Panics
    /// It fails.
    #[must_use]
    pub fn cargo_with_clippy(&self, arguments: &[&str]) -> String {
        self.folder.remove_others("packages");
        // `cargo clippy` runs the same program of its own directory.
        let clippy = Path::new(env!("CARGO")).with_file_name("clippy-driver");
        self.folder.cargo(Command::new(env!("CARGO")).args(arguments).env("RUSTC_WORKSPACE_WRAPPER", clippy))
    }
}

/// The profile of all builds: nothing is built a second time or looked at in a debugger.
const PROFILE: &str = "[profile.dev]\ndebug = false\nincremental = false\n";

/// A directory, and the files in it that this run has written.
struct Folder {
    path: PathBuf,
    written: RefCell<BTreeSet<PathBuf>>,
}

impl Folder {
    fn new(path: PathBuf) -> Self {
        Self { path, written: RefCell::default() }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path.join(path);
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("the target folder can be written");
        // cargo compares the times of files.
        if fs::read_to_string(&path).map_or(true, |before| before != text) {
            fs::write(&path, text).expect("the target folder can be written");
        }
        self.written.borrow_mut().insert(path);
    }

    fn output(&self, command: &mut Command) -> Output {
        let command = command.current_dir(&self.path).env("CARGO_TARGET_DIR", self.path.join("target"));
        command.output().expect("cargo runs this test")
    }

    fn cargo(&self, command: &mut Command) -> String {
        let output = self.output(command);
        let errors = String::from_utf8_lossy(&output.stderr);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{command:?}:\n{errors}\n{printed}");
        printed.into_owned()
    }

    /// Removes files below a directory that only an earlier run has written.
    fn remove_others(&self, folder: &str) {
        self.remove_others_in(&self.path.join(folder));
    }

    fn remove_others_in(&self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("the run has written to the folder") {
            let path = entry.expect("the target folder can be read").path();
            let written = self.written.borrow();
            if !written.iter().any(|file| file.starts_with(&path)) {
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.expect("the target folder can be written");
            } else if path.is_dir() {
                self.remove_others_in(&path);
            }
        }
    }
}
