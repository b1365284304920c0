//! The command `run`: jobs of a configuration file.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod tool;

use std::fs;
use std::path::Path;

use tool::{Folder, SHIRT};

#[test]
fn jobs_run_and_are_locked() {
    let config = "docs = false\n\n[job.shirts]\ninputs = [\"crds\"]\nout = \"src/api\"\napply = true\n\n\
                  [job.again]\ninputs = [\"crds/shirt.yaml\"]\nout = \"src/again\"\ndocs = true\n";
    let folder = Folder::new("cli-jobs", &[("crdkit.toml", config), ("crds/shirt.yaml", SHIRT)]);
    let run = folder.run("run --check");
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stderr.contains("crdkit.lock out of date: crds/shirt.yaml"), "{}", run.stderr);
    assert_eq!(folder.run("run").status, 0);
    let read = |path: &str| fs::read_to_string(folder.0.join(path)).unwrap();
    let lock = read("crdkit.lock");
    assert_eq!(lock.matches("\"crds/shirt.yaml\" = \"sha256:").count(), 2, "{lock}");
    let shirt = "stable_example_com/v1/shirt.rs";
    assert!(read(&format!("src/api/{shirt}")).contains("pub struct ShirtApply"));
    let again = read(&format!("src/again/{shirt}"));
    assert!(again.contains("///") && !again.contains("ShirtApply"));
    assert_eq!(folder.run("run --check --locked").status, 0);

    fs::write(folder.0.join("crds/shirt.yaml"), SHIRT.replace("color", "colour")).unwrap();
    let run = folder.run("run --locked again");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("the checksum differs for crds/shirt.yaml"), "{}", run.stderr);
    assert_eq!(read(&format!("src/again/{shirt}")), again);
    assert_eq!(folder.run("run --check again").status, 1);
    assert_eq!(folder.run("run again").status, 0);
    assert_ne!(read("crdkit.lock"), lock);
}

#[test]
fn mistakes_in_jobs_are_reported() {
    let cases = [
        ("", "there is no job; define a job in a table `[job.NAME]`"),
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
        ("[job.a]\ninputs = [\"x\"]\nout = \"\"", "job `a`: expected `out = \"...\"`"),
        ("[job.a]\ninputs = [\"x\"]\nout = \"y\"\ndoc = true", "job `a`: unknown field `doc`"),
        ("[job.a]\ninputs = [\"x\"]\nout = \"y\"", "job `a`: "),
    ];
    for (config, expected) in cases {
        let folder = Folder::new("cli-job-mistakes", &[("crdkit.toml", config)]);
        let run = folder.run("run");
        assert_eq!(run.status, 2, "{config}");
        assert!(run.stderr.contains(expected), "{config}: {}", run.stderr);
    }
    let folder = Folder::new("cli-job-unknown", &[("crdkit.toml", "[job.a]\ninputs = [\"x\"]\nout = \"y\"")]);
    assert!(folder.run("run b").stderr.contains("there is no job `b`"));
}

const PACKAGE: &str = "[job.types]\ninputs = [\"crds\"]\nout = \"types\"\nkube = true\n\n[job.types.package]\nname = \"shirt-types\"\n\
                       version = \"1.2.0\"\nrust-version = \"1.89\"\nlicense = \"MIT\"\n[job.types.package.dependencies]\nbytes = \"1\"\n";

#[test]
fn a_job_writes_a_package() {
    let folder = Folder::new("cli-package", &[("crdkit.toml", PACKAGE), ("crds/shirt.yaml", SHIRT)]);
    let run = folder.run("run");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let manifest = folder.read("types/Cargo.toml");
    for part in [
        "[package]\nname = \"shirt-types\"\nversion = \"1.2.0\"\nedition = \"2024\"\nrust-version = \"1.89\"\nlicense = \"MIT\"\n\
         description = \"Rust types of the custom resources of stable.example.com\"\n",
        "[features]\ndefault = [\"v1\"]\nv1 = []\n",
        "latest = [\"k8s-openapi/latest\"]\n",
        "[dependencies]\nbytes = \"1\"\nk8s-openapi = \"0.29\"\nkube = { version = \"5\", default-features = false }\n",
        "[dev-dependencies]\n",
        "[package.metadata.docs.rs]\nall-features = true\n",
    ] {
        assert!(manifest.contains(part), "{part}\n{manifest}");
    }
    assert!(
        folder.read("types/src/stable_example_com/mod.rs").contains("#[cfg(feature = \"v1\")]\npub mod v1;")
    );
    assert!(folder.read("types/src/lib.rs").contains("\npub mod stable_example_com;"));
    let test = folder.read("types/tests/samples/stable_example_com/v1.rs");
    assert!(
        test.contains("use shirt_types::stable_example_com::v1;") && test.contains("\"color\": "),
        "{test}"
    );
    assert!(folder.read("types/README.md").contains("| `stable.example.com/v1` |"));
    assert_eq!(folder.run("run --check --locked").status, 0);

    fs::write(folder.0.join("crdkit.toml"), PACKAGE.replace("1.2.0", "1.3.0")).unwrap();
    let run = folder.run("run --check");
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("-version = \"1.2.0\"\n+version = \"1.3.0\"\n"), "{}", run.stdout);
}

#[test]
fn the_manifest_and_the_readme_can_belong_to_their_owner() {
    let folder = Folder::new("cli-package-owner", &[("crdkit.toml", PACKAGE), ("crds/shirt.yaml", SHIRT)]);
    assert_eq!(folder.run("run").status, 0);
    let (_, own) =
        folder.read("types/Cargo.toml").split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let own = own.replace("1.2.0", "2.0.0");
    let write = |path: &str, text: &str| fs::write(folder.0.join(path), text).unwrap();
    write("types/Cargo.toml", &own);
    write("types/README.md", "mine");
    for command in ["run", "run --check"] {
        let run = folder.run(command);
        assert_eq!(run.status, 0, "{}", run.stderr);
    }
    assert_eq!(
        (folder.read("types/Cargo.toml"), folder.read("types/README.md")),
        (own.clone(), "mine".to_owned())
    );

    write("types/Cargo.toml", &own.replace("v1 = []\n", "").replace("bytes = \"1\"\n", ""));
    for command in ["run", "run --check"] {
        let run = folder.run(command);
        assert_eq!(run.status, 1, "{}", run.stderr);
        let expected =
            "the generated code needs `v1 = []` in `[features]`, `bytes = \"1\"` in `[dependencies]`";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    // A folder of somebody else's package is left alone.
    write("types/Cargo.toml", "[package]\nname = \"other\"\n");
    let run = folder.run("run");
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(run.stderr.contains("expected the manifest of the package `shirt-types`"), "{}", run.stderr);
}

#[test]
fn the_package_among_the_examples_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/package");
    let run = tool::run(&folder, &["run", "--check", "--locked"], b"");
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn mistakes_in_packages_are_reported() {
    let cases = [
        ("package = 1", "job `a`: expected `package = \"NAME\"`"),
        ("package = \"-p\"", "job `a`: `-p` is not the name of a package"),
        ("package = \"1a\"", "job `a`: `1a` is not the name of a package"),
        ("package = \"test\"", "job `a`: `test` is not the name of a package"),
        (&*format!("package = \"{}\"", "a".repeat(5_000)), "aaa...` is not the name of a package"),
        (
            "package = { name = \"a\", dependencies = { \"b = 1\\n[lib]\\nc\" = \"1\" } }",
            "[lib]\\nc` is not the name of a package",
        ),
        ("package = \"self\"", "job `a`: `self` is not the name of a package"),
        ("package = \"a b\"", "job `a`: `a b` is not the name of a package"),
        ("package = { version = \"1.0.0\" }", "job `a`: expected `name = \"...\"` in `package`"),
        (
            "package = { name = \"a\", licence = \"MIT\" }",
            "job `a`: unknown field `licence`; did you mean `license`?",
        ),
    ];
    for (package, expected) in cases {
        let config = format!("[job.a]\ninputs = [\"x\"]\nout = \"y\"\n{package}\n");
        let folder = Folder::new("cli-package-mistakes", &[("crdkit.toml", &config)]);
        let run = folder.run("run");
        assert_eq!(run.status, 2, "{package}");
        assert!(run.stderr.contains(expected), "{package}: {}", run.stderr);
    }
}
