//! The files of a commit, read from git without a checkout.

use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Error, Fault, Limits, Source};

/// The greatest number of files of a commit.
const MOST_FILES: usize = 10_000;

/// The texts of `git:REF:PATH`, which are those of a file or folder of a commit; of any other input as
/// [`sources`](crate::sources) reads them. The path is relative to the current folder.
///
/// ```no_run
/// use crd_input::{Limits, sources_or_commit};
///
/// let (sources, errors) = sources_or_commit("git:v1.2.0:crds/", &Limits::default());
/// ```
#[must_use]
pub fn sources_or_commit(input: &str, limits: &Limits) -> (Vec<Source>, Vec<Error>) {
    let Some(rest) = input.strip_prefix("git:") else {
        return crate::sources(&[input], limits);
    };
    match read_commit(rest, limits) {
        Ok(sources) => (sources, Vec::new()),
        Err(fault) => (Vec::new(), vec![Error::new(input, fault)]),
    }
}

/// A file of a commit.
struct Blob {
    object: String,
    bytes: u64,
    path: String,
}

fn read_commit(rest: &str, limits: &Limits) -> Result<Vec<Source>, Fault> {
    let (reference, path) = rest.split_once(':').unwrap_or((rest, "."));
    if reference.is_empty() {
        return Err(
            Fault::new("the commit is missing").help("write `git:REF:PATH`, such as `git:v1.2.0:crds/`")
        );
    }
    let path = if path.is_empty() { "." } else { path };
    // A commit is named by its sum from here on, so that its name cannot become an option.
    let name = format!("{reference}^{{commit}}");
    let commit = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).map_err(|fault| {
        if fault.is_started { Fault::new(format!("there is no commit `{reference}`")) } else { fault.fault }
    })?;
    let commit = text(commit)?.trim().to_owned();
    let listed = git(&["ls-tree", "-r", "-z", "-l", &commit, "--", path]).map_err(|fault| fault.fault)?;
    let blobs = blobs(&text(listed)?, path)?;
    if blobs.is_empty() {
        return Err(Fault::new(format!(
            "the commit `{reference}` has no .yaml, .yml or .json file at `{path}`"
        )));
    }
    if blobs.len() > MOST_FILES {
        return Err(Fault::new(format!("the commit has more than {MOST_FILES} files at `{path}`")));
    }
    let mut room = limits.file_bytes;
    let mut sources = Vec::new();
    for blob in blobs {
        room = room.checked_sub(blob.bytes).ok_or_else(|| {
            Fault::new(format!("the files of the commit are larger than {} bytes", limits.file_bytes))
        })?;
        let bytes = git(&["cat-file", "blob", &blob.object]).map_err(|fault| fault.fault)?;
        let text = String::from_utf8(bytes);
        let text = text.map_err(|_| Fault::new(format!("`{}` of the commit is not UTF-8", blob.path)))?;
        if let Some(fault) = lfs_fault(&text, &blob.path) {
            return Err(fault);
        }
        sources.push(Source::from_string(format!("git:{reference}:{}", blob.path), text));
    }
    Ok(sources)
}

/// The files of a listing that are read: the named one, or those of a folder whose names are those of definitions.
///
/// What git has instead of such a file is an error: otherwise, a definition behind it would seem to be absent.
fn blobs(listing: &str, named: &str) -> Result<Vec<Blob>, Fault> {
    let named = Path::new(named);
    let mut blobs = Vec::new();
    for line in listing.split('\0') {
        let Some((head, path)) = line.split_once('\t') else { continue };
        let is_named = clean(Path::new(path)) == clean(named);
        let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
        if !is_named && !matches!(extension, Some("yaml" | "yml" | "json")) {
            continue;
        }
        let [mode, _, object, bytes] = head.split_ascii_whitespace().collect::<Vec<_>>()[..] else {
            return Err(Fault::new(format!("git printed an entry of a tree that cannot be read: {head}")));
        };
        match mode {
            // Links are not followed: their text is a path, not a definition.
            "120000" => {
                return Err(Fault::new(format!("`{path}` of the commit is a link")).help("name its target"));
            }
            // The directory of a submodule can be named like a file.
            "160000" if is_named => {
                let fault = Fault::new(format!("`{path}` of the commit is a submodule"));
                return Err(fault.help("run the command in the repository of the submodule"));
            }
            "160000" => {}
            _ => {
                let bytes = bytes.parse().map_err(|_| {
                    Fault::new(format!("git lacks the object of `{path}`"))
                        .help("run `git fsck`; in a partial clone, check the commit out first")
                })?;
                blobs.push(Blob { object: object.to_owned(), bytes, path: path.to_owned() });
            }
        }
    }
    Ok(blobs)
}

/// The path without steps that lead nowhere.
fn clean(path: &Path) -> PathBuf {
    path.components().filter(|step| !matches!(step, Component::CurDir)).collect()
}

/// The error of a file that stands for one in Git LFS.
fn lfs_fault(text: &str, path: &str) -> Option<Fault> {
    text.starts_with("version https://git-lfs.github.com/spec/").then(|| {
        Fault::new(format!("`{path}` of the commit is a pointer to a file in Git LFS"))
            .help("export the file with `git lfs smudge`, and compare with the exported file")
    })
}

/// Why git gave no answer.
struct GitFault {
    fault: Fault,
    /// `true` if git ran and refused.
    is_started: bool,
}

fn git(arguments: &[&str]) -> Result<Vec<u8>, GitFault> {
    let mut command = Command::new("git");
    command.args(["--no-pager", "-c", "core.quotePath=false"]).args(arguments);
    command.env("GIT_LITERAL_PATHSPECS", "1").env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    // Objects that a partial clone lacks are not fetched: a comparison does not use the network.
    command
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| GitFault {
        fault: Fault::new(format!("`git` cannot be run: {error}")),
        is_started: false,
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    let reason = reason.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ").to_owned();
    Err(GitFault { fault: Fault::new(format!("git: {reason}")), is_started: true })
}

fn text(bytes: Vec<u8>) -> Result<String, Fault> {
    String::from_utf8(bytes).map_err(|_| Fault::new("git printed a name that is not UTF-8"))
}
