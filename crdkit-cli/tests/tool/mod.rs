//! Runs of the command-line tool, each in a temporary folder of its own.
#![allow(dead_code, reason = "every test uses only some of this")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A definition without mistakes.
pub(crate) const SHIRT: &str = r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: shirts.stable.example.com
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, kind: Shirt}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string}
"#;

/// A temporary folder with files, which is removed at the end of the test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("crdkit-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        for (name, text) in files {
            let file = path.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Runs the tool with arguments that are separated by spaces.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_with(arguments, b"")
    }

    pub(crate) fn run_with(&self, arguments: &str, input: &[u8]) -> Run {
        run(&self.0, &arguments.split_whitespace().collect::<Vec<_>>(), input)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The result of a run of the tool.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crdkit"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The tool may end before it reads its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Run {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Run {
    /// Returns the lines of JSON that were printed.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Expects exactly this text on standard error.
    #[track_caller]
    pub(crate) fn expect_stderr(&self, status: i32, stderr: &str) {
        assert_eq!((self.status, &*self.stderr), (status, stderr), "{}", self.stdout);
    }

    /// Expects these parts on standard error.
    #[track_caller]
    pub(crate) fn expect(&self, status: i32, parts: &[&str]) {
        assert_eq!(self.status, status, "{}{}", self.stderr, self.stdout);
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} in:\n{}", self.stderr);
        }
    }
}
