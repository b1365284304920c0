//! What validating a value gave: findings, each text once, and how much of the schema matched.

use std::fmt;

use indexmap::IndexMap;

use crate::go::Shown;
use crate::{Diagnostic, FieldPath, Segment};

/// Findings, and the number of checks that matched: of several schemas that fail, the one with the most is reported.
#[derive(Default)]
pub(super) struct Outcome {
    /// By their texts, each of which counts once. Nearly every outcome has none, and every value has several outcomes.
    findings: Option<Box<IndexMap<String, Finding>>>,
    /// Whether something was found of which nobody wants to know what.
    has_silent: bool,
    pub(super) matches: u64,
}

impl Outcome {
    /// A check that matched and found nothing.
    pub(super) fn matched() -> Self {
        Self { matches: 1, ..Self::default() }
    }

    pub(super) fn failed(finding: Finding) -> Self {
        let mut outcome = Self::default();
        outcome.fail(finding);
        outcome
    }

    /// A failure on a silent trail.
    pub(super) fn silent() -> Self {
        Self { has_silent: true, ..Self::default() }
    }

    pub(super) fn fail(&mut self, finding: Finding) {
        self.findings.get_or_insert_default().entry(finding.message.clone()).or_insert(finding);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        self.has_silent |= other.has_silent;
        let Some(others) = other.findings else { return };
        match &mut self.findings {
            None => self.findings = Some(others),
            Some(findings) => {
                for (message, finding) in *others {
                    findings.entry(message).or_insert(finding);
                }
            }
        }
    }

    /// Lets pass what was found.
    pub(super) fn forgive(&mut self) {
        (self.findings, self.has_silent) = (None, false);
    }

    pub(super) fn is_valid(&self) -> bool {
        self.findings.is_none() && !self.has_silent
    }

    pub(super) fn into_findings(self) -> impl Iterator<Item = Finding> {
        self.findings.into_iter().flat_map(|findings| findings.into_values())
    }
}

/// One thing that is wrong.
pub(super) struct Finding {
    /// Where, below the value; none for what is said of schemas as wholes.
    place: Option<FieldPath>,
    message: String,
    kind: Kind,
}

/// What becomes of a finding as a cause.
pub(super) enum Kind {
    Required,
    NotSupported(Shown, Vec<String>),
    TooLong(i64),
    TooMany { count: i64, most: i64 },
    Type(Shown),
    Invalid(Shown),
}

impl Finding {
    pub(super) fn new(trail: &Trail<'_>, message: String, kind: Kind) -> Self {
        Self { place: Some(trail.path()), message, kind }
    }

    /// A finding without a place and a value.
    pub(super) fn plain(message: String) -> Self {
        Self { place: None, message, kind: Kind::Invalid("".into()) }
    }

    pub(super) fn into_diagnostic(self, base: &FieldPath) -> Diagnostic {
        let field = self.place.map_or_else(|| base.clone(), |place| join(base, &place));
        match self.kind {
            Kind::Required => Diagnostic::required(field, ""),
            Kind::NotSupported(shown, supported) => Diagnostic::not_supported(field, shown, &supported),
            Kind::TooLong(most) => Diagnostic::too_long(field, most),
            Kind::TooMany { count, most } => Diagnostic::too_many(field, count, most),
            Kind::Type(shown) => Diagnostic::type_invalid(field, shown, &self.message),
            Kind::Invalid(shown) => Diagnostic::invalid(field, shown, &self.message),
        }
    }
}

/// The path of a place below `base`. An item of what is at `base` itself has a dot before it: the API server puts the
/// whole place into one step.
fn join(base: &FieldPath, place: &FieldPath) -> FieldPath {
    place.segments().into_iter().enumerate().fold(base.clone(), |path, (i, segment)| match segment {
        Segment::Index(index) if i == 0 => path.child(format!("[{index}]")),
        Segment::Index(index) => path.index(*index),
        Segment::Child(name) | Segment::Key(name) => path.child(name.clone()),
    })
}

/// The way to a value, printed as the validator prints it.
pub(super) enum Trail<'a> {
    Root,
    /// A value of which it only counts whether it is valid: what is found on such a trail has no text.
    Silent,
    /// At the root without a dot before it.
    Property(&'a Trail<'a>, &'a str),
    /// Always with a dot before it.
    Additional(&'a Trail<'a>, &'a str),
    Item(&'a Trail<'a>, usize),
}

impl Trail<'_> {
    /// Whether texts of what is found are not wanted. Only what fails asks.
    pub(super) fn is_silent(&self) -> bool {
        match self {
            Self::Root => false,
            Self::Silent => true,
            Self::Property(parent, _) | Self::Additional(parent, _) | Self::Item(parent, _) => {
                parent.is_silent()
            }
        }
    }

    fn path(&self) -> FieldPath {
        match self {
            Self::Root | Self::Silent => FieldPath::root(),
            Self::Property(parent, name) | Self::Additional(parent, name) => parent.path().child(*name),
            Self::Item(parent, index) => parent.path().index(*index),
        }
    }
}

impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root | Self::Silent => Ok(()),
            Self::Property(Self::Root, name) => f.write_str(name),
            Self::Property(parent, name) | Self::Additional(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
