//! The server as a process.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::Error;

/// The kind of the objects.
const CRD: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.load.example.com}
spec:
  group: load.example.com
  names: {plural: foos, kind: Foo}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {text: {type: string}, count: {type: integer}}}
"#;

/// A running server, which ends with this value.
pub(crate) struct Process {
    child: Child,
    /// The address of the server, such as `127.0.0.1:8080`.
    pub(crate) address: String,
}

impl Process {
    pub(crate) fn start(program: &str) -> Result<Self, Error> {
        let mut command = Command::new(program);
        command.args(["serve", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        child.stdin.take().ok_or("it has an input")?.write_all(CRD.as_bytes())?;
        let mut path = String::new();
        BufReader::new(child.stdout.take().ok_or("it has an output")?).read_line(&mut path)?;
        let kubeconfig: Value = serde_yaml::from_str(&fs::read_to_string(path.trim())?)?;
        let server = kubeconfig["clusters"][0]["cluster"]["server"].as_str().unwrap_or_default();
        let address = server.trim_start_matches("http://").to_owned();
        Ok(Self { child, address })
    }

    /// Returns the processor time that the process has used.
    pub(crate) fn processor_time(&self) -> Result<Duration, Error> {
        // Nanoseconds on a processor, of each thread.
        let mut nanoseconds = 0;
        for task in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let text = fs::read_to_string(task?.path().join("schedstat")).unwrap_or_default();
            nanoseconds += text.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0);
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// Returns the bytes of memory in use: `VmRSS`, or the most that ever were: `VmHWM`.
    pub(crate) fn memory(&self, field: &str) -> Result<f64, Error> {
        let text = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = text.lines().find(|line| line.starts_with(field)).ok_or("the system names the memory")?;
        let kilobytes: f64 = line.split_whitespace().nth(1).ok_or("the memory has a size")?.parse()?;
        Ok(kilobytes * 1024.0)
    }

    /// Begins the measurement of the most memory anew.
    pub(crate) fn forget_peak(&self) -> Result<(), Error> {
        Ok(fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5")?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
