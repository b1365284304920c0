//! A real API server for `CustomResourceDefinition`s, and requests to it.

mod build;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use crd_core::KubeVersion;
use crd_core::check::{FeatureGate, ServerOptions};
use http::{HeaderValue, Method};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::Value;

use build::Variant;

/// A running API server: that of `KUBECONFIG`, or the CRD server of upstream on the loopback interface, or `crd-server` in this
/// process if `CRD_E2E_SERVER` is `crd-server`.
pub struct Server {
    /// A client of it.
    pub client: Client,
    /// Its release: that of the cluster, or that of `CRD_E2E_KUBE`, or else 1.36; and its feature gates.
    pub options: ServerOptions,
    kubeconfig: PathBuf,
    /// The server, and its temporary directory: a server that is killed would leave its data there.
    process: Option<(Child, tempfile::TempDir)>,
    in_process: Option<InProcess>,
}

/// `crd-server`, which stops when this value is dropped, and the directory of its kubeconfig.
type InProcess = (crd_server::Listening, tempfile::TempDir);

impl Server {
    /// Starts a server, or connects to the one that `KUBECONFIG` names.
    ///
    /// Prints a line and returns `None` if `KUBECONFIG` is not set and Go is not installed.
    ///
    /// # Panics
    /// - The server does not start.
    /// - No server is available, and `CRD_E2E=required` is set.
    pub async fn start() -> Option<Self> {
        if let Some(kubeconfig) = std::env::var_os("KUBECONFIG") {
            let client = Client::try_default().await.expect("KUBECONFIG names a cluster that can be reached");
            let info = client.apiserver_version().await.expect("a cluster tells its version");
            let minor = info.minor.trim_end_matches('+').parse().expect("its minor version is a number");
            let options = ServerOptions::new(KubeVersion::new(minor));
            let kubeconfig = kubeconfig.into();
            return Some(Self { client, options, kubeconfig, process: None, in_process: None });
        }
        Self::start_with(&[]).await
    }

    /// As [`start`](Self::start), with the features turned on that the release leaves to its users.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    pub async fn start_with_all_features() -> Option<Self> {
        if std::env::var_os("KUBECONFIG").is_some() {
            return Self::start().await;
        }
        let release = Self::chosen_release();
        let is_off = |gate: &FeatureGate| gate.is_settable_in(release) && !gate.is_default_in(release);
        let gates: Vec<_> = FeatureGate::ALL.into_iter().filter(is_off).map(|gate| (gate, true)).collect();
        Self::start_with(&gates).await
    }

    /// Returns the release of [`start_with`](Self::start_with): that of `CRD_E2E_KUBE`, or else 1.36.
    ///
    /// # Panics
    /// The variable names no release.
    #[must_use]
    pub fn chosen_release() -> KubeVersion {
        build::chosen()
    }

    /// Starts the CRD server of upstream with feature gates; `None` without Go to build it with.
    ///
    /// # Panics
    /// - The CRD server does not build or start.
    /// - There is no Go, and `CRD_E2E` is `required`.
    pub async fn start_with(gates: &[(FeatureGate, bool)]) -> Option<Self> {
        let options =
            gates.iter().fold(ServerOptions::new(build::chosen()), |options, (gate, is_enabled)| {
                options.with_feature_gate(*gate, *is_enabled)
            });
        if std::env::var("CRD_E2E_SERVER").is_ok_and(|server| server == "crd-server") {
            return Some(Self::start_in_process(options).await);
        }
        if has_go() { Some(Self::run(&SERVER, gates, options).await) } else { None }
    }

    /// Starts the CRD server of upstream with the list of its groups, which kubectl needs; `None` without Go to build it with.
    ///
    /// # Panics
    /// As [`start_with`](Self::start_with).
    pub async fn start_with_discovery() -> Option<Self> {
        if has_go() {
            let release = build::chosen();
            Some(
                Self::run(&build::server(release, Variant::Discovery), &[], ServerOptions::new(release))
                    .await,
            )
        } else {
            None
        }
    }

    /// Starts the server with which kubectl is compared: for the kubectl that `CRD_E2E_KUBECTL` names, kube-apiserver of 1.36, because older
    /// releases ask for groups in a form that the CRD server does not have; for the current one, the server of
    /// [`start_with_discovery`](Self::start_with_discovery).
    ///
    /// # Panics
    /// - As [`start_with`](Self::start_with).
    /// - `CRD_E2E_KUBE` names another release than 1.36.
    pub async fn start_for_kubectl() -> Option<Self> {
        if std::env::var_os("CRD_E2E_KUBECTL").is_none() {
            return Self::start_with_discovery().await;
        }
        Self::start_kube_apiserver().await
    }

    /// Starts kube-apiserver of 1.36, which serves built-in kinds, too; `None` without Go to build it with.
    ///
    /// # Panics
    /// - As [`start_with`](Self::start_with).
    /// - `CRD_E2E_KUBE` names another release than 1.36.
    pub async fn start_kube_apiserver() -> Option<Self> {
        let release = build::chosen();
        assert_eq!(release, build::OWN, "only kube-apiserver of this release is built");
        if !has_go() {
            return None;
        }
        Some(Self::run(&build::program("apiserver"), &[], ServerOptions::new(release)).await)
    }

    #[expect(clippy::panic, reason = "a test fails by panicking")]
    async fn run(program: &Path, gates: &[(FeatureGate, bool)], options: ServerOptions) -> Self {
        let set: Vec<String> =
            gates.iter().map(|(gate, is_enabled)| format!("{gate}={is_enabled}")).collect();
        let temporary = tempfile::tempdir().expect("temporary directories can be created");
        let mut process = Command::new(program)
            .env("TMPDIR", temporary.path())
            .args((!set.is_empty()).then(|| format!("--feature-gates={}", set.join(","))))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server that was built runs");
        let output = process.stdout.take().expect("its output was asked for");
        let mut kubeconfig = String::new();
        BufReader::new(output).read_line(&mut kubeconfig).expect("its output is text");
        let kubeconfig = PathBuf::from(kubeconfig.trim());
        let client = client(&kubeconfig).await;
        let Some(client) = client else {
            process.kill().expect("a child can be stopped");
            panic!("the API server did not start");
        };
        Self { client, options, kubeconfig, process: Some((process, temporary)), in_process: None }
    }

    /// Starts `crd-server`, with namespaces only as far as the CRD server of upstream has them: all exist.
    async fn start_in_process(options: ServerOptions) -> Self {
        let mut config = crd_server::Config::default();
        config.kube_version(build::chosen());
        let server = crd_server::Server::with(&config);
        let listening = server.listen("127.0.0.1:0").expect("a port of the loopback interface is free");
        let folder = tempfile::tempdir().expect("temporary folders can be created");
        let kubeconfig = folder.path().join("kubeconfig");
        std::fs::write(&kubeconfig, listening.kubeconfig()).expect("temporary folders can be written");
        let client = client(&kubeconfig).await.expect("the kubeconfig is complete");
        Self { client, options, kubeconfig, process: None, in_process: Some((listening, folder)) }
    }

    /// Returns the path of its kubeconfig.
    #[must_use]
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Posts `body` as JSON and returns the answer.
    ///
    /// # Panics
    /// The server cannot be reached, or its answer is not JSON.
    pub async fn post(&self, path: &str, body: &Value) -> Value {
        self.send(Method::POST, path, body).await.expect("the answer is JSON").body
    }

    /// Sends `body` as JSON. Returns `None` if the answer is not JSON, as for paths that the server does not know yet.
    ///
    /// # Panics
    /// The server cannot be reached.
    pub async fn send(&self, method: Method, path: &str, body: &Value) -> Option<Answer> {
        self.try_send(method, path, body).await.expect("the server can be reached")
    }

    /// Sends `body` as JSON, as [`send`](Self::send) does.
    ///
    /// # Errors
    /// - The server closes the connection without an answer, as it does after a panic.
    ///
    /// # Panics
    /// An answer breaks off.
    pub async fn try_send(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Option<Answer>, kube::Error> {
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header(http::header::CONTENT_TYPE, "application/json")
            .body(kube::client::Body::from(serde_json::to_vec(body).expect("a value is JSON")))
            .expect("path and headers are well-formed");
        // `request` turns a Status into an error, but the tests compare the Status itself.
        let response = self.client.send(request).await?;
        let warnings = response.headers().get_all(http::header::WARNING).iter().map(warning).collect();
        let bytes = response.into_body().collect_bytes().await.expect("the answer arrives");
        // An answer can repeat a definition that is nested deeper than the default limit of serde_json.
        let mut answer = serde_json::Deserializer::from_slice(&bytes);
        answer.disable_recursion_limit();
        let body = serde::Deserialize::deserialize(&mut answer);
        // `404 page not found` begins with JSON.
        let is_json = answer.end().is_ok();
        Ok(body.ok().filter(|_| is_json).map(|body| Answer { body, warnings }))
    }
}

/// The answer of the server to a request.
pub struct Answer {
    /// An object, or a `Status`.
    pub body: Value,
    /// Its warnings.
    pub warnings: Vec<String>,
}

/// Returns the text of `299 - "text"`.
fn warning(header: &HeaderValue) -> String {
    let text = String::from_utf8_lossy(header.as_bytes());
    let quoted = text.trim_start_matches("299 - ").trim_matches('"');
    let mut text = String::new();
    let mut characters = quoted.chars();
    while let Some(c) = characters.next() {
        text.extend(if c == '\\' { characters.next() } else { Some(c) });
    }
    text
}

impl Drop for Server {
    fn drop(&mut self) {
        // The listener stops with its value.
        drop(self.in_process.take());
        if let Some((mut process, _temporary)) = self.process.take() {
            // The server may have stopped already, which is not an error here.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Returns the HTTP code with which the server rejected a request.
///
/// # Panics
/// The server accepted the request, or could not be reached.
#[must_use]
#[expect(clippy::panic, reason = "a test fails by panicking")]
pub fn refused<T>(result: kube::Result<T>) -> u16 {
    match result {
        Err(kube::Error::Api(status)) => status.code,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("not refused"),
    }
}

/// The program of the server, built once for all tests of a run.
static SERVER: LazyLock<PathBuf> = LazyLock::new(|| build::server(build::chosen(), Variant::Fixture));

/// Returns `true` if Go is installed, which builds servers and clients. Prints a line if not.
///
/// # Panics
/// There is no Go, and `CRD_E2E` is `required`.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that is skipped prints the reason")]
pub fn has_go() -> bool {
    if Command::new("go").arg("version").stdout(Stdio::null()).status().is_ok() {
        return true;
    }
    let required = std::env::var("CRD_E2E").is_ok_and(|value| value == "required");
    assert!(!required, "CRD_E2E=required, but there is no Go to build the API server with");
    eprintln!("skipped: no Go on this machine to build the API server with, and no KUBECONFIG");
    false
}

/// Builds a client in Go, such as `kubectl`, from its directory in the tests, and returns the path of the program.
///
/// # Panics
/// The program does not build.
#[must_use]
pub fn go_client(name: &str) -> PathBuf {
    build::program(name)
}

/// Builds the program of a package that the module of a directory of the tests names as a tool, and returns its path.
///
/// # Panics
/// The program does not build.
#[must_use]
pub fn go_tool(name: &str, package: &str) -> PathBuf {
    build::package(name, package)
}

/// Builds kubectl of the release that `CRD_E2E_KUBECTL` names, or else the current one, and returns its path.
///
/// # Panics
/// kubectl does not build.
#[must_use]
pub fn kubectl() -> PathBuf {
    build::kubectl()
}

async fn client(kubeconfig: &Path) -> Option<Client> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).ok()?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.ok()?;
    Client::try_from(config).ok()
}
