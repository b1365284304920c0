//! The release build of the tool, and its runs under limits of time and memory.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::measured::{Limits, Measured};
use crate::workspace;

/// The end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Rust was written, or the checked input is accepted.
    Generated,
    /// Exit code 1, with a message: the input is wrong.
    Wrong,
    /// Exit code 2, with a message: a file cannot be read.
    Unreadable,
    /// Something takes more work than the limit, and nothing is known to be wrong.
    Undecided,
}

/// Limits on the processor time and the memory of a run.
///
/// The kernel measures both, so the time in which a run waits for other programs does not count. The promised time applies to the
/// machine of the book's figures. Other machines are slower, and even slower while they run other programs. A run therefore fails
/// only if it takes more than four times its promised time: without a limit, hostile input takes far longer. If the variable
/// `HOSTILE_PROMISED` is set, a run fails if it takes more than the promised time itself.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The limit of processor time, for all threads together.
    pub seconds: u64,
    /// The limit of resident memory at the peak.
    pub mebibytes: u64,
}

/// Maximum factor by which a run may exceed its promised time.
const SLACK: u64 = 4;

/// Returns the release build of the tool. `HOSTILE_TOOL` names an existing binary.
///
/// # Panics
/// The build fails.
#[must_use]
pub fn release_build() -> PathBuf {
    if let Some(tool) = std::env::var_os("HOSTILE_TOOL") {
        return PathBuf::from(tool);
    }
    let status = Command::new(env!("CARGO"))
        .args(["build", "--release", "-p", "crdkit-cli"])
        .current_dir(workspace())
        .status()
        .expect("cargo runs the tests");
    assert!(status.success());
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from);
    target.join("release/crdkit")
}

/// Creates an empty directory for the files of a test, below the build directory. What an earlier run has left there is removed.
///
/// # Panics
/// The directory cannot be created.
#[must_use]
pub fn empty_directory(name: &str) -> PathBuf {
    let directory = workspace().join("target").join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("the build directory can be written");
    directory
}

/// The largest request that the API server reads.
const REQUEST: u64 = 3 << 20;

impl Bounds {
    /// Returns the limits that are promised for this many bytes of input: 2 s and 256 MiB up to the largest request that the API
    /// server reads. Beyond that, the time grows with the input, and the memory is 64 MiB and ten times the input.
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

    /// Returns the limits for a run that reads several files for one request: a definition, an object, the stored object. Each of
    /// them can be as large as a request, and adds the memory of one.
    #[must_use]
    pub fn promised_for(files: &[u64]) -> Self {
        let together = Self::promised(files.iter().sum());
        match files.iter().all(|bytes| *bytes <= REQUEST) {
            true => Self { mebibytes: together.mebibytes.max(Self::promised(REQUEST).mebibytes), ..together },
            false => together,
        }
    }

    /// Returns the limits for a comparison of two definitions, which are both in memory: three quarters of the memory of two
    /// requests.
    #[must_use]
    pub fn promised_for_both(old: u64, new: u64) -> Self {
        let one = Self::promised(old.max(new));
        Self { mebibytes: one.mebibytes + one.mebibytes / 2, ..one }
    }

    /// Runs and measures the tool.
    ///
    /// # Errors
    /// - The run exceeded the limits.
    /// - The tool crashed, or rejected its input without a message.
    /// - The tool cannot be started.
    #[expect(clippy::print_stdout, reason = "`HOSTILE_FIGURES` asks for it")]
    pub fn run(self, tool: &Path, arguments: &[&OsStr]) -> Result<Outcome, String> {
        let slack = if std::env::var_os("HOSTILE_PROMISED").is_some() { 1 } else { SLACK };
        let most = Duration::from_secs(slack * self.seconds);
        // The kernel ends a run far beyond the limits, to protect the machine.
        let limits =
            Limits { seconds: SLACK * self.seconds + 1, kibibytes: (4 * self.mebibytes + 1024) << 10 };
        let program: Vec<OsString> =
            iter::once(tool.as_os_str()).chain(arguments.iter().copied()).map(OsStr::to_owned).collect();
        let used = Measured::run_apart(limits, &program)?;
        let outcome = match used.code {
            Some(1..=3) if used.message.trim().is_empty() && used.printed.is_empty() => {
                return Err("refused without a message".to_owned());
            }
            Some(0) => Outcome::Generated,
            Some(1) => Outcome::Wrong,
            Some(2) => Outcome::Unreadable,
            Some(3) => Outcome::Undecided,
            _ => return Err(format!("ended with {}: {}", used.status, used.message)),
        };
        let processor = Duration::from_micros(used.processor_micros);
        if processor > most {
            return Err(format!("took {processor:.1?} of processor time, more than {most:.1?}"));
        }
        let peak = used.peak_bytes >> 20;
        if peak > self.mebibytes {
            return Err(format!("took {peak} MiB, more than {}", self.mebibytes));
        }
        if std::env::var_os("HOSTILE_FIGURES").is_some() {
            println!("{processor:.2?} {peak} of {} MiB: {arguments:?}", self.mebibytes);
        }
        Ok(outcome)
    }
}
