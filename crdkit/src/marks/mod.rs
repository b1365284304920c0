//! Marks: the `#[crd(...)]` attributes of a type or a field for which schemars has no keyword.
//!
//! The derives build a [`Mark`] and add it to the generated schema as JSON, in a schemars transform. `schema::marks`
//! later turns the mark into keywords.

mod statements;
pub(crate) mod stored;

use serde_json::{Map, Value};

use crate::allowed::AllowMark;
use crate::schema::Descriptions;
pub use statements::{BoundKind, BoundMark, ColumnMark, GroupCount, RuleMark, ScalePath};
pub(crate) use statements::{BoundMarks, DefinitionMark, GroupMark, OptionMark};
use stored::stored;

/// The attributes of one type, of one field, or of a newtype and its field.
///
/// Each attribute is one method call, which keeps the generated code small.
#[derive(Clone, Default)]
pub struct Mark {
    /// The Rust type, if this is a type's mark.
    pub(crate) owner: Option<MarkOwner>,
    /// Keywords that the type's schema had when the mark was added.
    pub(crate) type_schema: TypeSchema,
    pub(crate) validations: Vec<RuleMark>,
    /// Rules for the items of a list.
    pub(crate) item_validations: Vec<RuleMark>,
    /// Rules for the values of a map.
    pub(crate) value_validations: Vec<RuleMark>,
    pub(crate) is_immutable: bool,
    pub(crate) groups: Vec<GroupMark>,
    pub(crate) list_type: Option<String>,
    pub(crate) list_map_keys: Option<Vec<String>>,
    pub(crate) map_type: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) preserves_unknown_fields: bool,
    pub(crate) is_embedded_resource: bool,
    pub(crate) is_int_or_string: bool,
    pub(crate) is_schemaless: bool,
    pub(crate) has_kubernetes_enums: bool,
    /// The number of levels of a recursive type that have a schema.
    pub(crate) recursion: Option<u32>,
    /// The schema that replaces the type's schema, as JSON or a string of JSON.
    pub(crate) schema: Option<Value>,
    /// Schemas that replace parts of the type's schema: the path of each part, and a string of JSON.
    pub(crate) schemas_at: Vec<(String, String)>,
    /// Merge patches for the schema, as strings of JSON.
    pub(crate) schema_patches: Vec<String>,
    pub(crate) descriptions: Option<Descriptions>,
    /// A field's attributes for parts of the CRD outside the schema.
    pub(crate) definition: Vec<DefinitionMark>,
    pub(crate) bounds: BoundMarks,
    /// The value of `#[crd(nullable = ...)]`.
    pub(crate) nullable: Option<bool>,
    pub(crate) option: Option<OptionMark>,
    /// Set for an `Option` of an `Option`: serde reads `Some(None)` as `None`.
    pub(crate) is_nested_option: bool,
    pub(crate) denies_unknown_fields: bool,
}

/// The Rust type to which a mark belongs.
#[derive(Clone)]
pub(crate) struct MarkOwner {
    pub(crate) type_name: String,
    /// The file and the line numbers, if the type's own derive emitted the mark.
    pub(crate) source: Option<MarkSource>,
}

/// A type's position in the Rust code.
#[derive(Clone)]
pub(crate) struct MarkSource {
    pub(crate) file: String,
    /// The line numbers of the type and its fields, as a string of JSON.
    pub(crate) lines: String,
}

/// Keywords from a type's schema that a field with this type may replace.
#[derive(Clone, Default)]
pub(crate) struct TypeSchema {
    pub(crate) bounds: Option<Map<String, Value>>,
    /// The required properties.
    pub(crate) required: Vec<String>,
    /// All other properties.
    pub(crate) optional: Vec<String>,
    /// The enums that are flattened into the type. An object must have a variant of each enum.
    pub(crate) enums: Vec<FlattenedEnum>,
    /// The properties that have a default.
    pub(crate) defaulted: Vec<String>,
}

/// An enum that is flattened into a type.
#[derive(Clone, PartialEq)]
pub(crate) struct FlattenedEnum {
    /// A schema that requires all required properties of one of the variants.
    pub(crate) present: Value,
    /// The properties of all variants.
    pub(crate) properties: Vec<String>,
}

stored!(struct Mark { owner, type_schema, validations, item_validations, value_validations, is_immutable, groups, list_type, list_map_keys, map_type, format, preserves_unknown_fields, is_embedded_resource, is_int_or_string, is_schemaless, has_kubernetes_enums, recursion, schema, schemas_at, schema_patches, descriptions, definition, bounds, nullable, option, is_nested_option, denies_unknown_fields });
stored!(struct MarkOwner { type_name, source });
stored!(struct MarkSource { file, lines });
stored!(struct TypeSchema { bounds, required, optional, enums, defaulted });
stored!(struct FlattenedEnum { present, properties });

#[expect(clippy::return_self_not_must_use, reason = "emitted code uses every mark")]
impl Mark {
    /// Creates an empty mark.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a mark for a type.
    pub fn for_type(type_name: &str) -> Self {
        let owner = Some(MarkOwner { type_name: type_name.to_owned(), source: None });
        Self { owner, ..Self::default() }
    }

    /// Sets the type's position in the Rust code. `lines` is a string of JSON.
    pub fn located_at(mut self, file: &str, lines: &str) -> Self {
        if let Some(owner) = &mut self.owner {
            owner.source = Some(MarkSource { file: file.to_owned(), lines: lines.to_owned() });
        }
        self
    }

    /// Adds a rule.
    pub fn validation(mut self, rule: RuleMark) -> Self {
        self.validations.push(rule);
        self
    }

    /// Adds a rule for the items of a list.
    pub fn item_validation(mut self, rule: RuleMark) -> Self {
        self.item_validations.push(rule);
        self
    }

    /// Adds a rule for the values of a map.
    pub fn value_validation(mut self, rule: RuleMark) -> Self {
        self.value_validations.push(rule);
        self
    }

    /// Marks a field that cannot be changed.
    pub fn immutable(mut self) -> Self {
        self.is_immutable = true;
        let rule = RuleMark::new("self == oldSelf").message("is immutable");
        self.validation(rule)
    }

    /// Adds a group of fields.
    pub fn group(mut self, count: GroupCount, fields: &[&str]) -> Self {
        self.groups.push(GroupMark { count, fields: owned(fields) });
        self
    }

    /// Sets `x-kubernetes-list-type`.
    pub fn list_type(mut self, list_type: impl Into<String>) -> Self {
        self.list_type = Some(list_type.into());
        self
    }

    /// Sets `x-kubernetes-list-map-keys`.
    pub fn list_map_keys(mut self, keys: &[&str]) -> Self {
        self.list_map_keys = Some(owned(keys));
        self
    }

    /// Sets `x-kubernetes-map-type`.
    pub fn map_type(mut self, map_type: impl Into<String>) -> Self {
        self.map_type = Some(map_type.into());
        self
    }

    /// Sets `format`. An empty string removes the keyword.
    pub fn format(mut self, format: impl Into<String>) -> Self {
        self.format = Some(format.into());
        self
    }

    /// Sets `x-kubernetes-preserve-unknown-fields`.
    pub fn preserve_unknown_fields(mut self) -> Self {
        self.preserves_unknown_fields = true;
        self
    }

    /// Sets `x-kubernetes-embedded-resource`.
    pub fn embedded_resource(mut self) -> Self {
        self.is_embedded_resource = true;
        self
    }

    /// Sets `x-kubernetes-int-or-string`.
    pub fn int_or_string(mut self) -> Self {
        self.is_int_or_string = true;
        self
    }

    /// Marks a field whose value the API server keeps unchecked.
    pub fn schemaless(mut self) -> Self {
        self.is_schemaless = true;
        self
    }

    /// Adds `enum` to fields of k8s-openapi's types that have a fixed set of values.
    pub fn kubernetes_enums(mut self) -> Self {
        self.has_kubernetes_enums = true;
        self
    }

    /// Sets the number of levels for which the field's recursive type has a schema.
    pub fn recursion(mut self, levels: u32) -> Self {
        self.recursion = Some(levels);
        self
    }

    /// Sets the schema that replaces the type's schema, as JSON or a string of JSON.
    pub fn schema(mut self, schema: impl Into<Value>) -> Self {
        self.schema = Some(schema.into());
        self
    }

    /// Adds a schema that replaces a part of the type's schema, as a string of JSON.
    pub fn schema_at(mut self, path: &str, schema: &str) -> Self {
        self.schemas_at.push((path.to_owned(), schema.to_owned()));
        self
    }

    /// Adds a merge patch for the schema, as a string of JSON.
    pub fn schema_patch(mut self, patch: impl Into<String>) -> Self {
        self.schema_patches.push(patch.into());
        self
    }

    /// Sets which part of descriptions is kept.
    pub fn descriptions(mut self, descriptions: Descriptions) -> Self {
        self.descriptions = Some(descriptions);
        self
    }

    /// Adds a printer column.
    pub fn column(mut self, column: ColumnMark) -> Self {
        self.definition.push(DefinitionMark::Column(column));
        self
    }

    /// Marks a selectable field.
    pub fn selectable(mut self) -> Self {
        self.definition.push(DefinitionMark::Selectable);
        self
    }

    /// Marks a field that the scale subresource refers to.
    pub fn scale(mut self, path: ScalePath) -> Self {
        self.definition.push(DefinitionMark::Scale(path));
        self
    }

    /// Accepts the findings of a rule of `crdkit lint`.
    pub fn allow(mut self, rule: &str, reason: &str) -> Self {
        let allow = AllowMark { rule: rule.to_owned(), reason: reason.to_owned() };
        self.definition.push(DefinitionMark::Allow(allow));
        self
    }

    /// Adds a bound for values of the type or field.
    pub fn bound(mut self, bound: BoundMark) -> Self {
        self.bounds.own.push(bound);
        self
    }

    /// Adds a bound for the items of a list.
    pub fn inner_bound(mut self, bound: BoundMark) -> Self {
        self.bounds.inner.push(bound);
        self
    }

    /// Sets `nullable`.
    pub fn nullable(mut self, nullable: bool) -> Self {
        self.nullable = Some(nullable);
        self
    }

    /// Marks an `Option` that serde may write as `null`.
    pub fn nullable_option(mut self) -> Self {
        self.option = Some(OptionMark::Nullable);
        self
    }

    /// Marks a type for which serde rejects unknown fields.
    pub fn deny_unknown_fields(mut self) -> Self {
        self.denies_unknown_fields = true;
        self
    }

    /// Marks an `Option` of an `Option`.
    pub fn nested_option(mut self) -> Self {
        self.is_nested_option = true;
        self
    }

    /// Marks a field that serde never writes as `null`.
    pub fn null_is_skipped(mut self) -> Self {
        self.option = Some(OptionMark::NullIsSkipped);
        self
    }
}

impl schemars::transform::Transform for Mark {
    fn transform(&mut self, schema: &mut schemars::Schema) {
        crate::schema::marks::add(schema.ensure_object(), self.clone());
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().copied().map(str::to_owned).collect()
}
