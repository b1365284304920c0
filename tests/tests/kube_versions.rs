//! Generated clients compile without warnings with each version of kube that they support, calls that a definition does not allow do
//! not compile, derived resources work with the client of each version, and types of the form `kube` with its derive.
//!
//! Builds kube twice, which takes minutes: `cargo test -p crd-tests --test kube_versions -- --ignored`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crd_codegen::{Config, Form, Layout, Versions, generate};
use crd_input::Limits;
use crd_tests::workspace;

/// Versions of kube, each with the k8s-openapi that it uses.
const VERSIONS: [(&str, &str); 2] = [("5", "0.29"), ("4", "0.28")];

/// Calls that a definition does not allow, with the errors of rustc.
const MISUSES: [(&str, &str); 4] = [
    ("client.shirt_policies().get_scale(\"p\").await.map(drop)", "ShirtPolicy: WithScale"),
    ("client.shirt_policies().get_status(\"p\").await.map(drop)", "ShirtPolicy: WithStatus"),
    ("client.shirt_policies(\"default\").get(\"p\").await.map(drop)", "takes 0 arguments"),
    ("client.all_shirts().delete(\"s\").await.map(drop)", "no method named `delete`"),
];

#[test]
#[ignore = "builds two versions of kube, which takes minutes"]
fn derived_resources_work_with_both_versions_of_kube() {
    let (_alone, generated) = (alone(), generated());
    for (kube, k8s_openapi) in VERSIONS {
        let project = project(kube, k8s_openapi, &generated);
        let output = cargo(&project, &["run", "--package", "derived"]);
        assert!(output.status.success(), "kube {kube}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
#[ignore = "builds two versions of kube, which takes minutes"]
fn clients_compile_with_both_versions_of_kube() {
    let (_alone, generated) = (alone(), generated());
    for (kube, k8s_openapi) in VERSIONS {
        let project = project(kube, k8s_openapi, &generated);
        let output = check(&project, "Ok(())");
        assert!(output.status.success(), "kube {kube}: {}", String::from_utf8_lossy(&output.stderr));
        for (misuse, expected) in MISUSES {
            let output = check(&project, misuse);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "kube {kube}: {misuse}");
            assert!(stderr.contains(expected), "kube {kube}: {misuse}: {stderr}");
        }
    }
}

#[test]
#[ignore = "builds two versions of kube, which takes minutes"]
fn types_of_the_form_kube_work_with_the_derive_of_both_versions() {
    let (_alone, generated) = (alone(), generated());
    for (kube, k8s_openapi) in VERSIONS {
        let project = project(kube, k8s_openapi, &generated);
        let features: &[&str] = if kube == "5" { &["--features", "no-spec"] } else { &[] };
        let output = cargo(&project, &[&["run", "--package", "kube-form"], features].concat());
        assert!(output.status.success(), "kube {kube}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The package of the types with kube's derive. kube 4 has no derive for the kind without a spec.
fn kube_form(project: &Path, kube: &str, k8s_openapi: &str) {
    let folder = project.join("kube-form");
    let fixture = workspace().join("crd-codegen/tests/fixtures/derives.json");
    let limits = Limits::default();
    let (sources, _) = crd_input::sources(std::slice::from_ref(&fixture), &limits);
    let mut definitions = crd_input::definitions(&sources, &limits, &|| ()).definitions;
    definitions.retain(|definition| kube == "5" || definition.crd.spec.names.kind != "Report");
    let mut config = Config::new();
    config.form(Form::Kube).layout(Layout::SingleFile).versions(Versions::All);
    let with_schemas = |config: &Config| {
        let mut config = config.clone();
        config.derive("schemars::JsonSchema".parse().unwrap());
        generate(&definitions, &config).files[0].contents.clone()
    };
    fs::write(folder.join("src/with_schemas.rs"), with_schemas(&config)).unwrap();
    config.unions(true).setters(true);
    fs::write(folder.join("src/generated.rs"), &generate(&definitions, &config).files[0].contents).unwrap();
    fs::copy(fixture, folder.join("derives.json")).unwrap();
    let manifest = format!(
        "[package]\nname = \"kube-form\"\nedition = \"2024\"\n\n[features]\nno-spec = []\n\n[dependencies]\n\
         k8s-openapi = {{ version = \"{k8s_openapi}\", features = [\"latest\", \"schemars\"] }}\n\
         kube = {{ version = \"{kube}\", default-features = false, features = [\"derive\"] }}\n\
         schemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/main.rs"), include_str!("kube_versions/kube_form.rs")).unwrap();
}

/// Returns a lock for the projects that the tests share, so that kube is built once.
fn alone() -> MutexGuard<'static, ()> {
    static PROJECTS: Mutex<()> = Mutex::new(());
    PROJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn generated() -> String {
    fs::read_to_string(workspace().join("crd-codegen/tests/golden/clients.rs")).unwrap()
}

/// Returns a workspace with a package for the client and one for a derived resource, which share the built dependencies.
fn project(kube: &str, k8s_openapi: &str, generated: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kube-{kube}"));
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"with-kube\"\nedition = \"2024\"\n\n[workspace]\nmembers = [\"derived\", \"kube-form\"]\n\n[dependencies]\nfutures = \"0.3\"\n\
         k8s-openapi = {{ version = \"{k8s_openapi}\", features = [\"latest\"] }}\n\
         kube = {{ version = \"{kube}\", default-features = false, features = [\"client\"] }}\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n\
         tokio = {{ version = \"1\", features = [\"time\"] }}\n\n[profile.dev]\ndebug = false\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/generated.rs"), generated).unwrap();
    // The package is not built, but it has to exist.
    if !folder.join("src/lib.rs").exists() {
        fs::write(folder.join("src/lib.rs"), "").unwrap();
    }
    for member in ["derived", "kube-form"] {
        fs::create_dir_all(folder.join(member).join("src")).unwrap();
    }
    kube_form(&folder, kube, k8s_openapi);
    let derived = folder.join("derived");
    let manifest = format!(
        "[package]\nname = \"derived\"\nedition = \"2024\"\n\n[dependencies]\ncrd-server = {{ path = {:?} }}\n\
         crdkit = {{ path = {:?}, features = [\"check\"] }}\nhttp = \"1\"\nk8s-openapi = {{ version = \"{k8s_openapi}\", features = [\"latest\"] }}\n\
         kube = {{ version = \"{kube}\", default-features = false, features = [\"client\"] }}\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt\", \"time\"] }}\n\
         tower = {{ version = \"0.5\", features = [\"util\"] }}\n",
        workspace().join("crd-server"),
        workspace().join("crdkit")
    );
    fs::write(derived.join("Cargo.toml"), manifest).unwrap();
    fs::write(derived.join("src/main.rs"), include_str!("kube_versions/derived.rs")).unwrap();
    folder
}

/// Checks the generated code with a use of it.
fn check(project: &Path, usage: &str) -> Output {
    let text = format!(
        "#![deny(warnings)]\npub mod generated;\n\n/// A use.\npub async fn usage(\n    \
         client: &generated::clients_example_com::v1::Client,\n) -> kube::Result<()> {{\n    let _ = client;\n    {usage}\n}}\n"
    );
    fs::write(project.join("src/lib.rs"), text).unwrap();
    // `build` in place of `check`, so that the derived resource uses the same build of kube.
    cargo(project, &["build", "--package", "with-kube"])
}

fn cargo(project: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(project)
        .env("CARGO_TARGET_DIR", project.join("target"))
        .output()
        .unwrap()
}
