//! Real objects of the old definition, and what happens to them.

use std::rc::Rc;

use crd_core::CustomResourceDefinition;
use serde_json::{Map, Value};

use crate::DiffOptions;
use crate::change::Change;
use crate::finding::{Class, Finding};
use crate::findings::finding;
use crate::rows;
use crate::schema_path::SchemaPath;
use crate::witness::{Evidence, Pair, Shown, find_effects};
use crate::work::{Work, is_too_large};

/// The names that a message lists.
const MOST_NAMES: usize = 10;

/// Compares the answers of both definitions to objects that exist, and returns a finding for each class that some of them show.
///
/// Objects of other kinds are ignored, as are objects that the old definition does not accept. The witness is the first object.
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
    let objects: Vec<Value> = objects.iter().filter(of_kind).map(submitted).collect();
    if objects.is_empty() || old.spec == new.spec || is_too_large(old, new) {
        return Vec::new();
    }
    let work = Rc::new(Work::new(options.steps, old, new));
    let Ok(pair) = Pair::new(old, new, options, &work) else { return Vec::new() };
    let mut by_class: Vec<(Class, Vec<String>, Evidence)> = Vec::new();
    for object in &objects {
        for evidence in find_effects(&pair, object) {
            let class = evidence.witness.class;
            match by_class.iter_mut().find(|(other, ..)| *other == class) {
                Some((_, names, _)) => {
                    names.push(name(object));
                    names.dedup();
                }
                None => by_class.push((class, vec![name(object)], evidence)),
            }
        }
    }
    by_class.sort_by_key(|(class, ..)| *class);
    let crd = crate::findings::name(new);
    by_class
        .into_iter()
        .map(|(class, names, evidence)| {
            let mut change = Change::new(&rows::OBJECTS_AFFECTED, SchemaPath::default());
            change.new = class.as_str().into();
            let mut finding = finding(&crd, &change, &Shown::from(evidence));
            finding.message = message(class, &names, objects.len());
            finding
        })
        .collect()
}

fn message(class: Class, names: &[String], all: usize) -> String {
    let effect = match class {
        Class::Stuck => "can no longer be changed, not even a label",
        Class::Data => "would lose or change values",
        Class::Edit => "can no longer be changed in places that have nothing to do with the fault",
        _ => "would be refused if they were created again",
    };
    let more = names.len().saturating_sub(MOST_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let shown = names[..names.len().min(MOST_NAMES)].join(", ");
    format!("{} of your {all} objects {effect}: {shown}{more}", names.len())
}

fn name(object: &Value) -> String {
    let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default().to_owned();
    match text("namespace") {
        namespace if namespace.is_empty() => text("name"),
        namespace => format!("{namespace}/{}", text("name")),
    }
}

/// The object as it was sent: without the metadata that the server sets.
fn submitted(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        let kept = ["name", "namespace", "labels", "annotations", "finalizers", "ownerReferences"];
        let fields: Map<String, Value> =
            std::mem::take(metadata).into_iter().filter(|(name, _)| kept.contains(&name.as_str())).collect();
        *metadata = fields;
    }
    object
}
