//! Advice where a value that the schema accepts is not read, or not as it was.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};

use crate::keys::keyed;
use crate::spec::advice;

mod skipped {
    use super::*;

    fn is_zero(n: &i32) -> bool {
        *n == 0
    }

    fn ten() -> i32 {
        10
    }

    fn five() -> Option<i32> {
        Some(5)
    }

    fn list() -> Vec<String> {
        vec!["x".to_owned()]
    }

    fn yes() -> bool {
        true
    }

    spec!(required {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[crd(list_type = "atomic")]
        list: Vec<String>,
        #[serde(skip_serializing_if = "is_zero")]
        n: i32,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        right: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        option: Option<i32>,
        deeper: Vec<Inner>,
        variant: Variant,
    });

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    struct Inner {
        #[serde(skip_serializing_if = "is_zero")]
        n: i32,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    enum Variant {
        One {
            #[serde(skip_serializing_if = "is_zero")]
            m: i32,
        },
    }

    spec!(defaults {
        #[serde(default = "ten", skip_serializing_if = "is_zero")]
        n: i32,
        #[serde(default = "five", skip_serializing_if = "Option::is_none")]
        o: Option<i32>,
        #[serde(default = "list", skip_serializing_if = "Vec::is_empty")]
        #[crd(list_type = "atomic")]
        v: Vec<String>,
        #[serde(default = "yes", skip_serializing_if = "std::ops::Not::not")]
        b: bool,
        #[serde(default, skip_serializing_if = "is_zero")]
        right: i32,
        #[serde(default = "ten")]
        written: i32,
        #[serde(flatten)]
        part: Option<Part>,
        whole: Whole,
    });

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    struct Part {
        must: i32,
        #[serde(default = "ten")]
        may: i32,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(default)]
    struct Whole {
        #[serde(skip_serializing_if = "is_zero")]
        n: i32,
        m: i32,
    }

    impl Default for Whole {
        fn default() -> Self {
            Self { n: 1, m: 2 }
        }
    }
}

#[test]
fn fields_that_are_left_out_and_required_are_named() {
    let expected = ["FooSpec.list", "FooSpec.n", "Inner.n", "Variant.One.m"];
    let expected: Vec<_> =
        expected.iter().map(|place| ("required-but-skipped", (*place).to_owned())).collect();
    assert_eq!(without_lists(advice::<skipped::required::Foo>()), expected);
}

#[test]
fn values_that_a_default_replaces_are_named() {
    let mut found = without_lists(advice::<skipped::defaults::Foo>());
    found.sort();
    let expected = ["FooSpec.b", "FooSpec.n", "FooSpec.o", "FooSpec.v", "Whole.n"];
    let expected: Vec<_> = expected.iter().map(|place| ("default-of-skipped", (*place).to_owned())).collect();
    assert_eq!(found, expected);
}

fn without_lists(mut advice: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    advice.retain(|(name, _)| *name != "list-without-type");
    advice
}

mod rules {
    use super::*;

    spec!(fields {
        #[crd(validation = "quantity(self).isGreaterThan(quantity('1'))")]
        q: Quantity,
        #[crd(validation = "quantity(string(self)).isGreaterThan(quantity('1'))")]
        right: Quantity,
        #[crd(validation = "self > 0")]
        port: IntOrString,
        #[crd(validation = "type(self) == int || self.size() > 1")]
        guarded: IntOrString,
        #[crd(validation = "self != 0")]
        compared: IntOrString,
        nested: Nested,
    });

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(validation = "self.sizes.all(size, isQuantity(size))")]
    struct Nested {
        #[schemars(length(max = 10))]
        #[crd(list_type = "atomic")]
        sizes: Vec<Quantity>,
    }
}

#[test]
fn rules_that_fail_for_one_type_are_named() {
    let found = rules::fields::Foo::advice().expect("it has a definition");
    let found: Vec<_> = found.iter().map(|advice| (advice.name, &*advice.place)).collect();
    assert_eq!(
        found,
        [
            ("rule-for-one-type", "FooSpec.q"),
            ("rule-for-one-type", "FooSpec.nested"),
            ("rule-for-one-type", "FooSpec.port"),
        ]
    );
}

mod serde_alone {
    use super::*;

    spec!(denied #[serde(deny_unknown_fields)] {
        a: Option<Option<String>>,
        inner: Option<Inner>,
        tagged: Tagged,
        named: Named,
        colors: BTreeMap<keyed::Color, u8>,
        #[serde(default, with = "double")]
        #[schemars(with = "Option<String>")]
        right: Option<Option<String>>,
    });

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        a: String,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "type", deny_unknown_fields)]
    enum Tagged {
        One { a: String },
        Two,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    enum Named {
        One(String),
        Two { b: Option<Option<u8>> },
    }

    mod double {
        pub(crate) fn serialize<S: serde::Serializer>(
            value: &Option<Option<String>>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            serde::Serialize::serialize(value, serializer)
        }

        pub(crate) fn deserialize<'de, D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Option<String>>, D::Error> {
            serde::Deserialize::deserialize(deserializer).map(Some)
        }
    }

    spec!(right {
        named: Named2,
        a: Option<String>,
        colors: BTreeMap<keyed::Color, u8>,
    });

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    enum Named2 {
        One(String),
        Two { b: Option<u8> },
    }
}

mod null_in_variants {
    use super::*;

    spec!(wrong { tagged: Tagged, content: Content, any: AnyContent, each: Each });

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(untagged)]
    enum Each {
        One { a: String, one: u8 },
        Two { a: Option<String>, two: u8 },
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "kind")]
    enum Tagged {
        One { a: String, b: Inside<Part> },
        Two { a: Option<String>, b: Inside<OptionalPart> },
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    struct Part {
        c: u8,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    struct Inside<T> {
        inside: T,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    struct OptionalPart {
        c: Option<u8>,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "kind", content = "content")]
    enum Content {
        One(String),
        Two(Option<String>),
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "kind", content = "content")]
    enum AnyContent {
        One { a: u8 },
        Two(serde_json::Value),
    }

    spec!(right { skipped: Skipped, both: Both, untagged: Untagged });

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "kind")]
    enum Skipped {
        One {
            a: String,
        },
        Two {
            #[serde(skip_serializing_if = "Option::is_none")]
            a: Option<String>,
        },
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "kind")]
    enum Both {
        One { a: Option<String>, b: u8 },
        Two { a: Option<String>, c: Option<u8> },
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(untagged)]
    enum Untagged {
        One { a: String },
        Two { a: Option<String> },
    }
}

#[test]
fn null_in_some_variants_is_named() {
    let mut found = advice::<null_in_variants::wrong::Foo>();
    found.sort();
    let named = |place: &str| ("null-in-some-variants", place.to_owned());
    assert_eq!(
        found,
        [
            named("AnyContent.content"),
            named("Content.content"),
            named("Each.a"),
            named("Inside.inside.c"),
            named("Tagged.a")
        ]
    );
    assert_eq!(advice::<null_in_variants::right::Foo>(), []);
}

#[test]
fn unknown_fields_and_nested_options_are_named() {
    let mut found = advice::<serde_alone::denied::Foo>();
    // Without the feature `preserve_order` of serde_json, fields are in the order of their names.
    found.sort();
    assert_eq!(
        found,
        [
            ("deny-unknown-fields", "FooSpec".to_owned()),
            ("deny-unknown-fields", "FooSpec.inner".to_owned()),
            ("deny-unknown-fields", "FooSpec.tagged".to_owned()),
            ("nested-option", "FooSpec.a".to_owned()),
            ("nested-option", "Named.Two.b".to_owned()),
        ]
    );
    assert_eq!(advice::<serde_alone::right::Foo>(), []);
}

mod shown {
    use super::*;

    spec!(columns #[crd(printcolumn(name = "Since", type = "date", json_path = ".spec.name"))]
        #[crd(printcolumn(name = "When", type = "date", json_path = ".spec.when"))]
        #[crd(printcolumn(name = "Name", type = "string", json_path = ".spec.name"))]
        #[crd(printcolumn(name = "Deep", type = "integer", json_path = ".spec.inner.name"))] {
        name: String,
        when: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time,
        inner: Inner,
        type_: String,
    });

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    struct Inner {
        name: String,
    }
}

#[test]
fn columns_of_other_types_and_names_of_rust_are_named() {
    let found = shown::columns::Foo::advice().expect("it has a definition");
    let found: Vec<_> = found
        .iter()
        .map(|advice| (advice.name, advice.field.rsplit_once('.').map_or("", |(place, _)| place)))
        .collect();
    let columns = "spec.versions[0].additionalPrinterColumns";
    assert_eq!(found[0].0, "trailing-underscore");
    assert_eq!(
        found[1..],
        [
            ("column-with-wrong-type", &*format!("{columns}[0]")),
            ("column-with-wrong-type", &format!("{columns}[3]"))
        ]
    );
}

mod flattened {
    use super::*;

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    struct Part {
        must: i32,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[crd(list_type = "atomic")]
        names: Vec<String>,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "type", deny_unknown_fields)]
    enum Kind {
        One { a: String },
    }

    spec!(fields {
        #[serde(flatten)]
        part: Option<Part>,
        #[serde(flatten)]
        kind: Kind,
    });
}

#[test]
fn flattened_types_are_looked_into() {
    let mut found = advice::<flattened::fields::Foo>();
    found.sort();
    let expected = [("deny-unknown-fields", "FooSpec"), ("required-but-skipped", "FooSpec.names")];
    assert_eq!(found, expected.map(|(name, place)| (name, place.to_owned())));
}
