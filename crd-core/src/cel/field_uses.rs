//! Finds the field names in an expression, and the schemas that have these fields.

use std::ops::Range;

use crd_cel::DeclId;

use super::rule::{RuleError, Rules};
use super::types::SchemaTypes;
use crate::Structural;

/// A field name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldUse {
    /// The byte range of the name in the expression.
    pub bytes: Range<usize>,
    /// The name of the field in the schema.
    pub name: String,
    owner: Option<DeclId>,
}

impl FieldUse {
    /// Returns `true` if the object with the field has an unknown type: the value before the dot is `dyn`.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.owner.is_none()
    }

    /// Returns `true` if the field is a property of the schema node `owner`.
    #[must_use]
    pub fn is_of(&self, owner: &Structural, types: &SchemaTypes<'_>) -> bool {
        let known = [types.type_of(owner), types.type_of_field(owner)];
        self.owner.is_some() && known.contains(&self.owner)
    }
}

impl Rules<'_, '_> {
    /// Returns the field names in an expression at `node`, in order of appearance. With `optionalOldSelf`, `oldSelf` is an optional value.
    ///
    /// ```
    /// use crd_core::Structural;
    /// use crd_core::cel::{Rules, SchemaTypes};
    /// use crd_core::crd::JsonSchemaProps;
    ///
    /// let schema = JsonSchemaProps::from_value(serde_json::json!({
    ///     "type": "object",
    ///     "properties": {
    ///         "a": {"type": "object", "properties": {"x": {"type": "string"}}},
    ///         "b": {"type": "object", "properties": {"x": {"type": "string"}}},
    ///     },
    /// }))?;
    /// let schema = Structural::from_json_schema(&schema)?;
    /// let types = SchemaTypes::for_part(&schema);
    /// let rules = Rules::new(&types, Default::default());
    /// let uses = rules.field_uses(&schema, "self.b.x == 'x' && has(self.a.x)", false)?;
    /// let b = schema.properties.get("b").unwrap();
    /// let of_b: Vec<_> = uses.iter().filter(|used| used.is_of(b, &types)).collect();
    /// assert_eq!((of_b.len(), &of_b[0].name[..], of_b[0].bytes.clone()), (1, "x", 7..8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// - [`RuleError`]
    pub fn field_uses(
        &self,
        node: &Structural,
        expression: &str,
        optional_old_self: bool,
    ) -> Result<Vec<FieldUse>, RuleError> {
        self.checked(node, expression, optional_old_self, None, |checked, _| {
            let names = checked.field_names(expression).into_iter();
            names.map(|found| FieldUse { bytes: found.bytes, name: found.name, owner: found.owner }).collect()
        })
    }
}
