//! What a derive knows of a resource, with the schemas of its types -> `CustomResourceDefinition`.

use crd_core::crd::{
    API_VERSION, AdditionalProperties, CustomResourceDefinition, JsonSchemaProps, KIND, PrinterColumn,
    ScaleSubresource, SelectableField, StatusSubresource, Subresources, Validation,
};
use schemars::JsonSchema;
use serde_json::Value;

use crate::schema::{self, SchemaOptions};
use crate::{CustomResource, Error};

/// What the attributes of a derive say beyond the constants of [`CustomResource`].
#[derive(Default)]
pub struct Definition {
    /// The name of the Rust type, for errors.
    pub type_name: &'static str,
    /// `listKind`, where it was asked for.
    pub list_kind: Option<&'static str>,
    /// Labels of the definition.
    pub labels: Vec<(&'static str, &'static str)>,
    /// Annotations of the definition.
    pub annotations: Vec<(&'static str, &'static str)>,
    /// The version that the type describes.
    pub version: Version,
    /// How types become schemas.
    pub options: SchemaOptions,
}

/// The version that a type describes.
#[derive(Default)]
pub struct Version {
    /// Whether it is served.
    pub served: bool,
    /// Whether objects are stored in it.
    pub storage: bool,
    /// Whether clients are warned off it.
    pub deprecated: bool,
    /// The words of that warning.
    pub deprecation_warning: Option<&'static str>,
    /// What an object is for.
    pub description: Option<&'static str>,
    /// Whether there is a status subresource.
    pub status_subresource: bool,
    /// The scale subresource, or why there is none.
    pub scale: Option<Result<Scale, String>>,
    /// Printer columns, or why one is none.
    pub columns: Vec<Result<Column, String>>,
    /// Paths of selectable fields.
    pub selectable: Vec<&'static str>,
    /// Whether an object may leave its spec out.
    pub spec_is_optional: bool,
    /// Whether the fields of the spec are those of the object.
    pub spec_is_flattened: bool,
    /// Rules of the whole object.
    pub validations: Vec<Value>,
    /// No schema at all.
    pub is_schemaless: bool,
}

/// `scale`.
#[derive(Default)]
pub struct Scale {
    /// Path of the wanted number.
    pub spec_replicas_path: String,
    /// Path of the present number.
    pub status_replicas_path: String,
    /// Path of the label selector.
    pub label_selector_path: Option<String>,
}

/// A printer column.
#[derive(Default)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// The type.
    pub type_: String,
    /// The path of the value.
    pub json_path: String,
    /// What the column shows.
    pub description: Option<String>,
    /// The format.
    pub format: Option<String>,
    /// 0 for the standard view.
    pub priority: Option<i32>,
}

/// The printer column that a text of JSON says.
///
/// # Errors
/// The text is no JSON, or lacks a name, a type or a path.
pub fn raw_column(json: &str) -> Result<Column, String> {
    let fields: Value =
        serde_json::from_str(json).map_err(|error| format!("`printcolumn` is no JSON: {error}"))?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let required = |key: &str| text(key).ok_or_else(|| format!("`printcolumn` has no text `{key}`"));
    Ok(Column {
        name: required("name")?,
        type_: required("type")?,
        json_path: required("jsonPath")?,
        description: text("description"),
        format: text("format"),
        priority: fields
            .get("priority")
            .and_then(Value::as_i64)
            .and_then(|number| i32::try_from(number).ok()),
    })
}

/// The scale subresource that a text of JSON says.
///
/// # Errors
/// The text is no JSON, or lacks a path.
pub fn raw_scale(json: &str) -> Result<Scale, String> {
    let fields: Value = serde_json::from_str(json).map_err(|error| format!("`scale` is no JSON: {error}"))?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let required = |key: &str| text(key).ok_or_else(|| format!("`scale` has no text `{key}`"));
    Ok(Scale {
        spec_replicas_path: required("specReplicasPath")?,
        status_replicas_path: required("statusReplicasPath")?,
        label_selector_path: text("labelSelectorPath"),
    })
}

impl Definition {
    /// The definition of `R`, whose objects have a spec of type `S` and no status.
    ///
    /// # Errors
    /// A type has a shape that no structural schema can hold, or an attribute as a text of JSON is wrong.
    pub fn crd<R: CustomResource, S: JsonSchema>(self) -> Result<CustomResourceDefinition, Error> {
        let spec =
            || schema::of::<S>(if self.version.spec_is_flattened { "" } else { ".spec" }, self.options);
        let schema = if self.version.is_schemaless { preserved() } else { self.root(spec()?, None)? };
        self.assemble::<R>(schema)
    }

    /// The definition of `R`, whose objects have a spec of type `S` and a status of type `T`.
    ///
    /// # Errors
    /// As [`Definition::crd`].
    pub fn crd_with_status<R: CustomResource, S: JsonSchema, T: JsonSchema>(
        self,
    ) -> Result<CustomResourceDefinition, Error> {
        if self.version.is_schemaless {
            return self.assemble::<R>(preserved());
        }
        let spec = schema::of::<S>(if self.version.spec_is_flattened { "" } else { ".spec" }, self.options)?;
        let mut status = schema::of::<T>(".status", self.options)?;
        if self.options.every_option_is_nullable {
            status.nullable = Some(true);
        }
        let schema = self.root(spec, Some(status))?;
        self.assemble::<R>(schema)
    }

    /// The schema of the whole object. `apiVersion`, `kind` and `metadata` are there without being said.
    fn root(&self, spec: JsonSchemaProps, status: Option<JsonSchemaProps>) -> Result<JsonSchemaProps, Error> {
        let version = &self.version;
        let mut root = if version.spec_is_flattened {
            self.flattened(spec)?
        } else {
            let mut root = JsonSchemaProps::default();
            if !version.spec_is_optional {
                root.required = Some(vec!["spec".to_owned()]);
            }
            root.properties.get_or_insert_default().insert("spec", spec);
            root
        };
        root.type_ = Some("object".to_owned());
        root.description = version.description.map(str::to_owned);
        if let Some(status) = status {
            root.properties.get_or_insert_default().insert("status", status);
        }
        let rules = version.validations.iter().map(|rule| {
            let wrapped = serde_json::json!({"x-kubernetes-validations": [rule]});
            let props = JsonSchemaProps::from_value(wrapped);
            props.map(|props| props.x_validations.unwrap_or_default())
        });
        let rules: Vec<_> =
            rules.collect::<Result<Vec<_>, _>>().map_err(|error| self.error(error.to_string(), ""))?.concat();
        if !rules.is_empty() {
            root.x_validations.get_or_insert_default().extend(rules);
        }
        Ok(root)
    }

    /// The fields of a spec as the object's own.
    fn flattened(&self, spec: JsonSchemaProps) -> Result<JsonSchemaProps, Error> {
        for name in ["apiVersion", "kind", "metadata", "status"] {
            if spec.properties.as_ref().is_some_and(|properties| properties.contains(name)) {
                return Err(self.error(
                    format!("has a field `{name}`, which every object has already"),
                    "rename the field, or drop `no_spec`",
                ));
            }
        }
        if matches!(spec.additional_properties, Some(AdditionalProperties::Schema(_))) {
            return Err(self.error("is a map, which cannot be the object itself", "drop `no_spec`"));
        }
        Ok(spec)
    }

    fn assemble<R: CustomResource>(self, schema: JsonSchemaProps) -> Result<CustomResourceDefinition, Error> {
        let mut crd = CustomResourceDefinition::default();
        crd.api_version = API_VERSION.to_owned();
        crd.kind = KIND.to_owned();
        crd.metadata.name = R::CRD_NAME.to_owned();
        crd.metadata.labels =
            filled(self.labels.iter().map(|(key, value)| (*key, (*value).to_owned())).collect());
        crd.metadata.annotations =
            filled(self.annotations.iter().map(|(key, value)| (*key, (*value).to_owned())).collect());
        crd.spec.group = R::GROUP.to_owned();
        crd.spec.scope = R::SCOPE.as_str().to_owned();
        crd.spec.names.plural = R::PLURAL.to_owned();
        crd.spec.names.singular = R::SINGULAR.to_owned();
        crd.spec.names.kind = R::KIND.to_owned();
        // The API server makes `<Kind>List` of its own where nothing is said.
        crd.spec.names.list_kind = self.list_kind.unwrap_or_default().to_owned();
        let texts =
            |texts: &[&str]| (!texts.is_empty()).then(|| texts.iter().map(ToString::to_string).collect());
        crd.spec.names.short_names = texts(R::SHORT_NAMES);
        crd.spec.names.categories = texts(R::CATEGORIES);
        let version = self.version(R::VERSION, schema)?;
        crd.spec.versions.push(version);
        Ok(crd)
    }

    fn version(mut self, name: &str, schema: JsonSchemaProps) -> Result<crd_core::crd::Version, Error> {
        let columns = std::mem::take(&mut self.version.columns);
        let scale = self.version.scale.take();
        let own = &self.version;
        let mut version = crd_core::crd::Version::default();
        version.name = name.to_owned();
        version.served = own.served;
        version.storage = own.storage;
        version.deprecated = own.deprecated.then_some(true);
        version.deprecation_warning = own.deprecation_warning.map(str::to_owned);
        let mut validation = Validation::default();
        validation.open_api_v3_schema = Some(Box::new(schema));
        version.schema = Some(validation);
        let mut subresources = Subresources::default();
        subresources.status = own.status_subresource.then(StatusSubresource::default);
        if let Some(scale) = scale {
            let scale = scale.map_err(|error| self.error(error, "see `scale(...)`"))?;
            let mut subresource = ScaleSubresource::default();
            subresource.spec_replicas_path = scale.spec_replicas_path;
            subresource.status_replicas_path = scale.status_replicas_path;
            subresource.label_selector_path = scale.label_selector_path;
            subresources.scale = Some(subresource);
        }
        version.subresources = (subresources != Subresources::default()).then_some(subresources);
        let columns = columns.into_iter().map(|column| {
            let column = column.map_err(|error| self.error(error, "see `printcolumn(...)`"))?;
            Ok(column.into_crd())
        });
        version.additional_printer_columns = some_if_any(columns.collect::<Result<Vec<_>, Error>>()?);
        let selectable = self.version.selectable.iter().map(|path| {
            let mut field = SelectableField::default();
            field.json_path = (*path).to_owned();
            field
        });
        version.selectable_fields = some_if_any(selectable.collect());
        Ok(version)
    }

    fn error(&self, message: impl Into<String>, help: &str) -> Error {
        Error::definition(self.type_name, message, help)
    }
}

impl Column {
    fn into_crd(self) -> PrinterColumn {
        let mut column = PrinterColumn::default();
        column.name = self.name;
        column.type_ = self.type_;
        column.json_path = self.json_path;
        column.description = self.description.unwrap_or_default();
        column.format = self.format.unwrap_or_default();
        column.priority = self.priority;
        column
    }
}

/// The schema of an object of which everything is kept and nothing checked.
fn preserved() -> JsonSchemaProps {
    let mut root = JsonSchemaProps::default();
    root.type_ = Some("object".to_owned());
    root.x_preserve_unknown_fields = Some(true);
    root
}

fn filled(map: crd_core::OrderedMap<String>) -> Option<crd_core::OrderedMap<String>> {
    (!map.is_empty()).then_some(map)
}

fn some_if_any<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}
