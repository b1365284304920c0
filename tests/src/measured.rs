//! A run of a program under limits, and the processor time and memory that the kernel counted for it.
//!
//! The peak memory of a process includes that of the process that starts it. A test with large values in memory therefore starts
//! the program through the small process `src/bin/measured.rs`.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use wait4::Wait4;

/// One run of a program, which has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// The end of the run as text: `exit status: 1`, `signal: 9 (SIGKILL)`.
    pub status: String,
    /// Processor time in microseconds, on all threads together.
    pub processor_micros: u64,
    /// Resident memory at the peak.
    pub peak_bytes: u64,
    /// The beginning of standard output.
    pub printed: String,
    /// The beginning of standard error output.
    pub message: String,
}

/// The limits beyond which the kernel ends a run, to protect the machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The limit of processor time.
    pub seconds: u64,
    /// The limit of the address space.
    pub kibibytes: u64,
}

impl Measured {
    /// Runs the program through the small process.
    ///
    /// # Errors
    /// The small process is missing or fails. The text is the reason.
    pub fn run_apart(limits: Limits, program: &[OsString]) -> Result<Self, String> {
        let output = Command::new(launcher()?)
            .arg(limits.seconds.to_string())
            .arg(limits.kibibytes.to_string())
            .args(program)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`measured` does not start: {error}"))?;
        serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("`measured` failed: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Runs the program that `arguments` give: seconds, kibibytes, the program and its arguments.
    ///
    /// # Errors
    /// The arguments are invalid, or the program cannot be started.
    pub fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let mut number = || arguments.next()?.to_str()?.parse().ok();
        let limits = number().zip(number()).map(|(seconds, kibibytes)| Limits { seconds, kibibytes });
        Self::run(limits.ok_or("usage: measured SECONDS KIBIBYTES PROGRAM [ARGUMENT]...")?, arguments)
    }

    fn run(limits: Limits, program: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let limited = format!("ulimit -v {}; ulimit -t {}; exec \"$@\"", limits.kibibytes, limits.seconds);
        let text = |error: std::io::Error| error.to_string();
        let (mut printed, mut message) =
            (tempfile::tempfile().map_err(text)?, tempfile::tempfile().map_err(text)?);
        let mut child = Command::new("sh")
            .args(["-c", &limited, "sh"])
            .args(program)
            .stdin(Stdio::null())
            .stdout(printed.try_clone().map_err(text)?)
            .stderr(message.try_clone().map_err(text)?)
            .spawn()
            .map_err(text)?;
        let used = child.wait4().map_err(text)?;
        let processor = used.rusage.utime + used.rusage.stime;
        Ok(Self {
            code: used.status.code(),
            status: used.status.to_string(),
            processor_micros: u64::try_from(processor.as_micros()).unwrap_or(u64::MAX),
            peak_bytes: used.rusage.maxrss,
            printed: beginning(&mut printed).map_err(text)?,
            message: beginning(&mut message).map_err(text)?,
        })
    }
}

/// Cargo builds the programs of a package for its tests, and puts them into the directory above that of the tests.
fn launcher() -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    let name = format!("measured{}", std::env::consts::EXE_SUFFIX);
    let mut folders = test.ancestors().skip(1).take(2);
    let found = folders.find_map(|folder| Some(folder.join(&name)).filter(|file| file.exists()));
    found.ok_or_else(|| format!("`{name}` is not built; it belongs to the package crd-tests"))
}

/// Returns the beginning of an output that can be long.
fn beginning(file: &mut File) -> std::io::Result<String> {
    let mut text = Vec::new();
    file.rewind()?;
    file.take(300).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
