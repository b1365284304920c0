//! Finds lists without `x-kubernetes-list-type`.

use super::kinds::{CrdAdvice, LIST_WITHOUT_TYPE};
use crate::FieldPath;
use crate::crd::{JsonSchemaProps, Version};
use crate::lazy_path::LazyPath;

/// Counts the lists of a version that have no type, and gives the name of the first such list.
pub(super) fn lists(version: &Version, path: &FieldPath, out: &mut Vec<CrdAdvice>) {
    let Some(schema) = version.open_api_v3_schema() else { return };
    let mut found = UntypedLists::default();
    found.node(schema, &LazyPath::new(&path.child("schema").child("openAPIV3Schema")));
    let Some(first) = found.first else { return };
    let message = match found.count {
        1 => "the list has no `x-kubernetes-list-type`".to_owned(),
        count => format!("{count} lists have no `x-kubernetes-list-type`, and this is the first one"),
    };
    let message = message
        + ": server-side apply replaces such a list as a whole, including items that other field managers set";
    let help =
        "set it to `map` with `x-kubernetes-list-map-keys`, to `set`, or to `atomic` if this is intended";
    out.push(CrdAdvice { name: LIST_WITHOUT_TYPE, field: first, message, remedy: Some(help.into()) });
}

#[derive(Default)]
struct UntypedLists {
    count: usize,
    first: Option<FieldPath>,
}

impl UntypedLists {
    fn node(&mut self, schema: &JsonSchemaProps, place: &LazyPath<'_>) {
        if schema.type_.as_deref() == Some("array") && schema.x_list_type.is_none() {
            self.count += 1;
            self.first.get_or_insert_with(|| place.path());
        }
        for (child, schema) in schema.spine() {
            self.node(schema, &place.schema(child));
        }
    }
}
