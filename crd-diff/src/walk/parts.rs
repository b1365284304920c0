//! Describes changes in `allOf`, `anyOf`, `oneOf` or `not`.

use serde_json::Value;

/// The maximum number of keywords in a description. Further keywords are only counted.
const MOST: usize = 8;

/// Returns a list of the keywords that were removed from or added to the schemas in `allOf`, `anyOf`, `oneOf` or `not`.
pub(super) fn named_changes(old: &Value, new: &Value) -> String {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    facts(old, "", &mut before);
    facts(new, "", &mut after);
    let mut gone = Vec::new();
    for fact in before {
        match after.iter().position(|other| *other == fact) {
            Some(at) => _ = after.swap_remove(at),
            None => gone.push(fact),
        }
    }
    let listed = |word: &str, facts: &[String]| {
        let more = facts.len().saturating_sub(MOST);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{word} {}{more}", facts[..facts.len().min(MOST)].join(", "))
    };
    let sides = [("without", gone), ("with", after)];
    let texts: Vec<String> = sides
        .iter()
        .filter(|(_, facts)| !facts.is_empty())
        .map(|(word, facts)| listed(word, facts))
        .collect();
    if texts.is_empty() { "its schemas combine keywords differently".to_owned() } else { texts.join("; ") }
}

/// Collects the keywords in a schema and in nested schemas, with their values.
fn facts(schema: &Value, at: &str, out: &mut Vec<String>) {
    let Value::Object(fields) = schema else {
        if let Value::Array(parts) = schema {
            parts.iter().for_each(|part| facts(part, at, out));
        }
        return;
    };
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                fields.iter().for_each(|(field, schema)| facts(schema, &format!("{at}.{field}"), out));
            }
            ("items", _) => facts(value, &format!("{at}[]"), out),
            ("additionalProperties", Value::Object(_)) => facts(value, &format!("{at}.*"), out),
            ("allOf" | "anyOf" | "oneOf", _) => facts(value, at, out),
            ("not", _) => {
                let first = out.len();
                facts(value, at, out);
                out[first..].iter_mut().for_each(|fact| fact.insert_str(0, "not "));
            }
            ("enum" | "required", Value::Array(values)) => {
                out.extend(values.iter().map(|value| fact(at, name, value)));
            }
            _ => out.push(fact(at, name, value)),
        }
    }
}

fn fact(at: &str, name: &str, value: &Value) -> String {
    let place = if at.is_empty() { String::new() } else { format!(" at `{at}`") };
    format!("`{name}: {value}`{place}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_changed_in_the_parts_of_a_keyword_is_named() {
        let of = |values: Value| json!([{"properties": {"kind": {"enum": values}}, "required": ["a"]}, {"not": {"required": ["b"]}}]);
        assert_eq!(
            named_changes(&of(json!(["x", "y"])), &of(json!(["x"]))),
            "without `enum: \"y\"` at `.kind`"
        );
        assert_eq!(
            named_changes(&of(json!(["x"])), &json!([{"required": ["a", "c"]}])),
            "without `enum: \"x\"` at `.kind`, not `required: \"b\"`; with `required: \"c\"`"
        );
        let parts = [json!([{"minimum": 1, "maximum": 2}]), json!([{"minimum": 1}, {"maximum": 2}])];
        assert_eq!(named_changes(&parts[0], &parts[1]), "its schemas combine keywords differently");
    }
}
