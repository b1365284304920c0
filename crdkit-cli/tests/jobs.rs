//! The command `run`: jobs of a configuration file.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod tool;

use std::fs;

use tool::{Folder, SHIRT};

#[test]
fn jobs_run_and_are_locked() {
    let config = "docs = false\n\n[job.shirts]\ninputs = [\"crds\"]\nout = \"src/api\"\napply = true\n\n\
                  [job.again]\ninputs = [\"crds/shirt.yaml\"]\nout = \"src/again\"\ndocs = true\n";
    let folder = Folder::new("cli-jobs", &[("crd-codegen.toml", config), ("crds/shirt.yaml", SHIRT)]);
    let run = folder.run("run --check");
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stderr.contains("crd-codegen.lock out of date: crds/shirt.yaml"), "{}", run.stderr);
    assert_eq!(folder.run("run").status, 0);
    let read = |path: &str| fs::read_to_string(folder.0.join(path)).unwrap();
    let lock = read("crd-codegen.lock");
    assert_eq!(lock.matches("\"crds/shirt.yaml\" = \"sha256:").count(), 2, "{lock}");
    let shirt = "stable_example_com/v1/shirt.rs";
    assert!(read(&format!("src/api/{shirt}")).contains("pub struct ShirtApply"));
    let again = read(&format!("src/again/{shirt}"));
    assert!(again.contains("///") && !again.contains("ShirtApply"));
    assert_eq!(folder.run("run --check --locked").status, 0);

    fs::write(folder.0.join("crds/shirt.yaml"), SHIRT.replace("color", "colour")).unwrap();
    let run = folder.run("run --locked again");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("not what it was: crds/shirt.yaml"), "{}", run.stderr);
    assert_eq!(read(&format!("src/again/{shirt}")), again);
    assert_eq!(folder.run("run --check again").status, 1);
    assert_eq!(folder.run("run again").status, 0);
    assert_ne!(read("crd-codegen.lock"), lock);
}

#[test]
fn mistakes_in_jobs_are_reported() {
    let cases = [
        ("", "there is no job, as in `[job.name]`"),
        ("[job.a]\nout = \"x\"", "job `a`: expected `inputs = [\"...\"]`"),
        (
            "[job.a]\nout = \"x\"\ncluster = 1",
            "job `a`: expected `cluster = true` or `cluster = \"CONTEXT\"`",
        ),
        (
            "[job.a]\nout = \"x\"\ncluster = true\ncluster-select = \"b\"",
            "job `a`: expected `cluster-select = [",
        ),
        (
            "[job.a]\ninputs = [\"x\"]\nout = \"x\"\ncluster-select = [\"b\"]",
            "job `a`: `cluster-select` needs `cluster`",
        ),
        ("[job.a]\ninputs = [\"x\"]", "job `a`: expected `out = \"...\"`"),
        ("[job.a]\ninputs = [\"x\"]\nout = \"y\"\ndoc = true", "job `a`: unknown field `doc`"),
        ("[job.a]\ninputs = [\"x\"]\nout = \"y\"", "job `a`: "),
    ];
    for (config, expected) in cases {
        let folder = Folder::new("cli-job-mistakes", &[("crd-codegen.toml", config)]);
        let run = folder.run("run");
        assert_eq!(run.status, 2, "{config}");
        assert!(run.stderr.contains(expected), "{config}: {}", run.stderr);
    }
    let folder =
        Folder::new("cli-job-unknown", &[("crd-codegen.toml", "[job.a]\ninputs = [\"x\"]\nout = \"y\"")]);
    assert!(folder.run("run b").stderr.contains("there is no job `b`"));
}
