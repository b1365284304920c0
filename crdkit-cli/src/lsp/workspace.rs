//! Reads the CRDs in an editor's open directories on a separate thread.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use crd_core::check::ServerOptions;
use crd_editor::{EditorDocument, EditorOptions, KnownKinds};
use crd_input::{Definition, Limits, definitions, on_large_stack};
use crd_report::{Found, Report, Search};
use lsp_types::{InitializeParams, Uri};
use serde_json::Value;

/// Maximum size of a CRD file that is read to find a definition.
const LARGEST: u64 = 16 << 20;

/// The open directories, and the thread that reads CRDs.
pub(super) struct Workspace {
    folders: Vec<PathBuf>,
    server: ServerOptions,
    reading: Option<JoinHandle<KnownKinds>>,
    /// `true` if a file has changed since the thread began to read.
    is_stale: bool,
}

impl Workspace {
    /// Creates a session's workspace from the editor's open directories and the directories in the option `crdDirectories`.
    pub(super) fn new(params: &Value, server: ServerOptions) -> Self {
        let params: InitializeParams = serde_json::from_value(params.clone()).unwrap_or_default();
        let named = params.initialization_options.as_ref().map(|options| &options["crdDirectories"]);
        let named = named.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let mut folders: Vec<PathBuf> = named.map(PathBuf::from).collect();
        #[expect(deprecated, reason = "editors without workspace folders send it")]
        let root = params.root_uri;
        match params.workspace_folders {
            Some(open) => folders.extend(open.iter().filter_map(|folder| path(&folder.uri))),
            None => folders.extend(root.as_ref().and_then(path)),
        }
        Self { folders, server, reading: None, is_stale: true }
    }

    /// Requests that the CRDs are read again.
    pub(super) fn refresh(&mut self) {
        self.is_stale = true;
    }

    /// Returns `true` if CRDs are being read, or must be read.
    pub(super) fn is_busy(&self) -> bool {
        self.reading.is_some() || self.is_stale && !self.folders.is_empty()
    }

    /// Starts reading the CRDs if they must be read again. Returns the kinds after reading has finished.
    pub(super) fn look(&mut self) -> Option<Arc<KnownKinds>> {
        if self.reading.is_none() && self.is_stale && !self.folders.is_empty() {
            self.is_stale = false;
            let (folders, server) = (self.folders.clone(), self.server);
            self.reading = Some(std::thread::spawn(move || on_large_stack(|| read(&folders, server))));
        }
        let ended = self.reading.take_if(|reading| reading.is_finished())?;
        Some(Arc::new(ended.join().unwrap_or_default()))
    }
}

/// Finds and reads CRDs like all other commands.
fn read(folders: &[PathBuf], server: ServerOptions) -> KnownKinds {
    let limits = Limits::default();
    let Found { sources, .. } = Search::default().sources(folders, &limits, Report::new(true));
    let found = definitions(&sources, &limits, &|| ());
    let paths = sources.iter().filter_map(|source| Some((source.relative(), source.path()?)));
    let paths: HashMap<&str, &Path> = paths.collect();
    let crds = found.definitions.into_iter().map(|Definition { crd, origin, .. }| {
        let path = paths.get(origin.file.as_str()).map(|path| path.to_string_lossy().into_owned());
        (crd, path.unwrap_or(origin.file), origin.document)
    });
    KnownKinds::in_files(crds, server)
}

/// Reads a CRD file that is not open in the editor.
pub(super) fn document(path: &str, options: EditorOptions) -> Option<EditorDocument> {
    let text = crd_input::read_to_string(Path::new(path), LARGEST).ok()?;
    Some(EditorDocument::new(&text, options))
}

/// Returns a file's URI.
pub(super) fn uri(path: &str) -> Option<Uri> {
    let path = std::path::absolute(path).ok()?;
    let mut uri = "file://".to_owned();
    let text = path.to_string_lossy().replace('\\', "/");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri.parse().ok()
}

/// Returns the path in a file's URI.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let decoded = uri.path().as_estr().decode().into_string_lossy().into_owned();
    let has_drive = rest.as_bytes().get(2) == Some(&b':')
        || rest.get(2..5).is_some_and(|colon| colon.eq_ignore_ascii_case("%3A"));
    Some(PathBuf::from(if has_drive { decoded.trim_start_matches('/') } else { decoded.as_str() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_of_files_are_paths() {
        let path = |uri: &str| path(&uri.parse().unwrap());
        assert_eq!(path("file:///a%20b/c"), Some(PathBuf::from("/a b/c")));
        assert_eq!(path("file:///C%3A/x"), Some(PathBuf::from("C:/x")));
        assert_eq!(path("untitled:x"), None);
        #[cfg(unix)]
        for own in ["/a b/c", "/é/%/#?"] {
            assert_eq!(path(uri(own).unwrap().as_str()), Some(PathBuf::from(own)));
        }
    }
}
