//! Reports faults in CRDs that the API server accepts: the problems that `crdkit lint` finds without a search for example objects.

use std::collections::BTreeSet;

use crd_core::CustomResourceDefinition;
use crd_core::check::CrdAdvice;
use crd_input::{Origin, Source};
use crd_lint::{Evidence, Group, LintLevel, LintOptions, rules};
use crd_report::{Format, Level, MessageFormat};

use crate::configuration::Configuration;
use crate::lint::{advice, configured, grouped, open_findings};

/// The lint rules that are checked.
pub(super) struct Broken<'c> {
    options: LintOptions,
    configuration: &'c Configuration,
    is_grouped: bool,
}

/// The problems found in a CRD.
#[derive(Default)]
pub(super) struct Found {
    /// The faults.
    pub(super) warnings: Vec<(Level, CrdAdvice)>,
    /// The number of other rules that `crdkit lint` would report.
    pub(super) more: usize,
}

impl<'c> Broken<'c> {
    /// Returns the rules to check. Returns `None` for the formats JSON and JUnit, because they do not include such problems.
    pub(super) fn new(configuration: &'c Configuration, format: Format) -> Option<Self> {
        let Format::Messages(format) = format else { return None };
        let mut options = configured(configuration, None);
        // Advice is shown as such, and searches take their time.
        for rule in rules().filter(|rule| rule.evidence() != Evidence::Crd || is_advice(rule.id)) {
            options.levels.insert(rule.id, None);
        }
        Some(Self { options, configuration, is_grouped: format == MessageFormat::Human })
    }

    /// Returns the problems in a CRD, except for those that the project accepts.
    pub(super) fn find(&self, crd: &CustomResourceDefinition, origin: &Origin, source: &Source) -> Found {
        let findings = open_findings((self.configuration, &self.options), source, (crd, origin)).into_iter();
        let (broken, others): (Vec<_>, Vec<_>) = findings
            .partition(|finding| finding.rule.group == Group::Broken && finding.level > LintLevel::Note);
        let broken = if self.is_grouped { grouped(broken) } else { broken };
        let more = others.iter().map(|finding| finding.rule.id).collect::<BTreeSet<_>>().len();
        // What counts as an error in `crdkit lint` does not change the status of `crdkit check`.
        let warnings = broken.into_iter().map(|finding| (Level::Warning, advice(finding).1)).collect();
        Found { warnings, more }
    }
}

fn is_advice(id: &str) -> bool {
    crd_core::check::advice::NAMES.contains(&id)
}
