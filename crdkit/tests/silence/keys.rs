//! Constraints of the keys of maps.

use std::collections::{BTreeMap, HashMap};

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::spec::{agree, properties};

pub(crate) mod keyed {
    use super::*;

    /// A short name.
    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[crd(validation = ("self != 'x'", "x is taken"))]
    pub(crate) struct Short(
        #[schemars(length(min = 2, max = 12), regex(pattern = r"^[a-z]+\d?$"))] pub(crate) String,
    );

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[crd(validation = "self != oldSelf")]
    pub(crate) struct Changing(String);

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum Color {
        Red,
        Green,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct Wrapped(BTreeMap<Short, u8>);

    spec!(fields {
        #[schemars(length(max = 10))]
        pub(crate) keyed: BTreeMap<Short, u8>,
        #[schemars(length(max = 10))]
        pub(crate) deeper: Vec<Deeper>,
        pub(crate) colors: BTreeMap<Color, u8>,
        pub(crate) plain: BTreeMap<String, u8>,
    });

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct Deeper {
        #[schemars(length(max = 10))]
        #[serde(skip_serializing_if = "Option::is_none")]
        maps: Option<HashMap<Short, String>>,
    }

    spec!(of_maps {
        maps: Vec<BTreeMap<String, BTreeMap<Short, u8>>>,
    });
    spec!(unbounded {
        keyed: BTreeMap<Short, u8>,
    });
    spec!(newtype { keyed: Wrapped });
    spec!(changing {
        #[schemars(length(max = 10))]
        keyed: BTreeMap<Changing, u8>,
    });
    spec!(of_anything {
        #[schemars(length(max = 10))]
        keyed: BTreeMap<Short, Value>,
    });
    spec!(of_lists {
        keyed: BTreeMap<bool, Vec<Option<Value>>>,
    });
    spec!(of_maps_of_lists {
        keyed: BTreeMap<u8, BTreeMap<String, Vec<Value>>>,
    });
    spec!(of_maps_of_anything {
        keyed: BTreeMap<u8, BTreeMap<String, Value>>,
    });
}

#[test]
fn constraints_of_keys_are_rules_of_the_map() {
    let of = |name: &str, value: Value| {
        let mut spec = json!({"keyed": {}, "deeper": [], "colors": {}, "plain": {"X": 1}});
        spec[name] = value;
        spec
    };
    agree::<keyed::fields::Foo>(&[
        (of("keyed", json!({"ab": 1, "abc1": 2})), true),
        (of("keyed", json!({"ab": 1, "a": 2})), false),
        (of("keyed", json!({"abcdefghijklm": 1})), false),
        (of("keyed", json!({"AB": 1})), false),
        (of("deeper", json!([{"maps": {"ab": "x"}}])), true),
        (of("deeper", json!([{"maps": {"-": "x"}}])), false),
        (of("colors", json!({"Red": 1})), true),
    ]);
    assert_eq!(
        properties::<keyed::fields::Foo>()["keyed"]["x-kubernetes-validations"],
        json!([
            {"rule": "self.all(key, size(key) >= 2)", "message": "each key must have at least 2 characters"},
            {"rule": "self.all(key, size(key) <= 12)", "message": "each key must have at most 12 characters"},
            {
                "rule": r#"self.all(key, key.matches("^[a-z]+\\d?$"))"#,
                "message": r"each key must match ^[a-z]+\d?$",
            },
            {"rule": "self.all(self, self != 'x')", "message": "each key: x is taken"},
        ])
    );
    let of_maps = keyed::of_maps::Foo::unchecked().expect("it has a definition").into_crd().to_value();
    let pointer = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/maps/items/additionalProperties\
                   /x-kubernetes-validations/3/rule";
    assert_eq!(of_maps.pointer(pointer), Some(&json!("self.all(self, self != 'x')")));
}

#[test]
fn rules_of_keys_have_their_price() {
    // The API server's estimate of a key's size is 0, so one map needs no bound.
    keyed::unbounded::Foo::crd().expect("it is within the budget");
    let rules = &properties::<keyed::newtype::Foo>()["keyed"]["x-kubernetes-validations"];
    assert_eq!(rules.as_array().map(Vec::len), Some(4));
    let error = keyed::of_maps::Foo::crd().map(drop).expect_err("the maps are not bounded").to_string();
    assert!(error.contains("estimated rule cost exceeds budget"), "{error}");
    let error = keyed::changing::Foo::crd().map(drop).expect_err("a key has no old value").to_string();
    assert!(error.starts_with("`.spec.keyed`: is a map whose keys have a rule with `oldSelf`"), "{error}");
}

/// CEL has no type for a map with values of any type, so the API server rejects rules on the map.
#[test]
fn keys_beside_anything_have_no_rules() {
    for error in [
        keyed::of_anything::Foo::crd().map(drop),
        keyed::of_lists::Foo::crd().map(drop),
        keyed::of_maps_of_lists::Foo::crd().map(drop),
    ] {
        let error = error.expect_err("no rule reads the keys").to_string();
        assert!(error.starts_with("`.spec.keyed`: is a map with values of any type"), "{error}");
    }
    // Objects with unknown fields have a type.
    agree::<keyed::of_maps_of_anything::Foo>(&[
        (json!({"keyed": {"1": {"a": 1}}}), true),
        (json!({"keyed": {"a": {"a": 1}}}), false),
    ]);
}

mod scalars {
    use super::*;

    spec!(fields {
        pub(crate) small: BTreeMap<u8, String>,
        pub(crate) signed: BTreeMap<i32, String>,
        pub(crate) wide: HashMap<i64, String>,
        pub(crate) large: BTreeMap<u64, String>,
        pub(crate) flags: BTreeMap<bool, u8>,
        pub(crate) letters: BTreeMap<char, u8>,
    });
}

/// Keys in JSON are strings: the schema accepts those that the type reads.
#[test]
fn keys_that_are_not_strings_have_rules() {
    let of = |name: &str, key: &str| {
        let mut spec = json!({
            "small": {}, "signed": {}, "wide": {}, "large": {}, "flags": {}, "letters": {},
        });
        let value = if matches!(name, "flags" | "letters") { json!(1) } else { json!("") };
        spec[name] = json!({key: value});
        spec
    };
    let cases = [
        ("small", "0", true),
        ("small", "255", true),
        ("small", "256", false),
        ("small", "-1", false),
        ("small", "01", false),
        ("small", "+1", false),
        ("small", "", false),
        ("small", "key", false),
        ("small", "99999999999999999999999", false),
        ("signed", "-2147483648", true),
        ("signed", "2147483647", true),
        ("signed", "2147483648", false),
        ("signed", "-0", false),
        ("wide", "-9223372036854775808", true),
        ("wide", "9223372036854775807", true),
        ("wide", "9223372036854775808", false),
        ("large", "9223372036854775807", true),
        ("large", "-1", false),
        ("flags", "true", true),
        ("flags", "True", false),
        ("letters", "é", true),
        ("letters", "ab", false),
        ("letters", "", false),
    ];
    agree::<scalars::fields::Foo>(&cases.map(|(name, key, is_right)| (of(name, key), is_right)));
}
