//! Commands that print what the API server publishes about CRDs, and the code that these commands share to read CRDs.

pub(crate) mod docs;
pub(crate) mod explain;
mod files;
pub(crate) mod get;
pub(crate) mod openapi;
pub(crate) mod schema;

use std::path::PathBuf;

use crd_core::CustomResourceDefinition;
use crd_input::Limits;
use crd_report::{Found, Message, MessageFormat, Paths, Report, Search, Status, has_errors};

use crate::read::Read;

/// Maximum number of versions in a CRD. The limit is needed because a full schema is published for each version.
const MOST_VERSIONS: usize = 1_000;

/// The help text for two CRDs with the same kind.
const TWO_OF_ONE_KIND: &str =
    "a cluster does not establish the second CRD; leave one of them out with `--exclude`";

/// A result, or the exit status if the command ends early.
type Ended<T> = Result<T, Status>;

/// Reads the CRDs in the given files and directories, or in standard input if none are given. Also returns the exit status so far, because
/// CRDs are still published if another file cannot be read.
fn definitions(
    named: Vec<PathBuf>,
    search: &Search,
    report: Report,
) -> Ended<(Vec<CustomResourceDefinition>, Status)> {
    let named = match named.is_empty() {
        false => Ok(named),
        true => Paths::default().or_stdin(),
    };
    let limits = Limits::default();
    let Found { sources, errors, left_out, .. } = match named {
        Ok(named) => search.sources(&named, &limits, report),
        Err(error) => Found { errors: vec![error], ..Found::default() },
    };
    let Read { definitions, messages, left_out, .. } =
        Read::from_sources(&sources, errors, left_out, &limits).expect_some().keep_first(&sources);
    drop(sources);
    report.show(&messages, MessageFormat::Human);
    let status = left_out.end(report, if has_errors(&messages) { Status::Unreadable } else { Status::Fine });
    if definitions.is_empty() {
        return Err(status);
    }
    let definitions: Vec<CustomResourceDefinition> =
        definitions.into_iter().map(|definition| definition.crd).collect();
    let (definitions, large): (Vec<_>, Vec<_>) =
        definitions.into_iter().partition(|crd| crd.spec.versions.len() <= MOST_VERSIONS);
    for crd in &large {
        let (name, count) = (&crd.metadata.name, crd.spec.versions.len());
        leave_out(
            report,
            format!("{name} has {count} versions, and at most {MOST_VERSIONS} are shown"),
            None,
        );
    }
    let status = if large.is_empty() { status } else { Status::Unreadable };
    if definitions.is_empty() { Err(status) } else { Ok((definitions, status)) }
}

/// Reports an error about a CRD that is left out, and returns the exit status. Other CRDs are still published.
fn leave_out(report: Report, text: String, help: Option<String>) -> Status {
    report.show(&[Message { help, ..Message::for_run(text) }], MessageFormat::Human);
    Status::Wrong
}

/// Ends the command with an error.
fn fail<T>(report: Report, status: Status, text: String, help: Option<String>) -> Ended<T> {
    report.show(&[Message { help, ..Message::for_run(text) }], MessageFormat::Human);
    Err(status)
}

/// Reads a group and a version: `stable.example.com/v1`.
fn api_version(text: &str) -> Result<(String, String), String> {
    match text.split_once('/') {
        Some((group, version)) if !group.is_empty() && !version.is_empty() && !version.contains('/') => {
            Ok((group.to_owned(), version.to_owned()))
        }
        _ => Err("expected GROUP/VERSION, as in `stable.example.com/v1`".to_owned()),
    }
}
