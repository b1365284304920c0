//! Compares list types, list map keys and map types.

use crd_core::Structural;

use serde_json::Value;

use super::{Walk, list_type, map_type};
use crate::change::Probe;
use crate::rows;
use crate::schema_path::SchemaPath;

impl Walk<'_> {
    pub(super) fn lists(&mut self, old: &Structural, new: &Structural, at: &SchemaPath) {
        let (before, after) = (list_type(old), list_type(new));
        if before != after {
            let row = if after == "atomic" { &rows::LIST_TYPE_LOOSENED } else { &rows::LIST_TYPE_TIGHTENED };
            let mut change = self.differing(row, at, "x-kubernetes-list-type", (old, new));
            change.has_other_owners = !self.is_owned_whole;
            self.push(change.values(before, after));
        } else if before == "map" {
            let sorted = |schema: &Structural| {
                let mut keys = schema.extensions.list_map_keys.clone().unwrap_or_default();
                keys.sort_unstable();
                keys
            };
            let (before, after) = (sorted(old), sorted(new));
            if before != after {
                let keyword = "x-kubernetes-list-map-keys";
                let mut change = self.differing(&rows::MAP_KEYS_CHANGED, at, keyword, (old, new));
                change.has_other_owners = !self.is_owned_whole;
                let all: Vec<&String> = before.iter().chain(&after).collect();
                let pairs = [&before, &after].map(|kept| {
                    let item = |other: &str| {
                        let field = |name: &&String| {
                            let text = if kept.contains(name) { "a" } else { other };
                            ((*name).clone(), Value::from(text))
                        };
                        Value::Object(all.iter().map(field).collect())
                    };
                    Probe::Value(at.clone(), Value::from(vec![item("a"), item("b")]))
                });
                let change = pairs.into_iter().fold(change, |change, probe| change.probe(probe));
                self.push(change.values(before.clone(), after.clone()));
            }
        }
        let (before, after) = (map_type(old), map_type(new));
        if before != after {
            let mut change = self.change(&rows::MAP_TYPE_CHANGED, at, "x-kubernetes-map-type");
            change.has_other_owners = !self.is_owned_whole;
            self.push(change.values(before, after));
        }
    }
}
