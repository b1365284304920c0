//! Finds the unknown keys of a CRD.

use super::{
    CustomResourceDefinition, Dependency, Items, JsonSchemaProps, JsonSchemaPropsOrBool, ObjectMeta, Version,
};
use crate::{FieldPath, OrderedMap};
use serde_json::Value;

impl CustomResourceDefinition {
    /// Returns the unknown keys, with the paths that the API server gives under strict field validation.
    ///
    /// ```
    /// use crd_core::CustomResourceDefinition;
    /// use serde_json::json;
    ///
    /// let crd = CustomResourceDefinition::from_value(json!({"spec": {"names": {"shortName": "ct"}}}))?;
    /// let unknown: Vec<_> = crd.unknown_fields().iter().map(ToString::to_string).collect();
    /// assert_eq!(unknown, ["spec.names.shortName"]);
    /// # Ok::<(), crd_core::DecodeError>(())
    /// ```
    #[must_use]
    pub fn unknown_fields(&self) -> Vec<FieldPath> {
        let mut found = UnknownFields(Vec::new());
        let root = FieldPath::root();
        found.keys(&self.unknown, &root);
        found.metadata(&self.metadata, &root.child("metadata"));
        let spec = root.child("spec");
        found.keys(&self.spec.unknown, &spec);
        found.keys(&self.spec.names.unknown, &spec.child("names"));
        for (i, version) in self.spec.versions.iter().enumerate() {
            found.version(version, &spec.child("versions").index(i));
        }
        if let Some(conversion) = &self.spec.conversion {
            let path = spec.child("conversion");
            found.keys(&conversion.unknown, &path);
            if let Some(webhook) = &conversion.webhook {
                let path = path.child("webhook");
                found.keys(&webhook.unknown, &path);
                if let Some(client) = &webhook.client_config {
                    let path = path.child("clientConfig");
                    found.keys(&client.unknown, &path);
                    if let Some(service) = &client.service {
                        found.keys(&service.unknown, &path.child("service"));
                    }
                }
            }
        }
        found.0
    }
}

struct UnknownFields(Vec<FieldPath>);

impl UnknownFields {
    fn keys(&mut self, unknown: &OrderedMap<Value>, path: &FieldPath) {
        self.0.extend(unknown.keys().map(|key| path.child(key)));
    }

    fn metadata(&mut self, metadata: &ObjectMeta, path: &FieldPath) {
        self.keys(&metadata.unknown, path);
        for (i, owner) in metadata.owner_references.as_deref().unwrap_or_default().iter().enumerate() {
            self.keys(&owner.unknown, &path.child("ownerReferences").index(i));
        }
        for (i, entry) in metadata.managed_fields.as_deref().unwrap_or_default().iter().enumerate() {
            self.keys(&entry.unknown, &path.child("managedFields").index(i));
        }
    }

    fn version(&mut self, version: &Version, path: &FieldPath) {
        self.keys(&version.unknown, path);
        if let Some(validation) = &version.schema {
            let path = path.child("schema");
            self.keys(&validation.unknown, &path);
            if let Some(schema) = &validation.open_api_v3_schema {
                self.schema(schema, &path.child("openAPIV3Schema"));
            }
        }
        if let Some(subresources) = &version.subresources {
            let path = path.child("subresources");
            self.keys(&subresources.unknown, &path);
            if let Some(status) = &subresources.status {
                self.keys(&status.unknown, &path.child("status"));
            }
            if let Some(scale) = &subresources.scale {
                self.keys(&scale.unknown, &path.child("scale"));
            }
        }
        for (i, column) in
            version.additional_printer_columns.as_deref().unwrap_or_default().iter().enumerate()
        {
            self.keys(&column.unknown, &path.child("additionalPrinterColumns").index(i));
        }
        for (i, field) in version.selectable_fields.as_deref().unwrap_or_default().iter().enumerate() {
            self.keys(&field.unknown, &path.child("selectableFields").index(i));
        }
    }

    fn schema(&mut self, schema: &JsonSchemaProps, path: &FieldPath) {
        self.keys(&schema.unknown, path);
        if let Some(docs) = &schema.external_docs {
            self.keys(&docs.unknown, &path.child("externalDocs"));
        }
        for (i, rule) in schema.x_validations.as_deref().unwrap_or_default().iter().enumerate() {
            self.keys(&rule.unknown, &path.child("x-kubernetes-validations").index(i));
        }
        match &schema.items {
            Some(Items::Schema(items)) => self.schema(items, &path.child("items")),
            Some(Items::Schemas(items)) => {
                for (i, items) in items.iter().enumerate() {
                    self.schema(items, &path.child("items").index(i));
                }
            }
            Some(Items::Neither(_)) | None => {}
        }
        for (name, schemas) in
            [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)]
        {
            for (i, schema) in schemas.as_deref().unwrap_or_default().iter().enumerate() {
                self.schema(schema, &path.child(name).index(i));
            }
        }
        if let Some(not) = &schema.not {
            self.schema(not, &path.child("not"));
        }
        let maps = [
            ("properties", &schema.properties),
            ("patternProperties", &schema.pattern_properties),
            ("definitions", &schema.definitions),
        ];
        for (name, schemas) in maps {
            if let Some(schemas) = schemas {
                for (key, schema) in schemas.iter() {
                    self.schema(schema, &path.child(name).child(key));
                }
            }
        }
        if let Some(dependencies) = &schema.dependencies {
            for (name, dependency) in dependencies.iter() {
                if let Dependency::Schema(schema) = dependency {
                    self.schema(schema, &path.child("dependencies").child(name));
                }
            }
        }
        let additional = [
            ("additionalProperties", &schema.additional_properties),
            ("additionalItems", &schema.additional_items),
        ];
        for (name, additional) in additional {
            if let Some(JsonSchemaPropsOrBool::Schema(schema)) = additional {
                self.schema(schema, &path.child(name));
            }
        }
    }
}
