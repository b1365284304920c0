//! `crdkit schema`: writes JSON Schemas for editors and validators to a directory.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{Args, ValueEnum};
use crd_core::CustomResourceDefinition;
use crd_docs::json_schema::{Draft, SchemaOptions, json_schema};
use crd_docs::openapi::NotPublished;
use crd_go::names::{is_dns_1123_label, is_dns_1123_subdomain};
use crd_input::{Limits, Source};
use crd_report::{Found, MessageFormat, Messages, Paths, Report, Status};
use serde_json::{Value, json};

use super::files::Files;
use super::{Ended, TWO_OF_ONE_KIND, definitions, leave_out};
use crate::modeline;

/// Write JSON Schemas for editors, kubeconform and other validators
///
/// Writes a schema for each served version into `GROUP/KIND_VERSION.json`, in lower case. yaml-language-server and kubeconform use this
/// layout for catalogs of CRDs. Also writes `index.json`, which lists the kinds, and `all.json`, a schema that accepts objects of all
/// kinds.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    #[command(flatten)]
    inputs: Paths,
    /// The directory for the schemas
    #[arg(long, short, required = true, value_name = "DIR")]
    out: PathBuf,
    /// The draft of JSON Schema
    #[arg(long, value_enum, default_value_t, value_name = "DRAFT")]
    draft: DraftName,
    /// Reject fields that the CRDs do not declare; by default, the schemas accept these fields, which the API server drops
    #[arg(long)]
    strict: bool,
    /// Add a first line that names the schema, for editors, to YAML files with objects of these kinds: files or directories; repeatable
    #[arg(long, value_name = "FILE|DIR")]
    modeline: Vec<PathBuf>,
    /// Write nothing; exit with status 1 if the files are out of date
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "\
Examples:
  crdkit schema crds/ --out schemas --strict
  kubeconform -schema-location default -schema-location 'schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json' objects/
  crdkit schema crds/ --out schemas --strict --modeline objects/   # editors know the schema of each file
  crdkit schema crds/ --out schemas --strict --check   # in CI: are the files up to date?";

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
    pub(crate) fn run(self) -> Status {
        let report = Report::new(false);
        match self.files(report).and_then(|(files, status)| Ok(self.put(&files, report)?.max(status))) {
            Ok(status) | Err(status) => status,
        }
    }

    fn put(&self, schemas: &BTreeMap<String, String>, report: Report) -> Ended<Status> {
        let unwritten = |reason| report.fail(reason, MessageFormat::Human);
        let mut files = Files::new(&self.out, self.check).map_err(unwritten)?;
        for (path, text) in schemas {
            files.add(path, text).map_err(unwritten)?;
        }
        files.put().map_err(unwritten)?;
        let limits = Limits::default();
        let Found { sources, errors, .. } = self.inputs.search().sources(&self.modeline, &limits, report);
        if !errors.is_empty() {
            let messages = Messages::new(&sources, &limits).all(&errors, &[]);
            report.show(&messages, MessageFormat::Human);
            return Err(Status::Unreadable);
        }
        for source in sources {
            self.name_schema(&source, schemas, &mut files).map_err(unwritten)?;
        }
        files.end(report)
    }

    /// Adds a line with the path of the schema to a file with objects. If the file contains objects of several kinds, the line contains the
    /// path of the schema for all kinds.
    fn name_schema(
        &self,
        source: &Source,
        schemas: &BTreeMap<String, String>,
        files: &mut Files,
    ) -> Result<(), String> {
        let limits = Limits::default();
        let is_yaml = |path: &&Path| {
            let extension = path.extension().and_then(OsStr::to_str);
            extension.is_some_and(|extension| matches!(extension, "yaml" | "yml"))
        };
        // A search never writes to what a link leads to.
        let is_link = |path: &Path| source.is_found() && path.is_symlink();
        let Some(path) = source.path().filter(|path| is_yaml(path) && !is_link(path)) else { return Ok(()) };
        let (objects, _) = crd_input::objects(source, &limits);
        let mut named: Vec<&str> = objects
            .iter()
            .filter_map(|object| modeline::schema_path(&object.document.value))
            .filter_map(|path| schemas.get_key_value(&path).map(|(path, _)| path.as_str()))
            .collect();
        named.sort_unstable();
        named.dedup();
        let schema = match named.as_slice() {
            [] => return Ok(()),
            [one] => one,
            _ => ALL,
        };
        let text = source.read(&limits).map_err(|error| error.to_string())?;
        let out = from_file(path, &self.out).map_err(|error| format!("{}: {error}", path.display()))?;
        files.replace(path, &text, &modeline::with_line(&text, &modeline::line(&out, schema)))
    }

    /// Returns the files' texts, by path below the directory.
    fn files(&self, report: Report) -> Ended<(BTreeMap<String, String>, Status)> {
        let draft = match self.draft {
            DraftName::Draft4 => Draft::Draft4,
            DraftName::Draft7 => Draft::Draft7,
            DraftName::Draft202012 => Draft::Draft202012,
        };
        let options = SchemaOptions::default().with_draft(draft).with_strict(self.strict);
        let mut files = BTreeMap::new();
        let mut index = Vec::new();
        let (definitions, mut status) = definitions(self.inputs.named(), self.inputs.search(), report)?;
        for crd in &definitions {
            for version in &crd.spec.versions {
                let (group, kind, name) = (&crd.spec.group, &crd.spec.names.kind, &version.name);
                let fault = match (json_schema(crd, name, options), path(crd, name)) {
                    (Err(NotPublished::NotServed), _) => continue,
                    (Err(error), _) => (format!("{kind} of version {name} has no schema: {error}"), None),
                    (Ok(_), None) => {
                        let text = format!("the names of {:?} cannot be used as a path", crd.metadata.name);
                        (text, Some("see `crdkit check`".to_owned()))
                    }
                    (Ok(_), Some(path)) if files.contains_key(&path) => {
                        let text = format!("there are two CRDs of {kind} in {group}/{name}");
                        (text, Some(TWO_OF_ONE_KIND.to_owned()))
                    }
                    (Ok(schema), Some(path)) => {
                        index.push(json!({"group": group, "kind": kind, "version": name, "schema": path}));
                        files.insert(path, text(&schema));
                        continue;
                    }
                };
                status = status.max(leave_out(report, fault.0, fault.1));
            }
        }
        if files.is_empty() {
            return Err(status);
        }
        let references: Vec<Value> = files.keys().map(|path| json!({"$ref": path})).collect();
        files.insert(ALL.to_owned(), text(&json!({"oneOf": references})));
        files.insert("index.json".to_owned(), text(&Value::Array(index)));
        Ok((files, status))
    }
}

/// The name of the file with the schema for all kinds.
const ALL: &str = "all.json";

/// Returns the relative path from a file's directory to another directory, with slashes.
fn from_file(file: &Path, folder: &Path) -> io::Result<String> {
    let file = fs::canonicalize(file)?;
    // With `--check`, the directory need not be there.
    let folder = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder))?;
    let way = file.parent().and_then(|file| pathdiff::diff_paths(&folder, file)).unwrap_or(folder);
    let steps: Vec<String> =
        way.components().map(|step| step.as_os_str().to_string_lossy().into_owned()).collect();
    Ok(if steps.is_empty() { ".".to_owned() } else { steps.join("/") })
}

/// Returns a schema's path in the catalogue's layout. Returns `None` if the names could lead out of the directory.
fn path(crd: &CustomResourceDefinition, version: &str) -> Option<String> {
    let (group, kind) = (&crd.spec.group, crd.spec.names.kind.to_lowercase());
    let are_names = is_dns_1123_subdomain(group) && is_dns_1123_label(&kind) && is_dns_1123_label(version);
    are_names.then(|| modeline::catalogue_path(group, &kind, version))
}

fn text(schema: &Value) -> String {
    serde_json::to_string_pretty(schema).unwrap_or_default() + "\n"
}
