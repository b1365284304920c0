//! The outcomes of a run -> a report in the XML of JUnit, as CI systems read it.
//!
//! There is no standard but what readers agree on: <https://github.com/testmoapp/junitxml>.

use super::outcome::Outcome;
use crate::render::Message;

/// A report with a suite for each file; what cannot be read is a test with an error.
pub(super) fn report(outcomes: &[Outcome], messages: &[Message]) -> String {
    let mut suites: Vec<Suite<'_>> = Vec::new();
    for outcome in outcomes {
        Suite::of(&mut suites, &outcome.file).outcomes.push(outcome);
    }
    for message in messages {
        Suite::of(&mut suites, &message.file).messages.push(message);
    }
    let counts = counts(
        outcomes.len() + messages.len(),
        outcomes.iter().filter(|outcome| !outcome.passed()).count(),
        messages.len(),
    );
    let suites: String = suites.iter().map(Suite::xml).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"crd-codegen\" {counts}>\n{suites}</testsuites>\n"
    )
}

/// The tests of a file.
struct Suite<'r> {
    file: &'r str,
    outcomes: Vec<&'r Outcome>,
    messages: Vec<&'r Message>,
}

impl<'r> Suite<'r> {
    /// The suite of a file. What belongs to one file comes together, but for the messages, which come last.
    fn of<'s>(suites: &'s mut Vec<Self>, file: &'r str) -> &'s mut Self {
        let at = suites.iter().rposition(|suite| suite.file == file).unwrap_or_else(|| {
            suites.push(Self { file, outcomes: Vec::new(), messages: Vec::new() });
            suites.len() - 1
        });
        &mut suites[at]
    }

    fn xml(&self) -> String {
        let failed = self.outcomes.iter().filter(|outcome| !outcome.passed()).count();
        let counts = counts(self.outcomes.len() + self.messages.len(), failed, self.messages.len());
        let tests: String = self.outcomes.iter().map(|outcome| test(outcome)).collect();
        let errors: String = self.messages.iter().map(|message| error(message)).collect();
        let name = if self.file.is_empty() { "crd-codegen" } else { self.file };
        format!("  <testsuite name=\"{}\" {counts}>\n{tests}{errors}  </testsuite>\n", escaped(name))
    }
}

fn counts(tests: usize, failures: usize, errors: usize) -> String {
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}

fn test(outcome: &Outcome) -> String {
    let (file, name) = (escaped(&outcome.file), escaped(&outcome.name));
    let line = outcome.line().map(|line| format!(" line=\"{line}\"")).unwrap_or_default();
    let start = format!("    <testcase name=\"{name}\" classname=\"{file}\" file=\"{file}\"{line}");
    if outcome.passed() {
        return format!("{start}/>\n");
    }
    let text = outcome.message().text;
    let (summary, lines) = text.split_once('\n').unwrap_or((&text, ""));
    let summary = escaped(summary);
    format!(
        "{start}>\n      <failure type=\"TestFailed\" message=\"{summary}\">{}</failure>\n    </testcase>\n",
        escaped(lines)
    )
}

fn error(message: &Message) -> String {
    let (file, text) = (escaped(&message.file), escaped(&message.text));
    let line = message.spot.as_ref().map(|spot| format!(" line=\"{}\"", spot.line)).unwrap_or_default();
    format!(
        "    <testcase name=\"the suite can be read\" classname=\"{file}\" file=\"{file}\"{line}>\n      \
         <error type=\"{}\" message=\"{text}\"/>\n    </testcase>\n",
        message.reason
    )
}

/// Text as XML may have it: in an attribute line ends are escaped too, and most control characters are not allowed at all.
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
    fn text_that_would_end_the_report() {
        assert_eq!(escaped("a \"<&>\"\n\u{1b}[0m"), "a &quot;&lt;&amp;&gt;&quot;&#10;\u{fffd}[0m");
    }
}
