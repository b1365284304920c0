//! Proptest strategies for objects that the API server accepts or rejects. They generate the objects from a CRD.

mod sampled;

use std::cell::OnceCell;

use crd_core::admit::{Rejection, ServerOptions};
use crd_core::{CauseReason, CustomResourceDefinition, FieldPath, Keyword, KubeVersion};
use crd_sample::{Broken, NoSample, Sampler};
use proptest::strategy::{BoxedStrategy, Strategy};
use serde_json::Value;

use self::sampled::{Sample, Sampled};
use super::store_the_only_version;
use crate::{CustomResource, UncheckedCrd};

/// Returns a strategy that generates objects of a type. The API server accepts these objects without dropping a field.
///
/// `crd-sample` generates the objects from the schema, and a solver finds values that satisfy the rules. Each object is then validated,
/// and rejected objects are repaired. If the status is a subresource, objects have no status, because the server drops it on create. A
/// failing object shrinks to the smallest accepted object that fails.
///
/// If no accepted object is found, the test aborts with the API server's error for the best attempt. In this case, write your own
/// strategy for the type.
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
/// The type has no valid CRD, or the CRD has several versions but no storage version.
#[track_caller]
pub fn valid_objects<R: CustomResource>() -> BoxedStrategy<Value> {
    ObjectKind::new(&definition::<R>(), R::KUBE_VERSION).valid().boxed()
}

/// Returns a strategy for objects that the API server rejects because of exactly one fault. Each object comes with the wrong field.
///
/// For example, a value has the wrong type, exceeds its bound by one or does not match its pattern, a required field is missing, a list of
/// type `set` or `map` repeats an item, or a rule is violated while all others are satisfied. Each kind of fault is equally likely. The
/// rest of the object is generated like the objects of [`valid_objects`].
///
/// Validation of the object must report exactly the intended cause. Two kinds of additional causes are allowed: the note that rules were
/// not run because of the fault, and a second cause for the other type of an int-or-string. If 40 objects in a row have more causes, for
/// example because a rule repeats a bound, such an object is returned. A failing object shrinks to the smallest object with the same
/// causes.
///
/// Three kinds of faults never occur: violations of rules that use `oldSelf` or for which no violation is found, violations of number
/// formats, and violations of bounds inside `allOf`, `anyOf`, `oneOf` or `not`.
///
/// ```
/// use crdkit::testing::{InvalidObject, invalid_objects};
/// use crdkit::{CrdSchema, CustomResource, assert_rejected};
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
///         assert_rejected!(Shirt, object, &field.to_string());
///     }
/// }
/// # the_webhook_names_the_field();
/// ```
///
/// # Panics
/// The same as for [`valid_objects`].
#[track_caller]
pub fn invalid_objects<R: CustomResource>() -> BoxedStrategy<InvalidObject> {
    ObjectKind::new(&definition::<R>(), R::KUBE_VERSION).invalid().boxed()
}

/// Does the same as [`valid_objects`] for the storage version of a CRD.
///
/// # Panics
/// The CRD has no storage version, or its schema is not structural.
#[track_caller]
pub fn valid_objects_of(crd: &CustomResourceDefinition) -> BoxedStrategy<Value> {
    ObjectKind::new(crd, KubeVersion::DEFAULT).valid().boxed()
}

/// Does the same as [`invalid_objects`] for the storage version of a CRD.
///
/// # Panics
/// The same as for [`valid_objects_of`].
#[track_caller]
pub fn invalid_objects_of(crd: &CustomResourceDefinition) -> BoxedStrategy<InvalidObject> {
    ObjectKind::new(crd, KubeVersion::DEFAULT).invalid().boxed()
}

/// An object with one fault: see [`invalid_objects`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InvalidObject {
    /// The object.
    pub object: Value,
    /// The wrong field, as in the API server's error.
    pub field: FieldPath,
    /// A description of the fault: ``spec.size: above the maximum``, ``spec: violates the rule `self.min <= self.max` ``.
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

/// Generates objects of one CRD.
struct ObjectKind {
    name: String,
    sampler: Sampler,
}

impl ObjectKind {
    #[track_caller]
    #[expect(clippy::panic, reason = "a test reports by panicking")]
    fn new(crd: &CustomResourceDefinition, version: KubeVersion) -> Self {
        let mut crd = crd.clone();
        store_the_only_version(&mut crd);
        let Some(stored) = crd.spec.versions.iter_mut().find(|version| version.storage) else {
            panic!("no version of `{}` is the storage version", crd.metadata.name);
        };
        // Objects of a version that is not served yet are generated, too.
        stored.served = true;
        let name = stored.name.clone();
        match Sampler::with_options(&crd, &name, ServerOptions::new(version)) {
            Ok(sampler) => Self { name: crd.spec.names.kind, sampler },
            Err(error) => panic!("{error}"),
        }
    }

    fn valid(self) -> Sampled<Value> {
        let Self { name, sampler } = self;
        let validator = sampler.validator().clone();
        Sampled::new(sampler.seeded(), move |objects, seed| {
            let object = objects.accepted(seed).map_err(|none| none_accepted(&name, &none))?;
            let (validator, metadata) = (validator.clone(), object["metadata"].clone());
            let judge = move |object: &Value| {
                let is_valid = object["metadata"] == metadata && validator.accepts(object);
                is_valid.then(|| object.clone())
            };
            Ok(Sample { object: object.clone(), value: object, judge: Box::new(judge) })
        })
    }

    fn invalid(self) -> Sampled<InvalidObject> {
        let Self { name, sampler } = self;
        let validator = sampler.validator().clone();
        Sampled::new(sampler.seeded(), move |objects, seed| {
            let broken = objects.broken(seed).map_err(|none| none_accepted(&name, &none))?;
            let Some(Broken { object, field, fault, .. }) = broken else {
                return Err(format!(
                    "{name}: no object was found that the API server rejects because of the broken field"
                ));
            };
            let fault = format!("{field}: {fault}");
            let (first, validator) =
                (InvalidObject { object: object.clone(), field, fault }, validator.clone());
            let value = first.clone();
            let wanted = OnceCell::new();
            let judge = move |object: &Value| {
                let refusal = |object: &Value| validator.create(object).result.err();
                let wanted = wanted.get_or_init(|| refusal(&first.object).map(|refusal| faults(&refusal)));
                let is_same = object["metadata"] == first.object["metadata"]
                    && refusal(object).map(|refusal| faults(&refusal)) == *wanted;
                is_same.then(|| InvalidObject { object: object.clone(), ..first.clone() })
            };
            Ok(Sample { object, value, judge: Box::new(judge) })
        })
    }
}

fn none_accepted(name: &str, none: &NoSample) -> String {
    format!(
        "{name}: no object generated from the schema is accepted; the closest one was rejected: {}",
        none.rejection()
    )
}

/// Returns the field, the kind and the violated rule of each cause of a rejection.
fn faults(refusal: &Rejection) -> Vec<(String, CauseReason, Option<Keyword>, Option<String>)> {
    let of_cause = |(index, cause): (usize, &crd_core::Diagnostic)| {
        let rule = refusal.failed_rules.iter().find(|failed| failed.cause == index);
        (cause.field.to_string(), cause.reason, cause.keyword, rule.map(|failed| failed.rule.clone()))
    };
    let mut all: Vec<_> = refusal.causes.iter().enumerate().map(of_cause).collect();
    // Fields are checked in any order.
    all.sort_by(|a, b| (&a.0, a.2, &a.3).cmp(&(&b.0, b.2, &b.3)));
    all
}
