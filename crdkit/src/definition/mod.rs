//! Builds a `CustomResourceDefinition` from a resource's attributes and the schemas of its types.

mod parts;
mod root;

use crd_core::crd::{
    API_VERSION, CustomResourceDefinition, JsonSchemaProps, KIND, SelectableField, StatusSubresource,
    Subresources, Validation,
};
use schemars::JsonSchema;

use crate::allowed::Allowed;
use crate::marks::{RuleMark, ScalePath};
use crate::schema::{self, SchemaOptions, Shown};
use crate::source::Sources;
use crate::verdict::Places;
use crate::{CustomResource, Error, UncheckedCrd, patch};
pub use parts::{Column, Conversion, Scale, Service, Webhook, raw_column, raw_scale};
pub use root::ObjectName;

/// The attributes of a resource, except those that are constants of [`CustomResource`].
#[derive(Default)]
pub struct Definition {
    /// The name of the Rust type, for errors.
    pub type_name: &'static str,
    /// The source file of the type, for errors.
    pub file: &'static str,
    /// The lines of the type and its fields, as a string of JSON.
    pub lines: &'static str,
    /// `listKind`, if it is set.
    pub list_kind: Option<&'static str>,
    /// Labels of the CRD.
    pub labels: Vec<(&'static str, &'static str)>,
    /// Annotations of the CRD.
    pub annotations: Vec<(&'static str, &'static str)>,
    /// The version that the type describes.
    pub version: DefinitionVersion,
    /// The conversion of objects between versions.
    pub conversion: Option<Conversion>,
    /// `preserveUnknownFields` of the CRD.
    pub preserve_unknown_fields: Option<bool>,
    /// Merge patches for the CRD, as strings of JSON.
    pub patches: Vec<&'static str>,
    /// Set for `#[crd(min_kube_version)]`: an annotation states the oldest release that the CRD needs.
    pub states_min_kube_version: bool,
    /// Set for `#[crd(unchecked)]`: the CRD is not checked.
    pub is_unchecked: bool,
    /// A function that changes the finished CRD.
    pub post_process: Option<PostProcess>,
    /// Options for schemas.
    pub options: SchemaOptions,
}

/// A function that may change a CRD, or reject it.
pub type PostProcess = fn(&mut CustomResourceDefinition) -> Result<(), String>;

/// The version that a type describes.
#[derive(Default)]
pub struct DefinitionVersion {
    /// Set if the version is served.
    pub served: bool,
    /// Set if it is the storage version.
    pub storage: bool,
    /// Set if clients receive a warning.
    pub deprecated: bool,
    /// The text of that warning.
    pub deprecation_warning: Option<&'static str>,
    /// The description in the schema of the whole object.
    pub description: Option<&'static str>,
    /// Set if there is a status subresource.
    pub status_subresource: bool,
    /// The scale subresource, or the error in its paths.
    pub scale: Option<Result<Scale, String>>,
    /// Printer columns, each with its error if it is invalid.
    pub columns: Vec<Result<Column, String>>,
    /// Paths of selectable fields.
    pub selectable: Vec<String>,
    /// Set if an object may omit its spec.
    pub spec_is_optional: bool,
    /// Set if the fields of the spec are at the top level of the object.
    pub spec_is_flattened: bool,
    /// Rules for the whole object.
    pub validations: Vec<RuleMark>,
    /// The requirements for the name of an object.
    pub object_name: Option<ObjectName>,
    /// The default of the spec, as a string of JSON.
    pub spec_default: Option<&'static str>,
    /// The default of the status, as a string of JSON.
    pub status_default: Option<&'static str>,
    /// Merge patches for the version, as strings of JSON.
    pub patches: Vec<&'static str>,
}

impl Definition {
    /// Returns the CRD of `R` with the spec type `S` and without a status.
    ///
    /// # Errors
    ///
    /// A type cannot be expressed as a structural schema, or the JSON in an attribute is invalid.
    pub fn crd<R: CustomResource, S: JsonSchema>(self) -> Result<UncheckedCrd, Error> {
        let (spec, shown) = self.spec::<S>()?;
        let schema = self.root(spec, None)?;
        self.assemble::<R>(schema, vec![shown])
    }

    /// Returns the CRD of `R` with the spec type `S` and the status type `T`.
    ///
    /// # Errors
    /// The same as for [`Definition::crd`].
    pub fn crd_with_status<R: CustomResource, S: JsonSchema, T: JsonSchema>(
        self,
    ) -> Result<UncheckedCrd, Error> {
        let (spec, of_spec) = self.spec::<S>()?;
        let (mut status, of_status) = schema::structural::<T>(".status", self.options)?;
        if self.options.every_option_is_nullable {
            status.nullable = Some(true);
        }
        let schema = self.root(spec, Some(status))?;
        self.assemble::<R>(schema, vec![of_spec, of_status])
    }

    /// Returns the CRD of `R`, whose schema is written by hand.
    ///
    /// # Errors
    /// The same as for [`Definition::crd`].
    pub fn crd_of_object<R: CustomResource + JsonSchema>(self) -> Result<UncheckedCrd, Error> {
        let (mut schema, shown) = schema::structural::<R>("", self.options)?;
        self.add_rules(&mut schema);
        self.assemble::<R>(schema, vec![shown])
    }

    /// Returns the CRD of `R` with a schema that accepts every object unchanged. The types need no schema.
    ///
    /// # Errors
    /// The same as for [`Definition::crd`].
    pub fn crd_without_schema<R: CustomResource>(self) -> Result<UncheckedCrd, Error> {
        self.assemble::<R>(preserved(), Vec::new())
    }

    /// Returns the path of the spec in the object.
    fn root_field(&self) -> &'static str {
        if self.version.spec_is_flattened { "" } else { ".spec" }
    }

    fn spec<S: JsonSchema>(&self) -> Result<(JsonSchemaProps, Shown), Error> {
        schema::structural::<S>(self.root_field(), self.options)
    }

    fn assemble<R: CustomResource>(
        mut self,
        schema: JsonSchemaProps,
        mut shown: Vec<Shown>,
    ) -> Result<UncheckedCrd, Error> {
        let mut places = Places::for_type(self.type_name, self.file, self.lines);
        for shown in &mut shown {
            places.extend(std::mem::take(&mut shown.places));
        }
        let mut crd = CustomResourceDefinition::default();
        crd.api_version = API_VERSION.to_owned();
        crd.kind = KIND.to_owned();
        crd.metadata.name = R::CRD_NAME.to_owned();
        crd.metadata.labels =
            filled(self.labels.iter().map(|(key, value)| (*key, (*value).to_owned())).collect());
        crd.metadata.annotations =
            filled(self.annotations.iter().map(|(key, value)| (*key, (*value).to_owned())).collect());
        crd.spec.group = R::GROUP.to_owned();
        crd.spec.scope = R::SCOPE.as_str().to_owned();
        crd.spec.names.plural = R::PLURAL.to_owned();
        crd.spec.names.singular = R::SINGULAR.to_owned();
        crd.spec.names.kind = R::KIND.to_owned();
        // The API server uses `<Kind>List` by default.
        crd.spec.names.list_kind = self.list_kind.unwrap_or_default().to_owned();
        let texts =
            |texts: &[&str]| (!texts.is_empty()).then(|| texts.iter().map(ToString::to_string).collect());
        crd.spec.names.short_names = texts(R::SHORT_NAMES);
        crd.spec.names.categories = texts(R::CATEGORIES);
        crd.spec.conversion = self.conversion.take().map(Conversion::into_crd);
        crd.spec.preserve_unknown_fields = self.preserve_unknown_fields;
        let version = self.version(R::VERSION, schema, shown)?;
        crd.spec.versions.push(version);
        let crd = self.finish(crd, &places)?;
        let crd = if self.states_min_kube_version { self.with_min_kube_version(crd)? } else { crd };
        let allowed =
            Allowed { version: R::VERSION.to_owned(), root: self.root_field(), marks: places.take_allowed() };
        let unchecked = UncheckedCrd::new(crd, places).allowing(vec![allowed]);
        Ok(unchecked.unchecked(self.is_unchecked).with_kube_version(R::KUBE_VERSION))
    }

    /// Adds the annotation with the oldest Kubernetes release that accepts the CRD.
    #[cfg_attr(feature = "check", expect(clippy::unnecessary_wraps, reason = "without the feature it fails"))]
    fn with_min_kube_version(
        &self,
        crd: CustomResourceDefinition,
    ) -> Result<CustomResourceDefinition, Error> {
        #[cfg(feature = "check")]
        {
            let mut crd = crd;
            crd_core::check::annotate_min_kube_version(&mut crd);
            Ok(crd)
        }
        #[cfg(not(feature = "check"))]
        {
            drop(crd);
            let message = "has `min_kube_version`, which needs the feature `check` of crdkit";
            Err(self.error(message, "run `cargo add crdkit --features check`"))
        }
    }

    /// Applies the patches and `post_process` to the CRD.
    fn finish(
        &self,
        mut crd: CustomResourceDefinition,
        places: &Places,
    ) -> Result<CustomResourceDefinition, Error> {
        let help = "compare it with `crd()`";
        if !(self.patches.is_empty() && self.version.patches.is_empty()) {
            let mut value = crd.to_value();
            for text in &self.version.patches {
                // There is one version so far; others are joined to it later.
                let version = &mut value["spec"]["versions"][0];
                patch::apply(version, text).map_err(|error| {
                    error
                        .into_error(|reason| self.error(format!("has a `version_patch` that {reason}"), help))
                })?;
            }
            for text in &self.patches {
                patch::apply(&mut value, text).map_err(|error| {
                    error.into_error(|reason| self.error(format!("has a `patch` that {reason}"), help))
                })?;
            }
            crd = CustomResourceDefinition::from_value(value).map_err(|error| {
                let message = format!("is not a CRD after its patches: {error}");
                self.error(message, help).caused_by(error)
            })?;
            if let Some(unknown) = crd.unknown_fields().first() {
                let message = format!("has a patch that sets `{unknown}`, which is not a field of a CRD");
                return Err(self.error(message, "see the API of `CustomResourceDefinition`"));
            }
        }
        for version in &mut crd.spec.versions {
            if let Some(Validation { open_api_v3_schema: Some(schema), .. }) = &mut version.schema {
                places.order(schema, "");
            }
        }
        if let Some(post_process) = self.post_process {
            post_process(&mut crd)
                .map_err(|error| self.error(format!("`post_process` rejects it: {error}"), ""))?;
        }
        Ok(crd)
    }

    fn version(
        &mut self,
        name: &str,
        schema: JsonSchemaProps,
        shown: Vec<Shown>,
    ) -> Result<crd_core::crd::Version, Error> {
        let mut version = crd_core::crd::Version::default();
        version.name = name.to_owned();
        version.served = self.version.served;
        version.storage = self.version.storage;
        version.deprecated = self.version.deprecated.then_some(true);
        version.deprecation_warning = self.version.deprecation_warning.map(str::to_owned);
        let mut validation = Validation::default();
        validation.open_api_v3_schema = Some(Box::new(schema));
        version.schema = Some(validation);
        let mut paths = std::mem::take(&mut self.version.selectable);
        let mut columns = std::mem::take(&mut self.version.columns);
        let mut scale_paths = Vec::new();
        for shown in shown {
            columns.extend(shown.columns.into_iter().map(Ok));
            paths.extend(shown.selectable);
            scale_paths.extend(shown.scale);
        }
        version.subresources = self.subresources(scale_paths)?;
        let mut shown_columns = Vec::new();
        for column in columns {
            let column = column.map_err(|error| self.error(error, "see `printcolumn(...)`"))?;
            shown_columns.push(column.into_crd());
        }
        version.additional_printer_columns = some_if_any(shown_columns);
        let mut selectable = Vec::new();
        for path in paths {
            let mut field = SelectableField::default();
            field.json_path = path;
            selectable.push(field);
        }
        version.selectable_fields = some_if_any(selectable);
        Ok(version)
    }

    fn subresources(&mut self, paths: Vec<(ScalePath, String)>) -> Result<Option<Subresources>, Error> {
        let mut subresources = Subresources::default();
        subresources.status = self.version.status_subresource.then(StatusSubresource::default);
        let scale = self.version.scale.take().transpose();
        let mut scale = scale.map_err(|error| self.error(error, "see `scale(...)`"))?;
        for (key, path) in paths {
            let scale = scale.get_or_insert_default();
            let (key, place) = match key {
                ScalePath::SpecReplicas => ("specReplicasPath", &mut scale.spec_replicas_path),
                ScalePath::StatusReplicas => ("statusReplicasPath", &mut scale.status_replicas_path),
                ScalePath::LabelSelector => {
                    ("labelSelectorPath", scale.label_selector_path.get_or_insert_default())
                }
            };
            if !place.is_empty() {
                let message =
                    format!("has two fields for `{key}` of the scale subresource: `{place}`, `{path}`");
                return Err(self.error(message, "mark only one of them"));
            }
            *place = path;
        }
        if let Some(scale) = &scale {
            let both = [
                (&scale.spec_replicas_path, "`#[crd(spec_replicas)]` on a field of the spec"),
                (&scale.status_replicas_path, "`#[crd(status_replicas)]` on a field of the status"),
            ];
            if let Some((_, help)) = both.into_iter().find(|(path, _)| path.is_empty()) {
                return Err(self
                    .error("has only one of the two paths of a scale subresource", &format!("put {help}")));
            }
        }
        subresources.scale = scale.map(Scale::into_crd);
        Ok((subresources != Subresources::default()).then_some(subresources))
    }

    fn error(&self, message: impl Into<String>, help: &str) -> Error {
        let mut sources = Sources::default();
        sources.insert(self.type_name, self.file, self.lines);
        Error::definition(self.type_name, message, help).located_at(self.type_name, &sources)
    }
}

/// Returns a schema that accepts every object unchanged.
fn preserved() -> JsonSchemaProps {
    let mut root = JsonSchemaProps::default();
    root.type_ = Some("object".to_owned());
    root.x_preserve_unknown_fields = Some(true);
    root
}

fn filled(map: crd_core::OrderedMap<String>) -> Option<crd_core::OrderedMap<String>> {
    (!map.is_empty()).then_some(map)
}

fn some_if_any<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}
