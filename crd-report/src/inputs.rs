//! The arguments that name inputs.

#[cfg(not(feature = "cluster"))]
use std::convert::Infallible;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use crd_core::KubeVersion;
use crd_input::{Error, Fault, Found, Limits, Search, Source};

#[cfg(not(feature = "cluster"))]
use crate::PROGRAM;
use crate::{Report, some};

/// Files, folders, and the standard input.
#[derive(Args, Clone, Debug, Default)]
pub struct Paths {
    /// Files, folders (searched for .yaml, .yml and .json), or `-` for the standard input, which is also read where no
    /// input is named and it is not a terminal. With --cluster, where a command has it, also definitions of the cluster: NAME.GROUP
    #[arg(value_name = "INPUT")]
    paths: Vec<PathBuf>,
    /// The same as INPUT, as kubectl has it; repeatable, or several with commas between them
    #[arg(long = "filename", short = 'f', value_name = "INPUT", value_delimiter = ',')]
    filenames: Vec<PathBuf>,
    #[command(flatten)]
    links: Links,
}

/// How links below a directory are treated.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Links {
    /// Follow links to files that lead out of a directory, as in trees of Bazel and Nix. Links to directories are never followed
    #[arg(long)]
    follow_links: bool,
}

impl Links {
    /// Finds the sources that the paths name, and reports the links that were left out.
    #[must_use]
    pub fn sources<P: AsRef<Path>>(
        self,
        paths: &[P],
        limits: &Limits,
        report: Report,
    ) -> (Vec<Source>, Vec<Error>) {
        self.sources_where(paths, limits, report, &|_, _| true)
    }

    /// Like [`Links::sources`], but skips the parts of directories for which `keep` returns `false`.
    #[must_use]
    pub fn sources_where<P: AsRef<Path>>(
        self,
        paths: &[P],
        limits: &Limits,
        report: Report,
        keep: &dyn Fn(&Path, bool) -> bool,
    ) -> (Vec<Source>, Vec<Error>) {
        let search = Search { keep, follows_links: self.follow_links };
        let Found { sources, errors, links } = crd_input::search(paths, limits, &search);
        if !links.is_empty() && errors.is_empty() {
            let shown: Vec<String> = links.iter().take(3).map(|link| format!("`{link}`")).collect();
            let more = if links.len() > shown.len() { ", ..." } else { "" };
            report.line(&format!(
                "left out {} to directories or out of the directory that is searched: {}{more}; `--follow-links` follows links to files",
                some(links.len(), "link"),
                shown.join(", "),
            ));
        }
        (sources, errors)
    }
}

/// Files, folders, the standard input, and a cluster.
#[derive(Args, Clone, Debug, Default)]
pub struct Inputs {
    #[command(flatten)]
    paths: Paths,
    /// Take definitions from a cluster: that of this context of the kubeconfig, or of the current one
    #[arg(long, value_name = "CONTEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    cluster: Option<String>,
    /// Of the cluster, take only the definitions of this name, plural or group, in which `*` stands for any text; repeatable
    #[arg(long, value_name = "PATTERN", requires = "cluster")]
    cluster_select: Vec<String>,
}

impl Paths {
    /// All that are named.
    #[must_use]
    pub fn named(&self) -> Vec<PathBuf> {
        self.paths.iter().chain(&self.filenames).cloned().collect()
    }

    /// How links below directories are treated.
    #[must_use]
    pub fn links(&self) -> Links {
        self.links
    }

    /// All inputs that are named, or the standard input.
    ///
    /// # Errors
    /// No input is named, and the standard input is a terminal.
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

    /// The texts, and the errors of inputs that cannot be read.
    #[must_use]
    pub fn sources(&self, limits: &Limits, report: Report) -> (Vec<Source>, Vec<Error>) {
        self.sources_where(limits, report, &|_, _| true)
    }

    /// The same without the parts of folders that `keep` refuses.
    #[must_use]
    pub fn sources_where(
        &self,
        limits: &Limits,
        report: Report,
        keep: &dyn Fn(&Path, bool) -> bool,
    ) -> (Vec<Source>, Vec<Error>) {
        let paths = match self.or_stdin() {
            Ok(paths) => paths,
            Err(error) => return (Vec::new(), vec![error]),
        };
        let (sources, errors) = self.links.sources_where(&paths, limits, report, keep);
        let is_empty =
            |source: &Source| source.read(limits).is_ok_and(|text| text.chars().all(char::is_whitespace));
        if self.named().is_empty() && errors.is_empty() && sources.iter().all(is_empty) {
            return (Vec::new(), vec![no_input("empty")]);
        }
        (sources, errors)
    }
}

/// The error of a command line without inputs, whose standard input has no text either.
fn no_input(stdin: &str) -> Error {
    let fault = Fault::new(format!("no input is named, and the standard input is {stdin}"));
    Error::new("<stdin>", fault.help("name files or folders, or pipe a text"))
}

impl Inputs {
    /// The inputs of a job.
    #[must_use]
    pub fn for_job(paths: Vec<PathBuf>, cluster: Option<String>, cluster_select: Vec<String>) -> Self {
        Self { paths: Paths { paths, ..Paths::default() }, cluster, cluster_select }
    }

    /// The texts, and the errors of inputs that cannot be read.
    #[must_use]
    pub fn sources(&self, limits: &Limits, report: Report) -> (Vec<Source>, Vec<Error>) {
        self.sources_where(limits, report, &|_, _| true)
    }

    /// The same without the parts of folders that `keep` refuses.
    #[must_use]
    pub fn sources_where(
        &self,
        limits: &Limits,
        report: Report,
        keep: &dyn Fn(&Path, bool) -> bool,
    ) -> (Vec<Source>, Vec<Error>) {
        let Some(context) = &self.cluster else {
            let (sources, errors) = self.paths.sources_where(limits, report, keep);
            return (sources, errors.into_iter().map(name_without_cluster).collect());
        };
        let (names, paths): (Vec<PathBuf>, Vec<PathBuf>) =
            self.paths.named().into_iter().partition(|path| is_name(path));
        let (mut sources, mut errors) = self.paths.links.sources_where(&paths, limits, report, keep);
        let patterns = names.iter().map(|name| name.to_string_lossy().into_owned());
        let patterns: Vec<String> = self.cluster_select.iter().cloned().chain(patterns).collect();
        match cluster(context).and_then(|cluster| selected(cluster, &patterns, limits)) {
            Ok(found) => sources.extend(found),
            Err(error) => errors.push(error),
        }
        (sources, errors)
    }

    /// The release of the cluster from which definitions are taken; `None` without one.
    ///
    /// # Errors
    /// The cluster cannot be asked.
    pub fn kube_version(&self) -> Result<Option<KubeVersion>, Error> {
        let Some(context) = &self.cluster else { return Ok(None) };
        let cluster = cluster(context)?;
        #[cfg(feature = "cluster")]
        return cluster.kube_version().map(Some);
        #[cfg(not(feature = "cluster"))]
        match cluster {}
    }

    /// The same inputs, or all definitions of the current cluster where no input is named.
    #[must_use]
    pub fn or_cluster(mut self) -> Self {
        if self.cluster.is_none() && self.paths.named().is_empty() {
            self.cluster = Some(String::new());
        }
        self
    }
}

/// Returns `true` for an argument that names a definition of the cluster: no path, and no file or folder here.
fn is_name(argument: &Path) -> bool {
    let text = argument.to_string_lossy();
    text != "-" && !text.contains(['/', '\\']) && !argument.exists()
}

/// The error of an argument that is not a file, with a remedy for the name of a definition.
fn name_without_cluster(error: Error) -> Error {
    let file = Path::new(error.file());
    let is_file =
        file.extension().is_some_and(|end| ["yaml", "yml", "json"].iter().any(|known| end == *known));
    if error.help().is_some() || is_file || !is_name(file) || !error.file().contains('.') {
        return error;
    }
    let fault =
        Fault::new(error.message()).help("`--cluster` takes the definition of this name from a cluster");
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

/// The error of an argument that names a cluster; `otherwise` is the command that reads the output of kubectl.
///
/// kube takes longer to build than the rest of the tool.
#[cfg(not(feature = "cluster"))]
#[must_use]
pub fn without_cluster(argument: &str, otherwise: &str) -> Error {
    let fault = Fault::new(format!("this `{PROGRAM}` was built without the feature `cluster`"));
    let help = format!(
        "`cargo install crdkit-cli --features cluster`, or `kubectl get crds -o yaml | {PROGRAM} {otherwise}`"
    );
    Error::new(argument, fault.help(help))
}
