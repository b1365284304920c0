//! `crdkit lint`: finds settings in CRDs that the API server accepts but that cause problems later.

mod baseline;
mod comments;
mod fix;
mod sieve;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use crd_core::CustomResourceDefinition;
use crd_core::check::{CrdAdvice, ServerOptions, Verdict};
use crd_input::{Definition, Limits, Origin, Source, in_turn};
use crd_lint::{
    LintFinding, LintLevel, LintOptions, Profile, Rule, SEARCH_STEPS, lint, lint_together, lint_within,
    rule_names, rules,
};
use crd_report::advice::ALL;
use crd_report::{
    Counted, DocumentVerdict, DocumentVerdicts, Format, Found, Inputs, Level, MessageFormat, Messages,
    Report, Shown, Status, ended, has_errors, print_visible, some,
};
use crd_sample::Allowance;
use serde_json::{Value, json};

use crate::configuration::Configuration;
use crate::read::Read;
use crate::work::SharedWork;
use baseline::Baseline;
use sieve::{Sieve, chosen};

/// Find settings that the API server accepts but that cause problems later
///
/// Finds parts of CRDs that do not work although the API server accepts them: rules that fail on objects, fields that are dropped, columns
/// that stay empty. Depending on the profile, also finds violations of the API conventions. For some rules, crdkit searches for an object
/// that proves the problem, and prints it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Lint {
    #[command(flatten)]
    inputs: Inputs,
    /// Selection of rules and their levels [default: the profile in crdkit.toml, otherwise `crd`]
    #[arg(long, value_parser = profiles(), value_name = "PROFILE")]
    profile: Option<String>,
    /// Turn off a rule, a group of rules, or `all`; repeatable
    #[arg(long, value_name = "RULE", value_parser = names(), hide_possible_values = true)]
    allow: Vec<String>,
    /// Treat findings of a rule, of a group of rules, or of `all` rules as errors; repeatable
    #[arg(long, value_name = "RULE", value_parser = names(), hide_possible_values = true)]
    deny: Vec<String>,
    /// Configuration with `[lint]` and `[[waive]]` [default: crdkit.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Show only findings that are not in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all findings into the file that --baseline names
    #[arg(long)]
    write_baseline: bool,
    /// Show the reason for a rule, and exit
    #[arg(long, value_name = "RULE", value_parser = ids(), hide_possible_values = true)]
    explain: Option<String>,
    /// List the rules with their levels in the profile, and exit
    #[arg(long)]
    list: bool,
    /// Write remedies into the files if they fix the finding; report all other findings
    #[arg(long)]
    fix: bool,
    /// With `--fix`, print the changes instead of writing them, and report no other findings
    #[arg(long, requires = "fix")]
    diff: bool,
    /// Format of the findings; `human` goes to standard error, all other formats go to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  crdkit lint config/crd
  crdkit lint --profile kubernetes crds/   # all API conventions
  crdkit lint --deny broken --format github .   # in CI: fail on settings that do not work
  crdkit lint --allow list-without-type crds/
  crdkit lint --fix --diff crds/   # show the changes without writing them
  crdkit lint --baseline lint.txt --write-baseline crds/   # report only new findings from now on
  crdkit lint --explain rule-fails-without-field
  crdkit lint --list";

fn profiles() -> PossibleValuesParser {
    PossibleValuesParser::new(
        Profile::ALL.map(|profile| PossibleValue::new(profile.as_str()).help(profile.about())),
    )
}

fn ids() -> PossibleValuesParser {
    PossibleValuesParser::new(rules().map(|rule| rule.id))
}

/// Returns the rule ids and group names.
fn names() -> PossibleValuesParser {
    PossibleValuesParser::new([ALL].into_iter().chain(rule_names()))
}

/// The findings (reported problems) in a CRD. They are kept until the findings in all previous CRDs are reported.
struct Linted<'d> {
    definition: &'d Definition,
    verdict: Verdict,
    findings: Vec<LintFinding>,
    /// `true` if the search for objects that prove the problems reached its limit.
    is_cut: bool,
}

impl Lint {
    pub(crate) fn run(mut self, configuration: &Configuration) -> Status {
        let options = self.options(configuration);
        self.baseline = self.baseline.or_else(|| configuration.lint.baseline.clone());
        if let Some(id) = &self.explain {
            return ended(print_visible(&explained(id, &options)), Status::Fine);
        }
        if self.list {
            return ended(print_visible(&listed(&options)), Status::Fine);
        }
        let limits = Limits::default();
        let report = Report::new(self.quiet);
        let fail = |reason| report.fail(reason, MessageFormat::Human);
        let baseline = match (&self.baseline, self.write_baseline) {
            (None, true) => return fail("`--write-baseline` needs `--baseline FILE`".to_owned()),
            // A baseline that is not there yet knows nothing.
            (Some(path), false) => match Baseline::read(path) {
                Ok(baseline) => Some(baseline),
                Err(reason) => return fail(reason),
            },
            _ => None,
        };
        let Found { sources, errors, left_out, .. } = self.inputs.sources(&limits, report);
        let mut sieve = Sieve::new(configuration, baseline, (&sources, &limits));
        if self.fix {
            let (differences, messages) = fix::fix((&sources, &mut sieve), &options, self.diff, report);
            report.show(&messages, MessageFormat::Human);
            if self.diff || !messages.is_empty() {
                let status = if messages.is_empty() { Status::Fine } else { Status::Unreadable };
                return ended(print_visible(&differences), status);
            }
        }
        let read = Read::from_sources(&sources, errors, left_out, &limits).expect_some().keep_first(&sources);
        let Read { definitions, messages, left_out, .. } = read;
        report.show(&messages, MessageFormat::Human);
        let mut written = self.write_baseline.then(Baseline::default);
        let (answers, cut) =
            self.lint(&definitions, &options, (&sources, &limits), (&mut sieve, &mut written), report);
        // The process ends soon, and dropping all schemas takes a measurable part of its time.
        std::mem::forget(definitions);
        if let Some((baseline, path)) = written.zip(self.baseline.as_deref())
            && let Err(reason) = baseline.write(path)
        {
            return fail(reason);
        }
        let is_read = !has_errors(&messages) && answers.answered() > 0;
        let status = if is_read { answers.status() } else { Status::Unreadable };
        let (count, rejected) = (answers.answered(), answers.answered() - answers.accepted());
        let is_human = self.format == Format::Messages(MessageFormat::Human);
        let shown = answers.show(Messages::new(&sources, &limits), &[], None, |counted| {
            let accepted = (sieve.waived, sieve.known);
            is_human.then(|| summary((count, rejected, cut), accepted, counted) + &left_out.summary())
        });
        if is_human && is_read && !self.write_baseline {
            sieve.remarks().iter().for_each(|remark| report.line(remark));
        }
        ended(shown, left_out.end(report, status))
    }

    /// Returns each rule's level. Rule ids take precedence over groups, `--deny` over `--allow`, and both options over the configuration.
    fn options(&self, configuration: &Configuration) -> LintOptions {
        let profile = self.profile.as_deref().and_then(Profile::from_name);
        let mut options = configured(configuration, profile);
        for name in [|_| ALL, |rule: &Rule| rule.group.as_str(), |rule: &Rule| rule.id] {
            for rule in rules() {
                let name = name(rule);
                let has = |names: &[String]| names.iter().any(|chosen| chosen == name);
                if has(&self.allow) {
                    options.levels.insert(rule.id, None);
                }
                // A group that is denied turns on no rule that is off.
                if has(&self.deny) && (name == rule.id || options.level(rule).is_some()) {
                    options.levels.insert(rule.id, Some(LintLevel::Error));
                }
            }
        }
        options
    }

    /// Examines each CRD, and compares the names of all CRDs. Returns the results, and the number of searches that reached their limit.
    fn lint(
        &self,
        definitions: &[Definition],
        options: &LintOptions,
        (sources, limits): (&[Source], &Limits),
        (sieve, written): (&mut Sieve<'_>, &mut Option<Baseline>),
        report: Report,
    ) -> (DocumentVerdicts, usize) {
        let mut answers = DocumentVerdicts::new(self.format, report);
        let mut places = Messages::new(sources, limits);
        let mut together: BTreeMap<usize, Vec<LintFinding>> = BTreeMap::new();
        let crds: Vec<_> = definitions.iter().map(|definition| &definition.crd).collect();
        for (i, finding) in lint_together(&crds, options) {
            together.entry(i).or_default().push(finding);
        }
        let (work, progress) = (SharedWork::new(), report.progress("linting", definitions.len()));
        let (mut cut, mut at) = (0, 0);
        let all: Vec<&Definition> = definitions.iter().collect();
        in_turn(
            &all,
            |definition, turn| {
                let linted = linted(definition, options, &work, || turn.wait());
                progress.step();
                let weight = linted.findings.iter().map(|finding| 300 + finding.message.len()).sum();
                turn.give(linted, weight);
            },
            &mut |mut linted: Linted<'_>| {
                linted.findings.extend(together.remove(&at).unwrap_or_default());
                at += 1;
                cut += usize::from(linted.is_cut);
                let Definition { crd, origin } = linted.definition;
                linted.findings = { linted.findings }
                    .into_iter()
                    .filter_map(|finding| sieve.keep(crd, origin, finding))
                    .collect();
                if let Some(baseline) = written {
                    linted.findings.drain(..).for_each(|finding| baseline.add(crd, &finding));
                }
                answers.take(self.shown(linted, &mut places));
            },
        );
        progress.finish();
        (answers, cut)
    }

    /// Returns the findings in a CRD in the output format.
    fn shown(&self, linted: Linted<'_>, places: &mut Messages<'_>) -> Shown {
        let Linted { definition, verdict, findings, .. } = linted;
        if self.format == Format::Json {
            let fails = findings.iter().any(|finding| finding.level == LintLevel::Error);
            let line = json_line(definition, &verdict, &findings, places);
            return Shown::line(&line, verdict.accepted && !fails, verdict.is_undecided()).0;
        }
        let findings =
            if self.format == Format::Messages(MessageFormat::Human) { grouped(findings) } else { findings };
        let undecided = verdict.is_undecided();
        let answer = DocumentVerdict {
            origin: definition.origin.clone(),
            name: definition.crd.metadata.name.clone(),
            accepted: verdict.accepted,
            undecided,
            errors: verdict.errors.into_iter().chain(verdict.refusal).collect(),
            warnings: Vec::new(),
            advice: findings.into_iter().map(advice).collect(),
        };
        answer.shown().0
    }
}

/// Returns each rule's level in a profile, including changes from the configuration. The default is the configuration's profile.
pub(crate) fn configured(configuration: &Configuration, profile: Option<Profile>) -> LintOptions {
    let mut options = LintOptions::new(profile.or(configuration.lint.profile).unwrap_or_default());
    let levels = &configuration.lint.levels;
    for rule in rules() {
        let by_id = levels.iter().any(|(name, _)| name == rule.id);
        // A group turns on no rule that is off.
        if let Some(level) = chosen(levels, rule)
            && (by_id || options.level(rule).is_some())
        {
            options.levels.insert(rule.id, level);
        }
    }
    options
}

/// Returns the findings in a CRD that the project does not accept.
pub(crate) fn open_findings(
    (configuration, options): (&Configuration, &LintOptions),
    source: &Source,
    (crd, origin): (&CustomResourceDefinition, &Origin),
) -> Vec<LintFinding> {
    let limits = Limits::default();
    let mut sieve = Sieve::new(configuration, None, (std::slice::from_ref(source), &limits));
    lint(crd, options).into_iter().filter_map(|finding| sieve.keep(crd, origin, finding)).collect()
}

/// Computes the API server's verdict on a CRD, and lints the CRD if it is accepted.
fn linted<'d>(
    definition: &'d Definition,
    options: &LintOptions,
    work: &SharedWork,
    wait: impl Fn(),
) -> Linted<'d> {
    let crd = &definition.crd;
    let verdict = |steps| Some(Verdict::for_request(crd, None, ServerOptions::default().with_work(steps)));
    let verdict = work.answer(crd.json_bytes(), &wait, verdict, verdict).unwrap_or_default();
    let (findings, is_cut) = match verdict.accepted {
        true => {
            let allowance = Allowance::new(SEARCH_STEPS);
            (lint_within(crd, options, &allowance), allowance.left() == 0)
        }
        false => (Vec::new(), false),
    };
    Linted { definition, verdict, findings, is_cut }
}

/// Returns the first finding of each rule, with the number of further findings.
pub(crate) fn grouped(findings: Vec<LintFinding>) -> Vec<LintFinding> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut first: Vec<LintFinding> = Vec::new();
    for finding in findings {
        let count = counts.entry(finding.rule.id).or_default();
        *count += 1;
        if *count == 1 {
            first.push(finding);
        }
    }
    for finding in &mut first {
        let more = counts[finding.rule.id] - 1;
        if more > 0 {
            finding.message += &format!(" (and {more} more; `--format json` shows all)");
        }
    }
    first
}

/// Maximum size of an object in text output, in bytes.
const SHOWN_OBJECT: usize = 400;

/// Converts a finding to advice for output.
pub(crate) fn advice(finding: LintFinding) -> (Level, CrdAdvice) {
    let LintFinding { rule, level, field, mut message, remedy, proof, .. } = finding;
    let proof = proof.map(|proof| proof.to_string()).filter(|text| text.len() <= SHOWN_OBJECT);
    if let Some(proof) = proof {
        message += &format!("; an object that shows it: {proof}");
    }
    let level = match level {
        LintLevel::Error => Level::Error,
        LintLevel::Warning => Level::Warning,
        _ => Level::Notice,
    };
    (level, CrdAdvice::new(rule.id, field, message, remedy.map(|remedy| remedy.text)))
}

fn json_line(
    definition: &Definition,
    verdict: &Verdict,
    findings: &[LintFinding],
    places: &mut Messages<'_>,
) -> Value {
    let finding = |finding: &LintFinding| {
        let (_, spot) = places.place(&definition.origin, &finding.field);
        let mut line = json!({
            "rule": finding.rule.id,
            "group": finding.rule.group.as_str(),
            "level": finding.level.as_str(),
            "field": finding.field.to_string(),
            "message": finding.message,
            "help": finding.remedy.as_ref().map(|remedy| &remedy.text),
        });
        if let Some(proof) = &finding.proof {
            line["proof"] = proof.clone();
        }
        if let Some(spot) = spot {
            line["line"] = spot.line.into();
            line["column"] = spot.column.into();
        }
        line
    };
    json!({
        "file": &*definition.origin.file,
        "document": definition.origin.document,
        "name": definition.crd.metadata.name,
        "accepted": verdict.accepted,
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn summary(
    (count, rejected, cut): (usize, usize, usize),
    (waived, known): (usize, usize),
    counted: &Counted<'_>,
) -> String {
    let at = |level| counted.advice.iter().filter(|message| message.level == level).count();
    let levels = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Notice, "note")];
    let found: Vec<String> = levels
        .into_iter()
        .map(|(level, name)| (at(level), name))
        .filter(|(n, _)| *n > 0)
        .map(|(n, name)| some(n, name))
        .collect();
    let mut line = format!("linted {}: ", some(count, "CRD"));
    line += &if found.is_empty() { "no findings".to_owned() } else { found.join(", ") };
    if waived > 0 {
        line += &format!("; {waived} waived");
    }
    if known > 0 {
        line += &format!("; {known} in the baseline");
    }
    if rejected > 0 {
        line += &format!("; the API server rejects {rejected}, which `crdkit check` explains");
    }
    if cut > 0 {
        line += &format!("; the search for objects reached its limit in {}", some(cut, "CRD"));
    }
    line
}

/// Returns the reason for a rule, its source and its levels.
fn explained(id: &str, options: &LintOptions) -> String {
    let Some(rule) = rules().find(|rule| rule.id == id) else { return String::new() };
    let levels =
        Profile::ALL.map(|profile| format!("{}: {}", profile.as_str(), level_name(rule.level(profile))));
    let level = level_name(options.level(rule));
    format!(
        "{id} ({}, {level})\n\n{}\n\nSource: {}\nProfiles: {}\n",
        rule.group.as_str(),
        rule.why,
        rule.source,
        levels.join(", ")
    )
}

/// Returns all rules, one per line.
fn listed(options: &LintOptions) -> String {
    let width = rules().map(|rule| rule.id.len()).max().unwrap_or_default();
    let line = |rule: &Rule| {
        let level = level_name(options.level(rule));
        format!("{:width$}  {:10}  {level:7}  {}\n", rule.id, rule.group.as_str(), rule.why)
    };
    rules().map(line).collect()
}

fn level_name(level: Option<LintLevel>) -> &'static str {
    level.map_or("off", LintLevel::as_str)
}
