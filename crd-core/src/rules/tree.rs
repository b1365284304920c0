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
    /// The name of the node's type, which replaces the value in the error of a rule that cannot be evaluated.
    pub(super) type_name: Box<str>,
    /// The type of the node's data, if the rules of the parent read data of another type, as for `metadata` of a resource.
    pub(super) data: Option<Box<DataType>>,
    pub(super) properties: OrderedMap<RuleProperty>,
    pub(super) values: Option<Box<RuleNode>>,
    pub(super) items: Option<Box<RuleNode>>,
    /// `true` if the rules of the node must run on objects with their defaults filled in.
    #[cfg(feature = "admit")]
    pub(super) sees_defaults: bool,
}

/// A property of an object, with the rules at and below it.
#[derive(Debug)]
pub(super) struct RuleProperty {
    pub(super) node: RuleNode,
    /// The position of the property's type among the types of the object's fields. `None` if rules of the object do not see the property.
    pub(super) type_index: Option<usize>,
    /// The default of an absent value, with the defaults within it.
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
    /// The index of the rule among the rules of its schema.
    pub(super) index: usize,
    /// The name of the rule in errors of its evaluation.
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

    /// Returns `true` if errors name the type of the value instead of the value. Errors for objects and lists name the type.
    pub(super) fn hides_values(&self) -> bool {
        matches!(&*self.type_name, "object" | "array")
    }
}
