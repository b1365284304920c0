//! Programs in Go: upstream's CRD server, of any release that this project knows, and its clients.

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
pub(super) const OWN: KubeVersion = KubeVersion::new(36);

/// Returns the release that `CRD_E2E_KUBE` asks for, as in `1.30`.
///
/// # Panics
/// The variable names no release.
pub(super) fn chosen() -> KubeVersion {
    match std::env::var("CRD_E2E_KUBE") {
        Ok(text) => text.parse().expect("`CRD_E2E_KUBE` is a release such as 1.30"),
        Err(_) => OWN,
    }
}

/// How the server is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// In upstream's own test fixture.
    Fixture,
    /// With `/apis`, the list of groups that kubectl and other clients ask for. In releases from 1.36.
    Discovery,
}

impl Variant {
    fn binary(self) -> &'static str {
        match self {
            Self::Fixture => "crdserver",
            Self::Discovery => "crdserver-discovery",
        }
    }

    /// Returns the arguments of `go build`.
    fn build(self, binary: &str) -> Vec<&str> {
        let tags: &[&str] = if self == Self::Discovery { &["-tags", "discovery"] } else { &[] };
        [&["build"], tags, &["-o", binary, "."]].concat()
    }
}

/// Builds the server of a release, or takes the one that is built already. Go caches modules and earlier builds.
///
/// # Panics
/// The server does not build.
pub(super) fn server(release: KubeVersion, variant: Variant) -> PathBuf {
    let tests = workspace().join("tests/crdserver");
    if release == OWN {
        let binary = workspace().join("target").join(variant.binary());
        go(&tests, &variant.build(&binary.to_string_lossy()));
        return binary;
    }
    let module = module(release);
    let modules =
        [("k8s.io/apiextensions-apiserver", module.to_owned()), ("k8s.io/client-go", module.to_owned())];
    let build = variant.build(variant.binary());
    let files = ["main.go", "fixture.go", "discovery.go"];
    with_modules(&tests, &format!("crdserver-{release}"), &modules, &files, variant.binary(), &build)
}

/// Builds kubectl of the release that `CRD_E2E_KUBECTL` names, or else of the one in its directory.
///
/// # Panics
/// - kubectl does not build.
/// - The variable does not name one of the releases that are tested.
pub(super) fn kubectl() -> PathBuf {
    let Ok(release) = std::env::var("CRD_E2E_KUBECTL") else { return program("kubectl") };
    let module = KUBECTL.iter().find(|(minor, _)| *minor == release).expect("kubectl 1.27 or 1.29").1;
    let modules = ["k8s.io/component-base", "k8s.io/kubectl"].map(|name| (name, module.to_owned()));
    let folder = workspace().join("tests/kubectl");
    let build = ["build", "-o", "kubectl", "."];
    with_modules(&folder, &format!("kubectl-{release}"), &modules, &["main.go"], "kubectl", &build)
}

/// Releases of kubectl, with the version of its module: the last one that needs `/openapi/v2`, and one in between.
const KUBECTL: [(&str, &str); 2] = [("1.27", "0.27.16"), ("1.29", "0.29.15")];

/// Builds the program of a directory with other modules than those that it names, or takes the one that is built already.
fn with_modules(
    program: &Path,
    name: &str,
    modules: &[(&str, String)],
    files: &[&str],
    binary: &str,
    build: &[&str],
) -> PathBuf {
    let folder = workspace().join("target").join(name);
    let modules: String =
        modules.iter().map(|(module, version)| format!("\t{module} v{version}\n")).collect();
    let requirements = format!("module {name}\n\ngo 1.26.0\n\nrequire (\n{modules})\n");
    // The file is complete after `go mod tidy` only, so that a copy shows for which one the program was built.
    let built_for = folder.join(format!("{binary}.requirements"));
    let read =
        |name: &&str| fs::read_to_string(program.join(name)).expect("the program is in the repository");
    let texts: Vec<String> = files.iter().map(read).collect();
    let wanted = format!("{requirements}{}", texts.concat());
    let binary = folder.join(binary);
    if binary.exists() && fs::read_to_string(&built_for).is_ok_and(|built| built == wanted) {
        return binary;
    }
    fs::create_dir_all(&folder).expect("the target folder can be written");
    for (name, text) in files.iter().zip(&texts).chain([(&"go.mod", &requirements)]) {
        fs::write(folder.join(name), text).expect("the target folder can be written");
    }
    go(&folder, &["mod", "tidy"]);
    go(&folder, build);
    fs::write(built_for, wanted).expect("the target folder can be written");
    binary
}

/// Builds a program of a directory of the tests, which has a `go.mod`, and returns its path.
///
/// # Panics
/// The program does not build.
pub(super) fn program(name: &str) -> PathBuf {
    package(name, ".")
}

/// Builds a package with the module of a directory of the tests, and returns the path of the program.
///
/// # Panics
/// The program does not build.
pub(super) fn package(name: &str, package: &str) -> PathBuf {
    let binary = workspace().join("target").join(name);
    go(&workspace().join("tests").join(name), &["build", "-o", &binary.to_string_lossy(), package]);
    binary
}

/// Returns the version of upstream's module for a release.
#[expect(clippy::panic, reason = "a test fails by panicking")]
fn module(release: KubeVersion) -> &'static str {
    let found = MODULES.iter().find(|(minor, _)| KubeVersion::new(*minor) == release);
    found.map(|(_, module)| *module).unwrap_or_else(|| panic!("no server of Kubernetes {release} is known"))
}

fn go(folder: &Path, arguments: &[&str]) {
    let status = Command::new("go").args(arguments).current_dir(folder).status().expect("go was found");
    assert!(status.success(), "`go {}` failed in {}", arguments.join(" "), folder.display());
}
