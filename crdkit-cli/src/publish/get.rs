//! `crdkit get`: prints the table that `kubectl get` would print for objects in files.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use crd_core::CustomResourceDefinition;
use crd_docs::table::{Column, Columns, RESERVE, print};
use crd_go::budget::Reserve;
use crd_go::time::Timestamp;
use crd_input::Limits;
use crd_report::{
    Found, Message, MessageFormat, Messages, Paths, Report, Status, answer, ended, json, print_visible,
};
use serde_json::{Value, json};

use super::{Ended, definitions};
use crate::server::Publisher;

/// Print objects as the table that kubectl get shows
///
/// Prints the objects in the inputs with the printer columns of their CRDs, as kube-apiserver 1.36 evaluates them. Ages are relative to the
/// current time, or to the time of --now.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Get {
    #[command(flatten)]
    inputs: Paths,
    /// A file or directory with the CRDs; repeatable
    #[arg(long, required = true, value_name = "CRD")]
    crd: Vec<PathBuf>,
    /// With `wide`, also show the columns with a priority
    #[arg(long, short, value_enum, value_name = "OUTPUT")]
    output: Option<Output>,
    /// Format of the table
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TableFormat,
    /// The time to which ages are relative, in RFC 3339: 2026-01-01T00:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<Timestamp>,
    #[command(flatten)]
    publisher: Publisher,
}

const EXAMPLES: &str = "\
Examples:
  crdkit get --crd crds/ objects/
  crdkit get --crd crds/ -o wide --now 2026-01-01T00:00:00Z objects/
  crdkit get --crd new-crd.yaml --format json objects/ | jq .rows
  kubectl get shirts -o yaml | crdkit get --crd new-crd.yaml -";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// All columns
    Wide,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TableFormat {
    /// The table as kubectl prints it
    #[default]
    Human,
    /// One JSON object per line for each kind, with the columns and the cells of each row
    Json,
}

fn time(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| "expected a time, as in 2026-01-01T00:00:00Z".to_owned())
}

/// The table for a kind and version.
struct Table {
    api_version: String,
    kind: String,
    columns: Columns,
    rows: Vec<Vec<Value>>,
}

impl Get {
    pub(crate) fn run(self) -> Status {
        let report = Report::new(false);
        self.tables(report).unwrap_or_else(|status| status)
    }

    fn tables(&self, report: Report) -> Ended<Status> {
        let (definitions, read) = definitions(self.crd.clone(), self.inputs.search(), report)?;
        let now = self.now.or_else(present);
        let limits = Limits::default();
        let Found { sources, mut errors, mut left_out, .. } = self.inputs.sources(&limits, report);
        let (mut tables, mut refused, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
        let mut reserve = Reserve::new(RESERVE);
        for source in &sources {
            let unread = crd_input::each_submitted(source, &limits, &mut |object| {
                let document = object.document;
                let object = &document.value;
                let message = |text| Message { file: source.name().to_owned(), ..Message::for_run(text) };
                match add(object, &definitions, now, &mut tables, &mut reserve) {
                    Ok(columns) if columns.is_empty() => {}
                    Ok(columns) => skipped.push(message(format!(
                        "{}: these columns are not evaluated, because their paths take too much work: {}",
                        answer::kind(object),
                        columns.join(", ")
                    ))),
                    Err(text) => refused.push(message(text)),
                }
            });
            let is_wanted = |line: &str| {
                line.contains("apiVersion") && definitions.iter().any(|crd| line.contains(&crd.spec.group))
            };
            errors.extend(left_out.sift_where(unread, std::slice::from_ref(source), &limits, &is_wanted));
        }
        let mut messages = Messages::new(&sources, &limits).all(&errors, &[]);
        messages.append(&mut refused);
        if tables.is_empty() && messages.is_empty() {
            messages.push(Message::for_run("no object in the inputs".to_owned()));
        }
        let status = match (messages.is_empty(), skipped.is_empty()) {
            (false, _) => Status::Unreadable,
            (true, false) => Status::Wrong,
            (true, true) => Status::Fine,
        };
        messages.append(&mut skipped);
        let shown = match self.format {
            TableFormat::Human => print_visible(&self.human(&tables)),
            TableFormat::Json => tables.iter().try_for_each(|table| crd_report::print(table.json())),
        };
        report.show(&messages, MessageFormat::Human);
        Ok(ended(shown, left_out.end(report, status.max(read))))
    }

    fn human(&self, tables: &[Table]) -> String {
        let is_wide = self.output == Some(Output::Wide);
        let mut texts = Vec::new();
        for table in tables {
            let mut rows = table.rows.clone();
            if tables.len() > 1 {
                rows.iter_mut().for_each(|row| table.name_kind(row));
            }
            texts.push(print(table.columns.columns(), &rows, is_wide));
        }
        texts.join("\n")
    }
}

impl Table {
    fn json(&self) -> String {
        let columns: Vec<Value> = self.columns.columns().iter().map(Column::to_value).collect();
        json::line(&json!({"columns": columns, "rows": self.rows}))
    }

    /// Prefixes the name in a row with the kind, like kubectl in tables with several kinds.
    fn name_kind(&self, row: &mut [Value]) {
        let group = self.api_version.split('/').next().unwrap_or_default();
        if let Some(Value::String(name)) = row.first_mut() {
            *name = format!("{}.{group}/{name}", self.kind.to_lowercase());
        }
    }
}

/// Adds an object's row to the table for its kind. Returns the names of columns that are left empty because they take too many steps to
/// compute.
fn add(
    object: &Value,
    definitions: &[CustomResourceDefinition],
    now: Option<Timestamp>,
    tables: &mut Vec<Table>,
    reserve: &mut Reserve,
) -> Result<Vec<String>, String> {
    let api_version = object["apiVersion"].as_str().unwrap_or_default();
    let kind = object["kind"].as_str().unwrap_or_default();
    let known = tables.iter().position(|table| table.api_version == api_version && table.kind == kind);
    let index = match known {
        Some(index) => index,
        None => {
            let (group, version) = api_version.split_once('/').unwrap_or_default();
            let is_of =
                |crd: &&CustomResourceDefinition| crd.spec.group == group && crd.spec.names.kind == kind;
            let crd = definitions.iter().find(is_of);
            let crd = crd.ok_or_else(|| format!("no CRD of {}", answer::kind(object)))?;
            let columns = Columns::for_version(crd, version);
            let columns = columns.ok_or_else(|| format!("the CRD of {kind} has no version `{version}`"))?;
            let (api_version, kind) = (api_version.to_owned(), kind.to_owned());
            tables.push(Table { api_version, kind, columns, rows: Vec::new() });
            tables.len() - 1
        }
    };
    let table = &mut tables[index];
    let row = table.columns.row(object, now, reserve);
    let left_out = row.left_out.iter().map(|&column| column.to_owned()).collect();
    table.rows.push(row.cells);
    Ok(left_out)
}

fn present() -> Option<Timestamp> {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp {
        seconds: i64::try_from(elapsed.as_secs()).ok()?,
        nanos: elapsed.subsec_nanos(),
        offset: 0,
    })
}
