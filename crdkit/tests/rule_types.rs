//! Rules that the API server accepts compile: a macro refuses nothing because it does not see a type.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crdkit::{CrdSchema, CustomResource};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

fn day(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "format": "date"})
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Typed", status = "Status")]
#[crd(
    validation = "self.metadata.name.size() > 1 && self.kind == 'Typed' && self.spec.when > timestamp('2020-01-01T00:00:00Z')"
)]
struct TypedSpec {
    #[schemars(schema_with = "day")]
    #[crd(validation = "self > timestamp('2020-01-01T00:00:00Z')")]
    when: String,
    #[crd(format = "duration", validation = "self < duration('1h')")]
    timeout: String,
    #[schemars(extend("format" = "byte"))]
    #[crd(validation = "self == b'a'")]
    bytes: String,
    #[crd(int_or_string, validation = "self == 1 || self == '1'")]
    either: String,
    #[schemars(length(max = 3))]
    #[crd(validation = "self.all(x, x.a == 1) && [self[0].a, 1].size() == 2")]
    parts: Vec<Part>,
    #[crd(schema_patch = r#"{"type": "integer"}"#, validation = "self > 1")]
    patched: String,
    #[schemars(length(max = 3), inner(length(max = 3)))]
    #[crd(validation = "self.all(x, x != '') && 'a' in self")]
    names: BTreeSet<String>,
    #[schemars(extend("maxProperties" = 3))]
    #[crd(validation = "self.all(key, self[key] > 1) && self.x > 2")]
    counts: BTreeMap<String, i32>,
    #[schemars(with = "i32")]
    #[crd(validation = "self > 1")]
    with: String,
    #[crd(validation = "self.size() < 4 && self[0] > 1")]
    array: [u8; 3],
    #[crd(validation = "self < 1.5 && self > 1 && double(1) == self")]
    float: f32,
    #[crd(validation(
        rule = "!oldSelf.hasValue() || oldSelf.value() <= self",
        optional_old_self = true,
        message_expression = "self > 1 ? 'a' : 'b'"
    ))]
    grows: i64,
    #[crd(validation = Rule::new("oldSelf.orValue(1) <= self").optional_old_self(IS_OPTIONAL))]
    perhaps: i64,
    #[crd(validation = "self > 1")]
    port: Port,
    #[crd(validation = "self.type == 'A'")]
    tagged: Tagged,
}

const IS_OPTIONAL: bool = true;

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(validation = "self >= 1 && self <= 65535")]
struct Port(u16);

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Part {
    a: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
enum Tagged {
    A { a: i32 },
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Status {
    values: HashMap<String, Value>,
    set: HashSet<u8>,
}

#[test]
fn all_of_it_is_accepted() -> Result<(), crdkit::Error> {
    Typed::crd().map(drop)
}
