//! `crdkit list-crds`: lists the CRDs in a cluster or in files.

use clap::{Args, ValueEnum};
use crd_core::crd::Version;
use crd_core::{CustomResourceDefinition, DecodeError};
use crd_docs::table::{Columns, RESERVE, print};
use crd_go::budget::Reserve;
use crd_input::Limits;
use crd_report::{Found, Inputs, MessageFormat, Report, Status, ended, json, print_visible};
use serde_json::{Value, json};

use crate::read::Read;

/// List the CRDs of a cluster
///
/// Prints name, kind, scope and versions of the CRDs in a cluster, or in files. Commands with the option --cluster accept these names as
/// INPUT.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ListCrds {
    #[command(flatten)]
    inputs: Inputs,
    /// Format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: ListFormat,
}

const EXAMPLES: &str = "\
Examples:
  crdkit list-crds                        # of the current context
  crdkit list-crds --cluster=staging '*.cert-manager.io'
  crdkit list-crds crds/ --format json
  crdkit generate --cluster certificates.cert-manager.io --out src/generated   # use a name from the list";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// A table
    #[default]
    Human,
    /// One JSON object per line for each CRD
    Json,
}

impl ListCrds {
    pub(crate) fn run(self) -> Status {
        let report = Report::new(false);
        let limits = Limits::default();
        let Found { sources, errors, left_out, .. } = self.inputs.or_cluster().sources(&limits, report);
        let Read { definitions, messages, has_errors, left_out, .. } =
            Read::from_sources(&sources, errors, left_out, &limits).expect_some().keep_first(&sources);
        report.show(&messages, MessageFormat::Human);
        let has_failed = has_errors || definitions.is_empty();
        let status = if has_failed { Status::Unreadable } else { Status::Fine };
        let mut listed: Vec<Value> = definitions.iter().map(|definition| entry(&definition.crd)).collect();
        listed.sort_by_key(|entry| entry["name"].to_string());
        let shown = match self.format {
            _ if listed.is_empty() => Ok(()),
            ListFormat::Human => match table(&listed) {
                Ok(table) => print_visible(&table),
                Err(error) => Err(error.to_string()),
            },
            ListFormat::Json => listed.iter().try_for_each(|entry| crd_report::print(json::line(entry))),
        };
        ended(shown, left_out.end(report, status))
    }
}

fn entry(crd: &CustomResourceDefinition) -> Value {
    let spec = &crd.spec;
    let version = |version: &Version| {
        json!({
            "name": version.name,
            "served": version.served,
            "storage": version.storage,
            "deprecated": version.deprecated == Some(true),
        })
    };
    json!({
        "name": crd.metadata.name,
        "group": spec.group,
        "kind": spec.names.kind,
        "plural": spec.names.plural,
        "shortNames": spec.names.short_names.iter().flatten().collect::<Vec<_>>(),
        "scope": spec.scope,
        "versions": spec.versions.iter().map(version).collect::<Vec<_>>(),
    })
}

/// Returns the table, formatted like the output of `kubectl get`.
fn table(listed: &[Value]) -> Result<String, DecodeError> {
    let column =
        |name: &str| json!({"name": name, "type": "string", "jsonPath": format!(".{}", name.to_lowercase())});
    let columns = ["Kind", "Scope", "Versions"].map(column);
    let table = CustomResourceDefinition::from_value(json!({
        "spec": {"versions": [{"name": "v1", "additionalPrinterColumns": columns}]},
    }))?;
    let Some(columns) = Columns::for_version(&table, "v1") else { return Ok(String::new()) };
    let mut reserve = Reserve::new(RESERVE);
    let rows: Vec<Vec<Value>> =
        listed.iter().map(|entry| columns.row(&row(entry), None, &mut reserve).cells).collect();
    Ok(print(columns.columns(), &rows, false))
}

/// Returns an object whose fields are the cells of a row.
fn row(entry: &Value) -> Value {
    let versions = entry["versions"].as_array().into_iter().flatten().map(|version| {
        let name = version["name"].as_str().unwrap_or_default();
        let remark = match version {
            version if version["storage"] == true => " (storage)",
            version if version["served"] != true => " (not served)",
            version if version["deprecated"] == true => " (deprecated)",
            _ => "",
        };
        format!("{name}{remark}")
    });
    let versions = versions.collect::<Vec<_>>().join(", ");
    json!({"metadata": {"name": entry["name"]}, "kind": entry["kind"], "scope": entry["scope"], "versions": versions})
}
