//! Completions in a project's own files: test suites, and the configuration `crdkit.toml`.

use crd_core::check::FeatureGate;
use crd_lint::rule_names;

use crate::complete::{CompletionKind, EditorCompletion};
use crate::cursor::{Cursor, CursorPart, CursorStep};
use crate::document::EditorDocument;
use crate::text::Position;

/// Keys with their effects.
type Keys = &'static [(&'static str, &'static str)];

const SUITE: Keys = &[
    ("crd", "The CRD, or the path of a file or a directory with CRDs."),
    ("kubeVersion", "The Kubernetes version of the API server."),
    ("tests", "The tests."),
];
const TEST: Keys = &[
    ("name", "The name that reports show."),
    ("object", "The object in the request, or the path of a file with this object."),
    ("old", "The stored object, which `object` replaces; without a stored object, `object` is created."),
    ("subresource", "`status`: the status of the stored object is replaced."),
    ("fieldValidation", "Handling of unknown and duplicate fields: `Ignore`, `Warn` or `Strict`."),
    ("expect", "The expected result."),
];
const EXPECTATION: Keys = &[
    ("accepted", "`true`: the API server accepts the object."),
    ("object", "The whole stored object, or the path of a file with this object."),
    ("columns", "Cells of the object's row in `kubectl get`, by the names of their columns."),
    ("warnings", "All warnings, in the order of the response."),
    ("errors", "The reasons why the API server rejects the object."),
    ("message", "The message of the API server when it rejects the object as a whole."),
];
const CAUSE: Keys = &[
    ("field", "The path of the field."),
    ("reason", "The reason, such as `FieldValueInvalid`."),
    ("message", "The message."),
];

const ROOT: Keys = &[
    ("kube-version", "The Kubernetes version of the API server, or several."),
    ("feature-gates", "The feature gates of the API server."),
    ("waive", "Accepts a finding, with a reason."),
    ("diff", "Settings for CRDs in `crdkit diff`."),
    ("lint", "The rules of `crdkit lint`."),
    ("job", "A job of `crdkit run`."),
];
const WAIVER: Keys = &[
    ("fingerprint", "The fingerprint of the finding."),
    ("id", "The rule that reports the finding."),
    ("path", "A pattern for the path of the finding."),
    ("crd", "A pattern for the name of the CRD."),
    ("reason", "The reason why the finding is accepted."),
    ("until", "The last day on which the finding is accepted."),
];
const LINT: Keys = &[
    ("profile", "The profile: the rules that apply."),
    ("levels", "The levels of rules and groups."),
    ("at", "Levels for some places only."),
    ("baseline", "The file of the findings that are already known."),
];
const LINT_AT: Keys = &[
    ("path", "A pattern for paths."),
    ("crd", "A pattern for names of CRDs."),
    ("levels", "The levels of rules and groups."),
];
const CRD: Keys =
    &[("conversion", "`webhook`: another tool adds a webhook that converts objects of the CRD.")];
const JOB: Keys = &[
    ("inputs", "The files and directories with CRDs."),
    ("out", "Where the code is written."),
    ("package", "The package that is written, instead of modules."),
    ("cluster", "Read CRDs from a cluster: `true`, or a context."),
    ("cluster-select", "The CRDs of the cluster that are read."),
];
const PACKAGE: Keys = &[
    ("name", "The name of the package."),
    ("version", "The version of the package; by default `0.1.0`."),
    ("edition", "The edition of Rust; by default `2024`."),
    ("rust-version", "The oldest version of Rust that compiles the package."),
    ("authors", "The authors of the package."),
    ("description", "The description of the package; by default it names the API groups."),
    ("documentation", "The address of the documentation."),
    ("homepage", "The address of the project."),
    ("repository", "The address of the repository."),
    ("license", "The license as an SPDX expression."),
    ("license-file", "The file with the license."),
    ("readme", "The file that describes the package."),
    ("keywords", "Up to five keywords."),
    ("categories", "Categories of the registry."),
    ("publish", "`false`: the package is not published."),
    ("links", "The native library that the package links."),
    ("dependencies", "Further dependencies, which the generated code does not need."),
];

impl EditorDocument {
    /// Returns the keys that are allowed at a position in a test suite for `crdkit test`.
    #[must_use]
    pub fn suite_completions(&self, position: Position) -> Vec<EditorCompletion> {
        let text = self.text().as_str();
        let Some(cursor) = Cursor::find(text, self.text().offset(position)) else { return Vec::new() };
        if cursor.part != CursorPart::Key {
            return Vec::new();
        }
        let names: Vec<&str> = cursor
            .path
            .iter()
            .map(|step| match step {
                CursorStep::Key(name) => name.as_str(),
                CursorStep::Item(_) => "",
            })
            .collect();
        let keys = match names.as_slice() {
            [] => SUITE,
            ["tests", ""] => TEST,
            ["tests", "", "expect"] => EXPECTATION,
            ["tests", "", "expect", "errors", ""] => CAUSE,
            _ => return Vec::new(),
        };
        let present = cursor.siblings(text);
        let own = &text[cursor.bytes.clone()];
        let end = if text[cursor.bytes.end..].starts_with(':') { "" } else { ": " };
        let is_absent = |key: &&(&str, &str)| key.0 == own || !present.iter().any(|known| known == key.0);
        let completion = |(name, about): &(&str, &str)| {
            let edit = self.replacing(cursor.bytes.clone(), format!("{name}{end}"));
            completion(name, about, edit)
        };
        keys.iter().filter(is_absent).map(completion).collect()
    }

    /// Returns the keys that are allowed at a position in the configuration `crdkit.toml`. `options` are the names of the options for
    /// generated code, with their effects.
    #[must_use]
    pub fn configuration_completions(
        &self,
        position: Position,
        options: &[(String, String)],
    ) -> Vec<EditorCompletion> {
        let text = self.text();
        let at = text.offset(position);
        let line = text.line(position.line as usize);
        let before = &text.as_str()[line.start..at];
        let is_key =
            before.trim_start().chars().all(|next| next.is_ascii_alphanumeric() || "_-".contains(next));
        if !is_key {
            return Vec::new();
        }
        let start = line.start + before.len() - before.trim_start().len();
        let rest = &text.as_str()[at..line.end];
        let end = at
            + rest
                .find(|next: char| !next.is_ascii_alphanumeric() && !"_-".contains(next))
                .unwrap_or(rest.len());
        let is_written = text.as_str()[end..line.end].trim_start().starts_with('=');
        let suffix = if is_written { "" } else { " = " };
        let mut keys: Vec<(String, String)> = Vec::new();
        let mut add = |known: Keys| {
            keys.extend(known.iter().map(|(name, about)| ((*name).to_owned(), (*about).to_owned())));
        };
        let header = header(&text.as_str()[..line.start]);
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let with_options = matches!(header.as_slice(), [] | ["job", _]);
        match header.as_slice() {
            [] => add(ROOT),
            ["waive"] => add(WAIVER),
            ["lint"] => add(LINT),
            ["lint", "at"] => add(LINT_AT),
            ["lint", "levels"] | ["lint", "at", "levels"] => {
                keys.extend(rule_names().map(|name| (name.to_owned(), String::new())));
            }
            ["diff", "crd", _] => add(CRD),
            ["job", _] => add(JOB),
            ["job", _, "package"] => add(PACKAGE),
            ["feature-gates"] => {
                let gate = |gate: FeatureGate| (gate.name().to_owned(), "`true` or `false`".to_owned());
                keys.extend(FeatureGate::ALL.map(gate));
            }
            _ => {}
        }
        keys.extend(options.iter().filter(|_| with_options).cloned());
        let completion = |(name, about): (String, String)| {
            let edit = self.replacing(start..end, format!("{name}{suffix}"));
            completion(&name, &about, edit)
        };
        keys.into_iter().map(completion).collect()
    }
}

fn completion(name: &str, about: &str, edit: crate::text::TextEdit) -> EditorCompletion {
    EditorCompletion {
        label: name.to_owned(),
        kind: CompletionKind::Keyword,
        detail: String::new(),
        documentation: (!about.is_empty()).then(|| about.to_owned()),
        edit,
    }
}

/// Returns the names in a text's last table header, such as `[lint.levels]` or `[[waive]]`.
fn header(text: &str) -> Vec<String> {
    let is_header =
        |line: &&str| line.starts_with('[') && line.trim_end().ends_with(']') && !line.contains('=');
    let Some(line) = text.lines().map(str::trim_start).rfind(is_header) else { return Vec::new() };
    let inside = line.trim_end().trim_matches(['[', ']']);
    let mut names = vec![String::new()];
    let mut quote = None;
    for next in inside.chars() {
        match (next, quote) {
            ('"' | '\'', None) => quote = Some(next),
            (_, Some(open)) if next == open => quote = None,
            ('.', None) => names.push(String::new()),
            (' ' | '\t', None) => {}
            _ => {
                if let Some(last) = names.last_mut() {
                    last.push(next);
                }
            }
        }
    }
    names
}
