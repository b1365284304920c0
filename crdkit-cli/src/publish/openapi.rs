//! `crdkit openapi`: prints the schemas that the API server publishes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use crd_docs::openapi::{NotPublished, OpenApi, publish};
use crd_report::{Paths, Report, Status, ended, print_visible};
use serde_json::{Map, Value};

use super::{Ended, api_version, definitions, fail};
use crate::server::Publisher;

/// Print the OpenAPI schemas that the API server publishes
///
/// Prints the schemas of the kinds and of their lists, by name, as kube-apiserver 1.36 publishes them at /openapi/v3/apis/GROUP/VERSION.
/// They include the metadata of objects, and `anyOf` for int-or-string fields.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Openapi {
    #[command(flatten)]
    inputs: Paths,
    /// Same as INPUT, as in other commands
    #[arg(long, value_name = "CRD")]
    crd: Vec<PathBuf>,
    /// Print only this group and version; by default all served versions
    #[arg(long, value_name = "GROUP/VERSION", value_parser = api_version)]
    api_version: Option<(String, String)>,
    /// The version of OpenAPI
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    form: Form,
    #[command(flatten)]
    publisher: Publisher,
}

const EXAMPLES: &str = "\
Examples:
  crdkit openapi crds/shirt.yaml
  crdkit openapi --api-version stable.example.com/v1 crds/ | jq 'keys'
  crdkit openapi --form v2 crds/   # the schemas for old clients";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// /openapi/v2, which lacks defaults, allOf, anyOf, oneOf, not, nullable types, and the fields of objects that preserve unknown fields
    V2,
    /// /openapi/v3
    #[default]
    V3,
}

impl Openapi {
    pub(crate) fn run(self) -> Status {
        let report = Report::new(false);
        match self.schemas(report) {
            Ok((schemas, status)) => {
                let text = serde_json::to_string_pretty(&schemas).unwrap_or_default();
                ended(print_visible(&(text + "\n")), status)
            }
            Err(status) => status,
        }
    }

    fn schemas(&self, report: Report) -> Ended<(Map<String, Value>, Status)> {
        let form = match self.form {
            Form::V2 => OpenApi::V2,
            Form::V3 => OpenApi::V3,
        };
        let named = self.inputs.named().into_iter().chain(self.crd.iter().cloned()).collect();
        let mut schemas = Map::new();
        let (definitions, status) = definitions(named, self.inputs.search(), report)?;
        for crd in &definitions {
            for version in &crd.spec.versions {
                let is_asked = self
                    .api_version
                    .as_ref()
                    .is_none_or(|(group, name)| *group == crd.spec.group && *name == version.name);
                if !is_asked {
                    continue;
                }
                match publish(crd, &version.name, form) {
                    Ok(published) => schemas.extend(published),
                    Err(NotPublished::NotServed) => {}
                    Err(error) => {
                        let kind = &crd.spec.names.kind;
                        let text = format!("{kind} of version {} is not published: {error}", version.name);
                        return fail(report, Status::Wrong, text, None);
                    }
                }
            }
        }
        if let (true, Some((group, version))) = (schemas.is_empty(), &self.api_version) {
            return fail(report, Status::Wrong, format!("no CRD serves {group}/{version}"), None);
        }
        Ok((schemas, status))
    }
}
