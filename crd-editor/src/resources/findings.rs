//! The API server's errors and warnings about objects of known kinds.

use crd_core::admit::{FieldProblem, Submitted};
use crd_core::schema::SchemaType;
use crd_core::{CauseReason, Diagnostic, Edit, EditValue, FieldPath, Remedy, Segment, Structural};
use crd_go::nearest::nearest;
use crd_input::Object;
use serde_json::Value;

use super::{Head, KnownKind, schema_at};
use crate::cursor::CursorStep;

/// A problem in an object.
pub(crate) struct ResourceFinding {
    pub(crate) cause: Diagnostic,
    /// `true` for a warning.
    pub(crate) is_warning: bool,
    /// `true` if the message stands alone, without the path to a field.
    pub(crate) is_whole: bool,
}

impl KnownKind {
    /// Returns the errors and warnings in the API server's response to creating the object.
    pub(crate) fn findings(&self, object: Object, head: &Head) -> Vec<ResourceFinding> {
        let value = object.document.value;
        let submitted = Submitted::from(value.clone()).with_duplicate_fields(object.duplicate_fields);
        let admission = self.validator.create(submitted);
        let schema = self.schemas.get(&head.version).map(|(_, schema)| schema);
        let mut found = Vec::new();
        for warning in &admission.warnings {
            let (field, remedy) = match warning.field() {
                Some((FieldProblem::Unknown, path)) => {
                    (path.clone(), schema.and_then(|schema| known_name(schema, &value, path)))
                }
                Some((_, path)) => (path.clone(), None),
                None => (FieldPath::root(), None),
            };
            let mut cause = Diagnostic::new(field, CauseReason::Invalid, warning.as_str());
            cause.remedy = remedy;
            found.push(ResourceFinding { cause, is_warning: true, is_whole: true });
        }
        if let Err(rejection) = admission.result {
            if rejection.causes.is_empty() {
                let cause = Diagnostic::new(FieldPath::root(), CauseReason::Invalid, rejection.to_string());
                found.push(ResourceFinding { cause, is_warning: false, is_whole: true });
            }
            for mut cause in rejection.causes {
                if cause.reason == CauseReason::Required && cause.remedy.is_none() {
                    cause.remedy = schema.and_then(|schema| added(schema, &cause.field));
                }
                found.push(ResourceFinding { cause, is_warning: false, is_whole: false });
            }
        }
        found
    }
}

fn steps(path: &FieldPath) -> Vec<CursorStep> {
    let step = |segment: &&Segment| match *segment {
        Segment::Index(index) => CursorStep::Item(*index),
        Segment::Child(name) | Segment::Key(name) => CursorStep::Key(name.to_string()),
    };
    path.segments().iter().map(step).collect()
}

/// Returns the remedy for an unknown field: to rename the field to a similar known name, or to remove it.
fn known_name(schema: &Structural, object: &Value, path: &FieldPath) -> Option<Remedy> {
    let steps = steps(path);
    let (CursorStep::Key(name), above) = steps.split_last()? else { return None };
    let parent = above.iter().try_fold(object, |value, step| match step {
        CursorStep::Key(name) => value.get(name),
        CursorStep::Item(index) => value.get(index),
    })?;
    let absent = |name: &&str| parent.get(name).is_none();
    let meant =
        schema_at(schema, above).and_then(|(node, _)| nearest(name, node.properties.keys().filter(absent)));
    Some(match meant {
        Some(meant) => {
            Remedy::new(format!("did you mean `{meant}`?")).with(Edit::rename(path.clone(), meant))
        }
        None => Remedy::new(format!("remove `{name}`: the API server does not store this field"))
            .with(Edit::remove(path.clone())),
    })
}

/// Returns the remedy for a missing required field: to add the field with an initial value.
fn added(schema: &Structural, path: &FieldPath) -> Option<Remedy> {
    let steps = steps(path);
    let (CursorStep::Key(name), _) = steps.split_last()? else { return None };
    let (node, _) = schema_at(schema, &steps)?;
    Some(Remedy::new(format!("add `{name}`")).with(Edit::add(path.clone(), first_value(node)?)))
}

/// Returns an initial value: the first value in the enum, or an empty value of the type.
fn first_value(node: &Structural) -> Option<EditValue> {
    let allowed = node.value_validation.as_ref().and_then(|validation| validation.enum_.as_ref());
    if let Some(first) = allowed.and_then(|allowed| allowed.first()).and_then(|first| first.as_str()) {
        return Some(first.into());
    }
    Some(match node.type_.as_ref()? {
        SchemaType::String => "".into(),
        SchemaType::Integer | SchemaType::Number => 0_u64.into(),
        SchemaType::Boolean => false.into(),
        _ => return None,
    })
}
