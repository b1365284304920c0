//! The problems in a text: syntax errors, the API server's errors and warnings, advice, and lint findings.

use std::ops::Range;
use std::sync::Arc;

use crd_core::check::advice::{self, NAMES};
use crd_core::check::{CrdAdvice, ServerOptions, Verdict, advise};
use crd_core::{CauseReason, CustomResourceDefinition, Diagnostic, Edit, FieldPath, Keyword, Remedy};
use crd_input::{DUPLICATE_FIELD, Limits, Object, Source, SourceMap, is_template};
use crd_lint::{LintFinding, LintLevel};

use crate::options::EditorOptions;
use crate::placed::{Marked, document_around, fault, is_crd, marked};
use crate::resources::{Head, KnownKinds, ResourceFinding};
use crate::text::{Text, TextRange};

/// A problem in a text: an error, a warning or advice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditorFinding {
    /// The part of the text to underline.
    pub range: TextRange,
    /// The severity.
    pub severity: Severity,
    /// The command that reports the same problem.
    pub found_by: FoundBy,
    /// The reason for the API server's error, the name of the advice, or the name of the lint rule.
    pub code: String,
    /// A description of the problem. For the API server's errors, this is the server's message.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// The index of the object in the text.
    pub(crate) number: usize,
    /// Changes to the object that fix the problem.
    pub(crate) edits: Vec<Edit>,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The API server rejects the object, or the text cannot be parsed.
    Error,
    /// A warning from the API server, or from a lint rule.
    Warning,
    /// Advice.
    Information,
}

/// The command that reports a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy {
    /// `crdkit check`.
    Check,
    /// `crdkit lint`.
    Lint,
    /// `crdkit validate`.
    Validate,
}

impl FoundBy {
    /// Returns the name of the command.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Check => "crdkit check",
            Self::Lint => "crdkit lint",
            Self::Validate => "crdkit validate",
        }
    }
}

/// A CRD in a text.
#[derive(Clone, Debug)]
pub(crate) struct CheckedCrd {
    /// The CRD's index among the objects in the text.
    pub(crate) number: usize,
    pub(crate) crd: Arc<CustomResourceDefinition>,
    pub(crate) is_accepted: bool,
    /// `true` if the CRD comes from the current text, and `false` if it comes from an earlier text.
    pub(crate) is_current: bool,
}

/// The result of checking a text.
#[derive(Default)]
pub(crate) struct Checked {
    /// The CRDs that could be decoded.
    pub(crate) crds: Vec<CheckedCrd>,
    /// The number of objects that could be parsed.
    pub(crate) objects: usize,
    /// `true` if a part of the text cannot be parsed.
    pub(crate) has_faults: bool,
    unplaced: Vec<Unplaced>,
    /// Syntax errors, with byte range, message and remedy.
    faults: Vec<(Range<usize>, String, Option<String>)>,
}

/// A finding whose position in the text is not known yet.
struct Unplaced {
    number: usize,
    field: FieldPath,
    /// The field as written in the text. It can differ from `field`.
    place: FieldPath,
    marked: Marked,
    severity: Severity,
    found_by: FoundBy,
    code: String,
    message: String,
    remedy: Option<Remedy>,
}

/// Checks CRDs like `crdkit check` with a directory, and objects of known kinds like `crdkit validate`. Other objects, incomplete CRDs and
/// templates have no findings.
pub(crate) fn check(text: &Arc<str>, options: &EditorOptions, kinds: &KnownKinds) -> Checked {
    let mut checked = Checked::default();
    let is_beside = options.beside_yaml_language_server;
    let has_schema = is_beside && names_schema(text);
    let source = Source::from_string("", Arc::clone(text));
    let errors = crd_input::each_document(&source, &Limits::default(), &mut |mut object| {
        if is_beside {
            object.duplicate_fields.clear();
        }
        checked.objects = object.document.origin.document + 1;
        if object.document.is_definition() {
            if !object.document.has_part_only() {
                checked.take(object, options.server);
            }
        } else if !kinds.is_empty() {
            checked.take_resource(object, kinds, has_schema);
        }
    });
    checked.has_faults = !errors.is_empty();
    if errors.is_empty() || is_beside || is_template(text) {
        return checked;
    }
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let document = &text[document_around(text, span.start)];
        if is_crd(document) || kinds.of_document(document).is_some() {
            checked.faults.push((span, error.message().to_owned(), error.help().map(str::to_owned)));
        }
    }
    checked
}

impl Checked {
    fn take(&mut self, object: Object, options: ServerOptions) {
        let (number, value) = (object.document.origin.document, object.document.value);
        let (mut verdict, crd) = match value["apiVersion"].is_null() {
            true => (Verdict::unsent(), None),
            false => Verdict::with_definition_at(value, options),
        };
        object.duplicate_fields.into_iter().for_each(|field| verdict.warn(field, DUPLICATE_FIELD));
        let Verdict { accepted, errors, warnings, warned_fields, refusal, .. } = verdict;
        self.unplaced
            .extend(errors.into_iter().chain(refusal).map(|cause| Unplaced::from_cause(number, cause)));
        let warnings = warnings.into_iter().zip(warned_fields);
        self.unplaced.extend(warnings.map(|(message, field)| Unplaced::from_warning(number, message, field)));
        let own = crd.iter().flat_map(advise).chain(object.surprises.advice());
        let advice = own.chain(crd.iter().flat_map(|crd| advice::inert(crd, options)));
        self.unplaced.extend(advice.map(|advice| Unplaced::from_advice(number, advice)));
        self.crds.extend(crd.map(|crd| CheckedCrd {
            number,
            crd: Arc::new(crd),
            is_accepted: accepted,
            is_current: true,
        }));
    }

    fn take_resource(&mut self, object: Object, kinds: &KnownKinds, has_schema: bool) {
        let (number, value) = (object.document.origin.document, &object.document.value);
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        let Some(head) = Head::new(text("apiVersion"), text("kind")) else { return };
        let Some(kind) = kinds.kind(&head) else { return };
        for ResourceFinding { cause, is_warning, is_whole } in kind.findings(object, &head) {
            if has_schema && (is_warning || cause.keyword.is_some_and(is_of_json_schema)) {
                continue;
            }
            let whole = (is_warning || is_whole).then(|| cause.message.clone());
            let mut found = Unplaced::from_cause(number, cause);
            found.message = whole.unwrap_or(found.message);
            found.found_by = FoundBy::Validate;
            if is_warning {
                found.marked = Marked::Key;
                found.severity = Severity::Warning;
                found.code = "Warning".to_owned();
            }
            self.unplaced.push(found);
        }
    }

    /// Returns the findings with their positions.
    pub(crate) fn placed(self, text: &Text, map: &SourceMap) -> Vec<EditorFinding> {
        let mut findings: Vec<EditorFinding> =
            self.unplaced.into_iter().map(|finding| finding.placed(text, map)).collect();
        findings.extend(self.faults.into_iter().map(|(span, message, help)| EditorFinding {
            range: text.range_in_body(fault(text.body(), span)),
            severity: Severity::Error,
            found_by: FoundBy::Check,
            code: "Unreadable".to_owned(),
            message,
            help,
            number: usize::MAX,
            edits: Vec::new(),
        }));
        findings
    }
}

impl Unplaced {
    fn from_cause(number: usize, cause: Diagnostic) -> Self {
        let Diagnostic { field, place, reason, message, remedy, .. } = cause;
        Self {
            number,
            marked: marked_for(reason),
            severity: Severity::Error,
            found_by: FoundBy::Check,
            code: reason.as_str().to_owned(),
            message: format!("{field}: {message}"),
            field,
            place,
            remedy,
        }
    }

    fn from_warning(number: usize, message: String, field: FieldPath) -> Self {
        Self {
            number,
            message,
            place: field.clone(),
            field,
            marked: Marked::Key,
            severity: Severity::Warning,
            found_by: FoundBy::Check,
            code: "Warning".to_owned(),
            remedy: None,
        }
    }

    fn from_advice(number: usize, advice: CrdAdvice) -> Self {
        let CrdAdvice { name, field, message, remedy, .. } = advice;
        let marked = match name {
            advice::UNKNOWN_FIELD | advice::DROPPED_VALUE | advice::LIST_WITHOUT_TYPE => Marked::Key,
            _ => Marked::Value,
        };
        Self {
            number,
            place: field.clone(),
            field,
            marked,
            severity: Severity::Information,
            found_by: FoundBy::Check,
            code: name.to_owned(),
            message,
            remedy,
        }
    }

    fn placed(self, text: &Text, map: &SourceMap) -> EditorFinding {
        let is_exact = |field: &FieldPath| map.locate(self.number, field).is_some_and(|place| place.exact);
        let is_elsewhere = self.place != self.field && !is_exact(&self.field) && is_exact(&self.place);
        let field = if is_elsewhere { &self.place } else { &self.field };
        let bytes = marked(map, self.number, field, self.marked).unwrap_or(0..0);
        EditorFinding {
            range: text.range_in_body(bytes),
            severity: self.severity,
            found_by: self.found_by,
            code: self.code,
            message: self.message,
            help: self.remedy.as_ref().map(|remedy| remedy.text.clone()),
            number: self.number,
            edits: self.remedy.map(|remedy| remedy.edits).unwrap_or_default(),
        }
    }
}

/// Returns `true` if a comment refers yaml-language-server to a JSON Schema.
fn names_schema(text: &str) -> bool {
    let comments = text.lines().map(str::trim_start).filter_map(|line| line.strip_prefix('#'));
    let mut settings = comments.filter_map(|line| line.trim_start().strip_prefix("yaml-language-server:"));
    settings.any(|setting| {
        setting.trim_start().strip_prefix("$schema=").is_some_and(|name| name.trim() != "none")
    })
}

/// Returns `true` if a kind's JSON Schema can express the keyword. yaml-language-server then checks the keyword.
fn is_of_json_schema(keyword: Keyword) -> bool {
    !matches!(
        keyword,
        Keyword::ListType
            | Keyword::ListMapKeys
            | Keyword::MapType
            | Keyword::EmbeddedResource
            | Keyword::Validations
            | Keyword::Scale
    )
}

/// Returns the part of a field to underline for an error with this reason.
fn marked_for(reason: CauseReason) -> Marked {
    match reason {
        CauseReason::Invalid
        | CauseReason::NotSupported
        | CauseReason::TypeInvalid
        | CauseReason::TooLong
        | CauseReason::Duplicate => Marked::Value,
        _ => Marked::Key,
    }
}

/// Returns the lint findings in a CRD, with their positions. Findings that `check` reports as advice are left out.
pub(crate) fn linted(
    number: usize,
    found: Vec<LintFinding>,
    text: &Text,
    map: &SourceMap,
) -> Vec<EditorFinding> {
    let own = found.into_iter().filter(|finding| !NAMES.contains(&finding.rule.id));
    own.map(|LintFinding { rule, level, field, message, remedy, .. }| {
        let severity = match level {
            LintLevel::Error => Severity::Error,
            LintLevel::Warning => Severity::Warning,
            _ => Severity::Information,
        };
        let found = Unplaced {
            number,
            place: field.clone(),
            field,
            marked: Marked::Value,
            severity,
            found_by: FoundBy::Lint,
            code: rule.id.to_owned(),
            message,
            remedy,
        };
        found.placed(text, map)
    })
    .collect()
}
