//! The program of upstream's CRD server, of any release that this project knows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crd_core::KubeVersion;

use crate::workspace;

/// The minor versions of Kubernetes, with the version of upstream's module that was newest when it was entered here.
const MODULES: [(u32, &str); 8] = [
    (30, "0.30.14"),
    (31, "0.31.14"),
    (32, "0.32.13"),
    (33, "0.33.9"),
    (34, "0.34.5"),
    (35, "0.35.2"),
    (36, "0.36.2"),
    (37, "0.37.2"),
];
/// The release that `tests/crdserver/go.mod` names.
const OWN: KubeVersion = KubeVersion::new(36);

/// The release that `CRD_E2E_KUBE` asks for, as in `1.30`.
///
/// # Panics
/// The variable names no release.
pub(super) fn chosen() -> KubeVersion {
    match std::env::var("CRD_E2E_KUBE") {
        Ok(text) => text.parse().expect("`CRD_E2E_KUBE` is a release such as 1.30"),
        Err(_) => OWN,
    }
}

/// Builds the server of a release, or takes the one that is built already. Go caches modules and earlier builds.
///
/// # Panics
/// The server does not build.
pub(super) fn server(release: KubeVersion) -> PathBuf {
    let tests = workspace().join("tests/crdserver");
    if release == OWN {
        let binary = workspace().join("target/crdserver");
        go(&tests, &["build", "-o", &binary.to_string_lossy(), "."]);
        return binary;
    }
    let folder = workspace().join(format!("target/crdserver-{release}"));
    let binary = folder.join("crdserver");
    let module = module(release);
    let requirements = format!(
        "module crdserver\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/apiextensions-apiserver v{module}\n\tk8s.io/client-go v{module}\n)\n"
    );
    // The file is complete after `go mod tidy` only, so that a copy shows for which one the program was built.
    let built_for = folder.join("requirements");
    let program = fs::read_to_string(tests.join("main.go")).expect("the program is in the repository");
    let is_current = |built: String| built == requirements.clone() + &program;
    if binary.exists() && fs::read_to_string(&built_for).is_ok_and(is_current) {
        return binary;
    }
    fs::create_dir_all(&folder).expect("the target folder can be written");
    fs::write(folder.join("main.go"), &program).expect("the target folder can be written");
    fs::write(folder.join("go.mod"), &requirements).expect("the target folder can be written");
    go(&folder, &["mod", "tidy"]);
    go(&folder, &["build", "-o", "crdserver", "."]);
    fs::write(built_for, requirements + &program).expect("the target folder can be written");
    binary
}

/// The version of upstream's module for a release.
#[expect(clippy::panic, reason = "a test fails by panicking")]
fn module(release: KubeVersion) -> &'static str {
    let found = MODULES.iter().find(|(minor, _)| KubeVersion::new(*minor) == release);
    found.map(|(_, module)| *module).unwrap_or_else(|| panic!("no server of Kubernetes {release} is known"))
}

fn go(folder: &Path, arguments: &[&str]) {
    let status = Command::new("go").args(arguments).current_dir(folder).status().expect("go was found");
    assert!(status.success(), "`go {}` failed in {}", arguments.join(" "), folder.display());
}
