//! `crdkit explain`: prints the text of `kubectl explain`.

use std::path::PathBuf;

use clap::Args;
use crd_core::CustomResourceDefinition;
use crd_docs::explain::{ExplainOptions, NotExplained, Request, explain, newest_version};
use crd_go::nearest::nearest;
use crd_report::{Report, Search, Status, ended, print_visible};

use super::{Ended, api_version, definitions, fail};
use crate::server::Publisher;

/// Explain a resource or a field as kubectl does
///
/// Prints the text of `kubectl explain` 1.36, byte for byte, from CRDs in files.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    /// The resource, by its plural, singular, short name or kind, and the path of a field: RESOURCE[.FIELD...]
    #[arg(value_name = "RESOURCE")]
    resource: String,
    /// A file or directory with the CRDs, or `-` for standard input; repeatable
    #[arg(long, short = 'f', visible_alias = "filename", value_name = "CRD")]
    crd: Vec<PathBuf>,
    #[command(flatten)]
    search: Search,
    /// The group and version; by default the newest of the most stable served versions
    #[arg(long, value_name = "GROUP/VERSION", value_parser = api_version)]
    api_version: Option<(String, String)>,
    /// Print nested fields recursively, one per line
    #[arg(long, short = 'R')]
    recursive: bool,
    /// Add information that kubectl does not show: constraints, defaults and CEL rules
    #[arg(long)]
    rules: bool,
    #[command(flatten)]
    publisher: Publisher,
}

const EXAMPLES: &str = "\
Examples:
  crdkit explain --crd crds/ shirts.spec.color
  crdkit explain --crd crds/ --recursive shirts
  crdkit explain --crd crds/ --rules --api-version stable.example.com/v1 shirts.spec
  kubectl get crd shirts.stable.example.com -o yaml | crdkit explain shirts";

impl Explain {
    pub(crate) fn run(self) -> Status {
        let report = Report::new(false);
        match self.text(report) {
            Ok((text, status)) => ended(print_visible(&text), status),
            Err(status) => status,
        }
    }

    fn text(&self, report: Report) -> Ended<(String, Status)> {
        let request = match Request::parse(&self.resource) {
            Ok(request) => request,
            Err(error) => return fail(report, Status::Wrong, error.to_string(), None),
        };
        let (definitions, status) = definitions(self.crd.clone(), &self.search, report)?;
        let (crd, path) = self.find(&definitions, &request, report)?;
        let version = match &self.api_version {
            Some((_, version)) => Some(version.as_str()),
            None => newest_version(crd),
        };
        let Some(version) = version else {
            return fail(
                report,
                Status::Wrong,
                format!("no version of {} is served", crd.spec.names.plural),
                None,
            );
        };
        let options = ExplainOptions::default().with_recursive(self.recursive).with_rules(self.rules);
        match explain(crd, version, &path, options) {
            Ok(text) => Ok((text, status)),
            Err(error) => {
                // The head comes before the error, as kubectl prints it.
                let mut help = None;
                if let NotExplained::NoField { head, meant, .. } = &error {
                    let _ = print_visible(head);
                    help = meant.as_ref().map(|name| format!("did you mean `{name}`?"));
                }
                fail(report, Status::Wrong, error.to_string(), help)
            }
        }
    }

    /// Returns the resource's CRD, and the path of the field.
    fn find<'d>(
        &self,
        definitions: &'d [CustomResourceDefinition],
        request: &Request,
        report: Report,
    ) -> Ended<(&'d CustomResourceDefinition, Vec<String>)> {
        let mut found: Vec<&CustomResourceDefinition> =
            definitions.iter().filter(|crd| request.is_of(crd)).collect();
        if found.is_empty() {
            let plurals = definitions.iter().map(|crd| crd.spec.names.plural.as_str());
            let help = nearest(&request.resource, plurals).map(|name| format!("did you mean `{name}`?"));
            let text = format!("the server doesn't have a resource type \"{}\"", request.resource);
            return fail(report, Status::Wrong, text, help);
        }
        // Of several groups, clients take the first by name.
        found.sort_by(|a, b| a.spec.group.cmp(&b.spec.group));
        let Some((group, version)) = &self.api_version else {
            let by_group = found.iter().find_map(|crd| Some((*crd, request.path_after_group(crd)?)));
            return Ok(by_group.unwrap_or((found[0], request.path.clone())));
        };
        let serves = |crd: &CustomResourceDefinition| {
            let is_served = crd.version(version).is_some_and(|version| version.served);
            crd.spec.group == *group && is_served
        };
        if let Some(crd) = found.iter().find(|crd| serves(crd)) {
            return Ok((*crd, request.path.clone()));
        }
        let resource = format!("{group}/{version}, Resource={}", found[0].spec.names.plural);
        let text = if definitions.iter().any(serves) {
            format!("GVR ({resource}) not found in OpenAPI schema")
        } else {
            format!("couldn't find resource for \"{resource}\"")
        };
        fail(report, Status::Wrong, text, None)
    }
}
