//! Finds values that the API server does not store, because Go omits empty fields.

use super::kinds::{CrdAdvice, DROPPED_VALUE};
use crate::OrderedMap;
use crate::crd::{JsonSchemaProps, Version};
use crate::lazy_path::LazyPath;
use crate::{CustomResourceDefinition, Edit, FieldPath, Remedy};

/// Finds the values that the API server does not store.
pub(super) fn dropped(crd: &CustomResourceDefinition, out: &mut Vec<CrdAdvice>) {
    let base = FieldPath::root();
    let root = LazyPath::new(&base);
    let spec = root.child("spec");
    let names = spec.child("names");
    let mut found = Dropped { out };
    found.list(crd.spec.names.short_names.as_ref(), &names, "shortNames");
    found.list(crd.spec.names.categories.as_ref(), &names, "categories");
    found.flag(crd.spec.preserve_unknown_fields, &spec, "preserveUnknownFields");
    if crd.status.is_some() {
        found.push(&root, "status", "the API server sets the status itself and drops this status");
    }
    let versions = spec.child("versions");
    for (i, version) in crd.spec.versions.iter().enumerate() {
        found.version(version, &versions.index(i));
    }
}

struct Dropped<'o> {
    out: &'o mut Vec<CrdAdvice>,
}

impl Dropped<'_> {
    fn version(&mut self, version: &Version, place: &LazyPath<'_>) {
        self.flag(version.deprecated, place, "deprecated");
        self.list(version.additional_printer_columns.as_ref(), place, "additionalPrinterColumns");
        self.list(version.selectable_fields.as_ref(), place, "selectableFields");
        let columns = place.child("additionalPrinterColumns");
        for (i, column) in version.additional_printer_columns.iter().flatten().enumerate() {
            if column.priority == Some(0) {
                self.push(&columns.index(i), "priority", "0 is the default, which the API server drops");
            }
        }
        if let Some(schema) = version.open_api_v3_schema() {
            self.schema(schema, &place.child("schema").child("openAPIV3Schema"));
        }
    }

    fn schema(&mut self, schema: &JsonSchemaProps, place: &LazyPath<'_>) {
        for (flag, key) in [
            (schema.nullable, "nullable"),
            (schema.exclusive_maximum, "exclusiveMaximum"),
            (schema.exclusive_minimum, "exclusiveMinimum"),
            (schema.unique_items, "uniqueItems"),
            (schema.x_embedded_resource, "x-kubernetes-embedded-resource"),
            (schema.x_int_or_string, "x-kubernetes-int-or-string"),
        ] {
            self.flag(flag, place, key);
        }
        for (text, key) in [
            (&schema.description, "description"),
            (&schema.title, "title"),
            (&schema.format, "format"),
            (&schema.pattern, "pattern"),
            (&schema.type_, "type"),
        ] {
            if text.as_deref() == Some("") {
                self.push(place, key, "the API server drops an empty string");
            }
        }
        self.list(schema.required.as_ref(), place, "required");
        self.list(schema.enum_.as_ref(), place, "enum");
        self.list(schema.all_of.as_ref(), place, "allOf");
        self.list(schema.any_of.as_ref(), place, "anyOf");
        self.list(schema.one_of.as_ref(), place, "oneOf");
        self.list(schema.x_list_map_keys.as_ref(), place, "x-kubernetes-list-map-keys");
        self.list(schema.x_validations.as_ref(), place, "x-kubernetes-validations");
        if schema.properties.as_ref().is_some_and(OrderedMap::is_empty) {
            self.push(place, "properties", "the API server drops an empty map");
        }
        self.below(schema, place);
    }

    fn below(&mut self, schema: &JsonSchemaProps, place: &LazyPath<'_>) {
        for (child, schema) in schema.spine() {
            self.schema(schema, &place.schema(child));
        }
        for (key, schemas) in
            [("allOf", &schema.all_of), ("anyOf", &schema.any_of), ("oneOf", &schema.one_of)]
        {
            let place = place.child(key);
            for (i, schema) in schemas.iter().flatten().enumerate() {
                self.schema(schema, &place.index(i));
            }
        }
        if let Some(not) = &schema.not {
            self.schema(not, &place.child("not"));
        }
    }

    fn flag(&mut self, flag: Option<bool>, place: &LazyPath<'_>, key: &str) {
        if flag == Some(false) {
            self.push(place, key, "`false` is the default, which the API server drops");
        }
    }

    fn list<T>(&mut self, list: Option<&Vec<T>>, place: &LazyPath<'_>, key: &str) {
        if list.is_some_and(Vec::is_empty) {
            self.push(place, key, "the API server drops an empty list");
        }
    }

    fn push(&mut self, place: &LazyPath<'_>, key: &str, message: &str) {
        let field = place.child(key).path();
        self.out.push(CrdAdvice {
            name: DROPPED_VALUE,
            remedy: Some(Remedy::new("remove it").with(Edit::remove(field.clone()))),
            field,
            message: format!(
                "{message}: tools that compare the text of this file with the stored object show a difference"
            ),
        });
    }
}
