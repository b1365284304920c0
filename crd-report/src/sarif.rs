//! Writes messages as SARIF 2.1.0, which code scanners can show.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::github::repository_path;
use crate::{Level, Message, PROGRAM};

/// Writes one SARIF document, with a line feed at the end. Results are serialized one by one, because the JSON values
/// of all results would need ten times as much memory as their text.
pub(crate) fn sarif(messages: &[Message], write: &mut dyn FnMut(&str)) {
    const RESULTS: &str = "\"results\": []";
    let frame = frame(messages);
    let (Some(at), false) = (frame.find(RESULTS), messages.is_empty()) else { return write(&frame) };
    let (before, after) = frame.split_at(at + RESULTS.len() - 1);
    write(before);
    for (i, message) in messages.iter().enumerate() {
        let result = format!("{:#}", result(message)).replace('\n', "\n        ");
        write(if i == 0 { "\n        " } else { ",\n        " });
        write(&result);
    }
    write("\n      ");
    write(after);
}

/// Returns the document without results.
fn frame(messages: &[Message]) -> String {
    let rules: BTreeSet<&str> = messages.iter().map(|message| message.reason).collect();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({"id": id})).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": PROGRAM,
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": [],
        }],
    });
    format!("{document:#}\n")
}

fn result(message: &Message) -> Value {
    let mut text = message.text.clone();
    if let Some(help) = &message.help {
        text += &format!("\nhelp: {help}");
    }
    let mut location = json!({"artifactLocation": {"uri": uri(&message.file)}});
    if let Some(spot) = &message.spot {
        let end = spot.column + spot.source.get(spot.span.clone()).map_or(0, |meant| meant.chars().count());
        location["region"] = json!({"startLine": spot.line, "startColumn": spot.column, "endColumn": end});
    }
    let locations = if message.file.is_empty() { json!([]) } else { json!([{"physicalLocation": location}]) };
    json!({
        "ruleId": message.reason,
        "level": match message.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note | Level::Notice => "note",
        },
        "message": {"text": text},
        "locations": locations,
    })
}

/// Returns a path as a URI reference, percent-encoded where necessary.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in repository_path(path).replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_current_folder_are_those_of_the_repository() {
        assert_eq!(uri("./a b/c.yaml"), "a%20b/c.yaml");
    }

    #[test]
    fn a_document_equals_one_that_is_printed_at_once() {
        let message =
            |text: &str| Message { file: "a b.yaml".to_owned(), ..Message::for_run(text.to_owned()) };
        for messages in [vec![], vec![message("a\n\"results\": []")], vec![message("a"), message("b")]] {
            let mut whole: Value = serde_json::from_str(&frame(&messages)).unwrap();
            whole["runs"][0]["results"] = messages.iter().map(result).collect();
            let mut text = String::new();
            sarif(&messages, &mut |piece| text += piece);
            assert_eq!(text, format!("{whole:#}\n"));
        }
    }
}
