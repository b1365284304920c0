//! Finds the sources for command-line arguments: files, directories, standard input.

use std::collections::HashSet;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use memchr::memmem;

use super::encoding::decode;
use super::error::{Error, Fault};
use super::recording::{Recorder, Recording};
use super::{Limits, STDIN, SourceMap};

/// A source of text: a file, or standard input.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user gave it, or `<stdin>`.
    shown: String,
    /// The path relative to the current directory, with `/` between directories.
    relative: String,
    place: At,
    /// The number of sources that are read together. Their documents share the limit for expanding aliases.
    together: usize,
    /// `true` if the file was found in a directory.
    is_found: bool,
    /// The parser's events from the first time that the source was read, if they were kept.
    recording: Option<Arc<OnceLock<Recording>>>,
}

#[derive(Clone, Debug)]
enum At {
    Path(PathBuf),
    /// A text in memory, such as a stream, which can be read only once.
    Memory(Arc<str>),
    /// A file of a commit, with its path in the working tree.
    Commit(PathBuf, Arc<str>),
}

/// Options for the search of directories.
#[derive(Clone, Copy)]
pub struct Search<'k> {
    /// Decides whether a file or subdirectory in a searched directory is used; `false` skips it. The arguments are the path, and `true`
    /// for a directory.
    pub keep: &'k dyn Fn(&Path, bool) -> bool,
    /// Also reads the targets of links to files, even if these files are outside the searched directory. Links to directories are never
    /// followed.
    pub follows_links: bool,
}

impl Default for Search<'_> {
    fn default() -> Self {
        Self { keep: &|_, _| true, follows_links: false }
    }
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Found {
    /// The sources, in order.
    pub sources: Vec<Source>,
    /// The errors for arguments and directories that cannot be read.
    pub errors: Vec<Error>,
    /// The links that were skipped, because they lead to a directory or out of the searched directory.
    pub links: Vec<String>,
}

/// Finds the sources for these arguments, like [`search`] with default options.
///
/// ```
/// let (sources, errors) = crd_input::sources(&["no-such.yaml"], &Default::default());
/// assert!(sources.is_empty());
/// assert_eq!(errors[0].to_string(), "no-such.yaml: there is no such file or directory");
/// ```
#[must_use]
pub fn sources<P: AsRef<Path>>(inputs: &[P], limits: &Limits) -> (Vec<Source>, Vec<Error>) {
    let Found { sources, errors, .. } = search(inputs, limits, &Search::default());
    (sources, errors)
}

/// Finds the sources for these arguments. An argument is a file, a directory, or `-` for standard input. Directories are searched
/// recursively for files that end in `.yaml`, `.yml` or `.json`. The files are sorted, and hidden files are skipped. Each file is found
/// only once. Arguments themselves are never skipped. If nothing was found because links were skipped, this is an error.
#[must_use]
pub fn search<P: AsRef<Path>>(inputs: &[P], limits: &Limits, search: &Search<'_>) -> Found {
    let mut walk = Walk {
        found: Found::default(),
        seen: HashSet::new(),
        root: PathBuf::new(),
        links: Vec::new(),
        search,
    };
    for input in inputs {
        let input = input.as_ref();
        if input.as_os_str() == "-" {
            walk.stdin(limits);
        } else {
            walk.argument(input, limits);
        }
    }
    let mut found = walk.found;
    if let (true, true, [first, ..]) = (found.sources.is_empty(), found.errors.is_empty(), &*found.links) {
        let fault = Fault::new(format!(
            "nothing was read: {} left out, because links to directories and to files outside the searched directory are not followed",
            if found.links.len() == 1 {
                "a link is".to_owned()
            } else {
                format!("{} links are", found.links.len())
            }
        ));
        found.errors.push(Error::new(first, fault.help(LINKS_HELP)));
    }
    let together = found.sources.len();
    for source in &mut found.sources {
        source.together = together;
        source.recording = Some(Arc::default());
    }
    found
}

/// The help text about skipped links.
const LINKS_HELP: &str = "name the target of the link; `--follow-links` follows links to files";

impl Source {
    /// Creates a source from a text in memory. `name` appears in messages.
    #[must_use]
    pub fn from_string(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let (name, text) = (name.into(), text.into());
        let text = text.strip_prefix('\u{FEFF}').map_or_else(|| Arc::clone(&text), Arc::from);
        Self {
            shown: name.clone(),
            relative: name,
            place: At::Memory(text),
            together: 1,
            is_found: false,
            recording: None,
        }
    }

    /// Creates a source from a file in a commit, with its name for messages. `is_found` is `false` if the file is an argument itself.
    pub(crate) fn from_commit(name: String, path: PathBuf, text: String, is_found: bool) -> Self {
        let mut source = Self::from_string(name, text);
        if let At::Memory(text) = source.place {
            source.place = At::Commit(path, text);
        }
        Self { is_found, ..source }
    }

    /// Returns the path as the user gave it, or `<stdin>`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shown
    }

    /// Returns the path relative to the current directory, with `/` between directories, as in [`Origin`](crate::Origin).
    #[must_use]
    pub fn relative(&self) -> &str {
        &self.relative
    }

    /// Returns the path, or `None` for standard input and for texts from memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            At::Path(path) => Some(path),
            At::Memory(_) | At::Commit(..) => None,
        }
    }

    /// Returns the path in the file system or in a commit's tree; `None` for standard input and for texts from memory.
    #[must_use]
    pub fn tree_path(&self) -> Option<&Path> {
        match &self.place {
            At::Path(path) | At::Commit(path, _) => Some(path),
            At::Memory(_) => None,
        }
    }

    /// Returns `true` if the file was found in a directory, and `false` if it is an argument itself.
    #[must_use]
    pub fn is_found(&self) -> bool {
        self.is_found
    }

    /// Returns the number of sources that are read together, including this one.
    pub(crate) fn together(&self) -> usize {
        self.together
    }

    /// Reads the text. Like kubectl, it accepts UTF-16 with a byte order mark.
    ///
    /// # Errors
    /// - the file cannot be read, or is larger than the limit
    /// - the text is not UTF-8
    pub fn read(&self, limits: &Limits) -> Result<Arc<str>, Error> {
        let path = match &self.place {
            At::Memory(text) | At::Commit(_, text) => return Ok(Arc::clone(text)),
            At::Path(path) => path,
        };
        let bytes = read_path(path, limits.file_bytes).map_err(|fault| Error::new(&self.shown, fault))?;
        decode(bytes).map(Into::into).map_err(|fault| Error::new(&self.shown, fault))
    }

    /// Returns the text that was read before, or reads the source if the text was not kept.
    ///
    /// # Errors
    /// The errors of [`Source::read`].
    pub fn read_again(&self, limits: &Limits) -> Result<Arc<str>, Error> {
        self.recording().map_or_else(|| self.read(limits), |recording| Ok(Arc::clone(recording.text())))
    }

    /// Returns the positions of the values in this source's text. A text from [`Source::read_again`] may not need to be parsed again.
    ///
    /// ```
    /// use crd_core::FieldPath;
    /// use crd_input::Source;
    ///
    /// let source = Source::from_string("a.yaml", "kind: Foo\nspec: {}\n");
    /// let text = source.read_again(&Default::default()).unwrap();
    /// let place = source.places(&text).locate(0, &FieldPath::new("spec")).unwrap();
    /// assert_eq!(place.line, 2);
    /// ```
    #[must_use]
    pub fn places(&self, text: &Arc<str>) -> SourceMap {
        self.recording()
            .filter(|recording| Arc::ptr_eq(recording.text(), text))
            .and_then(SourceMap::from_recording)
            .unwrap_or_else(|| SourceMap::from_shared(Arc::clone(text)))
    }

    pub(crate) fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()?.get()
    }

    /// Returns a recorder for the parser's events, if it is useful to keep them: most messages are about CRDs, and the texts of other
    /// sources would only take memory.
    pub(crate) fn recorder<'t>(&self, text: &'t Arc<str>, limits: &Limits) -> Option<Recorder<'t>> {
        self.recording.as_ref()?;
        let is_useful =
            self.together == 1 || memmem::find(text.as_bytes(), b"CustomResourceDefinition").is_some();
        is_useful.then(|| Recorder::new(text, limits)).flatten()
    }

    /// Stores the recorded events.
    pub(crate) fn keep(&self, recorder: Option<Recorder<'_>>) {
        if let (Some(kept), Some(recording)) = (&self.recording, recorder.and_then(Recorder::finish)) {
            // Another reading of the same source may have been first.
            let _ = kept.set(recording);
        }
    }
}

struct Walk<'k> {
    found: Found,
    /// The real paths of visited files and directories, because an argument can be repeated.
    seen: HashSet<PathBuf>,
    /// The real path of the directory in the argument.
    root: PathBuf,
    /// The links below the directory.
    links: Vec<PathBuf>,
    search: &'k Search<'k>,
}

impl Walk<'_> {
    fn stdin(&mut self, limits: &Limits) {
        if !self.seen.insert(PathBuf::from("-")) {
            return;
        }
        match read_all(io::stdin().lock(), 0, limits.file_bytes).and_then(decode) {
            Ok(text) => self.found.sources.push(Source::from_string(STDIN, text)),
            Err(fault) => self.found.errors.push(Error::new(STDIN, fault)),
        }
    }

    fn argument(&mut self, path: &Path, limits: &Limits) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                self.root = real(path);
                self.folder(path);
                // Links come last, so that a file has its own name.
                std::mem::take(&mut self.links).iter().for_each(|link| self.link(link));
            }
            Ok(metadata) if metadata.is_file() => self.file(path, false),
            Ok(_) => self.stream(path, limits),
            Err(error) => self.found.errors.push(Error::new(path.to_string_lossy(), absent(path, &error))),
        }
    }

    fn folder(&mut self, path: &Path) {
        let real = real(path);
        if !self.seen.insert(real.clone()) {
            return;
        }
        let mut entries = match fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => entries,
            Err(error) => {
                self.found.errors.push(Error::new(path.to_string_lossy(), io_fault(&error)));
                return;
            }
        };
        entries.sort_by_cached_key(DirEntry::file_name);
        for entry in entries {
            self.entry(&entry, &real);
        }
    }

    /// Adds an entry in the directory whose real path is `folder`.
    fn entry(&mut self, entry: &DirEntry, folder: &Path) {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(kind) = entry.file_type() else { return };
        if name.as_encoded_bytes().starts_with(b".") {
            return;
        }
        // Only links need further system calls: a directory can contain very many files.
        if kind.is_symlink() {
            self.links.push(path);
        } else if kind.is_dir() {
            if (self.search.keep)(&path, true) {
                self.folder(&path);
            }
        } else if kind.is_file()
            && is_manifest(&path)
            && (self.search.keep)(&path, false)
            && self.seen.insert(folder.join(name))
        {
            self.add(&path, true);
        }
    }

    /// Adds the file that a link leads to, if this file is below the directory in the argument.
    fn link(&mut self, path: &Path) {
        // Nobody named a dangling link as an input.
        let Ok(metadata) = fs::metadata(path) else { return };
        let is_file = metadata.is_file() && is_manifest(path);
        if !(is_file || metadata.is_dir()) || !(self.search.keep)(path, metadata.is_dir()) {
            return;
        }
        if is_file && (self.search.follows_links || real(path).starts_with(&self.root)) {
            self.file(path, true);
        } else {
            self.found.links.push(path.to_string_lossy().into_owned());
        }
    }

    fn file(&mut self, path: &Path, is_found: bool) {
        if self.is_new(path) {
            self.add(path, is_found);
        }
    }

    fn add(&mut self, path: &Path, is_found: bool) {
        self.found.sources.push(Source {
            shown: path.to_string_lossy().into_owned(),
            relative: relative(path),
            place: At::Path(path.to_owned()),
            together: 1,
            is_found,
            recording: None,
        });
    }

    /// Reads a stream, such as the pipe that a shell creates for `<(command)`, into memory.
    fn stream(&mut self, path: &Path, limits: &Limits) {
        if !self.is_new(path) {
            return;
        }
        let name = path.to_string_lossy();
        match read_path(path, limits.file_bytes).and_then(decode) {
            Ok(text) => self.found.sources.push(Source::from_string(name, text)),
            Err(fault) => self.found.errors.push(Error::new(name, fault)),
        }
    }

    fn is_new(&mut self, path: &Path) -> bool {
        self.seen.insert(real(path))
    }
}

/// Returns the path with all links resolved, or the unchanged path if it does not exist.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known))
}

/// Returns the path relative to the current directory, with `/` between directories, so generated files are the same on all machines.
fn relative(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    let mut parts = Vec::new();
    if path.is_absolute() {
        let common = path.components().zip(current.components()).take_while(|(a, b)| a == b).count();
        parts.extend(current.components().skip(common).map(|_| "..".to_owned()));
        parts.extend(path.components().skip(common).filter_map(name_of));
    } else {
        parts.extend(path.components().filter_map(name_of));
    }
    parts.join("/")
}

fn name_of(component: Component<'_>) -> Option<String> {
    match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".to_owned()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    }
}

/// Reads a text file in UTF-8, such as a configuration, of at most `most` bytes.
///
/// # Errors
/// The reason, without the path.
pub fn read_to_string(path: &Path, most: u64) -> Result<String, String> {
    let bytes = read_bytes(path, most)?;
    String::from_utf8(bytes).map_err(|_| "the text is not UTF-8".to_owned())
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// A text with the reason, without the path.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    read_path(path, most).map_err(|fault| fault.message)
}

/// Reads a regular file, or a stream that is already open. Devices and named pipes are rejected, because they may block or never end.
fn read_path(path: &Path, most: u64) -> Result<Vec<u8>, Fault> {
    let metadata = fs::metadata(path).map_err(|error| io_fault(&error))?;
    if metadata.is_dir() {
        return Err(Fault::new("this is a directory, and a file is expected here"));
    }
    if !metadata.is_file() && !is_given(path) {
        return Err(Fault::new("this is neither a file nor a directory")
            .help("read a pipe through standard input: `-`"));
    }
    let file = File::open(path).map_err(|error| io_fault(&error))?;
    read_all(file, metadata.len(), most)
}

/// Returns `true` for paths of streams that the process inherits, and for `/dev/null`.
fn is_given(path: &Path) -> bool {
    let text = path.to_string_lossy();
    ["/dev/stdin", "/dev/null"].contains(&&*text)
        || text.starts_with("/dev/fd/")
        || text.strip_prefix("/proc/").is_some_and(|rest| rest.contains("/fd/"))
}

/// Reads a stream with an expected length of `length` bytes.
fn read_all(from: impl Read, length: u64, most: u64) -> Result<Vec<u8>, Fault> {
    // With one byte more, the end is found without growing the buffer.
    let length = length.min(most).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    from.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| io_fault(&error))?;
    if bytes.len() as u64 > most {
        return Err(Fault::new(format!("the file is larger than {most} bytes")).help("split it"));
    }
    Ok(bytes)
}

/// Returns the error for a file that does not exist. URLs and quoted patterns have their own remedies.
fn absent(path: &Path, error: &io::Error) -> Fault {
    let text = path.to_string_lossy();
    let fault = io_fault(error);
    if text.starts_with("https://") || text.starts_with("http://") {
        return Fault::new("this is a URL, but inputs must be files or directories")
            .help(format!("download it, and pipe it to standard input: `curl -sSfL {text} | ... -`"));
    }
    if error.kind() == io::ErrorKind::NotFound && text.contains(['*', '?', '[']) {
        return Fault::new(
            "there is no file or directory with this name, and patterns are not expanded here",
        )
        .help("remove the quotes so that the shell expands the pattern, or name the directory");
    }
    fault
}

fn io_fault(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::NotFound => Fault::new("there is no such file or directory"),
        io::ErrorKind::PermissionDenied => Fault::new("permission denied"),
        // The message of the operating system without the error number that Rust appends.
        _ => {
            let text = error.to_string();
            Fault::new(text.split(" (os error").next().unwrap_or(&text).to_owned())
        }
    }
}
