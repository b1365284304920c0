//! Files with one definition each, as JSON -> the API server's answer, a line of JSON for each file.
#![expect(clippy::print_stdout, reason = "the lines are what it is for")]

use crd_core::check::Verdict;
use serde::Deserialize;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in
        std::env::args().skip(1).filter(|argument| !["check", "--format", "json"].contains(&&**argument))
    {
        let text = std::fs::read(&file)?;
        let mut deserializer = serde_json::Deserializer::from_slice(&text);
        deserializer.disable_recursion_limit();
        let value = Value::deserialize(&mut deserializer)?;
        let verdict = Verdict::of_value(value);
        let errors = verdict.errors.iter().map(|cause| {
            let (field, reason) = (cause.field.to_string(), cause.reason.as_str());
            json!({"field": field, "reason": reason, "message": cause.message, "help": cause.help})
        });
        let line = json!({
            "file": file,
            "document": 0,
            "accepted": verdict.accepted,
            "errors": errors.collect::<Value>(),
            "message": verdict.message,
            "warnings": verdict.warnings,
            "object": null,
        });
        println!("{}", ascii(&line.to_string()));
    }
    Ok(())
}

/// JSON without anything but ASCII: some readers of lines take U+2028 and others for the end of one.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let units =
                c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            out.push_str(&units);
        }
    }
    out
}
