//! Code that the tests of this package share: paths, recorded cases, answers to objects, broken objects, objects after a round trip
//! through generated types, the normal form of definitions, packages of generated code, runs of the tool under limits, `crdkit serve`, a real API
//! server and predictions of its answers.

pub mod answers;
pub mod cases;
pub mod demanding;
pub mod kept;
pub mod measured;
pub mod mutants;
pub mod normalise;
#[cfg(feature = "e2e")]
pub mod predictions;
pub mod project;
pub mod raw;
#[cfg(feature = "e2e")]
pub mod served;
#[cfg(feature = "e2e")]
pub mod server;
pub mod tool;

use std::path::{Path, PathBuf};

/// Returns the root of the workspace.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns a file or directory of the material next to the project. If it is absent, prints a line about it and returns `None`.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that is skipped prints the reason")]
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = workspace().join("../shared").join(path);
    if found.exists() {
        return Some(found);
    }
    eprintln!("skipped: `../shared/{path}` is not beside the project");
    None
}

/// Returns the files with the extension `rs` in a directory and the directories in it, in no particular order.
#[must_use]
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is part of the project") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
