//! The types of a resource's objects in each version.

use std::borrow::Cow;

use super::compare::Comparison;
use super::merge::Emptied;
use super::set::Set;
use super::shape::Node;
use super::validate::{Duplicates, validate};
use serde_json::Value;

/// The types of the versions in which managers own fields.
pub(crate) trait Types: std::fmt::Debug {
    /// Returns the type of objects with an `apiVersion`, if the `apiVersion` exists.
    fn node(&self, api_version: &str) -> Option<Node<'_>>;

    /// Returns the top-level fields that a write in an `apiVersion` does not change.
    fn reset(&self, api_version: &str) -> &[&'static str];

    /// Returns what becomes of maps and lists when an apply removes their last item.
    fn emptied(&self) -> Emptied;

    /// Returns `true` if managers lose fields that they own in versions that do not exist. Otherwise, every write to such an object fails.
    fn drops_unknown_versions(&self) -> bool {
        false
    }

    /// Returns an object in another `apiVersion`. Without a conversion webhook, the object is returned unchanged.
    fn convert<'v>(&self, value: &'v Value, api_version: &str) -> Result<Cow<'v, Value>, String> {
        let _ = api_version;
        Ok(Cow::Borrowed(value))
    }

    /// Converts an object to another version. Also returns the object's type in that version.
    ///
    /// Source: `internal/versionconverter.go` of `k8s.io/apimachinery/pkg/util/managedfields`.
    fn converted<'v>(
        &self,
        value: &'v Value,
        api_version: &str,
    ) -> Result<(Cow<'v, Value>, Node<'_>), String> {
        let own = crate::json::text(value, &["apiVersion"]);
        let unknown = || format!("request to convert CR to an invalid group/version: {api_version}");
        let node = self.node(api_version).ok_or_else(unknown)?;
        if own == api_version {
            return Ok((Cow::Borrowed(value), node));
        }
        let value = self.convert(value, api_version)?;
        validate(&value, node, None, Duplicates::Rejected)?;
        Ok((value, node))
    }

    /// Returns the fields that a write in a version cannot change.
    fn reset_fields(&self, api_version: &str) -> Set {
        self.reset(api_version)
            .iter()
            .fold(Set::default(), |set, name| set.union(&Set::from_fields(&[*name])))
    }

    /// Returns the fields in which two objects differ in a version, except for fields that a write does not change.
    fn compare(&self, old: &Value, new: &Value, api_version: &str) -> Result<Comparison, String> {
        let failed = |which: &str, error| format!("failed to convert {which} object: {error}");
        let (old, _) = self.converted(old, api_version).map_err(|error| failed("old", error))?;
        let (new, node) = self.converted(new, api_version).map_err(|error| failed("new", error))?;
        Ok(Comparison::new(&old, &new, node).without(&self.reset_fields(api_version)))
    }
}
