//! `crdkit serve`, as a process of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crd_core::KubeVersion;

/// A running `crdkit serve`, which is stopped with this value.
pub struct Served {
    kubeconfig: PathBuf,
    process: Child,
}

impl Served {
    /// Serves the definitions of files as a release does.
    ///
    /// # Panics
    /// The program does not start or prints nothing.
    #[must_use]
    pub fn start(program: &Path, definitions: &[&Path], release: KubeVersion) -> Self {
        let mut process = Command::new(program)
            .arg("serve")
            .args(definitions)
            .arg(format!("--kube-version={release}"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program was built");
        let output = process.stdout.take().expect("its output was asked for");
        let mut kubeconfig = String::new();
        BufReader::new(output).read_line(&mut kubeconfig).expect("its output is text");
        Self { kubeconfig: kubeconfig.trim().into(), process }
    }

    /// Returns the path of its kubeconfig.
    #[must_use]
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The process may have ended already, which is not an error here. It leaves its kubeconfig if it is killed.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_file(&self.kubeconfig);
    }
}
