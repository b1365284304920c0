//! Computes the table columns for custom resources, and for kinds whose columns are part of the API server's code, such as CRDs.
//!
//! Source: `pkg/registry/customresource{,definition}/tableconvertor` of apiextensions-apiserver, `autoscaling/v1` in
//! `pkg/registry/customresource/etcd.go`, `pkg/registry/rest/table.go` of `k8s.io/apiserver`.

use std::sync::Arc;

use crd_core::KubeVersion;
use crd_docs::openapi::metadata_description;
use crd_docs::table::{Columns as Custom, human_duration};
use crd_go::budget::{Exhausted, Reserve};
use crd_go::time::Timestamp;
use serde_json::{Value, json};

use crate::definition::established::is_established;
use crate::definition::{Definition, Origin};
use crate::json::text;
use crate::request_info::RequestInfo;

/// The table columns for a resource.
pub(super) enum TableColumns {
    Custom(Arc<Definition>, Option<Custom>),
    Definitions(KubeVersion),
    Components,
    Scale,
}

impl TableColumns {
    /// Returns the columns for the request's resource.
    pub(super) fn for_request(place: &RequestInfo) -> Self {
        match place.definition.origin {
            Origin::Definitions => Self::Definitions(place.definition.release),
            Origin::BuiltIn(row) if row.is_computed => Self::Components,
            _ => Self::Custom(Arc::clone(&place.definition), place.definition.columns(&place.version)),
        }
    }

    /// Returns the column definitions.
    pub(super) fn described(&self) -> Vec<Value> {
        let name = || column("Name", "string", "name", metadata_description("name"), 0);
        let date = |name: &str| column(name, "date", "", metadata_description("creationTimestamp"), 0);
        let number = |name: &str, description: &str| column(name, "integer", "", description, 0);
        match self {
            Self::Custom(_, columns) => {
                let columns = columns.iter().flat_map(|columns| columns.columns());
                columns.map(|column| column.to_value()).collect()
            }
            Self::Definitions(release) if !has_details(*release) => vec![name(), date("Created At")],
            Self::Definitions(_) => {
                let mut columns = vec![
                    name(),
                    column("Scope", "string", "", "Cluster/Namespaced", 0),
                    column("Versions", "string", "", "Served versions", 0),
                    date("Created At"),
                ];
                let wide = [
                    ("Group", "string", "API group"),
                    ("Kind", "string", "CustomResource kind"),
                    ("ShortNames", "string", "Short names"),
                    ("Established", "boolean", "Established status"),
                ];
                columns
                    .extend(wide.map(|(name, type_, description)| column(name, type_, "", description, 1)));
                columns
            }
            Self::Components => {
                let of_conditions = |name: &str| {
                    column(name, "string", "", &format!("{name} of the component conditions"), 0)
                };
                [vec![name()], ["Status", "Message", "Error"].map(of_conditions).to_vec()].concat()
            }
            Self::Scale => vec![
                name(),
                number("Desired", "Number of desired replicas"),
                number("Available", "Number of actual replicas"),
                date("Age"),
            ],
        }
    }

    /// Returns an object as it appears in a table row, with fields in the API server's order.
    pub(super) fn included(&self, object: &Value) -> Value {
        let object = object.clone();
        match self {
            Self::Custom(definition, _) => definition.in_order(object),
            _ => object,
        }
    }

    /// Returns an object's cells.
    ///
    /// # Errors
    /// Computing the columns takes more steps than the limits for the object and the whole table allow.
    pub(super) fn row(
        &self,
        object: &Value,
        now: Option<Timestamp>,
        reserve: &mut Reserve,
    ) -> Result<Vec<Value>, Exhausted> {
        let name = || text(object, &["metadata", "name"]).into();
        let created = text(object, &["metadata", "creationTimestamp"]);
        Ok(match self {
            Self::Custom(_, None) => Vec::new(),
            Self::Custom(_, Some(columns)) => {
                let row = columns.row(object, now, reserve);
                if !row.left_out.is_empty() {
                    return Err(Exhausted);
                }
                row.cells
            }
            Self::Definitions(release) if !has_details(*release) => vec![name(), created.into()],
            Self::Definitions(_) => vec![
                name(),
                text(object, &["spec", "scope"]).into(),
                versions(object).into(),
                created.into(),
                text(object, &["spec", "group"]).into(),
                text(object, &["spec", "names", "kind"]).into(),
                short_names(object).into(),
                is_established(object).into(),
            ],
            Self::Components => {
                let condition = |field: &str| text(&object["conditions"][0], &[field]);
                let status = if condition("status") == "True" { "Healthy" } else { "Unhealthy" };
                vec![name(), status.into(), condition("message").into(), condition("error").into()]
            }
            Self::Scale => {
                let replicas =
                    |path: &str| object.pointer(path).and_then(Value::as_i64).unwrap_or_default().into();
                vec![
                    name(),
                    replicas("/spec/replicas"),
                    replicas("/status/replicas"),
                    age(created, now).into(),
                ]
            }
        })
    }
}

/// Returns `true` if tables of CRDs have more columns than name and age in a Kubernetes version.
fn has_details(release: KubeVersion) -> bool {
    release >= KubeVersion::new(37)
}

fn column(name: &str, type_: &str, format: &str, description: &str, priority: i32) -> Value {
    json!({"name": name, "type": type_, "format": format, "description": description, "priority": priority})
}

/// Returns the served versions of a CRD.
fn versions(definition: &Value) -> String {
    let versions = definition.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten();
    let mut names: Vec<String> = versions
        .filter(|version| version.get("served") == Some(&Value::Bool(true)))
        .map(|version| {
            let name = text(version, &["name"]);
            let is_stored = version.get("storage") == Some(&Value::Bool(true));
            if is_stored { format!("{name}(storage)") } else { name.to_owned() }
        })
        .collect();
    names.sort();
    names.join(",")
}

fn short_names(definition: &Value) -> String {
    let names = definition.pointer("/spec/names/shortNames").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).collect::<Vec<_>>().join(",")
}

/// Returns the age for the table cell of an object with a Go type.
fn age(created: &str, now: Option<Timestamp>) -> String {
    match (Timestamp::parse(created), now) {
        (Some(created), Some(now)) => human_duration(now.seconds.saturating_sub(created.seconds)),
        _ => "<unknown>".to_owned(),
    }
}
