//! Formats findings as Markdown that fits into a comment on a pull request.

use crd_diff::Judgement;
use crd_report::visible;

use super::group::Group;
use super::placed::Policy;
use super::show::explanation;

/// Maximum number of bytes in total. GitHub truncates comments after 65,536 characters.
const LONGEST: usize = 60_000;
/// Maximum number of bytes in the table. The remaining bytes are for the objects.
const LONGEST_TABLE: usize = 30_000;

/// Returns the verdict, a table of findings, and a collapsed section with an example object for each finding that is not accepted.
pub(super) fn markdown(verdict: &str, groups: &[Group<'_>], policy: Policy) -> String {
    let mut text = format!("**{}**\n", escaped(verdict));
    if groups.is_empty() {
        return text;
    }
    text += "\n| severity | field | change | classes |\n| --- | --- | --- | --- |\n";
    for (index, group) in groups.iter().enumerate() {
        let row = row(group, policy);
        if text.len() + row.len() > LONGEST_TABLE {
            text += &format!(
                "\n{} more rows are left out; `--format json` has all findings.\n",
                groups.len() - index
            );
            break;
        }
        text += &row;
    }
    let explained = groups.iter().filter(|group| group.first.judgement != Judgement::Accepted);
    for group in explained {
        let title = format!("{} {}", group.first.finding.id, group.first.subject());
        let block = format!(
            "\n<details><summary>{}</summary>\n\n{}\n\n</details>\n",
            escaped(&title),
            code(&explanation(group.first, group.other_places(), policy))
        );
        if text.len() + block.len() > LONGEST {
            text += "\nFurther objects are left out.\n";
            break;
        }
        text += &block;
    }
    text
}

fn row(group: &Group<'_>, policy: Policy) -> String {
    let finding = &group.first.finding;
    let level = match group.first.judgement {
        Judgement::Rejected => "error",
        Judgement::Undecided => "undecided",
        Judgement::Accepted if finding.severity > crd_diff::Severity::Note => "warning",
        Judgement::Accepted => "note",
    };
    let more = if group.len() > 1 { format!(" and {} more", group.len() - 1) } else { String::new() };
    let cells = [
        level.to_owned(),
        group.first.subject() + &more,
        format!("{}: {}", finding.id, finding.message),
        group.first.classes(policy),
    ];
    format!("| {} |\n", cells.map(|cell| escaped(&cell)).join(" | "))
}

/// Escapes text for a single line of Markdown and HTML.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in visible(text).chars() {
        match char {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '#' | '~' | '@' => {
                out.push('\\');
                out.push(char);
            }
            char => out.push(char),
        }
    }
    out
}

/// Returns a code block. The fence is longer than all fences in the content.
fn code(text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: Vec<String> = text.lines().map(|line| visible(line).into_owned()).collect();
    format!("{fence}text\n{}\n{fence}", lines.join("\n"))
}
