//! `crdkit lsp`: a language server for editors, over the standard streams.

mod answers;
mod convert;
mod project;
mod searches;
mod session;
mod workspace;

use clap::Args;
use crd_core::KubeVersion;
use crd_core::check::ServerOptions;
use crd_editor::EditorOptions;
use crd_input::on_large_stack;
use crd_report::{Status, ended};
use lsp_server::{Connection, ProtocolError};
use lsp_types::{
    CodeActionProviderCapability, CompletionOptions, HoverProviderCapability, OneOf, PositionEncodingKind,
    RenameOptions, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
};
use serde_json::json;

use crate::configuration::Configuration;
use crate::server::{FeatureGates, Server};
use project::SuiteJudge;
use session::Session;
use workspace::Workspace;

/// Run a language server: findings, completion and explanations while you type
///
/// Your editor starts this command, and communicates with it through standard input and output. For CRDs, the server shows the results of
/// `crdkit check` and `crdkit lint`, even if a part of the text cannot be parsed, and offers changes that fix a finding. It completes and
/// explains keywords, fields and rules, shows outlines, finds definitions, and renames properties and everything that refers to them. For
/// objects whose CRDs are in the open directories, it shows the results of `crdkit validate`. It reports nothing for other files and Helm
/// templates. The server needs no cluster and no network.
#[derive(Args)]
pub(crate) struct Lsp {
    #[command(flatten)]
    server: Server,
    #[command(flatten)]
    gates: FeatureGates,
    /// Has no effect: the server always uses standard input and output, but some editors pass this option
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    pub(crate) fn run(self, configuration: &Configuration) -> Status {
        let version = self.server.configured(configuration).kube_version();
        // Suites choose releases of their own, and the oldest lets its users set all gates.
        let options = self.gates.options_for(version, configuration).and_then(|options| {
            let server = self.server.configured(configuration);
            let of_suites = self.gates.options_for(KubeVersion::OLDEST, configuration)?;
            Ok((options, SuiteJudge { server, options: of_suites }))
        });
        let (options, judge) = match options {
            Ok(options) => options,
            Err(error) => return ended(Err(error), Status::Unreadable),
        };
        let (connection, threads) = Connection::stdio();
        let served = on_large_stack(|| serve(&connection, options, judge));
        // The threads of the streams end when nobody sends to them any more.
        drop(connection);
        let joined = threads.join().map_err(|error| error.to_string());
        ended(served.map_err(|error| error.to_string()).and(joined), Status::Fine)
    }
}

fn serve(connection: &Connection, server: ServerOptions, judge: SuiteJudge) -> Result<(), ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    let about = json!({
        "capabilities": capabilities(),
        "serverInfo": {"name": "crdkit", "version": env!("CARGO_PKG_VERSION")},
    });
    connection.initialize_finish(id, about)?;
    let beside_yaml_language_server =
        params["initializationOptions"]["besideYamlLanguageServer"].as_bool().unwrap_or_default();
    let options = EditorOptions { server, beside_yaml_language_server, ..EditorOptions::default() };
    Session::new(connection, options, judge, Workspace::new(&params, server)).run()
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([".", " ", ":"].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        definition_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        ..ServerCapabilities::default()
    }
}
