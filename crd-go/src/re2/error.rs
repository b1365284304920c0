//! The error of a rejected pattern, in Go's words.

use std::fmt;

/// The reason why Go rejects a pattern, and the wrong part of the pattern.
///
/// Printed as Go prints it: ``error parsing regexp: missing closing ): `(a` ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub(super) code: Code,
    pub(super) part: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    ClassRange,
    Escape,
    NamedCapture,
    PerlSyntax,
    NestedRepetition,
    RepeatCount,
    MissingBracket,
    MissingParen,
    MissingArgument,
    TrailingBackslash,
    UnexpectedParen,
    TooDeep,
    TooLarge,
}

impl Error {
    pub(super) fn new(code: Code, part: &str) -> Self {
        Self { code, part: part.to_owned() }
    }

    /// Returns advice, if there is any.
    ///
    /// ```
    /// let error = crd_go::re2::check("(?<=a)b").unwrap_err();
    /// assert_eq!(error.help(), Some("RE2 has no look-behind"));
    /// ```
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self.code {
            Code::PerlSyntax if self.part.starts_with("(?=") || self.part.starts_with("(?!") => {
                Some("RE2 has no look-ahead: split the pattern into two under `allOf`, or use a rule")
            }
            Code::NamedCapture if self.part.starts_with("(?<=") || self.part.starts_with("(?<!") => {
                Some("RE2 has no look-behind")
            }
            Code::Escape if self.part.ends_with(|c: char| c.is_ascii_digit()) => {
                Some("RE2 has no references to groups")
            }
            Code::NestedRepetition => Some("RE2 has no possessive repetition"),
            Code::RepeatCount => Some("RE2 repeats 1000 times at most: use `maxLength` for longer texts"),
            _ => None,
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = match self.code {
            Code::ClassRange => "invalid character class range",
            Code::Escape => "invalid escape sequence",
            Code::NamedCapture => "invalid named capture",
            Code::PerlSyntax => "invalid or unsupported Perl syntax",
            Code::NestedRepetition => "invalid nested repetition operator",
            Code::RepeatCount => "invalid repeat count",
            Code::MissingBracket => "missing closing ]",
            Code::MissingParen => "missing closing )",
            Code::MissingArgument => "missing argument to repetition operator",
            Code::TrailingBackslash => "trailing backslash at end of expression",
            Code::UnexpectedParen => "unexpected )",
            Code::TooDeep => "expression nests too deeply",
            Code::TooLarge => "expression too large",
        };
        write!(f, "error parsing regexp: {code}: `{}`", self.part)
    }
}
