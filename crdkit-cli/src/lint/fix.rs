//! `crdkit lint --fix`: changes files to fix the reported problems.

use std::collections::{BTreeMap, HashSet};

use crd_core::check::Verdict;
use crd_core::{CustomResourceDefinition, Remedy};
use crd_input::output::rewrite;
use crd_input::{Limits, Source, documents, edited};
use crd_lint::{Group, LintFinding, LintOptions, lint};
use crd_report::{Message, Report, some, waiting};
use similar::TextDiff;

use super::comments::CommentsOfText;
use super::sieve::Sieve;

/// Maximum number of changes to a file. Each change is verified.
const MOST: usize = 100;

/// A file after changes.
struct Fixed {
    text: String,
    /// The problems that were fixed.
    written: Vec<String>,
    /// The number of changes that do not fix the problem or cannot be made in the text.
    left: usize,
}

/// Returns `true` for a problem that the project does not accept.
type IsOpen<'o> = &'o mut dyn FnMut(&CustomResourceDefinition, &LintFinding) -> bool;

/// Fixes files, or prints the changes. Returns the messages about files that cannot be fixed.
pub(super) fn fix(
    (sources, sieve): (&[Source], &mut Sieve<'_>),
    options: &LintOptions,
    prints: bool,
    report: Report,
) -> (String, Vec<Message>) {
    let (mut differences, mut messages) = (String::new(), Vec::new());
    for source in sources {
        let Some(path) = source.path() else {
            messages.push(Message::for_run(format!("{}: `--fix` changes only files", source.name())));
            continue;
        };
        // A text that is not read as written, such as UTF-16, is not written back.
        let Ok(text) = crd_input::read_to_string(path, Limits::default().file_bytes) else { continue };
        let fixed = fixed(&text, options, &mut |crd, finding| sieve.is_open(crd, finding));
        if fixed.written.is_empty() {
            continue;
        }
        if prints {
            let name = source.name();
            differences +=
                &TextDiff::from_lines(&text, &fixed.text).unified_diff().header(name, name).to_string();
            continue;
        }
        if let Err(error) = rewrite(path, &fixed.text, &waiting(path)) {
            messages.push(Message::for_run(error.to_string()));
            continue;
        }
        report.line(&format!("fixed {} in {}", some(fixed.written.len(), "finding"), source.name()));
        for written in &fixed.written {
            report.line(&format!("  {written}"));
        }
        if fixed.left > 0 {
            report.line(&format!(
                "  {} cannot be written, or would not remove the finding",
                some(fixed.left, "other change")
            ));
        }
    }
    (differences, messages)
}

/// Applies all changes that fix a problem to a text. A change is kept only if the API server then still accepts the CRD, the problem is
/// gone, and no rule about broken CRDs finds a new problem.
fn fixed(text: &str, options: &LintOptions, is_open: IsOpen<'_>) -> Fixed {
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let mut fixed = Fixed { text: text.to_owned(), written: Vec::new(), left: 0 };
    let mut tried: HashSet<(usize, &str, String)> = HashSet::new();
    let mut linted = LintedText::new(text, options, is_open);
    while fixed.written.len() < MOST {
        let untried = |(document, finding): &(usize, &LintFinding)| {
            finding.remedy.as_ref().is_some_and(|remedy| !remedy.edits.is_empty())
                && !tried.contains(&(*document, finding.rule.id, finding.field.to_string()))
        };
        let next = linted.findings().find(untried).map(|(document, finding)| (document, finding.clone()));
        let Some((document, finding)) = next else { break };
        tried.insert((document, finding.rule.id, finding.field.to_string()));
        let edits = finding.remedy.as_ref().map_or(&[][..], |Remedy { edits, .. }| edits.as_slice());
        let cured = edited(&fixed.text, document, edits).ok().and_then(|text| {
            let after = LintedText::new(&text, options, is_open);
            linted.is_cured(&after, document, &finding).then_some((text, after))
        });
        match cured {
            Some((text, after)) => {
                (fixed.text, linted) = (text, after);
                fixed.written.push(format!("{}: {}", finding.rule.id, finding.message));
            }
            None => fixed.left += 1,
        }
    }
    fixed.text.insert_str(0, mark);
    fixed
}

/// The problems in a text, by the index of the CRD.
struct LintedText(BTreeMap<usize, Vec<LintFinding>>);

impl LintedText {
    /// Finds the problems that neither the project nor a comment in the text accepts.
    fn new(text: &str, options: &LintOptions, is_open: IsOpen<'_>) -> Self {
        let comments = CommentsOfText::new(text);
        let (documents, _) = documents(&Source::from_string("", text), &Limits::default());
        let findings = |document: crd_input::Document| {
            let crd = CustomResourceDefinition::from_value(document.value.clone())
                .ok()
                .filter(|_| document.is_definition())?;
            let accepted = Verdict::for_value(document.value).accepted;
            let number = document.origin.document;
            let mut findings = accepted.then(|| lint(&crd, options))?;
            findings.retain(|finding| {
                let reason =
                    |comments: &CommentsOfText| comments.reason(number, &finding.field, finding.rule);
                is_open(&crd, finding) && comments.as_ref().and_then(reason).is_none()
            });
            Some((number, findings))
        };
        Self(documents.into_iter().filter_map(findings).collect())
    }

    fn findings(&self) -> impl Iterator<Item = (usize, &LintFinding)> {
        self.0.iter().flat_map(|(document, findings)| findings.iter().map(|finding| (*document, finding)))
    }

    /// Returns `true` if the rule finds fewer problems in `after`, and no rule about broken CRDs finds more problems.
    fn is_cured(&self, after: &Self, document: usize, finding: &LintFinding) -> bool {
        let count =
            |findings: &[LintFinding], id: &str| findings.iter().filter(|one| one.rule.id == id).count();
        let (Some(before), Some(after)) = (self.0.get(&document), after.0.get(&document)) else {
            return false;
        };
        let is_new = |one: &LintFinding| {
            one.rule.group == Group::Broken && count(after, one.rule.id) > count(before, one.rule.id)
        };
        let id = finding.rule.id;
        count(after, id) < count(before, id) && !after.iter().any(is_new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# ours\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shirts.example.com}\nspec:\n  group: example.com\n  scope: \
                        Namespaced\n  names: {plural: shirts, singular: shirt, kind: Shirt, listKind: ShirtList}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      \
                        openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n";

    #[test]
    fn only_what_cures_is_written() {
        let text = format!(
            "{HEAD}            properties:\n              size: {{type: integer, minLength: 1, nullable: true, default: 5}} # a size\n              limit: {{type: integer}}\n            \
             x-kubernetes-validations:\n            - {{rule: self.limit > self.size, message: size is too large}}\n"
        );
        let fixed = fixed(&text, &LintOptions::default(), &mut |_, _| true);
        let expected = text.replace("minLength: 1, nullable: true, ", "").replace(
            "rule: self.limit > self.size,",
            "rule: \"!has(self.limit) || (self.limit > self.size)\",",
        );
        assert_eq!(fixed.text, expected);
        assert_eq!((fixed.written.len(), fixed.left), (3, 0), "{:?}", fixed.written);
    }

    #[test]
    fn a_shared_schema_is_left_as_it_is() {
        let text = format!(
            "{HEAD}            properties:\n              a: &a {{type: integer, minLength: 1}}\n              b: *a\n"
        );
        let fixed = fixed(&text, &LintOptions::default(), &mut |_, _| true);
        assert_eq!((fixed.text == text, fixed.written.len(), fixed.left), (true, 0, 2));
    }
}
