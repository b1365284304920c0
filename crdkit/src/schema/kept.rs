//! Keywords with which a pass stores values in a schema for a later pass.

use std::marker::PhantomData;

use serde_json::{Value, json};

use super::walk::Node;
use crate::marks::stored::Stored;

/// A keyword whose value is a list of `T`.
pub(super) struct Kept<T> {
    keyword: &'static str,
    item: PhantomData<fn() -> T>,
}

impl<T: Stored> Kept<T> {
    pub(super) const fn new(keyword: &'static str) -> Self {
        Self { keyword, item: PhantomData }
    }

    /// Returns the keyword itself.
    pub(super) const fn keyword(&self) -> &'static str {
        self.keyword
    }

    /// Appends values to the existing values.
    pub(super) fn add(&self, node: &mut Node, values: &[T]) {
        if values.is_empty() {
            return;
        }
        if let Value::Array(all) = node.entry(self.keyword).or_insert_with(|| json!([])) {
            for value in values {
                all.push(value.store());
            }
        }
    }

    /// Returns `true` if a schema node has values under this keyword.
    pub(super) fn is_in(&self, node: &Node) -> bool {
        node.contains_key(self.keyword)
    }

    /// Returns the values under this keyword.
    pub(super) fn values(&self, node: &Node) -> Vec<T> {
        node.get(self.keyword).and_then(Vec::restore).unwrap_or_default()
    }

    /// Removes the keyword from a schema node, and returns its values.
    pub(super) fn take(&self, node: &mut Node) -> Vec<T> {
        let values = self.values(node);
        node.remove(self.keyword);
        values
    }
}
