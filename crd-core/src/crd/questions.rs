//! Functions that return facts about a CRD.

use std::borrow::Cow;

use super::{CustomResourceDefinition, JsonSchemaProps, Names, Scope, Spec, ValidationRule, Version};

impl CustomResourceDefinition {
    /// Returns the first version with this name.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.spec.version(name)
    }

    /// Returns the storage version. If several versions have `storage: true`, returns the first of them.
    #[must_use]
    pub fn storage_version(&self) -> Option<&Version> {
        self.spec.storage_version()
    }
}

impl Spec {
    /// Returns the scope, if it is valid.
    #[must_use]
    pub fn scope(&self) -> Option<Scope> {
        match self.scope.as_str() {
            "Namespaced" => Some(Scope::Namespaced),
            "Cluster" => Some(Scope::Cluster),
            _ => None,
        }
    }

    /// Returns the first version with this name.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// Returns the storage version. If several versions have `storage: true`, returns the first of them.
    #[must_use]
    pub fn storage_version(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.storage)
    }

    /// Returns `true` if a webhook converts objects between versions.
    #[must_use]
    pub fn has_conversion_webhook(&self) -> bool {
        self.conversion.as_ref().is_some_and(|conversion| conversion.strategy == "Webhook")
    }
}

impl Names {
    /// Returns the kind for lists of objects. If `listKind` is absent, this is the API server's default `<Kind>List`.
    #[must_use]
    pub fn list_kind(&self) -> Cow<'_, str> {
        if self.list_kind.is_empty() {
            Cow::Owned(format!("{}List", self.kind))
        } else {
            Cow::Borrowed(&self.list_kind)
        }
    }

    /// Returns `true` if `listKind` differs from the API server's default.
    #[must_use]
    pub fn has_own_list_kind(&self) -> bool {
        !self.list_kind.is_empty() && self.list_kind.strip_suffix("List") != Some(&self.kind)
    }
}

impl Version {
    /// Returns the schema of the whole object, if there is one.
    #[must_use]
    pub fn open_api_v3_schema(&self) -> Option<&JsonSchemaProps> {
        self.schema.as_ref()?.open_api_v3_schema.as_deref()
    }

    /// Returns the field's schema for a path such as `.spec.replicas`. `None` if the path does not lead to a field, or does not consist of
    /// names.
    #[must_use]
    pub fn schema_at(&self, path: &str) -> Option<&JsonSchemaProps> {
        let root = self.open_api_v3_schema()?;
        path.strip_prefix('.')?
            .split('.')
            .try_fold(root, |schema, name| schema.properties.as_ref()?.get(name))
    }

    /// Returns `true` if the status is a subresource.
    #[must_use]
    pub fn has_status(&self) -> bool {
        self.subresources.as_ref().is_some_and(|subresources| subresources.status.is_some())
    }
}

impl ValidationRule {
    /// Returns `true` if the rule uses the variable `oldSelf`. The API server does not run such a rule on new objects, unless
    /// `optionalOldSelf` is set.
    ///
    /// ```
    /// use crd_core::crd::ValidationRule;
    ///
    /// let mut rule = ValidationRule::default();
    /// rule.rule = "self.all(item, item in oldSelf)".to_owned();
    /// assert!(rule.uses_old_self());
    /// rule.rule = "self != 'oldSelf'".to_owned();
    /// assert!(!rule.uses_old_self());
    /// ```
    #[must_use]
    pub fn uses_old_self(&self) -> bool {
        crd_cel::mentions(&self.rule, "oldSelf")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_no_use_of_the_old_value() {
        let uses = |text: &str| {
            ValidationRule { rule: text.to_owned(), ..ValidationRule::default() }.uses_old_self()
        };
        assert!(uses("self.a >= oldSelf.a"));
        assert!(uses("oldSelf.orValue(1) == self"));
        assert!(uses("self.items.exists(i, !oldSelf.items.all(j, j != i))"));
        assert!(uses("!has(.oldSelf.a) || has(self.a)"));
        for unused in [
            "self.oldSelf == 'oldSelf'",
            "self[\"oldSelf\"] == 1 // oldSelf",
            "has(self.oldSelf)",
            "oldSelfie",
        ] {
            assert!(!uses(unused), "{unused}");
        }
    }

    #[cfg(feature = "cel")]
    #[test]
    fn a_use_of_the_old_value_is_what_the_compiler_finds() {
        let schema = serde_json::json!({"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}}}});
        let schema: JsonSchemaProps = serde_json::from_value(schema).expect("a schema");
        let schema = crate::Structural::from_json_schema(&schema).expect("a structural schema");
        for text in [
            "self.l.all(oldSelf, oldSelf > 1)",
            "self.l.all(oldSelf, true)",
            "self == oldSelf",
            "self.l == [1]",
        ] {
            let types = crate::cel::SchemaTypes::for_part(&schema);
            let rules = crate::cel::Rules::new(&types, Default::default());
            let compiled = rules.compile_rule(&schema, text, false).expect(text);
            let rule = ValidationRule { rule: text.to_owned(), ..ValidationRule::default() };
            assert_eq!(rule.uses_old_self(), compiled.uses_old_self, "{text}");
        }
    }
}
