//! Definitions that are served.

pub(crate) mod built_in;
pub(crate) mod established;
pub(crate) mod write;

use crd_core::admit::{Options, Validator};
use crd_core::crd::{ScaleSubresource, Scope, Version};
use crd_core::{CustomResourceDefinition, KubeVersion, Structural};
use crd_docs::table::Columns;
use serde_json::{Value, json};

use crate::json::metadata_mut;
use crate::namespaces;
use crate::status::Resource;

/// The group of definitions.
pub(crate) const GROUP: &str = "apiextensions.k8s.io";
/// The plural name of definitions.
pub(crate) const PLURAL: &str = "customresourcedefinitions";

/// The resource of definitions.
pub(crate) fn resource() -> Resource {
    Resource { group: GROUP.to_owned(), plural: PLURAL.to_owned() }
}

/// A definition of definitions, so that they are read, listed and watched as custom resources are.
pub(crate) fn of_definitions() -> Value {
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
                "schema": {"openAPIV3Schema": schema_of_definitions()},
                "additionalPrinterColumns": [
                    {"name": "Created At", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
                ],
            }],
        },
    })
}

/// The type of definitions, as far as it decides about owners of fields; it keeps everything else.
fn schema_of_definitions() -> Value {
    let object = |properties: Value| json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": properties});
    let text = json!({"type": "string"});
    let texts = json!({"type": "array", "items": text});
    let objects = json!({"type": "array", "items": object(json!({}))});
    let names = object(json!({
        "plural": text, "singular": text, "kind": text, "listKind": text, "shortNames": texts, "categories": texts,
    }));
    let spec = object(json!({
        "group": text, "names": names, "scope": text, "versions": objects, "conversion": object(json!({})),
    }));
    let conditions = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
        "items": object(json!({"type": text})),
    });
    let status = object(json!({"conditions": conditions, "acceptedNames": names, "storedVersions": texts}));
    object(json!({"spec": spec, "status": status}))
}

/// Where a definition comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The definition of definitions.
    Definitions,
    /// A kind of Kubernetes itself. Its objects are not validated.
    BuiltIn {
        /// `true` if objects count the changes of their `spec` in `metadata.generation`.
        has_generation: bool,
    },
    /// A definition that was created.
    Custom,
}

/// A definition, ready to answer requests.
#[derive(Debug)]
pub(crate) struct Definition {
    /// The release as which the server answers.
    pub(crate) release: KubeVersion,
    pub(crate) resource: Resource,
    pub(crate) crd: CustomResourceDefinition,
    pub(crate) validator: Validator,
    /// Everything that decides about the way in which objects are served.
    spec: [Value; 2],
    /// The schemas of the versions by name.
    schemas: Vec<(String, Structural)>,
    /// The revision of the definition: objects are read anew when it changes.
    pub(crate) epoch: u64,
    pub(crate) origin: Origin,
    /// `true` while the definition is being deleted: nothing new is created.
    pub(crate) is_terminating: bool,
}

impl Definition {
    /// Compiles a stored definition; `None` if it is not one that the API server takes.
    pub(crate) fn new(stored: &Value, epoch: u64, release: KubeVersion) -> Option<Self> {
        Self::of(stored, epoch, Origin::Custom, release)
    }

    /// Compiles a definition that was not created by a request.
    pub(crate) fn of(stored: &Value, epoch: u64, origin: Origin, release: KubeVersion) -> Option<Self> {
        let crd = CustomResourceDefinition::from_value(stored.clone()).ok()?;
        let validator = Validator::with_options(&crd, Options::new(release)).ok()?;
        let resource = Resource { group: crd.spec.group.clone(), plural: crd.spec.names.plural.clone() };
        let is_terminating = crd.metadata.deletion_timestamp.is_some();
        let schemas = crd.spec.versions.iter().map(|version| {
            let schema =
                version.open_api_v3_schema().and_then(|schema| Structural::from_json_schema(schema).ok());
            (version.name.clone(), schema.unwrap_or_default())
        });
        let schemas = schemas.collect();
        let spec = ["/spec", "/status/acceptedNames"];
        let spec = spec.map(|path| stored.pointer(path).cloned().unwrap_or_default());
        Some(Self { release, resource, crd, validator, spec, schemas, epoch, origin, is_terminating })
    }

    /// The schema of a version that the definition has.
    pub(crate) fn schema(&self, version: &str) -> Option<&Structural> {
        self.schemas.iter().find(|(name, _)| name == version).map(|(_, schema)| schema)
    }

    /// Returns `true` if the other definition serves the same objects in the same way.
    pub(crate) fn is_served_like(&self, other: &Self) -> bool {
        self.spec == other.spec
    }

    /// The name of the version in an `apiVersion` of this group.
    pub(crate) fn version_of<'a>(&self, api_version: &'a str) -> Option<&'a str> {
        match api_version.rsplit_once('/') {
            Some((group, version)) => (group == self.resource.group).then_some(version),
            None => self.resource.group.is_empty().then_some(api_version),
        }
    }

    /// An object without fields, of the type of another one. Definitions have a type in Go, whose fields are never absent.
    pub(crate) fn empty(&self, object: &Value) -> Value {
        let mut empty = json!({"apiVersion": object["apiVersion"], "kind": object["kind"]});
        if self.origin == Origin::Definitions {
            let names = json!({"plural": "", "kind": ""});
            empty["spec"] = json!({"group": "", "names": names, "scope": "", "versions": null});
            empty["status"] = json!({"conditions": null, "acceptedNames": names, "storedVersions": null});
        }
        empty
    }

    pub(crate) fn is_built_in(&self) -> bool {
        matches!(self.origin, Origin::BuiltIn { .. })
    }

    /// Sets what the API server derives from an object that is sent.
    pub(crate) fn prepare(&self, object: &mut Value) {
        if !self.is_built_in() || !self.resource.group.is_empty() {
            return;
        }
        match self.resource.plural.as_str() {
            "namespaces" => namespaces::prepare(object),
            "secrets" => built_in::encode_texts(object),
            _ => {}
        }
    }

    /// Takes out what the API server does not keep in objects of this kind.
    pub(crate) fn finish(&self, object: &mut Value) {
        if self.origin == (Origin::BuiltIn { has_generation: false })
            && let Some(metadata) = metadata_mut(object)
        {
            metadata.shift_remove("generation");
        }
    }

    pub(crate) fn kind(&self) -> &str {
        &self.crd.spec.names.kind
    }

    pub(crate) fn list_kind(&self) -> String {
        let list_kind = &self.crd.spec.names.list_kind;
        if list_kind.is_empty() { format!("{}List", self.kind()) } else { list_kind.clone() }
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.crd.spec.scope() != Some(Scope::Cluster)
    }

    /// The version of that name, if it is served.
    pub(crate) fn served(&self, name: &str) -> Option<&Version> {
        self.crd.spec.versions.iter().find(|version| version.name == name && version.served)
    }

    /// The name of the version in which objects are stored.
    pub(crate) fn storage(&self) -> &str {
        let version = self.crd.spec.versions.iter().find(|version| version.storage);
        version.map_or("", |version| &version.name)
    }

    pub(crate) fn api_version(&self, version: &str) -> String {
        match self.resource.group.as_str() {
            "" => version.to_owned(),
            group => format!("{group}/{version}"),
        }
    }

    /// The path of an object, or of the objects of a namespace if the name is empty.
    pub(crate) fn path(&self, version: &str, namespace: &str, name: &str) -> String {
        let root = if self.resource.group.is_empty() { "api" } else { "apis" };
        let mut path = format!("/{root}/{}", self.api_version(version));
        if self.is_namespaced() {
            path += &format!("/namespaces/{namespace}");
        }
        path += &format!("/{}", self.resource.plural);
        if name.is_empty() { path } else { format!("{path}/{name}") }
    }

    /// The columns of a table.
    pub(crate) fn columns(&self, version: &str) -> Option<Columns> {
        Columns::of(&self.crd, version)
    }
}

pub(crate) fn has_status(version: &Version) -> bool {
    version.subresources.as_ref().is_some_and(|subresources| subresources.status.is_some())
}

pub(crate) fn scale(version: &Version) -> Option<&ScaleSubresource> {
    version.subresources.as_ref()?.scale.as_ref()
}
