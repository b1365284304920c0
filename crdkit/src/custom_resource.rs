//! The traits of types with a CRD or a schema.

use crd_core::crd::Scope;
use crd_core::{CustomResourceDefinition, KubeVersion};

use crate::{Error, UncheckedCrd};

/// A type whose values are Kubernetes objects with a CRD.
///
/// [`derive(CustomResource)`](macro@crate::CustomResource) implements this trait for the generated type.
pub trait CustomResource {
    /// The type of the desired state.
    type Spec;

    /// The API group: `stable.example.com`.
    const GROUP: &'static str;
    /// The version: `v1`.
    const VERSION: &'static str;
    /// Group and version: `stable.example.com/v1`.
    const API_VERSION: &'static str;
    /// The kind: `CronTab`.
    const KIND: &'static str;
    /// The kind of a list: `CronTabList`.
    const LIST_KIND: &'static str;
    /// The plural name: `crontabs`.
    const PLURAL: &'static str;
    /// The singular name: `crontab`.
    const SINGULAR: &'static str;
    /// The name of the CRD: `crontabs.stable.example.com`.
    const CRD_NAME: &'static str;
    /// Short names for command lines.
    const SHORT_NAMES: &'static [&'static str];
    /// Groups of resources such as `all`, for commands like `kubectl get all`.
    const CATEGORIES: &'static [&'static str];
    /// The scope: namespaced or cluster-wide.
    const SCOPE: Scope;

    /// The Kubernetes version of the API server that checks the CRD and its objects: `#[crd(kube_version = "1.31")]`. Without the
    /// attribute, it is the newest version that crdkit knows.
    const KUBE_VERSION: KubeVersion = KubeVersion::DEFAULT;

    /// Returns the CRD that the types describe, before any check.
    ///
    /// # Errors
    /// A type cannot be expressed as a structural schema. The error contains the type, the field and a remedy.
    fn unchecked() -> Result<UncheckedCrd, Error>;

    /// Returns the CRD. With the feature `check`, first checks the CRD like the API server of
    /// [`KUBE_VERSION`](Self::KUBE_VERSION).
    ///
    /// Without the feature, only the derives check the CRD, and each derive sees only one type. The generated test checks the whole CRD,
    /// so it needs the feature: `cargo add --dev crdkit --features check`. Programs that write CRDs should also enable it.
    ///
    /// # Errors
    /// - A type cannot be expressed as a structural schema.
    /// - With the feature `check`: the API server would reject the CRD.
    ///
    /// The error contains the types, fields and remedies.
    fn crd() -> Result<CustomResourceDefinition, Error> {
        Self::unchecked()?.finish()
    }

    /// Returns advice about the CRD: settings that the API server accepts, but that are probably mistakes.
    ///
    /// # Errors
    /// A type cannot be expressed as a structural schema.
    #[cfg(feature = "check")]
    fn advice() -> Result<Vec<crate::Advice>, Error> {
        Ok(Self::unchecked()?.advice())
    }

    /// Returns the CRD as YAML that parsers of YAML 1.1 and 1.2 read alike. Each `#[crd(allow(...))]` becomes a comment for
    /// `crdkit lint`: `# crdkit: allow(RULE) reason`.
    ///
    /// # Errors
    /// The same as for [`CustomResource::crd`].
    fn crd_yaml() -> Result<String, Error> {
        Self::unchecked()?.into_yaml()
    }

    /// Compares this type's CRD with `live`, the CRD in a cluster. `live` is JSON, or any library's CRD type.
    ///
    /// # Errors
    /// - The same as for [`CustomResource::crd`].
    /// - `live` is not a CRD.
    #[cfg(feature = "install")]
    fn compatibility(live: &impl serde::Serialize) -> Result<crate::install::Compatibility, Error> {
        let not_one = |error: String| Error::definition(Self::CRD_NAME.to_owned(), error, "");
        let live = serde_json::to_value(live).map_err(|error| not_one(error.to_string()))?;
        let live = CustomResourceDefinition::from_value(live).map_err(|error| not_one(error.to_string()))?;
        let mut options = crd_diff::DiffOptions::default();
        options.kube_version = Self::KUBE_VERSION;
        Ok(crd_diff::compatibility(&Self::crd()?, &live, &options))
    }

    /// Returns the smallest object that has a spec and that the API server accepts. Its values are examples and defaults from
    /// the schema where these exist. The result is the same in every run.
    ///
    /// ```
    /// # use crdkit::{CrdSchema, CustomResource};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", no_test)]
    /// struct ShirtSpec {
    ///     #[schemars(range(min = 30, max = 60))]
    ///     size: u8,
    ///     color: Option<String>,
    /// }
    ///
    /// let shirt = Shirt::sample()?;
    /// assert_eq!((shirt.spec.size, shirt.spec.color), (30, None));
    /// # Ok::<(), crdkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// - The same as for [`CustomResource::crd`].
    /// - The search finds no object within its limits.
    /// - serde cannot read the object as this type.
    #[cfg(feature = "publish")]
    fn sample() -> Result<Self, Error>
    where
        Self: serde::de::DeserializeOwned,
    {
        crate::publish::sample(&Self::unchecked()?.check_for_clients()?, Self::VERSION, Self::KUBE_VERSION)
    }

    /// Returns the JSON Schema (draft 2020-12) of this type's objects. The schema rejects unknown fields. `crdkit schema --strict`
    /// writes the same schema.
    ///
    /// ```
    /// # use crdkit::{CrdSchema, CustomResource};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", no_test)]
    /// struct ShirtSpec { size: u8 }
    ///
    /// let schema = Shirt::json_schema()?;
    /// assert_eq!(schema["properties"]["kind"]["const"], "Shirt");
    /// # Ok::<(), crdkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// - The same as for [`CustomResource::crd`].
    /// - The version is not served.
    #[cfg(feature = "publish")]
    fn json_schema() -> Result<serde_json::Value, Error> {
        crate::publish::json_schema(&Self::unchecked()?.check_for_clients()?, Self::VERSION)
    }

    /// Returns a validator for this type's objects. Like the API server, it prunes, sets defaults, validates and runs rules.
    ///
    /// # Errors
    /// The same as for [`CustomResource::crd`].
    #[cfg(feature = "testing")]
    fn validator() -> Result<crate::testing::Validator, Error> {
        Self::validator_at(Self::KUBE_VERSION)
    }

    /// Returns a validator that behaves like the API server of the given release.
    ///
    /// # Errors
    /// The same as for [`CustomResource::crd`], for that version.
    #[cfg(feature = "testing")]
    fn validator_at(version: KubeVersion) -> Result<crate::testing::Validator, Error> {
        let crd = Self::unchecked()?.with_kube_version(version).check_for_clients()?;
        crate::testing::validator_of(crd, version)
    }
}

/// A type whose schema contains the `#[crd(...)]` attributes of the type and its fields.
///
/// [`derive(CrdSchema)`](macro@crate::CrdSchema) implements this trait and [`schemars::JsonSchema`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has `#[crd(...)]` that only `CrdSchema` reads, and does not derive it",
    label = "this has no effect",
    note = "derive `crdkit::CrdSchema` instead of `JsonSchema`"
)]
pub trait CrdSchema: schemars::JsonSchema {
    /// The fields of this type. Lists of this type are checked against them at compile time. Not part of the public interface.
    #[doc(hidden)]
    const SHAPE: crate::__private::Shape = crate::__private::Shape::Unknown;
}
