//! Reads and converts objects in other versions of their CRD.

use serde_json::Value;

use super::admission::{Rejection, StatusReason};
use super::store::{AbsentFields, read_from};
use super::validator::{Validator, set};
use crate::defaults::Room;
use crate::embedded;

impl Validator {
    /// Returns the response to a request that reads `stored` in a version of the CRD.
    ///
    /// The stored object is read in the version of its `apiVersion`, because an earlier CRD may have had another storage version. If the
    /// CRD does not have the version, the object is read in the storage version. Fields that the schema does not have are missing in the
    /// response, and defaults are filled in. Nothing is validated.
    ///
    /// # Errors
    /// - The CRD has no such version, or does not serve it.
    /// - The stored object cannot be decoded.
    ///
    /// ```
    /// # fn example(validator: crd_core::admit::Validator, stored: serde_json::Value) -> Result<(), crd_core::admit::Rejection> {
    /// let read = validator.read(&stored, "v1")?;
    /// assert_eq!(read["kind"], stored["kind"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn read(&self, stored: &Value, version: &str) -> Result<Value, Rejection> {
        self.in_version(stored, version, AbsentFields::Filled)
    }

    /// Converts an object to another version, as the API server does before it stores an object. Unlike [`read`](Self::read), this method
    /// fills in no defaults.
    ///
    /// # Errors
    /// - As for [`read`](Self::read).
    ///
    /// ```
    /// # fn example(validator: crd_core::admit::Validator, object: serde_json::Value) {
    /// let stored = validator.converted(&object, "v1");
    /// # }
    /// ```
    pub fn converted(&self, object: &Value, version: &str) -> Result<Value, Rejection> {
        self.in_version(object, version, AbsentFields::Left)
    }

    /// Returns `true` if reading an object in this version adds no defaults.
    ///
    /// ```
    /// # fn example(validator: crd_core::admit::Validator, read: serde_json::Value) {
    /// assert!(validator.has_defaults(&read, "v1"));
    /// # }
    /// ```
    #[must_use]
    pub fn has_defaults(&self, object: &Value, version: &str) -> bool {
        let Some(version) = self.kind.version(version) else { return true };
        !version.defaults.has_any() || {
            let room = &mut Room::default();
            version.defaults.fill(&mut object.clone(), room).is_ok() && room.is_untouched()
        }
    }

    fn in_version(&self, stored: &Value, version: &str, absent: AbsentFields) -> Result<Value, Rejection> {
        let kind = &*self.kind;
        let Some(version) = kind.version(version).filter(|version| version.is_served) else {
            let message = "the server could not find the requested resource";
            return Err(Rejection::new(StatusReason::NotFound, message));
        };
        let api_version = stored.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let own = api_version.rsplit('/').next().and_then(|name| kind.version(name));
        let mut value = stored.clone();
        let meta = read_from(&mut value, own.unwrap_or(kind.storage()), version, absent)?;
        set(&mut value, "metadata", Some(embedded::write(meta)));
        Ok(value)
    }
}
