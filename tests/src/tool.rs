//! The tool, built for release, and runs of it under bounds of time and memory.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use wait4::Wait4;

use crate::workspace;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Rust was written, or what was judged is accepted.
    Generated,
    /// Exit code 1, with a message, for what is wrong.
    Wrong,
    /// Exit code 2, with a message, for a file that cannot be read.
    Unreadable,
}

/// The processor time and memory that a run may take.
///
/// Both are measured from outside the process, by the kernel, so that a busy machine does not change the answer.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Of processor time, on all threads together.
    pub seconds: u64,
    /// Of memory that is resident at the peak.
    pub mebibytes: u64,
}

/// Builds the tool and says where it is.
///
/// # Panics
/// It does not build.
#[must_use]
pub fn release_build() -> PathBuf {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--release", "-p", "crd-codegen"])
        .current_dir(workspace())
        .status()
        .expect("cargo runs the tests");
    assert!(status.success());
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from);
    target.join("release/crd-codegen")
}

/// The largest request that the API server reads.
const REQUEST: u64 = 3 << 20;

impl Bounds {
    /// The bounds that are promised for so many bytes of input: 2 s and 256 MiB up to the largest request that the API
    /// server reads; beyond it, time grows with the input, and memory is 64 MiB and ten times the input.
    #[must_use]
    pub fn promised(input_bytes: u64) -> Self {
        if input_bytes <= REQUEST {
            return Self { seconds: 2, mebibytes: 256 };
        }
        Self {
            seconds: 2 * input_bytes.div_ceil(REQUEST),
            mebibytes: 64 + (10 * input_bytes).div_ceil(1 << 20),
        }
    }

    /// Runs the tool, and measures it.
    ///
    /// # Errors
    /// - It took more than the bounds.
    /// - It ended as it should not: it crashed, or refused its input without a message.
    ///
    /// # Panics
    /// The tool cannot be started.
    pub fn run(self, tool: &Path, arguments: &[&OsStr]) -> Result<Outcome, String> {
        // Beyond the bounds a run is ended, so that one that never ends, or takes all memory, does not hurt the machine.
        let limited = format!(
            "ulimit -v {}; ulimit -t {}; exec \"$@\"",
            (4 * self.mebibytes + 1024) << 10,
            2 * self.seconds + 1
        );
        let (mut printed, mut message) = (output(), output());
        let mut run = Command::new("sh")
            .args(["-c", &limited, "sh"])
            .arg(tool)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(printed.try_clone().expect("files have handles"))
            .stderr(message.try_clone().expect("files have handles"))
            .spawn()
            .expect("a shell runs the tool");
        let used = run.wait4().map_err(|error| error.to_string())?;
        let message = beginning(&mut message);
        let outcome = match used.status.code() {
            Some(1 | 2) if message.trim().is_empty() && beginning(&mut printed).is_empty() => {
                return Err("refused without a message".to_owned());
            }
            Some(0) => Outcome::Generated,
            Some(1) => Outcome::Wrong,
            Some(2) => Outcome::Unreadable,
            _ => return Err(format!("ended with {}: {message}", used.status)),
        };
        let processor = used.rusage.utime + used.rusage.stime;
        if processor > Duration::from_secs(self.seconds) {
            return Err(format!("took {processor:.1?} of processor time, more than {} s", self.seconds));
        }
        let peak = used.rusage.maxrss >> 20;
        if peak > self.mebibytes {
            return Err(format!("took {peak} MiB, more than {}", self.mebibytes));
        }
        Ok(outcome)
    }
}

/// A file for what a run prints, which may be long.
fn output() -> File {
    tempfile::tempfile().expect("there is a folder for temporary files")
}

/// The beginning of what a run printed.
fn beginning(file: &mut File) -> String {
    let mut text = Vec::new();
    file.rewind().and_then(|()| file.take(300).read_to_end(&mut text)).expect("the file was just written");
    String::from_utf8_lossy(&text).into_owned()
}
