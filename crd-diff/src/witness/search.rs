//! Which classes a change shows.

use crd_sample::shrink;
use serde_json::Value;

use super::evidence::{BACKWARD, Evidence, FORWARD, Near, evidence};
use super::objects;
use super::side::Pair;
use crate::change::Change;
use crate::finding::Class;
use crate::place::Relation;

/// The judgements that make one witness smaller.
const SHRINK: usize = 60;

/// The effects of a change that objects show.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) evidence: Vec<Evidence>,
}

impl Shown {
    pub(crate) fn has(&self, class: Class) -> bool {
        self.evidence.iter().any(|evidence| evidence.witness.class == class)
    }
}

/// Searches for objects that show the effects of a change.
pub(crate) fn search(pair: &Pair, change: &Change) -> Shown {
    let mut shown = Shown::default();
    if change.row.expected.is_empty() && change.probes.is_empty() || pair.work.is_over() {
        return shown;
    }
    for (classes, side, is_old) in [(&FORWARD[..], &pair.old, true), (&BACKWARD[..], &pair.new, false)] {
        let classes: Vec<Class> =
            classes.iter().copied().filter(|class| change.row.may_show(*class)).collect();
        // A version that is new has only objects of the new definition.
        let is_unknown = change.version.as_ref().is_some_and(|version| side.sampler(version).is_none());
        let side = if is_old && is_unknown { &pair.new } else { side };
        if classes.is_empty() {
            continue;
        }
        let mut left = pair.budget;
        objects::each(side, change, is_old, &mut |object| {
            left = left.saturating_sub(1);
            for class in &classes {
                if !shown.has(*class)
                    && let Some(found) = first(pair, *class, &object, change)
                {
                    shown.evidence.push(smallest(pair, *class, &object, change).unwrap_or(found));
                }
            }
            left == 0 || pair.work.is_over() || is_settled(change, &shown, &classes)
        });
        again(pair, change, &classes, &mut shown);
    }
    shown
}

/// Tries the objects that show a class for the others: they became smaller, or were edited, after the search had tried them.
fn again(pair: &Pair, change: &Change, classes: &[Class], shown: &mut Shown) {
    let witnesses = shown.evidence.iter().map(|evidence| &evidence.witness);
    let mut objects: Vec<Value> = witnesses.filter_map(|witness| witness.new.clone()).collect();
    objects.dedup();
    for object in objects {
        for class in classes {
            if !pair.work.is_over()
                && !shown.has(*class)
                && let Some(found) = first(pair, *class, &object, change)
            {
                shown.evidence.push(found);
            }
        }
    }
}

/// Returns `true` if no more objects have to be tried: everything that is expected was shown.
fn is_settled(change: &Change, shown: &Shown, classes: &[Class]) -> bool {
    if change.is_in_list
        && shown.has(Class::Write)
        && classes.contains(&Class::Edit)
        && !shown.has(Class::Edit)
    {
        return false;
    }
    let mut expected = change.row.expected.iter().filter(|class| classes.contains(class)).peekable();
    if expected.peek().is_none() {
        return !shown.evidence.is_empty();
    }
    expected.all(|class| shown.has(*class))
}

/// The effect of a class that the change explains.
fn first(pair: &Pair, class: Class, object: &Value, change: &Change) -> Option<Evidence> {
    let near =
        Near { place: &change.place, is_of_rule: change.rules.0.is_some() || change.rules.1.is_some() };
    evidence(pair, class, object, near).into_iter().find(|found| explains(change, found))
}

fn smallest(pair: &Pair, class: Class, object: &Value, change: &Change) -> Option<Evidence> {
    let name = &object["metadata"]["name"];
    let shows = |object: &Value| {
        !pair.work.is_over()
            && object["metadata"]["name"] == *name
            && first(pair, class, object, change).is_some()
    };
    let object = shrink(object.clone(), SHRINK, shows);
    first(pair, class, &object, change)
}

/// Returns `true` if an effect may come from a change: it is at its place, with its words, or by its rule.
pub(crate) fn explains(change: &Change, found: &Evidence) -> bool {
    if !change.row.may_show(found.witness.class) {
        return false;
    }
    let is_near = |steps: &Vec<String>| change.place.relation(steps) != Relation::Elsewhere;
    let Some(refusal) = &found.refusal else { return found.places.iter().any(is_near) };
    let class = found.witness.class;
    let (added, removed) = &change.rules;
    let rule = if matches!(class, Class::Read | Class::Rollback) { removed } else { added };
    if added.is_some() || removed.is_some() {
        let Some(rule) = rule else { return false };
        let is_broken = refusal.broken_rules.iter().any(|broken| broken.rule == rule.rule);
        let has_failed = || {
            let cause = |(cause, steps): (&crd_core::Diagnostic, &Vec<String>)| {
                change.place.relation(steps) == Relation::Same && cause.message.contains(rule.rule.trim())
            };
            refusal.causes.iter().zip(&found.places).any(cause)
        };
        return is_broken || has_failed();
    }
    if refusal.causes.is_empty() {
        return change.row.id.starts_with("version") || change.place.is_root();
    }
    let is_of_rule = |index: usize| refusal.broken_rules.iter().any(|broken| broken.cause == index);
    refusal.causes.iter().zip(&found.places).enumerate().any(|(index, (cause, steps))| {
        let is_there = match change.place.relation(steps) {
            Relation::Same | Relation::Below => true,
            // Lists with duplicates, and objects that lack a field, are faults of the value above.
            Relation::Above => steps.len() + 1 >= change.place.steps().len() && change.row.cue.is_empty(),
            Relation::Elsewhere => false,
        };
        let text = cause.message.to_lowercase();
        let mut cues = change.row.cue.split('|');
        is_there && !is_of_rule(index) && cues.any(|cue| text.contains(&cue.to_lowercase()))
    })
}

/// Effects that random objects of both definitions show, with the version of the object.
pub(crate) fn sweep(pair: &Pair, samples: usize) -> Vec<(String, Evidence)> {
    let mut out = Vec::new();
    let root = crate::place::Place::default();
    let near = Near { place: &root, is_of_rule: false };
    for (classes, side) in [(&FORWARD[..], &pair.old), (&BACKWARD[..], &pair.new)] {
        let names = side.crd.spec.versions.iter().map(|version| &version.name);
        let both = names.filter(|name| pair.old.sampler(name).is_some() && pair.new.sampler(name).is_some());
        for (version, sampler) in both.filter_map(|name| Some((name, side.sampler(name)?))) {
            for object in sampler.accepted().take(samples).take_while(|_| !pair.work.is_over()) {
                for class in classes {
                    out.extend(
                        evidence(pair, *class, &object, near)
                            .into_iter()
                            .map(|found| (version.clone(), found)),
                    );
                }
            }
        }
    }
    out
}
