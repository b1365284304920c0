//! Runs requests with an object under both CRDs.

use std::cell::OnceCell;

use crd_core::admit::Rejection;
use serde_json::Value;

use super::evidence::{is_stuck, with_label};
use super::side::{Pair, Target};

/// An object, and a cache for the results of requests with this object under both CRDs.
pub(crate) struct Tried<'t> {
    pub(super) pair: &'t Pair,
    pub(super) object: &'t Value,
    by_old: OnceCell<Result<Value, Rejection>>,
    by_new: OnceCell<Result<Value, Rejection>>,
    /// The object as read under the new CRD, or `Some(None)` if it equals the stored object, which may be too large to copy.
    read: OnceCell<Option<Option<Value>>>,
    label: OnceCell<Option<(Value, Rejection)>>,
    is_stuck: OnceCell<bool>,
}

impl<'t> Tried<'t> {
    pub(crate) fn new(pair: &'t Pair, object: &'t Value) -> Self {
        let (by_old, by_new) = (OnceCell::new(), OnceCell::new());
        let (read, label, is_stuck) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { pair, object, by_old, by_new, read, label, is_stuck }
    }

    /// Returns the object as stored under the old CRD.
    pub(super) fn by_old(&self) -> Result<&Value, &Rejection> {
        self.by_old.get_or_init(|| self.pair.old.create(self.object)).as_ref()
    }

    /// Returns the object as stored under the new CRD.
    pub(super) fn by_new(&self) -> Result<&Value, &Rejection> {
        self.by_new.get_or_init(|| self.pair.new.create(self.object)).as_ref()
    }

    /// Returns the object as stored under the old CRD and then read under the new CRD.
    pub(super) fn read(&self) -> Option<&Value> {
        let stored = self.by_old().ok()?;
        let read = self.read.get_or_init(|| {
            let read = self.pair.new.read(stored, &self.pair.old).ok()?;
            Some((read != *stored).then_some(read))
        });
        read.as_ref().map(|other| other.as_ref().unwrap_or(stored))
    }

    /// Returns the object with an additional label, and the rejection of this update by the new CRD. Returns `None` if the new CRD accepts
    /// the update.
    pub(super) fn label(&self) -> Option<&(Value, Rejection)> {
        let (stored, read) = (self.by_old().ok()?, self.read()?);
        if read == stored && self.by_new() == Ok(stored) && !self.pair.new.has_transitions() {
            // What the new CRD stores as it is, it also keeps: only rules that see the old value distinguish the requests.
            return None;
        }
        let label = self.label.get_or_init(|| {
            let labelled = with_label(read.clone());
            let refusal = self.pair.new.update(&labelled, stored, Target::Object).err()?;
            Some((labelled, refusal))
        });
        label.as_ref()
    }

    /// Returns `true` if the new CRD rejects every update of the object, even a change to a label.
    pub(super) fn is_stuck(&self) -> bool {
        let is_stuck =
            || self.label().is_some() && self.by_old().is_ok_and(|stored| !is_stuck(&self.pair.old, stored));
        *self.is_stuck.get_or_init(is_stuck)
    }
}
