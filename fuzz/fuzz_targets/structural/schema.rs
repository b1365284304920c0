//! Structural schemas from bytes. The API server accepts most of them.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

use super::object::fitting;
use super::rules::rules;

/// Names of properties: plain ones, and those that need escaping.
const NAMES: [&str; 8] = ["a", "b", "c", "d-e", "f.g", "self", "x/y", "é"];

const FORMATS: [&str; 30] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "date-time",
    "datetime",
    "k8s-short-name",
    "k8s-long-name",
    "int-or-string",
    "binary",
    "unheard-of",
];

const PATTERNS: [&str; 8] =
    ["^[a-z]+$", "a", "", r"^\d{1,3}(\.\d{1,3}){3}$", "^(?:a|b)*$", r"\bx\b", "(?i)^K8S", r"^[^/]*\z"];

/// The greatest depth of schemas.
const DEEPEST: usize = 4;
/// The greatest number of nodes.
const MOST: usize = 40;

#[derive(Default)]
pub struct Maker {
    nodes: usize,
}

impl Maker {
    /// Returns the schema of a version.
    pub fn root(&mut self, u: &mut Unstructured<'_>) -> Result<Value> {
        self.nodes = 0;
        let mut properties = Map::new();
        for name in ["spec", "status"] {
            let node = if chance(u, 5, 6)? { self.object(u, 1)? } else { self.node(u, 1)? };
            properties.insert(name.to_owned(), node);
        }
        if chance(u, 1, 8)? {
            properties.insert("data".to_owned(), self.node(u, 1)?);
        }
        if chance(u, 1, 8)? {
            let name = json!({"type": "string", "maxLength": 20, "pattern": "^[a-z]"});
            properties.insert("metadata".to_owned(), json!({"type": "object", "properties": {"name": name}}));
        }
        let mut root = json!({"type": "object", "properties": properties});
        if chance(u, 1, 8)? {
            root["x-kubernetes-preserve-unknown-fields"] = json!(true);
        }
        if chance(u, 1, 4)? {
            root["required"] = json!(["spec"]);
        }
        rules(u, &mut root)?;
        Ok(root)
    }

    fn node(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
        self.nodes += 1;
        let is_leaf = depth >= DEEPEST || self.nodes >= MOST;
        let mut node = match u.int_in_range(0..=if is_leaf { 5 } else { 10 })? {
            0 => string(u)?,
            1 => number(u, "integer")?,
            2 => number(u, "number")?,
            3 => boolean(u)?,
            4 => int_or_string(u)?,
            5 => open(u)?,
            6 | 7 => self.list(u, depth)?,
            8 => self.map(u, depth)?,
            _ => return self.object(u, depth),
        };
        finish(u, &mut node)?;
        Ok(node)
    }

    fn object(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
        let mut properties = Map::new();
        for _ in 0..u.int_in_range(1..=4)? {
            properties.insert((*pick(u, &NAMES)?).to_owned(), self.node(u, depth + 1)?);
        }
        let names: Vec<String> = properties.keys().cloned().collect();
        let mut node = json!({"type": "object", "properties": properties});
        let required: Vec<_> = some(u, &names)?;
        set(u, &mut node, (1, 3), "required", |_| Ok(json!(required)))?;
        set(u, &mut node, (1, 8), "minProperties", |u| Ok(json!(u.int_in_range(0..=2)?)))?;
        set(u, &mut node, (1, 8), "maxProperties", |u| Ok(json!(u.int_in_range(0..=4)?)))?;
        set(u, &mut node, (1, 10), "x-kubernetes-preserve-unknown-fields", |_| Ok(json!(true)))?;
        set(u, &mut node, (1, 10), "x-kubernetes-map-type", |u| {
            Ok(json!(pick(u, &["atomic", "granular"])?))
        })?;
        if chance(u, 1, 12)? {
            node["x-kubernetes-embedded-resource"] = json!(true);
            node["x-kubernetes-preserve-unknown-fields"] = json!(true);
        }
        junctors(u, &mut node)?;
        finish(u, &mut node)?;
        Ok(node)
    }

    fn map(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
        let values = if chance(u, 7, 8)? { self.node(u, depth + 1)? } else { json!(true) };
        let mut node = json!({"type": "object", "additionalProperties": values});
        set(u, &mut node, (1, 6), "minProperties", |u| Ok(json!(u.int_in_range(0..=2)?)))?;
        set(u, &mut node, (3, 4), "maxProperties", |u| Ok(json!(u.int_in_range(0..=5)?)))?;
        Ok(node)
    }

    fn list(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
        let kind = *pick(u, &["none", "atomic", "set", "map"])?;
        let items = if kind == "map" { self.keyed(u, depth + 1)? } else { self.node(u, depth + 1)? };
        let mut node = json!({"type": "array"});
        if kind != "none" {
            node["x-kubernetes-list-type"] = json!(kind);
        }
        if kind == "map" {
            let mut keys = vec!["k"];
            if items["properties"].get("l").is_some() {
                keys.push("l");
            }
            node["x-kubernetes-list-map-keys"] = json!(keys);
        }
        node["items"] = items;
        set(u, &mut node, (1, 6), "minItems", |u| Ok(json!(u.int_in_range(0..=2)?)))?;
        set(u, &mut node, (3, 4), "maxItems", |u| Ok(json!(u.int_in_range(0..=5)?)))?;
        set(u, &mut node, (1, 8), "x-kubernetes-preserve-unknown-fields", |_| Ok(json!(true)))?;
        set(u, &mut node, (1, 24), "format", |u| Ok(json!(pick(u, &FORMATS)?)))?;
        Ok(node)
    }

    /// Returns an item of a list map: its keys are required or have defaults.
    fn keyed(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
        let mut item = self.object(u, depth)?;
        let mut required: Vec<Value> = item["required"].as_array().cloned().unwrap_or_default();
        for (name, is_there) in [("k", true), ("l", u.arbitrary()?)] {
            if is_there {
                let key = *pick(u, &["string", "integer", "number", "boolean"])?;
                item["properties"][name] = json!({"type": key});
                if u.arbitrary()? {
                    let default = fitting(u, &item["properties"][name])?;
                    item["properties"][name]["default"] = default;
                } else {
                    required.push(json!(name));
                }
            }
        }
        if !required.is_empty() {
            item["required"] = json!(required);
        }
        Ok(item)
    }
}

fn string(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut node = json!({"type": "string"});
    set(u, &mut node, (1, 4), "minLength", |u| Ok(json!(u.int_in_range(0..=3)?)))?;
    set(u, &mut node, (3, 4), "maxLength", |u| Ok(json!(u.int_in_range(0..=30)?)))?;
    set(u, &mut node, (1, 5), "pattern", |u| Ok(json!(pick(u, &PATTERNS)?)))?;
    set(u, &mut node, (1, 4), "format", |u| Ok(json!(pick(u, &FORMATS)?)))?;
    set(u, &mut node, (1, 8), "enum", |_| Ok(json!(["a", "bb", ""])))?;
    Ok(node)
}

fn number(u: &mut Unstructured<'_>, name: &str) -> Result<Value> {
    let mut node = json!({"type": name});
    let formats = [
        "int32",
        "int64",
        "float",
        "double",
        "unheard-of",
        "int8",
        "int16",
        "uint",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    ];
    set(u, &mut node, (1, 3), "format", |u| Ok(json!(pick(u, &formats)?)))?;
    let values = if name == "integer" { json!([-1, 1, 2.0, 7]) } else { json!([0.5, 2.25, -1.5]) };
    set(u, &mut node, (1, 12), "enum", |u| {
        Ok(if u.arbitrary()? || name == "integer" { values } else { json!([0.5, 1, 4.0]) })
    })?;
    set(u, &mut node, (1, 4), "minimum", |u| Ok(json!(u.int_in_range(-3..=3)?)))?;
    set(u, &mut node, (1, 4), "maximum", |u| Ok(json!(pick(u, &[3, 4, 5, 9, 127, 255, 65535])?)))?;
    // Whole ones: a whole number that was written as a float is stored as an integer, of which no fraction is a factor.
    set(u, &mut node, (1, 8), "multipleOf", |u| Ok(json!(u.int_in_range(1..=3)?)))?;
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        if node.get(bound).is_some() {
            set(u, &mut node, (1, 3), exclusive, |u| Ok(json!(u.arbitrary::<bool>()?)))?;
        }
    }
    Ok(node)
}

fn boolean(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut node = json!({"type": "boolean"});
    set(u, &mut node, (1, 12), "enum", |_| Ok(json!([true])))?;
    set(u, &mut node, (1, 24), "format", |u| Ok(json!(pick(u, &FORMATS)?)))?;
    Ok(node)
}

fn int_or_string(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut node = json!({"x-kubernetes-int-or-string": true});
    set(u, &mut node, (1, 3), "anyOf", |_| Ok(json!([{"type": "integer"}, {"type": "string"}])))?;
    set(u, &mut node, (1, 3), "pattern", |_| Ok(json!("^[0-9]+%?$")))?;
    set(u, &mut node, (1, 3), "maximum", |_| Ok(json!(100)))?;
    Ok(node)
}

/// Returns a node without properties. Most of them preserve unknown fields.
fn open(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut node = json!({"x-kubernetes-preserve-unknown-fields": true});
    match u.int_in_range(0..=5)? {
        0 => {}
        // Any value may stand here, whatever properties an object has.
        1 => node["properties"] = json!({"a": {"type": "integer"}, "b": string(u)?}),
        // Everything in it is pruned, unless an array around it preserves it.
        2 => return Ok(json!({"type": "object"})),
        _ => {
            node["type"] = json!("object");
            set(u, &mut node, (1, 4), "x-kubernetes-embedded-resource", |_| Ok(json!(true)))?;
        }
    }
    Ok(node)
}

/// Adds junctors to an object, which restrict its properties.
fn junctors(u: &mut Unstructured<'_>, node: &mut Value) -> Result<()> {
    if !chance(u, 1, 4)? {
        return Ok(());
    }
    let properties = node["properties"].as_object().cloned().unwrap_or_default();
    let names: Vec<&String> = properties.keys().collect();
    let branch = |u: &mut Unstructured<'_>| {
        let name = pick(u, &names)?.as_str();
        let about = match properties[name]["type"].as_str() {
            Some("string") => json!({"minLength": 1}),
            Some("integer" | "number") => json!({"maximum": 4}),
            Some("array") => json!({"maxItems": 2}),
            Some("object") => json!({"maxProperties": 2}),
            _ => json!({"enum": [true, "a", 1]}),
        };
        Ok(match u.int_in_range(0..=3)? {
            0 => json!({"properties": {name: about}}),
            1 => json!({"required": [name], "properties": {name: about}}),
            2 => json!({"not": {"required": [name]}}),
            _ => json!({"required": [name]}),
        })
    };
    match *pick(u, &["allOf", "anyOf", "oneOf", "not"])? {
        "not" => node["not"] = branch(u)?,
        junctor => {
            let branches: Vec<Value> =
                (0..u.int_in_range(1..=3)?).map(|_| branch(u)).collect::<Result<_>>()?;
            node[junctor] = json!(branches);
        }
    }
    Ok(())
}

/// Adds keywords that every node can have: `nullable`, rules, a default that fits.
fn finish(u: &mut Unstructured<'_>, node: &mut Value) -> Result<()> {
    set(u, node, (1, 8), "nullable", |_| Ok(json!(true)))?;
    rules(u, node)?;
    if chance(u, 1, 5)? {
        node["default"] = fitting(u, node)?;
    }
    Ok(())
}

/// Sets a keyword with the given probability.
fn set(
    u: &mut Unstructured<'_>,
    node: &mut Value,
    (numerator, denominator): (u8, u8),
    keyword: &str,
    value: impl FnOnce(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<()> {
    if chance(u, numerator, denominator)? {
        node[keyword] = value(u)?;
    }
    Ok(())
}

/// Returns one of the choices; the first one if no bytes are left.
pub fn pick<'t, T>(u: &mut Unstructured<'_>, all: &'t [T]) -> Result<&'t T> {
    u.choose(all)
}

/// Returns `true` with the given probability, and `false` if no bytes are left, so that few bytes give small values.
pub fn chance(u: &mut Unstructured<'_>, numerator: u8, denominator: u8) -> Result<bool> {
    Ok(!u.is_empty() && u.ratio(numerator, denominator)?)
}

fn some(u: &mut Unstructured<'_>, all: &[String]) -> Result<Vec<String>> {
    let mut chosen = Vec::new();
    for name in all {
        if u.arbitrary()? {
            chosen.push(name.clone());
        }
    }
    Ok(chosen)
}
