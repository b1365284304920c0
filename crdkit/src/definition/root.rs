//! Builds the schema of the whole object from the schemas of the spec and the status.

use crd_core::crd::{JsonSchemaProps, JsonSchemaPropsOrBool, ValidationRule};
use serde_json::Value;

use super::Definition;
use crate::Error;
use crate::marks::RuleMark;

/// The requirements for the name of an object.
#[derive(Default)]
pub struct ObjectName {
    /// The pattern that the name matches.
    pub pattern: Option<&'static str>,
    /// Minimum length.
    pub min_length: Option<i64>,
    /// Maximum length.
    pub max_length: Option<i64>,
}

impl Definition {
    /// Returns the schema of the whole object, without `apiVersion`, `kind` and `metadata`: the API server adds them.
    pub(super) fn root(
        &self,
        spec: JsonSchemaProps,
        status: Option<JsonSchemaProps>,
    ) -> Result<JsonSchemaProps, Error> {
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
        // As schemars does with doc comments.
        let description = version.description.and_then(|text| self.options.descriptions.shorten(text.trim()));
        let own = root.description.take().filter(|_| version.spec_is_flattened);
        root.description = description.filter(|text| !text.is_empty()).or(own);
        if let Some(status) = status {
            root.properties.get_or_insert_default().insert("status", status);
        }
        if let Some(name) = &version.object_name {
            root.properties.get_or_insert_default().insert("metadata", name.schema());
        }
        for (field, text) in [("spec", version.spec_default), ("status", version.status_default)] {
            self.default(&mut root, field, text)?;
        }
        self.add_rules(&mut root);
        Ok(root)
    }

    /// Adds the rules for the whole object.
    pub(super) fn add_rules(&self, root: &mut JsonSchemaProps) {
        if !self.version.validations.is_empty() {
            let rules = self.version.validations.iter().cloned().map(RuleMark::into_crd);
            root.x_validations.get_or_insert_default().extend(rules);
        }
    }

    /// Returns the spec's schema for use as the schema of the whole object: `no_spec`.
    fn flattened(&self, spec: JsonSchemaProps) -> Result<JsonSchemaProps, Error> {
        for name in ["apiVersion", "kind", "metadata", "status"] {
            if spec.properties.as_ref().is_some_and(|properties| properties.contains(name)) {
                return Err(self.error(
                    format!("has a field `{name}`, which every object has already"),
                    "rename the field, or drop `no_spec`",
                ));
            }
        }
        if matches!(spec.additional_properties, Some(JsonSchemaPropsOrBool::Schema(_))) {
            return Err(self.error("is a map, which cannot be the object itself", "drop `no_spec`"));
        }
        Ok(spec)
    }

    /// Sets the default of the spec or the status.
    fn default(&self, root: &mut JsonSchemaProps, field: &str, text: Option<&str>) -> Result<(), Error> {
        let Some(text) = text else { return Ok(()) };
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let message = format!("`{field}_default` is not valid JSON: {error}");
            self.error(message, "write it as `r#\"{...}\"#`").caused_by(error)
        })?;
        let properties = root.properties.get_or_insert_default();
        let Some(property) = properties.get_mut(field) else {
            return Err(self.error(format!("has a `{field}_default` but no {field}"), "remove it"));
        };
        property.default = Some(Box::new(value));
        Ok(())
    }
}

impl ObjectName {
    /// Returns the schema of the metadata. The API server allows only restrictions on `name` and `generateName` there.
    fn schema(&self) -> JsonSchemaProps {
        let mut name = JsonSchemaProps::default();
        name.type_ = Some("string".to_owned());
        name.pattern = self.pattern.map(str::to_owned);
        name.min_length = self.min_length;
        name.max_length = self.max_length;
        let mut metadata = JsonSchemaProps::default();
        metadata.type_ = Some("object".to_owned());
        metadata.properties.get_or_insert_default().insert("name", name);
        metadata
    }
}

impl RuleMark {
    /// Returns `true` if the rule uses `oldSelf`. The API server runs such a rule only on updates, unless `optionalOldSelf` is set.
    pub(crate) fn uses_old_self(&self) -> bool {
        self.clone().into_crd().uses_old_self()
    }

    fn into_crd(self) -> ValidationRule {
        let mut rule = ValidationRule::default();
        rule.rule = self.rule;
        rule.message = self.message.unwrap_or_default();
        rule.message_expression = self.message_expression.unwrap_or_default();
        rule.reason = self.reason;
        rule.field_path = self.field_path.unwrap_or_default();
        rule.optional_old_self = self.optional_old_self;
        rule
    }
}
