//! Compile errors of mistakes in attributes, one file a theme. `TRYBUILD=overwrite` blesses.

use std::process::Command;

/// The compiler's own part of the messages changes between versions: the texts belong to this one.
const TOOLCHAIN: &str = "rustc 1.95.";

#[test]
fn compile_errors() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version =
        version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.starts_with(TOOLCHAIN) {
        println!("skipped: compile errors are compared with {TOOLCHAIN}*, not with {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
