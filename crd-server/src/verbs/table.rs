//! Builds tables, the response form that `kubectl get` requests.
//!
//! Source: `endpoints/handlers/response.go` of `k8s.io/apiserver`.

use crd_docs::table::RESERVE;
use crd_go::budget::{Exhausted, Reserve};
use crd_go::strings::quote;
use crd_go::time::Timestamp;
use serde_json::{Value, json};

use super::columns::TableColumns;
use super::metadata::metadata_only;
use crate::request::accept::MetaVersion;
use crate::request::query::Query;
use crate::status::{Failure, exhausted};

/// Specifies which part of each object a table contains.
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

/// A `Table` without its rows.
pub(super) struct TableForm<'a> {
    pub(super) columns: &'a TableColumns,
    pub(super) version: MetaVersion,
    pub(super) included: IncludedObject,
    /// The time at which ages in the table are computed.
    pub(super) now: &'a str,
    /// `true` if the table describes its columns. In a watch, only the table of the first event describes its columns.
    pub(super) has_columns: bool,
}

/// The rows of a table. All rows share a limit for the steps to compute their cells.
pub(super) struct Rows<'a> {
    form: &'a TableForm<'a>,
    now: Option<Timestamp>,
    reserve: Reserve,
}

impl TableForm<'_> {
    /// Returns the `Table` for an object.
    ///
    /// # Errors
    /// Computing the cells takes more steps than the limit for the object allows.
    pub(super) fn table(&self, object: &Value, metadata: &Value) -> Result<Value, Failure> {
        let mut table = self.head(metadata);
        table["rows"] = json!([self.rows().row(object)?]);
        Ok(table)
    }

    /// Returns the `Table` without rows.
    pub(super) fn head(&self, metadata: &Value) -> Value {
        let columns: Value = if self.has_columns { self.columns.described().into() } else { Value::Null };
        json!({
            "kind": "Table", "apiVersion": self.version.api_version(), "metadata": metadata, "columnDefinitions": columns,
        })
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { form: self, now: Timestamp::parse(self.now), reserve: Reserve::new(RESERVE) }
    }
}

impl Rows<'_> {
    /// Returns an object's row.
    ///
    /// # Errors
    /// Computing the cells takes more steps than the limit for the objects allows.
    pub(super) fn row(&mut self, object: &Value) -> Result<Value, Failure> {
        let cells = self.form.columns.row(object, self.now, &mut self.reserve);
        let cells = cells.map_err(|Exhausted| exhausted())?;
        let object = match self.form.included {
            IncludedObject::None => Value::Null,
            IncludedObject::Object => self.form.columns.included(object),
            IncludedObject::Metadata => metadata_only(object, self.form.version),
        };
        Ok(json!({"cells": cells, "object": object}))
    }
}
