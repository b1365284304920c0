//! Responds to requests from an editor.

use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentSymbolRequest, GotoDefinition, HoverRequest, InlayHintRequest,
    PrepareRenameRequest, Rename, Request as _,
};
use lsp_types::{
    CodeActionOrCommand, CodeActionParams, CompletionParams, DocumentSymbol, DocumentSymbolParams,
    GotoDefinitionParams, HoverParams, InlayHintParams, Location, PrepareRenameResponse, RenameParams,
    TextDocumentPositionParams, Uri,
};
use serde::Serialize;
use serde_json::Value;

use super::convert;
use super::session::{Open, Session, guarded, read};
use super::workspace;

/// The error for a request: a code and a message.
type Unanswered = (ErrorCode, String);

impl Session<'_> {
    pub(super) fn answer(&mut self, request: Request) {
        let Request { id, method, params, .. } = request;
        let response = match guarded(|| self.result(&method, params)) {
            Some(Ok(result)) => Response::new_ok(id, result),
            Some(Err((code, message))) => Response::new_err(id, code as i32, message),
            None => Response::new_err(id, ErrorCode::InternalError as i32, "a panic in crdkit".to_owned()),
        };
        self.send(response.into());
    }

    fn result(&mut self, method: &str, params: Value) -> Result<Value, Unanswered> {
        let unknown = || {
            let message = format!("the server has no method `{method}` with these parameters");
            (ErrorCode::MethodNotFound, message)
        };
        match method {
            Rename::METHOD => {
                let RenameParams { text_document_position: at, new_name, .. } =
                    read(params).ok_or_else(unknown)?;
                self.rename(&at, |open, position| {
                    let edits = open.document.rename(position, &new_name)?;
                    Ok(serde_json::to_value(convert::changes(&open.uri, edits)).unwrap_or_default())
                })
            }
            PrepareRenameRequest::METHOD => {
                let at: TextDocumentPositionParams = read(params).ok_or_else(unknown)?;
                self.rename(&at, |open, position| {
                    let (range, placeholder) = open.document.renamed_range(position)?;
                    let range = convert::range(range);
                    let answer = PrepareRenameResponse::RangeWithPlaceholder { range, placeholder };
                    Ok(serde_json::to_value(answer).unwrap_or_default())
                })
            }
            _ => self.explained(method, params).ok_or_else(unknown),
        }
    }

    /// Handles a rename request. The error contains the reason why a property cannot be renamed.
    fn rename(
        &mut self,
        at: &TextDocumentPositionParams,
        answer: impl FnOnce(&mut Open, crd_editor::Position) -> Result<Value, crd_editor::NotRenamed>,
    ) -> Result<Value, Unanswered> {
        let Some(open) = self.open.get_mut(at.text_document.uri.as_str()) else { return Ok(Value::Null) };
        let found = answer(open, convert::own_position(at.position));
        found.map_err(|reason| (ErrorCode::RequestFailed, reason.to_string()))
    }

    /// Returns the result of a request that cannot fail. Returns `None` for an unknown method or wrong parameters.
    fn explained(&mut self, method: &str, params: Value) -> Option<Value> {
        match method {
            CodeActionRequest::METHOD => {
                let params: CodeActionParams = read(params)?;
                let range = convert::own_range(params.range);
                self.ask(&params.text_document.uri, |open| {
                    let actions = open.document.actions(range).into_iter();
                    actions
                        .map(|action| convert::action(&open.uri, action))
                        .map(CodeActionOrCommand::from)
                        .collect::<Vec<_>>()
                })
            }
            Completion::METHOD => {
                let at = read::<CompletionParams>(params)?.text_document_position;
                let position = convert::own_position(at.position);
                self.ask(&at.text_document.uri, |open| {
                    let all = match &open.project_file {
                        Some(file) => file.completions(&mut open.document, position),
                        None => open.document.completions(position),
                    };
                    let all = all.into_iter();
                    all.enumerate().map(|(i, one)| convert::completion(i, one)).collect::<Vec<_>>()
                })
            }
            HoverRequest::METHOD => {
                let at = read::<HoverParams>(params)?.text_document_position_params;
                let position = convert::own_position(at.position);
                self.ask(&at.text_document.uri, |open| open.document.hover(position).map(convert::hover))
            }
            DocumentSymbolRequest::METHOD => {
                let params: DocumentSymbolParams = read(params)?;
                self.ask(&params.text_document.uri, |open| {
                    open.document.outline().into_iter().map(convert::symbol).collect::<Vec<DocumentSymbol>>()
                })
            }
            InlayHintRequest::METHOD => {
                let params: InlayHintParams = read(params)?;
                let range = convert::own_range(params.range);
                self.ask(&params.text_document.uri, |open| {
                    open.document.hints(range).into_iter().map(convert::hint).collect::<Vec<_>>()
                })
            }
            GotoDefinition::METHOD => {
                let at = read::<GotoDefinitionParams>(params)?.text_document_position_params;
                serde_json::to_value(self.definition(&at)).ok()
            }
            _ => None,
        }
    }

    /// Returns the definition of the name at a position. The definition can be in the same document, in another open document, or in a
    /// file.
    fn definition(&mut self, at: &TextDocumentPositionParams) -> Option<Location> {
        let own = self.open.get_mut(at.text_document.uri.as_str())?;
        let target = own.document.definition(convert::own_position(at.position))?;
        let Some(file) = &target.file else {
            let range = own.document.target_range(&target)?;
            return Some(Location::new(own.uri.clone(), convert::range(range)));
        };
        let is_file = |open: &&Open| workspace::path(&open.uri).is_some_and(|path| path == *file);
        if let Some(open) = self.open.values().find(is_file) {
            let range = open.document.target_range(&target)?;
            return Some(Location::new(open.uri.clone(), convert::range(range)));
        }
        let document = workspace::document(file, self.options.clone())?;
        let range = document.target_range(&target)?;
        Some(Location::new(workspace::uri(file)?, convert::range(range)))
    }

    /// Calls a function on a document, and returns the result as JSON. The result is `null` if the document is not open.
    fn ask<R: Serialize>(&mut self, uri: &Uri, answer: impl FnOnce(&mut Open) -> R) -> Option<Value> {
        match self.open.get_mut(uri.as_str()) {
            Some(open) => serde_json::to_value(answer(open)).ok(),
            None => Some(Value::Null),
        }
    }
}
