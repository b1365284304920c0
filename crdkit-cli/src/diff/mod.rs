//! `crdkit diff`: reports how changes to CRDs affect users.

mod cluster;
mod group;
mod markdown;
mod placed;
mod show;
mod side;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use crd_diff::{DiffOptions, Finding, Profile, added, affected, diff, removed};
use crd_input::{Definition, Limits, Source, in_parallel};
use crd_report::{
    Format, Found, LeftOut, Level, Message, MessageFormat, Messages, Printer, Report, Search, Status, ended,
    has_errors, indented, json, junit, print,
};
use serde_json::Value;

use crate::configuration::{Configuration, Waiver};
use crate::server::Server;
use crate::waivers::{Subject, Waivers};
use cluster::Cluster;
use group::groups;
use placed::{Placed, Policy};
use show::DiffFormat;
use side::{Side, pairs};
use verdict::GateVerdict;

/// Compare CRDs, and show what fails after the change
///
/// Reports for each change what fails, the reason and the remedy, and the smallest object that shows the failure, with the response of
/// kube-apiserver to this object. The classes of failures are: `server` (the update of the CRD is rejected), `stuck` (every update of a
/// stored object is rejected, even of a label), `data` (stored data is lost or changes), `edit` (some updates of stored objects are
/// rejected), `write` (requests are rejected), `read` (readers see new values), `rollback` (objects are lost or stuck when the old CRD is
/// restored), `apply` (field managers change under server-side apply) and `rust` (generated code changes). A question mark after a class
/// means that it could not be decided. The exit status is 1 if a change fails the profile, and 3 if it could not be decided whether a
/// change fails the profile.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diff {
    /// One or more inputs with old CRDs, then one with new CRDs: files, directories, `-` for standard input, `git:REF:PATH` for files of a
    /// commit, or `cluster[:CONTEXT]` for the CRDs of a cluster that the other inputs also contain
    #[arg(value_names = ["OLD", "NEW"], required = true, num_args = 2..)]
    inputs: Vec<String>,
    #[command(flatten)]
    search: Search,
    /// Which classes make the run fail
    #[arg(long, value_enum, default_value_t, value_name = "PROFILE")]
    profile: ProfileArgument,
    /// Objects of the old CRDs: files, directories, or `cluster[:CONTEXT]` for the objects of a cluster; repeatable
    #[arg(long, value_name = "FILE|DIR")]
    objects: Vec<PathBuf>,
    /// Configuration file with `[[waive]]` and `[diff.crd.NAME]` [default: crdkit.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Name of a CRD to which kustomize, Helm or an operator adds a conversion webhook that is not in its file; `*` matches any string;
    /// repeatable
    #[arg(long, value_name = "CRD")]
    webhook_conversion: Vec<String>,
    /// Handling of changes that could not be decided
    #[arg(long, value_enum, default_value_t, value_name = "ACTION")]
    undecided: UndecidedArgument,
    /// Exit with status 0 even if a change fails the profile
    #[arg(long)]
    warn_only: bool,
    /// Also show notes: changes that break nothing
    #[arg(long)]
    notes: bool,
    /// Number of objects to try for each change, with the old and with the new CRD; with 80 or more, each comparison can do twice the work
    #[arg(long, value_name = "NUMBER", default_value_t = DiffOptions::default().budget)]
    budget: usize,
    #[command(flatten)]
    server: Server,
    /// Format of the findings; `human` goes to standard error, all other formats go to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: DiffFormat,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  crdkit diff git:main:config/crd config/crd
  crdkit diff git:v1.1.0:crds git:v1.2.0:crds crds   # compare with two earlier releases
  crdkit diff --warn-only --format github git:origin/main:crds crds   # only annotations
  crdkit diff <(git show main:crds.yaml) <(kustomize build config/crd)
  crdkit diff --profile strict --format markdown old.yaml new.yaml >> \"$GITHUB_STEP_SUMMARY\"
  kubectl get crd shirts.stable.example.com -o yaml | crdkit diff - shirt.yaml
  crdkit diff --objects cluster:staging cluster:staging config/crd   # compare with the CRDs and objects of a cluster
  kubectl get shirts -A -o yaml > objects.yaml && crdkit diff --objects objects.yaml old.yaml new.yaml";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ProfileArgument {
    /// Rejected updates of the CRD, and stored objects that are lost or stuck
    Stored,
    /// Also rejected requests, and rejected updates of some stored objects
    #[default]
    Clients,
    /// Also effects on readers, rollback and server-side apply, and changes that could not be decided
    Strict,
    /// Changes of generated Rust code
    Rust,
}

impl From<ProfileArgument> for Profile {
    fn from(profile: ProfileArgument) -> Self {
        match profile {
            ProfileArgument::Stored => Self::Stored,
            ProfileArgument::Clients => Self::Clients,
            ProfileArgument::Strict => Self::Strict,
            ProfileArgument::Rust => Self::Rust,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum UndecidedArgument {
    /// Exit with status 3
    #[default]
    Fail,
    /// Show a warning
    Warn,
}

impl Diff {
    pub(crate) fn run(self, configuration: &Configuration) -> Status {
        crd_input::on_large_stack(|| self.run_on(configuration))
    }

    fn run_on(mut self, configuration: &Configuration) -> Status {
        self.server = self.server.configured(configuration);
        self.webhook_conversion.extend(configuration.webhooks.iter().cloned());
        let limits = Limits::default();
        // A waiver whose id is that of a rule of `lint` is for `lint`.
        let is_of_lint = |id: &String| crd_lint::rules().any(|rule| rule.id == *id);
        let is_wanted = |waiver: &Waiver| !waiver.id.as_ref().is_some_and(is_of_lint);
        let mut waivers = Waivers::new(&configuration.waivers, is_wanted);
        let report = Report::new(self.quiet);
        let Some((new, old)) = self.inputs.split_last() else { return Status::Unreadable };
        let mut new_side = self.side(new, report, &limits);
        let mut old_sides: Vec<Side> = old.iter().map(|input| self.side(input, report, &limits)).collect();
        // A cluster has CRDs of others.
        for (side, _) in old_sides.iter_mut().zip(old).filter(|(_, input)| Cluster::parse(input).is_some()) {
            side.definitions.retain(|name, _| new_side.definitions.contains_key(name));
        }
        if Cluster::parse(new).is_some() {
            let is_known = |name: &String| old_sides.iter().any(|side| side.definitions.contains_key(name));
            new_side.definitions.retain(|name, _| is_known(name));
        }
        let (mut new, mut old) = (new_side, old_sides);
        let (objects, mut failed, mut left_out) = self.objects(&old, report, &limits);
        old.iter_mut().chain([&mut new]).for_each(|side| left_out.add(std::mem::take(&mut side.left_out)));
        failed.extend(old.iter().chain([&new]).flat_map(|side| side.messages.iter().cloned()));
        let names = old.iter().chain([&new]).flat_map(|side| side.definitions.keys());
        let crds = names.collect::<BTreeSet<_>>().len();
        if crds == 0 && !has_errors(&failed) {
            failed.push(left_out.no_definition(0));
        }
        let findings = self.compare(&old, &new, &objects, &mut waivers);
        let errors = failed.iter().filter(|message| message.level == Level::Error).count();
        let verdict = GateVerdict::new(&findings, crds, errors, self.policy());
        let sources: Vec<Source> =
            old.iter().chain([&new]).flat_map(|side| side.sources.iter().cloned()).collect();
        let line = verdict.line(self.notes, &left_out.summary());
        let shown =
            self.show(&findings, (&verdict, &line), &mut Messages::new(&sources, &limits), &failed, report);
        if self.format == DiffFormat::default() {
            waivers.remarks().for_each(|remark| report.line(&remark));
        }
        // The process ends next, and returns the memory at once.
        std::mem::forget((old, new));
        ended(shown, left_out.end(report, verdict.status()))
    }

    fn policy(&self) -> Policy {
        Policy {
            profile: Profile::from(self.profile),
            allows_undecided: self.undecided == UndecidedArgument::Warn,
            is_warn_only: self.warn_only,
        }
    }

    fn compare(&self, old: &[Side], new: &Side, objects: &[Value], waivers: &mut Waivers<'_>) -> Vec<Placed> {
        let profile = Profile::from(self.profile);
        let mut options = DiffOptions::default();
        (options.kube_version, options.budget) = (self.server.kube_version(), self.budget);
        options.steps = steps(self.budget);
        let pairs: Vec<(Option<&Definition>, Option<&Definition>)> = old
            .iter()
            .flat_map(|side| {
                let names: BTreeSet<&String> =
                    side.definitions.keys().chain(new.definitions.keys()).collect();
                names
                    .into_iter()
                    .flat_map(|name| pairs(side.definitions.get(name), new.definitions.get(name)))
            })
            .collect();
        let is_unread = new.definitions.is_empty() && has_errors(&new.messages);
        let webhooks = &new.webhooks;
        let has_webhook = |name: &str| {
            let mut declared = self.webhook_conversion.iter();
            webhooks.contains(name) || declared.any(|pattern| crd_input::is_like(pattern, name))
        };
        let found = in_parallel(&pairs, |(old, new)| match (old, new) {
            (Some(old), Some(new)) => {
                let mut options = options;
                options.has_webhook = has_webhook(&new.crd.metadata.name);
                let mut findings = affected(&old.crd, &new.crd, &options, objects);
                findings.extend(diff(&old.crd, &new.crd, &options));
                findings
            }
            // What is in a side that cannot be read is unknown.
            (Some(_), None) if is_unread => Vec::new(),
            (Some(old), None) => vec![removed(&old.crd)],
            (None, Some(new)) => vec![added(&new.crd)],
            (None, None) => Vec::new(),
        });
        // Several old releases have the same findings.
        let mut known = BTreeSet::new();
        let mut out = Vec::new();
        for ((old, new), findings) in pairs.into_iter().zip(found) {
            let origin = |side: Option<&Definition>| side.map(|definition| definition.origin.clone());
            let findings =
                findings.into_iter().filter(|finding: &Finding| known.insert(finding.fingerprint.clone()));
            out.extend(findings.map(|finding| Placed {
                judgement: profile.judge(&finding),
                waived: waivers.reason(Subject {
                    id: finding.id,
                    crd: &finding.crd,
                    path: &finding.path,
                    fingerprint: Some(&finding.fingerprint),
                }),
                old: origin(old),
                new: origin(new),
                finding,
            }));
        }
        out
    }

    fn show(
        &self,
        findings: &[Placed],
        (verdict, line): (&GateVerdict, &str),
        messages: &mut Messages<'_>,
        failed: &[Message],
        report: Report,
    ) -> Result<(), String> {
        let policy = self.policy();
        let mut groups = groups(findings, self.notes);
        groups.retain(|group| !self.quiet || policy.level(group.first) == Level::Error);
        let format = match self.format {
            DiffFormat::Markdown => {
                report.show(failed, MessageFormat::Human);
                return print(markdown::markdown(line, &groups, policy));
            }
            DiffFormat::Report(Format::Json) => {
                report.show(failed, MessageFormat::Human);
                let mut printer = Printer::new();
                let mut line = |placed: &Placed| json::line(&placed.json(messages, policy));
                findings.iter().for_each(|placed| printer.print(&line(placed)));
                return printer.end();
            }
            DiffFormat::Report(Format::Junit) => {
                let open = findings.iter().filter(|placed| placed.waived.is_none());
                let cases: Vec<_> = open.map(|placed| show::case(placed, messages, policy)).collect();
                return print(junit::report(&cases, failed, "the file can be read"));
            }
            DiffFormat::Report(Format::Messages(format)) => format,
        };
        if format == MessageFormat::Human {
            if !self.quiet || verdict.level() == Level::Error {
                crd_report::line(line);
                crd_report::line("");
            }
            report.show(failed, format);
            for group in &groups {
                let (message, details) = show::human(group, messages, policy);
                report.show(&[message], format);
                if !details.is_empty() {
                    indented(&details);
                    crd_report::line("");
                }
            }
            return Ok(());
        }
        let mut all = Vec::new();
        if format == MessageFormat::Github {
            let summary = Message::for_run(line.to_owned());
            all.push(Message { level: verdict.level(), reason: "crdkit diff", ..summary });
        }
        all.extend(failed.iter().cloned());
        all.extend(groups.iter().map(|group| show::message(group, messages, policy)));
        report.print(&all, format)
    }

    fn side(&self, input: &str, report: Report, limits: &Limits) -> Side {
        let read = match Cluster::parse(input).map(|cluster| cluster.sources(limits)) {
            Some(Ok(sources)) => Found { sources, ..Found::default() },
            Some(Err(error)) => Found { errors: vec![error], ..Found::default() },
            None => self.search.sources(&[input], limits, report),
        };
        Side::read(read, input, limits)
    }

    /// Returns the objects of all old CRDs.
    fn objects(&self, old: &[Side], report: Report, limits: &Limits) -> (Vec<Value>, Vec<Message>, LeftOut) {
        let is_cluster =
            |input: &&PathBuf| input.to_str().is_some_and(|input| Cluster::parse(input).is_some());
        let (clusters, paths): (Vec<&PathBuf>, Vec<&PathBuf>) = self.objects.iter().partition(is_cluster);
        let Found { sources, mut errors, mut left_out, .. } = self.search.sources(&paths, limits, report);
        let mut objects = Vec::new();
        for cluster in clusters.iter().filter_map(|input| Cluster::parse(input.to_str()?)) {
            for definition in old.iter().flat_map(|side| side.definitions.values().flat_map(BTreeMap::values))
            {
                match cluster.objects(&definition.crd, limits) {
                    Ok(found) => objects.extend(found),
                    Err(error) => errors.push(error),
                }
            }
        }
        for source in &sources {
            errors.extend(crd_input::each_document(source, limits, &mut |object| {
                if !object.document.is_definition() {
                    objects.push(object.document.value);
                }
            }));
        }
        let groups: BTreeSet<&String> = old
            .iter()
            .flat_map(|side| side.definitions.values().flat_map(BTreeMap::values))
            .map(|found| &found.crd.spec.group)
            .collect();
        let is_wanted =
            |line: &str| line.contains("apiVersion") && groups.iter().any(|group| line.contains(*group));
        let errors = left_out.sift_where(errors, &sources, limits, &is_wanted);
        (objects, Messages::new(&sources, limits).all(&errors, &[]), left_out)
    }
}

/// Returns the limit for the CPU steps of one comparison. The limit grows with the budget, up to twice the default. More steps would only
/// repeat the search, because there are only about a hundred objects to try for each change.
fn steps(budget: usize) -> u64 {
    let default = DiffOptions::default();
    let budget = budget.clamp(default.budget, 2 * default.budget) as u64;
    default.steps.saturating_mul(budget) / default.budget as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the number of steps is limited even if the budget is very large.
    #[test]
    fn a_large_budget_has_twice_the_work_at_most() {
        let default = DiffOptions::default();
        assert_eq!(steps(default.budget), default.steps);
        assert_eq!(steps(0), default.steps);
        assert_eq!(steps(60), default.steps * 3 / 2);
        assert_eq!(steps(100_000), default.steps * 2);
        assert_eq!(steps(usize::MAX), default.steps * 2);
    }
}
