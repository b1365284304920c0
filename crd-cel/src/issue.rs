//! Errors in the text of a rule. They are displayed as by the API server, with a caret below the error's position.

use std::fmt;

#[cfg(feature = "check")]
use crd_go::KubeVersion;

/// An error in the text of a rule, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Issue {
    /// The byte offset in the text, or `None` if the error concerns the whole rule.
    pub position: Option<usize>,
    /// The API server's message.
    pub message: String,
    /// `true` if the message contains `dyn`, or a type that contains `dyn`. Such an error can be wrong, because the value can have a more
    /// precise type than the declaration.
    pub is_about_dyn: bool,
    /// Advice, which is not part of the API server's message.
    pub help: Option<String>,
}

impl Issue {
    pub(crate) fn at_position(position: usize, message: impl Into<String>) -> Self {
        Self { position: Some(position), message: message.into(), is_about_dyn: false, help: None }
    }

    /// Returns the sort key. Issues that concern the whole rule come first.
    pub(crate) fn place(&self) -> Option<usize> {
        self.position
    }

    pub(crate) fn without_position(message: impl Into<String>) -> Self {
        Self { position: None, message: message.into(), is_about_dyn: false, help: None }
    }
}

/// Returns the help for unexpected text that begins with an operator of another language.
fn operator(text: &str) -> Option<String> {
    const WORDS: &[(&str, &str)] = &[("and", "&&"), ("or", "||"), ("not", "!")];
    const SYMBOLS: &[(&str, &str)] = &[("=", "=="), ("&", "&&"), ("|", "||")];
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let known = WORDS.iter().find(|(other, _)| word.eq_ignore_ascii_case(other));
    let known = known.or_else(|| SYMBOLS.iter().find(|(other, _)| text.starts_with(other)));
    known.map(|(_, operator)| format!("did you mean `{operator}`?"))
}

/// All errors in a rule, with the rule's text.
///
/// The errors are displayed in the API server's format:
///
/// ```
/// let issues = crd_cel::parse("1 +").unwrap_err();
/// assert!(issues.to_string().starts_with("ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting"));
/// assert!(issues.to_string().ends_with("\n | 1 +\n | ...^"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issues {
    source: String,
    issues: Vec<Issue>,
    truncated: usize,
    /// `true` for servers up to Kubernetes 1.31. If an error is at the beginning of a line, these servers report the end of the previous
    /// line.
    shifts_line_starts: bool,
}

/// Maximum number of displayed issues.
const MAX_ISSUES: usize = 100;
/// Maximum length of a displayed line.
const MAX_SNIPPET: usize = 16_384;

impl Issues {
    pub(crate) fn new(source: &str, mut issues: Vec<Issue>) -> Self {
        let truncated = issues.len().saturating_sub(MAX_ISSUES);
        issues.truncate(MAX_ISSUES);
        issues.sort_by_key(Issue::place);
        Self { source: source.to_owned(), issues, truncated, shifts_line_starts: false }
    }

    /// Returns the type checker's issues in the form in which a server of this release reports them.
    #[cfg(feature = "check")]
    pub(crate) fn from_checker(source: &str, issues: Vec<Issue>, server: KubeVersion) -> Self {
        // `GetStartLocation` of cel-go up to 0.20.
        Self { shifts_line_starts: !server.is_at_least(32), ..Self::new(source, issues) }
    }

    /// Returns a list with a single issue. It is for callers that have checks of their own between parsing and type checking.
    ///
    /// ```
    /// let issues = crd_cel::Issues::single("self.x", 4, "undefined field 'x'");
    /// assert_eq!(issues.to_string(), "ERROR: <input>:1:5: undefined field 'x'\n | self.x\n | ....^");
    /// ```
    #[must_use]
    pub fn single(source: &str, position: usize, message: impl Into<String>) -> Self {
        Self::new(source, vec![Issue::at_position(position, message)])
    }

    /// Adds help to issues about operators from other languages. The help suggests CEL's operator.
    pub(crate) fn with_operators(mut self) -> Self {
        for issue in &mut self.issues {
            let text = issue.position.and_then(|at| self.source.get(at..)).unwrap_or_default();
            issue.help = issue.help.take().or_else(|| operator(text));
        }
        self
    }

    /// Returns the issues, in the order of the text.
    #[must_use]
    pub fn as_slice(&self) -> &[Issue] {
        &self.issues
    }

    /// Returns an issue's line and column, or `None` if the issue concerns the whole rule. Lines and columns begin with 1, and columns
    /// count code points.
    #[must_use]
    pub fn line_and_column(&self, issue: &Issue) -> Option<(usize, usize)> {
        let before = self.source.get(..issue.position?)?;
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }

    fn print(&self, issue: &Issue, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((line, column)) = self.line_and_column(issue) else {
            return write!(f, "ERROR: <input>:-1:0: {}", issue.message);
        };
        let line_at = |line: usize| self.source.split('\n').nth(line - 1).unwrap_or_default();
        let (line, column) = match (line, column) {
            (2.., 1) if self.shifts_line_starts => (line - 1, line_at(line - 1).chars().count() + 2),
            place => place,
        };
        write!(f, "ERROR: <input>:{line}:{column}: {}", issue.message)?;
        let text = line_at(line);
        if text.len() > MAX_SNIPPET {
            return Ok(());
        }
        write!(f, "\n | {}\n | ", text.replace('\t', " "))?;
        let mut points = text.chars();
        for point in points.by_ref().take(column - 1) {
            f.write_str(if point.len_utf8() > 1 { "\u{ff0e}" } else { "." })?;
        }
        f.write_str(if points.next().is_some_and(|point| point.len_utf8() > 1) { "\u{ff3e}" } else { "^" })
    }
}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, issue) in self.issues.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            self.print(issue, f)?;
        }
        if self.truncated > 0 {
            write!(f, "\n{} more errors were truncated", self.truncated)?;
        }
        Ok(())
    }
}

impl std::error::Error for Issues {}
