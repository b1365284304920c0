//! Writes JUnit reports for CI systems.
//!
//! There is no standard for this format. The reports have the form that most readers support: <https://github.com/testmoapp/junitxml>.

use crate::{Message, PROGRAM};

/// A test in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The test's file. All tests of a file are one suite.
    pub file: String,
    /// The test's name.
    pub name: String,
    /// The test's line in the file.
    pub line: Option<usize>,
    /// The failure, or `None` if the test passed.
    pub failure: Option<Failure>,
}

/// The failure of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub kind: &'static str,
    /// A summary of the failure, on one line.
    pub summary: String,
    /// The complete text of the failure.
    pub details: String,
}

/// Returns a report with one suite for each file. Each message becomes a test named `unread` with an error.
#[must_use]
pub fn report(cases: &[Case], messages: &[Message], unread: &str) -> String {
    let mut suites: Vec<Suite<'_>> = Vec::new();
    for case in cases {
        Suite::for_file(&mut suites, &case.file).cases.push(case);
    }
    for message in messages {
        Suite::for_file(&mut suites, &message.file).messages.push(message);
    }
    let counts = counts(
        cases.len() + messages.len(),
        cases.iter().filter(|case| case.failure.is_some()).count(),
        messages.len(),
    );
    let suites: String = suites.iter().map(|suite| suite.xml(unread)).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{PROGRAM}\" {counts}>\n{suites}</testsuites>\n"
    )
}

/// The tests of a file.
struct Suite<'r> {
    file: &'r str,
    cases: Vec<&'r Case>,
    messages: Vec<&'r Message>,
}

impl<'r> Suite<'r> {
    /// Returns the suite for a file. All tests of a file are adjacent, and messages come after all tests.
    fn for_file<'s>(suites: &'s mut Vec<Self>, file: &'r str) -> &'s mut Self {
        let at = suites.iter().rposition(|suite| suite.file == file).unwrap_or_else(|| {
            suites.push(Self { file, cases: Vec::new(), messages: Vec::new() });
            suites.len() - 1
        });
        &mut suites[at]
    }

    fn xml(&self, unread: &str) -> String {
        let failed = self.cases.iter().filter(|case| case.failure.is_some()).count();
        let counts = counts(self.cases.len() + self.messages.len(), failed, self.messages.len());
        let tests: String = self.cases.iter().map(|case| test(case)).collect();
        let errors: String = self.messages.iter().map(|message| error(message, unread)).collect();
        let name = if self.file.is_empty() { PROGRAM } else { self.file };
        format!("  <testsuite name=\"{}\" {counts}>\n{tests}{errors}  </testsuite>\n", escaped(name))
    }
}

fn counts(tests: usize, failures: usize, errors: usize) -> String {
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}

fn test(case: &Case) -> String {
    let (file, name) = (escaped(&case.file), escaped(&case.name));
    let line = case.line.map(|line| format!(" line=\"{line}\"")).unwrap_or_default();
    let start = format!("    <testcase name=\"{name}\" classname=\"{file}\" file=\"{file}\"{line}");
    let Some(Failure { kind, summary, details }) = &case.failure else { return format!("{start}/>\n") };
    let (summary, details) = (escaped(summary), escaped(details));
    format!(
        "{start}>\n      <failure type=\"{kind}\" message=\"{summary}\">{details}</failure>\n    </testcase>\n"
    )
}

fn error(message: &Message, unread: &str) -> String {
    let (file, text) = (escaped(&message.file), escaped(&message.text));
    let line = message.spot.as_ref().map(|spot| format!(" line=\"{}\"", spot.line)).unwrap_or_default();
    format!(
        "    <testcase name=\"{unread}\" classname=\"{file}\" file=\"{file}\"{line}>\n      \
         <error type=\"{}\" message=\"{text}\"/>\n    </testcase>\n",
        message.reason
    )
}

/// Escapes text for XML. Line ends are escaped for attributes. Control characters that XML forbids are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_for_xml() {
        assert_eq!(escaped("a \"<&>\"\n\u{1b}[0m"), "a &quot;&lt;&amp;&gt;&quot;&#10;\u{fffd}[0m");
    }
}
