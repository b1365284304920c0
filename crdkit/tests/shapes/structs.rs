//! Structs: absence, null, defaults, flattened fields, and what `#[crd(...)]` adds.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, Reason};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::becomes;

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct Absent {
    required: String,
    nullable: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(nullable = true)]
    both: Option<String>,
    #[crd(nullable = false)]
    never: Option<i32>,
    #[serde(default)]
    defaulted: bool,
    #[serde(default = "Absent::five")]
    five: i64,
    #[serde(skip)]
    _skipped: u8,
}

impl Absent {
    fn five() -> i64 {
        5
    }
}

#[test]
fn absence_and_null() {
    becomes::<Absent>(json!({
        "type": "object",
        "required": ["required"],
        "properties": {
            "required": {"type": "string"},
            "nullable": {"type": "string", "nullable": true},
            "skipped": {"type": "string"},
            "both": {"type": "string", "nullable": true},
            "never": {"type": "integer", "format": "int32"},
            "defaulted": {"type": "boolean", "default": false},
            "five": {"type": "integer", "format": "int64", "default": 5},
        },
    }));
}

/// A struct whose default gives its fields theirs.
#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Defaults {
    /// How many.
    how_many: u8,
    names: Vec<String>,
    nothing: Option<String>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { how_many: 3, names: vec!["a".into()], nothing: None }
    }
}

#[test]
fn defaults_of_a_struct() {
    becomes::<Defaults>(json!({
        "type": "object",
        "description": "A struct whose default gives its fields theirs.",
        "properties": {
            "howMany": {
                "type": "integer", "description": "How many.", "format": "int32", "default": 3, "minimum": 0, "maximum": 255,
            },
            "names": {"type": "array", "default": ["a"], "items": {"type": "string"}},
            "nothing": {"type": "string", "nullable": true},
        },
    }));
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Flat {
    own: bool,
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Inner {
    #[crd(validation = ("self > 0", "must be positive"))]
    z: i32,
    a: String,
}

#[test]
fn flattened_structs_and_maps_of_values() {
    becomes::<Flat>(json!({
        "type": "object",
        "required": ["own", "z", "a"],
        "properties": {
            "own": {"type": "boolean"},
            "z": {
                "type": "integer",
                "format": "int32",
                "x-kubernetes-validations": [{"rule": "self > 0", "message": "must be positive"}],
            },
            "a": {"type": "string"},
        },
        "x-kubernetes-preserve-unknown-fields": true,
    }));
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.min <= self.max", at_most_one_of = ["one", "other-one"])]
struct Said {
    min: i32,
    #[crd(validation(rule = "self != 13", message = "unlucky", reason = "FieldValueForbidden"))]
    max: i32,
    #[crd(list_type = "map", list_map_keys = ["name"])]
    ports: Vec<Port>,
    #[crd(merge_strategy = ListMerge::Set)]
    tags: Vec<String>,
    #[crd(map_type = "atomic")]
    labels: BTreeMap<String, String>,
    #[crd(int_or_string)]
    port: String,
    #[crd(preserve_unknown_fields)]
    open: Inner2,
    #[crd(embedded_resource)]
    template: Value,
    #[crd(schemaless)]
    anything: Inner2,
    #[crd(immutable)]
    fixed: String,
    #[crd(immutable)]
    #[serde(skip_serializing_if = "Option::is_none")]
    once: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", rename = "other-one")]
    other: Option<bool>,
    #[crd(validation = Rule::new("self != ''").message_expression("'empty'").reason(REASON))]
    #[schemars(length(min = 1, max = 5), regex(pattern = "^[a-z]+$"))]
    text: String,
    #[schemars(range(min = 1, max = 300))]
    small: u8,
}

const REASON: Reason = Reason::FieldValueRequired;

#[derive(CrdSchema, Serialize, Deserialize)]
struct Inner2 {
    a: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Port {
    name: String,
    number: u16,
}

#[test]
fn attributes_become_keywords() {
    becomes::<Said>(json!({
        "type": "object",
        "required": [
            "min", "max", "ports", "tags", "labels", "port", "open", "template", "anything", "fixed", "text", "small",
        ],
        "properties": properties(),
        "x-kubernetes-validations": [
            {"rule": "self.min <= self.max"},
            {
                "rule": "(has(self.one) ? 1 : 0) + (has(self.other__dash__one) ? 1 : 0) <= 1",
                "message": "at most one of one and other-one must be set",
            },
            {
                "rule": "!has(oldSelf.once) || has(self.once)",
                "message": "once must not be removed once it is set",
            },
        ],
    }));
}

/// Returns the properties of [`Said`].
fn properties() -> Value {
    let port = json!({
        "type": "object",
        "required": ["name", "number"],
        "properties": {
            "name": {"type": "string"},
            "number": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 65535},
        },
    });
    let inner = json!({
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string"}},
        "x-kubernetes-preserve-unknown-fields": true,
    });
    json!({
        "min": {"type": "integer", "format": "int32"},
        "max": {
            "type": "integer",
            "format": "int32",
            "x-kubernetes-validations": [
                {"rule": "self != 13", "message": "unlucky", "reason": "FieldValueForbidden"},
            ],
        },
        "ports": {
            "type": "array",
            "items": port,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        },
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
        "port": {"x-kubernetes-int-or-string": true},
        "open": inner,
        "template": {
            "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
        },
        "anything": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "fixed": {
            "type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "is immutable"}],
        },
        "once": {
            "type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "is immutable"}],
        },
        "one": {"type": "boolean"},
        "other-one": {"type": "boolean"},
        "text": {
            "type": "string",
            "maxLength": 5,
            "minLength": 1,
            "pattern": "^[a-z]+$",
            "x-kubernetes-validations": [{
                "rule": "self != ''", "messageExpression": "'empty'", "reason": "FieldValueRequired",
            }],
        },
        "small": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 255},
    })
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self != 22")]
struct PortNumber(#[schemars(range(min = 1))] u16);

#[derive(CrdSchema, Serialize, Deserialize)]
struct Generic<T> {
    #[crd(validation = "self != 80")]
    value: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    maybe: Option<T>,
}

#[test]
fn newtypes_and_generics_keep_every_rule() {
    let port = json!({
        "type": "integer",
        "format": "int32",
        "minimum": 1,
        "maximum": 65535,
        "x-kubernetes-validations": [{"rule": "self != 22"}],
    });
    let mut both = port.clone();
    both["x-kubernetes-validations"] = json!([{"rule": "self != 22"}, {"rule": "self != 80"}]);
    becomes::<Generic<PortNumber>>(json!({
        "type": "object", "required": ["value"], "properties": {"value": both, "maybe": port},
    }));
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Tree {
    value: i64,
    #[crd(schemaless)]
    children: Vec<Self>,
}

#[test]
fn recursive_types_are_cut_where_they_are_marked() {
    becomes::<Tree>(json!({
        "type": "object",
        "required": ["value", "children"],
        "properties": {
            "value": {"type": "integer", "format": "int64"},
            "children": {
                "type": "array",
                "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            },
        },
    }));
}

/// The schemas of k8s-openapi's `IntOrString` and `RawExtension`.
struct IntOrString;
struct RawExtension;

impl schemars::JsonSchema for IntOrString {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "IntOrString".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"x-kubernetes-int-or-string": true})
    }
}

impl schemars::JsonSchema for RawExtension {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RawExtension".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "object", "description": "Anything."})
    }
}

#[derive(CrdSchema)]
#[expect(dead_code, reason = "only its schema is of use")]
struct Foreign {
    port: IntOrString,
    maybe: Option<IntOrString>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<IntOrString>,
    raw: RawExtension,
    empty: Empty,
}

#[derive(CrdSchema)]
struct Empty {}

#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is of use")]
struct Plain {
    port: IntOrString,
    maybe: Option<IntOrString>,
}

#[test]
fn foreign_types_keep_their_content_and_their_null() {
    becomes::<Foreign>(json!({
        "type": "object",
        "required": ["port", "raw", "empty"],
        "properties": {
            "port": {"x-kubernetes-int-or-string": true},
            "maybe": {"nullable": true, "x-kubernetes-int-or-string": true},
            "skipped": {"x-kubernetes-int-or-string": true},
            "raw": {"description": "Anything.", "type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "empty": {"type": "object"},
        },
    }));
    becomes::<Plain>(json!({
        "type": "object",
        "required": ["port"],
        "properties": {
            "port": {"x-kubernetes-int-or-string": true},
            "maybe": {"nullable": true, "x-kubernetes-int-or-string": true},
        },
    }));
}
