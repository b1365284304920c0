//! Findings (differences between two CRDs, with their effects), with the compared documents and the profile's judgement.

use crd_diff::{Class, Finding, Judgement, Profile, Severity};
use crd_input::Origin;
use crd_report::{Level, Message, Messages};
use serde_json::{Value, json};

/// The options that affect how findings are reported.
#[derive(Clone, Copy)]
pub(super) struct Policy {
    pub(super) profile: Profile,
    /// `true` if undecided findings do not make the command fail.
    pub(super) allows_undecided: bool,
    /// `true` if no finding makes the command fail.
    pub(super) is_warn_only: bool,
}

/// A finding, with the compared documents.
pub(super) struct Placed {
    pub(super) finding: Finding,
    pub(super) old: Option<Origin>,
    pub(super) new: Option<Origin>,
    pub(super) judgement: Judgement,
    /// The reason in the waiver, if a waiver accepts the finding.
    pub(super) waived: Option<String>,
}

impl Policy {
    /// Returns a finding's level. Errors make the command fail.
    pub(super) fn level(self, placed: &Placed) -> Level {
        match (placed.judgement, placed.finding.severity) {
            (Judgement::Rejected, _) if !self.is_warn_only => Level::Error,
            (Judgement::Undecided, _) if !self.is_warn_only && !self.allows_undecided => Level::Error,
            (Judgement::Rejected | Judgement::Undecided, _) | (_, Severity::Error | Severity::Warning) => {
                Level::Warning
            }
            (_, Severity::Note) => Level::Notice,
        }
    }

    /// Returns `true` if effects of this class are reported. Effects on generated code are reported only with the profile `rust`.
    pub(super) fn shows(self, class: Class) -> bool {
        class != Class::Rust || self.profile == Profile::Rust
    }
}

impl Placed {
    /// Returns `true` if the finding is a note that the profile accepts.
    pub(super) fn is_note(&self) -> bool {
        self.judgement == Judgement::Accepted && self.finding.severity == Severity::Note
    }

    /// Returns the finding's version and field as text.
    pub(super) fn field(&self) -> String {
        let Finding { version, path, .. } = &self.finding;
        let parts = [version.as_deref().unwrap_or_default(), path.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the finding's CRD, version and field as text.
    pub(super) fn subject(&self) -> String {
        format!("{} {}", self.finding.crd, self.field()).trim_end().to_owned()
    }

    /// Returns the names of the reported classes. Undecided classes are followed by a question mark.
    pub(super) fn classes(&self, policy: Policy) -> String {
        let name = |class: &Class| {
            let mark = if self.finding.undecided.contains(class) { "?" } else { "" };
            format!("{class}{mark}")
        };
        let shown = self.finding.classes.iter().filter(|class| policy.shows(**class));
        shown.map(name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the finding as a message with a position in the new CRD, or in the old CRD for removed parts.
    pub(super) fn message(&self, messages: &mut Messages<'_>, policy: Policy) -> Message {
        let finding = &self.finding;
        let mut places = [(&self.new, &finding.new_field), (&self.old, &finding.old_field)];
        if finding.new.is_null() {
            places.reverse();
        }
        let mut found = None;
        for (origin, field) in places {
            let Some(origin) = origin else { continue };
            let (file, spot) = messages.place(origin, field);
            let is_placed = spot.is_some();
            if found.is_none() || is_placed {
                found = Some((file, spot));
            }
            if is_placed {
                break;
            }
        }
        let (file, spot) = found.unwrap_or_default();
        let mut text = format!("{}: {}", self.subject(), finding.message);
        let classes = self.classes(policy);
        if !classes.is_empty() {
            text += &format!(" ({classes})");
        }
        Message {
            level: policy.level(self),
            file,
            reason: finding.id,
            is_advice: true,
            help: None,
            spot,
            ..Message::for_run(text)
        }
    }

    /// Returns the finding as a line of JSON.
    pub(super) fn json(&self, messages: &mut Messages<'_>, policy: Policy) -> Value {
        let finding = &self.finding;
        let names = |classes: &[Class]| classes.iter().map(|class| class.as_str()).collect::<Vec<_>>();
        let place = self.message(messages, policy);
        let witnesses: Vec<Value> = finding
            .witnesses
            .iter()
            .map(|witness| {
                let class = witness.class.as_str();
                json!({"class": class, "old": witness.old, "new": witness.new, "answer": witness.answer})
            })
            .collect();
        json!({
            "id": finding.id,
            "crd": finding.crd,
            "version": finding.version,
            "path": finding.path,
            "file": place.file,
            "line": place.spot.as_ref().map(|spot| spot.line),
            "column": place.spot.as_ref().map(|spot| spot.column),
            "classes": names(&finding.classes),
            "undecided": names(&finding.undecided),
            "undecidedBecause": finding.undecided_because.map(crd_diff::Undecided::as_str),
            "severity": finding.severity.as_str(),
            "judgement": match self.judgement {
                Judgement::Accepted => "accepted",
                Judgement::Undecided => "undecided",
                Judgement::Rejected => "rejected",
            },
            "waived": self.waived,
            "message": finding.message,
            "why": finding.why,
            "remedy": finding.mend,
            "old": finding.old,
            "new": finding.new,
            "witnesses": witnesses,
            "fingerprint": finding.fingerprint,
        })
    }
}
