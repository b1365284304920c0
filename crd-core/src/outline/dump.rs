//! Writes parts of a CRD for messages, as structs of the API server's internal form.
//!
//! Since 1.34, the API server prints these structs with `json.Marshal`, without tags. Earlier versions print the structs with `%#v` in Go
//! syntax, with the addresses of pointers.
//!
//! Source: `apis/apiextensions/{types,types_jsonschema}.go`.

use crd_go::KubeVersion;
use crd_go::json::{Num, go_syntax, write_json};
use crd_go::strings::{quote, write_json_string};
use serde_json::Number;

use super::effective::Effective;
use crate::OrderedMap;
use crate::crd::{
    Dependency, Items, JsonSchemaProps, JsonSchemaPropsOrBool, PrinterColumn, SelectableField, Subresources,
    ValidationRule, Version,
};

/// Writes `spec.versions`, without parts that are equal in all versions: these parts are at the top of `spec`.
pub(super) fn versions(effective: &Effective<'_>) -> String {
    let versions = Some(&effective.spec.versions).filter(|all| !all.is_empty() || effective.has_versions);
    let mut out = Writer::new(effective.kube_version);
    let versions = versions.map(|versions| versions.iter().enumerate());
    out.list("[]apiextensions.CustomResourceDefinitionVersion", versions, |out, (i, version)| {
        out.version(effective, i, version);
    });
    out.out
}

/// Writes parts of a CRD for messages, in the syntax of the API server.
pub(crate) struct Writer {
    pub(crate) out: String,
    syntax: Syntax,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// `encoding/json`
    Json,
    /// `%#v`
    Go,
}

/// The placeholder for a pointer's address. Addresses are not reproducible.
const ADDRESS: &str = "0xc000000000";

impl Writer {
    /// Returns a writer in the syntax of that version.
    pub(crate) fn new(version: KubeVersion) -> Self {
        let syntax = if version.is_at_least(34) { Syntax::Json } else { Syntax::Go };
        Self { out: String::new(), syntax }
    }

    fn version(&mut self, effective: &Effective<'_>, index: usize, version: &Version) {
        let parts = effective.version(index);
        self.open("apiextensions.CustomResourceDefinitionVersion");
        self.text("Name", &version.name);
        self.flag("Served", version.served);
        self.flag("Storage", version.storage);
        self.flag("Deprecated", version.deprecated == Some(true));
        self.optional_text("DeprecationWarning", version.deprecation_warning.as_deref());
        self.key("Schema");
        self.pointer("apiextensions.CustomResourceValidation", parts.schema, |out, validation| {
            out.open("apiextensions.CustomResourceValidation");
            out.optional_schema("OpenAPIV3Schema", validation.open_api_v3_schema.as_deref());
            out.close();
        });
        self.key("Subresources");
        self.pointer("apiextensions.CustomResourceSubresources", parts.subresources, Self::subresources);
        self.key("AdditionalPrinterColumns");
        let columns = version.additional_printer_columns.as_ref().filter(|_| !effective.shared.columns);
        self.list("[]apiextensions.CustomResourceColumnDefinition", columns, Self::column);
        self.key("SelectableFields");
        let selectable = version.selectable_fields.as_ref().filter(|_| !effective.shared.selectable);
        self.list("[]apiextensions.SelectableField", selectable, Self::selectable);
        self.close();
    }

    fn subresources(&mut self, subresources: &Subresources) {
        // Only JSON shows the values of pointers.
        self.open("");
        self.key("Status");
        self.pointer("", subresources.status.as_ref(), |out, _| out.out.push_str("{}"));
        self.key("Scale");
        self.pointer("", subresources.scale.as_ref(), |out, scale| {
            out.open("");
            out.text("SpecReplicasPath", &scale.spec_replicas_path);
            out.text("StatusReplicasPath", &scale.status_replicas_path);
            out.optional_text("LabelSelectorPath", scale.label_selector_path.as_deref());
            out.close();
        });
        self.close();
    }

    fn column(&mut self, column: &PrinterColumn) {
        self.open("apiextensions.CustomResourceColumnDefinition");
        self.text("Name", &column.name);
        self.text("Type", &column.type_);
        self.text("Format", &column.format);
        self.text("Description", &column.description);
        self.key("Priority");
        self.out.push_str(&column.priority.unwrap_or(0).to_string());
        self.text("JSONPath", &column.json_path);
        self.close();
    }

    fn selectable(&mut self, field: &SelectableField) {
        self.open("apiextensions.SelectableField");
        self.text("JSONPath", &field.json_path);
        self.close();
    }

    pub(crate) fn rule(&mut self, rule: &ValidationRule) {
        self.open("apiextensions.ValidationRule");
        self.text("Rule", &rule.rule);
        self.text("Message", &rule.message);
        self.text("MessageExpression", &rule.message_expression);
        self.optional_text_of("apiextensions.FieldValueErrorReason", "Reason", rule.reason.as_deref());
        self.text("FieldPath", &rule.field_path);
        self.optional_flag("OptionalOldSelf", rule.optional_old_self);
        self.close();
    }

    pub(crate) fn schema(&mut self, schema: &JsonSchemaProps) {
        self.open("apiextensions.JSONSchemaProps");
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
        self.pointer("apiextensions.ExternalDocumentation", schema.external_docs.as_ref(), |out, docs| {
            out.open("");
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
        self.list("apiextensions.ValidationRules", schema.x_validations.as_ref(), Self::rule);
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
        self.list("[]apiextensions.JSON", schema.enum_.as_ref(), |out, value| match out.syntax {
            Syntax::Json => write_json(&mut out.out, value),
            Syntax::Go => out.out.push_str(&go_syntax(value)),
        });
        self.integer("MaxProperties", schema.max_properties);
        self.integer("MinProperties", schema.min_properties);
        self.texts("Required", schema.required.as_ref());
    }

    fn subschemas(&mut self, schema: &JsonSchemaProps) {
        self.key("Items");
        self.pointer("apiextensions.JSONSchemaPropsOrArray", schema.items.as_ref(), Self::items);
        for (key, schemas) in
            [("AllOf", &schema.all_of), ("OneOf", &schema.one_of), ("AnyOf", &schema.any_of)]
        {
            self.key(key);
            self.list(SCHEMAS, schemas.as_ref(), Self::schema);
        }
        self.optional_schema("Not", schema.not.as_deref());
        self.map("Properties", SCHEMA_MAP, schema.properties.as_ref(), Self::schema);
        self.additional("AdditionalProperties", schema.additional_properties.as_ref());
        self.map("PatternProperties", SCHEMA_MAP, schema.pattern_properties.as_ref(), Self::schema);
        self.map(
            "Dependencies",
            "apiextensions.JSONSchemaDependencies",
            schema.dependencies.as_ref(),
            |out, dependency| {
                let (schema, properties) = match dependency {
                    Dependency::Schema(schema) => (Some(&**schema), None),
                    Dependency::Properties(names) => (None, Some(names)),
                };
                out.open("apiextensions.JSONSchemaPropsOrStringArray");
                out.optional_schema("Schema", schema);
                // An entry that was `null` has a nil slice.
                out.texts("Property", properties.filter(|names| !names.is_empty()));
                out.close();
            },
        );
        self.additional("AdditionalItems", schema.additional_items.as_ref());
        self.map(
            "Definitions",
            "apiextensions.JSONSchemaDefinitions",
            schema.definitions.as_ref(),
            Self::schema,
        );
    }

    pub(crate) fn items(&mut self, items: &Items) {
        let (schema, schemas) = match items {
            Items::Schema(schema) => (Some(&**schema), None),
            Items::Schemas(schemas) => (None, Some(schemas)),
            Items::Neither(_) => (None, None),
        };
        self.open("apiextensions.JSONSchemaPropsOrArray");
        self.optional_schema("Schema", schema);
        self.key("JSONSchemas");
        self.list(SCHEMAS, schemas, Self::schema);
        self.close();
    }

    fn additional(&mut self, key: &str, additional: Option<&JsonSchemaPropsOrBool>) {
        self.key(key);
        self.pointer("apiextensions.JSONSchemaPropsOrBool", additional, |out, additional| {
            let (allows, schema) = match additional {
                JsonSchemaPropsOrBool::Allowed(allowed) => (*allowed, None),
                JsonSchemaPropsOrBool::Schema(schema) => (true, Some(&**schema)),
            };
            out.open("");
            out.flag("Allows", allows);
            out.optional_schema("Schema", schema);
            out.close();
        });
    }

    fn open(&mut self, type_: &str) {
        if self.syntax == Syntax::Go {
            self.out.push_str(type_);
        }
        self.out.push('{');
    }

    fn close(&mut self) {
        self.out.push('}');
    }

    fn separate(&mut self) {
        self.out.push_str(if self.syntax == Syntax::Json { "," } else { ", " });
    }

    fn key(&mut self, key: &str) {
        if !self.out.ends_with('{') {
            self.separate();
        }
        match self.syntax {
            Syntax::Json => {
                self.out.push('"');
                self.out.push_str(key);
                self.out.push_str("\":");
            }
            Syntax::Go => {
                self.out.push_str(key);
                self.out.push(':');
            }
        }
    }

    /// Writes a Go pointer to a value of the type `type_`.
    fn pointer<T>(&mut self, type_: &str, value: Option<T>, write: impl Fn(&mut Self, T)) {
        match (self.syntax, value) {
            (Syntax::Json, Some(value)) => write(self, value),
            (Syntax::Json, None) => self.out.push_str("null"),
            (Syntax::Go, value) => {
                let address = if value.is_some() { ADDRESS } else { "nil" };
                self.out.push_str(&format!("(*{type_})({address})"));
            }
        }
    }

    /// Writes a Go slice whose type is `type_`.
    fn list<T>(
        &mut self,
        type_: &str,
        items: Option<impl IntoIterator<Item = T>>,
        write: impl Fn(&mut Self, T),
    ) {
        let Some(items) = items else {
            return self.nil(type_);
        };
        let (open, close) = if self.syntax == Syntax::Json { ("[", ']') } else { (type_, '}') };
        self.out.push_str(open);
        if self.syntax == Syntax::Go {
            self.out.push('{');
        }
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.separate();
            }
            write(self, item);
        }
        self.out.push(close);
    }

    /// Writes a nil slice or a nil map of this type.
    fn nil(&mut self, type_: &str) {
        match self.syntax {
            Syntax::Json => self.out.push_str("null"),
            Syntax::Go => self.out.push_str(&format!("{type_}(nil)")),
        }
    }

    fn map<T>(&mut self, key: &str, type_: &str, map: Option<&OrderedMap<T>>, write: impl Fn(&mut Self, &T)) {
        self.key(key);
        let Some(map) = map else {
            return self.nil(type_);
        };
        let mut entries: Vec<_> = map.iter().collect();
        entries.sort_unstable_by_key(|(name, _)| *name);
        self.open(type_);
        for (i, (name, value)) in entries.into_iter().enumerate() {
            if i > 0 {
                self.separate();
            }
            self.string(name);
            self.out.push(':');
            write(self, value);
        }
        self.close();
    }

    fn string(&mut self, text: &str) {
        match self.syntax {
            Syntax::Json => write_json_string(&mut self.out, text),
            Syntax::Go => self.out.push_str(&quote(text)),
        }
    }

    fn optional_schema(&mut self, key: &str, schema: Option<&JsonSchemaProps>) {
        self.key(key);
        self.pointer("apiextensions.JSONSchemaProps", schema, Self::schema);
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.string(text);
    }

    fn optional_text(&mut self, key: &str, text: Option<&str>) {
        self.optional_text_of("string", key, text);
    }

    fn optional_text_of(&mut self, type_: &str, key: &str, text: Option<&str>) {
        self.key(key);
        self.pointer(type_, text, Self::string);
    }

    fn texts(&mut self, key: &str, texts: Option<&Vec<String>>) {
        self.key(key);
        self.list("[]string", texts, |out, text| out.string(text));
    }

    fn flag(&mut self, key: &str, flag: bool) {
        self.key(key);
        self.out.push_str(if flag { "true" } else { "false" });
    }

    fn optional_flag(&mut self, key: &str, flag: Option<bool>) {
        self.key(key);
        self.pointer("bool", flag, |out, flag| out.out.push_str(if flag { "true" } else { "false" }));
    }

    fn integer(&mut self, key: &str, number: Option<i64>) {
        self.key(key);
        self.pointer("int64", number, |out, number| out.out.push_str(&number.to_string()));
    }

    /// Writes a field whose type in Go is `float64`.
    fn number(&mut self, key: &str, number: Option<&Number>) {
        self.key(key);
        let float = number.and_then(|number| Number::from_f64(Num::from(number).as_float()));
        self.pointer("float64", float, |out, number| write_json(&mut out.out, &number.into()));
    }

    fn value(&mut self, key: &str, value: Option<&serde_json::Value>) {
        self.key(key);
        self.pointer("apiextensions.JSON", value, |out, value| write_json(&mut out.out, value));
    }
}

const SCHEMAS: &str = "[]apiextensions.JSONSchemaProps";
const SCHEMA_MAP: &str = "map[string]apiextensions.JSONSchemaProps";
