//! Packages that tests create below the target folder, and runs of cargo on them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package of generated code.
pub struct Project {
    folder: PathBuf,
    /// The files of this run.
    written: RefCell<BTreeSet<PathBuf>>,
}

impl Project {
    /// A package of this name in `folder`, with these lines under `[dependencies]`. Files that have not changed since an earlier run
    /// are not compiled again.
    ///
    /// # Panics
    /// It cannot be written.
    #[must_use]
    pub fn new(folder: &Path, name: &str, dependencies: &str) -> Self {
        let project = Self { folder: folder.join(name), written: RefCell::default() };
        let manifest = format!(
            "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependencies}\n\
             [profile.dev]\ndebug = false\nincremental = false\n"
        );
        project.write("Cargo.toml", &manifest);
        project
    }

    /// Writes a file of the package.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("the target folder can be written");
        // cargo compares the times of files.
        if fs::read_to_string(&path).map_or(true, |before| before != text) {
            fs::write(&path, text).expect("the target folder can be written");
        }
        self.written.borrow_mut().insert(path);
    }

    /// Runs cargo on the package and returns its output.
    ///
    /// # Panics
    /// It fails.
    #[must_use]
    pub fn cargo(&self, arguments: &[&str]) -> String {
        self.remove_others(&self.folder.join("src"));
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .output()
            .expect("cargo runs this test");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo {arguments:?}:\n{errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
    /// Removes sources that only an earlier run has written.
    fn remove_others(&self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("the package has sources") {
            let path = entry.expect("the target folder can be read").path();
            let written = self.written.borrow();
            if !written.iter().any(|file| file.starts_with(&path)) {
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.expect("the target folder can be written");
            } else if path.is_dir() {
                self.remove_others(&path);
            }
        }
    }
}
