//! Findings, and collectors of findings.

use std::collections::BTreeMap;

use crd_core::crd::Version;
use crd_core::{CustomResourceDefinition, FieldPath, Remedy, Segment};
use crd_go::re2::Matcher;
use crd_sample::Allowance;
use serde_json::Value;

use crate::rule::{LintLevel, LintOptions, Rule};

/// Maximum number of findings that are kept for one rule and one CRD.
const MOST_OF_RULE: usize = 1_000;

/// A setting in a CRD that harms its users.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LintFinding {
    /// The rule that reports the finding.
    pub rule: &'static Rule,
    /// The level of the finding.
    pub level: LintLevel,
    /// The path in the CRD.
    pub field: FieldPath,
    /// The problem.
    pub message: String,
    /// The remedy.
    pub remedy: Option<Remedy>,
    /// An object for which the problem occurs, if the rule searches for such an object.
    pub proof: Option<Value>,
}

impl LintFinding {
    /// Returns the finding's version, and the path of the value in objects, such as `spec.ports[].name`. If the finding
    /// is not about a value, the path is in the CRD. The result does not change when versions are reordered.
    #[must_use]
    pub fn place<'c>(&self, crd: &'c CustomResourceDefinition) -> (Option<&'c str>, String) {
        let segments = self.field.segments();
        let (version, below) = match segments.as_slice() {
            [Segment::Child(spec), Segment::Child(versions), Segment::Index(i), below @ ..]
                if **spec == *"spec" && **versions == *"versions" =>
            {
                (crd.spec.versions.get(*i), below)
            }
            _ => (None, segments.as_slice()),
        };
        let path = match below {
            [Segment::Child(_), Segment::Child(root), below @ ..] if **root == *"openAPIV3Schema" => {
                value_path(below)
            }
            below => path(below).to_string(),
        };
        (version.map(|version: &Version| version.name.as_str()), path)
    }
}

fn path(steps: &[&Segment]) -> FieldPath {
    steps.iter().fold(FieldPath::root(), |path, step| match step {
        Segment::Child(name) => path.child(name.clone()),
        Segment::Key(name) => path.key(name.clone()),
        Segment::Index(i) => path.index(*i),
    })
}

/// Returns the path of the value that the last of these schemas describes.
fn value_path(schema: &[&Segment]) -> String {
    let mut path = String::new();
    let mut steps = schema.iter();
    while let Some(step) = steps.next() {
        match step {
            Segment::Child(keyword) if **keyword == *"properties" => match steps.next() {
                Some(Segment::Key(name)) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                _ => break,
            },
            Segment::Child(keyword) if **keyword == *"items" => path.push_str("[]"),
            Segment::Child(keyword) if **keyword == *"additionalProperties" => path.push_str("[*]"),
            _ => break,
        }
    }
    path
}

/// Maximum number of steps to match one pattern. A step takes about ten nanoseconds.
const STEPS_OF_MATCH: u64 = 1_000_000;
/// The number of matching steps that take as long as one step in a search for objects.
const STEPS_IN_STEP: u64 = 5;

/// The findings so far.
pub(crate) struct Collected {
    /// The remaining steps for searches and for matching patterns.
    allowance: Allowance,
    found: Vec<LintFinding>,
    counts: BTreeMap<&'static str, usize>,
}

/// Collects findings for one rule.
pub(crate) struct FoundBy<'c> {
    rule: &'static Rule,
    collected: &'c mut Collected,
    /// `true` if the rule already has the maximum number of findings.
    pub(crate) is_full: bool,
}

impl Collected {
    /// Creates an empty collection. Rules take their steps from `allowance`.
    pub(crate) fn new(allowance: &Allowance) -> Self {
        Self { allowance: allowance.clone(), found: Vec::new(), counts: BTreeMap::new() }
    }

    /// Returns a collector for a rule's findings.
    pub(crate) fn by(&mut self, rule: &'static Rule) -> FoundBy<'_> {
        FoundBy { rule, collected: self, is_full: false }
    }

    /// Returns the findings with their levels. The highest level comes first, and within a level, the findings about broken CRDs.
    pub(crate) fn sorted(self, options: &LintOptions) -> Vec<LintFinding> {
        let mut found = self.found;
        found.retain_mut(|finding| match options.level(finding.rule) {
            Some(level) => {
                finding.level = level;
                true
            }
            None => false,
        });
        found.sort_by_key(|finding| (std::cmp::Reverse(finding.level), finding.rule.group));
        found
    }
}

impl FoundBy<'_> {
    /// Returns `true` if a pattern matches anywhere in a text; `None` if this takes too many steps.
    pub(crate) fn is_match(&self, pattern: &Matcher, text: &str) -> Option<bool> {
        let allowance = &self.collected.allowance;
        let steps = STEPS_OF_MATCH.min(allowance.left().saturating_mul(STEPS_IN_STEP));
        let mut left = steps;
        let answer = pattern.is_match(text, &mut left).ok();
        allowance.take((steps - left).div_ceil(STEPS_IN_STEP));
        answer
    }

    /// Adds a finding with a remedy.
    pub(crate) fn add(&mut self, field: FieldPath, message: impl Into<String>, remedy: impl Into<Remedy>) {
        self.push(field, message.into(), Some(remedy.into()), None);
    }

    /// Adds a finding with an object that proves it.
    pub(crate) fn prove(&mut self, field: FieldPath, message: String, remedy: Remedy, proof: Value) {
        self.push(field, message, Some(remedy), Some(proof));
    }

    /// Adds a finding with all its parts.
    pub(crate) fn push(
        &mut self,
        field: FieldPath,
        message: String,
        remedy: Option<Remedy>,
        proof: Option<Value>,
    ) {
        let rule = self.rule;
        let count = self.collected.counts.entry(rule.id).or_default();
        *count += 1;
        self.is_full = *count >= MOST_OF_RULE;
        if *count <= MOST_OF_RULE {
            let level = LintLevel::Note;
            self.collected.found.push(LintFinding { rule, level, field, message, remedy, proof });
        }
    }
}
