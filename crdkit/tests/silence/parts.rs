//! Flattened enums, recursive types and durations: values that the schema accepts and the type reads.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::spec::agree;

mod contents {
    use super::*;

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "type", content = "value")]
    pub(crate) enum Limit {
        Off,
        Most(u8),
    }

    spec!(fields {
        pub(crate) limit: Limit,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) other: Option<Limit>,
        pub(crate) all: Vec<Limit>,
    });
}

#[test]
fn a_variant_without_content_has_none() {
    let of = |limit: Value| json!({"limit": limit, "all": [limit]});
    agree::<contents::fields::Foo>(&[
        (of(json!({"type": "Off"})), true),
        (of(json!({"type": "Most", "value": 5})), true),
        (of(json!({"type": "Off", "value": 5})), false),
        (of(json!({"type": "Most"})), false),
    ]);
}

mod flattened {
    use super::*;

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) enum Named {
        Only { a: i32 },
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(untagged)]
    pub(crate) enum Untagged {
        Only { letter: char },
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "type")]
    pub(crate) enum Tagged {
        Only { b: u8 },
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "source")]
    pub(crate) enum Source {
        Git { url: String },
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct Within {
        #[serde(flatten)]
        pub(crate) named: Named,
        pub(crate) level: u8,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) enum Either {
        Red { a: i32 },
        Blue { b: i32 },
    }

    spec!(one_variant {
        pub(crate) name: String,
        #[serde(flatten)]
        pub(crate) named: Named,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) within: Option<Within>,
    });
    spec!(optional {
        pub(crate) name: String,
        #[serde(flatten)]
        pub(crate) either: Option<Either>,
    });
    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(validation(rule = "self.name != 'x' || !has(self.Red)", message = "none"))]
    pub(crate) struct Ruled {
        pub(crate) name: String,
        #[serde(flatten)]
        pub(crate) either: Option<Either>,
    }

    spec!(optional_with_rules {
        pub(crate) name: String,
        #[crd(immutable)]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) once: Option<u8>,
        #[serde(flatten)]
        pub(crate) either: Option<Either>,
        pub(crate) ruled: Ruled,
    });
    spec!(several {
        pub(crate) name: String,
        #[serde(flatten)]
        pub(crate) untagged: Untagged,
        #[serde(flatten)]
        pub(crate) tagged: Tagged,
        #[serde(flatten)]
        pub(crate) source: Option<Source>,
    });
}

#[test]
fn a_flattened_enum_of_one_variant_keeps_its_fields() {
    agree::<flattened::one_variant::Foo>(&[
        (json!({"name": "x", "Only": {"a": 1}}), true),
        (json!({"name": "x"}), false),
        (json!({"name": "x", "Only": {}}), false),
        (json!({"name": "x", "Only": {"a": 1}, "within": {"Only": {"a": 1}, "level": 1}}), true),
        (json!({"name": "x", "Only": {"a": 1}, "within": {"level": 1}}), false),
    ]);
}

#[test]
fn a_flattened_option_is_one_variant() {
    agree::<flattened::optional::Foo>(&[
        (json!({"name": "x"}), true),
        (json!({"name": "x", "Red": {"a": 1}}), true),
        (json!({"name": "x", "Red": {"a": 1}, "Blue": {"b": 1}}), false),
    ]);
}

#[test]
fn a_flattened_option_is_one_variant_despite_rules_about_other_fields() {
    let (red, both) = (json!({"a": 1}), json!({"name": "y", "Red": {"a": 1}, "Blue": {"b": 1}}));
    agree::<flattened::optional_with_rules::Foo>(&[
        (json!({"name": "y", "once": 1, "ruled": {"name": "x"}}), true),
        (json!({"name": "y", "Red": red, "ruled": {"name": "y", "Red": red}}), true),
        (json!({"name": "y", "ruled": {"name": "x", "Red": red}}), false),
        (json!({"name": "y", "Red": red, "Blue": {"b": 1}, "ruled": {"name": "y"}}), false),
        (json!({"name": "y", "ruled": both}), false),
    ]);
}

mod around_enums {
    use super::*;

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) enum Color {
        Red { a: i32 },
        Blue { b: i32 },
    }
    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(untagged)]
    pub(crate) enum Place {
        Point { x: i32, y: i32 },
        Name { label: String },
    }
    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct Sized {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) mode: Option<i64>,
        pub(crate) size: String,
        #[serde(flatten)]
        pub(crate) color: Color,
    }
    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct Placed {
        #[serde(default)]
        pub(crate) zoom: i32,
        #[serde(flatten)]
        pub(crate) place: Place,
    }

    spec!(optional {
        #[serde(flatten)]
        pub(crate) sized: Option<Sized>,
        #[serde(flatten)]
        pub(crate) placed: Option<Placed>,
    });
    spec!(required {
        #[serde(flatten)]
        pub(crate) sized: Sized,
        #[serde(flatten)]
        pub(crate) placed: Placed,
    });
}

#[test]
fn a_flattened_option_with_an_enum_in_it_is_whole_or_absent() {
    agree::<around_enums::optional::Foo>(&[
        (json!({}), true),
        (json!({"size": "s", "Red": {"a": 1}}), true),
        (json!({"size": "s", "mode": 1}), false),
        (json!({"mode": 1}), false),
        (json!({"Red": {"a": 1}}), false),
        (json!({"x": 1, "y": 2, "zoom": 3}), true),
        (json!({"label": "l", "zoom": 3}), true),
        (json!({"zoom": 3}), false),
        (json!({"x": 1, "zoom": 3}), false),
    ]);
    agree::<around_enums::required::Foo>(&[
        (json!({"size": "s", "Red": {"a": 1}, "label": "l", "zoom": 3}), true),
        (json!({"size": "s", "Red": {"a": 1}}), false),
        (json!({"size": "s", "label": "l"}), false),
    ]);
}

mod unwritten {
    use super::*;

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[allow(dead_code, reason = "it is never written")]
    pub(crate) struct Secret {
        #[serde(skip_serializing)]
        pub(crate) key: String,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(untagged)]
    pub(crate) enum Access {
        Password {
            #[serde(skip_serializing)]
            key: String,
            user: String,
        },
        Token {
            token: String,
        },
    }

    spec!(fields {
        pub(crate) secret: Option<Secret>,
    });
    spec!(variants {
        pub(crate) access: Access,
    });
    spec!(maps {
        pub(crate) limits: BTreeMap<crate::keys::keyed::Color, k8s_openapi::apimachinery::pkg::api::resource::Quantity>,
    });
}

#[test]
fn a_required_field_that_is_never_written_is_an_error() {
    let error = unwritten::fields::Foo::crd().map(drop).expect_err("it is not written").to_string();
    assert!(error.starts_with("`.spec.secret.key`: is required by Deserialize but never written"), "{error}");
    let error = unwritten::variants::Foo::crd().map(drop).expect_err("it is not written").to_string();
    assert!(error.starts_with("`.spec.access.key`: is required by Deserialize but never written"), "{error}");
}

#[test]
fn quantities_under_keys_of_an_enum_are_not_null() {
    agree::<unwritten::maps::Foo>(&[(json!({"limits": {"Red": "1Gi"}}), true)]);
    // The API server drops a null where it is not allowed.
    let crd = unwritten::maps::Foo::crd().expect("it is accepted");
    let validator = crd_core::admit::Validator::new(&crd).expect("it is valid");
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "b"}, "spec": {"limits": {"Red": null}},
    });
    assert_eq!(validator.create(object).result.expect("it is accepted")["spec"], json!({"limits": {}}));
}

#[test]
fn several_flattened_enums_keep_their_fields() {
    agree::<flattened::several::Foo>(&[
        (json!({"name": "x", "letter": "c", "type": "Only", "b": 1}), true),
        (json!({"name": "x", "letter": "c", "type": "Only", "b": 1, "source": "Git", "url": "u"}), true),
        (json!({"name": "x", "letter": "c", "type": "Only", "b": 1, "source": "Git"}), false),
        (json!({"name": "x", "letter": "cd", "type": "Only", "b": 1}), false),
        (json!({"name": "x", "letter": "c", "type": "Only", "b": 256}), false),
        (json!({"name": "x", "type": "Only", "b": 1}), false),
    ]);
}

mod recursive {
    use super::*;

    // ANCHOR: recursion
    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct Step {
        pub(crate) name: String,
        #[serde(default)]
        #[crd(recursion = 2)]
        pub(crate) steps: Vec<Step>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(recursion = 1)]
        pub(crate) otherwise: Option<Box<Step>>,
    }
    // ANCHOR_END: recursion

    spec!(fields {
        pub(crate) first: Step,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(recursion = 1)]
        pub(crate) again: Option<Box<FooSpec>>,
    });
    spec!(not_recursive {
        #[crd(recursion = 1)]
        pub(crate) names: Vec<String>,
    });
}

#[test]
fn recursion_ends_at_its_level() {
    let step = |steps: Value| json!({"name": "a", "steps": steps});
    let of = |first: Value| json!({"first": first});
    agree::<recursive::fields::Foo>(&[
        (of(step(json!([step(json!([step(json!([]))]))]))), true),
        // Two levels have a schema, the third is kept as it is.
        (of(step(json!([{"name": 1, "steps": []}]))), false),
        (of(step(json!([step(json!([{"steps": []}]))]))), false),
        (of(step(json!([step(json!([step(json!([{"name": "b", "steps": []}]))]))]))), true),
        (of(json!({"name": "a", "steps": [], "otherwise": {"name": "b", "steps": []}})), true),
        (of(json!({"name": "a", "steps": [], "otherwise": {}})), false),
    ]);
    let error = recursive::not_recursive::Foo::crd().map(drop).expect_err("it has no effect").to_string();
    assert!(error.starts_with("`.spec.names`: has `recursion`, but its type is not recursive"), "{error}");
}

mod durations {
    use super::*;

    spec!(fields {
        pub(crate) timeout: crdkit::Duration,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) period: Option<crdkit::Duration>,
        #[serde(default)]
        pub(crate) all: Vec<crdkit::Duration>,
    });
}

#[test]
fn durations_are_those_of_go() {
    let of = |timeout: &str| json!({"timeout": timeout, "all": []});
    // Written as they are read: the form of Go.
    agree::<durations::fields::Foo>(&[
        (of("1h30m0s"), true),
        (of("0s"), true),
        (of("1.5s"), true),
        (of("100ms"), true),
        (of("1.5\u{b5}s"), true),
        (of("7ns"), true),
        (of("2562047h47m16.854775807s"), true),
        (of("2562047h47m16.854775808s"), false),
        (of("9999999999h"), false),
        (of("-1s"), false),
        (of("+1s"), false),
        (of("1"), false),
        (of(""), false),
        (of("1d"), false),
        (of("1h 30m"), false),
    ]);
    // Other forms of the same.
    for (text, same) in [
        ("90m", "1h30m0s"),
        ("0", "0s"),
        (".5s", "500ms"),
        ("1.s", "1s"),
        ("0.000001s", "1\u{b5}s"),
        ("\u{3bc}", ""),
    ] {
        let read = text.parse::<crdkit::Duration>();
        assert_eq!(read.map(|duration| duration.to_string()).unwrap_or_default(), same, "{text}");
        let spec = of(text);
        let object = json!({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "b"}, "spec": spec});
        let crd = durations::fields::Foo::crd().expect("it is accepted");
        let answer = crd_core::admit::Validator::new(&crd).expect("it is valid").create(object);
        assert_eq!(answer.is_accepted(), !same.is_empty(), "{text}: {answer:?}");
    }
}

#[test]
fn durations_come_back_at_every_size() {
    for power in 0..63 {
        for nanoseconds in [
            (1u64 << power) - 1,
            1 << power,
            (1 << power) + 1,
            10u64.pow(power.min(18)),
            3 * 10u64.pow(power.min(18)),
        ] {
            let duration = crdkit::Duration::from(std::time::Duration::from_nanos(nanoseconds));
            let text = duration.to_string();
            assert_eq!(text.parse(), Ok(duration), "{text}");
            assert_eq!(std::time::Duration::from(duration).as_nanos(), u128::from(nanoseconds), "{text}");
        }
    }
    let longest = crdkit::Duration::from(std::time::Duration::MAX);
    assert_eq!(longest.to_string(), "2562047h47m16.854775807s");
}
