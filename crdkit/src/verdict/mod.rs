//! A CRD and the positions of its types in the Rust code. The positions determine the order of properties, and appear in errors.

#[cfg(feature = "check")]
mod check;

use crd_core::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool};
use crd_core::yaml::to_yaml_with_comments;
use crd_core::{CustomResourceDefinition, FieldPath, KubeVersion, OrderedMap};

use crate::allowed::{AllowMark, Allowed, AllowedAt};
use crate::crd_walk::{ValueSchema, each_value};
use crate::source::{Sources, sorted};
use crate::{Advice, Error};
#[cfg(feature = "check")]
pub(crate) use check::as_stored;

/// A CRD as its types describe it, before it is checked.
///
/// With the feature `check`, [`CustomResource::crd`](crate::CustomResource::crd) is `check()` of
/// [`CustomResource::unchecked`](crate::CustomResource::unchecked); without the feature, it is the unchecked CRD.
///
/// ```
/// use crdkit::{CrdSchema, CustomResource};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt")]
/// struct ShirtSpec { color: String, sizes: Vec<u8> }
///
/// let definition = Shirt::unchecked()?;
/// let advice: Vec<String> = definition.advice().iter().map(ToString::to_string).collect();
/// assert_eq!(advice.len(), 1);
/// assert!(advice[0].contains("\n  --> ShirtSpec.sizes ("), "{}", advice[0]);
/// assert_eq!(definition.check()?.metadata.name, "shirts.stable.example.com");
/// # Ok::<(), crdkit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct UncheckedCrd {
    pub(crate) crd: CustomResourceDefinition,
    pub(crate) places: Places,
    /// The lint findings that the types accept.
    pub(crate) allowed: Vec<Allowed>,
    is_unchecked: bool,
    kube_version: KubeVersion,
}

impl UncheckedCrd {
    pub(crate) fn new(crd: CustomResourceDefinition, places: Places) -> Self {
        Self { crd, places, allowed: Vec::new(), is_unchecked: false, kube_version: KubeVersion::DEFAULT }
    }

    /// Sets whether `check` always passes, as with `#[crd(unchecked)]`.
    #[must_use]
    pub(crate) fn unchecked(mut self, is_unchecked: bool) -> Self {
        self.is_unchecked = is_unchecked;
        self
    }

    /// Sets the lint findings that the types accept.
    #[must_use]
    pub(crate) fn allowing(mut self, allowed: Vec<Allowed>) -> Self {
        self.allowed = allowed;
        self
    }

    /// Sets the Kubernetes version for the check, like `#[crd(kube_version = "1.31")]`.
    #[must_use]
    pub fn with_kube_version(mut self, kube_version: KubeVersion) -> Self {
        self.kube_version = kube_version;
        self
    }

    /// Returns the Kubernetes version for the check.
    #[must_use]
    pub fn kube_version(&self) -> KubeVersion {
        self.kube_version
    }

    /// Returns the CRD. With the feature `check`, checks it first.
    pub(crate) fn finish(self) -> Result<CustomResourceDefinition, Error> {
        #[cfg(feature = "check")]
        return self.check();
        #[cfg(not(feature = "check"))]
        Ok(self.crd)
    }

    /// Returns the CRD as YAML, with the comments of `#[crd(allow(...))]`. With the feature `check`, the CRD is checked first.
    ///
    /// # Errors
    /// With the feature `check`: the API server would reject the CRD.
    pub fn into_yaml(self) -> Result<String, Error> {
        let comments = self.comments();
        Ok(to_yaml_with_comments(&self.finish()?, &comments))
    }

    /// Returns the comments that accept findings, each with its path in the CRD. `crdkit lint` reads these comments.
    pub(crate) fn comments(&self) -> Vec<(FieldPath, String)> {
        let mut comments = Vec::new();
        for (path, mark) in self.allowed() {
            comments.push((path, format!("crdkit: allow({}) {}", mark.rule, mark.reason)));
        }
        comments
    }

    /// Returns the accepted findings, each with its path in the CRD.
    pub(crate) fn allowed(&self) -> Vec<(FieldPath, &AllowMark)> {
        let (mut found, mut has_fields) = (Vec::new(), false);
        for of_version in &self.allowed {
            for (field, mark) in &of_version.marks {
                if !of_version.is_root(field) {
                    has_fields = true;
                } else if !found.contains(&(FieldPath::root(), mark)) {
                    found.push((FieldPath::root(), mark));
                }
            }
        }
        if has_fields {
            each_value(&self.crd, &mut |value| self.add_allowed(value, &mut found));
        }
        found
    }

    /// Adds the findings that are accepted for one schema.
    fn add_allowed<'m>(&'m self, value: ValueSchema<'_>, found: &mut Vec<(FieldPath, &'m AllowMark)>) {
        for of_version in &self.allowed {
            for (field, mark) in &of_version.marks {
                let is_here = of_version.version == value.version.name && field == value.field;
                if is_here && !of_version.is_root(field) {
                    found.push((value.path.clone(), mark));
                }
            }
        }
    }

    #[cfg(feature = "check")]
    pub(crate) fn as_crd(&self) -> &CustomResourceDefinition {
        &self.crd
    }

    /// Replaces the CRD with another CRD of the same types.
    #[cfg(feature = "check")]
    #[must_use]
    pub(crate) fn with_crd(&self, crd: CustomResourceDefinition) -> Self {
        Self { crd, ..self.clone() }
    }

    pub(crate) fn is_unchecked(&self) -> bool {
        self.is_unchecked
    }

    /// Returns the CRD without checking it.
    #[must_use]
    pub fn into_crd(self) -> CustomResourceDefinition {
        self.crd
    }
}

impl From<CustomResourceDefinition> for UncheckedCrd {
    fn from(crd: CustomResourceDefinition) -> Self {
        Self::new(crd, Places::default())
    }
}

/// The positions of schemas in the Rust code, by the paths of their values in the object.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(feature = "check"),
    expect(dead_code, reason = "only the verdict and the advice read some of it")
)]
pub(crate) struct Places {
    type_name: String,
    by_field: OrderedMap<(String, String)>,
    /// The fields whose integer types exceed the API's range. The value is `true` if the type exceeds the range in both directions.
    wide: OrderedMap<bool>,
    /// Advice that was found while the schemas were converted.
    advice: Vec<Advice>,
    /// The accepted lint findings.
    allowed: Vec<AllowedAt>,
    sources: Sources,
}

impl Places {
    pub(crate) fn for_type(type_name: &str, file: &str, lines: &str) -> Self {
        let mut places = Self { type_name: type_name.to_owned(), ..Self::default() };
        places.sources.insert(type_name, file, lines);
        places
    }

    /// Adds the positions of types in the Rust code.
    pub(crate) fn add_sources(&mut self, sources: Sources) {
        self.sources.extend(sources);
    }

    /// Sorts the properties of the schema at `field` in the order of the Rust types' fields. schemars keeps this order only with a
    /// feature of `serde_json`, which would affect the whole program.
    pub(crate) fn order(&self, schema: &mut JsonSchemaProps, field: &str) {
        if let (Some(properties), Some((type_name, _))) = (&mut schema.properties, self.by_field.get(field)) {
            let order = self.sources.order(type_name);
            let names = sorted(&order, properties.keys());
            let mut values: Vec<_> = std::mem::take(properties).into_iter().map(|(_, value)| value).collect();
            for (name, at) in names {
                properties.insert(name, std::mem::take(&mut values[at]));
            }
        }
        if let Some(properties) = &mut schema.properties {
            for (name, property) in properties.iter_mut() {
                self.order(property, &format!("{field}.{}", name.replace('.', "\\.")));
            }
        }
        if let Some(Items::Schema(items)) = &mut schema.items {
            self.order(items, &format!("{field}[]"));
        }
        if let Some(JsonSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
            self.order(values, &format!("{field}[*]"));
        }
        for branches in &mut [&mut schema.all_of, &mut schema.any_of, &mut schema.one_of] {
            for branch in branches.as_deref_mut().unwrap_or_default() {
                self.order(branch, field);
            }
        }
        if let Some(not) = &mut schema.not {
            self.order(not, field);
        }
    }

    /// Adds the position in the Rust code for the values at `field`.
    pub(crate) fn insert(&mut self, field: &str, type_name: &str, place: &str) {
        self.by_field.insert(field, (type_name.to_owned(), place.to_owned()));
    }

    pub(crate) fn extend(&mut self, other: Self) {
        for (field, place) in other.by_field {
            self.by_field.insert(field, place);
        }
        for (field, has_sign) in other.wide {
            self.wide.insert(field, has_sign);
        }
        self.advice.extend(other.advice);
        self.allowed.extend(other.allowed);
        self.sources.extend(other.sources);
    }

    /// Accepts findings about the values at `field`.
    pub(crate) fn allow(&mut self, field: &str, mark: AllowMark) {
        self.allowed.push((field.to_owned(), mark));
    }

    /// Removes and returns the accepted findings.
    pub(crate) fn take_allowed(&mut self) -> Vec<AllowedAt> {
        std::mem::take(&mut self.allowed)
    }

    /// Adds a field whose integer type exceeds the API's range.
    pub(crate) fn insert_wide(&mut self, field: &str, has_sign: bool) {
        self.wide.insert(field, has_sign);
    }

    /// Adds advice that was found while the schemas were converted.
    pub(crate) fn add_advice(&mut self, advice: impl IntoIterator<Item = Advice>) {
        self.advice.extend(advice);
    }
}
