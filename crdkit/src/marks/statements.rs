//! The attributes in a mark.

use serde_json::{Value, json};

use super::stored::{Stored, stored};
use crate::allowed::AllowMark;

/// A CEL rule, as in `x-kubernetes-validations`.
#[derive(Clone, Default)]
pub struct RuleMark {
    pub(crate) rule: String,
    pub(crate) message: Option<String>,
    pub(crate) message_expression: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) field_path: Option<String>,
    pub(crate) optional_old_self: Option<bool>,
}

/// A group of fields and the number of fields in it that must be set.
#[derive(Clone)]
pub(crate) struct GroupMark {
    pub(crate) count: GroupCount,
    pub(crate) fields: Vec<String>,
}

/// The number of fields in a group that must be set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GroupCount {
    /// `exactly_one_of`
    ExactlyOne,
    /// `at_most_one_of`
    AtMostOne,
    /// `at_least_one_of`
    AtLeastOne,
}

/// A field's attribute for a part of the CRD outside the schema.
#[derive(Clone)]
pub(crate) enum DefinitionMark {
    /// A printer column shows the field.
    Column(ColumnMark),
    /// The field is selectable.
    Selectable,
    /// The scale subresource refers to the field.
    Scale(ScalePath),
    /// Lint findings about the field are accepted.
    Allow(AllowMark),
}

/// A printer column for a field. By default, the column has the field's path and type.
#[derive(Clone, Default)]
pub struct ColumnMark {
    pub(crate) name: Option<String>,
    pub(crate) type_: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) priority: Option<i32>,
}

/// A path in the scale subresource.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ScalePath {
    /// `specReplicasPath`
    SpecReplicas,
    /// `statusReplicasPath`
    StatusReplicas,
    /// `labelSelectorPath`
    LabelSelector,
}

/// Bounds of a field whose type the derive cannot see.
#[derive(Clone, Default)]
pub(crate) struct BoundMarks {
    /// Bounds for the value.
    pub(crate) own: Vec<BoundMark>,
    /// Bounds for the items of a list.
    pub(crate) inner: Vec<BoundMark>,
}

/// A schemars, validator or garde attribute that bounds a value.
#[derive(Clone)]
pub struct BoundMark {
    pub(crate) kind: BoundKind,
    /// The name of the attribute.
    pub(crate) name: String,
    /// Set for a schemars attribute. If this attribute has no effect on the schema, it is an error.
    pub(crate) is_strict: bool,
    pub(crate) min: Option<Value>,
    pub(crate) max: Option<Value>,
    pub(crate) pattern: Option<String>,
}

/// The kinds of attributes that bound a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BoundKind {
    /// `range(...)`
    Range,
    /// `length(...)`
    Length,
    /// `pattern(...)`, `regex(...)` or `contains(...)`
    Pattern,
    /// `email`, `url`, `ip`, `ipv4` or `ipv6`
    Format,
}

/// The way in which serde writes `None`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionMark {
    /// Serde may write `None` as `null`.
    Nullable,
    /// `skip_serializing_if` keeps serde from writing `null`.
    NullIsSkipped,
}

stored!(struct RuleMark {
    rule,
    message,
    message_expression = "messageExpression",
    reason,
    field_path = "fieldPath",
    optional_old_self = "optionalOldSelf",
});
stored!(struct GroupMark { count, fields });
stored!(struct AllowMark { rule, reason });
stored!(struct ColumnMark { name, type_, description, format, priority });
stored!(struct BoundMarks { own, inner });
stored!(struct BoundMark { kind, name, is_strict, min, max, pattern });
stored!(
    enum GroupCount {
        ExactlyOne,
        AtMostOne,
        AtLeastOne,
    }
);
stored!(
    enum ScalePath {
        SpecReplicas,
        StatusReplicas,
        LabelSelector,
    }
);
stored!(
    enum BoundKind {
        Range,
        Length,
        Pattern,
        Format,
    }
);
stored!(
    enum OptionMark {
        Nullable,
        NullIsSkipped,
    }
);

/// The JSON is an object with one key, the variant's name.
impl Stored for DefinitionMark {
    fn store(&self) -> Value {
        match self {
            Self::Column(column) => json!({"column": column.store()}),
            Self::Selectable => json!({"selectable": true}),
            Self::Scale(path) => json!({"scale": path.store()}),
            Self::Allow(allow) => json!({"allow": allow.store()}),
        }
    }

    fn restore(value: &Value) -> Option<Self> {
        let (name, value) = value.as_object()?.iter().next()?;
        match name.as_str() {
            "column" => ColumnMark::restore(value).map(Self::Column),
            "selectable" => Some(Self::Selectable),
            "scale" => ScalePath::restore(value).map(Self::Scale),
            "allow" => AllowMark::restore(value).map(Self::Allow),
            _ => None,
        }
    }
}

#[expect(clippy::return_self_not_must_use, reason = "emitted code uses every mark")]
impl RuleMark {
    /// Creates a rule from a CEL expression that must be true.
    pub fn new(rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), ..Self::default() }
    }

    /// Sets `message`.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Sets `messageExpression`.
    pub fn message_expression(mut self, expression: impl Into<String>) -> Self {
        self.message_expression = Some(expression.into());
        self
    }

    /// Sets `reason`.
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Sets `fieldPath`.
    pub fn field_path(mut self, path: impl Into<String>) -> Self {
        self.field_path = Some(path.into());
        self
    }

    /// Sets `optionalOldSelf`.
    pub fn optional_old_self(mut self, is_optional: bool) -> Self {
        self.optional_old_self = Some(is_optional);
        self
    }
}

#[expect(clippy::return_self_not_must_use, reason = "emitted code uses every mark")]
impl ColumnMark {
    /// Creates a column with the name, path and type of its field.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name of the column.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the type.
    pub fn type_(mut self, type_: impl Into<String>) -> Self {
        self.type_ = Some(type_.into());
        self
    }

    /// Sets the description of the column.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the format of the column.
    pub fn format(mut self, format: impl Into<String>) -> Self {
        self.format = Some(format.into());
        self
    }

    /// Sets the priority of the column.
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = Some(priority);
        self
    }
}

#[expect(clippy::return_self_not_must_use, reason = "emitted code uses every mark")]
impl BoundMark {
    /// Creates the attribute `name`. `is_strict` is set for a schemars attribute.
    pub fn new(kind: BoundKind, name: &str, is_strict: bool) -> Self {
        Self { kind, name: name.to_owned(), is_strict, min: None, max: None, pattern: None }
    }

    /// Sets a minimum value or length.
    pub fn min(mut self, min: impl Into<Value>) -> Self {
        self.min = Some(min.into());
        self
    }

    /// Sets a maximum value or length.
    pub fn max(mut self, max: impl Into<Value>) -> Self {
        self.max = Some(max.into());
        self
    }

    /// Sets a pattern.
    pub fn pattern(mut self, pattern: impl ToString) -> Self {
        self.pattern = Some(pattern.to_string());
        self
    }
}

impl BoundMarks {
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.inner.is_empty()
    }
}
