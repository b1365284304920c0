//! Parts of a definition as Go prints its internal form: `json.Marshal` of structs that bear no tags.
//!
//! Source: `apis/apiextensions/{types,types_jsonschema}.go`.

use crd_go::json::{Num, write_json, write_json_string};
use serde_json::Number;

use super::effective::Effective;
use crate::OrderedMap;
use crate::crd::{
    AdditionalProperties, Dependency, Items, JsonSchemaProps, PrinterColumn, SelectableField, Subresources,
    ValidationRule, Version,
};

/// `spec.versions`, without what moved to the top.
pub(super) fn versions(effective: &Effective<'_>) -> String {
    let versions = &effective.spec.versions;
    if versions.is_empty() && !effective.has_versions {
        return "null".to_owned();
    }
    let mut out = Writer::default();
    out.list(Some(versions.iter().enumerate()), |out, (i, version)| out.version(effective, i, version));
    out.0
}

/// Writes parts of a definition.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) String);

impl Writer {
    fn version(&mut self, effective: &Effective<'_>, index: usize, version: &Version) {
        let parts = effective.version(index);
        self.open();
        self.text("Name", &version.name);
        self.flag("Served", version.served);
        self.flag("Storage", version.storage);
        self.flag("Deprecated", version.deprecated == Some(true));
        self.optional_text("DeprecationWarning", version.deprecation_warning.as_deref());
        self.key("Schema");
        self.or_null(parts.schema, |out, validation| {
            out.open();
            out.optional_schema("OpenAPIV3Schema", validation.open_api_v3_schema.as_deref());
            out.close();
        });
        self.key("Subresources");
        self.or_null(parts.subresources, Self::subresources);
        self.key("AdditionalPrinterColumns");
        let columns = version.additional_printer_columns.as_ref().filter(|_| !effective.shared.columns);
        self.list(columns, Self::column);
        self.key("SelectableFields");
        let selectable = version.selectable_fields.as_ref().filter(|_| !effective.shared.selectable);
        self.list(selectable, Self::selectable);
        self.close();
    }

    fn subresources(&mut self, subresources: &Subresources) {
        self.open();
        self.key("Status");
        self.or_null(subresources.status.as_ref(), |out, _| out.0.push_str("{}"));
        self.key("Scale");
        self.or_null(subresources.scale.as_ref(), |out, scale| {
            out.open();
            out.text("SpecReplicasPath", &scale.spec_replicas_path);
            out.text("StatusReplicasPath", &scale.status_replicas_path);
            out.optional_text("LabelSelectorPath", scale.label_selector_path.as_deref());
            out.close();
        });
        self.close();
    }

    fn column(&mut self, column: &PrinterColumn) {
        self.open();
        self.text("Name", &column.name);
        self.text("Type", &column.type_);
        self.text("Format", &column.format);
        self.text("Description", &column.description);
        self.integer("Priority", Some(i64::from(column.priority.unwrap_or(0))));
        self.text("JSONPath", &column.json_path);
        self.close();
    }

    fn selectable(&mut self, field: &SelectableField) {
        self.open();
        self.text("JSONPath", &field.json_path);
        self.close();
    }

    pub(crate) fn rule(&mut self, rule: &ValidationRule) {
        self.open();
        self.text("Rule", &rule.rule);
        self.text("Message", &rule.message);
        self.text("MessageExpression", &rule.message_expression);
        self.optional_text("Reason", rule.reason.as_deref());
        self.text("FieldPath", &rule.field_path);
        self.optional_flag("OptionalOldSelf", rule.optional_old_self);
        self.close();
    }

    pub(crate) fn schema(&mut self, schema: &JsonSchemaProps) {
        self.open();
        self.text("ID", &schema.id);
        self.text("Schema", &schema.schema);
        self.optional_text("Ref", schema.reference.as_deref());
        self.text("Description", schema.description.as_deref().unwrap_or_default());
        self.text("Type", schema.type_.as_deref().unwrap_or_default());
        self.flag("Nullable", schema.nullable == Some(true));
        self.text("Format", schema.format.as_deref().unwrap_or_default());
        self.text("Title", schema.title.as_deref().unwrap_or_default());
        self.value("Default", schema.default.as_deref());
        self.restrictions(schema);
        self.subschemas(schema);
        self.key("ExternalDocs");
        self.or_null(schema.external_docs.as_ref(), |out, docs| {
            out.open();
            out.text("Description", &docs.description);
            out.text("URL", &docs.url);
            out.close();
        });
        self.value("Example", schema.example.as_deref());
        self.optional_flag("XPreserveUnknownFields", schema.x_preserve_unknown_fields);
        self.flag("XEmbeddedResource", schema.x_embedded_resource == Some(true));
        self.flag("XIntOrString", schema.x_int_or_string == Some(true));
        self.texts("XListMapKeys", schema.x_list_map_keys.as_ref());
        self.optional_text("XListType", schema.x_list_type.as_deref());
        self.optional_text("XMapType", schema.x_map_type.as_deref());
        self.key("XValidations");
        self.list(schema.x_validations.as_ref(), Self::rule);
        self.close();
    }

    fn restrictions(&mut self, schema: &JsonSchemaProps) {
        self.number("Maximum", schema.maximum.as_ref());
        self.flag("ExclusiveMaximum", schema.exclusive_maximum == Some(true));
        self.number("Minimum", schema.minimum.as_ref());
        self.flag("ExclusiveMinimum", schema.exclusive_minimum == Some(true));
        self.integer("MaxLength", schema.max_length);
        self.integer("MinLength", schema.min_length);
        self.text("Pattern", schema.pattern.as_deref().unwrap_or_default());
        self.integer("MaxItems", schema.max_items);
        self.integer("MinItems", schema.min_items);
        self.flag("UniqueItems", schema.unique_items == Some(true));
        self.number("MultipleOf", schema.multiple_of.as_ref());
        self.key("Enum");
        self.list(schema.enum_.as_ref(), |out, value| write_json(&mut out.0, value));
        self.integer("MaxProperties", schema.max_properties);
        self.integer("MinProperties", schema.min_properties);
        self.texts("Required", schema.required.as_ref());
    }

    fn subschemas(&mut self, schema: &JsonSchemaProps) {
        self.key("Items");
        self.or_null(schema.items.as_ref(), Self::items);
        for (key, schemas) in
            [("AllOf", &schema.all_of), ("OneOf", &schema.one_of), ("AnyOf", &schema.any_of)]
        {
            self.key(key);
            self.list(schemas.as_ref(), Self::schema);
        }
        self.optional_schema("Not", schema.not.as_deref());
        self.map("Properties", schema.properties.as_ref(), Self::schema);
        self.additional("AdditionalProperties", schema.additional_properties.as_ref());
        self.map("PatternProperties", schema.pattern_properties.as_ref(), Self::schema);
        self.map("Dependencies", schema.dependencies.as_ref(), |out, dependency| {
            let (schema, properties) = match dependency {
                Dependency::Schema(schema) => (Some(&**schema), None),
                Dependency::Properties(names) => (None, Some(names)),
            };
            out.open();
            out.optional_schema("Schema", schema);
            // An entry that was `null` has a list that was never made.
            out.texts("Property", properties.filter(|names| !names.is_empty()));
            out.close();
        });
        self.additional("AdditionalItems", schema.additional_items.as_ref());
        self.map("Definitions", schema.definitions.as_ref(), Self::schema);
    }

    pub(crate) fn items(&mut self, items: &Items) {
        let (schema, schemas) = match items {
            Items::Schema(schema) => (Some(&**schema), None),
            Items::Schemas(schemas) => (None, Some(schemas)),
            Items::Neither(_) => (None, None),
        };
        self.open();
        self.optional_schema("Schema", schema);
        self.key("JSONSchemas");
        self.list(schemas, Self::schema);
        self.close();
    }

    fn additional(&mut self, key: &str, additional: Option<&AdditionalProperties>) {
        self.key(key);
        self.or_null(additional, |out, additional| {
            let (allows, schema) = match additional {
                AdditionalProperties::Allowed(allowed) => (*allowed, None),
                AdditionalProperties::Schema(schema) => (true, Some(&**schema)),
            };
            out.open();
            out.flag("Allows", allows);
            out.optional_schema("Schema", schema);
            out.close();
        });
    }

    fn open(&mut self) {
        self.0.push('{');
    }

    fn close(&mut self) {
        self.0.push('}');
    }

    fn key(&mut self, key: &str) {
        if !self.0.ends_with('{') {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(key);
        self.0.push_str("\":");
    }

    fn or_null<T>(&mut self, value: Option<&T>, write: impl Fn(&mut Self, &T)) {
        match value {
            Some(value) => write(self, value),
            None => self.0.push_str("null"),
        }
    }

    fn list<T>(&mut self, items: Option<impl IntoIterator<Item = T>>, write: impl Fn(&mut Self, T)) {
        let Some(items) = items else {
            self.0.push_str("null");
            return;
        };
        self.0.push('[');
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.0.push(',');
            }
            write(self, item);
        }
        self.0.push(']');
    }

    fn map<T>(&mut self, key: &str, map: Option<&OrderedMap<T>>, write: impl Fn(&mut Self, &T)) {
        self.key(key);
        self.or_null(map, |out, map| {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(name, _)| *name);
            out.open();
            for (i, (name, value)) in entries.into_iter().enumerate() {
                if i > 0 {
                    out.0.push(',');
                }
                write_json_string(&mut out.0, name);
                out.0.push(':');
                write(out, value);
            }
            out.close();
        });
    }

    fn optional_schema(&mut self, key: &str, schema: Option<&JsonSchemaProps>) {
        self.key(key);
        self.or_null(schema, Self::schema);
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        write_json_string(&mut self.0, text);
    }

    fn optional_text(&mut self, key: &str, text: Option<&str>) {
        self.key(key);
        match text {
            Some(text) => write_json_string(&mut self.0, text),
            None => self.0.push_str("null"),
        }
    }

    fn texts(&mut self, key: &str, texts: Option<&Vec<String>>) {
        self.key(key);
        self.list(texts, |out, text| write_json_string(&mut out.0, text));
    }

    fn flag(&mut self, key: &str, flag: bool) {
        self.optional_flag(key, Some(flag));
    }

    fn optional_flag(&mut self, key: &str, flag: Option<bool>) {
        self.key(key);
        self.0.push_str(match flag {
            Some(true) => "true",
            Some(false) => "false",
            None => "null",
        });
    }

    fn integer(&mut self, key: &str, number: Option<i64>) {
        self.key(key);
        match number {
            Some(number) => self.0.push_str(&number.to_string()),
            None => self.0.push_str("null"),
        }
    }

    /// A `float64`.
    fn number(&mut self, key: &str, number: Option<&Number>) {
        self.key(key);
        let float = number.and_then(|number| Number::from_f64(Num::from(number).as_float()));
        self.or_null(float.as_ref(), |out, number| write_json(&mut out.0, &number.clone().into()));
    }

    fn value(&mut self, key: &str, value: Option<&serde_json::Value>) {
        self.key(key);
        self.or_null(value, |out, value| write_json(&mut out.0, value));
    }
}
