//! Writes to standard output. If the reader has closed the pipe, this is not an error.

use std::io::{self, IsTerminal, Write};

use crate::visible;

/// Prints lines to standard output one by one, and keeps the first error.
pub struct Printer {
    out: io::BufWriter<io::Stdout>,
    failed: Option<io::Error>,
}

impl Default for Printer {
    fn default() -> Self {
        Self::new()
    }
}

impl Printer {
    /// Creates a printer.
    #[must_use]
    pub fn new() -> Self {
        Self { out: io::BufWriter::new(io::stdout()), failed: None }
    }

    /// Prints a text, unless printing has already failed.
    pub fn print(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text.as_bytes()).err();
        }
    }

    /// Prints the rest of the buffer.
    ///
    /// # Errors
    /// The reason why printing failed.
    pub fn end(mut self) -> Result<(), String> {
        let ended = self.failed.take().map_or_else(|| self.out.flush(), Err);
        outcome(ended)
    }
}

/// Prints a text.
///
/// # Errors
/// The reason why printing failed.
pub fn print(text: impl AsRef<[u8]>) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    outcome(stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()))
}

/// Prints a text that contains CRDs or objects. On a terminal, control characters are made visible. Elsewhere, the text
/// is printed byte for byte.
///
/// # Errors
/// The reason why the text was not printed.
pub fn print_visible(text: &str) -> Result<(), String> {
    if !io::stdout().is_terminal() {
        return print(text);
    }
    let mut shown = String::with_capacity(text.len());
    for part in text.split_inclusive(['\n', '\t']) {
        let (part, end) = part.split_at(part.trim_end_matches(['\n', '\t']).len());
        shown.push_str(&visible(part));
        shown.push_str(end);
    }
    print(shown)
}

fn outcome(result: io::Result<()>) -> Result<(), String> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}
