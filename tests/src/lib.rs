//! What the tests of this package share: where things are, the recorded cases, answers to objects, broken objects, objects after
//! generated types have read them, the normal form of definitions, packages of generated code, the tool under bounds, a real API server and what is predicted of it.

pub mod answers;
pub mod cases;
pub mod kept;
pub mod measured;
pub mod mutants;
pub mod normalise;
#[cfg(feature = "e2e")]
pub mod predictions;
pub mod project;
pub mod raw;
#[cfg(feature = "e2e")]
pub mod server;
pub mod tool;

use std::path::{Path, PathBuf};

/// The root of the workspace.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A file or folder of the material shared beside the project, or `None`, with a line that says so, where it is absent.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that skips says so")]
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = workspace().join("../shared").join(path);
    if found.exists() {
        return Some(found);
    }
    eprintln!("skipped: `../shared/{path}` is not beside the project");
    None
}
