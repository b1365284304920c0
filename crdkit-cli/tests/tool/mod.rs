//! Runs the command-line tool in a folder of the test's own.
#![allow(dead_code, reason = "every test uses a part")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A folder with files; it goes when the test is over.
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

    /// Runs the tool with arguments that have blanks between them.
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

/// How a run of the tool ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) said: String,
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
    // The tool may not want it.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Run {
        status: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        said: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Run {
    /// The lines of JSON that were printed.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Expects all that is said.
    #[track_caller]
    pub(crate) fn says(&self, status: i32, said: &str) {
        assert_eq!((self.status, &*self.said), (status, said), "{}", self.out);
    }

    /// Expects parts of what is said.
    #[track_caller]
    pub(crate) fn expect(&self, status: i32, said: &[&str]) {
        assert_eq!(self.status, status, "{}{}", self.said, self.out);
        for part in said {
            assert!(self.said.contains(part), "no {part:?} in:\n{}", self.said);
        }
    }
}
