//! Formats of reports, as arguments of commands.

use anstream::ColorChoice;
use clap::ValueEnum;
use clap::builder::PossibleValue;

/// Formats of messages, which every command can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// With the lines they point to
    #[default]
    Human,
    /// As annotations of GitHub Actions
    Github,
    /// As a SARIF 2.1.0 document
    Sarif,
}

/// Formats of commands that answer each document or test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Messages about what is wrong.
    Messages(MessageFormat),
    /// A JSON object in a line for every document or test.
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
            Self::Json => {
                Some(PossibleValue::new("json").help("A JSON object in a line for every document or test"))
            }
            Self::Junit => {
                Some(PossibleValue::new("junit").help("As a JUnit report, which most CI systems read"))
            }
        }
    }
}

/// Colour on the standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless the environment (`NO_COLOR`, `TERM`) forbids it
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// Makes it the choice for the process.
    pub fn apply(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::AlwaysAnsi,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}
