//! `crdkit schema`: JSON Schemas for editors and validators, in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use crd_codegen::cli::Paths;
use crd_core::CustomResourceDefinition;
use crd_docs::json_schema::{Draft, SchemaOptions, json_schema};
use crd_docs::openapi::NotPublished;
use crd_go::names::{is_dns_1123_label, is_dns_1123_subdomain};
use crd_report::{Program, Report, Status, some};
use serde_json::{Value, json};

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
        match self.files(report).and_then(|files| self.put(&files, report)) {
            Ok(status) | Err(status) => status,
        }
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

    fn put(&self, files: &BTreeMap<String, String>, report: Report) -> Ended<Status> {
        let is_current = |path: &Path, text: &str| fs::read_to_string(path).is_ok_and(|found| found == text);
        let stale: Vec<(PathBuf, &String)> = files
            .iter()
            .map(|(path, text)| (self.out.join(path), text))
            .filter(|(path, text)| !is_current(path, text))
            .collect();
        if self.check {
            let Some((path, _)) = stale.first() else { return Ok(Status::Fine) };
            let text = format!(
                "{} of {} are not current, such as {}",
                stale.len(),
                some(files.len(), "file"),
                path.display()
            );
            return fail(report, Status::Wrong, text, Some("run the command without `--check`".to_owned()));
        }
        for (path, text) in &stale {
            if let Err(reason) = write(&self.out, path, text) {
                return fail(
                    report,
                    Status::Unreadable,
                    format!("{} cannot be written: {reason}", path.display()),
                    None,
                );
            }
        }
        report.line(&format!(
            "wrote {} to {}; {} were current",
            some(stale.len(), "file"),
            self.out.display(),
            files.len() - stale.len()
        ));
        Ok(Status::Fine)
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

/// Writes a file beside its place and renames it. Links below the folder are not followed.
fn write(out: &Path, path: &Path, text: &str) -> Result<(), String> {
    let reason = |error: std::io::Error| error.to_string();
    let folder = path.parent().unwrap_or(out);
    if folder != out && fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink()) {
        return Err("its folder is a link".to_owned());
    }
    fs::create_dir_all(folder).map_err(reason)?;
    let mut file = tempfile::Builder::new().prefix(".crdkit-").tempfile_in(folder).map_err(reason)?;
    file.write_all(text.as_bytes()).map_err(reason)?;
    readable(file.as_file()).map_err(reason)?;
    file.persist(path).map_err(|error| reason(error.error))?;
    Ok(())
}

/// Gives a new file the permissions that files have, where temporary ones are their owner's only.
#[cfg(unix)]
fn readable(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &fs::File) -> std::io::Result<()> {
    Ok(())
}
