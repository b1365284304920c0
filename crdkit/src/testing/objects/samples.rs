//! A node of a schema -> some values that are likely to meet it, the same in every run.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crd_core::Structural;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::values::values;

/// How many values there are of a node, before those that are there twice are left out.
const COUNT: usize = 8;

/// How deep the nodes are taken to stand: what is put into an object is to be small.
const DEPTH: u32 = 4;

/// Values of the nodes of one schema, made when they are first asked for.
#[derive(Default)]
pub(super) struct Samples(RefCell<HashMap<*const Structural, Rc<[Value]>>>);

impl Samples {
    /// The values of a node, which is one of the schema's.
    pub(super) fn of(&self, node: &Structural) -> Rc<[Value]> {
        let known = self.0.borrow().get(&std::ptr::from_ref(node)).map(Rc::clone);
        known.unwrap_or_else(|| {
            let made = make(node);
            self.0.borrow_mut().insert(std::ptr::from_ref(node), Rc::clone(&made));
            made
        })
    }
}

fn make(node: &Structural) -> Rc<[Value]> {
    let strategy = values(node, DEPTH);
    let mut runner = TestRunner::deterministic();
    let mut made: Vec<Value> = Vec::new();
    for _ in 0..COUNT {
        if let Ok(tree) = strategy.new_tree(&mut runner) {
            let value = tree.current();
            if !made.contains(&value) {
                made.push(value);
            }
        }
    }
    made.into()
}
