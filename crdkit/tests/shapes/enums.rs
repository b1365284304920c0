//! Enums of every tagging.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::becomes;

#[derive(CrdSchema, Serialize, Deserialize)]
enum Unit {
    B,
    /// The first letter.
    A,
    #[serde(rename = "c")]
    C,
    #[serde(skip)]
    _Skipped,
}

#[test]
fn unit_variants_keep_order_and_docs() {
    becomes::<Unit>(
        json!({"type": "string", "description": "- `A`: The first letter.", "enum": ["B", "A", "c"]}),
    );
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Plain {
    On,
    Off,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Optional {
    written: Option<Plain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<Plain>,
    list: Vec<Option<Plain>>,
    map: BTreeMap<String, Option<Plain>>,
}

#[test]
fn optional_enums_take_what_serde_writes() {
    // The API server matches no null with an `enum`, whatever `nullable` says.
    let nullable = json!({"type": "string", "nullable": true, "pattern": "^(?:On|Off)$"});
    becomes::<Optional>(json!({
        "type": "object",
        "required": ["list", "map"],
        "properties": {
            "written": nullable,
            "skipped": {"type": "string", "enum": ["On", "Off"]},
            "list": {"type": "array", "items": nullable},
            "map": {"type": "object", "additionalProperties": nullable},
        },
    }));
}

// ANCHOR: external
#[derive(CrdSchema, Serialize, Deserialize)]
enum External {
    /// By name.
    Named(String),
    Sized {
        size: u8,
    },
}
// ANCHOR_END: external

#[test]
fn external_variants_are_fields_of_which_one_is_set() {
    becomes::<External>(json!({
        "type": "object",
        "properties": {
            "Named": {"type": "string", "description": "By name."},
            "Sized": {
                "type": "object",
                "required": ["size"],
                "properties": {"size": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 255}},
            },
        },
        "oneOf": [{"required": ["Named"]}, {"required": ["Sized"]}],
    }));
}

// ANCHOR: internal
#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Internal {
    /// Nothing to say.
    Empty,
    Http {
        url: String,
        retries: u8,
    },
    Exec {
        command: Vec<String>,
        retries: u16,
    },
}
// ANCHOR_END: internal

#[test]
fn internal_tags_choose_among_the_fields() {
    becomes::<Internal>(json!({
        "type": "object",
        "description": "- `empty`: Nothing to say.",
        "required": ["type"],
        "properties": {
            "type": {"type": "string", "enum": ["empty", "http", "exec"]},
            "url": {"type": "string"},
            "retries": {"type": "integer", "format": "int32", "minimum": 0},
            "command": {"type": "array", "items": {"type": "string"}},
        },
        "oneOf": [
            {"properties": {"type": {"enum": ["empty"]}}},
            {
                "required": ["url", "retries"],
                "properties": {"type": {"enum": ["http"]}, "retries": {"maximum": 255}},
            },
            {
                "required": ["command", "retries"],
                "properties": {"type": {"enum": ["exec"]}, "retries": {"maximum": 65535}},
            },
        ],
    }));
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value")]
enum Adjacent {
    Number(i32),
    Text(String),
    Nothing,
}

#[test]
fn adjacent_contents_share_a_field() {
    becomes::<Adjacent>(json!({
        "type": "object",
        "required": ["kind"],
        "properties": {
            "kind": {"type": "string", "enum": ["Number", "Text", "Nothing"]},
            "value": {"x-kubernetes-int-or-string": true},
        },
        "oneOf": [
            {
                "required": ["value"],
                "properties": {
                    "kind": {"enum": ["Number"]},
                    // No string has such a length, and no number is within such bounds.
                    "value": {"minimum": i32::MIN, "maximum": i32::MAX, "minLength": 1, "maxLength": 0},
                },
            },
            {
                "required": ["value"],
                "properties": {"kind": {"enum": ["Text"]}, "value": {"minimum": 1, "maximum": 0}},
            },
            {"properties": {"kind": {"enum": ["Nothing"]}}, "not": {"required": ["value"]}},
        ],
    }));
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    A { a: String },
    B { b: String },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Scalars {
    Number(i64),
    Text(String),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum SameField {
    /// One.
    One {
        /// As a text.
        value: String,
        a: bool,
    },
    Two {
        /// As a short text.
        #[schemars(length(max = 3))]
        value: String,
        b: bool,
    },
}

#[test]
fn untagged_variants_share_a_shape() {
    becomes::<Untagged>(json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }));
    becomes::<Scalars>(json!({"x-kubernetes-int-or-string": true}));
    becomes::<SameField>(json!({
        "type": "object",
        "required": ["value"],
        "properties": {"value": {"type": "string"}, "a": {"type": "boolean"}, "b": {"type": "boolean"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"value": {"maxLength": 3}}}],
    }));
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Flattened {
    name: String,
    #[serde(flatten)]
    source: External,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct TwoFlattened {
    #[serde(flatten)]
    source: External,
    #[serde(flatten)]
    target: Target,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Target {
    Stdout,
    File { path: String },
}

#[test]
fn flattened_enums_become_fields() {
    let named = json!({"type": "string", "description": "By name."});
    let sized = json!({
        "type": "object",
        "required": ["size"],
        "properties": {"size": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 255}},
    });
    becomes::<Flattened>(json!({
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "Named": named, "Sized": sized},
        "oneOf": [{"required": ["Named"]}, {"required": ["Sized"]}],
    }));
    becomes::<TwoFlattened>(json!({
        "type": "object",
        "properties": {
            "Named": named,
            "Sized": sized,
            "Stdout": {"type": "object", "nullable": true, "maxProperties": 0},
            "File": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}},
        },
        "allOf": [
            {"oneOf": [{"required": ["Named"]}, {"required": ["Sized"]}]},
            {"oneOf": [{"required": ["Stdout"]}, {"required": ["File"]}]},
        ],
    }));
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Named {
    name: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.size > 0")]
struct Sized {
    size: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Source {
    Named(Named),
    Sized(Sized),
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct MaybeSource {
    own: bool,
    #[serde(flatten)]
    source: Option<Source>,
}

#[test]
fn rules_of_a_variant_count_where_the_tag_names_it() {
    let fields = json!({
        "type": {"type": "string", "enum": ["Named", "Sized"]},
        "name": {"type": "string"},
        "size": {"type": "integer", "format": "int32"},
    });
    let rules = json!([{"rule": "!has(self.type) || self.type != \"Sized\" || (self.size > 0)"}]);
    becomes::<Source>(json!({
        "type": "object",
        "required": ["type"],
        "properties": fields,
        "oneOf": [
            {"required": ["name"], "properties": {"type": {"enum": ["Named"]}}},
            {"required": ["size"], "properties": {"type": {"enum": ["Sized"]}}},
        ],
        "x-kubernetes-validations": rules,
    }));
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Plainly {
    Named(Named),
    Nothing,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct MaybePlainly {
    own: bool,
    #[serde(flatten)]
    source: Option<Plainly>,
}

#[test]
fn flattened_options_of_enums_keep_their_fields() {
    becomes::<MaybePlainly>(json!({
        "type": "object",
        "required": ["own"],
        "properties": {
            "own": {"type": "boolean"},
            "type": {"type": "string", "enum": ["Named", "Nothing"]},
            "name": {"type": "string"},
        },
        // Half a variant would be read as `None`, and lost.
        "anyOf": [
            {
                "required": ["type"],
                "oneOf": [
                    {"required": ["name"], "properties": {"type": {"enum": ["Named"]}}},
                    {"properties": {"type": {"enum": ["Nothing"]}}},
                ],
            },
            {"not": {"anyOf": [{"required": ["name"]}, {"required": ["type"]}]}},
        ],
    }));
    // A rule of the variant has to hold where its tag stands, and a tag may be absent.
    assert!(crate::schema_of::<MaybeSource>().is_ok());
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind", content = "content")]
enum Contents {
    A { x: i32 },
    B { y: String },
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Single {
    Only { a: bool },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Numbers {
    Whole(i64),
    Broken(f64),
}

#[test]
fn other_variants() {
    becomes::<Contents>(json!({
        "type": "object",
        "required": ["kind", "content"],
        "properties": {
            "kind": {"type": "string", "enum": ["A", "B"]},
            "content": {
                "type": "object",
                "properties": {"x": {"type": "integer", "format": "int32"}, "y": {"type": "string"}},
            },
        },
        "oneOf": [
            {"properties": {"kind": {"enum": ["A"]}, "content": {"required": ["x"]}}},
            {"properties": {"kind": {"enum": ["B"]}, "content": {"required": ["y"]}}},
        ],
    }));
    becomes::<Single>(json!({
        "type": "object",
        "required": ["Only"],
        "properties": {"Only": {"type": "object", "required": ["a"], "properties": {"a": {"type": "boolean"}}}},
    }));
    becomes::<Numbers>(json!({"type": "number"}));
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Choice {
    One { a: bool },
    Two { b: bool },
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Pair {
    a: bool,
    c: bool,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Shared {
    Single { value: Single },
    Choice { value: Choice },
    Pair { value: Pair },
    Choices { values: Vec<Single> },
    Pairs { values: Vec<Pair> },
}

#[test]
fn an_externally_tagged_variant_excludes_the_fields_of_others_at_its_path() {
    // serde reads an externally tagged variant only from an object with a single key. The API server keeps the fields of all variants.
    let schema = crate::schema_of::<Shared>().unwrap();
    assert_eq!(
        schema["oneOf"],
        json!([
            {
                "required": ["value"],
                "properties": {
                    "kind": {"enum": ["Single"]},
                    "value": {
                        "required": ["Only"],
                        "not": {"anyOf": [
                            {"required": ["One"]}, {"required": ["Two"]}, {"required": ["a"]}, {"required": ["c"]},
                        ]},
                    },
                },
            },
            {
                "required": ["value"],
                "properties": {
                    "kind": {"enum": ["Choice"]},
                    "value": {
                        "oneOf": [{"required": ["One"]}, {"required": ["Two"]}],
                        "not": {"anyOf": [{"required": ["Only"]}, {"required": ["a"]}, {"required": ["c"]}]},
                    },
                },
            },
            {
                "required": ["value"],
                "properties": {"kind": {"enum": ["Pair"]}, "value": {"required": ["a", "c"]}},
            },
            {
                "required": ["values"],
                "properties": {
                    "kind": {"enum": ["Choices"]},
                    "values": {"items": {
                        "required": ["Only"],
                        "not": {"anyOf": [{"required": ["a"]}, {"required": ["c"]}]},
                    }},
                },
            },
            {
                "required": ["values"],
                "properties": {"kind": {"enum": ["Pairs"]}, "values": {"items": {"required": ["a", "c"]}}},
            },
        ]),
        "\n{}\n",
        schema["oneOf"]
    );
}
