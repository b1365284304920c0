//! The reasons why a CRD or an object is rejected. If there are too many, the rest is only counted.

use std::ops::{Deref, DerefMut};

use super::{CauseReason, Diagnostic, FieldPath};
use crate::KubeVersion;

/// Causes in the order in which they are found.
///
/// The API server returns all causes. This type keeps a limited number, and only counts the others: an object of 3 MiB
/// can have a million causes, each with a message of a megabyte.
///
/// All messages come from one version of the API server.
#[derive(Debug, Default)]
pub struct Causes {
    version: KubeVersion,
    kept: Vec<Diagnostic>,
    /// The size of the kept messages, in bytes.
    text_bytes: usize,
    left_out: u64,
    /// `true` if rules do not run because of an omitted cause.
    left_out_blocking: bool,
}

impl Causes {
    /// Maximum number of causes that are kept.
    pub const MOST: usize = 10_000;
    /// Maximum size of all kept messages except for the last message, in bytes.
    pub const MOST_BYTES: usize = 4 << 20;

    /// Creates an empty list for this version of the API server.
    #[must_use]
    pub fn for_version(version: KubeVersion) -> Self {
        Self { version, ..Self::default() }
    }

    /// Returns the version of the API server.
    #[must_use]
    pub fn version(&self) -> KubeVersion {
        self.version
    }

    /// Adds a cause, or only counts it if the limit is reached.
    pub fn push(&mut self, cause: Diagnostic) {
        if self.is_full() {
            self.leave_out(1, cause.reason.is_blocking());
            return;
        }
        let help = cause.help().map_or(0, str::len);
        self.text_bytes =
            self.text_bytes.saturating_add(cause.field.text_bytes() + cause.message.len() + help);
        self.kept.push(cause);
    }

    /// Adds a cause. Its message is built only if the cause is kept.
    pub fn push_with(&mut self, reason: CauseReason, cause: impl FnOnce() -> Diagnostic) {
        if self.is_full() {
            self.leave_out(1, reason.is_blocking());
        } else {
            self.push(cause());
        }
    }

    /// Counts causes that are not kept.
    pub fn leave_out(&mut self, count: u64, is_blocking: bool) {
        self.left_out += count;
        self.left_out_blocking |= is_blocking;
    }

    /// Returns `true` if no more causes are kept.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.kept.len() >= Self::MOST || self.text_bytes >= Self::MOST_BYTES
    }

    /// Returns the number of causes, including omitted ones.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.kept.len() as u64 + self.left_out
    }

    /// Returns `true` if the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns `true` if rules do not run because of one of the causes.
    #[must_use]
    pub fn has_blocking(&self) -> bool {
        self.left_out_blocking || self.kept.iter().any(|cause| cause.reason.is_blocking())
    }

    /// Appends the causes of `other`.
    pub fn append(&mut self, other: &mut Self) {
        let other = std::mem::replace(other, Self::for_version(other.version));
        self.extend(other.kept);
        self.leave_out(other.left_out, other.left_out_blocking);
    }

    /// Drops the causes for which `is_wanted` returns `false`.
    pub fn retain(&mut self, is_wanted: impl FnMut(&Diagnostic) -> bool) {
        self.kept.retain(is_wanted);
    }

    /// Returns the kept causes, followed by the number of the other causes.
    #[must_use]
    pub fn into_vec(self) -> Vec<Diagnostic> {
        let mut all = self.kept;
        if self.left_out > 0 {
            let causes = if self.left_out == 1 { "cause is" } else { "causes are" };
            let message = format!("{} more {causes} left out", self.left_out);
            all.push(Diagnostic::new(FieldPath::root(), CauseReason::LimitExceeded, message));
        }
        all
    }
}

impl Deref for Causes {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.kept
    }
}

impl DerefMut for Causes {
    fn deref_mut(&mut self) -> &mut [Diagnostic] {
        &mut self.kept
    }
}

impl Extend<Diagnostic> for Causes {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, causes: I) {
        causes.into_iter().for_each(|cause| self.push(cause));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_are_counted() {
        let mut causes = Causes::default();
        for i in 0..Causes::MOST + 2 {
            causes.push(Diagnostic::required(FieldPath::new("list").index(i), ""));
        }
        assert_eq!(causes.count(), Causes::MOST as u64 + 2);
        let all = causes.into_vec();
        assert_eq!(all[Causes::MOST - 1].to_string(), "list[9999]: Required value");
        assert_eq!(all[Causes::MOST].to_string(), "<nil>: 2 more causes are left out");
    }

    #[test]
    fn long_texts_are_counted() {
        let mut causes = Causes::default();
        let long = FieldPath::new("x".repeat(Causes::MOST_BYTES / 2));
        for _ in 0..3 {
            causes.push(Diagnostic::required(long.child("y"), ""));
        }
        assert_eq!((causes.len(), causes.count()), (2, 3));
        assert_eq!(causes.into_vec()[2].to_string(), "<nil>: 1 more cause is left out");
    }
}
