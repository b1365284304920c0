//! A definition -> strategies of proptest for objects that the API server accepts, and for objects that it refuses.

mod against_rules;
mod alternatives;
mod edits;
mod faults;
mod judged;
mod numbers;
mod samples;
mod texts;
mod values;
mod wrong;

use std::collections::BTreeSet;
use std::sync::Arc;

use crd_core::admit::{FieldValidation, Validator};
use crd_core::crd::Version;
use crd_core::{CustomResourceDefinition, FieldPath, KubeVersion, Structural};
use proptest::sample::Index;
use proptest::strategy::{BoxedStrategy, Strategy};
use serde_json::Value;

use self::faults::{Fault, FaultKind};
use self::judged::{Judged, Rigour};
use self::samples::Samples;
use super::{store_the_only_version, validator_of};
use crate::{CustomResource, UncheckedCrd};

/// Objects of a type that the API server accepts as they are: none has a field that would be dropped.
///
/// They are generated from the schema: types, bounds, enums, required and optional fields, formats, patterns, lists of type
/// `set` and `map`, `nullable`, maps, integers-or-strings, unknown fields if they are kept, embedded resources, and a
/// branch of every `oneOf` and `anyOf`. The API server's admission then checks each object, with all rules, and
/// refused ones are generated again. A status that is a subresource is left out, because the server drops it on create.
///
/// Some patterns are left to admission, as are rules and `not`: those with word boundaries, and those that are not regular
/// expressions of Rust. Any string is tried until one fits. If 1000 objects in a row are refused, the test aborts with the causes
/// of the last one: such types need a strategy that maps these objects to values that meet the rules.
///
/// ```
/// use crdkit::testing::valid_objects;
/// use crdkit::{CrdSchema, CustomResource, assert_accepted};
/// use proptest::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt")]
/// #[crd(spec_validation = ("self.size > 10 || self.color != 'blue'", "blue is for grown-ups"))]
/// struct ShirtSpec {
///     #[schemars(regex(pattern = "^(red|blue)$"))]
///     color: String,
///     #[schemars(range(min = 1, max = 60))]
///     size: u8,
/// }
///
/// proptest! {
///     # #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]
///     # /*
///     #[test]
///     # */
///     fn every_shirt_can_be_read(object in valid_objects::<Shirt>()) {
///         let shirt: Shirt = serde_json::from_value(object).unwrap();
///         prop_assert!(shirt.spec.size > 10 || shirt.spec.color != "blue");
///         assert_accepted!(shirt);
///     }
/// }
/// # every_shirt_can_be_read();
/// ```
///
/// # Panics
/// The type has no definition, or the definition has several versions and none of them is stored.
#[track_caller]
pub fn valid_objects<R: CustomResource>() -> BoxedStrategy<Value> {
    ObjectKind::new(&definition::<R>(), R::KUBE_VERSION).valid().boxed()
}

/// Objects of a type with exactly one fault, and the field for which the API server refuses them.
///
/// A bound, a length, a number of items or of entries is exceeded by one, a number is not a multiple, a string does not match its
/// pattern or format, a type or a value of an enum is replaced, a required field is removed, an item of a set or of a list map is
/// repeated, or a rule is broken by a value that it reads. Each kind is as likely as the others. The other parts of the object are
/// as those of [`valid_objects`].
///
/// The API server's admission decides: it has to name one cause, which is the intended one. Two kinds of causes do not count:
/// that rules were not run because of that cause, and those of both types of an integer-or-string. If 40 objects in a row cannot
/// be broken in one way alone, as when a rule repeats a bound, an object with other causes beside the intended one is returned.
///
/// Some faults never occur: of a rule that holds for every change of a single value or that compares with the old object, of a
/// format of numbers, and of bounds within `allOf`, `anyOf`, `oneOf` and `not`.
///
/// ```
/// use crdkit::testing::{InvalidObject, invalid_objects};
/// use crdkit::{CrdSchema, CustomResource, assert_refused};
/// use proptest::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt")]
/// struct ShirtSpec {
///     color: String,
///     #[schemars(range(min = 1, max = 60))]
///     size: u8,
/// }
///
/// proptest! {
///     # #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]
///     # /*
///     #[test]
///     # */
///     fn the_webhook_names_the_field(invalid in invalid_objects::<Shirt>()) {
///         let InvalidObject { object, field, .. } = invalid;
///         assert_refused!(Shirt, object, &field.to_string());
///     }
/// }
/// # the_webhook_names_the_field();
/// ```
///
/// # Panics
/// As [`valid_objects`].
#[track_caller]
pub fn invalid_objects<R: CustomResource>() -> BoxedStrategy<InvalidObject> {
    ObjectKind::new(&definition::<R>(), R::KUBE_VERSION).invalid().boxed()
}

/// As [`valid_objects`], for a definition: objects of the version that is stored.
///
/// # Panics
/// No version of the definition is stored, or its schema is not structural.
#[track_caller]
pub fn valid_objects_of(crd: &CustomResourceDefinition) -> BoxedStrategy<Value> {
    ObjectKind::new(crd, KubeVersion::DEFAULT).valid().boxed()
}

/// As [`invalid_objects`], for a definition: objects of the version that is stored.
///
/// # Panics
/// As [`valid_objects_of`].
#[track_caller]
pub fn invalid_objects_of(crd: &CustomResourceDefinition) -> BoxedStrategy<InvalidObject> {
    ObjectKind::new(crd, KubeVersion::DEFAULT).invalid().boxed()
}

/// An object in which one thing is wrong: see [`invalid_objects`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InvalidObject {
    /// The object.
    pub object: Value,
    /// The field that is wrong, as the API server names it in a cause.
    pub field: FieldPath,
    /// The fault in words: ``spec.size: above the maximum``, ``spec: against the rule `self.min <= self.max` ``.
    pub fault: String,
}

#[track_caller]
#[expect(clippy::panic, reason = "a test reports by panicking")]
fn definition<R: CustomResource>() -> CustomResourceDefinition {
    match R::unchecked().and_then(UncheckedCrd::check_for_clients) {
        Ok(crd) => crd,
        Err(error) => panic!("{error}"),
    }
}

/// The schemas that objects are generated from, and their validator.
struct ObjectKind {
    name: String,
    api_version: String,
    /// The whole schema, and that of objects that are created.
    schema: Arc<Structural>,
    created: Structural,
    validator: Validator,
}

impl ObjectKind {
    #[track_caller]
    #[expect(clippy::panic, reason = "a test reports by panicking")]
    fn new(crd: &CustomResourceDefinition, version: KubeVersion) -> Self {
        let mut crd = crd.clone();
        store_the_only_version(&mut crd);
        let validator = match validator_of(crd.clone(), version) {
            Ok(validator) => validator.with_field_validation(FieldValidation::Strict),
            Err(error) => panic!("{error}"),
        };
        let Some(version) = crd.spec.versions.iter().find(|version| version.storage) else {
            panic!("no version of `{}` is stored", crd.metadata.name);
        };
        let schema = structural(version);
        Self {
            name: crd.spec.names.kind.clone(),
            api_version: format!("{}/{}", crd.spec.group, version.name),
            created: created(version, &schema),
            schema: Arc::new(schema),
            validator,
        }
    }

    fn valid(&self) -> Judged<Value, Value> {
        let validator = self.validator.clone();
        Judged::new(
            values::objects(&self.created, &self.api_version, &self.name),
            format!("{}: no object made from the schema is accepted", self.name),
            move |object, _| match validator.create(object.clone()).result {
                Ok(_) => Ok(object.clone()),
                Err(refusal) => Err(refusal.to_string()),
            },
        )
    }

    fn invalid(&self) -> Judged<(Value, [Index; 2]), InvalidObject> {
        let breaker = Breaker {
            schema: Arc::clone(&self.schema),
            validator: self.validator.clone(),
            samples: Samples::default(),
        };
        Judged::new(
            (self.valid(), proptest::arbitrary::any::<[Index; 2]>()).boxed(),
            format!("{}: no object that was broken is refused where it was", self.name),
            move |(object, choice), rigour| breaker.break_in(object, choice, rigour),
        )
    }
}

/// The most changes that are tried for one fault.
const MOST_EDITS: usize = 40;

/// The strategy that breaks objects.
struct Breaker {
    schema: Arc<Structural>,
    validator: Validator,
    samples: Samples,
}

impl Breaker {
    /// The object with one fault, whose kind and place `choice` selects.
    fn break_in(&self, object: &Value, choice: &[Index; 2], rigour: Rigour) -> Result<InvalidObject, String> {
        let faults = faults::of(&self.schema, object);
        let kinds: BTreeSet<FaultKind> = faults.iter().map(|fault| fault.kind).collect();
        if kinds.is_empty() {
            return Err("nothing in the object can be broken".to_owned());
        }
        let [kind, place] = choice;
        let kind = *kind.get(&Vec::from_iter(kinds));
        let faults: Vec<Fault<'_>> = faults.into_iter().filter(|fault| fault.kind == kind).collect();
        let fault = place.get(&faults);
        let mut last = "no value breaks it".to_owned();
        for edit in fault.edits(object, &self.samples).into_iter().take(MOST_EDITS) {
            let object = edit.of(object);
            match self.validator.create(&object).result {
                Ok(_) => "the object is accepted".clone_into(&mut last),
                Err(refusal) => {
                    if let Some(cause) = fault.cause(&refusal, rigour == Rigour::Lenient) {
                        let field = cause.field.clone();
                        let fault = format!("{field}: {}", fault.words());
                        return Ok(InvalidObject { object, field, fault });
                    }
                    last = refusal.to_string();
                }
            }
        }
        Err(format!("{} was to be {}: {last}", fault.field(), fault.words()))
    }
}

/// The schema of all objects.
fn structural(version: &Version) -> Structural {
    let schema = version.open_api_v3_schema().map(Structural::from_json_schema);
    // The validator refuses schemas that are not structural.
    schema.and_then(Result::ok).unwrap_or_default()
}

/// The schema of objects that are created: without the status where it is a subresource.
fn created(version: &Version, schema: &Structural) -> Structural {
    let mut schema = schema.clone();
    if version.subresources.as_ref().is_some_and(|subresources| subresources.status.is_some()) {
        schema.properties.remove("status");
    }
    schema
}
