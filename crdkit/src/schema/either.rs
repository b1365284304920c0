//! Restricts int-or-string enums: each variant's restrictions apply to values of its own type.
//!
//! Keywords for numbers do not apply to strings, and keywords for strings do not apply to numbers. Under `anyOf`, the branch for integers
//! would therefore accept every string, and the branch for strings every integer. Side by side in one schema, both restrictions have the
//! intended effect.

use serde_json::{Value, json};

use super::bounds::tighten;
use super::enums;
use super::merge::restrictions;
use super::walk::Node;

/// Puts the restrictions of all variants into the same schema. Returns `false` if this is impossible: the `enum` of a variant with
/// integers would also apply to strings.
pub(super) fn bounds(node: &mut Node, variants: &[Node]) -> bool {
    let mut all = Vec::new();
    for type_ in ["integer", "string"] {
        let own = variants.iter().filter(|variant| variant.get("type").is_some_and(|name| name == type_));
        let Some(restrictions) = own.map(|variant| restriction(variant, node)).collect::<Option<Vec<Node>>>()
        else {
            return false;
        };
        all.push(restrictions);
    }
    // A variant that is either itself has been joined into one shape, and restricts both.
    if variants.iter().any(|variant| !variant.contains_key("type")) {
        return false;
    }
    for mut restrictions in all {
        restrictions.dedup();
        if restrictions.iter().any(Node::is_empty) {
            continue;
        }
        match restrictions.as_mut_slice() {
            [] => {}
            [only] => {
                tighten(node, only);
                for (keyword, value) in std::mem::take(only) {
                    node.entry(keyword).or_insert(value);
                }
            }
            _ => {
                let several: Vec<Value> = restrictions.into_iter().map(Value::Object).collect();
                if let Value::Array(all) = node.entry("allOf").or_insert_with(|| json!([])) {
                    all.push(json!({"anyOf": several}));
                }
            }
        }
    }
    true
}

/// Returns a variant's restrictions, in keywords that apply only to the variant's type.
fn restriction(variant: &Node, node: &Node) -> Option<Node> {
    let mut left = restrictions(variant, node);
    if let Some(values) = left.remove("enum") {
        let names: Option<Vec<&str>> = values.as_array()?.iter().map(Value::as_str).collect();
        if left.contains_key("pattern") {
            return None;
        }
        left.insert("pattern".to_owned(), json!(enums::pattern(names?)));
    }
    Some(left)
}
