//! Identifies a request's resource, and converts objects between the request's version and the stored version.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use crd_core::admit::{FieldValidation, Validator};
use serde_json::Value;

use crate::definition::{Definition, Origin};
use crate::json::text;
use crate::status::Failure;
use crate::store::{Key, Stored};

/// The resource in a request: a version of a CRD or built-in kind, a namespace and a name.
pub(crate) struct RequestInfo {
    pub(crate) definition: Arc<Definition>,
    pub(crate) version: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl RequestInfo {
    pub(crate) fn key(&self) -> Key {
        Key::new(&self.namespace, &self.name)
    }

    /// Returns a stored object in the request's version.
    pub(crate) fn read(&self, stored: &Stored) -> Result<Value, Failure> {
        from_storage(&stored.value(), self, stored.key.name())
    }

    /// Returns `true` if stored objects may have other fields than in the request's version.
    pub(crate) fn is_converted(&self) -> bool {
        let definition = &self.definition;
        (definition.has_webhook() || definition.built_in().is_some())
            && definition.api_version(&self.version) != definition.stored_api_version()
    }

    /// Returns `true` if the storage version differs from the request's version.
    pub(crate) fn is_of_other_version(&self) -> bool {
        self.version != self.definition.storage()
    }

    /// Returns the validator for objects in the request's version.
    pub(crate) fn validator(&self, mode: FieldValidation) -> Validator {
        self.definition.validator(&self.version).with_field_validation(mode).before_storage()
    }

    /// Returns a stored object in the request's version, as JSON.
    pub(crate) fn view(&self, stored: &Stored) -> Result<Bytes, Failure> {
        if self.is_converted() {
            return self.print(stored);
        }
        let definition = &self.definition;
        if definition.origin == Origin::Definitions {
            return Ok(stored.json());
        }
        stored.view(definition.epoch, &self.version, definition.storage(), || self.print(stored))
    }

    fn print(&self, stored: &Stored) -> Result<Bytes, Failure> {
        self.read(stored).map(|object| self.definition.print(Cow::Owned(object)))
    }
}

/// The part of an object that an update writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Object,
    Status,
    EphemeralContainers,
}

/// Converts an object to the stored version.
pub(crate) fn into_storage(value: &Value, place: &RequestInfo, name: &str) -> Result<Value, Failure> {
    let definition = &place.definition;
    if definition.origin == Origin::Definitions {
        return Ok(value.clone());
    }
    let version = definition.storage();
    if definition.built_in().is_some() && place.is_converted() {
        let api_version = definition.stored_api_version();
        return Ok(definition.converted(value, &api_version).map_err(Failure::internal)?.into_owned());
    }
    if is_converted(value, place, version) {
        return read_as(value, place, version, name);
    }
    // The object has its defaults already, or gets none.
    let refuse = |refusal| Failure::from_rejection(&refusal, &definition.resource, name, definition.kind());
    definition.validator(version).converted(value, version).map_err(refuse)
}

/// Returns a stored object in the request's version.
pub(crate) fn from_storage(value: &Value, place: &RequestInfo, name: &str) -> Result<Value, Failure> {
    read_as(value, place, &place.version, name)
}

/// Returns `true` if a webhook must convert the object to a version.
fn is_converted(value: &Value, place: &RequestInfo, version: &str) -> bool {
    let definition = &place.definition;
    definition.has_webhook() && text(value, &["apiVersion"]) != definition.api_version(version)
}

fn read_as(value: &Value, place: &RequestInfo, version: &str, name: &str) -> Result<Value, Failure> {
    let definition = &place.definition;
    if definition.origin == Origin::Definitions {
        return Ok(value.clone());
    }
    let refuse = |refusal| Failure::from_rejection(&refusal, &definition.resource, name, definition.kind());
    let read =
        |value: &Value, version: &str| definition.validator(version).read(value, version).map_err(refuse);
    let api_version = definition.api_version(version);
    if definition.built_in().is_some() {
        return read(&*definition.converted(value, &api_version).map_err(Failure::internal)?, version);
    }
    if !is_converted(value, place, version) {
        return read(value, version);
    }
    // An object has the defaults of its own version before it is converted.
    let own = definition.version_of(text(value, &["apiVersion"])).unwrap_or_default();
    let own = read(value, own)?;
    let converted = definition.converted(&own, &api_version).map_err(Failure::internal)?;
    read(&converted, version)
}
