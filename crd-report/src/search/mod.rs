//! Searches directories, in the same way for all commands.

mod ignored;
mod left_out;
mod others;
mod patches;
mod webhooks;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use clap::Args;
use crd_input::{Error, Limits, Source};

use crate::{Report, some};
use ignored::Filter;
pub use left_out::LeftOut;

/// The options of a search.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Search of directories")]
pub struct Search {
    /// Skip files and directories that match this pattern, in the syntax of .gitignore; repeatable
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Also search files and directories that git ignores
    #[arg(long)]
    no_ignore: bool,
    /// Follow links to files that lead out of a directory, as in trees of Bazel and Nix. Links to directories are never followed
    #[arg(long)]
    follow_links: bool,
    /// Show the names of skipped templates, patches and unreadable files
    #[arg(long, short)]
    verbose: bool,
    /// Exit with status 2 if a template, an unreadable file or a link is skipped
    #[arg(long)]
    fail_on_skipped: bool,
}

/// The result of a search.
#[derive(Default)]
pub struct Found {
    /// The found texts.
    pub sources: Vec<Source>,
    /// The errors for inputs that cannot be read.
    pub errors: Vec<Error>,
    /// The files that were skipped.
    pub left_out: LeftOut,
    /// The sources that are patches.
    pub patches: Vec<Source>,
}

impl Search {
    /// Finds the sources for these inputs. An input is a file, a directory, `-` for standard input, or `git:REF:PATH`.
    #[must_use]
    pub fn sources<P: AsRef<Path>>(&self, inputs: &[P], limits: &Limits, report: Report) -> Found {
        let filter = match Filter::new(&self.exclude, self.no_ignore) {
            Ok(filter) => filter,
            Err(error) => return Found { errors: vec![error], ..Found::default() },
        };
        let (commits, paths): (Vec<&Path>, Vec<&Path>) =
            inputs.iter().map(AsRef::as_ref).partition(|input| input.to_string_lossy().starts_with("git:"));
        let keep = |path: &Path, is_directory| filter.keeps(path, is_directory);
        let search = crd_input::Search { keep: &keep, follows_links: self.follow_links };
        let mut found = crd_input::search(&paths, limits, &search);
        for commit in commits {
            let keep = |path: &Path, _| filter.keeps_of_commit(path);
            let search = crd_input::Search { keep: &keep, follows_links: self.follow_links };
            let of_commit = crd_input::search_commit(&commit.to_string_lossy(), limits, &search);
            let of_commit = of_commit.unwrap_or_default();
            found.sources.extend(of_commit.sources);
            found.errors.extend(of_commit.errors);
        }
        let crd_input::Found { mut sources, mut errors, links } = found;
        if !links.is_empty() && errors.is_empty() {
            let shown: Vec<String> = links.iter().take(3).map(|link| format!("`{link}`")).collect();
            let more = if links.len() > shown.len() { ", ..." } else { "" };
            report.line(&format!(
                "left out {} to directories or to files outside the directory that is searched: {}{more}; `--follow-links` follows links to files",
                some(links.len(), "link"),
                shown.join(", "),
            ));
        }
        errors.extend(filter.errors());
        let mut left_out = LeftOut::new(self.verbose, self.fail_on_skipped, links.len());
        let names = templates(&sources, limits);
        left_out.templates = self::names(&remove(&mut sources, &names));
        let names = patches::patches(&sources, limits);
        let patches = remove(&mut sources, &names);
        left_out.patches = self::names(&patches);
        Found { sources, errors, left_out, patches }
    }
}

impl Found {
    /// Returns the names of the CRDs to which a kustomize patch adds a conversion webhook.
    #[must_use]
    pub fn webhooks(&self, limits: &Limits) -> BTreeSet<String> {
        webhooks::webhooks(&self.sources, &self.patches, limits)
    }
}

/// Removes the sources with these names, and returns them in order.
fn remove(sources: &mut Vec<Source>, names: &HashSet<String>) -> Vec<Source> {
    sources.extract_if(.., |source| names.contains(source.name())).collect()
}

fn names(sources: &[Source]) -> Vec<String> {
    sources.iter().map(|source| source.name().to_owned()).collect()
}

/// Returns the names of template files that were found in a Helm chart's directory `templates`.
fn templates(sources: &[Source], limits: &Limits) -> HashSet<String> {
    // Larger files are not written by hand and are read as any other file.
    let limits = Limits { file_bytes: 4 << 20, ..*limits };
    let charts: HashSet<&Path> = sources
        .iter()
        .filter_map(Source::tree_path)
        .filter(|path| path.ends_with("Chart.yaml"))
        .filter_map(Path::parent)
        .collect();
    let is_chart = |source: &Source, chart: &Path| {
        // A directory below the chart may be searched alone.
        charts.contains(chart) || source.path().is_some() && chart.join("Chart.yaml").is_file()
    };
    let is_template = |source: &&Source| {
        let Some(path) = source.tree_path().filter(|_| source.is_found()) else { return false };
        let absolute = match source.path() {
            Some(_) => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            None => path.to_owned(),
        };
        let templates = absolute.ancestors().skip(1).filter(|above| above.ends_with("templates"));
        templates.filter_map(Path::parent).any(|chart| is_chart(source, chart))
            && source.read(&limits).is_ok_and(|text| text.contains("{{"))
    };
    sources.iter().filter(is_template).map(|source| source.name().to_owned()).collect()
}
