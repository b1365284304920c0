//! Filters findings (reported problems) by the project's settings: levels for some paths and CRDs, waivers, comments and the baseline.

use crd_core::CustomResourceDefinition;
use crd_input::{Limits, Origin, Source, is_like};
use crd_lint::{LintFinding, LintLevel, Rule, rules};

use super::baseline::Baseline;
use super::comments::Comments;
use crate::configuration::{Configuration, Levels, LevelsAt, Waiver};
use crate::waivers::{Subject, Waivers, is_met};

/// Decides which findings remain.
pub(super) struct Sieve<'c> {
    at: &'c [LevelsAt],
    waivers: Waivers<'c>,
    comments: Comments<'c>,
    baseline: Option<Baseline>,
    /// The number of findings that are accepted with a reason.
    pub(super) waived: usize,
    /// The number of findings that are in the baseline.
    pub(super) known: usize,
}

impl<'c> Sieve<'c> {
    pub(super) fn new(
        configuration: &'c Configuration,
        baseline: Option<Baseline>,
        (sources, limits): (&'c [Source], &'c Limits),
    ) -> Self {
        // A waiver without an id of a rule is for `diff`, or for both.
        let is_wanted = |waiver: &Waiver| {
            waiver.fingerprint.is_none()
                && waiver.id.as_ref().is_some_and(|id| rules().any(|rule| is_like(id, rule.id)))
        };
        let waivers = Waivers::new(&configuration.waivers, is_wanted);
        let comments = Comments::new(sources, limits);
        Self { at: &configuration.lint.at, waivers, comments, baseline, waived: 0, known: 0 }
    }

    /// Sets the finding's level. Returns `None` if the rule is off at the finding's path, if a waiver or comment accepts the finding, or if
    /// the baseline contains it.
    pub(super) fn keep(
        &mut self,
        crd: &CustomResourceDefinition,
        origin: &Origin,
        mut finding: LintFinding,
    ) -> Option<LintFinding> {
        let path = self.path(crd, &finding);
        finding.level = self.level(crd, &path, &finding)?;
        if self.waives(crd, &path, &finding)
            || self.comments.reason(origin, &finding.field, finding.rule).is_some()
        {
            self.waived += 1;
            return None;
        }
        if self.baseline.as_mut().is_some_and(|baseline| baseline.take(crd, &finding)) {
            self.known += 1;
            return None;
        }
        Some(finding)
    }

    /// Returns `true` if the rule is on at the finding's path, and no waiver accepts the finding.
    pub(super) fn is_open(&mut self, crd: &CustomResourceDefinition, finding: &LintFinding) -> bool {
        let path = self.path(crd, finding);
        self.level(crd, &path, finding).is_some() && !self.waives(crd, &path, finding)
    }

    /// Returns the finding's path. The result is empty if the project has no settings for paths, because building long paths takes time.
    fn path(&self, crd: &CustomResourceDefinition, finding: &LintFinding) -> String {
        let is_looked_at = !self.at.is_empty() || !self.waivers.is_empty();
        if is_looked_at { finding.place(crd).1 } else { String::new() }
    }

    fn waives(&mut self, crd: &CustomResourceDefinition, path: &str, finding: &LintFinding) -> bool {
        let subject = Subject { id: finding.rule.id, crd: &crd.metadata.name, path, fingerprint: None };
        self.waivers.reason(subject).is_some()
    }

    /// Returns the level at the finding's path, or `None` if the rule is off at this path.
    fn level(&self, crd: &CustomResourceDefinition, path: &str, finding: &LintFinding) -> Option<LintLevel> {
        let is_here = |at: &&LevelsAt| is_met(&at.path, path) && is_met(&at.crd, &crd.metadata.name);
        let mut levels = self.at.iter().filter(is_here).filter_map(|at| chosen(&at.levels, finding.rule));
        levels.next_back().unwrap_or(Some(finding.level))
    }

    /// Returns messages about unused waivers, comments that accept nothing, and unused entries in the baseline.
    pub(super) fn remarks(&self) -> Vec<String> {
        let left = self.baseline.as_ref().map_or(0, Baseline::left);
        let stale = (left > 0)
            .then(|| format!("{left} of the baseline's findings are gone; `--write-baseline` updates it"));
        self.waivers.remarks().chain(self.comments.remarks()).chain(stale).collect()
    }
}

/// Returns the level that is set for a rule's id or, if there is none, for the rule's group.
pub(super) fn chosen(levels: &Levels, rule: &Rule) -> Option<Option<LintLevel>> {
    let of = |name: &str| levels.iter().find(|(chosen, _)| chosen == name).map(|(_, level)| *level);
    of(rule.id).or_else(|| of(rule.group.as_str()))
}
