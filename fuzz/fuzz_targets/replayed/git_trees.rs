//! Each entry of a tree is two bytes: the first chooses mode and object, the second the name. Zero opens the next tree, which is a directory
//! of the one before.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crd_input::{Limits, Search, search_commit};

const MODES: [&str; 8] = ["100644", "100755", "120000", "160000", "40000", "0", "100600", "9999999"];
const NAMES: [&str; 20] = [
    "a.yaml",
    "b.yml",
    "c.json",
    "d.txt",
    "crds",
    "-e.yaml",
    "..",
    ".",
    ".git",
    "",
    "f\n.yaml",
    "g\t.yaml",
    "h .yaml",
    "a/b.yaml",
    "i.YAML",
    ".gitmodules",
    "j.yaml.tmpl",
    "\u{202e}k.yaml",
    "l.yaml",
    "m\".yaml",
];
const TEXTS: [&[u8]; 6] = [
    b"kind: A\n",
    b"",
    b"\xff\xfe",
    b"version https://git-lfs.github.com/spec/v1\noid a\n",
    b"a.yaml",
    b"/etc/passwd",
];

struct Repository {
    folder: tempfile::TempDir,
    objects: Vec<String>,
}

static REPOSITORY: LazyLock<Repository> = LazyLock::new(|| {
    let repository = Repository { folder: tempfile::tempdir().unwrap(), objects: Vec::new() };
    repository.git(&["init", "--quiet", "."], b"");
    // The reader asks for the repository around the current directory.
    std::env::set_current_dir(repository.folder.path()).unwrap();
    let mut objects: Vec<String> = TEXTS.iter().map(|text| repository.object("blob", text)).collect();
    // An object that is not there.
    objects.push("1".repeat(40));
    Repository { objects, ..repository }
});

impl Repository {
    fn git(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(self.folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = git.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    }

    fn object(&self, kind: &str, contents: &[u8]) -> String {
        self.git(&["hash-object", "-t", kind, "--literally", "-w", "--stdin"], contents)
    }
}

pub(crate) fn run(bytes: &[u8]) {
    let repository = &*REPOSITORY;
    let mut below: Option<String> = None;
    let mut expected: HashSet<String> = HashSet::new();
    for (at, entries) in bytes.split(|byte| *byte == 0).take(4).enumerate() {
        let mut tree = Vec::new();
        // What stood in the directory is one level further down.
        expected = expected.into_iter().map(|path| format!("crds/{path}")).collect();
        if let Some(below) = below.take().filter(|_| at > 0) {
            entry(&mut tree, "40000", "crds", &below);
        }
        for pair in entries.chunks_exact(2).take(12) {
            let (mode, name) = (MODES[usize::from(pair[0]) % 8], NAMES[usize::from(pair[1]) % NAMES.len()]);
            let text = usize::from(pair[0] >> 3) % repository.objects.len();
            entry(&mut tree, mode, name, &repository.objects[text]);
            let is_read = [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
            if mode == "100644" && text < 2 && is_read && !name.contains('/') {
                expected.insert(name.to_owned());
            }
        }
        below = Some(repository.object("tree", &tree));
    }
    let tree = below.unwrap_or_default();
    let commit = format!("tree {tree}\nauthor a <a> 0 +0000\ncommitter a <a> 0 +0000\n\na\n");
    let commit = repository.object("commit", commit.as_bytes());
    let found = search_commit(&format!("git:{commit}:."), &Limits::default(), &Search::default()).unwrap();
    if found.errors.is_empty() {
        let read: HashSet<&str> =
            found.sources.iter().filter_map(|source| Path::new(source.name()).to_str()).collect();
        for path in expected {
            assert!(
                read.iter().any(|name| name.ends_with(&format!(":{path}"))),
                "{path} is missing in {read:?}"
            );
        }
    }
}

fn entry(tree: &mut Vec<u8>, mode: &str, name: &str, object: &str) {
    tree.extend(format!("{mode} {name}\0").bytes());
    let byte = |at: usize| u8::from_str_radix(&object[at..at + 2], 16).unwrap();
    tree.extend((0..40).step_by(2).map(byte));
}
