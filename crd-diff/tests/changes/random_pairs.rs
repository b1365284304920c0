//! Random changes of definitions: every witness is an answer of admission, and no object shows a class that is not named.

use crd_core::CustomResourceDefinition;
use crd_diff::{Class, DiffOptions, Finding, diff};
use crd_sample::{Sampler, shrink};
use serde_json::Value;

use super::answers::{Shown, Side, confirm, shown, shown_by_edits};
use super::cases::cases;
use super::edits::edits;
use super::mutations::{Mutated, Random, mutated};
use super::nearby::Nearby;
use super::real::corpus;

/// The pairs with the same old definition, which is compiled once for them.
const PAIRS_OF_ONE: usize = 10;
/// One in so many objects is edited, or asked whether it differs from itself.
const THOROUGH: usize = 8;

/// The pairs of one run, and the objects of each.
struct Run {
    seed: u64,
    first: usize,
    pairs: usize,
    objects: usize,
}

/// The result of one run.
#[derive(Default)]
struct Played {
    findings: usize,
    pairs: usize,
    objects: usize,
    lies: Vec<String>,
}

/// An old definition, with objects of it.
struct Old<'c> {
    crd: &'c CustomResourceDefinition,
    side: Side,
    sampler: Sampler,
    objects: Vec<Value>,
}

impl<'c> Old<'c> {
    fn new(crd: &'c CustomResourceDefinition, seed: u64, objects: usize) -> Option<Self> {
        let version = crd.spec.versions.iter().find(|version| version.served)?;
        let sampler = Sampler::new(crd, &version.name).ok()?.with_seed(seed);
        let objects = sampler.accepted().take((objects / 50).max(20)).collect();
        Some(Self { crd, side: Side::new(crd)?, sampler, objects })
    }
}

/// Compares definitions with random changes of them.
fn play(all: &[CustomResourceDefinition], run: &Run) -> Played {
    let mut played = Played::default();
    let mut old: Option<(usize, Option<Old<'_>>)> = None;
    for round in run.first..run.first + run.pairs {
        let number = round / PAIRS_OF_ONE;
        let seed = |number: usize| run.seed.wrapping_mul(1_000_003).wrapping_add(number as u64);
        if old.as_ref().is_none_or(|(of, _)| *of != number) {
            let crd = &all[Random(seed(number)).below(all.len())];
            old = Some((number, Old::new(crd, seed(number), run.objects)));
        }
        let Some((_, Some(old))) = &old else { continue };
        let mut random = Random(!seed(round));
        let new = mutated(old.crd, &mut random);
        let label = format!("{}/{round} {}", run.seed, old.crd.metadata.name);
        // A definition that the server refuses has no objects.
        if crd_core::check(&new.crd).is_empty() {
            Pair { old, new: &new, label, seed: seed(round) }.play(run.objects, &mut random, &mut played);
        }
    }
    played
}

/// A definition and what became of it.
struct Pair<'p> {
    old: &'p Old<'p>,
    new: &'p Mutated,
    label: String,
    seed: u64,
}

impl Pair<'_> {
    fn play(&self, objects: usize, random: &mut Random, played: &mut Played) {
        let (old, new) = (self.old, &self.new.crd);
        let Some(side) = Side::new(new) else { return };
        let findings = diff(old.crd, new, &DiffOptions::default());
        played.pairs += 1;
        played.findings += findings.len();
        for finding in &findings {
            for witness in &finding.witnesses {
                assert!(finding.has(witness.class) && !finding.undecided.contains(&witness.class));
                let lie = confirm(&old.side, &side, witness);
                played.lies.extend(lie.map(|lie| format!("{} {}: {lie}", self.label, finding.id)));
            }
        }
        let Ok(sampler) = Sampler::new(new, old.sampler.version()) else { return };
        let sampler = sampler.with_seed(self.seed);
        let fresh: Vec<Value> = sampler.accepted().take((objects / 100).max(10)).collect();
        let some: Vec<Value> = old.objects.iter().chain(&fresh).cloned().collect();
        let nearby = Nearby::new(&[&old.sampler, &sampler], &some, &self.new.places, self.seed);
        let mut missed: Vec<Vec<Class>> = Vec::new();
        let mut count = 0;
        let near = std::iter::from_fn(|| nearby.object(&mut Random(random.below(usize::MAX) as u64)));
        let all = old.objects.iter().chain(&fresh).cloned().chain(near.take(4 * objects));
        for (number, object) in all.enumerate() {
            if count >= objects {
                break;
            }
            let sides = [&old.side, &side];
            if sides.iter().all(|side| side.refuses(&object))
                || sides.iter().any(|side| side.has_list_for_string(&object))
            {
                continue;
            }
            count += 1;
            let mut random = Random(self.seed.wrapping_add(number as u64));
            let is_thorough = random.below(THOROUGH) == 0;
            let mut found = shown(&old.side, &side, &object, is_thorough);
            if is_thorough || !found.is_empty() && random.below(2) == 0 {
                let other = &some[random.below(some.len())];
                let mut edit = |read: &Value| {
                    let mut all = nearby.edits(read, 3, &mut random);
                    all.extend(edits(read, other, 1, &mut random));
                    all
                };
                found.extend(shown_by_edits(&old.side, &side, &object, &mut edit));
            }
            for (classes, answer) in found {
                if !is_named(&findings, &classes) && !missed.contains(&classes) {
                    played.lies.push(self.lie(&side, &findings, (&classes, &answer), &object));
                    missed.push(classes);
                }
            }
        }
        played.objects += count;
    }

    /// Returns the text of a class that is missing, with the smallest object that shows it.
    fn lie(
        &self,
        side: &Side,
        findings: &[Finding],
        (classes, answer): (&Vec<Class>, &str),
        object: &Value,
    ) -> String {
        let of = |object: &Value| -> Option<Shown> {
            shown(&self.old.side, side, object, true).into_iter().find(|(other, _)| other == classes)
        };
        let smallest = shrink(object.clone(), 400, |object| of(object).is_some());
        let answer = of(&smallest).map_or_else(|| answer.to_owned(), |(_, answer)| answer);
        let ids: Vec<_> = findings.iter().map(|found| (found.id, &found.path, &found.classes)).collect();
        let text =
            format!("{}: {classes:?}: {answer}\n  findings: {ids:?}\n  object: {smallest}", self.label);
        let [before, after] = [self.old.crd, &self.new.crd].map(|crd| crd.to_value()["spec"].to_string());
        let is_short = before.len() + after.len() < 4000;
        if is_short { format!("{text}\n  old: {before}\n  new: {after}") } else { text }
    }
}

fn is_named(findings: &[Finding], classes: &[Class]) -> bool {
    findings.iter().any(|finding| classes.iter().any(|class| finding.has(*class)))
}

fn own() -> Vec<CustomResourceDefinition> {
    cases("schemas").into_iter().filter_map(|case| case.old).collect()
}

#[test]
fn objects_show_nothing_that_findings_leave_out() {
    let played = play(&own(), &Run { seed: 7, first: 0, pairs: 40, objects: 60 });
    assert!(played.findings > 20 && played.objects > 1000, "{} {}", played.findings, played.objects);
    assert!(played.lies.is_empty(), "{}", played.lies.join("\n"));
}

/// Returns a count of an environment variable.
fn count(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// `CRD_DIFF_PAIRS` is the number of pairs, `CRD_DIFF_OBJECTS` that of the objects of each, `CRD_DIFF_SEED` the seed,
/// `CRD_DIFF_FIRST` the number of the first pair. Real definitions take part where the corpus lies next to the project.
#[test]
#[ignore = "minutes"]
fn many_objects_show_nothing_that_findings_leave_out() {
    let run = Run {
        seed: count("CRD_DIFF_SEED", 7) as u64,
        first: count("CRD_DIFF_FIRST", 0),
        pairs: count("CRD_DIFF_PAIRS", 3000),
        objects: count("CRD_DIFF_OBJECTS", 200),
    };
    // Of the largest, few pairs would be tried.
    let (own, real) = (own(), corpus(300_000));
    let mut lies = Vec::new();
    for (name, all) in [("own", &own), ("real", &real)].into_iter().filter(|(_, all)| !all.is_empty()) {
        let played = play(all, &run);
        let Played { pairs, objects, findings, .. } = played;
        println!("{name}: {pairs} pairs, {findings} findings, {objects} objects");
        assert!(pairs < 10 || findings > pairs / 3, "{findings}");
        lies.extend(played.lies);
    }
    assert!(lies.is_empty(), "{} lies:\n{}", lies.len(), lies.join("\n"));
}
