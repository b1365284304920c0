//! Finds fields that objects lose when they are stored in the storage version, or that clients of the storage version miss.

use std::collections::HashSet;

use crd_go::budget::{Budget, Exhausted, Reserve};

use super::kinds::{CrdAdvice, FIELD_LOST_BETWEEN_VERSIONS, FIELD_RESET_THROUGH_VERSION};
use crate::crd::{Child, Items, JsonSchemaProps, JsonSchemaPropsOrBool, Version};
use crate::embedded::is_own_field;
use crate::lazy_path::LazyPath;
use crate::{CustomResourceDefinition, FieldPath};

/// Maximum number of field names in a message.
const NAMED: usize = 3;

/// Maximum number of properties and required names that are compared. One schema can be compared with many others: with the schemas of all
/// versions or, for a map's values, with the schemas of many properties.
const COMPARED: u64 = 2_000_000;

/// Returns the storage version and the other served versions, each with its index. `None` if a webhook converts objects. Without a webhook,
/// the API server changes only `apiVersion`. Objects are validated in the request's version, and stored without the fields that the storage
/// version lacks.
///
/// Source: `apiextensions-apiserver/pkg/apiserver/conversion/nop_converter.go`.
fn unconverted(crd: &CustomResourceDefinition) -> Option<(IndexedSchema<'_>, Vec<IndexedSchema<'_>>)> {
    let versions = || crd.spec.versions.iter().enumerate();
    let stored =
        versions().find(|(_, version)| version.storage).filter(|_| !crd.spec.has_conversion_webhook())?;
    let is_other = |(_, version): &(usize, &Version)| version.served && version.name != stored.1.name;
    Some((IndexedSchema::new(stored)?, versions().filter(is_other).filter_map(IndexedSchema::new).collect()))
}

/// A version's schema, and the version's index in the CRD.
struct IndexedSchema<'s> {
    index: usize,
    name: &'s str,
    schema: &'s JsonSchemaProps,
}

impl<'s> IndexedSchema<'s> {
    fn new((index, version): (usize, &'s Version)) -> Option<Self> {
        Some(Self { index, name: &version.name, schema: version.open_api_v3_schema()? })
    }

    fn place(&self) -> FieldPath {
        FieldPath::new("spec").child("versions").index(self.index).child("schema").child("openAPIV3Schema")
    }
}

/// Compares each served version with the storage version.
pub(super) fn lost(crd: &CustomResourceDefinition, out: &mut Vec<CrdAdvice>) {
    let Some((stored, others)) = unconverted(crd) else { return };
    let mut reserve = Reserve::new(COMPARED);
    for served in others {
        let walk = VersionWalk::between(&served, &stored, None, &mut reserve);
        let (from, to) = (served.name, stored.name);
        let help = "give both versions the field, or convert objects with a webhook (`spec.conversion`)";
        let mut report = |found: FoundFields, message: &dyn Fn(&str, &str) -> String| {
            let advice = |(field, message)| {
                CrdAdvice::new(FIELD_LOST_BETWEEN_VERSIONS, field, message, Some(help.to_owned()))
            };
            out.extend(found.report(message).map(advice));
        };
        report(walk.lost, &|fields, them| {
            format!(
                "objects of `{from}` lose {fields} when they are stored: the storage version `{to}` does not have {them}"
            )
        });
        report(walk.absent, &|fields, them| {
            format!(
                "objects of `{from}` may be stored without {fields}, which `{to}` requires: clients of `{to}` that rely on {them} fail, and the API server may reject their updates"
            )
        });
    }
}

/// Compares the storage version with each other served version. A client that writes an object back in the other version resets fields
/// which that version lacks. The status is ignored, because usually only a controller writes the status, always in the same version.
pub(super) fn reset(crd: &CustomResourceDefinition, out: &mut Vec<CrdAdvice>) {
    let Some((stored, others)) = unconverted(crd) else { return };
    let mut reserve = Reserve::new(COMPARED);
    for other in others {
        let walk = VersionWalk::between(&stored, &other, Some("status"), &mut reserve);
        let found = walk.lost.report(&|fields, _| {
            format!(
                "`{}` does not have {fields}: when a client reads an object in this version and writes it back, the values of `{}` are reset to the default, or removed",
                other.name, stored.name
            )
        });
        let help =
            "add the field to all served versions, or convert objects with a webhook (`spec.conversion`)";
        out.extend(found.map(|(field, message)| {
            CrdAdvice::new(FIELD_RESET_THROUGH_VERSION, field, message, Some(help.to_owned()))
        }));
    }
}

/// Compares the schemas of two versions: objects of the first one are stored, or written back, in the second one.
struct VersionWalk<'r> {
    /// Fields that the other version lacks.
    lost: FoundFields,
    /// Fields that only the other version requires.
    absent: FoundFields,
    /// A top-level field of objects that is not compared.
    skipped: Option<&'static str>,
    steps: Budget<'r>,
}

/// Fields with the same problem: all are lost, or all are absent.
#[derive(Default)]
struct FoundFields {
    first: Option<FieldPath>,
    names: Vec<String>,
    count: usize,
}

impl FoundFields {
    /// Adds a field below the schema at `place`.
    fn push(&mut self, place: &LazyPath<'_>, name: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| place.path());
        if self.names.len() < NAMED {
            self.names.push(format!("`{}{name}`", place.value_path()));
        }
    }

    /// Returns the path of the first field, and a message about all fields. `message` gets the field names as one string, and the pronoun
    /// for the fields, `it` or `them`.
    fn report(self, message: &dyn Fn(&str, &str) -> String) -> Option<(FieldPath, String)> {
        let more = self.count - self.names.len();
        let mut fields = self.names.join(", ");
        if more > 0 {
            fields.push_str(&format!(" and {more} more"));
        }
        Some((self.first?, message(&fields, if self.count == 1 { "it" } else { "them" })))
    }
}

impl<'r> VersionWalk<'r> {
    /// Compares the schemas of two versions. At the limit of comparisons in `reserve`, the search ends.
    fn between(
        from: &IndexedSchema<'_>,
        to: &IndexedSchema<'_>,
        skipped: Option<&'static str>,
        reserve: &'r mut Reserve,
    ) -> Self {
        let (lost, absent) = Default::default();
        let mut walk = Self { lost, absent, skipped, steps: reserve.budget(0) };
        let _ = walk.object(from.schema, to.schema, &LazyPath::new(&from.place()), true);
        walk
    }

    /// Compares two schemas for the same values. `place` is the path of the served version's schema.
    fn node(
        &mut self,
        served: &JsonSchemaProps,
        stored: &JsonSchemaProps,
        place: &LazyPath<'_>,
    ) -> Result<(), Exhausted> {
        self.object(served, stored, place, served.x_embedded_resource == Some(true))?;
        if let (Some(Items::Schema(served)), Some(Items::Schema(stored))) = (&served.items, &stored.items) {
            self.node(served, stored, &place.schema(Child::Items))?;
        }
        if let (Some(served), Some(stored)) = (served.map_values(), stored.map_values()) {
            self.node(served, stored, &place.schema(Child::Values))?;
        }
        Ok(())
    }

    fn object(
        &mut self,
        served: &JsonSchemaProps,
        stored: &JsonSchemaProps,
        place: &LazyPath<'_>,
        is_resource: bool,
    ) -> Result<(), Exhausted> {
        let skipped = self.skipped;
        let is_own = |name: &str| is_resource && (is_own_field(name) || skipped == Some(name));
        let keeps = stored.x_preserve_unknown_fields == Some(true)
            || matches!(stored.additional_properties, Some(JsonSchemaPropsOrBool::Allowed(true)));
        for (name, below) in
            served.properties.iter().flat_map(|all| all.iter()).filter(|(name, _)| !is_own(name))
        {
            self.steps.take(1)?;
            let place_below = place.schema(Child::Property(name));
            match property(stored, name).or_else(|| stored.map_values()) {
                Some(stored) => self.node(below, stored, &place_below)?,
                None if keeps => {}
                None => self.lost.push(&place_below, ""),
            }
        }
        let required: HashSet<&String> = served.required.iter().flatten().collect();
        let is_filled = |schema: &JsonSchemaProps, name: &str| {
            property(schema, name).is_some_and(|below| below.default.is_some())
        };
        for name in stored.required.iter().flatten().filter(|name| !is_own(name)) {
            self.steps.take(1)?;
            if !required.contains(name) && !is_filled(served, name) && !is_filled(stored, name) {
                self.absent.push(place, &format!(".{name}"));
            }
        }
        Ok(())
    }
}

fn property<'s>(schema: &'s JsonSchemaProps, name: &str) -> Option<&'s JsonSchemaProps> {
    schema.properties.as_ref()?.get(name)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::advise;
    use super::*;

    /// Returns the advice on two versions with these schemas of `spec`: a served version and the storage version.
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
                    "{PLACE}: objects of `v1beta1` may be stored without `.spec.storage`, which `v1` requires: clients of \
                     `v1` that rely on it fail, and the API server may reject their updates"
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

    /// The storage version may have more fields, may keep unknown fields, and may have defaults for the fields that it requires.
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
