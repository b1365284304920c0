//! Mistakes in the attributes of serde and schemars: one error each, and none for the code that their derives do not emit then.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", status = "FooStatus")]
#[serde(renam_all = "camelCase")]
struct FooSpec {
    #[serde(renam = "b")]
    a: String,
    #[serde(default, rename = 1)]
    inner: Inner,
    inners: Vec<Inner>,
    choice: Choice,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelcase")]
struct Inner {
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct FooStatus {
    #[serde(skip_serializing_iff = "Option::is_none")]
    a: Option<i32>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
enum Choice {
    #[serde(flatten)]
    A,
    B(#[serde(deny_unknown_fields)] Generic<i32>),
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Generic<T> {
    #[serde(foo)]
    value: T,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Bar")]
struct BarSpec {
    #[schemars(regex = "^a")]
    a: String,
    #[schemars(regex("^a"))]
    b: String,
    #[schemars(pattern = "^a")]
    c: String,
    #[schemars(length = 5)]
    d: String,
    #[schemars(range(5))]
    e: i32,
    #[schemars(email = true)]
    f: String,
    #[schemars(inner(regex = "^a"), length)]
    g: Vec<String>,
    #[schemars(example = "abc")]
    h: String,
    #[schemars(with)]
    i: String,
    #[schemars(extend = "a")]
    j: String,
    #[schemars(url(), contains = "a")]
    k: String,
}

fn main() {
    let foo = Foo::new("a", FooSpec { a: String::new(), inner: Inner::default(), inners: vec![], choice: Choice::A });
    println!("{:?} {:?}", foo.status, Foo::crd());
    println!("{:?} {:?}", serde_json::to_string(&foo), serde_json::from_str::<BarSpec>("{}"));
}
