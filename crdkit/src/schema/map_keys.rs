//! Turns constraints on a map's keys into rules for the map, because a CRD has no schema for keys.

use crd_core::crd::JsonSchemaProps;
use schemars::JsonSchema;
use schemars::generate::Contract;
use serde_json::{Number, Value, json};

use super::groups::RULES;
use super::objects::accepts_all;
use super::walk::{Node, SchemaLocation};
use crate::Error;
use crate::marks::RuleMark;

/// The keyword that holds the schema of the keys until it becomes rules.
const KEYS: &str = "x-crdkit-keys";

/// Stores the schema of `K` in the map that `path` leads to.
pub(crate) fn mark<K: JsonSchema>(node: &mut Node, path: &str) {
    let Some((keyword, rest)) = [("[]", "items"), ("[*]", "additionalProperties")]
        .into_iter()
        .find_map(|(step, keyword)| Some((keyword, path.strip_prefix(step)?)))
    else {
        node.insert(KEYS.to_owned(), super::generated::<K>(Contract::Deserialize, true));
        return;
    };
    // The values of a map are also under patterns and names of keys.
    let keywords: &[&str] = if keyword == "items" { &[] } else { &["patternProperties", "properties"] };
    if let Some(Value::Object(below)) = node.get_mut(keyword) {
        mark::<K>(below, rest);
    }
    for keyword in keywords {
        let values = node.get_mut(*keyword).and_then(Value::as_object_mut).into_iter().flatten();
        values.filter_map(|(_, below)| below.as_object_mut()).for_each(|below| mark::<K>(below, rest));
    }
}

/// Stores the patterns for keys whose type is unknown. Each key must match one of the patterns.
pub(super) fn mark_patterns(node: &mut Node, patterns: &Node) {
    if node.contains_key(KEYS) {
        return;
    }
    let patterns: Vec<&str> = patterns.keys().map(String::as_str).collect();
    let pattern = match patterns.as_slice() {
        [only] => (*only).to_owned(),
        all => all.iter().map(|pattern| format!("(?:{pattern})")).collect::<Vec<_>>().join("|"),
    };
    node.insert(KEYS.to_owned(), json!({"type": "string", "pattern": pattern}));
}

/// Turns the stored constraints on keys into rules for the map. `lower` converts the schema of the keys to a structural schema.
pub(super) fn apply(
    node: &mut Node,
    place: &SchemaLocation,
    lower: impl FnOnce(Value) -> Result<JsonSchemaProps, Error>,
) -> Result<(), Error> {
    let Some(keys) = node.remove(KEYS) else { return Ok(()) };
    // Keys that are an enum have become properties.
    if node.contains_key("properties") {
        return Ok(());
    }
    let keys = lower(keys)?;
    let is_integer = keys.type_.as_deref() == Some("integer");
    let mut rules = match keys.type_.as_deref() {
        Some("integer") => vec![integer_rule(&keys)],
        Some("boolean") => {
            vec![(
                "self.all(key, key in ['true', 'false'])".to_owned(),
                "each key must be true or false".to_owned(),
            )]
        }
        _ => keyword_rules(&keys),
    };
    for rule in keys.x_validations.as_deref().unwrap_or_default() {
        if rule.uses_old_self() {
            return Err(place.error(
                "is a map whose keys have a rule with `oldSelf`: a key has no old value",
                "put the rule on the map, or remove it from the type of the keys",
            ));
        }
        // A variable of a macro hides the one outside it.
        let each = if is_integer {
            format!("self.all(key, [int(key)].all(self, {}))", rule.rule)
        } else {
            format!("self.all(self, {})", rule.rule)
        };
        let message = Some(rule.message.as_str()).filter(|text| !text.is_empty()).unwrap_or(&rule.rule);
        rules.push((each, format!("each key: {message}")));
    }
    if rules.is_empty() {
        return Ok(());
    }
    if !node.get("additionalProperties").is_some_and(|values| values.is_object() && is_readable(values)) {
        return Err(place.error(
            "is a map with values of any type, or with lists or maps of them, and its keys have constraints: no rule can read its keys",
            "give the values a type, or use `String` for the keys",
        ));
    }
    let rules = rules.into_iter().map(|(rule, message)| RuleMark::new(rule).message(message));
    RULES.add(node, &rules.collect::<Vec<_>>());
    Ok(())
}

/// Returns `false` if the values of a map, or the items or values in them, can be anything. The API server rejects rules of such a map
/// (`unable to convert structural schema to CEL declarations`).
fn is_readable(values: &Value) -> bool {
    for keyword in ["items", "additionalProperties"] {
        if values.get(keyword).is_some_and(|below| !is_readable(below)) {
            return false;
        }
    }
    !accepts_all(values)
}

/// Returns the rule for integer keys. Like numbers in `serde_json`, they have no leading `+` or zeros.
fn integer_rule(keys: &JsonSchemaProps) -> (String, String) {
    let (lowest, highest) = if keys.format.as_deref() == Some("int32") {
        (i32::MIN.into(), i32::MAX.into())
    } else {
        (i64::MIN, i64::MAX)
    };
    let bound =
        |bound: &Option<Number>, otherwise| bound.as_ref().and_then(Number::as_i64).unwrap_or(otherwise);
    let (least, most) = (bound(&keys.minimum, lowest), bound(&keys.maximum, highest));
    let digits = least.unsigned_abs().max(most.unsigned_abs()).to_string().len() - 1;
    let sign = if least < 0 { "-?" } else { "" };
    let rule = format!(
        "self.all(key, key.matches('^(0|{sign}[1-9][0-9]{{0,{digits}}})$') && int(key) >= {least} && int(key) <= {most})"
    );
    (rule, format!("each key must be an integer from {least} to {most}"))
}

/// Returns the rules for string keys, with their messages.
fn keyword_rules(keys: &JsonSchemaProps) -> Vec<(String, String)> {
    let each = |rule: String| format!("self.all(key, {rule})");
    let mut rules = Vec::new();
    if let Some(least) = keys.min_length.filter(|least| *least > 0) {
        let message = format!("each key must have at least {least} characters");
        rules.push((each(format!("size(key) >= {least}")), message));
    }
    if let Some(most) = keys.max_length {
        let message = format!("each key must have at most {most} characters");
        rules.push((each(format!("size(key) <= {most}")), message));
    }
    let mut must_match = |schema: &JsonSchemaProps| {
        if let Some(pattern) = schema.pattern.as_deref().filter(|text| !text.is_empty()) {
            let literal = Value::from(pattern);
            rules.push((each(format!("key.matches({literal})")), format!("each key must match {pattern}")));
        }
    };
    must_match(keys);
    keys.all_of.as_deref().unwrap_or_default().iter().for_each(must_match);
    rules
}
