//! Compiles a schema's rules into a tree of the nodes with rules.

use crd_cel::eval::{DataKind, DataType};
use crd_go::KubeVersion;

use super::data::data_type;
use super::message::Message;
#[cfg(feature = "admit")]
use super::metadata::MetadataUse;
use super::programs::Programs;
use super::tree::{Rule, RuleNode, RuleProperty, RuleTree};
use crate::cel::field_path::resolve;
use crate::cel::types::declares_meta;
use crate::cel::{Environment, Rules, SchemaTypes};
use crate::crd::ValidationRule;
use crate::{CauseReason, Structural};

impl RuleTree {
    /// Compiles all rules of a schema. Returns `None` if the schema has no rules.
    #[must_use]
    pub fn new(schema: &Structural, is_resource: bool) -> Option<Self> {
        Self::for_version(schema, is_resource, KubeVersion::default())
    }

    /// Compiles all rules of a schema as that version of the API server compiles stored rules. Returns `None` if the schema has no rules.
    #[must_use]
    pub fn for_version(schema: &Structural, is_resource: bool, version: KubeVersion) -> Option<Self> {
        tree(schema, is_resource, version)
    }
}

/// Returns the tree of rules; `None` if the schema has no rules.
fn tree(schema: &Structural, is_resource: bool, version: KubeVersion) -> Option<RuleTree> {
    if !schema.has_rules() {
        return None;
    }
    let types = SchemaTypes::for_version(schema, is_resource || schema.is_embedded_resource(), version);
    // Stored rules can use all functions of the server.
    let rules = Rules::new(&types, Environment::for_stored(version)).seen_by_parents();
    let mut root = node(&Programs::new(&rules), schema, is_resource)?;
    let data = data_type(schema, is_resource);
    root.find_types(&data);
    Some(RuleTree {
        version,
        root,
        data,
        #[cfg(feature = "admit")]
        metadata_use: MetadataUse::from_schema(schema),
    })
}

fn node(programs: &Programs<'_, '_, '_>, schema: &Structural, is_resource: bool) -> Option<RuleNode> {
    // Rules of nodes that are invisible to CEL never run, nor do those below them.
    if !programs.is_typed(schema) {
        return None;
    }
    let below =
        |schema: Option<&Structural>| schema.and_then(|schema| node(programs, schema, false)).map(Box::new);
    let has_implied = (is_resource || schema.is_embedded_resource()) && !declares_meta(&schema.properties);
    let properties = schema.properties.iter().filter_map(|(name, property)| {
        let mut node = node(programs, property, false)?;
        let is_implied = has_implied && name == "metadata";
        node.data = is_implied.then(|| Box::new(data_type(property, false)));
        let property = RuleProperty {
            node,
            type_index: None,
            #[cfg(feature = "admit")]
            default: None,
        };
        Some((name, property))
    });
    let properties = properties.collect();
    let compiled = schema.validations.iter().enumerate();
    let compiled = compiled.filter_map(|written| rule(programs, schema, written));
    let node = RuleNode {
        rules: compiled.collect(),
        type_name: schema.type_.as_ref().map_or("", |name| name.as_str()).into(),
        data: None,
        properties,
        values: below(schema.map_values()),
        items: below(schema.items.as_deref()),
        #[cfg(feature = "admit")]
        sees_defaults: false,
    };
    let is_empty =
        node.rules.is_empty() && node.properties.is_empty() && node.values.is_none() && node.items.is_none();
    (!is_empty).then_some(node)
}

impl RuleNode {
    /// Looks up the types of all properties once, for all objects.
    fn find_types(&mut self, data: &DataType) {
        if let DataKind::Object(types) = &data.kind {
            for (name, property) in self.properties.iter_mut() {
                let Ok(index) = types.binary_search_by(|(known, _)| (**known).cmp(name)) else { continue };
                property.type_index = Some(index);
                let own = property.node.data.take();
                property.node.find_types(own.as_deref().unwrap_or(&types[index].1));
                property.node.data = own;
            }
        }
        let below = match &data.kind {
            DataKind::Map(values) => self.values.as_deref_mut().zip(Some(&**values)),
            DataKind::List(items, _) => self.items.as_deref_mut().zip(Some(&**items)),
            _ => None,
        };
        if let Some((node, data)) = below {
            node.find_types(data);
        }
    }
}

/// Compiles a CEL rule of a schema. Returns `None` for a blank expression.
fn rule(
    programs: &Programs<'_, '_, '_>,
    schema: &Structural,
    (index, written): (usize, &ValidationRule),
) -> Option<Rule> {
    if written.rule.trim().is_empty() {
        return None;
    }
    let optional = written.optional_old_self == Some(true);
    let (program, uses_old_self) = match programs.rule(schema, &written.rule, optional) {
        Ok((program, uses_old_self)) => (Ok(program), uses_old_self),
        Err(error) => (Err(error.to_string()), false),
    };
    // A messageExpression that does not compile is ignored.
    let has_message = program.is_ok() && !written.message_expression.is_empty();
    let message =
        has_message.then(|| programs.message(schema, &written.message_expression, optional).ok()).flatten();
    let field_path = resolve(&written.field_path, schema, true).ok().map(|resolved| resolved.path);
    let field_path = field_path.filter(|path| !path.is_root());
    let shown = if written.message.is_empty() { &written.rule } else { &written.message };
    Some(Rule {
        program,
        uses_old_self,
        has_optional_old_self: optional,
        text: written.rule.as_str().into(),
        index,
        shown: shown.trim().into(),
        message: Message::new(written, message),
        reason: reason(written.reason.as_deref()),
        field_path,
    })
}

fn reason(name: Option<&str>) -> CauseReason {
    match name {
        Some("FieldValueForbidden") => CauseReason::Forbidden,
        Some("FieldValueRequired") => CauseReason::Required,
        Some("FieldValueDuplicate") => CauseReason::Duplicate,
        _ => CauseReason::Invalid,
    }
}
