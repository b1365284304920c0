//! `crdkit docs`: writes reference pages to a directory.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use crd_core::CustomResourceDefinition;
use crd_core::admit::{FieldValidation, Validator};
use crd_core::check::annotate_min_kube_version;
use crd_core::yaml::to_yaml;
use crd_docs::pages::{
    PageEntry, PageExample, PageFormat, PageSample, PageTooLarge, examples, page, shared_files,
};
use crd_input::{Limits, Source, documents, in_turn};
use crd_report::{Level, Message, MessageFormat, Paths, Report, Status};
use crd_sample::{Allowance, Sampler, SharedSteps};
use serde_json::Value;

use super::files::Files;
use super::{Ended, TWO_OF_ONE_KIND, definitions, fail, leave_out};

/// Write reference pages: a site, or Markdown for mdBook, Docusaurus and Hugo
///
/// Writes a page for each kind into `GROUP/KIND.html` or `GROUP/KIND.md`, in lower case, and an index. A page has the fields of each served
/// version with their types, constraints, defaults and rules, the printer columns, and a valid object. The site needs no network: its
/// script and its style sheet are next to the index.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Docs {
    #[command(flatten)]
    inputs: Paths,
    /// The directory for the pages
    #[arg(long, short, required = true, value_name = "DIR")]
    out: PathBuf,
    /// The format of the pages
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: FormatName,
    /// Omit the sample objects, which take most of the run time
    #[arg(long)]
    no_samples: bool,
    /// Compute and show the oldest Kubernetes version that supports all features of the CRD; by default, show the version in the annotation
    /// `crdkit/min-kube-version`
    #[arg(long)]
    min_kube_version: bool,
    /// Write nothing; exit with status 1 if the files are out of date
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "\
Examples:
  crdkit docs crds/ --out site
  crdkit docs crds/ --out book/src/reference --format markdown
  crdkit docs crds/ --out site --check   # in CI: are the pages up to date?";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// A site that needs no network
    #[default]
    Html,
    /// Markdown without HTML
    Markdown,
}

impl Docs {
    pub(crate) fn run(self) -> Status {
        let report = Report::new(false);
        match self.write(report) {
            Ok(status) | Err(status) => status,
        }
    }

    fn write(&self, report: Report) -> Ended<Status> {
        let format = match self.format {
            FormatName::Html => PageFormat::Html,
            FormatName::Markdown => PageFormat::Markdown,
        };
        let (mut definitions, mut status) = definitions(self.inputs.named(), self.inputs.search(), report)?;
        if self.min_kube_version {
            definitions.iter_mut().for_each(|crd| {
                annotate_min_kube_version(crd);
            });
        }
        let entries = entries(&mut definitions, format, &mut status, report);
        let mut files =
            Files::new(&self.out, self.check).map_err(|reason| report.fail(reason, MessageFormat::Human))?;
        let mut failed = None;
        let paths: Vec<String> = entries.iter().map(PageEntry::path).collect();
        let pages: Vec<(&CustomResourceDefinition, &str)> =
            definitions.iter().zip(paths.iter().map(String::as_str)).collect();
        let steps = SharedSteps::new();
        in_turn(
            &pages,
            |&(crd, path), turn| {
                let samples = self.samples(crd, &steps, || turn.wait());
                let text = page(crd, &samples, format);
                let weight = text.as_ref().map_or(0, String::len);
                turn.give((path, text, wrong_examples(crd)), weight);
            },
            &mut |(path, text, warnings): (&str, Result<String, PageTooLarge>, Vec<Message>)| {
                report.show(&warnings, MessageFormat::Human);
                if failed.is_none() {
                    let written = text.map_err(|reason| format!("{path} cannot be written: {reason}"));
                    failed = written.and_then(|text| files.add(path, &text)).err();
                }
            },
        );
        for (path, text) in shared_files(&entries, format) {
            failed = failed.or_else(|| files.add(path, &text).err());
        }
        match failed.or_else(|| files.put().err()) {
            Some(reason) => fail(report, Status::Unreadable, reason, None),
            None => files.end(report).map(|ended| ended.max(status)),
        }
    }

    /// Returns a valid object for each served version. Versions are left out if no valid object is found.
    fn samples(
        &self,
        crd: &CustomResourceDefinition,
        steps: &SharedSteps,
        wait: impl FnOnce(),
    ) -> Vec<PageSample> {
        if self.no_samples {
            return Vec::new();
        }
        let samplers = Sampler::for_served(crd).unwrap_or_default();
        let sample = |sampler: &Sampler, allowance: &Allowance| {
            let object = sampler.clone().with_allowance(allowance).minimal().ok()?;
            Some(PageSample { version: sampler.version().to_owned(), yaml: to_yaml(&object) })
        };
        steps.make(crd, wait, |allowance| {
            samplers.iter().filter_map(|sampler| sample(sampler, allowance)).collect()
        })
    }
}

/// Returns the CRDs' index entries. Removes CRDs that cannot have a page.
fn entries(
    definitions: &mut Vec<CustomResourceDefinition>,
    format: PageFormat,
    status: &mut Status,
    report: Report,
) -> Vec<PageEntry> {
    let (mut entries, mut names) = (Vec::new(), HashMap::new());
    definitions.retain(|crd| {
        let name = crd.metadata.name.clone();
        let fault = match PageEntry::for_crd(crd, format) {
            None => {
                (format!("the names of {name:?} cannot be used as a path"), "see `crdkit check`".to_owned())
            }
            Some(entry) => match names.entry(entry.path()) {
                Entry::Vacant(place) => {
                    place.insert(name);
                    entries.push(entry);
                    return true;
                }
                Entry::Occupied(first) => {
                    let first = first.get();
                    (
                        format!("{name} has no page: {first} has the same group and kind"),
                        TWO_OF_ONE_KIND.to_owned(),
                    )
                }
            },
        };
        *status = (*status).max(leave_out(report, fault.0, Some(fault.1)));
        false
    });
    entries
}

/// Returns warnings about examples in descriptions if the API server would reject them with strict field validation.
fn wrong_examples(crd: &CustomResourceDefinition) -> Vec<Message> {
    let examples = examples(crd);
    let validator = (!examples.is_empty()).then(|| Validator::new(crd).ok()).flatten();
    let Some(validator) = validator else { return Vec::new() };
    let validator = validator.with_field_validation(FieldValidation::Strict);
    let message = |PageExample { version, field, text, .. }: PageExample| {
        let reason = refusal(&text, crd, &validator)?;
        let field = if field.is_empty() { String::new() } else { format!(" of `{field}`") };
        let (kind, name) = (&crd.spec.names.kind, &crd.metadata.name);
        let text = format!("the {kind} in the description{field} ({name}, {version}): {reason}");
        Some(Message {
            level: Level::Warning,
            reason: "WrongExample",
            help: Some("correct the example in the description".to_owned()),
            ..Message::for_run(text)
        })
    };
    examples.into_iter().filter_map(message).collect()
}

/// Returns the reason why an example is wrong: it cannot be parsed, or the API server rejects an object of the CRD in the example.
fn refusal(text: &str, crd: &CustomResourceDefinition, validator: &Validator) -> Option<String> {
    let (documents, errors) = documents(&Source::from_string("example", text.to_owned()), &Limits::default());
    if let Some(error) = errors.first() {
        return Some(error.to_string());
    }
    let is_ours = |object: &Value| {
        let group = object["apiVersion"].as_str().and_then(|version| version.split('/').next());
        object["kind"] == crd.spec.names.kind.as_str() && group == Some(crd.spec.group.as_str())
    };
    let objects = documents.into_iter().map(|document| document.value).filter(is_ours);
    objects
        .filter_map(|object| validator.create(object).result.err())
        .map(|refusal| refusal.to_string())
        .next()
}
