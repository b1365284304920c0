//! The bytes of CRDs, for people and as JSON.

use std::fmt::Write as _;

use crd_core::check::{CrdSizes, SizedPart};
use serde_json::{Value, json};

/// The parts that are shown to people.
const SHOWN: usize = 20;

/// Returns a table of a CRD's sizes, the largest schemas first.
pub(super) fn table(name: &str, sizes: &CrdSizes) -> String {
    let CrdSizes { apply, stored, parts, .. } = sizes;
    let (most_applied, most_stored) = (CrdSizes::MOST_APPLIED, CrdSizes::MOST_STORED);
    let mut table = format!(
        "{name}: {apply} of {most_applied} bytes for `kubectl apply`, {stored} of {most_stored} for etcd\n"
    );
    for SizedPart { version, path, bytes, .. } in parts.iter().take(SHOWN) {
        let path = if path.is_empty() { "(the whole object)" } else { path };
        // Writing to a string does not fail.
        let _ = writeln!(table, "  {bytes:>9}  {version}  {path}");
    }
    if parts.len() > SHOWN {
        let _ = writeln!(table, "  {} more, which `--format json` shows", parts.len() - SHOWN);
    }
    table
}

/// Returns the sizes as part of the line of a CRD.
pub(super) fn json(sizes: &CrdSizes) -> Value {
    let part = |SizedPart { version, path, bytes, .. }: &SizedPart| json!({"version": version, "path": path, "bytes": bytes});
    let parts: Vec<Value> = sizes.parts.iter().map(part).collect();
    json!({"apply": sizes.apply, "stored": sizes.stored, "parts": parts})
}
