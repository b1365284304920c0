//! `crdkit sample`: prints objects that the API server accepts, for the CRDs in the inputs.

use clap::{Args, ValueEnum};
use crd_codegen::{Config, object_as_rust};
use crd_core::CustomResourceDefinition;
use crd_core::admit::Rejection;
use crd_core::yaml::to_yaml;
use crd_input::{Definition, Limits, Source, Turn, in_turn};
use crd_report::{
    Found, Inputs, Level, Message, MessageFormat, Printer, Report, Status, ended, has_errors, json,
};
use crd_sample::{Allowance, NoSample, Sampler, SharedSteps, Unusable};
use serde_json::Value;

use crate::modeline;
use crate::read::Read;

/// Print objects that the API server accepts
///
/// Generates sample objects of the CRDs in the inputs: minimal objects, or objects with every field. Values come from examples and defaults
/// of the schema, or are computed from its constraints and CEL rules. The command validates each object as `crdkit validate` does. If it
/// finds no valid object, it reports the rule or keyword that rejects the best attempt.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Sample {
    #[command(flatten)]
    inputs: Inputs,
    /// Print the smallest object that is accepted [default]
    #[arg(long, conflicts_with_all = ["full", "alternatives"])]
    minimal: bool,
    /// Print an object with as many fields as possible
    #[arg(long, conflicts_with = "alternatives")]
    full: bool,
    /// Print the full object, then an object for each branch of unions that the full object does not have
    #[arg(long)]
    alternatives: bool,
    /// Add descriptions, constraints and optional fields as comments
    #[arg(long)]
    comments: bool,
    /// Print only objects of this kind; upper or lower case does not matter
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Print only objects of this version; by default the storage version
    #[arg(long = "version", value_name = "VERSION")]
    version: Option<String>,
    /// Choose other values and branches; the same number always gives the same objects
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Begin each YAML document with a comment that names its JSON Schema below this URL or directory, for yaml-language-server
    #[arg(long, value_name = "URL")]
    schema_url: Option<String>,
    /// Format of the objects
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", conflicts_with = "comments")]
    format: SampleFormat,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  crdkit sample crds/shirt.yaml
  crdkit sample --comments crds/shirt.yaml > shirt.yaml   # a file to fill in
  crdkit sample --full --kind Shirt crds/
  crdkit sample --alternatives --format json crds/ | jq .spec
  crdkit sample --full --format rust crds/shirt.yaml
  crdkit sample --full crds/ | kubectl create --dry-run=server -f -
  crdkit sample --schema-url ../schemas crds/shirt.yaml > shirts/shirt.yaml   # with `crdkit schema crds/ --out schemas`";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SampleFormat {
    /// YAML documents
    #[default]
    Yaml,
    /// One JSON object per line
    Json,
    /// Rust functions that return the objects, with the types that `crdkit generate` generates from each CRD separately
    Rust,
    /// One JSON list of all objects, for the annotation `alm-examples` of an operator's `ClusterServiceVersion`
    AlmExamples,
}

/// The samples for a CRD. They are kept until the samples for all previous CRDs are printed.
struct Answer<'d> {
    definition: &'d Definition,
    texts: Vec<String>,
    failure: Option<Failure>,
}

enum Failure {
    Unusable(Unusable),
    NoSample {
        version: String,
        refusal: Box<Rejection>,
    },
    /// The CRD has no Rust types, because the API server rejects the CRD.
    NoRust,
}

impl Sample {
    pub(crate) fn run(self) -> Status {
        let limits = Limits::default();
        let report = Report::new(self.quiet);
        let Found { sources, errors, left_out, .. } = self.inputs.sources(&limits, report);
        let mut read = Read::from_sources(&sources, errors, left_out, &limits).keep_first(&sources);
        let is_chosen = |one: &&Definition| self.is_chosen(&one.crd);
        if !read.definitions.iter().any(|one| is_chosen(&one)) && !has_errors(&read.messages) {
            let message = match &self.kind {
                Some(kind) if !read.definitions.is_empty() => {
                    Message::for_run(format!("no CRD of the kind `{kind}` in the input"))
                }
                _ => read.no_definition(),
            };
            read.messages.push(message);
        }
        let Read { definitions, mut messages, left_out, .. } = read;
        let chosen: Vec<&Definition> = definitions.iter().filter(is_chosen).collect();
        let is_wrong_input = has_errors(&messages);
        let (mut printer, mut failed, mut unserved, mut count) = (Printer::new(), Vec::new(), Vec::new(), 0);
        let steps = SharedSteps::new();
        in_turn(
            &chosen,
            |definition, turn| {
                let answer = self.answer(definition, (&steps, turn));
                let weight = answer.texts.iter().map(String::len).sum();
                turn.give(answer, weight);
            },
            &mut |answer: Answer<'_>| {
                for text in &answer.texts {
                    printer.print(self.separator(count));
                    printer.print(text);
                    count += 1;
                }
                if let Some(failure) = answer.failure {
                    let is_unserved = matches!(failure, Failure::Unusable(Unusable::NothingServed));
                    let messages = if is_unserved { &mut unserved } else { &mut failed };
                    messages.push(message(answer.definition, &failure, &sources));
                }
            },
        );
        if self.format == SampleFormat::AlmExamples {
            printer.print(if count > 0 { "\n]\n" } else { "[]\n" });
        }
        if count > 0 {
            unserved.iter_mut().for_each(|message| message.level = Level::Warning);
        }
        let is_wrong = !failed.is_empty() || count == 0 && !unserved.is_empty();
        messages.extend(unserved.into_iter().chain(failed));
        report.show(&messages, MessageFormat::Human);
        let status = match (is_wrong_input, is_wrong) {
            (true, _) => Status::Unreadable,
            (false, true) => Status::Wrong,
            (false, false) => Status::Fine,
        };
        ended(printer.end(), left_out.end(report, status))
    }

    fn is_chosen(&self, crd: &CustomResourceDefinition) -> bool {
        self.kind.as_ref().is_none_or(|kind| kind.eq_ignore_ascii_case(&crd.spec.names.kind))
    }

    fn answer<'d>(
        &self,
        definition: &&'d Definition,
        (steps, turn): (&SharedSteps, &Turn<'_, Answer<'d>>),
    ) -> Answer<'d> {
        let crd = &definition.crd;
        let sampler = match &self.version {
            Some(version) => Sampler::new(crd, version),
            None => Sampler::for_stored(crd),
        };
        let answer = |texts, failure| Answer { definition, texts, failure };
        let sampler = match sampler {
            Ok(sampler) => sampler.with_seed(self.seed),
            Err(error) => return answer(Vec::new(), Some(Failure::Unusable(error))),
        };
        let samples = |allowance: &Allowance| self.samples(&sampler.clone().with_allowance(allowance));
        match steps.make(crd, || turn.wait(), samples) {
            Ok(objects) => {
                let text = |object| self.text(definition, &sampler, object);
                match objects.iter().map(text).collect() {
                    Some(texts) => answer(texts, None),
                    None => answer(Vec::new(), Some(Failure::NoRust)),
                }
            }
            Err(error) => {
                let version = sampler.version().to_owned();
                let refusal = Box::new(error.rejection().clone());
                answer(Vec::new(), Some(Failure::NoSample { version, refusal }))
            }
        }
    }

    fn samples(&self, sampler: &Sampler) -> Result<Vec<Value>, NoSample> {
        if self.alternatives {
            return sampler.alternatives();
        }
        let object = if self.full { sampler.full() } else { sampler.minimal() };
        object.map(|object| vec![object])
    }

    /// Returns an object's text, or `None` if the object cannot be expressed in Rust.
    fn text(&self, definition: &Definition, sampler: &Sampler, object: &Value) -> Option<String> {
        Some(match self.format {
            SampleFormat::Json => json::line(object),
            SampleFormat::Rust => object_as_rust(definition, object, &Config::new())?,
            SampleFormat::AlmExamples => indented(object),
            SampleFormat::Yaml if self.comments => self.modeline(object) + &sampler.commented(object),
            SampleFormat::Yaml => self.modeline(object) + &to_yaml(object),
        })
    }

    /// Returns the separator before a sample. `count` is the number of previous samples.
    fn separator(&self, count: usize) -> &'static str {
        match (self.format, count) {
            (SampleFormat::Json, _) | (SampleFormat::Yaml | SampleFormat::Rust, 0) => "",
            (SampleFormat::Rust, _) => "\n",
            (SampleFormat::Yaml, _) => "---\n",
            (SampleFormat::AlmExamples, 0) => "[\n",
            (SampleFormat::AlmExamples, _) => ",\n",
        }
    }

    /// Returns the line with the URL of an object's schema. The line is empty without `--schema-url`.
    fn modeline(&self, object: &Value) -> String {
        let path = || modeline::schema_path(object);
        let address = self.schema_url.as_ref().zip(path());
        address.map_or_else(String::new, |(base, path)| modeline::line(base, &path))
    }
}

/// Returns the object as JSON, indented for a list.
fn indented(object: &Value) -> String {
    let text = format!("{object:#}");
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Returns the message that explains why there is no sample for a CRD.
fn message(definition: &Definition, failure: &Failure, sources: &[Source]) -> Message {
    let kind = &definition.crd.spec.names.kind;
    let (text, help) = match failure {
        Failure::NoRust => {
            let help = "`crdkit check` shows why the API server rejects the CRD";
            (format!("no types of `{kind}`"), Some(help.to_owned()))
        }
        Failure::Unusable(error) => (format!("no sample of `{kind}`: {error}"), None),
        Failure::NoSample { version, refusal } => {
            let mut text = format!("no sample of `{kind}` ({version}) was found");
            match refusal.broken_rules().next() {
                Some(broken) => {
                    text += &format!("; violates the rule `{}` at {}", broken.rule.trim(), broken.at);
                    let cause = refusal.causes.get(broken.cause);
                    text += &cause.map(|cause| format!(": {}", cause.message)).unwrap_or_default();
                }
                None => match refusal.causes.first() {
                    Some(cause) => text += &format!("; rejected: {cause}"),
                    None => text += &format!("; rejected: {refusal}"),
                },
            }
            (
                text,
                Some(
                    "another `--seed` tries other values; the search ends when its budget is used up"
                        .to_owned(),
                ),
            )
        }
    };
    let relative = &definition.origin.file;
    let source = sources.iter().find(|source| source.relative() == relative);
    Message {
        level: Level::Error,
        file: source.map_or(relative.as_str(), |source| source.name()).to_owned(),
        reason: "NoSample",
        help,
        ..Message::for_run(text)
    }
}
