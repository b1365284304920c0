//! Why a pattern is refused, in Go's words.

use std::fmt;

/// Why Go does not take a pattern, and the part of it that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
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
}

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
