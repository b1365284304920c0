//! Outputs of kubectl without what differs from run to run: UIDs, times, ages, revisions, addresses, names of files.

use std::fmt::Write as _;

use serde_json::Value;

/// The groups that `crdkit serve` has besides custom resources.
const BUILT_IN: [&str; 9] = [
    "apps/v1",
    "autoscaling/v2",
    "batch/v1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "events.k8s.io/v1",
    "networking.k8s.io/v1",
    "policy/v1",
    "v1",
];

pub(crate) fn normalise(output: &str) -> String {
    let mut text = String::new();
    for line in output.lines().filter(|line| !BUILT_IN.contains(line) && !is_log(line)) {
        let line = match serde_json::from_str::<Value>(line) {
            // Entries of managed fields are in the order of their times, which are in seconds.
            Ok(mut event @ Value::Object(_)) => {
                sort_owners(&mut event);
                event.to_string()
            }
            _ => line.to_owned(),
        };
        let _ = writeln!(text, "{}", words(&line));
    }
    text
}

/// Returns `true` for a line of kubectl's own log, such as `I1124 10:31:13.576325  28025 reflector.go:664] ...`.
fn is_log(line: &str) -> bool {
    let mut characters = line.chars();
    let level = characters.next();
    level.is_some_and(|level| "IWE".contains(level))
        && characters.by_ref().take(4).filter(char::is_ascii_digit).count() == 4
        && characters.next() == Some(' ')
        && line.contains(".go:")
}

fn sort_owners(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(sort_owners),
        Value::Object(fields) => {
            if let Some(Value::Array(entries)) = fields.get_mut("managedFields") {
                entries.iter_mut().filter_map(Value::as_object_mut).for_each(|entry| {
                    entry.remove("time");
                });
                entries.sort_by_key(ToString::to_string);
            }
            fields.values_mut().for_each(sort_owners);
        }
        _ => {}
    }
}

/// Returns a line with its changing words replaced, and single blanks between columns, whose widths depend on these words.
fn words(line: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-.:/_".contains(c);
    let mut out = String::new();
    let mut rest = line;
    let indentation = line.len() - line.trim_start_matches(' ').len();
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c: char| is_part(c) != is_part(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(length);
        if is_part(first) {
            out += replaced(part, &out);
        } else if rest.len() == line.len() {
            out += &line[..indentation];
            out += part.trim_start_matches(' ');
        } else {
            out += &single_blanks(part);
        }
        rest = after;
    }
    out.trim_end().to_owned()
}

fn single_blanks(part: &str) -> String {
    let mut out = String::new();
    for c in part.chars() {
        if c != ' ' || !out.ends_with(' ') {
            out.push(c);
        }
    }
    out
}

/// Returns the replacement of a word, whose line begins with `before`.
fn replaced<'w>(word: &'w str, before: &str) -> &'w str {
    let is_form = |form: &str| {
        word.len() == form.len()
            && word.bytes().zip(form.bytes()).all(|(found, form)| match form {
                b'0' => found.is_ascii_digit(),
                b'x' => found.is_ascii_hexdigit(),
                form => found == form,
            })
    };
    let is_revision =
        ["resourceVersion: \"", "\"resourceVersion\":\"", "\"resourceVersion\": \"", "Resource Version: "]
            .iter()
            .any(|field| before.ends_with(field));
    match word {
        _ if is_revision => "<revision>",
        _ if is_form("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") => "<uid>",
        _ if is_form("0000-00-00T00:00:00Z") || is_clock(word) => "<time>",
        _ if word.split_once('T').is_some_and(|(_, time)| is_clock(time.trim_end_matches('Z'))) => "<time>",
        _ if is_form("0000-00-00") => "<date>",
        _ if is_age(word) => "<age>",
        _ if word.starts_with("http://127.0.0.1:") || word.starts_with("https://127.0.0.1:") => "<server>",
        _ if word.starts_with("/tmp/") => "<file>",
        _ if word.len() == "made-xxxxx".len() && word.starts_with("made-") => "<generated>",
        _ if word.contains("/made-") => "<generated>",
        word => word,
    }
}

/// Returns `true` for times such as `10:31:13` and `10:31:13.576`.
fn is_clock(word: &str) -> bool {
    let (time, fraction) = word.split_once('.').unwrap_or((word, "0"));
    let parts: Vec<&str> = time.split(':').collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(|part| part.len() == 2 && is_number(part)) && is_number(fraction)
}

/// Returns `true` for ages such as `5s` and `2m5s`.
fn is_age(word: &str) -> bool {
    let Some(rest) = word.strip_suffix('s') else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match rest.split_once('m') {
        Some((minutes, seconds)) => is_number(minutes) && is_number(seconds),
        None => is_number(rest),
    }
}

#[test]
fn changing_words_are_replaced() {
    for (line, expected) in [
        ("red    red   2    5s  ", "red red 2 <age>"),
        ("  resourceVersion: \"12\"", "  resourceVersion: \"<revision>\""),
        ("  uid: 9a1b2c3d-0000-4000-8000-0123456789ab", "  uid: <uid>"),
        ("created: 2026-11-24T10:00:00Z", "created: <time>"),
        (
            "created: 2026-11-24T10:00:00.25Z, Tue Nov 24 10:00:00 2026",
            "created: <time>, Tue Nov 24 <time> 2026",
        ),
        ("shirt.example.com/made-x2b4z", "<generated>"),
    ] {
        assert_eq!(words(line), expected);
    }
    assert!(is_log("I1124 10:31:13.576325  28025 reflector.go:664] \"Warning\""));
    assert_eq!(normalise("v1\nWarning: x\n"), "Warning: x\n");
}
