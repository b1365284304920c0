//! The same cases for every writer of files: the one of the commands and the generator, and the one of `crdkit::CrdFiles`, which
//! needs only the standard library.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use crd_core::CustomResourceDefinition;
use crd_input::output::{Directory, put, sweep};
use crdkit::CrdFiles;

/// The file that each writer writes.
const FILE: &str = "stable.example.com_shirts.yaml";

struct Writer {
    name: &'static str,
    /// The end of the names of its unfinished files.
    unfinished: &'static str,
    write: fn(&Path) -> Result<(), String>,
}

const WRITERS: [Writer; 2] = [
    Writer { name: "crd_input::output", unfinished: ".crd-codegen-new", write: write_with_directory },
    Writer { name: "crdkit::CrdFiles", unfinished: ".crdkit-new", write: write_with_crd_files },
];

fn write_with_directory(root: &Path) -> Result<(), String> {
    let write = || {
        let directory = Directory::locked(root, &|| ())?;
        sweep(root);
        put(vec![directory.write(FILE, "new")?])
    };
    write().map_err(|error| error.to_string())
}

fn write_with_crd_files(root: &Path) -> Result<(), String> {
    let definition = serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shirts.stable.example.com"},
        "spec": {
            "group": "stable.example.com", "scope": "Cluster", "names": {"plural": "shirts", "kind": "Shirt"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    });
    let crd = CustomResourceDefinition::from_value(definition).unwrap();
    let mut files = CrdFiles::new(root);
    files.add_crd(crd).unwrap().write().map_err(|error| error.to_string())
}

fn names(root: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn something_other_than_a_file_is_an_error_and_stays() {
    for Writer { name, write, .. } in WRITERS {
        for kind in ["link", "dangling link", "device", "pipe", "directory"] {
            let folder = tempfile::tempdir().unwrap();
            let (root, victim) = (folder.path().join("out"), folder.path().join("victim"));
            fs::create_dir(&root).unwrap();
            fs::write(&victim, "victim").unwrap();
            let place = root.join(FILE);
            match kind {
                "link" => symlink(&victim, &place).unwrap(),
                "dangling link" => symlink(folder.path().join("absent"), &place).unwrap(),
                "device" => symlink("/dev/zero", &place).unwrap(),
                "pipe" => assert!(Command::new("mkfifo").arg(&place).status().unwrap().success()),
                _ => fs::create_dir(&place).unwrap(),
            }
            let error = write(&root).expect_err(&format!("{name}: {kind}"));
            assert!(error.contains("remove it"), "{name}: {kind}: {error}");
            assert_eq!(fs::read_to_string(&victim).unwrap(), "victim", "{name}: {kind}");
            assert_eq!(names(&root), [FILE], "{name}: {kind}");
            assert_eq!(names(folder.path()), ["out", "victim"], "{name}: {kind}");
        }
    }
}

#[test]
fn a_run_removes_what_a_killed_run_left_and_keeps_permissions() {
    use std::os::unix::fs::PermissionsExt;
    for Writer { name, unfinished, write } in WRITERS {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join(FILE), "old").unwrap();
        fs::set_permissions(root.join(FILE), fs::Permissions::from_mode(0o640)).unwrap();
        fs::write(root.join(format!(".{FILE}.0{unfinished}")), "half").unwrap();
        write(root).unwrap();
        assert_eq!(names(root), [FILE], "{name}");
        assert_ne!(fs::read_to_string(root.join(FILE)).unwrap(), "old", "{name}");
        let mode = fs::metadata(root.join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{name}");
    }
}

#[test]
fn writers_of_a_directory_wait_for_each_other() {
    for Writer { name, write, .. } in WRITERS {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let lock = File::open(root).unwrap();
        lock.lock().unwrap();
        thread::scope(|scope| {
            let writer = scope.spawn(|| write(root));
            thread::sleep(Duration::from_millis(50));
            assert_eq!(names(root), [""; 0], "{name}");
            lock.unlock().unwrap();
            writer.join().unwrap().unwrap();
        });
        assert_eq!(names(root), [FILE], "{name}");
    }
}
