//! Searches for objects that prove the classes of failures of a change.

use crd_core::crd::ValidationRule;
use crd_core::rules::FailedRule;
use crd_sample::shrink;
use serde_json::Value;

use super::alone::is_cause;
use super::evidence::{BACKWARD, Evidence, FORWARD, Near, evidence, first_evidence, passed_through};
use super::harmless::is_harmless;
use super::objects;
use super::side::Pair;
use super::sight::Sight;
use super::tried::Tried;
use super::unknown;
use super::unreadable;
use crate::change::Change;
use crate::finding::{Class, Undecided};
use crate::rows::{self, About};
use crate::schema_path::Relation;

/// The maximum number of validations for reducing the size of one found object.
const SHRINK: usize = 60;
/// The maximum number of objects to try for classes that are possible, but not expected.
const MORE: usize = 12;

/// The result of a search for objects that cause failures.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) evidence: Vec<Evidence>,
    /// Classes for which no failure was found, although failures are possible.
    pub(crate) possible: Vec<Class>,
    /// `true` if the search used up its steps.
    pub(crate) is_over: bool,
    /// `true` if all objects of the old CRD satisfy the changed rule or keyword.
    pub(crate) is_harmless: bool,
    /// `true` if no object could be tried.
    pub(crate) is_unknown: bool,
}

impl Shown {
    /// Returns the result if no object can be tried.
    pub(crate) fn unknown() -> Self {
        Self { is_unknown: true, ..Self::default() }
    }

    /// Returns the result if no steps are left for the search.
    pub(crate) fn over() -> Self {
        Self { is_over: true, ..Self::default() }
    }

    /// Returns the reason why some classes are undecided.
    pub(crate) fn reason(&self) -> Undecided {
        match self {
            Self { is_over: true, .. } => Undecided::NoWorkLeft,
            Self { is_unknown: true, .. } => Undecided::NotKnown,
            _ => Undecided::NoneFound,
        }
    }

    pub(crate) fn has(&self, class: Class) -> bool {
        self.evidence.iter().any(|evidence| evidence.witness.class == class)
    }
}

impl From<Evidence> for Shown {
    fn from(evidence: Evidence) -> Self {
        Self { evidence: vec![evidence], ..Self::default() }
    }
}

/// Returns `true` if the change may affect objects.
pub(crate) fn is_searched(change: &Change) -> bool {
    !change.row.expected.is_empty() || !change.probes.is_empty()
}

/// Searches for objects that a change affects.
pub(crate) fn search(pair: &Pair, change: &Change) -> Shown {
    let mut shown = Shown { is_harmless: is_harmless(pair, change), ..Shown::default() };
    // A default changes no answer where nothing around it sees the field.
    let is_default = change.row.about == About::Default;
    let sight = if is_default { Sight::of(pair, change) } else { Sight::Value };
    for (classes, side, is_old) in [(&FORWARD[..], &pair.old, true), (&BACKWARD[..], &pair.new, false)] {
        let classes: Vec<Class> = classes.iter().copied().filter(|class| change.may_show(*class)).collect();
        // A version that is new has only objects of the new definition.
        let is_unknown = change.version.as_ref().is_some_and(|version| side.sampler(version).is_none());
        let side = if is_old && (is_unknown || is_lost_between(change)) { &pair.new } else { side };
        if classes.is_empty() || pair.work.is_over() || is_old && shown.is_harmless {
            continue;
        }
        let mut left = pair.budget;
        let is_seen =
            change.version.as_ref().is_some_and(|version| pair.is_seen_from_above(version, &change.place));
        objects::each(pair, side, change, is_old, &mut |object| {
            left = left.saturating_sub(1);
            let tried = Tried::new(pair, &object);
            for class in &classes {
                show(&tried, *class, change, &mut shown);
            }
            let is_first = left > pair.budget.saturating_sub(MORE);
            let may_show_more =
                is_seen && sight != Sight::Nothing && is_first && has_more(change, &shown, &classes);
            left == 0 || pair.work.is_over() || !may_show_more && is_settled(change, &shown, &classes)
        });
        if is_seen {
            against_rules(pair, change, if is_old { Class::Write } else { Class::Rollback }, &mut shown);
        }
        if is_old {
            stuck(pair, change, &classes, &mut shown);
        }
        again(pair, change, &classes, &mut shown);
    }
    if pair.work.is_over() {
        // Objects that were not tested any more may show these.
        shown.possible.extend(sight.possible(change));
    }
    shown
}

/// Checks whether an object proves a class, unless another object does. If so, the object is reduced in size and added. Returns `true` if
/// an object proves the class.
fn show(tried: &Tried<'_>, class: Class, change: &Change, shown: &mut Shown) -> bool {
    if !shown.has(class)
        && let Some(found) = first(tried, class, change)
    {
        shown.evidence.push(smallest(tried, class, change).unwrap_or(found));
    }
    shown.has(class)
}

/// Tries objects that a rule in one CRD rejects, while the other CRD accepts them because it fills in a default or drops a `null`.
fn against_rules(pair: &Pair, change: &Change, refused: Class, shown: &mut Shown) {
    let is_filled = matches!(change.row.about, About::Default | About::Null);
    if is_filled && change.may_show(refused) && !shown.has(refused) {
        for side in [&pair.new, &pair.old] {
            let mut shows = |object| show(&Tried::new(pair, &object), refused, change, shown);
            objects::each_against_rules(side, change, &mut shows);
        }
    }
}

/// Tries objects for which every update may be rejected, even a change to a label: objects with values that rules cannot read, and variants
/// of a rejected object.
fn stuck(pair: &Pair, change: &Change, classes: &[Class], shown: &mut Shown) {
    if !classes.contains(&Class::Stuck) || shown.has(Class::Stuck) {
        return;
    }
    let shows =
        |object: &Value, shown: &mut Shown| show(&Tried::new(pair, object), Class::Stuck, change, shown);
    if unreadable::each(pair, change, &mut |object| shows(object, shown)) {
        return;
    }
    let places = unknown::unknown_fields(&pair.old, change);
    let mut witnesses = shown.evidence.iter().map(|evidence| &evidence.witness);
    let written = witnesses.find(|witness| witness.class == Class::Write);
    let is_rejected = written.is_some() || change.each_expected().any(|class| class == Class::Write);
    if let Some(object) = written.and_then(|witness| witness.new.clone()) {
        for object in unknown::with_unknown_fields(&pair.old, &places, &object) {
            if shows(&object, shown) {
                return;
            }
        }
    }
    // Where the new definition drops unknown fields, there are none when an object is judged.
    let kept = unknown::unknown_fields(&pair.new, change);
    if is_rejected && places.iter().any(|place| kept.contains(place)) {
        shown.possible.push(Class::Stuck);
    }
}

/// Tries each found object for the other classes. The search has reduced or edited the object, and has not tried it in this form.
fn again(pair: &Pair, change: &Change, classes: &[Class], shown: &mut Shown) {
    let witnesses = shown.evidence.iter().map(|evidence| &evidence.witness);
    let mut objects: Vec<Value> = witnesses.filter_map(|witness| witness.new.clone()).collect();
    objects.dedup();
    for object in objects {
        let tried = Tried::new(pair, &object);
        for class in classes {
            if !pair.work.is_over()
                && !shown.has(*class)
                && let Some(found) = first(&tried, *class, change)
            {
                shown.evidence.push(found);
            }
        }
    }
}

/// Returns `true` if there are further possible classes that no object has proved so far.
fn has_more(change: &Change, shown: &Shown, classes: &[Class]) -> bool {
    change.row.also.iter().any(|class| classes.contains(class) && !shown.has(*class))
}

/// Returns `true` if all expected classes are proved, so that no more objects need to be tried.
fn is_settled(change: &Change, shown: &Shown, classes: &[Class]) -> bool {
    if change.is_in_list
        && shown.has(Class::Write)
        && classes.contains(&Class::Edit)
        && !shown.has(Class::Edit)
    {
        return false;
    }
    let mut expected = change.each_expected().filter(|class| classes.contains(class)).peekable();
    if expected.peek().is_none() {
        return !shown.evidence.is_empty();
    }
    expected.all(|class| shown.has(class))
}

/// Returns a failure of this class that the change explains.
fn first(tried: &Tried<'_>, class: Class, change: &Change) -> Option<Evidence> {
    let (added, removed) = &change.rules;
    // A change below a transition rule expects the value itself to be edited.
    let is_expected = change.expected.contains(&Class::Edit);
    let is_of_transition =
        is_expected || [added, removed].into_iter().flatten().any(ValidationRule::uses_old_self);
    let is_of_null = change.row.about == About::Null;
    let near = Near { place: &change.place, is_of_transition, is_of_null };
    if class == Class::Data && is_lost_between(change) {
        let found = passed_through(tried, change.new.as_str()?);
        if let Some(found) = found.filter(|found| explains(tried.pair, change, found)) {
            return Some(found);
        }
    }
    first_evidence(tried, class, near, |found| explains(tried.pair, change, found))
}

/// Returns `true` if the change is a field that is lost in the conversion to another version of the new CRD.
fn is_lost_between(change: &Change) -> bool {
    change.row.id == rows::LOST_BETWEEN.id
}

fn smallest(tried: &Tried<'_>, class: Class, change: &Change) -> Option<Evidence> {
    let (pair, object) = (tried.pair, tried.object);
    let name = &object["metadata"]["name"];
    let shows = |object: &Value| {
        !pair.work.is_over()
            && object["metadata"]["name"] == *name
            && first(&Tried::new(pair, object), class, change).is_some()
    };
    let object = shrink(object.clone(), SHRINK, shows);
    first(&Tried::new(pair, &object), class, change)
}

/// Returns `true` if a failure is caused by a change. The failure must have the path and the keywords, or the rule, of the change. If other
/// changes may cause the same rejection, the rejection must also depend on this change.
pub(crate) fn explains(pair: &Pair, change: &Change, found: &Evidence) -> bool {
    match link(pair, change, found) {
        Link::None => false,
        Link::Close => true,
        Link::Loose(causes) => is_cause(pair, change, found, &causes),
    }
}

/// Returns `true` if a failure may be caused by a change.
pub(crate) fn may_explain(pair: &Pair, change: &Change, found: &Evidence) -> bool {
    !matches!(link(pair, change, found), Link::None)
}

/// The relation of a failure to a change.
enum Link {
    None,
    /// The failure may be caused by this change or by other changes nearby. Contains the causes of the rejection.
    Loose(Vec<String>),
    /// The failure has the same path and keywords as the change.
    Close,
}

fn link(pair: &Pair, change: &Change, found: &Evidence) -> Link {
    let class = found.witness.class;
    if !change.may_show(class) {
        return Link::None;
    }
    let close = |is_close: bool| if is_close { Link::Close } else { Link::None };
    let is_near = |steps: &Vec<String>| change.place.relation(steps) != Relation::Elsewhere;
    let Some(refusal) = &found.refusal else {
        // Values that the old definition drops belong to new fields, whether they have defaults or not.
        let is_of_default = class == Class::Rollback && change.row.about == About::Default;
        let is_loss = class == Class::Data && change.row.about == About::Loss;
        let places = if is_loss { &found.lost } else { &found.places };
        return close(!is_of_default && places.iter().any(is_near));
    };
    let (added, removed) = &change.rules;
    let rule = if matches!(class, Class::Read | Class::Rollback) { removed } else { added };
    if added.is_some() || removed.is_some() {
        let Some(rule) = rule else { return Link::None };
        // A rule that could not be evaluated stands at its value.
        let is_here = |failed: &FailedRule| {
            let place = found.places.get(failed.cause);
            place.is_some_and(|steps| change.place.relation(steps) == Relation::Same)
        };
        let mut failed = refusal.failed_rules.iter().filter(|failed| failed.rule == rule.rule);
        return close(failed.any(|failed| failed.is_broken || is_here(failed)));
    }
    if refusal.causes.is_empty() {
        return close(change.row.about == About::Version || change.place.is_root());
    }
    let keywords = change.row.keywords;
    let failed_by = |index: usize| refusal.failed_rules.iter().find(|failed| failed.cause == index);
    let mut loose = Vec::new();
    for (index, (cause, steps)) in refusal.causes.iter().zip(&found.places).enumerate() {
        let relation = change.place.relation(steps);
        let has_word = cause.keyword.is_some_and(|keyword| keywords.contains(&keyword));
        let is_near = match (failed_by(index), relation) {
            // A rule that both definitions have breaks because it sees other values, or values of another type.
            (Some(failed), Relation::Same | Relation::Above) => pair.share_rule(&failed.rule),
            (None, Relation::Same) if has_word => return Link::Close,
            (None, Relation::Same | Relation::Below) => has_word || keywords.is_empty(),
            // Keywords of the values above see which values are there.
            (None, Relation::Above) => keywords.is_empty(),
            (Some(_), _) | (None, Relation::Elsewhere) => false,
        };
        if is_near {
            loose.push(cause.to_string());
        }
    }
    if loose.is_empty() { Link::None } else { Link::Loose(loose) }
}

/// Tries random objects of both CRDs. Calls `take` with each failure, and with the version of the object.
pub(crate) fn sweep(pair: &Pair, samples: usize, take: &mut dyn FnMut(&str, Evidence)) {
    let root = crate::schema_path::SchemaPath::default();
    let near = Near { place: &root, is_of_transition: false, is_of_null: false };
    for (classes, side) in [(&FORWARD[..], &pair.old), (&BACKWARD[..], &pair.new)] {
        let names = side.crd.spec.versions.iter().map(|version| &version.name);
        let both = names.filter(|name| pair.old.sampler(name).is_some() && pair.new.sampler(name).is_some());
        for (version, sampler) in both.filter_map(|name| Some((name, side.sampler(name)?))) {
            for object in sampler.accepted().take(samples).take_while(|_| !pair.work.is_over()) {
                let tried = Tried::new(pair, &object);
                for class in classes {
                    evidence(&tried, *class, near).into_iter().for_each(|found| take(version, found));
                }
            }
        }
    }
}
