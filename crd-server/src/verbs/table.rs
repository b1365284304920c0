//! Tables: the form of answers that `kubectl get` prints.
//!
//! Source: `endpoints/handlers/response.go` of `k8s.io/apiserver`.

use crd_go::strings::quote;
use crd_go::time::Timestamp;
use serde_json::{Value, json};

use super::Place;
use super::read::metadata_only;
use crate::request::query::Query;
use crate::status::Failure;

/// The part of each object that a table contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IncludedObject {
    Metadata,
    Object,
    None,
}

impl IncludedObject {
    /// Reads the parameter `includeObject`.
    pub(super) fn read(query: &Query) -> Result<Self, Failure> {
        match query.text("includeObject") {
            "" | "Metadata" => Ok(Self::Metadata),
            "Object" => Ok(Self::Object),
            "None" => Ok(Self::None),
            other => Err(Failure::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {}: must be 'Metadata', 'Object', \
                 'None', or empty",
                quote(other)
            ))),
        }
    }
}

/// The `Table` of objects. Without `has_columns`, it does not describe its columns: those of a watch are in its first event.
pub(super) fn table(
    place: &Place,
    objects: &[Value],
    metadata: &Value,
    included: IncludedObject,
    now: &str,
    has_columns: bool,
) -> Value {
    let columns = place.definition.columns(&place.version);
    let now = Timestamp::parse(now);
    let rows: Vec<Value> = objects
        .iter()
        .map(|object| {
            let cells = columns.as_ref().map(|columns| columns.row(object, now)).unwrap_or_default();
            let object = match included {
                IncludedObject::None => Value::Null,
                IncludedObject::Object => object.clone(),
                IncludedObject::Metadata => metadata_only(object),
            };
            json!({"cells": cells, "object": object})
        })
        .collect();
    let columns = columns.iter().flat_map(|columns| columns.columns()).map(|column| column.to_value());
    let columns: Value = if has_columns { columns.collect::<Vec<_>>().into() } else { Value::Null };
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
        "columnDefinitions": columns, "rows": rows,
    })
}
