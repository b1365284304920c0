//! Types that hold themselves.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct InVec {
    children: Vec<InVec>,
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct InBox {
    next: Option<Box<Self>>,
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct InMap {
    children: BTreeMap<String, InMap>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum InEnum {
    Leaf(i32),
    Both(Vec<InEnum>),
}

#[derive(schemars::JsonSchema, Serialize, Deserialize, Default)]
struct Foreign {
    children: Vec<Foreign>,
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct HoldsForeign {
    tree: Foreign,
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct HoldsForeignMarked {
    #[crd(schemaless)]
    tree: Foreign,
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct Mutual {
    other: Vec<Other>,
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct Other {
    mutual: Vec<Mutual>,
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct Marked {
    value: i32,
    #[crd(schemaless)]
    children: Vec<Marked>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum MarkedEnum {
    Leaf(i32),
    Both(#[crd(schemaless)] Vec<MarkedEnum>),
}

#[test]
fn recursion() {
    let leaf = |value| Marked { value, children: vec![] };
    compare(
        "recursion",
        &[
            row("recursive by Vec", [InVec::default()]),
            row("recursive by Box", [InBox::default()]),
            row("recursive by map", [InMap::default()]),
            row("recursive by enum", [InEnum::Both(vec![InEnum::Leaf(1)])]),
            row("recursive by two types", [Mutual::default()]),
            row("recursive in another crate", [HoldsForeign::default()]),
            row(
                "recursive in another crate, cut",
                [HoldsForeignMarked { tree: Foreign { children: vec![Foreign::default()] } }],
            ),
            row("recursive, cut", [leaf(1), Marked { value: 2, children: vec![leaf(1)] }]),
            row(
                "recursive by enum, cut",
                [MarkedEnum::Leaf(1), MarkedEnum::Both(vec![MarkedEnum::Leaf(1), MarkedEnum::Both(vec![])])],
            ),
        ],
    );
}
