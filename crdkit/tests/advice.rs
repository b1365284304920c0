//! Advice that only the Rust types show: integers that the API cannot hold, and rules that need a field which may be absent.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Tank")]
struct TankSpec {
    litres: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<usize>,
    #[crd(list_type = "atomic")]
    ids: Vec<NonZeroU64>,
    balances: BTreeMap<String, Part>,
    #[schemars(range(max = 100))]
    bounded: u64,
    #[schemars(range(min = -5, max = 5))]
    bounded_wide: i128,
    signed: i64,
    small: u32,
    #[crd(int_or_string)]
    either: u64,
    #[crd(schema = r#"{"type": "string"}"#)]
    given: u64,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Part {
    sum: i128,
}

fn advice<R: CustomResource>(name: &str) -> Vec<(String, String)> {
    let advice = R::advice().expect("it has a definition");
    advice
        .into_iter()
        .filter(|advice| advice.name == name)
        .map(|advice| (advice.place, advice.message))
        .collect()
}

#[test]
fn wide_integers_are_named() {
    let unsigned =
        "the Rust type is wider than `int64`: the API cannot represent its values above 2^63 - 1".to_owned();
    let signed = unsigned.replace("above 2^63 - 1", "below -2^63 and above 2^63 - 1");
    let expected = [
        ("TankSpec.litres", &unsigned),
        ("TankSpec.items", &unsigned),
        ("TankSpec.ids", &unsigned),
        ("Part.sum", &signed),
    ];
    assert_eq!(
        advice::<Tank>("wide-integer"),
        expected.map(|(place, message)| (place.to_owned(), message.clone()))
    );
    Tank::crd().expect("advice is not an error");
}

const HUGE: u64 = 9_300_000_000_000_000_000;

/// An unsigned integer that no integer of the API reaches.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Giant", no_test)]
struct GiantSpec {
    #[schemars(range(min = HUGE))]
    size: u64,
}

#[test]
fn a_minimum_beyond_the_api_is_an_error() {
    let error = Giant::crd().map(drop).expect_err("no value is left");
    assert_eq!(
        error.causes()[0].message(),
        "has a minimum above 2^63 - 1, which no integer of the API reaches"
    );
    assert_eq!(GiantSpec { size: 1 }.size, 1);
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt", status = "Status")]
#[crd(validation = "self.metadata.name != 'x' && self.kind != 'y'")]
#[crd(validation = "self.status.ready")]
#[crd(spec_validation = "self.size > 1")]
#[crd(spec_validation = "!has(self.size) || self.size > 1")]
#[crd(spec_validation = "self.?size.orValue(1) > 0")]
#[crd(spec_validation = "self.color != '' && self.filled > 1")]
#[crd(spec_validation = "self.parts.all(p, p.weight > 1)")]
#[crd(spec_validation = "self.parts.all(p, !has(p.weight) || p.weight > 1)")]
#[crd(spec_validation = "has(self.namespace) && self.if == 1")]
struct ShirtSpec {
    color: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[crd(validation = "self > 0")]
    size: Option<i64>,
    #[serde(default = "one")]
    filled: i64,
    #[schemars(length(max = 9))]
    #[crd(list_type = "atomic")]
    parts: Vec<Weight>,
    namespace: Option<String>,
    r#if: Option<i64>,
    #[crd(validation = "self.kind == 'a' ? self.a > 1 : true")]
    choice: Choice,
}

fn one() -> i64 {
    1
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Weight {
    weight: Option<i64>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Choice {
    A { a: i64 },
    B { b: i64 },
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Status {
    ready: bool,
}

#[test]
fn rules_that_need_an_optional_field_are_named() {
    let found = advice::<Shirt>("rule-without-has");
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(place, message)| (place.as_str(), message.split('`').nth(1).unwrap_or_default()))
        .collect();
    let expected = [
        ("ShirtSpec", "self.status"),
        ("ShirtSpec", "self.size"),
        ("ShirtSpec", "self.parts[*].weight"),
        ("ShirtSpec", "self.__if__"),
    ];
    assert_eq!(found, expected);
    Shirt::crd().expect("advice is not an error");
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Printed")]
struct PrintedSpec {
    litres: u64,
}

/// Runs in a process of its own, whose standard error is read.
#[test]
#[ignore = "a part of `advice_is_printed_and_fails_nothing`"]
fn files_are_written_with_advice() {
    let folder = std::env::temp_dir().join(format!("crdkit-printed-{}", std::process::id()));
    let mut files = crdkit::CrdFiles::new(&folder);
    files.add::<Printed>().expect("advice is not an error");
    files.write().expect("advice is not an error");
    files.check().expect("the file is current");
    std::fs::remove_dir_all(&folder).expect("the folder is there");
}

#[test]
fn advice_is_printed_and_fails_nothing() {
    let expected = "warning[wide-integer]: \
                    spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[litres]: \
                    the Rust type is wider than `int64`: the API cannot represent its values above 2^63 - 1\n  \
                    --> PrintedSpec.litres (crdkit/tests/advice.rs:";
    // The second is the test that the derive generates.
    for arguments in
        [["files_are_written_with_advice", "--ignored"], ["the_crd_of_printed_is_sound", "--exact"]]
    {
        let test = std::env::current_exe().expect("the test has a file");
        let output = std::process::Command::new(test).args(arguments).output().expect("the test runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {text}");
        assert_eq!(text.matches(expected).count(), 1, "{arguments:?}: {text}");
    }
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Pump", no_test)]
#[crd(printcolumn(name = "A", type = "string", json_path = ".spec.part.sun"))]
struct PumpSpec {
    part: Part,
}

/// The macro sees the fields of one type, and the API server follows no path of a column.
#[test]
fn a_column_without_a_field_fails_the_test_that_the_derive_emits() {
    let error = std::panic::catch_unwind(crdkit::__private::assert_sound_with_paths::<Pump>).unwrap_err();
    let text = error.downcast_ref::<String>().unwrap();
    assert!(
        text.contains("`.spec.part.sun` is not a field: the schema of `.spec.part` has no `sun`"),
        "{text}"
    );
    assert!(text.contains("did you mean `.spec.part.sum`?"), "{text}");
    Pump::crd().expect("the API server takes it");
}
