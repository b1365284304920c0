//! The name by which the tool was called: `crdkit`, or a plugin of kubectl or cargo.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The arguments of a process, and the name that they give the tool in usage texts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The name of the tool, such as `kubectl crdkit`.
    pub(crate) name: &'static str,
    /// All arguments, with the name of the file first.
    pub(crate) arguments: Vec<OsString>,
}

impl Call {
    /// Reads the arguments of a process. Cargo repeats the name of its plugin as the first argument, kubectl does not.
    pub(crate) fn new(mut arguments: Vec<OsString>) -> Self {
        let stem = arguments.first().and_then(|file| Path::new(file).file_stem()).and_then(OsStr::to_str);
        let name = match stem {
            Some("kubectl-crdkit") => "kubectl crdkit",
            Some("cargo-crdkit") => "cargo crdkit",
            _ => super::NAME,
        };
        if name == "cargo crdkit" && arguments.get(1).is_some_and(|first| first == super::NAME) {
            arguments.remove(1);
        }
        Self { name, arguments }
    }
}

#[cfg(test)]
mod tests {
    use super::Call;

    #[test]
    fn plugins_have_names_of_their_own() {
        for (line, name, arguments) in [
            ("/bin/crdkit check .", "crdkit", "/bin/crdkit check ."),
            ("/bin/cargo-crdkit crdkit check .", "cargo crdkit", "/bin/cargo-crdkit check ."),
            ("cargo-crdkit check .", "cargo crdkit", "cargo-crdkit check ."),
            ("kubectl-crdkit check .", "kubectl crdkit", "kubectl-crdkit check ."),
            ("kubectl-crdkit crdkit", "kubectl crdkit", "kubectl-crdkit crdkit"),
            ("", "crdkit", ""),
        ] {
            let words = |line: &str| line.split_whitespace().map(Into::into).collect();
            assert_eq!(Call::new(words(line)), Call { name, arguments: words(arguments) }, "{line}");
        }
    }
}
