//! Rules from bytes, which compile at a node of a schema. No rule refuses to replace a value by itself.

use arbitrary::{Result, Unstructured};
use serde_json::{Value, json};

use super::schema::{chance, pick};

/// Rules of every type.
const ANY: [&str; 3] = ["self == self", "self == oldSelf", "type(self) == type(self) || self != self"];
const TEXTS: [&str; 8] = [
    "self.size() < 5",
    "self.matches('^[a-z]*$')",
    "!self.contains('x')",
    "self.lowerAscii() == self",
    "self.startsWith(oldSelf)",
    "self in ['a', 'bb', 'é']",
    "self.split('.').all(p, p.size() < 3)",
    "self.find('[0-9]+') == '' || int(self.find('[0-9]+')) < 1000",
];
const INTEGERS: [&str; 5] = [
    "self < 5",
    "self >= oldSelf",
    "10 / self > 2",
    "self % 2 == 0 || self + 9223372036854775807 > 0",
    "double(self) < 3.5",
];
const NUMBERS: [&str; 4] = ["self < 5.0", "self >= oldSelf", "self * 2.0 != 3.0", "int(self) < 100"];
const LISTS: [&str; 7] = [
    "self.size() < 4",
    "self.all(x, x == x)",
    "self.exists(x, x in self) || self.size() == 0",
    "self + self == self + self",
    "self == oldSelf || self.size() >= oldSelf.size()",
    "self.map(x, x).size() == self.size()",
    "oldSelf.all(x, x in self)",
];
const MAPS: [&str; 4] = [
    "self.size() < 4",
    "self.all(k, k.size() < 9)",
    "self.exists(k, self[k] == self[k]) || self.size() == 0",
    "oldSelf.all(k, k in self)",
];
/// Rules in which `NAME` stands for a property.
const OBJECTS: [&str; 6] = [
    "!has(self.NAME) || self.NAME == self.NAME",
    "has(self.NAME)",
    "has(self.NAME) == has(oldSelf.NAME)",
    "self.?NAME.hasValue() || true",
    "[self].map(x, x).all(x, !has(x.NAME) || x.NAME == self.NAME)",
    "!has(oldSelf.NAME) || has(self.NAME)",
];
const OPTIONAL: [&str; 2] =
    ["!oldSelf.hasValue() || oldSelf.value() == self", "oldSelf.orValue(self) == self"];
const MESSAGES: [&str; 4] = ["'no: ' + string(1)", "'' + ''", "'a\\nb'", "string(10 / 0)"];

/// Adds rules to a node.
pub fn rules(u: &mut Unstructured<'_>, node: &mut Value) -> Result<()> {
    if !chance(u, 1, 3)? {
        return Ok(());
    }
    let mut written = Vec::new();
    for _ in 0..u.int_in_range(1..=2)? {
        written.push(rule(u, node)?);
    }
    node["x-kubernetes-validations"] = json!(written);
    Ok(())
}

fn rule(u: &mut Unstructured<'_>, node: &Value) -> Result<Value> {
    let names: Vec<String> = node["properties"]
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.keys())
        .filter_map(|name| escaped(name))
        .collect();
    let of_type: &[&str] = match node["type"].as_str() {
        Some("string") if node.get("format").is_none() => &TEXTS,
        Some("integer") => &INTEGERS,
        Some("number") => &NUMBERS,
        Some("array") => &LISTS,
        Some("object") if node["additionalProperties"].is_object() => &MAPS,
        Some("object") if !names.is_empty() => &OBJECTS,
        _ => &ANY,
    };
    let is_optional = chance(u, 1, 10)?;
    let of_type = if is_optional { &OPTIONAL[..] } else { of_type };
    let mut text =
        (*if chance(u, 1, 5)? && !is_optional { pick(u, &ANY)? } else { pick(u, of_type)? }).to_owned();
    if text.contains("NAME") {
        text = text.replace("NAME", pick(u, &names)?);
    }
    let mut rule = json!({"rule": text});
    if is_optional {
        rule["optionalOldSelf"] = json!(true);
    }
    if chance(u, 1, 4)? {
        rule["message"] = json!("does not hold");
    }
    if chance(u, 1, 4)? {
        rule["messageExpression"] = json!(pick(u, &MESSAGES)?);
    }
    if chance(u, 1, 4)? {
        let reasons =
            ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"];
        rule["reason"] = json!(pick(u, &reasons)?);
    }
    if chance(u, 1, 6)? && !names.is_empty() {
        rule["fieldPath"] = json!(format!(".{}", pick(u, &names)?));
    }
    Ok(rule)
}

/// Returns the name of a property as rules escape it, if they can name it.
fn escaped(name: &str) -> Option<String> {
    match name {
        "d-e" => Some("d__dash__e".to_owned()),
        "f.g" => Some("f__dot__g".to_owned()),
        "x/y" => Some("x__slash__y".to_owned()),
        name => name.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| name.to_owned()),
    }
}
