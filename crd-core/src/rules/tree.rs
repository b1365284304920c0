//! The compiled rules of a schema.

use crd_cel::eval::{DataType, Program};
use crd_go::KubeVersion;
#[cfg(feature = "admit")]
use serde_json::Value;

use super::message::Message;
#[cfg(feature = "admit")]
use super::metadata::MetadataUse;
use crate::{CauseReason, FieldPath, OrderedMap};

/// The rules of a schema, compiled once for all objects.
#[derive(Debug)]
pub struct RuleTree {
    pub(super) version: KubeVersion,
    pub(super) root: RuleNode,
    pub(super) data: DataType,
    #[cfg(feature = "admit")]
    pub(super) metadata_use: MetadataUse,
}

/// A node that has rules, or that contains nodes with rules.
#[derive(Debug, Default)]
pub(super) struct RuleNode {
    pub(super) rules: Vec<Rule>,
    /// The name of the node's type. It replaces the value in the error for a rule that cannot be evaluated.
    pub(super) type_name: Box<str>,
    /// The type of the node's data. It is set only if the parent's rules read the value as another type: a resource's `metadata` is an
    /// example.
    pub(super) data: Option<Box<DataType>>,
    pub(super) properties: OrderedMap<RuleProperty>,
    pub(super) values: Option<Box<RuleNode>>,
    pub(super) items: Option<Box<RuleNode>>,
    /// `true` if the node's rules must run on objects with their defaults filled in.
    #[cfg(feature = "admit")]
    pub(super) sees_defaults: bool,
}

/// A property of an object, with the rules at and below the property.
#[derive(Debug)]
pub(super) struct RuleProperty {
    pub(super) node: RuleNode,
    /// The position of the property's type in the list of the object's field types. `None` if the object's rules cannot read the property.
    pub(super) type_index: Option<usize>,
    /// The default for an absent value, including nested defaults.
    #[cfg(feature = "admit")]
    pub(super) default: Option<Value>,
}

#[derive(Debug)]
pub(super) struct Rule {
    /// The program, or the error of its compilation.
    pub(super) program: Result<Program, String>,
    pub(super) uses_old_self: bool,
    pub(super) has_optional_old_self: bool,
    /// The text of the rule.
    pub(super) text: Box<str>,
    /// The index of the rule in the schema's list of rules.
    pub(super) index: usize,
    /// The rule's name in messages about its evaluation.
    pub(super) shown: Box<str>,
    pub(super) message: Message,
    pub(super) reason: CauseReason,
    /// The path of the cause, relative to the value to which the rule applies. The API server treats this path as one step.
    pub(super) field_path: Option<FieldPath>,
}

impl RuleNode {
    /// Returns `true` if a rule of the node uses `oldSelf`.
    pub(super) fn uses_old_self(&self) -> bool {
        self.rules.iter().any(|rule| rule.uses_old_self)
    }

    /// Returns `true` if error messages contain the value's type instead of the value, as for objects and lists.
    pub(super) fn hides_values(&self) -> bool {
        matches!(&*self.type_name, "object" | "array")
    }
}
