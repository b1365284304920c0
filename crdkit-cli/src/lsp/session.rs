//! Runs an editor's session: keeps the open documents, and sends messages about them.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crd_editor::{EditorDocument, EditorOptions, KnownKinds};
use lsp_server::{Connection, Message, Notification, ProtocolError};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Notification as _,
    PublishDiagnostics,
};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, PublishDiagnosticsParams, TextDocumentContentChangeEvent, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::convert;
use super::project::{ProjectFile, SuiteJudge};
use super::searches::{LOOK, Searches};
use super::workspace::Workspace;

/// An open document.
pub(super) struct Open {
    pub(super) uri: Uri,
    /// The version number that the editor gave to the text.
    version: i32,
    pub(super) document: EditorDocument,
    /// The kind of file. `None` if the file is not a test suite or configuration.
    pub(super) project_file: Option<ProjectFile>,
}

/// The state of a session.
pub(super) struct Session<'c> {
    connection: &'c Connection,
    pub(super) options: EditorOptions,
    pub(super) open: BTreeMap<String, Open>,
    /// The documents whose diagnostics are out of date.
    changed: BTreeSet<String>,
    searches: Searches,
    workspace: Workspace,
    judge: SuiteJudge,
    /// The kinds that CRDs in the workspace define.
    kinds: Arc<KnownKinds>,
}

impl<'c> Session<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        options: EditorOptions,
        judge: SuiteJudge,
        workspace: Workspace,
    ) -> Self {
        Self {
            connection,
            options,
            open: BTreeMap::new(),
            changed: BTreeSet::new(),
            searches: Searches::default(),
            workspace,
            judge,
            kinds: Arc::default(),
        }
    }

    /// Handles messages until the editor ends the session. Diagnostics are computed when no message is waiting.
    pub(super) fn run(mut self) -> Result<(), ProtocolError> {
        while let Some(next) = self.next() {
            match next {
                None => guarded(|| self.work()).unwrap_or_default(),
                Some(Message::Request(request)) => {
                    if self.connection.handle_shutdown(&request)? {
                        break;
                    }
                    self.answer(request);
                }
                Some(Message::Notification(notification)) => {
                    guarded(|| self.note(notification)).unwrap_or_default();
                }
                Some(Message::Response(_)) => {}
            }
        }
        Ok(())
    }

    /// Returns the next message, or `None` at the end of the stream. Returns `Some(None)` if there is other work to do and no message has
    /// arrived.
    fn next(&self) -> Option<Option<Message>> {
        let receiver = &self.connection.receiver;
        let wait = match (self.changed.is_empty(), self.workspace.is_busy()) {
            (false, _) => Some(Duration::ZERO),
            (true, true) => Some(self.searches.wait().map_or(LOOK, |wait| wait.min(LOOK))),
            (true, false) => self.searches.wait(),
        };
        match wait {
            None => receiver.recv().ok().map(Some),
            Some(wait) => match receiver.recv_timeout(wait) {
                Ok(message) => Some(Some(message)),
                Err(error) if error.is_timeout() => Some(None),
                Err(_) => None,
            },
        }
    }

    /// Performs a part of the pending work.
    fn work(&mut self) {
        if let Some(kinds) = self.workspace.look() {
            self.kinds = kinds;
            for (uri, open) in &mut self.open {
                open.document.set_kinds(Arc::clone(&self.kinds));
                self.changed.insert(uri.clone());
            }
        } else if let Some(uri) = self.changed.pop_first() {
            self.publish(&uri);
            if self.open.get(&uri).is_some_and(|open| open.project_file.is_none()) {
                self.searches.want(uri);
            }
        } else if let Some((uri, found)) = self.searches.ended() {
            let is_new = self.open.get_mut(&uri).is_some_and(|open| open.document.take_searched(found));
            if is_new {
                self.publish(&uri);
            }
        } else if let Some(uri) = self.searches.next()
            && let Some(open) = self.open.get_mut(&uri)
        {
            let search = open.document.lint_search();
            self.searches.start(uri, search);
        }
    }

    fn publish(&mut self, uri: &str) {
        let Some(open) = self.open.get_mut(uri) else { return };
        let diagnostics = match &open.project_file {
            Some(file) => file.diagnostics(open.document.text(), &self.judge),
            None => open.document.findings().iter().map(convert::diagnostic).collect(),
        };
        let params = PublishDiagnosticsParams::new(open.uri.clone(), diagnostics, Some(open.version));
        self.send(Notification::new(PublishDiagnostics::METHOD.to_owned(), params).into());
    }

    pub(super) fn send(&self, message: Message) {
        // The stream has ended if nobody receives.
        let _ = self.connection.sender.send(message);
    }

    fn note(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some(DidOpenTextDocumentParams { text_document: opened }) = read(params) else { return };
                let key = opened.uri.as_str().to_owned();
                let mut document = EditorDocument::new(&opened.text, self.options.clone());
                document.set_kinds(Arc::clone(&self.kinds));
                let project_file = ProjectFile::find(&opened.uri);
                let open = Open { uri: opened.uri, version: opened.version, document, project_file };
                self.open.insert(key.clone(), open);
                self.mark(key);
            }
            DidChangeTextDocument::METHOD => {
                let Some(params) = read::<DidChangeTextDocumentParams>(params) else { return };
                let key = params.text_document.uri.as_str().to_owned();
                let Some(open) = self.open.get_mut(&key) else { return };
                open.version = params.text_document.version;
                for TextDocumentContentChangeEvent { range, text, .. } in params.content_changes {
                    match range {
                        Some(range) => open.document.change(convert::own_range(range), &text),
                        None => open.document.set_text(&text),
                    }
                }
                self.mark(key);
            }
            DidSaveTextDocument::METHOD => {
                let Some(params) = read::<DidSaveTextDocumentParams>(params) else { return };
                let saved = self.open.get_mut(params.text_document.uri.as_str());
                if saved.is_some_and(|open| open.document.crds().next().is_some()) {
                    self.workspace.refresh();
                }
            }
            DidCloseTextDocument::METHOD => {
                let Some(params) = read::<DidCloseTextDocumentParams>(params) else { return };
                let key = params.text_document.uri.as_str();
                self.open.remove(key);
                self.changed.remove(key);
                self.searches.forget(key);
                let none = PublishDiagnosticsParams::new(params.text_document.uri, Vec::new(), None);
                self.send(Notification::new(PublishDiagnostics::METHOD.to_owned(), none).into());
            }
            _ => {}
        }
    }

    fn mark(&mut self, uri: String) {
        self.searches.interrupt(&uri);
        self.changed.insert(uri);
    }
}

pub(super) fn read<T: DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

/// Calls a function. Returns `None` if the function panics, so a bug does not end the session.
pub(super) fn guarded<R>(work: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}
