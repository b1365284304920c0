//! Finds attributes for unions: for the variants of an enum, or, with a discriminator, for the struct that represents the union in JSON.

use serde_json::{Value, json};

use super::difference::difference;
use super::node::{Node, child, required_in, text};
use super::schema_attributes::rules;
use super::{Annotation, At, description, type_part};
use crate::ir::attributes::{Description, FieldAttributes, TypeAttributes};
use crate::ir::{Field, Presence, Type, TypeId};

impl Annotation<'_> {
    /// Sets the attributes of a union that is not flattened.
    pub(super) fn union(&mut self, id: TypeId, node: &Node, at: At) {
        if let Some(wire) = self.graph[id].wire() {
            self.struct_(wire, node, at);
            // The union has the schema of the struct, and adds its own description.
            let about = self.graph[wire].about_mut();
            if let Some(attributes) = about.and_then(|about| about.attributes.as_deref_mut()) {
                attributes.description = Description::Exactly(None);
            }
            self.describe(id, description(node, at));
            return;
        }
        let mut beside = Node::new();
        let branches = self.variants(id, &child(node, "properties"), &mut beside);
        let mut expected = Node::new();
        expected.insert("type".to_owned(), json!("object"));
        expected.insert("oneOf".to_owned(), branches);
        let mut wanted = type_part(node);
        if !beside.is_empty() {
            wanted.insert("properties".to_owned(), Value::Object(beside));
        }
        let rules = rules(&mut wanted);
        let attributes = TypeAttributes {
            description: description(node, at),
            rules,
            patch: difference(&expected, &wanted),
        };
        if let Some(about) = self.graph[id].about_mut() {
            about.attributes = Some(Box::new(attributes));
        }
    }

    /// Sets the attributes of a flattened union's members. Returns the schema that the derives generate for the union. An optional
    /// union has no schema, so the result is `None`.
    pub(super) fn members(
        &mut self,
        field: &mut Field,
        properties: &Node,
        beside: &mut Node,
    ) -> Option<Value> {
        let branches = self.variants(field.type_, properties, beside);
        field.attributes = Some(Box::new(FieldAttributes::default()));
        // The object around it has all attributes.
        self.describe(field.type_, Description::Exactly(None));
        (field.presence == Presence::Required).then_some(branches)
    }

    /// Sets the members' attributes for a flattened union with a discriminator, and returns the properties that the derives make required.
    /// Returns `None` for other unions.
    pub(super) fn discriminated_members(&mut self, field: &mut Field, node: &Node) -> Option<Vec<Value>> {
        let wire = self.graph[field.type_].wire()?;
        let Type::Struct(struct_) = &mut self.graph[wire] else { return None };
        let mut fields = std::mem::take(&mut struct_.fields);
        let properties = child(node, "properties");
        let mut required = Vec::new();
        for member in &mut fields {
            let is_required = required_in(node, &member.property);
            if self.field(member, &child(&properties, &member.property), is_required) {
                required.push(json!(member.property));
            }
        }
        if let Type::Struct(struct_) = &mut self.graph[wire] {
            struct_.fields = fields;
        }
        for id in [wire, field.type_] {
            self.describe(id, Description::Exactly(None));
        }
        field.attributes = Some(Box::new(FieldAttributes::default()));
        Some(required)
    }

    /// Sets the attributes of a type that has no other attribute than the description.
    fn describe(&mut self, id: TypeId, description: Description) {
        if let Some(about) = self.graph[id].about_mut() {
            about.attributes = Some(Box::new(TypeAttributes { description, ..TypeAttributes::default() }));
        }
    }

    /// Sets the attributes of the variants. For each property, the parts of the schema that no attribute can express are added to `beside`.
    /// Returns the schemas for `oneOf`.
    fn variants(&mut self, id: TypeId, properties: &Node, beside: &mut Node) -> Value {
        let Type::Union(union) = &mut self.graph[id] else { return Value::Null };
        let mut fields = std::mem::take(&mut union.fields);
        for field in &mut fields {
            let property = child(properties, &field.property);
            let (mut wanted, expected) = self.value(field.type_, &property, At::Part);
            let is_named = self.graph[field.type_].about().is_some();
            // A named type has its own description.
            let description = if is_named { None } else { text(&mut wanted, "description") };
            field.attributes = Some(Box::new(FieldAttributes { description, ..FieldAttributes::default() }));
            if let Some(patch) = difference(&expected, &wanted) {
                beside.insert(field.property.to_string(), patch);
            }
        }
        let branches = fields.iter().map(|field| json!({"required": [field.property]})).collect();
        if let Type::Union(union) = &mut self.graph[id] {
            union.fields = fields;
        }
        branches
    }
}
