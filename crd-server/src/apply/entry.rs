//! The entries of `metadata.managedFields`.

use crd_go::strings::quote;
use serde_json::{Value, json};

use super::set::Set;
use crate::json::text;

/// The fields that a manager owns.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) manager: String,
    /// `true` if the manager applied the fields, `false` if it updated them.
    pub(crate) is_apply: bool,
    pub(crate) api_version: String,
    pub(crate) subresource: String,
    pub(crate) time: Option<String>,
    pub(crate) set: Set,
}

impl Entry {
    /// Returns `true` if both entries belong to the same manager. Each manager has one entry in `managedFields`.
    pub(crate) fn is_same_manager(&self, other: &Self) -> bool {
        // Of an applier there is one entry, whichever version it applies.
        let has_version = self.is_apply || self.api_version == other.api_version;
        has_version
            && (&self.manager, self.is_apply, &self.subresource)
                == (&other.manager, other.is_apply, &other.subresource)
    }

    /// Returns the description of the manager in messages.
    pub(crate) fn print(&self) -> String {
        let mut text = quote(&self.manager);
        if !self.subresource.is_empty() {
            text.push_str(&format!(" with subresource {}", quote(&self.subresource)));
        }
        if !self.is_apply {
            text.push_str(&format!(" using {}", self.api_version));
        }
        text
    }

    /// Returns the key by which managers are sorted in messages.
    pub(crate) fn sort_key(&self) -> (String, &'static str, String, String) {
        (self.manager.clone(), self.operation(), self.api_version.clone(), self.subresource.clone())
    }

    fn operation(&self) -> &'static str {
        if self.is_apply { "Apply" } else { "Update" }
    }

    fn encode(&self) -> Value {
        let mut entry = json!({
            "manager": self.manager, "operation": self.operation(), "apiVersion": self.api_version,
        });
        if let Some(time) = &self.time {
            entry["time"] = time.clone().into();
        }
        entry["fieldsType"] = "FieldsV1".into();
        entry["fieldsV1"] = self.set.encode();
        if !self.subresource.is_empty() {
            entry["subresource"] = self.subresource.clone().into();
        }
        entry
    }
}

/// Returns `true` if a client asks to reset `managedFields`. A list with one empty entry means this, and also an empty list if the kind has
/// a Go type. For other kinds, the decoder drops an empty list.
pub(crate) fn is_reset(managed_fields: &Value, has_type: bool) -> bool {
    managed_fields.as_array().is_some_and(|entries| match entries.as_slice() {
        // A Go type reads `null` as an empty entry.
        [] | [Value::Null] => has_type,
        [entry] => entry.as_object().is_some_and(|fields| fields.values().all(is_empty)),
        _ => false,
    })
}

fn is_empty(value: &Value) -> bool {
    value.as_str().map_or(value.is_null(), str::is_empty)
}

/// Reads the entries of `managedFields`. If one entry is unreadable, the result is empty.
///
/// Source: `DecodeManagedFields` in `managedfields.go` of `k8s.io/apimachinery/pkg/util/managedfields/internal`.
pub(crate) fn decode(managed_fields: Option<&Value>) -> Vec<Entry> {
    let entries = managed_fields.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let decode = |entry: &Value| {
        let is_apply = match text(entry, &["operation"]) {
            "Apply" => true,
            "Update" => false,
            _ => return None,
        };
        if text(entry, &["apiVersion"]).is_empty() || text(entry, &["fieldsType"]) != "FieldsV1" {
            return None;
        }
        Some(Entry {
            manager: text(entry, &["manager"]).to_owned(),
            is_apply,
            api_version: text(entry, &["apiVersion"]).to_owned(),
            subresource: text(entry, &["subresource"]).to_owned(),
            time: entry.get("time").and_then(Value::as_str).map(str::to_owned),
            set: entry.get("fieldsV1").map_or(Ok(Set::default()), Set::decode).ok()?,
        })
    };
    let decoded: Option<Vec<Entry>> = entries.iter().map(decode).collect();
    let mut distinct: Vec<Entry> = Vec::new();
    for entry in decoded.unwrap_or_default() {
        // Of two entries of one manager, the last one counts.
        distinct.retain(|other| !other.is_same_manager(&entry));
        distinct.push(entry);
    }
    distinct
}

/// Returns `managedFields` in the API server's order, or `None` if there are no entries.
pub(crate) fn encode(mut entries: Vec<Entry>) -> Option<Value> {
    entries.sort_by_key(|entry| {
        let (manager, _, version, subresource) = entry.sort_key();
        (entry.operation(), entry.time.clone(), manager, version, subresource)
    });
    (!entries.is_empty()).then(|| entries.iter().map(Entry::encode).collect())
}
