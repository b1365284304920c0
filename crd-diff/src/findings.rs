//! Changes and what objects show of them -> findings.

use std::rc::Rc;

use crd_core::CustomResourceDefinition;
use crd_core::check::Verdict;
use serde_json::Value;

use crate::DiffOptions;
use crate::change::Change;
use crate::finding::{Class, Finding, Severity, Witness, fingerprint};
use crate::rows;
use crate::schema_path::SchemaPath;
use crate::witness::{Evidence, Pair, Shown, explains, search, sweep};
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
    let mut finding = finding(&name(new), change, Shown::default());
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
    let mut known: Vec<(Change, Shown)> = changes
        .into_iter()
        .map(|change| {
            let shown = pair.as_ref().map(|pair| search(pair, &change)).unwrap_or_default();
            (change, shown)
        })
        .collect();
    if let Some(pair) = pair.as_ref().filter(|_| options.samples > 0) {
        let stored: Vec<&str> = [old, new].into_iter().flat_map(storage_versions).collect();
        sweep(pair, options.samples, &mut |version, evidence| {
            take(pair, &mut known, (version, &stored), evidence);
        });
    }
    let crd = name(new);
    known.into_iter().map(|(change, shown)| finding(&crd, change, shown)).collect()
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
            && explains(pair, change, &evidence)
    };
    let mut explained: Vec<&mut (Change, Shown)> = known.iter_mut().filter(explaining).collect();
    let has = |(change, shown): &(Change, Shown)| shown.has(class) || change.is_sure(class);
    if explained.iter().any(|known| has(known)) {
        return;
    }
    if let Some((_, shown)) = explained.first_mut() {
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
    let has = |class: &Class| change.is_sure(*class) || shown.has(*class);
    let is_enough = row.is_either && row.expected.iter().any(has);
    let is_missing = |class: &Class| {
        let is_expected = row.expected.contains(class) && !is_enough
            || change.expected.contains(class)
            || shown.possible.contains(class);
        is_expected && !has(class)
    };
    // Where requests are refused, so are changes of a list with such an item.
    let is_rejected = has(&Class::Write) || is_missing(&Class::Write);
    let is_edit = |class: &Class| *class == Class::Edit && change.is_in_list && is_rejected && !has(class);
    let undecided: Vec<Class> =
        Class::ALL.into_iter().filter(|class| is_missing(class) || is_edit(class)).collect();
    let classes: Vec<Class> =
        Class::ALL.into_iter().filter(|class| has(class) || undecided.contains(class)).collect();
    let is_alpha = change.version.as_deref().is_some_and(|version| version.contains("alpha"));
    let of_class = |class: &Class| match class {
        _ if undecided.contains(class) => Severity::Warning,
        Class::Data => {
            let is_loss = |evidence: &Evidence| evidence.witness.class == Class::Data && evidence.is_loss;
            if change.is_sure(*class) || shown.evidence.iter().any(is_loss) {
                Severity::Error
            } else {
                Severity::Warning
            }
        }
        Class::Server | Class::Stuck | Class::Edit | Class::Write => Severity::Error,
        Class::Read | Class::Rollback | Class::Apply if !is_alpha => Severity::Warning,
        Class::Read | Class::Rollback | Class::Apply | Class::Rust => Severity::Note,
    };
    let severity = classes.iter().map(of_class).max().unwrap_or(Severity::Note).min(row.most);
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
        severity,
        why: row.why,
        mend: row.mend,
        old: change.old,
        new: change.new,
        old_field: change.fields.0,
        new_field: change.fields.1,
        witnesses,
    }
}

pub(crate) fn name(crd: &CustomResourceDefinition) -> String {
    match crd.metadata.name.as_str() {
        "" => format!("{}.{}", crd.spec.names.plural, crd.spec.group),
        name => name.to_owned(),
    }
}
