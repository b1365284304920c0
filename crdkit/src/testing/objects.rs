//! A definition -> strategies of proptest for objects that the API server accepts, and for objects that it refuses.

mod alternatives;
mod faults;
mod judged;
mod numbers;
mod texts;
mod values;

use std::sync::Arc;

use crd_core::admit::{FieldValidation, Validator};
use crd_core::crd::Version;
use crd_core::{CustomResourceDefinition, FieldPath, Structural};
use proptest::sample::Index;
use proptest::strategy::{BoxedStrategy, Strategy};
use serde_json::Value;

use self::judged::Judged;
use super::{store_the_only_version, validator_of};
use crate::CustomResource;

/// Objects of a type that the API server accepts, with all that they say: none has a field that would be dropped.
///
/// They are made from the schema: types, bounds, enums, required and optional fields, formats, patterns, lists of type
/// `set` and `map`, `nullable`, maps, integers-or-strings, unknown fields where they are kept, embedded resources, and a
/// branch of every `oneOf` and `anyOf`. The API server's own admission then has the last word, with all rules: what it
/// refuses is made anew. A status is left out where it is a subresource, because the server drops it on creation.
///
/// A pattern that proptest cannot make texts of (it looks around words, or is no regular expression of Rust) is left to
/// admission, as are rules and `not`: any text is tried until one fits. Where 1000 objects in a row are refused, the test
/// aborts and says for what the last one was: such types want a strategy that maps these objects to what the rules ask.
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
    valid_objects_of(&definition::<R>())
}

/// Objects of a type in which exactly one thing was broken, and the field for which the API server refuses them.
///
/// A bound, a length or a number of items is passed by one, a type or a value of an enum replaced, a required field
/// taken away, an item of a set or of a list map repeated. The rest is as [`valid_objects`] makes it. What a rule says of
/// the broken value may be refused beside it.
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
    invalid_objects_of(&definition::<R>())
}

/// As [`valid_objects`], for a definition: objects of the version that is stored.
///
/// # Panics
/// No version of the definition is stored, or its schema is not structural.
#[track_caller]
pub fn valid_objects_of(crd: &CustomResourceDefinition) -> BoxedStrategy<Value> {
    Kind::new(crd).valid().boxed()
}

/// As [`invalid_objects`], for a definition: objects of the version that is stored.
///
/// # Panics
/// As [`valid_objects_of`].
#[track_caller]
pub fn invalid_objects_of(crd: &CustomResourceDefinition) -> BoxedStrategy<InvalidObject> {
    Kind::new(crd).invalid().boxed()
}

/// An object in which one thing is wrong.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InvalidObject {
    /// The object.
    pub object: Value,
    /// The field that is wrong, as the API server names it in a cause.
    pub field: FieldPath,
    /// What was broken, in words: `spec.size: above the maximum`.
    pub fault: String,
}

#[track_caller]
#[expect(clippy::panic, reason = "a test reports by panicking")]
fn definition<R: CustomResource>() -> CustomResourceDefinition {
    match R::crd() {
        Ok(crd) => crd,
        Err(error) => panic!("{error}"),
    }
}

/// What objects are made from, and judged with.
struct Kind {
    name: String,
    api_version: String,
    schema: Arc<Structural>,
    validator: Validator,
}

impl Kind {
    #[track_caller]
    #[expect(clippy::panic, reason = "a test reports by panicking")]
    fn new(crd: &CustomResourceDefinition) -> Self {
        let mut crd = crd.clone();
        store_the_only_version(&mut crd);
        let validator = match validator_of(crd.clone()) {
            Ok(validator) => validator.with_field_validation(FieldValidation::Strict),
            Err(error) => panic!("{error}"),
        };
        let Some(version) = crd.spec.versions.iter().find(|version| version.storage) else {
            panic!("no version of `{}` is stored", crd.metadata.name);
        };
        Self {
            name: crd.spec.names.kind.clone(),
            api_version: format!("{}/{}", crd.spec.group, version.name),
            schema: Arc::new(created(version)),
            validator,
        }
    }

    fn valid(&self) -> Judged<Value, Value> {
        let validator = self.validator.clone();
        Judged::new(
            values::objects(&self.schema, &self.api_version, &self.name),
            format!("{}: no object made from the schema is accepted", self.name),
            move |object| match validator.create(object.clone()).result {
                Ok(_) => Ok(object.clone()),
                Err(refusal) => Err(refusal.to_string()),
            },
        )
    }

    fn invalid(&self) -> Judged<(Value, Index), InvalidObject> {
        let validator = self.validator.clone();
        let schema = Arc::clone(&self.schema);
        Judged::new(
            (self.valid(), proptest::arbitrary::any::<Index>()).boxed(),
            format!("{}: no object that was broken is refused where it was", self.name),
            move |(object, index)| {
                let faults = faults::of(&schema, object);
                if faults.is_empty() {
                    return Err("nothing in the object can be broken".to_owned());
                }
                let fault = index.get(&faults);
                let object = fault.break_in(object);
                let admission = validator.create(object.clone());
                let cause =
                    admission.causes().iter().find(|cause| faults::steps(&cause.field) == fault.field());
                match cause {
                    Some(cause) => {
                        let field = cause.field.clone();
                        let fault = format!("{field}: {}", fault.words);
                        Ok(InvalidObject { object, field, fault })
                    }
                    None => {
                        Err(format!("{} was to be {}: {:?}", fault.field(), fault.words, admission.result))
                    }
                }
            },
        )
    }
}

/// The schema of objects that are created: without the status where it is a subresource.
fn created(version: &Version) -> Structural {
    let schema = version.open_api_v3_schema().map(Structural::from_json_schema);
    // What is not structural was refused by the validator.
    let mut schema = schema.and_then(Result::ok).unwrap_or_default();
    if version.subresources.as_ref().is_some_and(|subresources| subresources.status.is_some()) {
        schema.properties.remove("status");
    }
    schema
}
