//! The arguments of commands that read definitions.

use std::path::PathBuf;

use clap::Args;

use crd_input::{Error, Limits, Source};
use crd_report::Program;

/// Files, folders, the standard input, and a cluster.
#[derive(Args, Clone, Debug, Default)]
pub struct Inputs {
    /// Files, folders (searched for .yaml, .yml and .json), or `-` for the standard input
    #[arg(required_unless_present = "cluster", value_name = "INPUT")]
    pub paths: Vec<PathBuf>,
    /// Take definitions from a cluster: that of this context of the kubeconfig, or of the current one
    #[arg(long, value_name = "CONTEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub cluster: Option<String>,
    /// Of the cluster, take only the definitions of this name or group, in which `*` stands for any text; repeatable
    #[arg(long, value_name = "PATTERN", requires = "cluster")]
    pub cluster_select: Vec<String>,
}

impl Inputs {
    /// The texts, and the errors of inputs that cannot be read.
    #[must_use]
    pub fn sources(&self, limits: &Limits, program: Program) -> (Vec<Source>, Vec<Error>) {
        let (mut sources, mut errors) = crd_input::sources(&self.paths, limits);
        if let Some(context) = &self.cluster {
            match cluster(context, &self.cluster_select, limits, program) {
                Ok(found) => sources.extend(found),
                Err(error) => errors.push(error),
            }
        }
        (sources, errors)
    }
}

#[cfg(feature = "cluster")]
fn cluster(context: &str, select: &[String], limits: &Limits, _: Program) -> Result<Vec<Source>, Error> {
    let mut cluster = crd_input::Cluster::new();
    if !context.is_empty() {
        cluster.context(context);
    }
    for pattern in select {
        cluster.select(pattern);
    }
    cluster.sources(limits)
}

/// kube takes longer to build than the rest of the tool.
#[cfg(not(feature = "cluster"))]
fn cluster(_: &str, _: &[String], _: &Limits, program: Program) -> Result<Vec<Source>, Error> {
    let Program { name, package, .. } = program;
    let fault = crd_input::Fault::new(format!("this `{name}` was built without the feature `cluster`"));
    let help = format!(
        "`cargo install {package} --features cluster`, or `kubectl get crds -o yaml | {name} generate -`"
    );
    Err(Error::new("--cluster", fault.help(help)))
}
