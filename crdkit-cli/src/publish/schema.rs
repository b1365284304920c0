//! `crdkit schema`: JSON Schemas for editors and validators, in a folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use crd_codegen::cli::Paths;
use crd_core::CustomResourceDefinition;
use crd_docs::json_schema::{Draft, SchemaOptions, json_schema};
use crd_docs::openapi::NotPublished;
use crd_go::names::{is_dns_1123_label, is_dns_1123_subdomain};
use crd_report::{Program, Report, Status};
use serde_json::{Value, json};

use super::folder::Folder;
use super::{Ended, definitions, fail};

/// Write JSON Schemas for editors, kubeconform and other validators
///
/// Writes a schema for each served version as `GROUP/KIND_VERSION.json` in lower case, the layout of the CRDs catalogue that
/// yaml-language-server and kubeconform read. Besides, `index.json` lists the kinds, and `all.json` accepts all of them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    #[command(flatten)]
    inputs: Paths,
    /// The folder for the schemas
    #[arg(long, required = true, value_name = "DIR")]
    out: PathBuf,
    /// The draft of JSON Schema
    #[arg(long, value_enum, default_value_t, value_name = "DRAFT")]
    draft: DraftName,
    /// Refuse fields that the definitions do not know; otherwise they are accepted, and the API server drops them
    #[arg(long)]
    strict: bool,
    /// Write nothing; exit with status 1 if the files are not those that would be written
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "\
Examples:
  crdkit schema crds/ --out schemas --strict
  kubeconform -schema-location default -schema-location 'schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json' objects/
  crdkit schema crds/ --out schemas --strict --check   # in CI: are the files current?";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DraftName {
    /// Draft 4, for old tools
    #[value(name = "4")]
    Draft4,
    /// Draft 7
    #[value(name = "7")]
    Draft7,
    /// Draft 2020-12
    #[default]
    #[value(name = "2020-12")]
    Draft202012,
}

impl Schema {
    pub(crate) fn run(self, program: Program) -> Status {
        let report = Report::new(program, false);
        match self.files(report).and_then(|files| self.put(files, report)) {
            Ok(status) | Err(status) => status,
        }
    }

    fn put(&self, files: BTreeMap<String, String>, report: Report) -> Ended<Status> {
        let mut folder = Folder::new(&self.out, self.check);
        for (path, text) in files {
            folder.put(&path, &text).or_else(|reason| fail(report, Status::Unreadable, reason, None))?;
        }
        folder.end(report)
    }

    /// The texts of the files by their paths below the folder.
    fn files(&self, report: Report) -> Ended<BTreeMap<String, String>> {
        let draft = match self.draft {
            DraftName::Draft4 => Draft::Draft4,
            DraftName::Draft7 => Draft::Draft7,
            DraftName::Draft202012 => Draft::Draft202012,
        };
        let options = SchemaOptions::default().with_draft(draft).with_strict(self.strict);
        let mut files = BTreeMap::new();
        let mut index = Vec::new();
        for crd in &definitions(self.inputs.named(), report)? {
            for version in &crd.spec.versions {
                let schema = match json_schema(crd, &version.name, options) {
                    Ok(schema) => schema,
                    Err(NotPublished::NotServed) => continue,
                    Err(error) => {
                        let kind = &crd.spec.names.kind;
                        let text = format!("{kind} of version {} has no schema: {error}", version.name);
                        return fail(report, Status::Wrong, text, None);
                    }
                };
                let Some(path) = path(crd, &version.name) else {
                    let text = format!("the names of {:?} cannot be a path", crd.metadata.name);
                    return fail(report, Status::Wrong, text, Some("see `crdkit check`".to_owned()));
                };
                let (group, kind) = (&crd.spec.group, &crd.spec.names.kind);
                index.push(json!({"group": group, "kind": kind, "version": version.name, "schema": path}));
                if files.insert(path.clone(), text(&schema)).is_some() {
                    let text = format!("there are two definitions of {kind} in {group}/{}", version.name);
                    return fail(report, Status::Wrong, text, None);
                }
            }
        }
        let references: Vec<Value> = files.keys().map(|path| json!({"$ref": path})).collect();
        files.insert("all.json".to_owned(), text(&json!({"oneOf": references})));
        files.insert("index.json".to_owned(), text(&Value::Array(index)));
        Ok(files)
    }
}

/// The path of a schema in the catalogue's layout; `None` where the names could lead out of the folder.
fn path(crd: &CustomResourceDefinition, version: &str) -> Option<String> {
    let (group, kind) = (&crd.spec.group, crd.spec.names.kind.to_lowercase());
    let are_names = is_dns_1123_subdomain(group) && is_dns_1123_label(&kind) && is_dns_1123_label(version);
    are_names.then(|| format!("{group}/{kind}_{version}.json"))
}

fn text(schema: &Value) -> String {
    serde_json::to_string_pretty(schema).unwrap_or_default() + "\n"
}
