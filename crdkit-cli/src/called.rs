//! Finds the name under which the program was called: `crdkit`, `crd-codegen`, `cargo crdkit` or `kubectl crdkit`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crd_report::PROGRAM;

/// The command line of this process.
pub(crate) struct Called {
    /// The name in usage texts.
    pub(crate) name: &'static str,
    /// The program's name and arguments.
    pub(crate) arguments: Vec<OsString>,
}

impl Called {
    /// Determines how the program was called, and removes the argument that Cargo adds. Cargo and kubectl run subcommands as programs such
    /// as `cargo-crdkit` or `kubectl-crdkit`. Only Cargo passes the subcommand's name as the first argument.
    pub(crate) fn with(mut arguments: Vec<OsString>) -> Self {
        let program = arguments.first().and_then(|program| Path::new(program).file_stem());
        let name = match program.and_then(|stem| stem.to_str()) {
            Some("crd-codegen") => "crd-codegen",
            Some("cargo-crdkit") => "cargo crdkit",
            Some("kubectl-crdkit") => "kubectl crdkit",
            _ => PROGRAM,
        };
        if name == "cargo crdkit" && arguments.get(1).is_some_and(|argument| argument == PROGRAM) {
            arguments.remove(1);
        }
        Self { name, arguments }
    }

    /// Returns the first argument that is parsed as an option although a file with this name exists, such as `--old=bad.yaml`. Such
    /// arguments result from a shell that expands `*`, or a program that appends file names. After `--`, all arguments are files.
    pub(crate) fn option_or_file(&self) -> Option<&OsStr> {
        let arguments = self.arguments.iter().skip(1).map(OsString::as_os_str);
        arguments.take_while(|argument| *argument != "--").find(|argument| {
            let is_option = *argument != "-" && argument.as_encoded_bytes().starts_with(b"-");
            is_option && Path::new(argument).symlink_metadata().is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_answers_to_its_names() {
        for (arguments, name, rest) in [
            (&["/usr/bin/crdkit", "check"][..], "crdkit", &["check"][..]),
            (&["target/cargo-crdkit", "crdkit", "check"], "cargo crdkit", &["check"]),
            (&["cargo-crdkit", "check", "crdkit"], "cargo crdkit", &["check", "crdkit"]),
            (&["target/debug/crd-codegen", "generate"], "crd-codegen", &["generate"]),
            (&["kubectl-crdkit", "crdkit"], "kubectl crdkit", &["crdkit"]),
            (&["tool"], "crdkit", &[]),
            (&[], "crdkit", &[]),
        ] {
            let called = Called::with(arguments.iter().map(OsString::from).collect());
            assert_eq!(called.name, name);
            assert!(called.arguments.iter().skip(1).eq(rest.iter()), "{:?}", called.arguments);
        }
    }
}
