//! Fields that objects lose on their way into the storage version, or that its clients miss.

use super::kinds::{CrdAdvice, FIELD_LOST_BETWEEN_VERSIONS};
use crate::crd::{Child, Items, JsonSchemaProps, JsonSchemaPropsOrBool};
use crate::embedded::is_own_field;
use crate::lazy_path::LazyPath;
use crate::{CustomResourceDefinition, FieldPath};

/// The most fields that a message names.
const NAMED: usize = 3;

/// Compares each served version with the storage version, unless a webhook converts objects: without one, the API server changes only
/// `apiVersion`, stores an object without the fields that the storage version does not have, and validates it by the version that was
/// sent.
///
/// Source: `apiextensions-apiserver/pkg/apiserver/conversion/nop_converter.go`.
pub(super) fn lost(crd: &CustomResourceDefinition, out: &mut Vec<CrdAdvice>) {
    let is_converted =
        crd.spec.conversion.as_ref().is_some_and(|conversion| conversion.strategy == "Webhook");
    let stored = crd.storage_version().filter(|_| !is_converted);
    let Some((stored, stored_schema)) =
        stored.and_then(|stored| Some((stored, stored.open_api_v3_schema()?)))
    else {
        return;
    };
    for (i, served) in crd.spec.versions.iter().enumerate() {
        let Some(schema) =
            served.open_api_v3_schema().filter(|_| served.served && served.name != stored.name)
        else {
            continue;
        };
        let place =
            FieldPath::new("spec").child("versions").index(i).child("schema").child("openAPIV3Schema");
        let mut walk = VersionWalk::default();
        let root = LazyPath::new(&place);
        walk.object(schema, stored_schema, &root, "");
        let (from, to) = (&served.name, &stored.name);
        walk.lost.report(out, |fields| {
            format!("objects of `{from}` lose {fields} when they are stored: the storage version `{to}` does not have {}", pronoun(fields))
        });
        walk.absent.report(out, |fields| {
            format!("objects of `{from}` may be stored without {fields}, which `{to}` requires: its clients cannot read them")
        });
    }
}

fn pronoun(fields: &str) -> &'static str {
    if fields.contains(' ') { "them" } else { "it" }
}

/// The differences of a version from the storage version.
#[derive(Default)]
struct VersionWalk {
    /// Fields that the storage version does not have.
    lost: FoundFields,
    /// Fields that the storage version requires, and this one does not.
    absent: FoundFields,
}

/// The fields of a kind of difference.
#[derive(Default)]
struct FoundFields {
    first: Option<FieldPath>,
    names: Vec<String>,
    count: usize,
}

impl FoundFields {
    fn push(&mut self, place: &LazyPath<'_>, object: &str, name: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| place.path());
        if self.names.len() < NAMED {
            self.names.push(format!("`{object}.{name}`"));
        }
    }

    fn report(self, out: &mut Vec<CrdAdvice>, message: impl Fn(&str) -> String) {
        let Some(first) = self.first else { return };
        let more = self.count - self.names.len();
        let mut fields = self.names.join(", ");
        if more > 0 {
            fields.push_str(&format!(" and {more} more"));
        }
        let help = "have the field in both versions, or convert objects with a webhook (`spec.conversion`)";
        out.push(CrdAdvice::new(FIELD_LOST_BETWEEN_VERSIONS, first, message(&fields), Some(help.to_owned())));
    }
}

impl VersionWalk {
    /// Compares two schemas of the values at `object`, a path in the object. `place` is that of the served version's schema.
    fn node(
        &mut self,
        served: &JsonSchemaProps,
        stored: &JsonSchemaProps,
        place: &LazyPath<'_>,
        object: &str,
    ) {
        self.object(served, stored, place, object);
        if let (Some(Items::Schema(served)), Some(Items::Schema(stored))) = (&served.items, &stored.items) {
            self.node(served, stored, &place.schema(Child::Items), &format!("{object}[]"));
        }
        if let (Some(served), Some(stored)) = (served.map_values(), stored.map_values()) {
            self.node(served, stored, &place.schema(Child::Values), &format!("{object}[*]"));
        }
    }

    fn object(
        &mut self,
        served: &JsonSchemaProps,
        stored: &JsonSchemaProps,
        place: &LazyPath<'_>,
        object: &str,
    ) {
        let is_resource = object.is_empty() || served.x_embedded_resource == Some(true);
        let is_own = |name: &str| is_resource && is_own_field(name);
        let keeps = stored.x_preserve_unknown_fields == Some(true)
            || matches!(stored.additional_properties, Some(JsonSchemaPropsOrBool::Allowed(true)));
        for (name, property) in
            served.properties.iter().flat_map(|all| all.iter()).filter(|(name, _)| !is_own(name))
        {
            let place = place.schema(Child::Property(name));
            match stored.properties.as_ref().and_then(|all| all.get(name)).or_else(|| stored.map_values()) {
                Some(stored) => self.node(property, stored, &place, &format!("{object}.{name}")),
                None if keeps => {}
                None => self.lost.push(&place, object, name),
            }
        }
        for name in stored.required.iter().flatten().filter(|name| !is_own(name)) {
            let is_filled = |schema: &JsonSchemaProps| {
                schema
                    .properties
                    .as_ref()
                    .and_then(|all| all.get(name))
                    .is_some_and(|property| property.default.is_some())
            };
            let is_required = served.required.iter().flatten().any(|other| other == name);
            if !is_required && !is_filled(served) && !is_filled(stored) {
                self.absent.push(place, object, name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::advise;
    use super::*;

    /// The advice on two versions, whose `spec` has these schemas: the served one, and the storage version.
    fn found(served: &Value, stored: &Value, conversion: &str) -> Vec<String> {
        let version = |name: &str, spec: &Value| {
            json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"apiVersion": {"type": "string"}, "spec": spec},
            }}})
        };
        let crd = json!({"spec": {
            "conversion": {"strategy": conversion},
            "versions": [version("v1beta1", served), version("v1", stored)],
        }});
        let crd = CustomResourceDefinition::from_value(crd).unwrap_or_default();
        let found = advise(&crd).into_iter().filter(|advice| advice.name == FIELD_LOST_BETWEEN_VERSIONS);
        found.map(|advice| format!("{}: {}", advice.field, advice.message)).collect()
    }

    fn fields(names: &[&str], required: &[&str]) -> Value {
        let properties: serde_json::Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": properties, "required": required})
    }

    const PLACE: &str = "spec.versions[0].schema.openAPIV3Schema.properties[spec]";

    #[test]
    fn a_renamed_field_is_lost() {
        let (served, stored) = (fields(&["diskSize"], &["diskSize"]), fields(&["storage"], &["storage"]));
        assert_eq!(
            found(&served, &stored, "None"),
            [
                format!(
                    "{PLACE}.properties[diskSize]: objects of `v1beta1` lose `.spec.diskSize` when they are stored: the storage \
                     version `v1` does not have it"
                ),
                format!(
                    "{PLACE}: objects of `v1beta1` may be stored without `.spec.storage`, which `v1` requires: its clients cannot \
                     read them"
                ),
            ]
        );
        assert_eq!(found(&served, &stored, "Webhook"), [""; 0]);
    }

    #[test]
    fn many_lost_fields_are_counted() {
        let found = found(&fields(&["a", "b", "c", "d", "e"], &[]), &fields(&[], &[]), "None");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("lose `.spec.a`, `.spec.b`, `.spec.c` and 2 more when"), "{}", found[0]);
        assert!(found[0].ends_with("does not have them"), "{}", found[0]);
    }

    /// The storage version may have more fields, keep fields that it does not know, and fill in what it requires.
    #[test]
    fn fields_that_are_kept_are_no_loss() {
        let mut filled = fields(&["a", "b"], &["b"]);
        filled["properties"]["b"]["default"] = json!("x");
        let keeps = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
        for stored in [fields(&["a", "b"], &[]), filled, keeps, map] {
            assert_eq!(found(&fields(&["a"], &[]), &stored, "None"), [""; 0], "{stored}");
        }
    }

    #[test]
    fn fields_in_lists_and_maps_are_compared() {
        let list = |items: Value| json!({"type": "array", "items": items});
        let map = |values: Value| json!({"type": "object", "additionalProperties": values});
        let (served, stored) = (fields(&["a"], &[]), fields(&["b"], &[]));
        for (wrap, path) in [(&list as &dyn Fn(Value) -> Value, ".spec[].a"), (&map, ".spec[*].a")] {
            let found = found(&wrap(served.clone()), &wrap(stored.clone()), "None");
            assert!(found.len() == 1 && found[0].contains(path), "{found:?}");
        }
    }
}
