//! kubectl against a real API server and against `crdkit serve`: the commands in `script` and `pages.script` have the same exit codes
//! and outputs.
//!
//! `cargo test -p crd-tests --features e2e --test e2e_kubectl`, with `CRD_E2E_KUBE=1.37` for another release of the server, or with
//! `CRD_E2E_KUBECTL=1.27` for another one of kubectl, which is built from its Go module, and kube-apiserver 1.36. With `-- --ignored`, the
//! commands of Helm in `helm.script` and `helm3.script` are compared with kube-apiserver.

mod normalise;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use crd_core::KubeVersion;
use crd_tests::served::Served;
use crd_tests::server::{Server, go_client, go_tool, kubectl};
use crd_tests::workspace;
use normalise::normalise;
use tempfile::TempDir;

static HELM: LazyLock<PathBuf> = LazyLock::new(|| go_client("helm"));
static HELM_3: LazyLock<PathBuf> = LazyLock::new(|| go_tool("helm3", "helm.sh/helm/v3/cmd/helm"));

/// The time after which the real server lists a definition that was created.
const SETTLED: Duration = Duration::from_secs(4);
/// The time in which a command that runs on has begun to watch, and in which it has printed its last event.
const A_MOMENT: Duration = Duration::from_secs(2);

#[tokio::test]
async fn kubectl_prints_the_same() {
    let Some(real) = Server::start_for_kubectl().await else { return };
    let definitions = folder().join("files/shirts.yaml");
    let ours = Served::start(program(), &[&definitions], real.options.kube_version);
    let clients = clients(&real, &ours);
    // `crdkit serve` has it from the start.
    let created = clients[0].run(&["create", "-f", "files/shirts.yaml"]);
    assert!(created.starts_with("exit code 0"), "{created}");
    sleep(SETTLED);

    compare("script", &clients, real.options.kube_version);
}

/// Helm keeps its releases in Secrets, and the chart has roles: only kube-apiserver has both.
#[tokio::test]
#[ignore = "builds kube-apiserver and Helm, which takes ten minutes"]
async fn helm_prints_the_same() {
    for script in ["helm.script", "helm3.script"] {
        let Some(real) = Server::start_kube_apiserver().await else { return };
        let ours = Served::start(program(), &[], real.options.kube_version);
        compare(script, &clients(&real, &ours), real.options.kube_version);
    }
}

#[tokio::test]
async fn the_commands_of_the_documentation_print_the_same() {
    let Some(real) = Server::start_for_kubectl().await else { return };
    let ours = Served::start(program(), &[], real.options.kube_version);
    compare("pages.script", &clients(&real, &ours), real.options.kube_version);
}

fn folder() -> PathBuf {
    workspace().join("tests/tests/e2e_kubectl")
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_crdkit-with-cluster"))
}

/// kubectl with the real server, and with ours.
fn clients(real: &Server, ours: &Served) -> [Client; 2] {
    let kubectl = kubectl();
    [real.kubeconfig(), ours.kubeconfig()].map(|kubeconfig| Client::new(&kubectl, kubeconfig, &folder()))
}

/// Runs the commands of a script with both servers.
#[expect(clippy::print_stdout, reason = "a log of CI says how much was compared")]
fn compare(name: &str, clients: &[Client; 2], release: KubeVersion) {
    let script = fs::read_to_string(folder().join(name)).expect("the script is in the repository");
    let (mut commands, mut differences, mut running) = (0, Vec::new(), Vec::new());
    for line in script.lines().filter(|line| !line.starts_with('#')) {
        if line == "." {
            sleep(SETTLED);
            continue;
        }
        commands += 1;
        match line.strip_prefix("& ") {
            Some(command) => {
                running.push((line, clients.each_ref().map(|client| client.start(&words(command)))));
                sleep(A_MOMENT);
            }
            None => differences
                .extend(difference(line, clients.each_ref().map(|client| client.run(&words(line))))),
        }
    }
    sleep(A_MOMENT);
    for (line, running) in running {
        differences.extend(difference(line, running.map(Running::stop)));
    }
    println!("{commands} commands of {name} against Kubernetes {release}");
    assert!(commands >= 40, "the script has {commands} commands");
    assert!(differences.is_empty(), "{} commands differ:\n{}", differences.len(), differences.join("\n"));
}

fn words(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

/// Returns both outputs of a command, if they differ.
fn difference(command: &str, [real, ours]: [String; 2]) -> Option<String> {
    (real != ours).then(|| format!("## kubectl {command}\n-- the real server\n{real}-- crdkit serve\n{ours}"))
}

/// kubectl with a server and a home of its own.
struct Client {
    kubectl: PathBuf,
    kubeconfig: PathBuf,
    folder: PathBuf,
    home: TempDir,
}

impl Client {
    fn new(kubectl: &Path, kubeconfig: &Path, folder: &Path) -> Self {
        Self {
            kubectl: kubectl.to_owned(),
            kubeconfig: kubeconfig.to_owned(),
            folder: folder.to_owned(),
            home: tempfile::tempdir().expect("a folder can be made"),
        }
    }

    /// Returns the exit code and the outputs of a command.
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("kubectl was built");
        let code = output.status.code().unwrap_or(-1);
        let [printed, errors] =
            [output.stdout, output.stderr].map(|bytes| normalise(&String::from_utf8_lossy(&bytes)));
        format!("exit code {code}\n{printed}{errors}")
    }

    /// Starts a command, whose output goes to a file.
    fn start(&self, arguments: &[&str]) -> Running {
        let output = tempfile::NamedTempFile::new().expect("a file can be made");
        let file = File::options().write(true).open(output.path()).expect("the file was made");
        let process = self.command(arguments).stdout(file).stderr(Stdio::null()).spawn();
        Running { process: process.expect("kubectl was built"), output }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let (program, arguments) = match arguments {
            ["helm", arguments @ ..] => (HELM.clone(), arguments),
            ["helm3", arguments @ ..] => (HELM_3.clone(), arguments),
            arguments => (self.kubectl.clone(), arguments),
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("KUBECONFIG", &self.kubeconfig)
            .env("HOME", self.home.path())
            .env("KUBE_EDITOR", "sed -i s/replicas:.2/replicas:.9/")
            .stdin(Stdio::null());
        command
    }
}

/// A command that runs until it is stopped.
struct Running {
    process: Child,
    output: tempfile::NamedTempFile,
}

impl Running {
    /// Stops the command and returns what it has printed.
    fn stop(mut self) -> String {
        self.process.kill().expect("a child can be stopped");
        self.process.wait().expect("a child ends");
        normalise(&fs::read_to_string(self.output.path()).expect("kubectl prints text"))
    }
}
