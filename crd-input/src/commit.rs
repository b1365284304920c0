//! Reads the files in a commit from git, without a checkout.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{Error, Fault, Found, Limits, Search, Source};

/// Maximum number of files in a commit.
const MOST_FILES: usize = 10_000;
/// Maximum number of entries in a commit that are examined.
const MOST_ENTRIES: usize = 300_000;
/// Maximum length in bytes of a line of `git ls-tree`. Paths in file systems are shorter.
const LONGEST_ENTRY: u64 = 8 << 10;
/// Maximum length of a link target in bytes.
const LONGEST_TARGET: u64 = 4 << 10;

/// Returns the files in a commit for an input `git:REF:PATH`, with a path relative to the current directory. Any other input is
/// passed to [`sources`](crate::sources).
///
/// ```no_run
/// use crd_input::{Limits, sources_or_commit};
///
/// let (sources, errors) = sources_or_commit("git:v1.2.0:crds/", &Limits::default());
/// ```
#[must_use]
pub fn sources_or_commit(input: &str, limits: &Limits) -> (Vec<Source>, Vec<Error>) {
    let search = Search::default();
    let found = search_commit(input, limits, &search);
    let Found { sources, errors, .. } = found.unwrap_or_else(|| crate::search(&[input], limits, &search));
    (sources, errors)
}

/// Finds the files in a commit for an input `git:REF:PATH`; returns `None` for any other input. The field `links` of the result
/// contains the submodules. `search.keep` is called with the paths of files, relative to the current directory.
#[must_use]
pub fn search_commit(input: &str, limits: &Limits, search: &Search<'_>) -> Option<Found> {
    let found = of_commit(input.strip_prefix("git:")?, limits, search);
    Some(found.unwrap_or_else(|fault| Found { errors: vec![Error::new(input, fault)], ..Found::default() }))
}

fn of_commit(rest: &str, limits: &Limits, search: &Search<'_>) -> Result<Found, Fault> {
    let (reference, path) = rest.split_once(':').unwrap_or((rest, "."));
    if reference.is_empty() {
        return Err(
            Fault::new("the commit is missing").help("write `git:REF:PATH`, such as `git:v1.2.0:crds/`")
        );
    }
    let path = if path.is_empty() { "." } else { path };
    let entries = entries(&commit(reference)?, path, search)?;
    if entries.files.is_empty() {
        return Err(Fault::new(format!(
            "the commit `{reference}` has no .yaml, .yml or .json file at `{path}`"
        )));
    }
    let mut objects = Objects::start()?;
    let paths: HashSet<PathBuf> = entries.files.iter().map(|file| clean(Path::new(&file.path))).collect();
    for link in &entries.links {
        let target = objects.text(link, LONGEST_TARGET)?;
        let folder = Path::new(&link.path).parent().unwrap_or(Path::new(""));
        // The text of a link is a path, not a definition. That of a file which is read anyway needs no second reading.
        if !paths.contains(&clean(&folder.join(target))) {
            let fault =
                Fault::new(format!("`{}` in the commit is a link to a target outside `{path}`", link.path));
            return Err(fault.help("name the target of the link"));
        }
    }
    let mut room = limits.file_bytes;
    let mut sources = Vec::new();
    for file in entries.files {
        let text = objects.text(&file, room).map_err(|fault| match fault.message.is_empty() {
            true => {
                Fault::new(format!("the files of the commit are larger than {} bytes", limits.file_bytes))
            }
            false => fault,
        })?;
        room -= text.len() as u64;
        if text.starts_with("version https://git-lfs.github.com/spec/") {
            let fault =
                Fault::new(format!("`{}` in the commit is a pointer to a file in Git LFS", file.path));
            return Err(
                fault.help("export the file with `git lfs smudge`, and compare with the exported file")
            );
        }
        let name = format!("git:{reference}:{}", file.path);
        sources.push(Source::from_commit(name, file.path.into(), text, !file.is_named));
    }
    Ok(Found { sources, errors: Vec::new(), links: entries.submodules })
}

/// Returns the paths of files that git tracks although ignore patterns match them, and of the directories that contain such
/// files. Without git, the result is empty.
#[must_use]
pub fn tracked_although_ignored(root: &Path) -> HashSet<PathBuf> {
    let mut listing = Vec::new();
    let in_root = root.to_string_lossy();
    let arguments = ["-C", &*in_root, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
    if let Ok(mut child) = start(&arguments, Stdio::null())
        && let Ok(out) = child.out()
    {
        let _ = out.take(MOST_ENTRIES as u64 * 100).read_to_end(&mut listing);
    }
    let listing = String::from_utf8_lossy(&listing);
    let files = listing.split_terminator('\0').map(|file| root.join(file));
    files
        .flat_map(|file| {
            file.ancestors().take_while(|above| *above != root).map(Path::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

/// A file or a link in a commit.
struct TreeEntry {
    object: String,
    path: String,
    /// `true` if the file is an argument itself.
    is_named: bool,
}

/// The entries of a commit that are read: the file in the argument, or the files with a suitable extension below the directory
/// in the argument.
#[derive(Default)]
struct TreeEntries {
    files: Vec<TreeEntry>,
    links: Vec<TreeEntry>,
    submodules: Vec<String>,
}

/// Lists a commit.
///
/// If the argument itself is a link or a submodule, this is an error. Otherwise, a CRD there would seem to be absent.
fn entries(commit: &str, named: &str, search: &Search<'_>) -> Result<TreeEntries, Fault> {
    let mut child = start(&["ls-tree", "-r", "-z", commit, "--", named], Stdio::piped())?;
    let mut listing = BufReader::new(child.out()?);
    let (mut entries, mut count, named) = (TreeEntries::default(), 0, clean(Path::new(named)));
    loop {
        let mut entry = Vec::new();
        let read = listing.by_ref().take(LONGEST_ENTRY).read_until(0, &mut entry);
        if read.map_err(|error| Fault::new(format!("cannot read the output of git: {error}")))? == 0 {
            break;
        }
        count += 1;
        if count > MOST_ENTRIES || entry.pop() != Some(0) {
            return Err(Fault::new(format!("the commit has more than {MOST_ENTRIES} files"))
                .help("name a directory of the commit: `git:REF:PATH`"));
        }
        let unread = || Fault::new("git printed a name that is not UTF-8");
        let entry = String::from_utf8(entry).map_err(|_| unread())?;
        let (head, path) = entry.split_once('\t').ok_or_else(unread)?;
        let is_named = clean(Path::new(path)) == named;
        if is_named || (search.keep)(Path::new(path), false) {
            entries.add(head, path, is_named)?;
        }
        if entries.files.len() > MOST_FILES {
            return Err(Fault::new(format!(
                "the commit has more than {MOST_FILES} files at `{}`",
                named.display()
            )));
        }
    }
    child.end()?;
    Ok(entries)
}

impl TreeEntries {
    /// Adds an entry. `head` has the mode, the type and the object id.
    fn add(&mut self, head: &str, path: &str, is_named: bool) -> Result<(), Fault> {
        let [mode, _, object] = head.split_ascii_whitespace().collect::<Vec<_>>()[..] else {
            return Err(Fault::new(format!("git printed an entry of a tree that cannot be read: {head}")));
        };
        let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
        let is_meant = is_named || matches!(extension, Some("yaml" | "yml" | "json"));
        let entry = || TreeEntry { object: object.to_owned(), path: path.to_owned(), is_named };
        match mode {
            "160000" if is_named => {
                let fault = Fault::new(format!("`{path}` in the commit is a submodule"));
                return Err(fault.help("run the command in the repository of the submodule"));
            }
            "160000" => self.submodules.push(path.to_owned()),
            "120000" if is_named => {
                return Err(Fault::new(format!("`{path}` in the commit is a link"))
                    .help("name the target of the link"));
            }
            "120000" if is_meant => self.links.push(entry()),
            _ if is_meant => self.files.push(entry()),
            _ => {}
        }
        Ok(())
    }
}

/// Returns the path without `.` and `..` steps.
#[must_use]
pub fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir if clean.file_name().is_some() => {
                clean.pop();
            }
            step => clean.push(step),
        }
    }
    clean
}

/// Returns the hash of a commit. This hash is passed to later calls of git, because git would read a reference that begins with
/// `-` as an option.
fn commit(reference: &str) -> Result<String, Fault> {
    let name = format!("{reference}^{{commit}}");
    let mut child = start(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name], Stdio::piped())?;
    let mut commit = String::new();
    let read = child.out()?.take(LONGEST_ENTRY).read_to_string(&mut commit);
    match (read, child.end()) {
        (Ok(_), Ok(())) => Ok(commit.trim().to_owned()),
        _ => {
            if asked("--git-dir").is_none() {
                return Err(Fault::new("this directory is not in a git repository"));
            }
            let missing = Fault::new(format!("there is no commit `{reference}`"));
            Err(if is_shallow() { missing.help(SHALLOW) } else { missing })
        }
    }
}

/// The remedy for a shallow clone.
const SHALLOW: &str = "this is a shallow clone, as is common in CI: fetch the history, with `fetch-depth: 0` of actions/checkout, `GIT_DEPTH: 0` of \
    GitLab, or `git fetch --unshallow`";

/// Returns `true` for a shallow clone.
fn is_shallow() -> bool {
    asked("--is-shallow-repository").is_some_and(|answer| answer.trim() == "true")
}

/// Returns the output of `git rev-parse` with an option such as `--is-shallow-repository`; `None` outside a repository.
fn asked(question: &str) -> Option<String> {
    let mut child = start(&["rev-parse", question], Stdio::piped()).ok()?;
    let mut answer = String::new();
    child.out().ok()?.take(LONGEST_ENTRY).read_to_string(&mut answer).ok()?;
    child.end().ok()?;
    Some(answer)
}

/// A git process that returns the contents of objects, for all files of a commit.
struct Objects {
    _child: Git,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Objects {
    fn start() -> Result<Self, Fault> {
        let mut child = start(&["cat-file", "--batch"], Stdio::null())?;
        let (answers, asked) = (child.out()?, child.0.stdin.take());
        let asked = asked.ok_or_else(|| Fault::new("cannot write to the input of git"))?;
        Ok(Self { _child: child, asked, answers: BufReader::new(answers) })
    }

    /// Returns the text of an entry. If it has more than `most` bytes, the error has no message.
    fn text(&mut self, entry: &TreeEntry, most: u64) -> Result<String, Fault> {
        let path = &entry.path;
        let lacks = || {
            Fault::new(format!("the repository lacks the object of `{path}`"))
                .help("run `git fsck`; in a partial clone, check out the commit first")
        };
        let mut head = String::new();
        writeln!(self.asked, "{}", entry.object).map_err(|_| lacks())?;
        let answers = self.answers.by_ref();
        answers.take(LONGEST_ENTRY).read_line(&mut head).map_err(|_| lacks())?;
        let [_, "blob", bytes] = head.split_ascii_whitespace().collect::<Vec<_>>()[..] else {
            return Err(lacks());
        };
        let bytes: u64 = bytes.parse().map_err(|_| lacks())?;
        if bytes > most {
            return Err(Fault::new(""));
        }
        let mut text = Vec::new();
        answers.take(bytes + 1).read_to_end(&mut text).map_err(|_| lacks())?;
        // A line break ends each object.
        if text.pop() != Some(b'\n') || text.len() as u64 != bytes {
            return Err(lacks());
        }
        String::from_utf8(text).map_err(|_| Fault::new(format!("`{path}` in the commit is not UTF-8")))
    }
}

/// A git process, which is killed when it is dropped.
struct Git(Child);

impl Drop for Git {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Git {
    fn out(&mut self) -> Result<ChildStdout, Fault> {
        self.0.stdout.take().ok_or_else(|| Fault::new("cannot read the output of git"))
    }

    /// Waits until git ends.
    fn end(mut self) -> Result<(), Fault> {
        let mut reason = String::new();
        if let Some(errors) = self.0.stderr.take() {
            let _ = errors.take(LONGEST_ENTRY).read_to_string(&mut reason);
        }
        match self.0.wait() {
            Ok(status) if status.success() => Ok(()),
            _ => {
                let reason = reason.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ");
                Err(Fault::new(format!("git: {reason}")))
            }
        }
    }
}

fn start(arguments: &[&str], errors: Stdio) -> Result<Git, Fault> {
    let mut command = Command::new("git");
    command.args(["--no-pager", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false"]).args(arguments);
    command.env("GIT_LITERAL_PATHSPECS", "1").env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    // Objects that a partial clone lacks are not fetched: a comparison does not use the network.
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none").env("GIT_TERMINAL_PROMPT", "0");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).spawn();
    child.map(Git).map_err(|error| Fault::new(format!("`git` cannot be run: {error}")))
}
