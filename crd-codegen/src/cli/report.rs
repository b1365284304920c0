//! Shows messages and progress on the standard error.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};

use super::exit::Status;
use crate::render::{Level, Message, github, human, sarif, visible};

/// How messages are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// With the lines they point to
    #[default]
    Human,
    /// As annotations of GitHub Actions
    Github,
    /// As a SARIF 2.1.0 document
    Sarif,
}

/// Shows all messages, in their order.
pub(super) fn show(messages: &[Message], format: Format) {
    match format {
        // Shown, messages are several times as large as they are.
        Format::Human | Format::Github => {
            messages.chunks(100).for_each(|some| eprint(&text(some, format)));
        }
        Format::Sarif => eprint(&text(messages, format)),
    }
}

/// The status of a run whose output was shown, or of one whose output could not be written, which is said.
pub(super) fn ended(shown: Result<(), String>, status: Status) -> Status {
    match shown {
        Ok(()) => status,
        Err(reason) => {
            show(&[Message::of_run(reason)], Format::Human);
            Status::Unreadable
        }
    }
}

/// All messages, in their order.
pub(super) fn text(messages: &[Message], format: Format) -> String {
    match format {
        Format::Human => messages.iter().map(human).collect(),
        Format::Github => messages.iter().map(github).collect(),
        Format::Sarif => sarif(messages),
    }
}

/// Shows a line.
pub(super) fn line(text: &str) {
    eprint(&format!("{}\n", visible(text)));
}

/// Shows text with colours, which the stream takes off where they are not wanted.
pub(super) fn styled(text: &str) {
    eprint(text);
}

/// How many errors and warnings there are: `2 errors, 1 warning`.
pub(super) fn count(messages: &[Message]) -> Option<String> {
    let of = |level| messages.iter().filter(|message| message.level == level).count();
    let parts = [(of(Level::Error), "error"), (of(Level::Warning), "warning")];
    let parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(n, noun)| some(n, noun)).collect();
    if parts.is_empty() { None } else { Some(parts.join(", ")) }
}

/// `1 file`, `2 files`.
pub(super) fn some(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A bar that shows on a terminal, and only there.
pub(super) fn progress(what: &'static str, length: usize, quiet: bool) -> ProgressBar {
    // A few files are done before anybody could read the bar.
    if quiet || length < 20 || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = "{msg:>12} [{bar:40}] {pos}/{len}";
    let style = ProgressStyle::with_template(template).map(|style| style.progress_chars("=> "));
    let bar = ProgressBar::new(length as u64).with_message(what);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn eprint(text: &str) {
    // Where nobody hears, nothing more can be said.
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
