//! `crdkit diff`: what a change of definitions does to their users.

mod cluster;
mod show;
mod waivers;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use crd_diff::{DiffOptions, Finding, Profile, added, affected, diff, removed};
use crd_input::{Definition, Limits, Source, in_parallel};
use crd_report::{
    Format, Found, LeftOut, Level, Message, MessageFormat, Messages, Printer, Report, Search, Status, ended,
    indented, json, junit, line, print, some,
};
use serde_json::Value;

use crate::configuration::Configuration;
use crate::read::Read;
use crate::server::Server;
use cluster::Cluster;
use show::{DiffFormat, Placed};
use waivers::Waivers;

/// Compare definitions, and show what fails after the change
///
/// Reports each change with the kinds of use that fail, the reason and the remedy, and the smallest object that shows it, with
/// the answer of kube-apiserver to that object. The classes are: `server` (the update itself is refused), `stuck` (not even a
/// label of a stored object can be changed), `data` (something stored is lost or changes), `edit` (stored objects cannot be
/// changed), `write` (requests are refused), `read` (readers meet new values), `rollback`, `apply` (ownership under
/// server-side apply) and `rust` (generated code changes). A class with a question mark could not be decided.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diff {
    /// Old definitions, which may be given several times, and the new ones: files, folders, `-` for the standard input,
    /// `git:REF:PATH` for files of a commit, or `cluster[:CONTEXT]` for those of a cluster that the other side has
    #[arg(value_names = ["OLD", "NEW"], required = true, num_args = 2..)]
    inputs: Vec<String>,
    #[command(flatten)]
    search: Search,
    /// Changes that fail the run
    #[arg(long, value_enum, default_value_t, value_name = "PROFILE")]
    profile: ProfileArgument,
    /// Objects of the old definitions: files, folders, or `cluster[:CONTEXT]` for those of a cluster; repeatable
    #[arg(long, value_name = "FILE|DIR")]
    objects: Vec<PathBuf>,
    /// Configuration with waivers, `[[diff.waive]]` with `fingerprint` and `reason` [default: crdkit.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Objects that are tried for each change, in each direction; 80 and more double the work of the run
    #[arg(long, value_name = "NUMBER", default_value_t = DiffOptions::default().budget)]
    budget: usize,
    #[command(flatten)]
    server: Server,
    /// Format of the findings; `human` goes to the standard error, all others go to the standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: DiffFormat,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  crdkit diff git:main:config/crd config/crd
  crdkit diff git:v1.1.0:crds git:v1.2.0:crds crds   # with two earlier releases
  crdkit diff --profile strict --format markdown old.yaml new.yaml >> \"$GITHUB_STEP_SUMMARY\"
  kubectl get crd shirts.stable.example.com -o yaml | crdkit diff - shirt.yaml
  crdkit diff --objects cluster:staging cluster:staging config/crd   # with the definitions and objects of a cluster
  kubectl get shirts -A -o yaml > objects.yaml && crdkit diff --objects objects.yaml old.yaml new.yaml";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ProfileArgument {
    /// Updates that the server refuses, and stored objects that are lost or stuck
    Stored,
    /// Also requests and changes that are refused
    #[default]
    Clients,
    /// Also readers, rollback, server-side apply, and what could not be decided
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

/// The definitions of one side.
#[derive(Default)]
struct Side {
    sources: Vec<Source>,
    /// The definitions of a name, by their paths below the input: charts and bundles have copies.
    definitions: BTreeMap<String, BTreeMap<PathBuf, Definition>>,
    messages: Vec<Message>,
    left_out: LeftOut,
}

impl Diff {
    pub(crate) fn run(mut self, configuration: &Configuration) -> Status {
        self.server = self.server.configured(configuration);
        let limits = Limits::default();
        let mut waivers = Waivers::new(&configuration.waivers);
        let report = Report::new(self.quiet);
        let Some((new, old)) = self.inputs.split_last() else { return Status::Unreadable };
        let mut new_side = self.side(new, report, &limits);
        let mut old_sides: Vec<Side> = old.iter().map(|input| self.side(input, report, &limits)).collect();
        // A cluster has definitions of others.
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
        if new.definitions.is_empty()
            && old.iter().all(|side| side.definitions.is_empty())
            && failed.is_empty()
        {
            failed.push(left_out.no_definition(0));
        }
        let mut findings = self.compare(&old, &new, &objects);
        let before = findings.len();
        findings.retain(|placed| !waivers.has(&placed.finding));
        let waived = before - findings.len();
        let is_wrong = findings.iter().any(|placed| placed.fails);
        let sources: Vec<Source> =
            old.iter().chain([&new]).flat_map(|side| side.sources.iter().cloned()).collect();
        let shown = self.show(&findings, &mut Messages::new(&sources, &limits), &failed, report);
        if self.format == DiffFormat::default() {
            for fingerprint in waivers.unused() {
                report.line(&format!("the waiver of `{fingerprint}` is not needed any more"));
            }
            report.line(&(summary(&old, &new, &findings, waived) + &left_out.summary()));
        }
        let status = match (failed.is_empty(), is_wrong) {
            (false, _) => Status::Unreadable,
            (true, true) => Status::Wrong,
            (true, false) => Status::Fine,
        };
        ended(shown, left_out.end(report, status))
    }

    fn compare(&self, old: &[Side], new: &Side, objects: &[Value]) -> Vec<Placed> {
        let profile = Profile::from(self.profile);
        let mut options = DiffOptions::default();
        (options.kube_version, options.budget) = (self.server.kube_version(), self.budget);
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
        options.steps = steps(self.budget);
        let found = in_parallel(&pairs, |(old, new)| match (old, new) {
            (Some(old), Some(new)) => {
                options.has_webhook = webhooks.has(&new.crd.metadata.name);
                let mut findings = affected(&old.crd, &new.crd, &options, objects);
                findings.extend(diff(&old.crd, &new.crd, &options));
                findings
            }
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
                fails: profile.fails(&finding),
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
        messages: &mut Messages<'_>,
        failed: &[Message],
        report: Report,
    ) -> Result<(), String> {
        let format = match self.format {
            DiffFormat::Markdown => {
                report.show(failed, MessageFormat::Human);
                return print(show::markdown(findings));
            }
            DiffFormat::Report(Format::Json) => {
                report.show(failed, MessageFormat::Human);
                let mut printer = Printer::new();
                findings.iter().for_each(|placed| printer.print(&json::line(&placed.json())));
                return printer.end();
            }
            DiffFormat::Report(Format::Junit) => {
                let cases: Vec<_> = findings.iter().map(|placed| placed.case(messages)).collect();
                return print(junit::report(&cases, failed, "the file can be read"));
            }
            DiffFormat::Report(Format::Messages(format)) => format,
        };
        let is_shown = |placed: &&Placed| placed.fails || !self.quiet;
        // An error is what fails the run.
        let level = |placed: &Placed, message: Message| Message {
            level: match (placed.fails, message.level) {
                (true, _) => Level::Error,
                (false, Level::Error) => Level::Warning,
                (false, level) => level,
            },
            ..message
        };
        let shown = findings.iter().filter(is_shown);
        if format == MessageFormat::Human {
            report.show(failed, format);
            for placed in shown {
                let (message, details) = placed.human(messages);
                report.show(&[level(placed, message)], format);
                indented(&details);
                line("");
            }
            return Ok(());
        }
        let mut all: Vec<Message> = failed.to_vec();
        all.extend(shown.map(|placed| level(placed, placed.message(messages))));
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

    /// The objects of the old definitions.
    fn objects(&self, old: &[Side], report: Report, limits: &Limits) -> (Vec<Value>, Vec<Message>, LeftOut) {
        let is_cluster =
            |input: &&PathBuf| input.to_str().is_some_and(|input| Cluster::parse(input).is_some());
        let (clusters, paths): (Vec<&PathBuf>, Vec<&PathBuf>) = self.objects.iter().partition(is_cluster);
        let Found { sources, mut errors, mut left_out } = self.search.sources(&paths, limits, report);
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

impl Side {
    fn read(Found { sources, errors, left_out }: Found, input: &str, limits: &Limits) -> Self {
        let Read { definitions: read, mut messages, left_out, .. } =
            Read::from_sources(&sources, errors, left_out, limits);
        // `git:REF:PATH`
        let root = input
            .strip_prefix("git:")
            .map_or(input, |rest| rest.split_once(':').map_or(".", |(_, path)| path));
        let root = crd_input::clean(Path::new(root));
        let paths: HashMap<&str, PathBuf> = sources
            .iter()
            .filter_map(|source| {
                let path = crd_input::clean(source.tree_path().filter(|_| source.is_found())?);
                Some((source.relative(), path.strip_prefix(&root).map(Path::to_owned).unwrap_or(path)))
            })
            .collect();
        let mut definitions: BTreeMap<String, BTreeMap<PathBuf, Definition>> = BTreeMap::new();
        for definition in read {
            let spec = &definition.crd.spec;
            let name = format!("{}.{}", spec.names.plural, spec.group);
            let path = paths.get(&*definition.origin.file).cloned().unwrap_or_default();
            let same = definitions.entry(name.clone()).or_default();
            if let Some(other) = same.get(&path) {
                let (first, second) = (&other.origin.file, &definition.origin.file);
                messages.push(Message {
                    file: definition.origin.file.clone(),
                    ..Message::for_run(format!("`{name}` is defined twice: in {first} and in {second}"))
                });
                continue;
            }
            same.insert(path, definition);
        }
        Self { sources, definitions, messages, left_out }
    }
}

/// Pairs the definitions of one name by their paths; one whose path is only on one side is compared with the first of the other.
/// Copies are compared once.
fn pairs<'d>(
    old: Option<&'d BTreeMap<PathBuf, Definition>>,
    new: Option<&'d BTreeMap<PathBuf, Definition>>,
) -> Vec<(Option<&'d Definition>, Option<&'d Definition>)> {
    let find = |side: Option<&'d BTreeMap<PathBuf, Definition>>, path: &PathBuf| {
        side.and_then(|side| side.get(path).or_else(|| side.values().next()))
    };
    let paths: BTreeSet<&PathBuf> = [old, new].into_iter().flatten().flat_map(BTreeMap::keys).collect();
    let mut pairs: Vec<(Option<&Definition>, Option<&Definition>)> = Vec::new();
    let spec = |side: Option<&'d Definition>| side.map(|definition| &definition.crd.spec);
    for path in paths {
        let (old, new) = (find(old, path), find(new, path));
        if !pairs.iter().any(|pair| spec(pair.0) == spec(old) && spec(pair.1) == spec(new)) {
            pairs.push((old, new));
        }
    }
    pairs
}

/// Returns the work of one comparison, which grows with the budget up to ten times. A change has some hundred objects to try, so that a
/// greater budget only repeats the search for them.
fn steps(budget: usize) -> u64 {
    let default = DiffOptions::default();
    let budget = budget.clamp(default.budget, 10 * default.budget) as u64;
    default.steps.saturating_mul(budget) / default.budget as u64
}

fn summary(old: &[Side], new: &Side, findings: &[Placed], waived: usize) -> String {
    let before: usize = old.iter().map(|side| side.definitions.len()).sum();
    let counts = format!("compared {} with {}", some(before, "definition"), new.definitions.len());
    let of =
        |level: crd_diff::Severity| findings.iter().filter(|placed| placed.finding.severity == level).count();
    let parts = [
        (crd_diff::Severity::Error, "error"),
        (crd_diff::Severity::Warning, "warning"),
        (crd_diff::Severity::Note, "note"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(severity, _)| of(*severity) > 0)
        .map(|(severity, noun)| some(of(severity), noun))
        .collect();
    let found = if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") };
    let waived = if waived > 0 { format!("; {waived} waived") } else { String::new() };
    format!("{counts}: {found}{waived}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The work once grew with the budget without end.
    #[test]
    fn a_large_budget_has_ten_times_the_work_at_most() {
        let default = DiffOptions::default();
        assert_eq!(steps(default.budget), default.steps);
        assert_eq!(steps(0), default.steps);
        assert_eq!(steps(60), default.steps * 3 / 2);
        assert_eq!(steps(100_000), default.steps * 10);
        assert_eq!(steps(usize::MAX), default.steps * 10);
    }
}
