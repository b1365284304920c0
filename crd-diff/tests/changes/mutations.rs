//! Random changes of definitions.

use crd_core::CustomResourceDefinition;
use serde_json::{Value, json};

/// A generator of random numbers, the same in every run: `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % count.max(1) as u64) as usize
    }
}

/// A definition after random changes.
pub(crate) struct Mutated {
    pub(crate) crd: CustomResourceDefinition,
    /// The places of the changes, as the steps to values there: 0 for items, `key` for the values of a map.
    pub(crate) places: Vec<Vec<String>>,
}

/// Returns the definition after one to three random changes of its schemas.
pub(crate) fn mutated(old: &CustomResourceDefinition, random: &mut Random) -> Mutated {
    let mut mutated = Mutated { crd: old.clone(), places: Vec::new() };
    for _ in 0..=random.below(3) {
        if let Some((crd, at)) = changed(&mutated.crd, random) {
            mutated.crd = crd;
            mutated.places.push(steps(&at));
        }
    }
    mutated
}

/// Returns the steps to the values of the schema at a path.
fn steps(at: &str) -> Vec<String> {
    let mut parts = at.split('/').skip_while(|part| *part != "openAPIV3Schema").skip(1);
    let mut out = Vec::new();
    while let Some(part) = parts.next() {
        match part {
            "properties" => out.extend(parts.next().map(|name| name.replace("~1", "/").replace("~0", "~"))),
            "items" => out.push("0".to_owned()),
            _ => out.push("key".to_owned()),
        }
    }
    out
}

/// The paths of all schemas below the spec.
fn schemas(schema: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let name = name.replace('~', "~0").replace('/', "~1");
        schemas(property, &format!("{at}/properties/{name}"), out);
    }
    for below in ["items", "additionalProperties"] {
        if schema[below].is_object() {
            schemas(&schema[below], &format!("{at}/{below}"), out);
        }
    }
}

/// Changes properties, the type, an enum, a list type, the values of a map or a rule. Returns `true` if it did.
fn reshaped(schema: &mut Value, random: &mut Random) -> bool {
    let names: Vec<String> =
        schema["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned()).collect();
    let name = names.get(random.below(names.len())).cloned();
    let wanted = random.below(9);
    match (wanted, schema["type"].as_str(), name) {
        (0, _, Some(name)) => {
            schema["properties"].as_object_mut().unwrap().remove(&name);
            if let Some(required) = schema["required"].as_array_mut() {
                required.retain(|other| *other != name);
            }
        }
        (1, Some("object"), Some(_)) => {
            let new = [
                json!({"type": "string", "default": "a"}),
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
                json!({"x-kubernetes-int-or-string": true}),
            ];
            schema["properties"]["added"] = new[random.below(3)].clone();
            if random.below(2) == 0 {
                schema["required"] = json!(["added"]);
            }
        }
        (2, _, Some(name)) => schema["required"] = json!([name]),
        (3, Some("integer"), _) => schema["type"] = json!("number"),
        (3, Some("number" | "string"), _) => schema["type"] = json!("integer"),
        (3, Some("boolean"), _) => schema["type"] = json!("string"),
        (4, _, _) if schema["enum"].is_array() => {
            schema["enum"].as_array_mut().unwrap().pop();
        }
        (5, Some("array"), _) => schema["x-kubernetes-list-type"] = json!("set"),
        (6, Some("object"), None) if schema["additionalProperties"].is_object() => {
            schema["additionalProperties"] = json!({"type": "integer"});
        }
        (7, Some("object"), Some(name)) => {
            schema["x-kubernetes-validations"] = json!([{"rule": format!("has(self.{name})")}]);
        }
        (8, Some("object"), Some(name)) => {
            schema["anyOf"] = json!([{"required": [name]}, {"minProperties": 2}]);
        }
        _ => return false,
    }
    true
}

/// Returns the paths of all schemas of the spec and the status, in the first version that is served.
fn places(value: &Value) -> Vec<String> {
    let version =
        value["spec"]["versions"].as_array().unwrap().iter().position(|version| version["served"] == true);
    let properties =
        format!("/spec/versions/{}/schema/openAPIV3Schema/properties", version.unwrap_or_default());
    let mut all = Vec::new();
    for name in ["spec", "status"] {
        let root = format!("{properties}/{name}");
        if let Some(schema) = value.pointer(&root) {
            schemas(schema, &root, &mut all);
        }
    }
    all
}

/// Returns the definition after one random change of a schema, with the path of the schema.
fn changed(
    crd: &CustomResourceDefinition,
    random: &mut Random,
) -> Option<(CustomResourceDefinition, String)> {
    let mut value = crd.to_value();
    let mut all = places(&value);
    let at = random.below(all.len());
    let at = (at < all.len()).then(|| all.swap_remove(at))?;
    let schema = value.pointer_mut(&at).unwrap();
    if random.below(3) > 0 || !reshaped(schema, random) {
        restricted(schema, random);
    }
    Some((CustomResourceDefinition::from_value(value).unwrap(), at))
}

/// Removes a keyword, or adds one.
fn restricted(schema: &mut Value, random: &mut Random) {
    let keywords: Vec<String> =
        schema.as_object().unwrap().keys().filter(|name| *name != "type").cloned().collect();
    match random.below(3) {
        0 if !keywords.is_empty() => {
            schema.as_object_mut().unwrap().remove(&keywords[random.below(keywords.len())]);
        }
        _ => {
            let (name, new) = match schema["type"].as_str() {
                Some("string") => [
                    ("maxLength", json!(random.below(6))),
                    ("minLength", json!(random.below(4))),
                    ("enum", json!(["a", "b"])),
                    ("pattern", json!("^[a-c]*$")),
                    ("default", json!("a")),
                    ("format", json!("date")),
                    ("nullable", json!(true)),
                ][random.below(7)]
                .clone(),
                Some("integer" | "number") => [
                    ("maximum", json!(random.below(20))),
                    ("minimum", json!(random.below(9))),
                    ("multipleOf", json!(1 + random.below(4))),
                    ("default", json!(1)),
                    ("x-kubernetes-validations", json!([{"rule": "self > 3"}])),
                ][random.below(5)]
                .clone(),
                Some("array") => [("maxItems", json!(random.below(4))), ("minItems", json!(random.below(3)))]
                    [random.below(2)]
                .clone(),
                Some("object") => [
                    (
                        "required",
                        json!(
                            schema["properties"]
                                .as_object()
                                .and_then(|all| all.keys().next())
                                .into_iter()
                                .collect::<Vec<_>>()
                        ),
                    ),
                    ("x-kubernetes-preserve-unknown-fields", json!(true)),
                    ("maxProperties", json!(random.below(3))),
                    ("minProperties", json!(random.below(3))),
                ][random.below(4)]
                .clone(),
                _ => ("nullable", json!(true)),
            };
            schema[name] = new;
        }
    }
}
