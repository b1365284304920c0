//! Formats findings for output.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use crd_core::yaml::to_yaml;
use crd_diff::{Class, Judgement, Profile, Witness};
use crd_report::junit::{Case, Failure};
use crd_report::{Format, Message, MessageFormat, Messages, visible};

use super::group::Group;
use super::placed::{Placed, Policy};

/// The output format for findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiffFormat {
    /// A format that all commands support.
    Report(Format),
    /// A Markdown table with collapsed objects.
    Markdown,
}

impl Default for DiffFormat {
    fn default() -> Self {
        Self::Report(Format::default())
    }
}

impl ValueEnum for DiffFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Report(Format::Messages(MessageFormat::Human)),
            Self::Report(Format::Json),
            Self::Report(Format::Messages(MessageFormat::Github)),
            Self::Report(Format::Messages(MessageFormat::Sarif)),
            Self::Report(Format::Junit),
            Self::Markdown,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Report(Format::Json) => {
                Some(PossibleValue::new("json").help("One line of JSON for each finding"))
            }
            Self::Report(format) => format.to_possible_value(),
            Self::Markdown => Some(
                PossibleValue::new("markdown")
                    .help("A Markdown table with collapsed objects, for pull requests and summaries"),
            ),
        }
    }
}

/// Returns the finding for text output: a message with the remedy, and text with the other paths and the example object.
pub(super) fn human(group: &Group<'_>, messages: &mut Messages<'_>, policy: Policy) -> (Message, String) {
    let finding = &group.first.finding;
    let mut message = group.first.message(messages, policy);
    message.text += &format!(": {}", finding.why);
    message.help = Some(format!("{}; fingerprint {}", finding.mend, finding.fingerprint));
    let texts = group.other_places().into_iter().chain(finding.possible());
    let mut details: Vec<String> = texts.map(|text| visible(&text).into_owned()).collect();
    details.extend(shown_witness(group.first, policy).map(described));
    (message, details.join("\n"))
}

/// Returns the finding as a single message.
pub(super) fn message(group: &Group<'_>, messages: &mut Messages<'_>, policy: Policy) -> Message {
    Message {
        help: Some(explanation(group.first, group.other_places(), policy)),
        ..group.first.message(messages, policy)
    }
}

/// Returns the reason, the remedy, the other paths, and an object that demonstrates the effect.
pub(super) fn explanation(placed: &Placed, other_places: Option<String>, policy: Policy) -> String {
    let finding = &placed.finding;
    let mut lines = vec![finding.why.to_owned(), finding.mend.to_owned()];
    lines.extend(other_places);
    lines.extend(finding.possible());
    lines.extend(shown_witness(placed, policy).map(described));
    lines.push(format!("fingerprint {}", finding.fingerprint));
    lines.join("\n")
}

/// Returns the finding as a test case, which fails if the finding is an error.
pub(super) fn case(placed: &Placed, messages: &mut Messages<'_>, policy: Policy) -> Case {
    let message = placed.message(messages, policy);
    let fails = message.level == crd_report::Level::Error;
    Case {
        file: message.file,
        name: format!("{} {}", placed.finding.id, placed.subject()),
        line: message.spot.map(|spot| spot.line),
        failure: fails.then(|| Failure {
            kind: placed.finding.id,
            summary: message.text,
            details: explanation(placed, None, policy),
        }),
    }
}

/// Returns an object that demonstrates the finding's effect, preferably an effect that the profile rejects.
fn shown_witness(placed: &Placed, policy: Policy) -> Option<&Witness> {
    let of_profile = |witness: &&Witness| {
        let harmful = [Class::Server, Class::Stuck, Class::Data, Class::Edit, Class::Write];
        placed.judgement != Judgement::Rejected
            || policy.profile == Profile::Strict
            || harmful.contains(&witness.class)
    };
    let witnesses = &placed.finding.witnesses;
    witnesses.iter().find(of_profile).or_else(|| placed.finding.witness())
}

/// Returns the demonstrating objects as text.
fn described(witness: &Witness) -> String {
    let mut text = String::new();
    let before =
        if witness.is_stored { "stored object" } else { "result of the same request under the old CRD" };
    for (title, object) in [(before, &witness.old), ("object", &witness.new)] {
        if let Some(object) = object {
            text += &format!("{title}:\n{}", to_yaml(object));
        }
    }
    // A name with a line break must not begin a line of a log, which could be a command of a workflow.
    text + &format!("answer ({}): {}", witness.class, visible(&witness.answer))
}
