//! The command-line arguments for inputs.

#[cfg(not(feature = "cluster"))]
use std::convert::Infallible;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use crd_core::KubeVersion;
use crd_input::{Error, Fault, Limits, Source};

#[cfg(not(feature = "cluster"))]
use crate::PROGRAM;
use crate::{Found, Report, Search};

const WITH_CLUSTER: &str = "Files, directories (searched for .yaml, .yml and .json), or `-` for standard input (the default when it is not \
                            a terminal). With --cluster, also CRDs of the cluster: NAME.GROUP";

/// Files, directories, and standard input.
#[derive(Args, Clone, Debug, Default)]
pub struct Paths {
    /// Files, directories (searched for .yaml, .yml and .json), or `-` for standard input (the default when it is not
    /// a terminal)
    #[arg(value_name = "INPUT")]
    paths: Vec<PathBuf>,
    /// Same as INPUT, for kubectl users; repeatable or comma-separated
    #[arg(long = "filename", short = 'f', value_name = "INPUT", value_delimiter = ',')]
    filenames: Vec<PathBuf>,
    #[command(flatten)]
    search: Search,
}

/// Files, directories, standard input, and a cluster.
#[derive(Args, Clone, Debug, Default)]
#[command(mut_arg("paths", |argument| argument.help(WITH_CLUSTER)))]
pub struct Inputs {
    #[command(flatten)]
    paths: Paths,
    /// Read CRDs from the cluster of this context of the kubeconfig, or of the current context
    #[arg(long, value_name = "CONTEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    cluster: Option<String>,
    /// Read only CRDs whose name, plural or group matches this pattern, such as `*.example.com`; repeatable
    #[arg(long, value_name = "PATTERN", requires = "cluster")]
    cluster_select: Vec<String>,
}

impl Paths {
    /// Returns all inputs from the arguments.
    #[must_use]
    pub fn named(&self) -> Vec<PathBuf> {
        self.paths.iter().chain(&self.filenames).cloned().collect()
    }

    /// Returns the search options.
    #[must_use]
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// Returns the inputs from the arguments, or standard input if there are none.
    ///
    /// # Errors
    /// There are no arguments, and standard input is a terminal.
    pub fn or_stdin(&self) -> Result<Vec<PathBuf>, Error> {
        let named = self.named();
        if !named.is_empty() {
            return Ok(named);
        }
        if io::stdin().is_terminal() {
            return Err(no_input("a terminal"));
        }
        Ok(vec![PathBuf::from("-")])
    }

    /// Finds the sources for these inputs.
    #[must_use]
    pub fn sources(&self, limits: &Limits, report: Report) -> Found {
        let paths = match self.or_stdin() {
            Ok(paths) => paths,
            Err(error) => return Found { errors: vec![error], ..Found::default() },
        };
        let found = self.search.sources(&paths, limits, report);
        let is_empty =
            |source: &Source| source.read(limits).is_ok_and(|text| text.chars().all(char::is_whitespace));
        if self.named().is_empty() && found.errors.is_empty() && found.sources.iter().all(is_empty) {
            return Found { errors: vec![no_input("empty")], ..Found::default() };
        }
        found
    }
}

/// Returns the error for a command line without inputs. `stdin` says why standard input cannot be used, such as `a terminal`.
fn no_input(stdin: &str) -> Error {
    let fault = Fault::new(format!("no input is named, and standard input is {stdin}"));
    Error::new("<stdin>", fault.help("name files or directories, or pipe YAML or JSON"))
}

impl Inputs {
    /// Creates the inputs for a job in `crdkit.toml`.
    #[must_use]
    pub fn for_job(paths: Vec<PathBuf>, cluster: Option<String>, cluster_select: Vec<String>) -> Self {
        Self { paths: Paths { paths, ..Paths::default() }, cluster, cluster_select }
    }

    /// Finds the sources for these inputs.
    #[must_use]
    pub fn sources(&self, limits: &Limits, report: Report) -> Found {
        let Some(context) = &self.cluster else {
            let mut found = self.paths.sources(limits, report);
            found.errors = found.errors.into_iter().map(name_without_cluster).collect();
            return found;
        };
        let (names, paths): (Vec<PathBuf>, Vec<PathBuf>) =
            self.paths.named().into_iter().partition(|path| is_name(path));
        let mut found = self.paths.search.sources(&paths, limits, report);
        let patterns = names.iter().map(|name| name.to_string_lossy().into_owned());
        let patterns: Vec<String> = self.cluster_select.iter().cloned().chain(patterns).collect();
        match cluster(context).and_then(|cluster| selected(cluster, &patterns, limits)) {
            Ok(sources) => found.sources.extend(sources),
            Err(error) => found.errors.push(error),
        }
        found
    }

    /// Returns the search options.
    #[must_use]
    pub fn search(&self) -> &Search {
        &self.paths.search
    }

    /// Returns the Kubernetes version of the cluster that CRDs come from; `None` without a cluster.
    ///
    /// # Errors
    /// The cluster cannot be reached.
    pub fn kube_version(&self) -> Result<Option<KubeVersion>, Error> {
        let Some(context) = &self.cluster else { return Ok(None) };
        let cluster = cluster(context)?;
        #[cfg(feature = "cluster")]
        return cluster.kube_version().map(Some);
        #[cfg(not(feature = "cluster"))]
        match cluster {}
    }

    /// Returns these inputs, or all CRDs in the current cluster if there are none.
    #[must_use]
    pub fn or_cluster(mut self) -> Self {
        if self.cluster.is_none() && self.paths.named().is_empty() {
            self.cluster = Some(String::new());
        }
        self
    }
}

/// Returns `true` if an argument can be the name of a CRD in the cluster, because it is not a path and there is no such file or directory.
fn is_name(argument: &Path) -> bool {
    let text = argument.to_string_lossy();
    text != "-" && !text.contains(['/', '\\']) && !argument.exists()
}

/// Returns the error for an argument that is not a file. The help text suggests how to read a CRD with this name from a cluster.
fn name_without_cluster(error: Error) -> Error {
    let file = Path::new(error.file());
    let is_file =
        file.extension().is_some_and(|end| ["yaml", "yml", "json"].iter().any(|known| end == *known));
    if error.help().is_some() || is_file || !is_name(file) || !error.file().contains('.') {
        return error;
    }
    let fault = Fault::new(error.message()).help("`--cluster` reads the CRD with this name from a cluster");
    Error::new(error.file(), fault)
}

#[cfg(feature = "cluster")]
fn selected(
    mut cluster: crd_input::Cluster,
    patterns: &[String],
    limits: &Limits,
) -> Result<Vec<Source>, Error> {
    for pattern in patterns {
        cluster.select(pattern);
    }
    cluster.sources(limits)
}

#[cfg(not(feature = "cluster"))]
fn selected(cluster: Infallible, _: &[String], _: &Limits) -> Result<Vec<Source>, Error> {
    match cluster {}
}

#[cfg(feature = "cluster")]
fn cluster(context: &str) -> Result<crd_input::Cluster, Error> {
    let mut cluster = crd_input::Cluster::new();
    if !context.is_empty() {
        cluster.context(context);
    }
    Ok(cluster)
}

#[cfg(not(feature = "cluster"))]
fn cluster(_: &str) -> Result<Infallible, Error> {
    Err(without_cluster("--cluster", "generate -"))
}

/// Returns the error for an argument that asks for a cluster, if the feature `cluster` is off. `otherwise` is the command that
/// reads kubectl's output instead.
///
/// The feature is optional, because kube takes longer to build than the rest of the tool.
#[cfg(not(feature = "cluster"))]
#[must_use]
pub fn without_cluster(argument: &str, otherwise: &str) -> Error {
    let fault = Fault::new(format!("this `{PROGRAM}` was built without the feature `cluster`"));
    let help = format!(
        "`cargo install crdkit-cli --features cluster`, or `kubectl get crds -o yaml | {PROGRAM} {otherwise}`"
    );
    Error::new(argument, fault.help(help))
}
