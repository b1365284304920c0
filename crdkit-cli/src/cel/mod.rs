//! `crdkit cel`: reports the types, costs, results and errors of CEL rules.

mod evaluate;
mod place;
mod show;

use std::path::{Path, PathBuf};

use crate::configuration::Configuration;
use crate::server::Server;
use clap::{ArgGroup, Args, ValueEnum};
use crd_core::cel::{CompiledRule, Environment, RuleError, Rules, SchemaTypes};
use crd_core::crd::JsonSchemaProps;
use crd_core::{CustomResourceDefinition, Structural};
use crd_input::Limits;
use crd_report::{Message, MessageFormat, Report, Status, json};
use serde_json::{Value, json};

use evaluate::ObjectPair;
use place::SchemaPlace;

/// Compile CEL rules and estimate their costs
///
/// Reports the type and the cost of expressions at a path of a schema, or the errors that the API server would report. The type of a rule
/// must be bool, and the type of a messageExpression must be string. With --object, evaluates each expression for every value that the
/// object has at the path.
#[derive(Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("where").required(true))]
pub(crate) struct Cel {
    /// The expressions
    #[arg(required = true, value_name = "RULE")]
    rules: Vec<String>,
    /// A file with the CRD
    #[arg(long, value_name = "FILE", group = "where")]
    crd: Option<PathBuf>,
    /// The version of the CRD; by default the storage version
    #[arg(long = "version", value_name = "VERSION", requires = "crd")]
    version: Option<String>,
    /// The path of the value that `self` refers to, such as `spec.rules[*]`; by default the whole object
    #[arg(long, value_name = "PLACE", default_value = "", hide_default_value = true)]
    at: String,
    /// A file with the schema of the value that `self` refers to, instead of a CRD
    #[arg(long, value_name = "FILE", group = "where")]
    schema: Option<PathBuf>,
    /// The schema is for a whole object with apiVersion, kind and metadata
    #[arg(long, requires = "schema")]
    root: bool,
    /// A file with an object on which to evaluate the expressions; defaults are not filled in
    #[arg(long, value_name = "FILE")]
    object: Option<PathBuf>,
    /// A file with the object before the update, which contains the values of `oldSelf`
    #[arg(long, value_name = "FILE", requires = "object")]
    old: Option<PathBuf>,
    #[command(flatten)]
    server: Server,
    /// Format of the results
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: CelFormat,
}

const EXAMPLES: &str = "\
Examples:
  crdkit cel --crd crds/shirt.yaml --at spec 'self.replicas > 1'
  crdkit cel --crd crds/shirt.yaml --at 'spec.sizes[*]' --kube-version 1.30 'self.name != oldSelf.name'
  crdkit cel --crd crds/shirt.yaml --at spec --object red.yaml --old blue.yaml 'self.color == oldSelf.color'";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum CelFormat {
    /// Human-readable text
    #[default]
    Human,
    /// One JSON object per line for every rule
    Json,
}

impl Cel {
    pub(crate) fn run(self, configuration: &Configuration) -> Status {
        let report = Report::new(false);
        self.answer(report, configuration).unwrap_or_else(|(status, message)| {
            report.show(&[*message], MessageFormat::Human);
            status
        })
    }

    fn answer(&self, report: Report, configuration: &Configuration) -> Result<Status, EarlyEnd> {
        let root = self.schema()?;
        let version = self.server.configured(configuration).kube_version();
        let is_resource = self.root || self.crd.is_some() || root.is_embedded_resource();
        let types = SchemaTypes::for_version(&root, is_resource, version);
        let place = SchemaPlace::find(&root, &self.at).map_err(|message| (Status::Unreadable, message))?;
        let environment = Environment::for_server(version);
        let rules = Rules::new(&types, environment);
        let objects = ObjectPair::read(self.object.as_deref(), self.old.as_deref())?;
        let mut status = Status::Fine;
        for (i, rule) in self.rules.iter().enumerate() {
            let compiled = rules.compile_expression(place.node, rule);
            let answers = objects.as_ref().and_then(|objects| objects.answers(&rules, place.node, rule));
            let is_fine = match self.format {
                CelFormat::Json => {
                    let mut line = answer(rule, &compiled);
                    if let Some(answers) = &answers {
                        line["values"] = evaluate::json(answers);
                    }
                    print(&json::line(&line))?;
                    compiled.is_ok()
                }
                CelFormat::Human => {
                    let name =
                        if self.rules.len() == 1 { "rule".to_owned() } else { format!("rule {}", i + 1) };
                    let messages = match &compiled {
                        Ok(compiled) => {
                            print(&show::price(rule, compiled, &place))?;
                            print(&answers.as_deref().map_or_else(String::new, evaluate::human))?;
                            show::excess(&rules, rule, compiled, &place)
                        }
                        Err(error) => show::error(&name, rule, error),
                    };
                    report.show(&messages, MessageFormat::Human);
                    messages.is_empty()
                }
            };
            if !is_fine || answers.is_some_and(|answers| !answers.iter().all(evaluate::holds)) {
                status = Status::Wrong;
            }
        }
        Ok(status)
    }

    /// Returns the schema in which the path is looked up.
    fn schema(&self) -> Result<Structural, EarlyEnd> {
        let (schema, file) = match (&self.crd, &self.schema) {
            (Some(file), _) => {
                let crd = CustomResourceDefinition::from_value(single(file, "CRD")?)
                    .map_err(|error| wrong(file, &error.to_string(), None))?;
                (self.chosen(crd, file)?, file)
            }
            (None, Some(file)) => {
                let schema = JsonSchemaProps::from_value(single(file, "schema")?);
                (schema.map_err(|error| wrong(file, &error.to_string(), None))?, file)
            }
            (None, None) => return Err(failed("no schema is given; add `--crd` or `--schema`")),
        };
        Structural::from_json_schema(&schema)
            .map_err(|error| wrong(file, &format!("{}: {error}", error.path()), None))
    }

    /// Returns the chosen version's schema.
    fn chosen(&self, crd: CustomResourceDefinition, file: &Path) -> Result<JsonSchemaProps, EarlyEnd> {
        let version = match &self.version {
            Some(name) => crd.version(name),
            None => crd.storage_version(),
        };
        let Some(version) = version else {
            let names: Vec<String> =
                crd.spec.versions.iter().map(|version| format!("`{}`", version.name)).collect();
            let help = format!("its versions are {}", names.join(", "));
            return Err(match &self.version {
                Some(name) => wrong(file, &format!("the CRD has no version `{name}`"), Some(help)),
                None => wrong(file, "no version of the CRD is the storage version", Some(help)),
            });
        };
        let schema = version.open_api_v3_schema().cloned();
        schema.ok_or_else(|| wrong(file, &format!("version `{}` has no schema", version.name), None))
    }
}

/// The exit status and the message if the command ends early.
type EarlyEnd = (Status, Box<Message>);

fn failed(text: &str) -> EarlyEnd {
    (Status::Unreadable, Box::new(Message::for_run(text.to_owned())))
}

fn wrong(file: &Path, text: &str, help: Option<String>) -> EarlyEnd {
    let mut message = Message::for_run(text.to_owned());
    message.file = file.to_string_lossy().into_owned();
    message.help = help;
    (Status::Unreadable, Box::new(message))
}

fn print(text: &str) -> Result<(), EarlyEnd> {
    crd_report::print(text).map_err(|reason| failed(&reason))
}

/// Returns the only object in a file. If the object is a CRD, the file may also contain other objects.
fn single(file: &Path, what: &str) -> Result<Value, EarlyEnd> {
    let limits = Limits::default();
    let (sources, mut errors) = crd_input::sources(&[file], &limits);
    let (mut found, mut count) = (None, 0);
    for source in &sources {
        let failed = crd_input::each_document(source, &limits, &mut |object| {
            if what != "CRD" || object.document.is_definition() {
                count += 1;
                found = Some(object.document.value);
            }
        });
        errors.extend(failed);
    }
    if let Some(error) = errors.first() {
        return Err(failed(&error.to_string()));
    }
    match found {
        Some(value) if count == 1 => Ok(value),
        Some(_) => Err(wrong(
            file,
            &format!("the file contains {count} {what}s"),
            Some("give a file that contains only one".into()),
        )),
        None => Err(wrong(file, &format!("the file contains no {what}"), None)),
    }
}

fn answer(rule: &str, compiled: &Result<CompiledRule, RuleError>) -> Value {
    let error = match compiled {
        Ok(CompiledRule { result_type, cost, max_cardinality, .. }) => {
            return json!({"rule": rule, "type": result_type, "cost": cost, "maxCardinality": max_cardinality});
        }
        Err(RuleError::Compilation(issues)) => issues.to_string(),
        Err(RuleError::NoType) => "no declaration type".to_owned(),
        Err(error) => error.to_string(),
    };
    json!({"rule": rule, "error": error})
}
