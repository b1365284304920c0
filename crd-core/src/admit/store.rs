//! Stores an object and reads it back: converts the object to the storage version, and back to the requested version.
//!
//! Fields that the stored version does not have are lost, and the defaults of the stored version are filled in.
//! Versions are converted with the strategy `None`: only `apiVersion` changes. Source: see
//! `crdConversionRESTOptionsGetter` in `pkg/apiserver/customresource_handler.go`.

use serde_json::Value;

use super::admission::{Rejection, StatusReason};
use super::decode::{coerce_silently, take_metadata};
use super::kind::Kind;
use super::version::CompiledVersion;
use crate::FieldPath;
use crate::crd::ObjectMeta;
use crate::defaults::{NoRoom, Room, prune_nulls};
use crate::embedded::Unreadable;
use crate::values::numbers::{for_each_number, through_string};
use crate::values::unjudged;

/// Stores an object and reads it again, in the requested version. `fits` is `true` if a quick check found that the object needs no change.
pub(super) fn write(
    value: &mut Value,
    kind: &Kind,
    version: &CompiledVersion,
    fits: bool,
) -> Result<(), Rejection> {
    let storage = kind.storage();
    let room = &mut Room::default();
    if version.name == storage.name {
        // It is pruned, valid and has its defaults already; but the status may have been taken out since, which may
        // have one.
        version.defaults.fill_only(value, "status", room).map_err(no_room)?;
        // What is left of a conversion into the version that it has: nulls go that defaults have brought. An object
        // that fits has none, but the default of the status can.
        if !fits || version.defaults.has("status") {
            prune_nulls(value, &version.schema);
        }
    } else {
        convert(value, storage)?;
        storage.defaults.fill(value, room).map_err(no_room)?;
        if fits && room.is_untouched() && !version.has_resources && !storage.has_resources {
            // Some fields have been removed, which leaves nothing to be removed on the way back.
            set_version(value, version);
        } else {
            convert(value, version)?;
        }
    }
    // Also those of defaults that came on the way: the answer is a text, too.
    for_each_number(value, &through_string);
    Ok(())
}

/// Reads a stored object in the requested version. Returns the object's metadata, and leaves an empty object at its path.
pub(super) fn read(
    value: &mut Value,
    kind: &Kind,
    version: &CompiledVersion,
) -> Result<ObjectMeta, Rejection> {
    read_from(value, kind.storage(), version, AbsentFields::Filled)
}

/// The treatment of absent fields that have a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AbsentFields {
    Filled,
    Left,
}

/// Reads an object that is stored in the version `storage`. This version may be an earlier storage version.
pub(super) fn read_from(
    value: &mut Value,
    storage: &CompiledVersion,
    version: &CompiledVersion,
    absent: AbsentFields,
) -> Result<ObjectMeta, Rejection> {
    for_each_number(value, &through_string);
    set_version(value, storage);
    let failed = |error: String| {
        let message = format!("the stored object cannot be read: {error}");
        Rejection::new(StatusReason::InternalError, message)
    };
    let meta = take_metadata(value, Unreadable::Dropped).map_err(failed)?;
    coerce_silently(value, storage, Unreadable::Dropped).map_err(failed)?;
    if absent == AbsentFields::Filled {
        storage.defaults.fill(value, &mut Room::default()).map_err(no_room)?;
    }
    if version.name == storage.name {
        prune_nulls(value, &version.schema);
    } else {
        convert(value, version)?;
    }
    Ok(meta)
}

/// Returns the response for a stored object whose defaults exceed the size limit. The API server does not limit this size.
pub(super) fn no_room(_: NoRoom) -> Rejection {
    let reason = format!("defaults put more than {} bytes into the stored object", Room::BYTES);
    Rejection::limit(&unjudged(FieldPath::root(), &reason))
}

fn convert(value: &mut Value, version: &CompiledVersion) -> Result<(), Rejection> {
    set_version(value, version);
    coerce_silently(value, version, Unreadable::Rejected(version.kube_version))
        .map_err(|error| Rejection::new(StatusReason::InternalError, error))
}

fn set_version(value: &mut Value, version: &CompiledVersion) {
    if let Value::Object(fields) = value {
        fields.insert("apiVersion".to_owned(), version.api_version.as_str().into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::CustomResourceDefinition;
    use crate::admit::Validator;

    fn validator(schema: &Value, subresources: &Value) -> Validator {
        let crd = CustomResourceDefinition::from_value(json!({
            "metadata": {"name": "fs.example.com"},
            "spec": {
                "group": "example.com", "scope": "Cluster", "names": {"plural": "fs", "kind": "F"},
                "versions": [{
                    "name": "v1", "served": true, "storage": true, "subresources": subresources,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"status": schema}}},
                }],
            },
        }));
        Validator::new(&crd.expect("a definition")).expect("a structural one")
    }

    fn stored(validator: &Validator) -> Value {
        let object = json!({"apiVersion": "example.com/v1", "kind": "F", "metadata": {"name": "f"}});
        let stored = validator.create(object).result.expect("it is accepted");
        assert_eq!(validator.create(&stored).result.as_ref(), Ok(&stored));
        assert_eq!(validator.update(&stored, &stored).result.as_ref(), Ok(&stored));
        stored
    }

    #[test]
    fn numbers_of_a_status_that_comes_from_a_default_stay_the_same() {
        let status = json!({"type": "object", "default": {"zero": -0.0, "whole": 5.0}, "properties": {
            "zero": {"type": "number"}, "whole": {"type": "number"},
        }});
        let stored = stored(&validator(&status, &json!({"status": {}})));
        assert_eq!(stored["status"], json!({"zero": 0, "whole": 5}));
    }

    /// Conversion comes last when an object is read from the store. Verified with a real server, with and without the status subresource.
    #[test]
    fn nulls_that_come_with_a_default_do_not_come_out_of_the_store() {
        let status = json!({"type": "object", "default": {"any": null, "null": null, "a": 1}, "properties": {
            "any": {"x-kubernetes-preserve-unknown-fields": true},
            "null": {"type": "string", "nullable": true},
            "a": {"type": "integer"},
        }});
        for subresources in [json!({}), json!({"status": {}})] {
            let stored = stored(&validator(&status, &subresources));
            assert_eq!(stored["status"], json!({"null": null, "a": 1}));
        }
    }

    #[test]
    fn an_object_gets_the_defaults_of_the_stored_version_when_it_is_read_back() {
        let version = |name: &str, is_stored: bool, new: Value| {
            let properties = json!({"old": {"type": "integer"}, "new": new});
            json!({
                "name": name, "served": true, "storage": is_stored,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
            })
        };
        let crd = CustomResourceDefinition::from_value(json!({
            "metadata": {"name": "fs.example.com"},
            "spec": {
                "group": "example.com", "scope": "Cluster", "names": {"plural": "fs", "kind": "F"},
                "versions": [
                    version("v1", false, json!({"type": "integer"})),
                    version("v2", true, json!({"type": "integer", "default": 1})),
                ],
            },
        }));
        let validator = Validator::new(&crd.expect("a definition")).expect("a structural one");
        let object =
            |version: &str| json!({"apiVersion": version, "kind": "F", "metadata": {"name": "f"}, "old": 2});
        let sent = object("example.com/v1");
        let mut answer = sent.clone();
        answer["new"] = json!(1);

        let admitted = validator.before_storage().create(&sent).result.expect("it is accepted");
        assert_eq!(admitted, sent);
        let stored = validator.converted(&admitted, "v2").expect("it is converted");
        assert_eq!(stored, object("example.com/v2"));
        assert_eq!(validator.read(&stored, "v1").as_ref(), Ok(&answer));
        assert_eq!(validator.create(&sent).result.as_ref(), Ok(&answer));
    }
}
