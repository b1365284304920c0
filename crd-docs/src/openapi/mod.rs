//! The schemas that the API server publishes for a kind and its list kind.
//!
//! Source: `apiextensions-apiserver`, `pkg/controller/openapi/builder/builder.go`.

mod embedded;
mod schema;
mod unfold;
mod v2;

use std::fmt;
use std::sync::LazyLock;

use crd_core::CustomResourceDefinition;
use crd_core::crd::{SelectableField, Version};
use crd_core::schema::{NotStructural, Structural};
use serde_json::{Map, Value, json};

/// The version of OpenAPI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenApi {
    /// `/openapi/v2`, for old clients.
    V2,
    /// `/openapi/v3`.
    #[default]
    V3,
}

/// The reason why the API server publishes no schemas for a version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotPublished {
    /// The CRD has no such version.
    NoVersion,
    /// The version is not served.
    NotServed,
    /// The schema is not structural, so the API server rejects the CRD.
    NotStructural(NotStructural),
}

impl fmt::Display for NotPublished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVersion => f.write_str("the CRD has no such version"),
            Self::NotServed => f.write_str("the version is not served"),
            Self::NotStructural(error) => write!(f, "{}: {error}", error.path()),
        }
    }
}

impl std::error::Error for NotPublished {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotStructural(error) => Some(error),
            Self::NoVersion | Self::NotServed => None,
        }
    }
}

/// Returns the published schemas for a kind and its list kind, keyed by name.
///
/// # Errors
/// - The CRD has no version with this name, or does not serve it.
/// - The schema is not structural.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_docs::openapi::{NotPublished, OpenApi, publish};
///
/// let crd = CustomResourceDefinition::from_value(serde_json::json!({"spec": {
///     "group": "stable.example.com",
///     "names": {"plural": "crontabs", "kind": "CronTab"},
///     "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {
///         "type": "object",
///         "properties": {"port": {"x-kubernetes-int-or-string": true}},
///     }}}],
/// }}))?;
/// let schemas = publish(&crd, "v1", OpenApi::V3)?;
/// let port = &schemas["com.example.stable.v1.CronTab"]["properties"]["port"];
/// assert_eq!(port["anyOf"][0]["type"], "integer");
/// assert!(schemas.contains_key("com.example.stable.v1.CronTabList"));
///
/// assert_eq!(publish(&crd, "v2", OpenApi::V3), Err(NotPublished::NoVersion));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn publish(
    crd: &CustomResourceDefinition,
    version: &str,
    form: OpenApi,
) -> Result<Map<String, Value>, NotPublished> {
    let version = crd.version(version).ok_or(NotPublished::NoVersion)?;
    if !version.served {
        return Err(NotPublished::NotServed);
    }
    let names = Names::for_version(crd, version);
    let mut schemas = Map::new();
    let list = list(crd, version, &names, form);
    schemas.insert(names.model(&names.kind), kind(crd, version, &names, form)?);
    schemas.insert(names.model(&names.list_kind), list);
    Ok(schemas)
}

/// Returns the schemas for `metadata` and for the types in `metadata`. Every published document has them.
#[must_use]
pub fn object_meta() -> &'static Map<String, Value> {
    &OBJECT_META
}

/// Returns the description of a field in `metadata`, or an empty string for an unknown field.
///
/// ```
/// let description = crd_docs::openapi::metadata_description("name");
/// assert!(description.starts_with("Name must be unique within a namespace."));
/// ```
#[must_use]
pub fn metadata_description(field: &str) -> &'static str {
    OBJECT_META[OBJECT_META_NAME]["properties"][field]["description"].as_str().unwrap_or_default()
}

/// The schemas for `metadata`, from `generated/openapi` in apiextensions-apiserver 0.36.2. References are wrapped as by `builder3`.
static OBJECT_META: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("object_meta.json")).unwrap_or_default());

const OBJECT_META_NAME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const LIST_META_NAME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert \
recognized schemas to the latest internal value, and may reject unrecognized values. More info: \
https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this \
from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: \
https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const METADATA: &str = "Standard object's metadata. More info: \
https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const LIST_METADATA: &str = "Standard list metadata. More info: \
https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

/// The names for a version's published schemas.
struct Names {
    group: String,
    version: String,
    kind: String,
    list_kind: String,
}

impl Names {
    fn for_version(crd: &CustomResourceDefinition, version: &Version) -> Self {
        let names = &crd.spec.names;
        Self {
            group: crd.spec.group.clone(),
            version: version.name.clone(),
            kind: names.kind.clone(),
            list_kind: names.list_kind().into_owned(),
        }
    }

    /// Returns a schema's name: the group's labels in reverse order, the version and the kind.
    fn model(&self, kind: &str) -> String {
        let labels: Vec<&str> = self.group.split('.').rev().collect();
        format!("{}.{}.{kind}", labels.join("."), self.version)
    }

    /// Returns the value for `x-kubernetes-group-version-kind`.
    fn extension(&self, kind: &str) -> Value {
        json!([{"group": self.group, "kind": kind, "version": self.version}])
    }
}

fn kind(
    crd: &CustomResourceDefinition,
    version: &Version,
    names: &Names,
    form: OpenApi,
) -> Result<Value, NotPublished> {
    let structural = match version.open_api_v3_schema() {
        Some(schema) => Some(Structural::from_json_schema(schema).map_err(NotPublished::NotStructural)?),
        None => None,
    };
    // Clients of v2 take what is not listed for forbidden.
    let is_open = |schema: &Structural| {
        form == OpenApi::V2
            && (schema.extensions.preserve_unknown_fields || crd.spec.preserve_unknown_fields == Some(true))
    };
    let mut published = match structural {
        Some(mut schema) if !is_open(&schema) => {
            if form == OpenApi::V2 {
                v2::lower(&mut schema);
            }
            let prepare: fn(&mut Structural) = match form {
                // It has no junctors.
                OpenApi::V2 => |_| {},
                OpenApi::V3 => unfold::unfold,
            };
            let mut published = schema::published(&mut schema, prepare);
            schema::change_properties(&mut published, |properties| {
                properties.insert("metadata".to_owned(), form.reference(OBJECT_META_NAME, METADATA));
                properties.insert("apiVersion".to_owned(), string(API_VERSION));
                properties.insert("kind".to_owned(), string(KIND));
            });
            embedded::add_fields(&mut published, form);
            published
        }
        _ => Map::from_iter([("type".to_owned(), json!("object"))]),
    };
    published.insert("x-kubernetes-group-version-kind".to_owned(), names.extension(&names.kind));
    add_selectable_fields(&mut published, version);
    schema::sort(&mut published);
    Ok(Value::Object(published))
}

fn list(crd: &CustomResourceDefinition, version: &Version, names: &Names, form: OpenApi) -> Value {
    let items = format!(
        "List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
        crd.spec.names.plural
    );
    let Value::Object(mut list) = json!({
        "description": format!("{} is a list of {}", names.list_kind, names.kind),
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": string(API_VERSION),
            "items": {
                "description": items,
                "type": "array",
                "items": {"$ref": form.path(&names.model(&names.kind))},
            },
            "kind": string(KIND),
            "metadata": form.reference(LIST_META_NAME, LIST_METADATA),
        },
        "x-kubernetes-group-version-kind": names.extension(&names.list_kind),
    }) else {
        return Value::Null;
    };
    add_selectable_fields(&mut list, version);
    Value::Object(list)
}

fn add_selectable_fields(published: &mut Map<String, Value>, version: &Version) {
    let Some(fields) = version.selectable_fields.as_ref().filter(|fields| !fields.is_empty()) else { return };
    let field = |SelectableField { json_path, .. }: &SelectableField| json!({"fieldPath": json_path.strip_prefix('.').unwrap_or(json_path)});
    let fields: Vec<Value> = fields.iter().map(field).collect();
    published.insert("x-kubernetes-selectable-fields".to_owned(), Value::Array(fields));
}

fn string(description: &str) -> Value {
    json!({"description": description, "type": "string"})
}

impl OpenApi {
    /// Returns the reference to a schema in the same document.
    ///
    /// ```
    /// use crd_docs::openapi::OpenApi;
    ///
    /// assert_eq!(OpenApi::V2.path("com.example.v1.Shirt"), "#/definitions/com.example.v1.Shirt");
    /// ```
    #[must_use]
    pub fn path(self, name: &str) -> String {
        match self {
            Self::V2 => format!("#/definitions/{name}"),
            Self::V3 => format!("#/components/schemas/{name}"),
        }
    }

    /// Returns a reference with a description. In v3, an object with `$ref` must not have other keywords.
    fn reference(self, name: &str, description: &str) -> Value {
        let path = self.path(name);
        match self {
            Self::V2 => json!({"description": description, "$ref": path}),
            Self::V3 => json!({"description": description, "allOf": [{"$ref": path}]}),
        }
    }
}
