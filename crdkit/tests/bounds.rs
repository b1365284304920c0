//! Bounds on fields whose types a macro does not see: they reach the schema, or are errors of `crd()`.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The definition of a spec with these fields, and the schema of its spec or the error.
macro_rules! spec {
    ($name:ident { $($fields:tt)* }) => {
        #[allow(dead_code, reason = "nothing but the definition is asked for")]
        mod $name {
            use super::*;

            #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
            #[crd(group = "example.com", version = "v1", kind = "Shirt", no_test)]
            pub(super) struct ShirtSpec { $($fields)* }
        }
    };
}

fn fields<R: CustomResource>() -> Value {
    let crd = R::crd().expect("the definition can be made").to_value();
    let problems =
        crd_core::check(&crdkit::CustomResourceDefinition::from_value(crd.clone()).expect("it is one"));
    assert!(problems.is_empty(), "{problems:?}");
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"].clone()
}

fn error<R: CustomResource>() -> String {
    R::crd().expect_err("it is refused").to_string()
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
enum Port {
    Number(#[schemars(range(min = 1, max = 65535))] i32),
    Name(#[schemars(length(max = 15), regex(pattern = "^[a-z]+$"))] String),
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
enum Size {
    Small,
    Large,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
enum Width {
    Number(u8),
    Named(Size),
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Short(#[schemars(length(max = 2))] String),
    Long(#[schemars(length(min = 10))] String),
}

spec!(either {
    port: Port,
    ports: Option<Vec<Port>>,
    #[schemars(range(min = 1024), length(min = 2))]
    high: Port,
    width: Width,
    either: Either,
    #[crd(int_or_string)]
    #[schemars(range(min = 1), length(max = 4))]
    percent: Value,
});

#[test]
fn bounds_of_an_integer_or_text_reach_the_schema() {
    let fields = fields::<either::Shirt>();
    let port = json!({
        "minimum": 1, "maximum": 65535, "maxLength": 15, "pattern": "^[a-z]+$", "x-kubernetes-int-or-string": true,
    });
    assert_eq!(fields["port"], port);
    assert_eq!(fields["ports"]["items"], port);
    assert_eq!(fields["high"]["minimum"], 1024);
    assert_eq!(fields["high"]["minLength"], 2);
    assert_eq!(fields["high"]["maximum"], 65535);
    assert_eq!(
        fields["width"],
        json!({"minimum": 0, "maximum": 255, "pattern": "^(?:Small|Large)$", "x-kubernetes-int-or-string": true})
    );
    assert_eq!(
        fields["either"],
        json!({"allOf": [{"anyOf": [{"maxLength": 2}, {"minLength": 10}]}], "x-kubernetes-int-or-string": true})
    );
    assert_eq!(fields["percent"], json!({"minimum": 1, "maxLength": 4, "x-kubernetes-int-or-string": true}));
}

type Count = i32;
type Label = String;
type Labels = BTreeMap<String, String>;

spec!(fitting {
    #[schemars(range(min = 1))]
    count: Count,
    #[schemars(length(min = 1))]
    label: Label,
    #[schemars(length(min = 1, max = 3))]
    labels: Labels,
    #[schemars(length(max = 3))]
    map: BTreeMap<String, i32>,
    #[schemars(inner(range(min = 1)))]
    counts: Vec<Count>,
});

#[test]
fn bounds_behind_an_alias_and_of_maps_reach_the_schema() {
    let fields = fields::<fitting::Shirt>();
    assert_eq!(fields["count"]["minimum"], 1);
    assert_eq!(fields["label"]["minLength"], 1);
    assert_eq!(
        [&fields["labels"]["minProperties"], &fields["labels"]["maxProperties"]],
        [&json!(1), &json!(3)]
    );
    assert_eq!(fields["map"]["maxProperties"], 3);
    assert_eq!(fields["counts"]["items"]["minimum"], 1);
}

spec!(length_of_a_number {
    #[schemars(length(min = 1))]
    count: Count,
});
spec!(range_of_a_text {
    #[schemars(range(min = 1))]
    label: Label,
});
spec!(inner_of_a_number {
    #[schemars(inner(range(min = 1)))]
    count: Count,
});
spec!(length_of_anything {
    #[schemars(length(min = 1))]
    any: Value,
});

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Percent(#[schemars(range(min = 0, max = 100))] i32);

const LEAST: i32 = 9;
const MOST: i32 = 3;

spec!(crossing_with_the_type {
    #[schemars(range(min = 101))]
    percent: Percent,
});
spec!(crossing_constants {
    #[schemars(range(min = LEAST, max = MOST))]
    count: Count,
});

#[test]
fn bounds_that_do_not_fit_are_errors_that_name_the_place() {
    let wrong = [
        (
            error::<length_of_a_number::Shirt>(),
            ".spec.count",
            "has `length`, which has no effect on a number",
        ),
        (error::<range_of_a_text::Shirt>(), ".spec.label", "has `range`, which has no effect on a string"),
        (error::<inner_of_a_number::Shirt>(), ".spec.count", "has `inner(...)` but is not a list"),
        (
            error::<length_of_anything::Shirt>(),
            ".spec.any",
            "has `length`, which has no effect on a value of any type",
        ),
        (
            error::<crossing_with_the_type::Shirt>(),
            ".spec.percent",
            "has bounds that exclude every value: its `minimum` is 101 and its `maximum` is 100",
        ),
        (
            error::<crossing_constants::Shirt>(),
            ".spec.count",
            "has bounds that exclude every value: its `minimum` is 9 and its `maximum` is 3",
        ),
    ];
    for (error, place, message) in wrong {
        assert!(error.contains(place) && error.contains(message), "{error}");
    }
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
enum Choice {
    A {
        #[crd(printcolumn(name = "Shown"))]
        x: i32,
    },
    B {
        x: i32,
    },
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Once(#[crd(immutable)] String);

spec!(shown {
    choice: Choice,
    #[crd(schemaless, printcolumn(name = "Open", type = "string"))]
    open: BTreeMap<String, i32>,
    once: Once,
});

#[test]
fn columns_of_one_variant_and_of_open_fields_are_shown() {
    let crd = shown::Shirt::crd().expect("the definition can be made").to_value();
    let columns = &crd["spec"]["versions"][0]["additionalPrinterColumns"];
    assert_eq!([&columns[0]["name"], &columns[1]["name"]], [&json!("Shown"), &json!("Open")]);
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(validation = "self.return == self.__return__ && (!has(self.namespace) || self.namespace == 'a')")]
struct Words {
    r#return: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    r#as: i32,
    r#while: bool,
    #[serde(rename = "package")]
    other: bool,
}

spec!(reserved {
    #[crd(validation = "self.as > 0 && self.while && self.package")]
    words: Words,
});

#[test]
fn rules_use_reserved_words_as_names_of_fields() {
    assert_eq!(
        fields::<reserved::Shirt>()["words"]["x-kubernetes-validations"].as_array().map(Vec::len),
        Some(2)
    );
}
