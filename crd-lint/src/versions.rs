//! Fields that clients of one version cannot see, and take away from objects of another.

use crd_core::crd::{Child, JsonSchemaProps};
use crd_core::lazy_path::LazyPath;
use crd_core::{CustomResourceDefinition, FieldPath};

use crate::finding::FoundBy;
use crate::node::short;

/// The number of fields that a message names.
const NAMED: usize = 3;
/// The schemas that are compared: all real CRDs have fewer.
const COMPARED: usize = 200_000;

/// A field of the storage version that another served version lacks: who writes objects back in that version resets it.
pub(crate) fn reset_through_version(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let is_converted =
        crd.spec.conversion.as_ref().is_some_and(|conversion| conversion.strategy == "Webhook");
    let Some(stored) = crd.storage_version().filter(|_| !is_converted) else { return };
    let Some(at) = crd.spec.versions.iter().position(|version| version.name == stored.name) else { return };
    let Some(schema) = stored.open_api_v3_schema() else { return };
    let base = FieldPath::new("spec").child("versions").index(at).child("schema").child("openAPIV3Schema");
    for version in crd.spec.versions.iter().filter(|version| version.served && version.name != stored.name) {
        let Some(other) = version.open_api_v3_schema() else { continue };
        let mut reset = Reset { first: None, names: Vec::new(), count: 0, left: COMPARED };
        reset.compare(schema, other, &LazyPath::new(&base), "");
        let Some(first) = reset.first else { continue };
        let more = reset.count - reset.names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let message = format!(
            "`{}` does not have {}{more}: a client that reads objects in it and writes them back resets what `{}` stores, to the default or to \
             nothing",
            version.name,
            reset.names.join(", "),
            stored.name,
        );
        found.add(
            first,
            message,
            "add the field to all served versions, or convert objects with a webhook (`spec.conversion`)",
        );
    }
}

struct Reset {
    first: Option<FieldPath>,
    names: Vec<String>,
    count: usize,
    left: usize,
}

impl Reset {
    fn compare(
        &mut self,
        stored: &JsonSchemaProps,
        other: &JsonSchemaProps,
        place: &LazyPath<'_>,
        field: &str,
    ) {
        if other.x_preserve_unknown_fields == Some(true) {
            return;
        }
        for (child, below) in stored.spine() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let place = place.schema(child);
            let (twin, step) = match child {
                Child::Property(name) => (
                    other.properties.as_ref().and_then(|all| all.get(name)),
                    format!("{field}.{}", short(name)),
                ),
                Child::Values => (other.map_values(), format!("{field}[*]")),
                _ => (
                    other.spine().find(|(other, _)| *other == child).map(|(_, items)| items),
                    format!("{field}[]"),
                ),
            };
            match twin {
                Some(twin) => self.compare(below, twin, &place, &step),
                // A controller writes the status in one version.
                None if matches!(child, Child::Property(_)) && !step.starts_with(".status") => {
                    self.count += 1;
                    self.first.get_or_insert_with(|| place.path());
                    if self.names.len() < NAMED {
                        self.names.push(format!("`{step}`"));
                    }
                }
                None => {}
            }
        }
    }
}
