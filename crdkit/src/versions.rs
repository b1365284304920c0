//! Joins CRDs, each with one version of a kind, into one CRD.

use crd_core::CustomResourceDefinition;

#[cfg(feature = "check")]
use crate::verdict::Places;
use crate::{Error, UncheckedCrd};

/// Joins CRDs, each with one version of the same kind, into one CRD with the storage version `storage`.
///
/// The versions keep the order of `crds`. Settings for the whole kind must be the same in all CRDs: group, names, scope, labels,
/// annotations and conversion. Only the annotation of `#[crd(min_kube_version)]` may differ.
///
/// # Errors
/// - There are no CRDs, or no CRD has the version `storage`.
/// - Two CRDs have the same version, or differ in settings for the whole kind.
/// - The API server would reject the joined CRD.
///
/// ```
/// # use crdkit::{CrdSchema, CustomResource};
/// # use serde::{Deserialize, Serialize};
/// mod v1 {
///     # use super::*;
///     #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
///     #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
///     pub struct ShirtSpec { pub color: String }
/// }
/// mod v2 {
///     # use super::*;
///     #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
///     #[crd(group = "stable.example.com", version = "v2", kind = "Shirt", namespaced)]
///     pub struct ShirtSpec { pub colors: Vec<String> }
/// }
///
/// # fn main() -> Result<(), crdkit::Error> {
/// let crd = crdkit::merge_crds([v2::Shirt::crd()?, v1::Shirt::crd()?], "v1")?;
/// let stored: Vec<_> = crd.spec.versions.iter().map(|version| (&*version.name, version.storage)).collect();
/// assert_eq!(stored, [("v2", false), ("v1", true)]);
///
/// let error = crdkit::merge_crds([v1::Shirt::crd()?], "v3").unwrap_err();
/// assert!(error.to_string().contains("there is no version `v3`"));
/// # Ok(())
/// # }
/// ```
pub fn merge_crds(
    crds: impl IntoIterator<Item = CustomResourceDefinition>,
    storage: &str,
) -> Result<CustomResourceDefinition, Error> {
    UncheckedCrd::from(join(crds, storage)?).finish()
}

/// Joins unchecked CRDs. If one of them has `#[crd(unchecked)]`, the result is not checked either.
///
/// # Errors
/// The same as for [`merge_crds`], but the joined CRD is not checked. With the feature `check`, it is also an error if the API server would
/// reject one of the CRDs, or if objects lose fields between the versions.
pub(crate) fn merge_unchecked(
    crds: impl IntoIterator<Item = Result<UncheckedCrd, Error>>,
    storage: &str,
) -> Result<UncheckedCrd, Error> {
    let mut crds: Vec<UncheckedCrd> = crds.into_iter().collect::<Result<_, _>>()?;
    let is_unchecked = crds.iter().any(UncheckedCrd::is_unchecked);
    // Mistakes in one version are reported at its types.
    #[cfg(feature = "check")]
    if !is_unchecked {
        crds.iter().try_for_each(UncheckedCrd::judge_for_clients)?;
    }
    let oldest = crds.iter().map(UncheckedCrd::kube_version).min().unwrap_or_default();
    let mut allowed = Vec::new();
    crds.iter_mut().for_each(|crd| allowed.append(&mut crd.allowed));
    let (crds, places): (Vec<_>, Vec<_>) = crds.into_iter().map(|crd| (crd.crd, crd.places)).unzip();
    let merged = join(crds, storage)?;
    #[cfg(not(feature = "check"))]
    drop(places);
    // `conversion = "None"` says that the loss is known.
    #[cfg(feature = "check")]
    if !is_unchecked && merged.spec.conversion.is_none() {
        lose_nothing(&merged, &places)?;
    }
    Ok(UncheckedCrd::from(merged).allowing(allowed).unchecked(is_unchecked).with_kube_version(oldest))
}

/// Checks that objects lose no fields when they are converted between versions. `places` has one entry for each version.
#[cfg(feature = "check")]
fn lose_nothing(merged: &CustomResourceDefinition, places: &[Places]) -> Result<(), Error> {
    let cause = |advice: crd_core::check::CrdAdvice| {
        let index = advice.field.segments().iter().find_map(|segment| match segment {
            crd_core::Segment::Index(index) => Some(*index),
            _ => None,
        });
        let places = index.and_then(|index| places.get(index));
        let located = places.map(|places| places.located_cause(&advice.field)).unwrap_or_default();
        let help = "convert objects with a webhook, `conversion(service(namespace = \"...\", name = \"...\"))`; or accept the loss \
                    with `conversion = \"None\"`";
        crate::error::Cause { message: advice.message, help: help.to_owned(), ..located }
    };
    let causes: Vec<_> = crd_core::check::lost_between_versions(merged).into_iter().map(cause).collect();
    if causes.is_empty() {
        return Ok(());
    }
    Err(Error::rejected(
        format!("objects lose fields between the versions of `{}`:", merged.metadata.name),
        causes,
    ))
}

fn join(
    crds: impl IntoIterator<Item = CustomResourceDefinition>,
    storage: &str,
) -> Result<CustomResourceDefinition, Error> {
    #[cfg(feature = "check")]
    let mut states_min_kube_version = false;
    #[cfg(feature = "check")]
    let crds = crds.into_iter().map(|mut crd| {
        let annotations = crd.metadata.annotations.as_mut();
        let stated = annotations.and_then(|annotations| annotations.remove(crd_core::crd::MIN_KUBE_VERSION));
        states_min_kube_version |= stated.is_some();
        crd
    });
    let mut crds = crds.into_iter();
    let mut merged = crds.next().ok_or_else(|| Error::definition("", "there is no CRD to join", ""))?;
    let name = merged.metadata.name.clone();
    for crd in crds.by_ref() {
        if let Some(what) = difference(&merged, &crd) {
            return Err(Error::definition(
                name,
                format!("its versions differ in {what}"),
                "use the same value in every version",
            ));
        }
        merged.spec.versions.extend(crd.spec.versions);
    }
    let versions = &mut merged.spec.versions;
    for (i, version) in versions.iter().enumerate() {
        if versions[..i].iter().any(|other| other.name == version.name) {
            let message = format!("the version `{}` occurs twice", version.name);
            return Err(Error::definition(name, message, "give each type its own version"));
        }
    }
    if !versions.iter().any(|version| version.name == storage) {
        let names: Vec<&str> = versions.iter().map(|version| &*version.name).collect();
        let message = format!("there is no version `{storage}` to store objects in");
        return Err(Error::definition(name, message, format!("name one of `{}`", names.join("`, `"))));
    }
    for version in versions {
        version.storage = version.name == storage;
    }
    #[cfg(feature = "check")]
    if states_min_kube_version {
        crd_core::check::annotate_min_kube_version(&mut merged);
    }
    Ok(merged)
}

/// Returns the first setting for the whole kind that differs between the CRDs.
fn difference(a: &CustomResourceDefinition, b: &CustomResourceDefinition) -> Option<&'static str> {
    let names = (&a.spec.names, &b.spec.names);
    let parts = [
        (a.spec.group == b.spec.group, "group"),
        (names.0.kind == names.1.kind, "kind"),
        (names.0.plural == names.1.plural, "plural name"),
        (names.0.singular == names.1.singular, "singular name"),
        (names.0.list_kind == names.1.list_kind, "list kind"),
        (names.0.short_names == names.1.short_names, "short names"),
        (names.0.categories == names.1.categories, "categories"),
        (a.spec.scope == b.spec.scope, "scope"),
        (a.spec.conversion == b.spec.conversion, "conversion"),
        (same(a.metadata.labels.as_ref(), b.metadata.labels.as_ref()), "labels"),
        (same(a.metadata.annotations.as_ref(), b.metadata.annotations.as_ref()), "annotations"),
    ];
    parts.into_iter().find(|(is_same, _)| !is_same).map(|(_, what)| what)
}

fn same(a: Option<&crd_core::OrderedMap<String>>, b: Option<&crd_core::OrderedMap<String>>) -> bool {
    let none = crd_core::OrderedMap::new();
    a.unwrap_or(&none) == b.unwrap_or(&none)
}
