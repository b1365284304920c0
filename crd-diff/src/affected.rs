//! Determines how a change to a CRD affects existing objects.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use crd_core::CustomResourceDefinition;
use serde_json::Value;

use crate::DiffOptions;
use crate::change::Change;
use crate::finding::{Class, Finding};
use crate::findings::finding;
use crate::rows;
use crate::schema_path::SchemaPath;
use crate::schemas::Described;
use crate::witness::{Pair, Shown, Tried, find_effects};
use crate::work::{LARGEST_STORED, Weight, Work};

/// The maximum number of causes that are collected for one rejection. Only the fields near the first few causes are edited.
const MOST_CAUSES: usize = 20;

/// The maximum number of object names in one message.
const MOST_NAMES: usize = 10;

/// Compares how both CRDs treat existing objects. Returns a finding for each [`Class`] of failures that affects at least one of the
/// objects.
///
/// Objects of other kinds are ignored, and so are objects that the old CRD rejects. The finding's [`Witness`](crate::Witness) is the first
/// affected object. CPU steps are limited to [`DiffOptions::steps`], plus a number for each object in proportion to its size. Objects that
/// would need more steps, or that are too large for etcd, are reported in the finding `objects-not-tried`. Every profile treats this
/// finding as undecided.
#[must_use]
pub fn affected(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    options: &DiffOptions,
    objects: &[Value],
) -> Vec<Finding> {
    let of_kind = |object: &&Value| {
        let group =
            object["apiVersion"].as_str().and_then(|text| text.split_once('/')).map(|(group, _)| group);
        group == Some(&old.spec.group) && object["kind"] == *old.spec.names.kind
    };
    let objects: Vec<&Value> = objects.iter().filter(of_kind).collect();
    if objects.is_empty() || old.spec == new.spec {
        return Vec::new();
    }
    let weights = [old, new].map(|crd| Weight::of(crd, Described::default()));
    if Weight::are_too_large(&weights) {
        return Vec::new();
    }
    let work = Rc::new(Work::new(options.steps, &weights));
    let Ok(pair) = Pair::new([old.clone(), new.clone()], options, &work) else { return Vec::new() };
    let pair = pair.with_causes(MOST_CAUSES);
    let mut affected = Affected::default();
    for object in &objects {
        let object = submitted(object);
        if is_storable(&object) && work.is_enough_for(&object) {
            affected.try_object(&pair, &object);
        } else {
            affected.not_tried.push(name(&object));
        }
    }
    affected.findings(&crate::findings::name(new), objects.len())
}

/// The failures of the given objects.
#[derive(Default)]
struct Affected {
    /// For each class of failures, the names of the affected objects, and the failure of the first object.
    by_class: BTreeMap<Class, (Vec<String>, Shown)>,
    /// The names of the objects that were not tested.
    not_tried: Vec<String>,
    /// The names of the objects that were tested, but not with all possible edits.
    not_edited: Vec<String>,
}

impl Affected {
    fn try_object(&mut self, pair: &Pair, object: &Value) {
        let is_new = |class| !self.by_class.contains_key(&class);
        let effects = find_effects(&Tried::new(pair, object), &is_new);
        let shows = |class: Class| effects.iter().any(|(other, _)| *other == class);
        if pair.work.is_over() && shows(Class::Write) && !shows(Class::Edit) && !shows(Class::Stuck) {
            self.not_edited.push(name(object));
        }
        for (class, evidence) in effects {
            let (names, shown) = self.by_class.entry(class).or_default();
            names.push(name(object));
            if names.len() == 1 {
                shown.evidence.extend(evidence);
            }
        }
    }

    fn findings(self, crd: &str, all: usize) -> Vec<Finding> {
        let mut out = Vec::new();
        for (class, (mut names, shown)) in self.by_class {
            names.dedup();
            let mut change = Change::new(&rows::OBJECTS_AFFECTED, SchemaPath::default());
            change.new = class.as_str().into();
            let mut finding = finding(crd, change, shown);
            finding.message = message(effect(class), &names, all);
            out.push(finding);
        }
        let edits = (&rows::EDITS_NOT_TRIED, &self.not_edited, "were not tested with all edits");
        let requests = (&rows::OBJECTS_NOT_TRIED, &self.not_tried, "were not tested");
        for (row, names, effect) in [edits, requests].into_iter().filter(|(_, names, _)| !names.is_empty()) {
            let change = Change::new(row, SchemaPath::default());
            let mut finding = finding(crd, change, Shown::over());
            finding.severity = row.most;
            finding.message = message(effect, names, all);
            out.push(finding);
        }
        out
    }
}

fn effect(class: Class) -> &'static str {
    match class {
        Class::Stuck => "can no longer be changed, not even their labels",
        Class::Data => "would lose or change values",
        Class::Edit => "can no longer be changed, not even in their valid fields",
        _ => "would be rejected if they were created again",
    }
}

fn message(effect: &str, names: &[String], all: usize) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let shown = names[..names.len().min(MOST_NAMES)].join(", ");
    format!("{} of your {all} objects {effect}: {shown}{more}", names.len())
}

/// Returns `true` if the object is small enough for etcd.
fn is_storable(object: &Value) -> bool {
    object.to_string().len() <= LARGEST_STORED
}

fn name(object: &Value) -> String {
    let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default().to_owned();
    match text("namespace") {
        namespace if namespace.is_empty() => text("name"),
        namespace => format!("{namespace}/{}", text("name")),
    }
}

/// Returns the object as a client would send it, without the metadata that the API server sets.
fn submitted(object: &Value) -> Cow<'_, Value> {
    let kept = ["name", "namespace", "labels", "annotations", "finalizers", "ownerReferences"];
    let is_kept = |name: &String| kept.contains(&name.as_str());
    let metadata = object.get("metadata").and_then(Value::as_object);
    if metadata.is_none_or(|metadata| metadata.keys().all(is_kept)) {
        return Cow::Borrowed(object);
    }
    let mut object = object.clone();
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.retain(|name, _| is_kept(name));
    }
    Cow::Owned(object)
}
