//! Lists, sets, arrays, tuples and units.

use std::collections::{BTreeSet, BinaryHeap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeInclusive};

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
struct Unit;

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct Empty {}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct EmptyTuple();

#[derive(CrdSchema, Serialize, Deserialize)]
struct Newtype(String);

#[derive(CrdSchema, Serialize, Deserialize)]
struct Pair(String, String);

#[derive(CrdSchema, Serialize, Deserialize)]
struct Mixed(String, i32);

#[derive(CrdSchema, Serialize, Deserialize)]
struct WithUnit {
    a: bool,
    unit: Unit,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct WithMarker {
    a: bool,
    #[serde(skip)]
    marker: PhantomData<String>,
}

#[derive(CrdSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
enum Letter {
    A,
    B,
}

#[derive(CrdSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum TupleVariant {
    A(String, String),
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum MixedVariant {
    A(String, i32),
}

#[test]
fn lists() {
    compare(
        "lists",
        &[
            row("Vec<String>", [vec![], vec!["a".to_owned(), "a".to_owned()]]),
            row("VecDeque<i32>", [VecDeque::from([1, 1])]),
            row("LinkedList<i32>", [LinkedList::from([1, 1])]),
            row("BinaryHeap<i32>", [BinaryHeap::from([1])]),
            row("Box<[i32]>", [Vec::from([1]).into_boxed_slice()]),
            row("Vec<Vec<bool>>", [vec![vec![], vec![true]]]),
            row("Vec<Option<i32>>", [vec![None, Some(1)]]),
            row("HashSet<String>", [HashSet::new(), HashSet::from(["a".to_owned()])]),
            row("BTreeSet<u8>", [BTreeSet::new(), BTreeSet::from([0_u8, 255])]),
            row("BTreeSet<unit enum>", [BTreeSet::from([Letter::A, Letter::B])]),
            // A list of type set takes neither null nor, unless they are atomic, objects and lists.
            row("BTreeSet<Option<i32>>", [BTreeSet::from([None, Some(1)])]),
            row("BTreeSet<struct>", [BTreeSet::from([Item { a: 1 }, Item { a: 2 }])]),
            row("BTreeSet<Vec<String>>", [BTreeSet::from([vec![], vec!["a".to_owned()]])]),
            row("[bool; 2]", [[true, false]]),
            row("[String; 1]", [["a".to_owned()]]),
            row("[i32; 32]", [[0; 32]]),
            row("[String; 0]", [[] as [String; 0]]),
            row("(i32, i32)", [(1, 1)]),
            row("(u8, u16, i32)", [(255_u8, 65_535_u16, i32::MIN)]),
            row("(i32, f64)", [(1, 0.5)]),
            row("(String, i32)", [(String::new(), 1)]),
            row("(i32,)", [(1,)]),
            row("tuple struct of one type", [Pair("a".into(), "b".into())]),
            row("tuple struct of two types", [Mixed("a".into(), 1)]),
            row("variant with a tuple of one type", [TupleVariant::A("a".into(), "b".into())]),
            row("variant with a tuple of two types", [MixedVariant::A("a".into(), 1)]),
            row("newtype", [Newtype("a".into())]),
            row("()", [()]),
            row("Option<()>", [Some(()), None]),
            row("unit struct", [Unit]),
            row("field of a unit struct", [WithUnit { a: true, unit: Unit }]),
            row("PhantomData", [PhantomData::<String>]),
            row("skipped PhantomData", [WithMarker { a: true, marker: PhantomData }]),
            row("struct without fields", [Empty::default()]),
            row("tuple struct without fields", [EmptyTuple()]),
            row("Range<i32>", [Range { start: 1, end: 2 }]),
            row("RangeInclusive<u8>", [RangeInclusive::new(0_u8, 255)]),
            row("Bound<i32>", [Bound::Included(1), Bound::Unbounded]),
            row("Result<String, i32>", [Ok("a".to_owned()), Err(1)]),
        ],
    );
}
