//! Converts objects between versions, and responds to `ConversionReview`s.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::CustomResource;
use crate::patch::{change, difference};

/// The annotation for the fields that another version does not have: see [`Conversions::keep_lost_fields`].
const LOST: &str = "crdkit.dev/lost-fields";

/// Converts objects between the versions of a kind. One version is the hub: every other version has conversions to and from it.
///
/// [`Conversions::review`] computes the response of a conversion webhook. Serve it over HTTPS with any web framework.
///
/// ```
/// # use crdkit::{Conversions, CrdSchema, CustomResource};
/// # use serde::{Deserialize, Serialize};
/// # use serde_json::json;
/// mod v1 {
///     # use super::*;
///     #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
///     #[crd(group = "example.com", version = "v1", kind = "Shirt")]
///     pub struct ShirtSpec { pub color: String }
/// }
/// mod v2 {
///     # use super::*;
///     #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
///     #[crd(group = "example.com", version = "v2", kind = "Shirt")]
///     pub struct ShirtSpec { pub colors: Vec<String> }
/// }
///
/// impl From<v1::Shirt> for v2::Shirt {
///     fn from(old: v1::Shirt) -> Self {
///         Self { metadata: old.metadata, spec: v2::ShirtSpec { colors: vec![old.spec.color] } }
///     }
/// }
/// impl From<v2::Shirt> for v1::Shirt {
///     fn from(new: v2::Shirt) -> Self {
///         let color = new.spec.colors.into_iter().next().unwrap_or_default();
///         Self { metadata: new.metadata, spec: v1::ShirtSpec { color } }
///     }
/// }
///
/// # fn main() {
/// let conversions = Conversions::<v2::Shirt>::new().with::<v1::Shirt>();
/// let answer = conversions.review(&json!({
///     "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
///     "request": {"uid": "1", "desiredAPIVersion": "example.com/v2", "objects": [
///         {"apiVersion": "example.com/v1", "kind": "Shirt", "metadata": {"name": "a"}, "spec": {"color": "blue"}},
///     ]},
/// }));
/// assert_eq!(answer["response"]["result"]["status"], "Success");
/// assert_eq!(answer["response"]["convertedObjects"][0]["spec"], json!({"colors": ["blue"]}));
/// # }
/// ```
pub struct Conversions<H> {
    versions: Vec<ConvertibleVersion>,
    keeps_lost_fields: bool,
    hub: PhantomData<fn(H) -> H>,
}

type Step = fn(Value) -> Result<Value, ConversionError>;

/// A version, and its conversions to and from the hub.
struct ConvertibleVersion {
    api_version: &'static str,
    to_hub: Step,
    from_hub: Step,
}

/// The reason why an object cannot be converted.
#[derive(Clone, Debug)]
pub struct ConversionError {
    message: String,
    /// serde's error, if serde failed. The message contains its text.
    source: Option<Arc<serde_json::Error>>,
}

impl ConversionError {
    fn new(message: String) -> Self {
        Self { message, source: None }
    }
}

impl From<serde_json::Error> for ConversionError {
    fn from(error: serde_json::Error) -> Self {
        Self { message: error.to_string(), source: Some(Arc::new(error)) }
    }
}

// An error of serde cannot be compared, and its text is the message.
impl PartialEq for ConversionError {
    fn eq(&self, other: &Self) -> bool {
        self.message == other.message
    }
}

impl Eq for ConversionError {}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConversionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl<H: CustomResource + Serialize + DeserializeOwned> Default for Conversions<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: CustomResource + Serialize + DeserializeOwned> Conversions<H> {
    /// Creates conversions for the hub alone.
    #[must_use]
    pub fn new() -> Self {
        let hub = ConvertibleVersion { api_version: H::API_VERSION, to_hub: Ok, from_hub: Ok };
        Self { versions: vec![hub], keeps_lost_fields: false, hub: PhantomData }
    }

    /// Adds a version that converts to and from the hub.
    #[must_use]
    pub fn with<V>(mut self) -> Self
    where
        V: CustomResource + Serialize + DeserializeOwned + From<H> + Into<H>,
    {
        let version = ConvertibleVersion {
            api_version: V::API_VERSION,
            to_hub: through::<V, H>,
            from_hub: through::<H, V>,
        };
        self.versions.push(version);
        self
    }

    /// Preserves fields that the target version does not have. They are stored in the object's annotation
    /// `crdkit.dev/lost-fields`, and restored when the object is converted back. Changes made in between are preserved.
    #[must_use]
    pub fn keep_lost_fields(mut self) -> Self {
        self.keeps_lost_fields = true;
        self
    }

    /// Converts the object to another version, such as `example.com/v2`.
    ///
    /// # Errors
    /// - The object has another kind, or a version that was not added.
    /// - The version `api_version` does not exist.
    pub fn convert(&self, object: &Value, api_version: &str) -> Result<Value, ConversionError> {
        let from = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        if object.get("kind").and_then(Value::as_str) != Some(H::KIND) {
            return Err(ConversionError::new(format!("the object is not a `{}`", H::KIND)));
        }
        let (from, to) = (self.version(from)?, self.version(api_version)?);
        if from.api_version == to.api_version {
            return Ok(object.clone());
        }
        let mut converted = step(object, from, to)?;
        // A converter may change labels and annotations only: the API server rejects other changes of the metadata.
        let metadata = kept_metadata(object, &converted);
        if let Value::Object(fields) = &mut converted {
            fields.insert("metadata".to_owned(), metadata);
        }
        if self.keeps_lost_fields {
            converted = self.with_lost_fields(object, from, converted, to)?;
        }
        Ok(converted)
    }

    /// Returns the response to a `ConversionReview`. If a conversion fails, the response contains the error.
    #[must_use]
    pub fn review(&self, review: &Value) -> Value {
        let request = &review["request"];
        let objects = request["objects"].as_array().map(Vec::as_slice).unwrap_or_default();
        let wanted = request["desiredAPIVersion"].as_str().unwrap_or_default();
        let converted: Result<Vec<Value>, String> = objects
            .iter()
            .map(|object| {
                self.convert(object, wanted).map_err(|error| {
                    let name = object["metadata"]["name"].as_str().unwrap_or_default();
                    format!("cannot convert `{name}` to `{wanted}`: {error}")
                })
            })
            .collect();
        let mut response = match converted {
            Ok(objects) => json!({"convertedObjects": objects, "result": {"status": "Success"}}),
            Err(message) => {
                json!({"convertedObjects": [], "result": {"status": "Failed", "message": message}})
            }
        };
        response["uid"] = request["uid"].clone();
        // The answer is of the version in which one was asked.
        let api_version =
            review.get("apiVersion").and_then(Value::as_str).unwrap_or("apiextensions.k8s.io/v1");
        json!({"apiVersion": api_version, "kind": "ConversionReview", "response": response})
    }

    fn version(&self, api_version: &str) -> Result<&ConvertibleVersion, ConversionError> {
        self.versions.iter().find(|version| version.api_version == api_version).ok_or_else(|| {
            let known: Vec<&str> = self.versions.iter().map(|version| version.api_version).collect();
            ConversionError::new(format!(
                "unknown version `{api_version}`: expected one of `{}`",
                known.join("`, `")
            ))
        })
    }

    /// Restores the fields that an earlier conversion from `to` stored, and stores the fields that this conversion
    /// loses.
    fn with_lost_fields(
        &self,
        object: &Value,
        from: &ConvertibleVersion,
        mut converted: Value,
        to: &ConvertibleVersion,
    ) -> Result<Value, ConversionError> {
        let annotation = object["metadata"]["annotations"][LOST].as_str();
        let mut kept: Map<String, Value> =
            annotation.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let there_and_back = step(&converted, to, from)?;
        if content(&there_and_back) == content(object) {
            kept.remove(from.api_version);
        } else {
            kept.insert(from.api_version.to_owned(), content(object));
        }
        if let Some(mut whole) = kept.remove(to.api_version) {
            // The object that would have come back unchanged is compared with the one that comes back, and the changes are applied to the
            // kept fields.
            let unchanged = step(&step(&with_content(&converted, &whole), to, from)?, from, to)?;
            if let Value::Object(changes) = difference(&content(&unchanged), &content(&converted)) {
                change(&mut whole, &changes);
            }
            converted = with_content(&converted, &whole);
        }
        annotate(&mut converted, &kept);
        Ok(converted)
    }
}

/// Sets the annotation with the stored fields, or removes the annotation if there are none.
fn annotate(object: &mut Value, kept: &Map<String, Value>) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    if !kept.is_empty() {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        annotations[LOST] = json!(Value::Object(kept.clone()).to_string());
        return;
    }
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove(LOST);
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
}

fn through<A, B>(object: Value) -> Result<Value, ConversionError>
where
    A: DeserializeOwned + Into<B>,
    B: Serialize,
{
    let object: A = serde_json::from_value(object)?;
    Ok(serde_json::to_value::<B>(object.into())?)
}

fn step(
    object: &Value,
    from: &ConvertibleVersion,
    to: &ConvertibleVersion,
) -> Result<Value, ConversionError> {
    (to.from_hub)((from.to_hub)(object.clone())?)
}

/// Returns the object's metadata with the converted object's labels and annotations.
fn kept_metadata(object: &Value, converted: &Value) -> Value {
    let mut metadata = object.get("metadata").cloned().unwrap_or_else(|| json!({}));
    let Value::Object(fields) = &mut metadata else { return metadata };
    for key in ["labels", "annotations"] {
        match converted["metadata"].get(key) {
            Some(value) => fields.insert(key.to_owned(), value.clone()),
            None => fields.remove(key),
        };
    }
    metadata
}

/// Returns all fields except `apiVersion`, `kind` and `metadata`.
fn content(object: &Value) -> Value {
    let fields = object.as_object().into_iter().flatten();
    let own = fields.filter(|(key, _)| !["apiVersion", "kind", "metadata"].contains(&key.as_str()));
    let mut content = Map::new();
    content.extend(own.map(|(key, value)| (key.clone(), value.clone())));
    Value::Object(content)
}

/// Returns `object` with its content replaced by the content of `other`.
fn with_content(object: &Value, other: &Value) -> Value {
    let mut whole = json!({
        "apiVersion": object["apiVersion"],
        "kind": object["kind"],
        "metadata": object["metadata"],
    });
    if let (Value::Object(whole), Value::Object(other)) = (&mut whole, content(other)) {
        whole.extend(other);
    }
    whole
}
