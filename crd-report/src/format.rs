//! Report formats, as command-line arguments.

use anstream::ColorChoice;
use clap::ValueEnum;
use clap::builder::PossibleValue;

/// Formats that every command supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Human-readable messages, with the lines to which they refer
    #[default]
    Human,
    /// Annotations of GitHub Actions
    Github,
    /// A SARIF 2.1.0 document
    Sarif,
}

/// Formats for commands that report on each document or test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Messages about errors, warnings and advice.
    Messages(MessageFormat),
    /// One line of JSON for each document or test.
    Json,
    /// A JUnit report.
    Junit,
}

impl Default for Format {
    fn default() -> Self {
        Self::Messages(MessageFormat::Human)
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Messages(MessageFormat::Human),
            Self::Json,
            Self::Messages(MessageFormat::Github),
            Self::Messages(MessageFormat::Sarif),
            Self::Junit,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Messages(format) => format.to_possible_value(),
            Self::Json => Some(PossibleValue::new("json").help("One line of JSON for each document or test")),
            Self::Junit => {
                Some(PossibleValue::new("junit").help("A JUnit report, which most CI systems read"))
            }
        }
    }
}

/// When messages on standard error are colored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless the environment (`NO_COLOR`, `TERM`) forbids it
    #[default]
    Auto,
    /// Always, even in files and pipes
    Always,
    /// Never
    Never,
}

impl Color {
    /// Applies this setting to the process.
    pub fn apply(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::AlwaysAnsi,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}
