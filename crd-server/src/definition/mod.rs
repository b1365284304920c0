//! The CRDs and built-in kinds that the server serves.

mod built_in;
pub(crate) mod crd_type;
pub(crate) mod established;

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use crd_core::admit::{ServerOptions, Validator};
use crd_core::crd::{ScaleSubresource, Scope, Version};
use crd_core::{CustomResourceDefinition, KubeVersion, Structural};
use crd_docs::table::Columns;
use crd_go::strings::quote;
use serde_json::{Value, json};

use crate::conversion::Converters;
use crate::json::{REVISION, metadata_mut, print_ordered, print_sorted, text};
use crate::status::Resource;
use crate::store::{Draft, Key};
use built_in::arrange;
pub(crate) use built_in::{Action, Row};

/// The group of CRDs.
pub(crate) const GROUP: &str = "apiextensions.k8s.io";
/// The plural name of CRDs.
pub(crate) const PLURAL: &str = "customresourcedefinitions";

/// Returns the resource of CRDs.
pub(crate) fn resource() -> Resource {
    Resource { group: GROUP.to_owned(), plural: PLURAL.to_owned() }
}

/// Returns `true` if Kubernetes has a built-in kind with this group, version and name.
pub(crate) fn is_built_in(group: &str, version: &str, kind: &str) -> bool {
    built_in::all().iter().any(|row| row.is(group, version, kind))
}

/// Returns a CRD, ready to be stored.
pub(crate) fn draft_of_crd(mut crd: Value) -> Draft {
    reserve_revision(&mut crd);
    Draft::typed(crd_type::arranged(crd), Some(0))
}

/// Adds a placeholder for the revision to the metadata. The store replaces the placeholder's value.
fn reserve_revision(object: &mut Value) {
    if let Some(metadata) = metadata_mut(object) {
        metadata.insert(REVISION.to_owned(), "0".into());
    }
}

/// Serializes an object of a built-in kind.
pub(crate) fn print_built_in(object: Value) -> Bytes {
    print_ordered(&built_in_in_order(object))
}

/// Puts the fields of a built-in kind's object into the Go type's order. Without the feature `protobuf`, sorts them by name.
fn built_in_in_order(mut object: Value) -> Value {
    if !arrange(&mut object) {
        object.sort_all_objects();
    }
    object
}

/// Returns a definition for the kind `CustomResourceDefinition`, with which CRDs are read, listed and watched like custom resources.
pub(crate) fn crd_of_crds() -> Value {
    json!({
        "metadata": {"name": format!("{PLURAL}.{GROUP}")},
        "spec": {
            "group": GROUP,
            "names": {
                "plural": PLURAL, "kind": "CustomResourceDefinition", "listKind": "CustomResourceDefinitionList",
            },
            "scope": "Cluster",
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": crd_type::schema()},
                "additionalPrinterColumns": [
                    {"name": "Created At", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
                ],
            }],
        },
    })
}

/// Specifies where a definition comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The built-in definition for the kind `CustomResourceDefinition`.
    Definitions,
    /// The definition for a built-in kind. Objects of built-in kinds are not validated.
    BuiltIn(&'static Row),
    /// A CRD that was created.
    Custom,
}

/// A CRD or built-in kind, ready to handle requests.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// The Kubernetes version that the server emulates.
    pub(crate) release: KubeVersion,
    pub(crate) resource: Resource,
    pub(crate) crd: CustomResourceDefinition,
    /// The validator for all versions, if conversion changes only an object's `apiVersion`.
    validator: Validator,
    /// A validator for each version, if a webhook converts objects between versions.
    validators: Vec<(String, Validator)>,
    /// All settings that affect how objects are served.
    spec: [Value; 2],
    /// The schema of each version, by version name.
    schemas: Vec<(String, Structural)>,
    /// A process-wide unique number for this definition. Objects are parsed again when the number changes.
    pub(crate) epoch: u64,
    pub(crate) origin: Origin,
    /// `true` while the CRD's objects are being deleted. No new objects can be created then.
    pub(crate) is_terminating: bool,
    /// `true` if the CRD has the condition `Terminating`, which affects discovery.
    pub(crate) is_shown_terminating: bool,
    /// The functions that convert objects, for all CRDs.
    pub(crate) converters: Converters,
}

impl Definition {
    /// Returns the definitions of all built-in kinds.
    pub(crate) fn built_in_kinds(release: KubeVersion) -> impl Iterator<Item = Self> {
        built_in::all()
            .iter()
            .filter_map(move |row| Self::from_stored(&row.definition(release), Origin::BuiltIn(row), release))
    }

    /// Compiles a stored CRD. Returns `None` if the API server would not accept the CRD.
    pub(crate) fn new(stored: &Value, release: KubeVersion) -> Option<Self> {
        Self::from_stored(stored, Origin::Custom, release)
    }

    /// Compiles a definition that was not created by a request.
    pub(crate) fn from_stored(stored: &Value, origin: Origin, release: KubeVersion) -> Option<Self> {
        static NEXT_EPOCH: AtomicU64 = AtomicU64::new(1);

        let mut served = stored.clone();
        // Others may have some of the names that it wants: `customresource_discovery_controller.go`.
        if let Some(accepted) = stored.pointer("/status/acceptedNames")
            && !text(accepted, &["kind"]).is_empty()
        {
            served["spec"]["names"] = accepted.clone();
        }
        let crd = CustomResourceDefinition::from_value(served).ok()?;
        let validator = validator(&crd, crd.storage_version()?, origin, release)?;
        let validators =
            if crd.spec.has_conversion_webhook() { validators(&crd, origin, release)? } else { Vec::new() };
        // Requests find a CRD by its name, whatever plural it has accepted: `customresource_handler.go`.
        let own = crd.metadata.name.split_once('.').map(|(plural, _)| plural.to_owned());
        let plural =
            own.filter(|_| origin == Origin::Custom).unwrap_or_else(|| crd.spec.names.plural.clone());
        let resource = Resource { group: crd.spec.group.clone(), plural };
        // Before 1.37, objects could be created again while other finalizers keep the definition.
        let is_going = release >= KubeVersion::new(37) && crd.metadata.deletion_timestamp.is_some();
        let is_shown_terminating = established::is_true(stored, "Terminating");
        let is_terminating = is_going || is_shown_terminating;
        let schemas = crd.spec.versions.iter().map(|version| {
            let schema =
                version.open_api_v3_schema().and_then(|schema| Structural::from_json_schema(schema).ok());
            (version.name.clone(), schema.unwrap_or_default())
        });
        let schemas = schemas.collect();
        let spec = ["/spec", "/status/acceptedNames"];
        let spec = spec.map(|path| stored.pointer(path).cloned().unwrap_or_default());
        Some(Self {
            release,
            resource,
            crd,
            validator,
            validators,
            spec,
            schemas,
            epoch: NEXT_EPOCH.fetch_add(1, Ordering::Relaxed),
            origin,
            is_terminating,
            is_shown_terminating,
            converters: Converters::default(),
        })
    }

    /// Returns a version's schema.
    pub(crate) fn schema(&self, version: &str) -> Option<&Structural> {
        self.schemas.iter().find(|(name, _)| name == version).map(|(_, schema)| schema)
    }

    /// Returns `true` if the other definition serves objects in the same way.
    pub(crate) fn is_served_like(&self, other: &Self) -> bool {
        self.spec == other.spec
    }

    /// Returns the version name in an `apiVersion` of this group.
    pub(crate) fn version_of<'a>(&self, api_version: &'a str) -> Option<&'a str> {
        match api_version.rsplit_once('/') {
            Some((group, version)) => (group == self.resource.group).then_some(version),
            None => self.resource.group.is_empty().then_some(api_version),
        }
    }

    /// Returns an empty object of the same type as the given object. Some fields of a CRD are never absent, because CRDs have a Go type.
    pub(crate) fn empty(&self, object: &Value) -> Value {
        let mut empty = json!({"apiVersion": object["apiVersion"], "kind": object["kind"]});
        if let (Value::Object(fields), Some(row)) = (&mut empty, self.built_in()) {
            fields.extend(row.zero.clone());
        }
        if self.origin == Origin::Definitions {
            let names = json!({"plural": "", "kind": ""});
            empty["spec"] = json!({"group": "", "names": names, "scope": "", "versions": null});
            empty["status"] = json!({"conditions": null, "acceptedNames": names, "storedVersions": null});
        }
        empty
    }

    /// Returns the kind's row in the table of built-in kinds, or `None` for other kinds.
    pub(crate) fn built_in(&self) -> Option<&'static Row> {
        match self.origin {
            Origin::BuiltIn(row) => Some(row),
            _ => None,
        }
    }

    /// Sets fields of a sent object that the API server derives from other fields.
    pub(crate) fn prepare(&self, object: &mut Value) {
        if let Some(row) = self.built_in() {
            built_in::defaults::complete(object, row);
        }
    }

    /// Adds and removes fields in a built-in kind's object as the API server does.
    pub(crate) fn finish(&self, object: &mut Value) {
        let Some(row) = self.built_in() else { return };
        built_in::defaults::finish(object, row);
        if let (false, Some(metadata)) = (row.has_generation, metadata_mut(object)) {
            crd_go::json::remove(metadata, "generation");
        }
    }

    /// Increases a deployment's generation if annotations have changed, because the deployment controller uses annotations.
    pub(crate) fn count_annotations(&self, updated: &mut Value, before: &Value) {
        if !self.built_in().is_some_and(|row| row.counts_annotations) {
            return;
        }
        let field = |object: &Value, name: &str| object["metadata"].get(name).cloned();
        let is_changed = field(updated, "annotations") != field(before, "annotations");
        let generation = field(before, "generation");
        if is_changed && generation == field(updated, "generation") {
            let next =
                generation.and_then(|generation| generation.as_i64()).unwrap_or_default().saturating_add(1);
            updated["metadata"]["generation"] = next.into();
        }
    }

    /// Returns `true` for objects that have a Go type: objects of built-in kinds, and CRDs.
    pub(crate) fn has_go_type(&self) -> bool {
        self.origin != Origin::Custom
    }

    /// Returns the name of the Go type for a kind or its list.
    pub(crate) fn go_name(&self, kind: &str) -> String {
        let package = self.resource.group.split('.').next().filter(|package| !package.is_empty());
        format!("*{}.{kind}", package.unwrap_or("core"))
    }

    /// Returns the error for a field that field selectors do not support.
    pub(crate) fn unselectable(&self, field: &str) -> String {
        match self.origin {
            Origin::BuiltIn(row) => row.unselectable(field),
            Origin::Definitions => {
                let field = quote(field);
                format!(
                    "{field} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                )
            }
            Origin::Custom => format!("field label not supported: {field}"),
        }
    }

    /// Returns an object's path in etcd.
    pub(crate) fn storage_path(&self, key: &Key) -> String {
        let Resource { group, plural } = &self.resource;
        let directory = match self.built_in() {
            Some(row) => row.directory().to_owned(),
            None => format!("{group}/{plural}"),
        };
        format!("/registry/{directory}/{}", key.as_str())
    }

    /// Returns `true` if a webhook converts objects.
    pub(crate) fn has_webhook(&self) -> bool {
        self.crd.spec.has_conversion_webhook()
    }

    /// Returns the validator for objects that are sent in a version.
    pub(crate) fn validator(&self, version: &str) -> &Validator {
        let own = self.validators.iter().find(|(name, _)| name == version);
        own.map_or(&self.validator, |(_, validator)| validator)
    }

    /// Returns the resource in the core group that has the same plural name and shares its objects with this resource.
    pub(crate) fn shares(&self) -> Option<Resource> {
        self.built_in().and_then(Row::stored_as)?;
        Some(Resource { group: String::new(), plural: self.resource.plural.clone() })
    }

    /// Returns the `apiVersion` of stored objects.
    pub(crate) fn stored_api_version(&self) -> String {
        let of_other = self.built_in().and_then(Row::stored_as).map(str::to_owned);
        of_other.unwrap_or_else(|| self.api_version(self.storage()))
    }

    /// Converts an object to another `apiVersion`: by a webhook, or as the API server converts objects of built-in kinds.
    pub(crate) fn converted<'v>(
        &self,
        object: &'v Value,
        api_version: &str,
    ) -> Result<Cow<'v, Value>, String> {
        if self.built_in().is_some() {
            return Ok(built_in::convert(object, api_version).map_or(Cow::Borrowed(object), Cow::Owned));
        }
        if !self.has_webhook() || text(object, &["apiVersion"]) == api_version {
            return Ok(Cow::Borrowed(object));
        }
        self.converters.convert(&self.crd, object, api_version).map(Cow::Owned)
    }

    /// Returns an object in the stored version, ready to be stored.
    pub(crate) fn draft(&self, object: Value) -> Draft {
        match self.origin {
            Origin::Definitions => draft_of_crd(object),
            origin => {
                let has_defaults = self.validator(self.storage()).has_defaults(&object, self.storage());
                let epoch = has_defaults.then_some(self.epoch);
                let mut object = object;
                if matches!(origin, Origin::BuiltIn(_)) {
                    reserve_revision(&mut object);
                    if arrange(&mut object) {
                        return Draft::typed(object, epoch);
                    }
                }
                Draft::new(object, epoch)
            }
        }
    }

    /// Puts an object's fields into the API server's order: the order of the Go type if the kind has one, and otherwise sorted by name.
    pub(crate) fn in_order(&self, mut object: Value) -> Value {
        match self.origin {
            Origin::Definitions => crd_type::arranged(object),
            Origin::BuiltIn(_) => built_in_in_order(object),
            Origin::Custom => {
                object.sort_all_objects();
                object
            }
        }
    }

    /// Returns an object as serialized by the API server.
    pub(crate) fn print(&self, object: Cow<'_, Value>) -> Bytes {
        match self.origin {
            Origin::Custom => print_sorted(&object),
            _ => print_ordered(&self.in_order(object.into_owned())),
        }
    }

    pub(crate) fn kind(&self) -> &str {
        &self.crd.spec.names.kind
    }

    pub(crate) fn list_kind(&self) -> String {
        self.crd.spec.names.list_kind().into_owned()
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.crd.spec.scope() != Some(Scope::Cluster)
    }

    /// Returns the version with this name, if it is served.
    pub(crate) fn served(&self, name: &str) -> Option<&Version> {
        self.crd.version(name).filter(|version| version.served)
    }

    /// Returns the name of the storage version.
    pub(crate) fn storage(&self) -> &str {
        self.crd.storage_version().map_or("", |version| &version.name)
    }

    pub(crate) fn api_version(&self, version: &str) -> String {
        match self.resource.group.as_str() {
            "" => version.to_owned(),
            group => format!("{group}/{version}"),
        }
    }

    /// Returns the path of an object. If the name is empty, returns the path of all objects in a namespace.
    pub(crate) fn path(&self, version: &str, namespace: &str, name: &str) -> String {
        let root = if self.resource.group.is_empty() { "api" } else { "apis" };
        let mut path = format!("/{root}/{}", self.api_version(version));
        if self.is_namespaced() {
            path += &format!("/namespaces/{namespace}");
        }
        path += &format!("/{}", self.resource.plural);
        if name.is_empty() { path } else { format!("{path}/{name}") }
    }

    /// Returns a version's table columns, or `None` if the CRD does not have the version.
    pub(crate) fn columns(&self, version: &str) -> Option<Columns> {
        Columns::for_version(&self.crd, version)
    }
}

/// Returns a validator for each version. Each validator treats its version as the stored version, so it converts nothing.
fn validators(
    crd: &CustomResourceDefinition,
    origin: Origin,
    release: KubeVersion,
) -> Option<Vec<(String, Validator)>> {
    let versions = crd.spec.versions.iter();
    versions.map(|version| Some((version.name.clone(), validator(crd, version, origin, release)?))).collect()
}

/// Returns the validator for objects that are stored in a version. The version need not be served.
fn validator(
    crd: &CustomResourceDefinition,
    stored: &Version,
    origin: Origin,
    release: KubeVersion,
) -> Option<Validator> {
    let mut crd = crd.clone();
    for version in &mut crd.spec.versions {
        version.storage = version.name == stored.name;
        version.served |= version.storage;
    }
    let options = ServerOptions::new(release);
    let has_path_names = matches!(origin, Origin::BuiltIn(row) if row.has_path_names);
    let compile = if has_path_names { Validator::with_path_names } else { Validator::with_options };
    compile(&crd, options).ok()
}

pub(crate) fn scale(version: &Version) -> Option<&ScaleSubresource> {
    version.subresources.as_ref()?.scale.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_kind_can_be_served() {
        assert_eq!(Definition::built_in_kinds(KubeVersion::new(36)).count(), built_in::all().len());
    }
}
