//! Scalars, lists and maps of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::becomes;

#[test]
fn integers_have_known_formats_and_their_bounds() {
    becomes::<i8>(json!({"type": "integer", "format": "int32", "maximum": 127, "minimum": -128}));
    becomes::<i16>(json!({"type": "integer", "format": "int32", "maximum": 32767, "minimum": -32768}));
    becomes::<i32>(json!({"type": "integer", "format": "int32"}));
    becomes::<i64>(json!({"type": "integer", "format": "int64"}));
    becomes::<u8>(json!({"type": "integer", "format": "int32", "maximum": 255, "minimum": 0}));
    becomes::<u16>(json!({"type": "integer", "format": "int32", "maximum": 65535, "minimum": 0}));
    becomes::<u32>(json!({"type": "integer", "format": "int64", "maximum": 4_294_967_295_u32, "minimum": 0}));
    becomes::<u64>(json!({"type": "integer", "format": "int64", "minimum": 0}));
    becomes::<usize>(json!({"type": "integer", "format": "int64", "minimum": 0}));
    becomes::<u128>(json!({"type": "integer", "format": "int64", "minimum": 0}));
    becomes::<isize>(json!({"type": "integer", "format": "int64"}));
    becomes::<i128>(json!({"type": "integer", "format": "int64"}));
    becomes::<NonZeroU32>(
        json!({"type": "integer", "format": "int64", "maximum": 4_294_967_295_u32, "minimum": 1}),
    );
}

#[test]
fn other_scalars() {
    becomes::<bool>(json!({"type": "boolean"}));
    becomes::<f32>(json!({"type": "number", "format": "float"}));
    becomes::<f64>(json!({"type": "number", "format": "double"}));
    becomes::<String>(json!({"type": "string"}));
    becomes::<char>(json!({"type": "string", "maxLength": 1, "minLength": 1}));
    becomes::<PathBuf>(json!({"type": "string"}));
    becomes::<Box<str>>(json!({"type": "string"}));
    becomes::<Ipv4Addr>(json!({"type": "string", "format": "ipv4"}));
    // `ip` is not a format of the API server.
    becomes::<IpAddr>(json!({"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}));
}

#[test]
fn lists_and_sets() {
    let strings = json!({"type": "array", "items": {"type": "string"}});
    becomes::<Vec<String>>(strings.clone());
    becomes::<VecDeque<String>>(strings);
    let set = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"});
    becomes::<HashSet<String>>(set.clone());
    becomes::<BTreeSet<String>>(set);
    // A set of what the API server cannot compare stays a list.
    becomes::<BTreeSet<Vec<String>>>(
        json!({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
    );
    becomes::<[bool; 2]>(
        json!({"type": "array", "maxItems": 2, "minItems": 2, "items": {"type": "boolean"}}),
    );
    becomes::<(i32, i32)>(
        json!({"type": "array", "maxItems": 2, "minItems": 2, "items": {"type": "integer", "format": "int32"}}),
    );
}

#[test]
fn maps() {
    let strings = json!({"type": "object", "additionalProperties": {"type": "string"}});
    becomes::<BTreeMap<String, String>>(strings.clone());
    becomes::<HashMap<char, String>>(strings);
    // Behind a field of its own, the range of the type counts too.
    let by_pattern = |rule: &str, message: &str| {
        json!({
            "type": "object",
            "additionalProperties": {"type": "string"},
            "x-kubernetes-validations": [{"rule": rule, "message": message}],
        })
    };
    becomes::<BTreeMap<u32, String>>(by_pattern(
        r#"self.all(key, key.matches("^\\d+$"))"#,
        r"each key must match ^\d+$",
    ));
    becomes::<BTreeMap<i64, String>>(by_pattern(
        r#"self.all(key, key.matches("^-?\\d+$"))"#,
        r"each key must match ^-?\d+$",
    ));
}

#[test]
fn values_keep_their_content() {
    let any = json!({"nullable": true, "x-kubernetes-preserve-unknown-fields": true});
    becomes::<Value>(any.clone());
    becomes::<Option<Value>>(any.clone());
    becomes::<Vec<Value>>(json!({"type": "array", "items": any}));
    let object = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    becomes::<BTreeMap<String, Value>>(object.clone());
    becomes::<serde_json::Map<String, Value>>(object.clone());
    becomes::<Vec<BTreeMap<String, Value>>>(json!({"type": "array", "items": object.clone()}));
    becomes::<BTreeMap<String, BTreeMap<String, Value>>>(
        json!({"type": "object", "additionalProperties": object}),
    );
}
