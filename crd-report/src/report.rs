//! Messages and progress on standard error.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use indicatif::{ProgressBar, ProgressStyle};

use crate::github::github;
use crate::human::human;
use crate::sarif::sarif;
use crate::{Level, Message, MessageFormat, Printer, Status, visible};

/// The name of the program.
pub const PROGRAM: &str = "crdkit";

/// Shows messages and progress during a run.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// `true` if only errors are shown.
    pub quiet: bool,
}

impl Report {
    /// Creates a report. With `quiet`, only errors are shown.
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    /// Shows all messages on standard error, in their order.
    pub fn show(&self, messages: &[Message], format: MessageFormat) {
        self.write(messages, format, &mut eprint);
    }

    /// Shows an error that concerns the whole run, and returns the exit status.
    #[must_use]
    pub fn fail(&self, reason: String, format: MessageFormat) -> Status {
        self.show(&[Message::for_run(reason)], format);
        Status::Unreadable
    }

    /// Prints all messages to standard output, in their order.
    ///
    /// # Errors
    /// The reason why printing failed.
    pub fn print(&self, messages: &[Message], format: MessageFormat) -> Result<(), String> {
        let mut printer = Printer::new();
        self.write(messages, format, &mut |text| printer.print(text));
        printer.end()
    }

    /// Renders and writes messages one after another, because a rendered message needs several times as much memory as a `Message`.
    fn write(&self, messages: &[Message], format: MessageFormat, write: &mut dyn FnMut(&str)) {
        match format {
            MessageFormat::Human => messages.iter().for_each(|message| write(&human(message))),
            MessageFormat::Github => messages.iter().for_each(|message| write(&github(message))),
            MessageFormat::Sarif => sarif(messages, write),
        }
    }

    /// Shows a line on standard error, unless the report is quiet.
    pub fn line(&self, text: &str) {
        if !self.quiet {
            line(text);
        }
    }

    /// Creates a progress bar for a task with this number of steps. It is shown only on terminals.
    #[must_use]
    pub fn progress(&self, task: &'static str, steps: usize) -> Progress {
        // A few files are finished before the bar could be read.
        if self.quiet || steps < 20 || !io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let template = "{msg:>12} [{bar:40}] {pos}/{len}";
        let style = ProgressStyle::with_template(template).map(|style| style.progress_chars("=> "));
        let bar = ProgressBar::new(steps as u64).with_message(task);
        Progress(match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        })
    }
}

/// A progress bar for a task, on standard error.
pub struct Progress(ProgressBar);

impl Progress {
    /// Counts one finished step.
    pub fn step(&self) {
        self.0.inc(1);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Returns the exit status. If the output could not be written, the reason is shown.
#[must_use]
pub fn ended(shown: Result<(), String>, status: Status) -> Status {
    match shown {
        Ok(()) => status,
        Err(reason) => {
            eprint(&human(&Message::for_run(reason)));
            Status::Unreadable
        }
    }
}

/// Shows a line on standard error.
pub fn line(text: &str) {
    eprint(&format!("{}\n", visible(text)));
}

/// Returns a function that prints a message about another run that holds the lock for a path.
pub fn waiting(path: &Path) -> impl Fn() {
    move || line(&format!("another run writes to {}: waiting until it ends", path.display()))
}

/// Shows a text on standard error, with indented lines. For a long text, many lines are written at once.
pub fn indented(text: &str) {
    const WRITTEN: usize = 1 << 16;
    let mut lines = String::new();
    for line in text.lines() {
        lines += "    ";
        lines += &visible(line);
        lines.push('\n');
        if lines.len() > WRITTEN {
            eprint(&lines);
            lines.clear();
        }
    }
    eprint(&lines);
}

/// Shows colored text on standard error. The colors are removed if they are disabled or not supported.
pub fn styled(text: &str) {
    eprint(text);
}

/// Returns `true` if one of the messages is an error.
#[must_use]
pub fn has_errors(messages: &[Message]) -> bool {
    messages.iter().any(|message| message.level == Level::Error)
}

/// Returns the number of errors and warnings: `2 errors, 1 warning`.
#[must_use]
pub fn count(messages: &[Message]) -> Option<String> {
    let of = |level| messages.iter().filter(|message| message.level == level).count();
    let parts = [(of(Level::Error), "error"), (of(Level::Warning), "warning")];
    let parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(n, noun)| some(n, noun)).collect();
    if parts.is_empty() { None } else { Some(parts.join(", ")) }
}

/// Returns a number followed by a noun, in the plural if necessary: `1 file`, `2 files`.
#[must_use]
pub fn some(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn eprint(text: &str) {
    let stderr = io::stderr();
    // If standard error is closed, the failure cannot be reported anywhere.
    let _ = match AutoStream::choice(&stderr) {
        // The stream would write each piece between two colors by itself.
        ColorChoice::Never => {
            let mut buffer = BufWriter::new(stderr.lock());
            strip_str(text).try_for_each(|piece| buffer.write_all(piece.as_bytes()))
        }
        _ => anstream::stderr().lock().write_all(text.as_bytes()),
    };
}
