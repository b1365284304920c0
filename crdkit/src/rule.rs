//! CEL rules and merge strategies, for use in attributes of the derives.

use crate::marks::{Mark, RuleMark};

/// A CEL rule: one of `x-kubernetes-validations`.
///
/// ```
/// use crdkit::{Reason, Rule};
///
/// let rule = Rule::new("self.minimum <= self.maximum")
///     .message("minimum must not be above maximum")
///     .reason(Reason::FieldValueForbidden)
///     .field_path(".minimum");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    rule: String,
    message: Option<Message>,
    reason: Option<Reason>,
    field_path: Option<String>,
    optional_old_self: Option<bool>,
}

/// The message for an object that violates a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A string.
    Message(String),
    /// A CEL expression that returns the string.
    Expression(String),
}

/// The reason that the API server's response gives if an object violates a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The value is wrong.
    FieldValueInvalid,
    /// The value is not allowed here.
    FieldValueForbidden,
    /// The value is missing.
    FieldValueRequired,
    /// The value already exists.
    FieldValueDuplicate,
}

/// The way in which server-side apply merges a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListMerge {
    /// As a whole.
    Atomic,
    /// Item by item. Items are unique scalars.
    Set,
    /// Item by item. Items are objects, and these fields identify them.
    Map(Vec<String>),
}

/// The way in which server-side apply merges a map or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapMerge {
    /// As a whole.
    Atomic,
    /// Key by key.
    Granular,
}

impl Rule {
    /// Creates a rule from a CEL expression that must be true.
    #[must_use]
    pub fn new(rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), message: None, reason: None, field_path: None, optional_old_self: None }
    }

    /// Sets the message for a violation of the rule.
    #[must_use]
    pub fn message(mut self, message: impl Into<Message>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Sets a CEL expression that returns the message for a violation of the rule.
    #[must_use]
    pub fn message_expression(mut self, expression: impl Into<String>) -> Self {
        self.message = Some(Message::Expression(expression.into()));
        self
    }

    /// Sets the reason.
    #[must_use]
    pub fn reason(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Sets the field that the error is about, relative to the value that the rule validates: `.replicas`.
    #[must_use]
    pub fn field_path(mut self, path: impl Into<String>) -> Self {
        self.field_path = Some(path.into());
        self
    }

    /// Sets whether the rule also runs on create, with an optional `oldSelf`.
    #[must_use]
    pub fn optional_old_self(mut self, optional: bool) -> Self {
        self.optional_old_self = Some(optional);
        self
    }

    pub(crate) fn into_mark(self) -> RuleMark {
        let (message, message_expression) = match self.message {
            Some(Message::Message(text)) => (Some(text), None),
            Some(Message::Expression(expression)) => (None, Some(expression)),
            None => (None, None),
        };
        RuleMark {
            rule: self.rule,
            message,
            message_expression,
            reason: self.reason.map(|reason| reason.as_str().to_owned()),
            field_path: self.field_path,
            optional_old_self: self.optional_old_self,
        }
    }
}

impl Reason {
    fn as_str(self) -> &'static str {
        match self {
            Self::FieldValueInvalid => "FieldValueInvalid",
            Self::FieldValueForbidden => "FieldValueForbidden",
            Self::FieldValueRequired => "FieldValueRequired",
            Self::FieldValueDuplicate => "FieldValueDuplicate",
        }
    }
}

impl From<&str> for Rule {
    fn from(rule: &str) -> Self {
        Self::new(rule)
    }
}

impl From<String> for Rule {
    fn from(rule: String) -> Self {
        Self::new(rule)
    }
}

impl<M: Into<Message>> From<(&str, M)> for Rule {
    fn from((rule, message): (&str, M)) -> Self {
        Self::new(rule).message(message)
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::Message(text.to_owned())
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::Message(text)
    }
}

/// A value for the attribute `merge_strategy`.
#[doc(hidden)]
pub trait MergeStrategy {
    #[doc(hidden)]
    fn to_mark(&self) -> Mark;
}

impl MergeStrategy for ListMerge {
    fn to_mark(&self) -> Mark {
        match self {
            Self::Atomic => Mark::new().list_type("atomic"),
            Self::Set => Mark::new().list_type("set"),
            Self::Map(keys) => Mark { list_map_keys: Some(keys.clone()), ..Mark::new().list_type("map") },
        }
    }
}

impl MergeStrategy for MapMerge {
    fn to_mark(&self) -> Mark {
        match self {
            Self::Atomic => Mark::new().map_type("atomic"),
            Self::Granular => Mark::new().map_type("granular"),
        }
    }
}
