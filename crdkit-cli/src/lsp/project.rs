//! Checks and completes files that are not CRDs or objects: test suites for `crdkit test`, and the configuration `crdkit.toml`.

use std::path::PathBuf;

use clap::{Args, Command};
use crd_codegen::Config;
use crd_core::check::ServerOptions;
use crd_editor::{EditorCompletion, EditorDocument, Position, Text, TextRange};
use crd_report::{Level, Message};
use lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString, Uri};

use super::{convert, workspace};
use crate::server::Server;
use crate::{configuration, test};

/// A file of a project.
pub(super) enum ProjectFile {
    /// A suite of tests.
    Suite(PathBuf),
    /// A configuration.
    Configuration(PathBuf),
}

/// The API server for suites that do not specify a version.
#[derive(Clone, Copy)]
pub(super) struct SuiteJudge {
    pub(super) server: Server,
    pub(super) options: ServerOptions,
}

impl ProjectFile {
    /// Determines the kind of file from the name.
    pub(super) fn find(uri: &Uri) -> Option<Self> {
        let path = workspace::path(uri)?;
        if path.file_name().is_some_and(|name| name == "crdkit.toml") {
            return Some(Self::Configuration(path));
        }
        test::is_suite(&path).then_some(Self::Suite(path))
    }

    /// Returns the same messages about the file's current text as `crdkit test` or, for a configuration, any command.
    pub(super) fn diagnostics(&self, text: &Text, judge: &SuiteJudge) -> Vec<Diagnostic> {
        match self {
            Self::Configuration(path) => {
                let fault = configuration::fault(path, text.as_str());
                let diagnostic = |(message, bytes)| Diagnostic {
                    range: convert::range(text.range(bytes)),
                    severity: Some(DiagnosticSeverity::ERROR),
                    source: Some("crdkit".to_owned()),
                    message,
                    ..Diagnostic::default()
                };
                fault.map(diagnostic).into_iter().collect()
            }
            Self::Suite(path) => {
                let messages = test::report(path, text.as_str(), judge.server, judge.options);
                let own = path.to_string_lossy();
                messages.into_iter().map(|message| diagnostic(message, text, &own)).collect()
            }
        }
    }

    /// Returns the keys that can be written at a position.
    pub(super) fn completions(
        &self,
        document: &mut EditorDocument,
        position: Position,
    ) -> Vec<EditorCompletion> {
        match self {
            Self::Suite(_) => document.suite_completions(position),
            Self::Configuration(_) => {
                let arguments = Config::augment_args(Command::new("options"));
                let options = arguments.get_arguments().filter_map(|option| {
                    let about = option.get_help().map(ToString::to_string).unwrap_or_default();
                    Some((option.get_long()?.to_owned(), about))
                });
                document.configuration_completions(position, &options.collect::<Vec<_>>())
            }
        }
    }
}

/// Converts a message about a suite. A message about another file, which the suite refers to, is shown at the start of the suite.
fn diagnostic(message: Message, text: &Text, own: &str) -> Diagnostic {
    let spot = message.spot.as_ref().filter(|_| message.file == own);
    let range = spot.map_or(TextRange::default(), |spot| {
        let line = text.line(spot.line.saturating_sub(1));
        let is_known = !spot.source.is_empty() && text.as_str()[line.clone()] == *spot.source;
        match is_known {
            true => text.range(line.start + spot.span.start..line.start + spot.span.end),
            false => text.range(line),
        }
    });
    let file = if message.file == own || message.file.is_empty() {
        String::new()
    } else {
        format!("{}: ", message.file)
    };
    let help = message.help.map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    Diagnostic {
        range: convert::range(range),
        severity: Some(match message.level {
            Level::Error => DiagnosticSeverity::ERROR,
            Level::Warning => DiagnosticSeverity::WARNING,
            _ => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(message.reason.to_owned())),
        source: Some("crdkit test".to_owned()),
        message: format!("{file}{}{help}", message.text),
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the known keys from a message about an unknown key.
    fn known(message: &str) -> Vec<String> {
        let (_, keys) = message.split_once("keys").unwrap();
        keys.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    fn labels(mut found: Vec<EditorCompletion>) -> Vec<String> {
        let mut labels: Vec<String> = found.drain(..).map(|completion| completion.label).collect();
        labels.sort();
        labels
    }

    fn sorted(mut names: Vec<String>) -> Vec<String> {
        names.sort();
        names
    }

    #[test]
    fn keys_of_configurations_are_those_that_the_command_knows() {
        let job = "[job.x]\ninputs = ['a']\nout = 'b'\n";
        let package = &format!("{job}[job.x.package]\nname = 'y'\n");
        for table in ["", "[[waive]]\n", "[lint]\n", "[[lint.at]]\n", "[diff.crd.x]\n", job, package] {
            let text = format!("{table}qqqqqqqqqqqq = 1\n");
            let (message, bytes) = configuration::fault("crdkit.toml".as_ref(), &text).unwrap();
            assert_eq!(&text[bytes], "qqqqqqqqqqqq", "{message}");
            let file = ProjectFile::Configuration(PathBuf::from("crdkit.toml"));
            let mut document = EditorDocument::new(table, crd_editor::EditorOptions::default());
            let end = document.text().position(table.len());
            assert_eq!(labels(file.completions(&mut document, end)), sorted(known(&message)), "{table}");
        }
    }

    #[test]
    fn keys_of_suites_are_those_that_the_command_knows() {
        let judge = SuiteJudge { server: Server::default(), options: ServerOptions::default() };
        let file = ProjectFile::Suite(PathBuf::from("a.test.yaml"));
        let expect = "tests:\n- name: a\n  expect:\n    ";
        for above in ["", "tests:\n- ", expect, &format!("{expect}errors:\n    - ")] {
            let text = format!("{above}qqqqqqqqqqqq: 1\n");
            let found = file.diagnostics(&Text::new(&text), &judge);
            let found = found.into_iter().find(|found| {
                found.message.starts_with("unknown key") || found.message.contains(": unknown key")
            });
            let found = found.unwrap_or_else(|| panic!("{text}"));
            let line = text.lines().nth(found.range.start.line as usize).unwrap();
            assert!(line[found.range.start.character as usize..].starts_with("qqqqqqqqqqqq"), "{line}");
            let mut document = EditorDocument::new(above, crd_editor::EditorOptions::default());
            let end = document.text().position(above.len());
            let own = labels(file.completions(&mut document, end));
            assert_eq!(own, sorted(known(&found.message)), "{above}");
        }
    }

    #[test]
    fn failing_tests_are_at_their_names() {
        let judge = SuiteJudge { server: Server::default(), options: ServerOptions::default() };
        let file = ProjectFile::Suite(PathBuf::from("absent/a.test.yaml"));
        let text = "crd: absent.yaml\ntests: []\n";
        let found = file.diagnostics(&Text::new(text), &judge);
        assert!(found.iter().any(|found| found.message.contains("the list is empty")), "{found:?}");
        assert!(found.iter().any(|found| found.message.contains("absent.yaml")), "{found:?}");
        let text = "crd:
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: hats.example.com}
  spec:
    group: example.com
    scope: Namespaced
    names: {plural: hats, singular: hat, kind: Hat, listKind: HatList}
    versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
tests:
- name: '😀 fails'
  object: {apiVersion: example.com/v1, kind: Hat, metadata: {name: a}, size: x}
  expect: {accepted: true}
";
        let found = file.diagnostics(&Text::new(text), &judge);
        let [failed] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(failed.code, Some(NumberOrString::String("TestFailed".to_owned())));
        assert_eq!((failed.range.start.line, failed.range.start.character), (14, 2));
    }
}
