//! Changes and what objects show of them -> findings.

use std::rc::Rc;

use crd_core::CustomResourceDefinition;
use crd_core::check::Verdict;
use serde_json::Value;

use crate::change::Change;
use crate::finding::{Class, Finding, Severity, Undecided, Witness, fingerprint};
use crate::options::DiffOptions;
use crate::rows::{self, About};
use crate::schema_path::SchemaPath;
use crate::witness::{
    Decided, Evidence, Pair, Shown, explains, has_other_rule_above, may_explain, search, sweep,
};
use crate::work::{Work, is_large};

/// The finding of a definition that is gone.
#[must_use]
pub fn removed(old: &CustomResourceDefinition) -> Finding {
    let change = Change::new(&rows::REMOVED, SchemaPath::default()).values(name(old), Value::Null);
    finding(&name(old), change, Shown::default())
}

/// The finding of a definition that is new.
#[must_use]
pub fn added(new: &CustomResourceDefinition) -> Finding {
    let change = Change::new(&rows::ADDED, SchemaPath::default()).values(Value::Null, name(new));
    finding(&name(new), change, Shown::default())
}

/// The finding of definitions that are too large.
pub(crate) fn not_compared(new: &CustomResourceDefinition) -> Finding {
    let change = Change::new(&rows::NOT_COMPARED, SchemaPath::default());
    let mut finding = finding(&name(new), change, Shown::over());
    finding.severity = Severity::Error;
    finding
}

/// The findings of all changes.
pub(crate) fn all(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    changes: Vec<Change>,
    options: DiffOptions,
    work: &Rc<Work>,
) -> Vec<Finding> {
    // Objects of one kind or group say nothing about those of another one.
    let is_same_kind = old.spec.names.kind == new.spec.names.kind && old.spec.group == new.spec.group;
    // Without both definitions there are no answers; the finding that one is refused is among the changes.
    let pair = (options.budget > 0 && is_same_kind && !is_hopeless(old, &changes, options))
        .then(|| Pair::new(old, new, &options, work).ok())
        .flatten();
    let mut known: Vec<(Change, Shown)> = match &pair {
        Some(pair) => search_all(pair, changes),
        None => {
            let shown = if options.budget == 0 { Shown::over } else { Shown::unknown };
            changes.into_iter().map(|change| (change, shown())).collect()
        }
    };
    if let Some(pair) = pair.as_ref().filter(|_| options.samples > 0) {
        work.share_no_more();
        let stored: Vec<&str> = [old, new].into_iter().flat_map(storage_versions).collect();
        sweep(pair, options.samples, &mut |version, evidence| {
            take(pair, &mut known, (version, &stored), evidence);
        });
    }
    let crd = name(new);
    known.into_iter().map(|(change, shown)| finding(&crd, change, shown)).collect()
}

/// The most changes that are searched a second time, or decided by values at their place. With more, none would have many steps.
const MOST_AGAIN: usize = 200;

/// Searches for objects that show the changes. Each search has a share of the steps; those whose share did not suffice share what the
/// others left.
fn search_all(pair: &Pair, changes: Vec<Change>) -> Vec<(Change, Shown)> {
    let number = changes.len();
    let mut known: Vec<(Change, Shown)> = Vec::with_capacity(number);
    for (index, change) in changes.into_iter().enumerate() {
        // The random objects at the end have a share, too.
        let (shown, is_over) = pair.work.within_share(number - index, || search(pair, &change));
        known.push((change, Shown { is_over, ..shown }));
    }
    let mut open: Vec<usize> = (0..number).filter(|index| known[*index].1.is_over).collect();
    open.sort_by_key(|index| std::cmp::Reverse(known[*index].0.row.most));
    open.truncate(MOST_AGAIN);
    for (index, at) in open.iter().enumerate() {
        let (change, shown) = &mut known[*at];
        let (again, is_over) = pair.work.within_share(open.len() - index, || search(pair, change));
        let seen = std::mem::take(&mut shown.evidence);
        *shown = Shown { is_over, ..again };
        let is_new = |evidence: &Evidence| {
            !shown.evidence.iter().any(|other| other.witness.class == evidence.witness.class)
        };
        let seen: Vec<Evidence> = seen.into_iter().filter(is_new).collect();
        shown.evidence.extend(seen);
    }
    let mut decided = Decided::default();
    for (change, _) in known.iter_mut().filter(|(change, shown)| is_open(change, shown)).take(MOST_AGAIN) {
        certain_by_values(pair, change, &mut decided);
    }
    known
}

/// Returns `true` for a change of which an expected class was neither shown nor follows from the definitions; if one of several is enough,
/// of which none was.
fn is_open(change: &Change, shown: &Shown) -> bool {
    let expected = change.row.expected;
    let mut are_open = expected.iter().map(|class| !shown.has(*class) && !change.is_sure(*class));
    if change.row.is_either {
        !expected.is_empty() && are_open.all(|open| open)
    } else {
        are_open.any(|open| open)
    }
}

/// Adds the classes that single values decide, where no object of the whole definition shows them.
fn certain_by_values(pair: &Pair, change: &mut Change, decided: &mut Decided) {
    if !has_other_rule_above(pair, change) {
        let found = decided.classes(pair, change);
        change.certain.extend(found.into_iter().filter(|class| change.row.may_show(*class)));
    }
}

/// Returns `true` if one of the definitions has so many causes of a refusal that the search for objects would not end: each
/// object that is tried may have as many.
fn is_hopeless(old: &CustomResourceDefinition, changes: &[Change], options: DiffOptions) -> bool {
    const MOST_CAUSES: usize = 100;
    let refused = changes.iter().filter(|change| change.row.id == rows::REFUSED.id).count();
    refused > MOST_CAUSES
        || is_large(old) && Verdict::with_options(old, options.server_options()).errors.len() > MOST_CAUSES
}

/// The names of the versions in which objects are stored.
fn storage_versions(crd: &CustomResourceDefinition) -> impl Iterator<Item = &str> {
    crd.spec.versions.iter().filter(|version| version.storage).map(|version| version.name.as_str())
}

/// Puts an effect to the change that explains it, or makes a change of its own of it.
///
/// Objects of all versions pass through the storage version, so that its changes explain their effects, too.
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

/// Returns the classes that nothing shows and nothing excludes.
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
        is_expected && !has(class) && !(shown.is_harmless && is_refusal)
    };
    // Where requests are refused, so are changes of a list with such an item.
    let is_rejected = has(&Class::Write) || is_missing(&Class::Write);
    let is_edit = |class: &Class| *class == Class::Edit && change.is_in_list && is_rejected && !has(class);
    Class::ALL.into_iter().filter(|class| is_missing(class) || is_edit(class)).collect()
}

/// Returns the severity of a class that a change has.
fn severity(class: Class, change: &Change, shown: &Shown) -> Severity {
    let is_alpha = change.version.as_deref().is_some_and(|version| version.contains("alpha"));
    match class {
        Class::Data => {
            let is_loss = |evidence: &Evidence| evidence.witness.class == Class::Data && evidence.is_loss;
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
