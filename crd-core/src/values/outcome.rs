//! Results of validations: findings (failed checks) without duplicate messages, and the number of matching checks.

use std::fmt;

use crd_go::KubeVersion;

use super::meter::Meter;
use crate::{Diagnostic, FieldPath, Keyword, OrderedMap, Segment, Shown};

/// The result of a validation: findings, and the number of matching checks. If all schemas of `anyOf` or `oneOf` fail,
/// the findings of the schema with the most matching checks are reported.
#[derive(Default)]
pub(super) struct ValidationResult {
    /// Findings by their messages; each message counts once.
    findings: OrderedMap<StoredFinding>,
    /// Failures without a message, because the message is not needed, or because there are too many failures.
    pub(super) silent: Silent,
    pub(super) matches: u64,
}

/// Failures without a message.
#[derive(Clone, Copy, Default)]
pub(super) struct Silent {
    pub(super) count: u64,
    /// `true` if rules are not run because of one of the findings.
    pub(super) is_blocking: bool,
}

/// A finding without its message.
struct StoredFinding {
    place: FindingPlace,
    keyword: Keyword,
    kind: FindingKind,
}

/// The path of a finding, relative to the validated value.
struct FindingPlace {
    steps: FieldPath,
    /// `false` if the API server reports the finding at the value itself.
    is_named: bool,
}

impl ValidationResult {
    /// Returns the result of a successful check.
    pub(super) fn matched() -> Self {
        Self { matches: 1, ..Self::default() }
    }

    pub(super) fn failed(finding: ValueError) -> Self {
        let mut outcome = Self::default();
        outcome.fail(finding);
        outcome
    }

    /// Returns a failure without a message.
    pub(super) fn silent(is_blocking: bool) -> Self {
        Self { silent: Silent { count: 1, is_blocking }, ..Self::default() }
    }

    /// Adds a failed check. The message is built only if it is kept.
    pub(super) fn fail_at(
        &mut self,
        trail: &Trail<'_>,
        is_blocking: bool,
        finding: impl FnOnce() -> ValueError,
    ) {
        if trail.is_silent() {
            self.merge(Self::silent(is_blocking));
        } else {
            self.fail(finding());
        }
    }

    fn fail(&mut self, finding: ValueError) {
        let ValueError { place, keyword, message, kind } = finding;
        let stored = StoredFinding { place, keyword, kind };
        self.findings.insert_first(message, stored);
    }

    #[inline]
    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        self.silent.count += other.silent.count;
        self.silent.is_blocking |= other.silent.is_blocking;
        self.merge_findings(other.findings);
    }

    fn merge_findings(&mut self, others: OrderedMap<StoredFinding>) {
        if self.findings.is_empty() {
            self.findings = others;
            return;
        }
        for (message, finding) in others {
            self.findings.insert_first(message, finding);
        }
    }

    /// Drops all findings, so that the value counts as valid.
    pub(super) fn forgive(&mut self) {
        (self.findings, self.silent) = (OrderedMap::new(), Silent::default());
    }

    pub(super) fn is_valid(&self) -> bool {
        self.findings.is_empty() && self.silent.count == 0
    }

    pub(super) fn into_findings(self) -> impl Iterator<Item = ValueError> {
        self.findings.into_iter().map(|(message, StoredFinding { place, keyword, kind })| ValueError {
            place,
            keyword,
            message: message.into_string(),
            kind,
        })
    }
}

/// An error that the validation has found in a value.
pub(super) struct ValueError {
    place: FindingPlace,
    keyword: Keyword,
    message: String,
    kind: FindingKind,
}

/// The kind of cause to which a finding is converted.
pub(super) enum FindingKind {
    Required,
    /// The value, and the list of supported values.
    NotSupported(Shown, String),
    TooLong(i64),
    TooMany {
        count: i64,
        most: i64,
    },
    Type(Shown),
    Invalid(Shown),
}

impl ValueError {
    pub(super) fn new(trail: &Trail<'_>, keyword: Keyword, message: String, kind: FindingKind) -> Self {
        let shown = match &kind {
            FindingKind::NotSupported(Shown(shown), supported) => shown.len() + supported.len(),
            FindingKind::Type(Shown(shown)) | FindingKind::Invalid(Shown(shown)) => shown.len(),
            FindingKind::Required | FindingKind::TooLong(_) | FindingKind::TooMany { .. } => 0,
        };
        trail.count_message(message.len() + shown);
        Self { place: FindingPlace { steps: trail.path(), is_named: true }, keyword, message, kind }
    }

    /// Returns a finding that the API server reports without a path and a value.
    pub(super) fn plain(trail: &Trail<'_>, keyword: Keyword, message: String) -> Self {
        trail.count_message(message.len());
        let place = FindingPlace { steps: trail.path(), is_named: false };
        Self { place, keyword, message, kind: FindingKind::Invalid("".into()) }
    }

    /// Returns the cause, with the message of that version.
    pub(super) fn into_diagnostic(self, base: &FieldPath, version: KubeVersion) -> Diagnostic {
        let FindingPlace { steps, is_named } = self.place;
        let field = if is_named { join(base, &steps) } else { base.clone() };
        let is_same = is_named && !matches!(steps.segments().first(), Some(Segment::Index(_)));
        let place = if is_same { field.clone() } else { base.followed_by(&steps) };
        let cause = match self.kind {
            FindingKind::Required => Diagnostic::required(field, ""),
            FindingKind::NotSupported(shown, supported) => Diagnostic::unsupported(field, shown, &supported),
            FindingKind::TooLong(most) => Diagnostic::too_long(field, most, version),
            FindingKind::TooMany { count, most } => Diagnostic::too_many(field, count, most, version),
            FindingKind::Type(shown) => Diagnostic::type_invalid(field, shown, &self.message),
            FindingKind::Invalid(shown) => Diagnostic::invalid(field, shown, &self.message),
        };
        cause.with_keyword(self.keyword).with_place(place)
    }
}

/// Joins two paths: `place` is relative to `base`. If `place` begins with an index, this index is printed after a dot, because the API
/// server uses the whole relative path as one step.
pub(super) fn join(base: &FieldPath, place: &FieldPath) -> FieldPath {
    place.segments().into_iter().enumerate().fold(base.clone(), |path, (i, segment)| match segment {
        Segment::Index(index) if i == 0 => path.child(format!("[{index}]")),
        Segment::Index(index) => path.index(*index),
        Segment::Child(name) | Segment::Key(name) => path.child(name.clone()),
    })
}

/// The path to a value, printed as the API server's validator prints it.
pub(super) enum Trail<'a> {
    Root(&'a Meter),
    /// A value that is only tested for validity: findings have no messages.
    Silent,
    /// A value of a property. At the root, its name is printed without a leading dot.
    Property(&'a Trail<'a>, &'a str),
    /// A value of a map. Its key is always printed with a leading dot.
    Additional(&'a Trail<'a>, &'a str),
    Item(&'a Trail<'a>, usize),
}

impl Trail<'_> {
    /// Returns `true` if messages are not needed or not kept. The method is called only for failures.
    pub(super) fn is_silent(&self) -> bool {
        self.meter().is_none_or(Meter::is_full)
    }

    /// Returns `true` if the value is only tested for validity.
    pub(super) fn is_probe(&self) -> bool {
        self.meter().is_none()
    }

    fn count_message(&self, bytes: usize) {
        if let Some(meter) = self.meter() {
            meter.count_message(bytes);
        }
    }

    /// Returns the limits for the request; `None` if the value is only tested for validity.
    fn meter(&self) -> Option<&Meter> {
        match self {
            Self::Root(meter) => Some(meter),
            Self::Silent => None,
            Self::Property(parent, _) | Self::Additional(parent, _) | Self::Item(parent, _) => parent.meter(),
        }
    }

    /// Returns the path relative to the validated value.
    pub(super) fn path(&self) -> FieldPath {
        match self {
            Self::Root(_) | Self::Silent => FieldPath::root(),
            Self::Property(parent, name) | Self::Additional(parent, name) => parent.path().child(*name),
            Self::Item(parent, index) => parent.path().index(*index),
        }
    }
}

impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(_) | Self::Silent => Ok(()),
            Self::Property(Self::Root(_), name) => f.write_str(name),
            Self::Property(parent, name) | Self::Additional(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
