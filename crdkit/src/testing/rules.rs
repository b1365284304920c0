//! Implements `validate_cel`, which the derives generate: it validates an object or a part of an object like the API
//! server.

use crd_core::admit::Rejection;
use crd_core::crd::{JsonSchemaProps, Validation, Version};

use crd_core::{CustomResourceDefinition, FieldPath, KubeVersion, Segment};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::Validator;
use crate::schema::{self, SchemaOptions};
use crate::{CustomResource, Error};

/// Validates an object like the API server, on create or on update from `old`.
///
/// # Errors
/// The API server would reject the object.
///
/// # Panics
/// The API server would reject the CRD (the generated test reports this), or the object cannot be serialized.
#[track_caller]
pub fn validate_object<R: CustomResource + Serialize>(object: &R, old: Option<&R>) -> Result<(), Rejection> {
    let object = super::value::<R>(object);
    let old = old.map(super::value::<R>);
    answer(&super::validator::<R>(), object, old)
}

/// Validates a value inside an object like the API server, on create or on update from `old`.
///
/// # Errors
/// The API server would reject the value. Paths are relative to the value.
///
/// # Panics
/// The API server would reject the schema of the type.
#[track_caller]
#[expect(clippy::panic, reason = "without a schema there is no answer")]
pub fn validate_part<T: JsonSchema>(value: &Value, old: Option<&Value>) -> Result<(), Rejection> {
    let validator = match part_validator::<T>() {
        Ok(validator) => validator,
        Err(error) => panic!("{error}"),
    };
    let around = |value: &Value| json!({"apiVersion": "crdkit.dev/v1", "kind": "Part", "metadata": {"name": "part"}, PART: value});
    answer(&validator, around(value), old.map(around)).map_err(|mut refusal| {
        let fields = refusal.causes.iter_mut().flat_map(|cause| [&mut cause.field, &mut cause.place]);
        let places = refusal.failed_rules.iter_mut().map(|failed| &mut failed.at);
        fields.chain(places).for_each(|path| *path = within(path));
        refusal
    })
}

/// The field that contains the value.
const PART: &str = "value";

fn answer(validator: &Validator, object: Value, old: Option<Value>) -> Result<(), Rejection> {
    let admission = match old {
        None => validator.create(object),
        Some(old) => {
            // The server's object has its defaults; it may be one that the server would reject now.
            let old = validator.create(old.clone()).result.unwrap_or(old);
            validator.update(object, old)
        }
    };
    admission.result.map(drop)
}

/// Returns the validator for objects that contain only one field, a value of `T`.
fn part_validator<T: JsonSchema>() -> Result<Validator, Error> {
    let part = schema::structural::<T>("", SchemaOptions::default())?.0;
    let mut root = JsonSchemaProps::default();
    root.type_ = Some("object".to_owned());
    root.properties.get_or_insert_default().insert(PART, part);
    let mut crd = CustomResourceDefinition::default();
    crd.metadata.name = "parts.crdkit.dev".to_owned();
    crd.spec.group = "crdkit.dev".to_owned();
    crd.spec.scope = "Cluster".to_owned();
    let names = &mut crd.spec.names;
    (names.plural, names.singular) = ("parts".to_owned(), "part".to_owned());
    (names.kind, names.list_kind) = ("Part".to_owned(), "PartList".to_owned());
    let mut version = Version::default();
    (version.name, version.served, version.storage) = ("v1".to_owned(), true, true);
    let mut validation = Validation::default();
    validation.open_api_v3_schema = Some(Box::new(root));
    version.schema = Some(validation);
    crd.spec.versions.push(version);
    super::validator_of(crd, KubeVersion::DEFAULT)
}

/// Removes the first segment of a path. This segment leads to the tested value.
fn within(path: &FieldPath) -> FieldPath {
    path.segments().into_iter().skip(1).fold(FieldPath::root(), |path, segment| match segment {
        Segment::Child(name) => path.child(name.clone()),
        Segment::Index(index) => path.index(*index),
        Segment::Key(key) => path.key(key.clone()),
    })
}
