//! Searches for objects that the changes affect, and converts changes to findings.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crd_core::CustomResourceDefinition;
use crd_core::check::Verdict;
use serde_json::Value;

use crate::change::Change;
use crate::finding::{Class, Finding, Severity, Undecided, Witness, fingerprint};
use crate::options::DiffOptions;
use crate::rows::{self, About};
use crate::schema_path::{Relation, SchemaPath};
use crate::schemas::Schemas;
use crate::witness::{
    Decided, Evidence, Pair, Repeated, Shown, Sight, Whole, explains, has_other_rule_above, is_searched,
    may_explain, search, sweep,
};
use crate::work::Work;

/// Returns the finding for a CRD that was removed.
#[must_use]
pub fn removed(old: &CustomResourceDefinition) -> Finding {
    let change = Change::new(&rows::REMOVED, SchemaPath::default()).values(name(old), Value::Null);
    finding(&name(old), change, Shown::default())
}

/// Returns the finding for a CRD that is new.
#[must_use]
pub fn added(new: &CustomResourceDefinition) -> Finding {
    let change = Change::new(&rows::ADDED, SchemaPath::default()).values(Value::Null, name(new));
    finding(&name(new), change, Shown::default())
}

/// Returns the finding for CRDs that are too large to be compared.
pub(crate) fn not_compared(new: &CustomResourceDefinition) -> Finding {
    let change = Change::new(&rows::NOT_COMPARED, SchemaPath::default());
    let mut finding = finding(&name(new), change, Shown::over());
    finding.severity = Severity::Error;
    finding
}

/// Returns the findings for all changes, with example objects.
pub(crate) fn all(
    schemas: &[Schemas<'_>; 2],
    changes: Vec<Change>,
    options: DiffOptions,
    (work, is_large): (&Rc<Work>, bool),
) -> Vec<Finding> {
    let [old, new] = schemas.each_ref().map(|schemas| schemas.crd);
    // Objects of one kind or group say nothing about those of another one.
    let is_same_kind = old.spec.names.kind == new.spec.names.kind && old.spec.group == new.spec.group;
    // Without both definitions there are no answers; the finding that one is rejected is among the changes.
    let is_tried = options.budget > 0 && is_same_kind && !is_hopeless((old, is_large), &changes, options);
    let pairs = is_tried.then(|| Pairs::new(schemas, options, work)).flatten();
    let mut known: Vec<(Change, Shown)> = match &pairs {
        Some(pairs) => search_all(pairs, changes),
        None => {
            let shown = if options.budget == 0 { Shown::over } else { Shown::unknown };
            changes.into_iter().map(|change| (change, shown())).collect()
        }
    };
    if let Some(pairs) = pairs.filter(|_| options.samples > 0) {
        work.share_no_more();
        let stored: Vec<&str> = [old, new].into_iter().flat_map(storage_versions).collect();
        let changes: Vec<&Change> = known.iter().map(|(change, _)| change).collect();
        let part = pairs.part(&changes);
        if let Some(pair) = part.as_ref().or_else(|| pairs.whole()) {
            sweep(pair, options.samples, &mut |version, evidence| {
                take(pair, &mut known, (version, &stored), evidence);
            });
        }
    }
    let crd = name(new);
    known.into_iter().map(|(change, shown)| finding(&crd, change, shown)).collect()
}

/// The two CRDs for the search. If they are large, each search uses reduced CRDs, which contain only the fields that matter for a change.
struct Pairs<'c> {
    old: &'c CustomResourceDefinition,
    new: &'c CustomResourceDefinition,
    options: DiffOptions,
    work: &'c Rc<Work>,
    large: Option<Whole<'c>>,
    whole: OnceCell<Option<Pair>>,
    /// The reduced CRDs for the last change, with their key. They are cached because several changes often concern the same field.
    last: RefCell<Option<(PartKey, Rc<Pair>)>>,
    repeated: RefCell<Repeated>,
}

/// A key for reduced CRDs: the version of the change, the other version if a conversion loses the field, and the paths.
type PartKey = (Option<String>, Option<Value>, Vec<SchemaPath>);

impl<'c> Pairs<'c> {
    /// Prepares both CRDs for the search for objects. Returns `None` if one of the CRDs cannot validate objects.
    fn new(schemas: &'c [Schemas<'c>; 2], options: DiffOptions, work: &'c Rc<Work>) -> Option<Self> {
        let [old, new] = schemas.each_ref().map(|schemas| schemas.crd);
        let (large, whole, last) = (Whole::new(schemas), OnceCell::new(), RefCell::default());
        let pairs = Self { old, new, options, work, large, whole, last, repeated: RefCell::default() };
        (pairs.large.is_some() || pairs.whole().is_some()).then_some(pairs)
    }

    fn whole(&self) -> Option<&Pair> {
        let whole = || Pair::new([self.old.clone(), self.new.clone()], &self.options, self.work).ok();
        self.whole.get_or_init(whole).as_ref()
    }

    /// Returns CRDs that are reduced to the fields that matter for these changes. Returns `None` if the CRDs are not large.
    fn part(&self, changes: &[&Change]) -> Option<Pair> {
        let [old, new] = self.large.as_ref()?.part(changes)?;
        let work = Rc::new(self.work.of_part(&old, &new));
        Pair::new([old, new], &self.options, &work).ok()
    }

    /// Returns CRDs that are reduced to the fields that matter for a change. Returns `None` if the CRDs are not large.
    fn part_of(&self, change: &Change) -> Option<Rc<Pair>> {
        // A field that is lost between versions names the other version.
        let other = (change.row.about == About::Loss).then(|| change.new.clone());
        let key = (change.version.clone(), other, Whole::places(&[change]));
        let mut last = self.last.borrow_mut();
        if let Some((_, part)) = last.as_ref().filter(|(known, _)| *known == key) {
            return Some(Rc::clone(part));
        }
        self.work.take(self.large.as_ref()?.steps());
        let part = Rc::new(self.part(&[change])?);
        *last = Some((key, Rc::clone(&part)));
        Some(part)
    }

    /// Searches for objects that a change affects. The search begins with values that were affected by the same change to another field.
    /// The second result is `true` if the search ran out of steps.
    fn search(&self, change: &mut Change, others: u64, decided: &mut Decided) -> (Shown, bool) {
        self.repeated.borrow().add_to(change);
        let found = self.search_within_share(change, others, decided);
        self.repeated.borrow_mut().keep(change, &found.0);
        found
    }

    fn search_within_share(&self, change: &mut Change, others: u64, decided: &mut Decided) -> (Shown, bool) {
        self.work.within_share(weight(change), others, || {
            if !is_searched(change) || self.large.is_some() && is_settled_note(change) {
                return Shown::default();
            }
            if self.large.as_ref().is_some_and(|large| !self.work.has(large.steps())) {
                // Single values may decide what is left, without objects. Those that are not tried may show these.
                if let Some(pair) = self.whole() {
                    certain_by_values(pair, change, decided);
                }
                let sight = self.whole().map_or(Sight::Value, |pair| Sight::of(pair, change));
                return Shown { possible: sight.possible(change).collect(), ..Shown::over() };
            }
            let Some(part) = self.part_of(change) else {
                return self.whole().map_or_else(Shown::unknown, |pair| search(pair, change));
            };
            let shown = search(&part, change);
            if is_open(change, &shown) && !shown.is_harmless {
                certain_by_values(&part, change, decided);
            }
            shown
        })
    }
}

/// The maximum number of changes for which a second search is made, or single values are tried. With more changes, too few steps would be
/// left for each.
const MOST_AGAIN: usize = 200;

/// Searches for objects that the changes affect. Each search may use a share of the CPU steps. If the share is too small, the search is
/// repeated with a share of the remaining steps.
fn search_all(pairs: &Pairs<'_>, changes: Vec<Change>) -> Vec<(Change, Shown)> {
    let number = changes.len();
    let mut decided = Decided::default();
    let mut known: Vec<(Change, Shown)> = Vec::with_capacity(number);
    // The random objects at the end have a share, too.
    let mut others: u64 = 1 + changes.iter().map(weight).sum::<u64>();
    for mut change in changes {
        others -= weight(&change);
        let (shown, is_over) = pairs.search(&mut change, others, &mut decided);
        known.push((change, Shown { is_over: is_over || shown.is_over, ..shown }));
    }
    let mut again = |rest: Rest, is_wanted: &dyn Fn(&Change, &Shown) -> bool| {
        search_again(pairs, (&mut known, rest), &mut decided, is_wanted);
    };
    again(Rest::Share, &|change, shown| pairs.large.is_none() || is_open(change, shown));
    again(Rest::Half, &|_, shown| !shown.possible.is_empty());
    if pairs.large.is_none()
        && let Some(pair) = pairs.whole()
    {
        let open = known.iter_mut().filter(|(change, shown)| is_open(change, shown) && !shown.is_harmless);
        open.take(MOST_AGAIN).for_each(|(change, _)| certain_by_values(pair, change, &mut decided));
    }
    known
}

/// The steps that are reserved for the random objects at the end.
#[derive(Clone, Copy)]
enum Rest {
    /// As many steps as for one search.
    Share,
    /// Half of the steps, because random objects find failures that no search looks for.
    Half,
}

/// Repeats the searches that ran out of steps, for changes for which `is_wanted` returns `true`. The searches share the remaining steps.
fn search_again(
    pairs: &Pairs<'_>,
    (known, rest): (&mut [(Change, Shown)], Rest),
    decided: &mut Decided,
    is_wanted: &dyn Fn(&Change, &Shown) -> bool,
) {
    let is_over = |(change, shown): &(Change, Shown)| shown.is_over && is_wanted(change, shown);
    let mut open: Vec<usize> = (0..known.len()).filter(|index| is_over(&known[*index])).collect();
    open.sort_by_key(|index| std::cmp::Reverse(known[*index].0.row.most));
    open.truncate(MOST_AGAIN);
    let mut others: u64 = open.iter().map(|at| weight(&known[*at].0)).sum();
    others += match rest {
        Rest::Share => 1,
        Rest::Half => others,
    };
    for at in open {
        let (change, shown) = &mut known[at];
        others -= weight(change);
        let (again, is_over) = pairs.search(change, others, decided);
        let seen = std::mem::take(&mut shown.evidence);
        *shown = Shown { is_over: is_over || again.is_over, ..again };
        let is_new = |evidence: &Evidence| {
            !shown.evidence.iter().any(|other| other.witness.class == evidence.witness.class)
        };
        let seen: Vec<Evidence> = seen.into_iter().filter(is_new).collect();
        shown.evidence.extend(seen);
    }
}

/// Returns the weight that determines a change's share of the steps. The weight is large if only an affected object can prove a severe
/// failure.
fn weight(change: &Change) -> u64 {
    const AT_STAKE: u64 = 6;
    let is_breaking =
        |class: &Class| matches!(class, Class::Stuck | Class::Data | Class::Edit | Class::Write);
    let row = change.row;
    let is_open = row.most == Severity::Error && row.about != About::Default && !change.is_unserved;
    let may_break = change.each_expected().any(|class| is_breaking(&class));
    let is_known = Class::ALL.iter().any(|class| is_breaking(class) && change.is_sure(*class));
    if is_open && may_break && !is_known { AT_STAKE } else { 1 }
}

/// Returns `true` for a harmless change whose effects follow from the CRDs. Between large CRDs, there are many such changes.
fn is_settled_note(change: &Change) -> bool {
    change.row.most == Severity::Note && change.each_expected().all(|class| change.is_sure(class))
}

/// Returns `true` if an expected class is still undecided: no affected object was found, and the class does not follow from the CRDs. If
/// one of the expected classes is enough, all of them must be undecided.
fn is_open(change: &Change, shown: &Shown) -> bool {
    let expected: Vec<Class> =
        change.row.expected.iter().copied().filter(|class| change.may_show(*class)).collect();
    let mut are_open = expected.iter().map(|class| !shown.has(*class) && !change.is_sure(*class));
    if change.row.is_either {
        !expected.is_empty() && are_open.all(|open| open)
    } else {
        are_open.any(|open| open)
    }
}

/// Adds the classes that can be proved with values of the changed field alone, without complete objects.
fn certain_by_values(pair: &Pair, change: &mut Change, decided: &mut Decided) {
    if decided.may_ask() && !has_other_rule_above(pair, change) {
        let found = decided.classes(pair, change);
        let found: Vec<Class> = found.into_iter().filter(|class| change.may_show(*class)).collect();
        change.certain.extend(found);
    }
}

/// Returns `true` if the API server rejects one of the CRDs for a very large number of causes. The search would take too long, because each
/// object may be rejected for as many causes.
fn is_hopeless(
    (old, is_large): (&CustomResourceDefinition, bool),
    changes: &[Change],
    options: DiffOptions,
) -> bool {
    const MOST_CAUSES: usize = 100;
    let refused = changes.iter().filter(|change| change.row.id == rows::REFUSED.id).count();
    refused > MOST_CAUSES
        || is_large && Verdict::with_options(old, options.server_options()).errors.len() > MOST_CAUSES
}

/// Returns the names of all storage versions. A valid CRD has exactly one.
fn storage_versions(crd: &CustomResourceDefinition) -> impl Iterator<Item = &str> {
    crd.spec.versions.iter().filter(|version| version.storage).map(|version| version.name.as_str())
}

/// Adds a failure of a random object to the change that explains it, or to a new change.
///
/// Objects of all versions are converted to the storage version, so changes to the storage version may explain failures in other versions.
fn take(
    pair: &Pair,
    known: &mut Vec<(Change, Shown)>,
    (version, stored): (&str, &[&str]),
    evidence: Evidence,
) {
    let class = evidence.witness.class;
    let explaining = |(change, _): &&mut (Change, Shown)| {
        change.version.as_deref().is_none_or(|of| of == version || stored.contains(&of))
            && may_explain(pair, change, &evidence)
    };
    let mut explained: Vec<&mut (Change, Shown)> = known.iter_mut().filter(explaining).collect();
    let has = |(change, shown): &(Change, Shown)| shown.has(class) || change.is_sure(class);
    if explained.iter().any(|known| has(known)) {
        return;
    }
    let alone = explained.iter().position(|(change, _)| explains(pair, change, &evidence));
    if let Some((_, shown)) = explained.get_mut(alone.unwrap_or_default()) {
        shown.evidence.push(evidence);
        return;
    }
    let place = evidence.places.first().cloned().unwrap_or_default();
    let mut change = Change::new(&rows::OBJECTS_DIFFER, SchemaPath::of_steps(&place));
    change.version = Some(version.to_owned());
    let is_known = |(other, shown): &(Change, Shown)| {
        let same =
            (other.row.id, &other.version, &other.place) == (change.row.id, &change.version, &change.place);
        same && shown.has(class)
    };
    if known.iter().any(is_known) {
        return;
    }
    known.push((change, Shown::from(evidence)));
}

pub(crate) fn finding(crd: &str, change: Change, shown: Shown) -> Finding {
    let row = change.row;
    let has = |class: &Class| {
        let is_noticed = !change.is_unused || *class == Class::Rust;
        is_noticed && (change.is_sure(*class) || shown.has(*class))
    };
    let undecided = undecided(&change, &shown, &has);
    let classes: Vec<Class> =
        Class::ALL.into_iter().filter(|class| has(class) || undecided.contains(class)).collect();
    let worst_of = |classes: &mut dyn Iterator<Item = &Class>| {
        let severity = classes.map(|class| severity(*class, &change, &shown)).max();
        severity.unwrap_or(Severity::Note).min(row.most)
    };
    let decided = worst_of(&mut classes.iter().filter(|class| !undecided.contains(class)));
    let worst = worst_of(&mut classes.iter());
    let undecided_because = (!undecided.is_empty()).then_some(match row.about {
        About::Version => Undecided::NotKnown,
        _ => shown.reason(),
    });
    let is_open = !undecided.is_empty();
    let severity = if is_open { decided.max(Severity::Warning.min(row.most)) } else { decided };
    let mut witnesses: Vec<Witness> = shown.evidence.into_iter().map(|evidence| evidence.witness).collect();
    witnesses.sort_by_key(|witness| witness.class);
    let path = change.place.to_string();
    let version = change.version.as_deref();
    Finding {
        id: row.id,
        crd: crd.to_owned(),
        fingerprint: fingerprint(row.id, crd, version, &path, &change.old, &change.new),
        message: change.message(),
        version: change.version,
        path,
        classes,
        undecided,
        undecided_because,
        severity,
        decided,
        worst,
        why: row.why,
        mend: row.mend,
        old: change.old,
        new: change.new,
        old_field: change.fields.0,
        new_field: change.fields.1,
        witnesses,
    }
}

/// Returns the classes for which no affected object was found, but that cannot be ruled out.
fn undecided(change: &Change, shown: &Shown, has: &dyn Fn(&Class) -> bool) -> Vec<Class> {
    if change.is_unused {
        return Vec::new();
    }
    let row = change.row;
    let is_enough = row.is_either && row.expected.iter().any(has);
    let is_missing = |class: &Class| {
        let is_expected = row.expected.contains(class) && !is_enough
            || change.expected.contains(class)
            || shown.possible.contains(class);
        // Requests of clients and stored objects do not break it; readers of the old definition may still meet others.
        let is_refusal = matches!(class, Class::Stuck | Class::Data | Class::Edit | Class::Write);
        is_expected && change.may_show(*class) && !has(class) && !(shown.is_harmless && is_refusal)
    };
    // Where requests are rejected, so are changes of a list with such an item.
    let is_rejected = has(&Class::Write) || is_missing(&Class::Write);
    let is_edit = |class: &Class| {
        let is_possible = change.is_in_list && is_rejected && change.may_show(*class);
        *class == Class::Edit && is_possible && !has(class)
    };
    Class::ALL.into_iter().filter(|class| is_missing(class) || is_edit(class)).collect()
}

/// Returns the severity of a class for this change.
fn severity(class: Class, change: &Change, shown: &Shown) -> Severity {
    let is_alpha = change.version.as_deref().is_some_and(|version| version.contains("alpha"));
    match class {
        Class::Data => {
            // Another change explains what is lost elsewhere in the same object.
            let is_here = |steps: &Vec<String>| {
                change.row.id == rows::OBJECTS_DIFFER.id
                    || change.place.relation(steps) != Relation::Elsewhere
            };
            let is_loss = |evidence: &Evidence| {
                evidence.witness.class == Class::Data && evidence.losses.iter().any(is_here)
            };
            let is_certain = change.is_sure(class) && change.row.about != About::Default;
            if is_certain || shown.evidence.iter().any(is_loss) { Severity::Error } else { Severity::Warning }
        }
        Class::Server | Class::Stuck | Class::Edit | Class::Write => Severity::Error,
        Class::Read | Class::Rollback | Class::Apply if !is_alpha => Severity::Warning,
        Class::Read | Class::Rollback | Class::Apply | Class::Rust => Severity::Note,
    }
}

pub(crate) fn name(crd: &CustomResourceDefinition) -> String {
    match crd.metadata.name.as_str() {
        "" => format!("{}.{}", crd.spec.names.plural, crd.spec.group),
        name => name.to_owned(),
    }
}
