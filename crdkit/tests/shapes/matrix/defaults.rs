//! Defaults, and those that a schema does not take.

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(default)]
struct OfStruct {
    number: u8,
    ratio: f32,
    maybe: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    list: Vec<i32>,
}

impl Default for OfStruct {
    fn default() -> Self {
        Self { number: 3, ratio: 0.1, maybe: None, skipped: None, list: vec![1] }
    }
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct OfField {
    #[serde(default)]
    inner: OfStruct,
    #[serde(default)]
    letter: Letter,
    #[serde(default = "half")]
    half: f32,
}

fn half() -> f32 {
    0.3
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
enum Letter {
    #[default]
    A,
    B,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct SkippedDefault {
    #[serde(default = "five", skip_serializing_if = "is_five")]
    number: i32,
}

fn five() -> i32 {
    5
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_five(number: &i32) -> bool {
    *number == 5
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct OutOfRange {
    // What a function gives is not known to the macro.
    #[serde(default = "i32::default")]
    #[schemars(range(min = 1))]
    number: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct TooLong {
    #[serde(default = "words")]
    #[schemars(length(max = 3))]
    text: String,
}

fn words() -> String {
    "words".to_owned()
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct AgainstRule {
    #[serde(default)]
    #[crd(validation = "self > 0")]
    number: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct AgainstPattern {
    #[serde(default)]
    #[schemars(regex(pattern = "^[a-z]+$"))]
    text: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct NullDefault {
    #[serde(default)]
    #[crd(nullable = false)]
    number: Option<i32>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Huge {
    #[serde(default = "huge")]
    number: u64,
}

fn huge() -> u64 {
    u64::MAX
}

#[test]
fn defaults() {
    compare(
        "defaults",
        &[
            row("default of a struct", [OfStruct::default()]),
            row("default of a field that is a struct", [OfField::default()]),
            row("default that is not written", [SkippedDefault { number: 5 }, SkippedDefault { number: 6 }]),
            row("default that is null", [NullDefault { number: Some(1) }]),
            row("default below its range", [OutOfRange { number: 1 }]),
            row("default beyond its length", [TooLong { text: "a".to_owned() }]),
            row("default against its rule", [AgainstRule { number: 1 }]),
            row("default against its pattern", [AgainstPattern { text: "a".to_owned() }]),
            row("default of more than 63 bits", [Huge { number: 1 }]),
        ],
    );
}
