//! The tool, built for release, and runs of it under bounds of time and memory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// What a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// By the clock.
    pub seconds: u32,
    /// Of address space.
    pub mebibytes: usize,
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

impl Bounds {
    /// Runs the tool within the bounds; up to three times, since a machine may have other things to do.
    ///
    /// # Errors
    /// - It took too long, three times.
    /// - It ended as it should not: it took too much memory, or refused without a word.
    pub fn run(self, tool: &Path, arguments: &[&OsStr]) -> Result<Outcome, String> {
        let mut tries = (0..3).map(|_| self.run_once(tool, arguments));
        tries
            .find_map(Result::transpose)
            .unwrap_or_else(|| Err(format!("took more than {} s, three times", self.seconds)))
    }

    /// `None` where the time was not enough.
    fn run_once(self, tool: &Path, arguments: &[&OsStr]) -> Result<Option<Outcome>, String> {
        // What is limited is address space. One malloc arena, since the others reserve it and nothing else, and so do the
        // stacks of 64 MiB that the tool gives its threads.
        let stacks = std::thread::available_parallelism().map_or(1, usize::from) * (64 << 10);
        let limited =
            format!("ulimit -v {}; exec timeout {} \"$@\"", (self.mebibytes << 10) + stacks, self.seconds);
        let run = Command::new("sh")
            .args(["-c", &limited, "sh"])
            .arg(tool)
            .args(arguments)
            .env("MALLOC_ARENA_MAX", "1")
            .output()
            .map_err(|error| error.to_string())?;
        let message = String::from_utf8_lossy(&run.stderr);
        let is_silent = message.trim().is_empty() && run.stdout.is_empty();
        match run.status.code() {
            Some(0) => Ok(Some(Outcome::Generated)),
            Some(1 | 2) if is_silent => Err("refused without a word".to_owned()),
            Some(1) => Ok(Some(Outcome::Wrong)),
            Some(2) => Ok(Some(Outcome::Unreadable)),
            Some(124) => Ok(None),
            code => Err(format!("ended with {code:?}: {}", message.chars().take(300).collect::<String>())),
        }
    }
}
