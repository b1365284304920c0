//! The names and the CRD of a Rust type.

use crd_core::crd::Scope;
use crd_core::{CustomResourceDefinition, KubeVersion};

use crate::{Error, UncheckedCrd};

/// A type whose objects live in a cluster, and its CRD.
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
    /// Groups of resources to which the resource belongs, such as `all`.
    const CATEGORIES: &'static [&'static str];
    /// The scope of objects.
    const SCOPE: Scope;

    /// The Kubernetes version of the API server that checks the CRD and its objects: `#[crd(kube_version = "1.31")]`. Without the
    /// attribute, it is the newest version that crdkit knows.
    const KUBE_VERSION: KubeVersion = KubeVersion::DEFAULT;

    /// Returns the CRD as the types describe it, before the API server's verdict.
    ///
    /// # Errors
    /// A type has a shape that no structural schema can express. The error names type, field and remedy.
    fn unchecked() -> Result<UncheckedCrd, Error>;

    /// Returns the CRD. With the feature `check`, returns the CRD only if the API server of [`KUBE_VERSION`](Self::KUBE_VERSION) would
    /// accept it.
    ///
    /// Without the feature, only the derives check the CRD, and each derive sees only one type. The generated test checks the whole CRD,
    /// and needs the feature for this: `cargo add --dev crdkit --features check`. Programs that write CRDs need the feature as well.
    ///
    /// # Errors
    /// - A type has a shape that no structural schema can express.
    /// - With the feature `check`: the API server would reject the CRD.
    ///
    /// The error names types, fields and remedies.
    fn crd() -> Result<CustomResourceDefinition, Error> {
        Self::unchecked()?.finish()
    }

    /// Returns advice about the CRD: settings that the API server accepts, but that are probably mistakes.
    ///
    /// # Errors
    /// A type has a shape that no structural schema can express.
    #[cfg(feature = "check")]
    fn advice() -> Result<Vec<crate::Advice>, Error> {
        Ok(Self::unchecked()?.advice())
    }

    /// Returns the CRD as YAML that readers of YAML 1.1 and 1.2 read as the same value. Each `#[crd(allow(...))]` becomes a comment,
    /// `# crdkit: allow(RULE) reason`, which `crdkit lint` understands.
    ///
    /// # Errors
    /// The same as for [`CustomResource::crd`].
    fn crd_yaml() -> Result<String, Error> {
        Self::unchecked()?.into_yaml()
    }

    /// Compares the CRD of this type with `live`, the CRD in a cluster. `live` is JSON, or the CRD type of any library.
    ///
    /// # Errors
    /// - As [`CustomResource::crd`].
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

    /// Returns the smallest object that the API server accepts and that has a spec, with the schema's examples and defaults, if there
    /// are any. The result does not change between runs.
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
    /// - As [`CustomResource::crd`].
    /// - No object is found within the budget of the search.
    /// - The type cannot hold the object that was found.
    #[cfg(feature = "publish")]
    fn sample() -> Result<Self, Error>
    where
        Self: serde::de::DeserializeOwned,
    {
        crate::publish::sample(&Self::unchecked()?.check_for_clients()?, Self::VERSION, Self::KUBE_VERSION)
    }

    /// Returns the JSON Schema of objects of this type in draft 2020-12, which rejects unknown fields. `crdkit schema --strict` writes
    /// this schema.
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
    /// - As [`CustomResource::crd`].
    /// - The version is not served.
    #[cfg(feature = "publish")]
    fn json_schema() -> Result<serde_json::Value, Error> {
        crate::publish::json_schema(&Self::unchecked()?.check_for_clients()?, Self::VERSION)
    }

    /// Returns the validator of objects of this type: it prunes, sets defaults, validates and runs rules in the same way as the API server.
    ///
    /// # Errors
    /// The same as for [`CustomResource::crd`].
    #[cfg(feature = "testing")]
    fn validator() -> Result<crate::testing::Validator, Error> {
        Self::validator_at(Self::KUBE_VERSION)
    }

    /// Returns the validator of objects of this type on the API server of another release.
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
    /// The shape of the type as seen by the derive, for lists of this type. Not part of the public interface.
    #[doc(hidden)]
    const SHAPE: crate::__private::Shape = crate::__private::Shape::Unknown;
}
