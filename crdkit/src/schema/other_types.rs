//! Excludes values of other types from a variant. The keyword `type` is not allowed under `oneOf`, `anyOf` and `allOf`.
//! Therefore, each of the other types is excluded with bounds that none of its values satisfies. Bounds of strings do not
//! apply to numbers, and bounds of numbers do not apply to strings.

use serde_json::{Value, json};

use super::walk::Node;

/// For each type, the keywords of a lower and an upper bound. Together, at least 1 and at most 0 exclude all values of the type.
const IMPOSSIBLE: &[(&str, &str, &str)] = &[
    ("string", "minLength", "maxLength"),
    ("integer", "minimum", "maximum"),
    ("array", "minItems", "maxItems"),
    ("object", "minProperties", "maxProperties"),
];

/// Adds bounds to `left`, the restrictions that `schema` has beyond `spine`. The bounds exclude values of types that only `spine` allows.
pub(super) fn exclude(schema: &Node, spine: &Node, left: &mut Node) {
    let Some(own) = schema.get("type").and_then(Value::as_str) else { return };
    let others: &[&str] = match spine.get("type").and_then(Value::as_str) {
        Some("number") if own == "integer" => {
            // Whole numbers among all.
            left.entry("multipleOf").or_insert(json!(1));
            return;
        }
        Some(_) => return,
        None if spine.get("x-kubernetes-int-or-string") == Some(&json!(true)) => &["integer", "string"],
        None => &["string", "integer", "array", "object"],
    };
    let own = if own == "number" { "integer" } else { own };
    for (_, least, most) in IMPOSSIBLE.iter().filter(|(name, ..)| others.contains(name) && *name != own) {
        left.insert((*least).to_owned(), json!(1));
        left.insert((*most).to_owned(), json!(0));
    }
    if others.len() > 2 && own != "boolean" && !left.contains_key("not") {
        left.insert("not".to_owned(), json!({"enum": [false, true]}));
    }
}
