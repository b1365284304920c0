//! Inputs of fuzz targets, and what they found, without a fuzzer.
#![expect(clippy::unwrap_used, reason = "the targets are tests")]
#![expect(clippy::print_stdout, reason = "names the seed at which a target fails")]

#[path = "../../fuzz/fuzz_targets/replayed/mod.rs"]
mod replayed;

use std::fs;
use std::path::Path;

/// Runs a target on each file of `fuzz/replayed/TARGET`.
fn replay(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/replayed").join(target);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 5, "the seeds of {target} are lost");
    for file in files {
        println!("{}", file.display());
        run(&fs::read(file).unwrap());
    }
}

#[test]
fn pages() {
    replay("pages", replayed::pages::run);
}

#[test]
fn requests() {
    replay("requests", replayed::requests::run);
}

#[test]
fn patches() {
    replay("patches", replayed::patches::run);
}

#[test]
fn paths_of_columns() {
    replay("json_path", replayed::json_path::run);
}

/// Changes the current directory of its process, which no other target reads.
#[test]
fn trees_of_git() {
    replay("git_trees", replayed::git_trees::run);
}
