//! Packages that tests make below the target folder, and cargo run on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package of generated code.
pub struct Project(PathBuf);

impl Project {
    /// A package of this name in `folder`, with these lines under `[dependencies]`; sources of an earlier run go.
    ///
    /// # Panics
    /// It cannot be written.
    #[must_use]
    pub fn new(folder: &Path, name: &str, dependencies: &str) -> Self {
        let folder = folder.join(name);
        // There may be none.
        let _ = fs::remove_dir_all(folder.join("src"));
        let project = Self(folder);
        let manifest = format!(
            "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependencies}\n\
             [profile.dev]\ndebug = false\n"
        );
        project.write("Cargo.toml", &manifest);
        project
    }

    /// Writes a file of the package.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("the target folder can be written");
        fs::write(path, text).expect("the target folder can be written");
    }

    /// Runs cargo on it and returns what it prints.
    ///
    /// # Panics
    /// It fails.
    #[must_use]
    pub fn cargo(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(&self.0)
            .env("CARGO_TARGET_DIR", self.0.join("target"))
            .output()
            .expect("cargo runs this test");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo {arguments:?}:\n{errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}
