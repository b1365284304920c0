//! Runs that are killed, that fill the disk, that run at the same time, or that find something other than a file: they end, and leave
//! every file whole.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crd_tests::tool::{empty_directory, release_build};
use serde_json::{Value, json};

/// Returns a folder with this many definitions, whose generated code contains the number of the run.
fn folder(name: &str, kinds: usize, run: &str) -> PathBuf {
    let folder = empty_directory(&format!("hostile-files/{name}"));
    fs::create_dir(folder.join("in")).unwrap();
    definitions(&folder, kinds, run);
    folder
}

fn definitions(folder: &Path, kinds: usize, run: &str) {
    for i in 0..kinds {
        fs::write(folder.join(format!("in/{i}.json")), definition(i, run).to_string()).unwrap();
    }
}

fn definition(i: usize, run: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things{i}.example.org")},
        "spec": {
            "group": "example.org", "scope": "Cluster",
            "names": {"plural": format!("things{i}"), "singular": format!("thing{i}"), "kind": format!("Thing{i}")},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {
                    run: {"type": "string", "description": "Says which run this is of. ".repeat(50)},
                }}},
            }}}],
        },
    })
}

fn generate(tool: &Path, folder: &Path) -> Command {
    let mut command = Command::new(tool);
    command.args(["generate", "in", "--out", "out"]).current_dir(folder).stdin(Stdio::null());
    command
}

/// Returns the generated files with their contents. Fails if a file is not whole.
fn generated(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.join("out")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push((path.clone(), fs::read_to_string(path).unwrap())),
            }
        }
    }
    found.sort();
    found
}

#[test]
#[ignore = "builds the tool in release"]
fn killed_runs_leave_whole_files_and_the_next_run_cleans_up() {
    let tool = release_build();
    let folder = folder("killed", 60, "old");
    assert!(generate(&tool, &folder).output().unwrap().status.success());
    let old = generated(&folder);
    definitions(&folder, 60, "new");
    assert!(generate(&tool, &folder).output().unwrap().status.success());
    let new = generated(&folder);
    for round in 0..40_u64 {
        definitions(&folder, 60, if round % 2 == 0 { "old" } else { "new" });
        let mut run = generate(&tool, &folder).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(round * 3));
        run.kill().unwrap();
        run.wait().unwrap();
        for (path, text) in generated(&folder) {
            let is_leftover = path.to_str().unwrap().ends_with(".crd-codegen-new");
            let is_whole =
                [&old, &new].into_iter().any(|files| files.contains(&(path.clone(), text.clone())));
            assert!(is_leftover || is_whole, "{} is neither old nor new", path.display());
        }
    }
    assert!(generate(&tool, &folder).output().unwrap().status.success());
    assert!(generated(&folder) == new, "the last run leaves its own files and no others");
}

#[test]
#[ignore = "builds the tool in release"]
fn runs_at_the_same_time_leave_the_files_of_one() {
    let tool = release_build();
    let folder = folder("at-once", 40, "same");
    let runs: Vec<_> =
        (0..6).map(|_| generate(&tool, &folder).stderr(Stdio::piped()).spawn().unwrap()).collect();
    for run in runs {
        let Output { status, stderr, .. } = run.wait_with_output().unwrap();
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    }
    let together = generated(&folder);
    fs::remove_dir_all(folder.join("out")).unwrap();
    assert!(generate(&tool, &folder).output().unwrap().status.success());
    assert!(together == generated(&folder));
}

#[test]
#[ignore = "builds the tool in release"]
fn a_full_disk_leaves_the_old_files() {
    let tool = release_build();
    let folder = folder("full", 20, "old");
    fs::write(folder.join("crdkit.toml"), "[job.a]\ninputs = [\"in\"]\nout = \"out\"\n").unwrap();
    let run = |limit: &str| {
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" run");
        Command::new("sh").args(["-c", &script]).arg(&tool).current_dir(&folder).output().unwrap()
    };
    assert!(run("unlimited").status.success());
    let old = generated(&folder);
    let lock = fs::read_to_string(folder.join("crdkit.lock")).unwrap();
    definitions(&folder, 20, "new");
    // Blocks have 512 or 1024 bytes, depending on the shell: too few for any file, and too few for a large one.
    for limit in ["0", "1", "2"] {
        let output = run(limit);
        assert!(!output.status.success() && !output.stderr.is_empty());
        assert!(generated(&folder) == old, "files have changed at the limit {limit}");
        assert_eq!(fs::read_to_string(folder.join("crdkit.lock")).unwrap(), lock);
    }
}

#[test]
#[ignore = "builds the tool in release"]
fn inputs_and_outputs_that_are_not_files_are_errors() {
    let tool = release_build();
    let folder = folder("not-files", 1, "a");
    let run = |script: &str| {
        let script = format!("ulimit -t 5; set -e; {}", script.replace("TOOL", tool.to_str().unwrap()));
        let output = Command::new("timeout")
            .args(["10", "bash", "-c", &script])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    fs::write(folder.join("job.toml"), "[job.a]\ninputs = [\"in\"]\nout = \"out2\"\n").unwrap();
    let refused = [
        "mkfifo p; TOOL check p",
        "TOOL check /dev/zero",
        "TOOL check --format json p",
        "TOOL validate --crd p in",
        "TOOL validate --crd in --old /dev/zero in",
        "TOOL cel --crd p true",
        "TOOL test p",
        "TOOL generate p --out out",
        "TOOL generate in --out out --config p",
        "TOOL generate in --out out --config /dev/zero",
        "TOOL generate in --out p",
        "TOOL run --config p",
        "TOOL run --config /dev/zero",
        "mkdir -p out; mkfifo out/mod.rs; TOOL generate in --out out",
        "rm out/mod.rs; mkdir out/mod.rs; TOOL generate in --out out",
        "rmdir out/mod.rs; mkfifo out/names.lock; TOOL generate in --out out",
        "mkfifo job.lock; TOOL run --config job.toml",
        "rm job.lock; ln -s /dev/zero job.lock; TOOL run --config job.toml",
        "rm job.lock; mkdir job.lock; TOOL run --config job.toml",
    ];
    for script in refused {
        let (code, message) = run(script);
        assert_eq!(code, Some(2), "{script}: {message}");
        assert!(message.contains("error: "), "{script}: {message}");
    }
    for script in
        ["TOOL check <(cat in/0.json)", "TOOL check /dev/stdin < in/0.json", "TOOL check - < in/0.json"]
    {
        let (code, message) = run(script);
        assert_eq!(code, Some(0), "{script}: {message}");
    }
}

#[test]
#[ignore = "builds the tool in release"]
fn planted_links_are_not_followed() {
    let tool = release_build();
    let folder = folder("links", 1, "a");
    let victim = folder.join("victim");
    fs::create_dir_all(folder.join("out")).unwrap();
    fs::create_dir_all(folder.join("elsewhere")).unwrap();
    fs::write(&victim, "// @generated by crd-codegen. victim").unwrap();
    symlink("../victim", folder.join("out/.mod.rs.crd-codegen-new")).unwrap();
    assert!(generate(&tool, &folder).output().unwrap().status.success());
    fs::remove_dir_all(folder.join("out/example_org")).unwrap();
    symlink("../elsewhere", folder.join("out/example_org")).unwrap();
    assert_eq!(generate(&tool, &folder).output().unwrap().status.code(), Some(2));
    fs::remove_file(folder.join("out/example_org")).unwrap();
    fs::remove_file(folder.join("out/mod.rs")).unwrap();
    symlink("../victim", folder.join("out/mod.rs")).unwrap();
    assert_eq!(generate(&tool, &folder).output().unwrap().status.code(), Some(2));
    assert_eq!(fs::read_to_string(victim).unwrap(), "// @generated by crd-codegen. victim");
    assert_eq!(fs::read_dir(folder.join("elsewhere")).unwrap().count(), 0);
}
