//! Compares a schema with the schemas that the derives would generate for the Rust types without attributes. The differences are stored in
//! types and fields, as attributes. At this stage, the types are still a tree, and each type is used once.

mod difference;
mod expected;
mod node;
mod plain;
mod schema_attributes;
mod unions;

use crd_core::Structural;
use serde_json::{Value, json};

use crate::config::{Defaults, NumberType, Settings};
use crate::ir::attributes::{
    Description, FieldAttributes, ObjectAttributes, SchemaAttribute, SpecForm, TypeAttributes,
};
use crate::ir::{Field, Graph, Presence, Struct, Tree, Type, TypeId};
use difference::difference;
use node::{Node, child, required_in, text};
use schema_attributes::rules;

/// Keywords that belong to a field, regardless of its type.
const OF_FIELDS: &[&str] =
    &["description", "title", "default", "nullable", "example", "externalDocs", "x-kubernetes-map-type"];

/// Sets the attributes of all types and fields.
pub(super) fn annotate(tree: &mut Tree, schema: &Structural, settings: &Settings) {
    let mut schema = schema.to_json_schema().to_value();
    let Some(root) = schema.as_object_mut() else { return };
    plain::root(root);
    let mut annotation = Annotation { graph: &mut tree.graph, settings };
    let object = annotation.object(&mut tree.root, root);
    tree.object = Some(Box::new(object));
}

struct Annotation<'a> {
    graph: &'a mut Graph,
    settings: &'a Settings,
}

/// The use of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// The type of a field. The field has its own attributes.
    Field,
    /// The type of values in a list or a map, or of a field that the derive generates, `spec` or `status`.
    Part,
}

impl Annotation<'_> {
    fn object(&mut self, root: &mut Struct, node: &Node) -> ObjectAttributes {
        let spec = self.spec_form(root, node);
        let mut wanted: Node = node.clone();
        let (mut expected, mut properties) = (Node::new(), Node::new());
        expected.insert("type".to_owned(), json!("object"));
        let mut required: Vec<Value> = Vec::new();
        if root.keeps_rest {
            expected.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
        }
        let mut attributes = ObjectAttributes { spec, ..ObjectAttributes::default() };
        let mut wanted_properties = child(node, "properties");
        for field in &mut root.fields {
            let property = child(&wanted_properties, &field.property);
            wanted_properties.remove(&*field.property);
            let is_own = spec == SpecForm::Fields && &*field.property != "status";
            if is_own {
                if self.field(field, &property, required_in(node, &field.property)) {
                    required.push(json!(field.property));
                }
                continue;
            }
            if &*field.property == "spec" && spec == SpecForm::Spec {
                required.push(json!("spec"));
            }
            let patch = self.spec_or_status(field, &property, &mut attributes);
            properties.extend(patch.map(|patch| (field.property.to_string(), patch)));
        }
        // What stands next to the fields: restrictions of the metadata.
        attributes.name = schema_attributes::object_name(&mut wanted_properties);
        properties.extend(wanted_properties);
        wanted.remove("properties");
        attributes.description = text(&mut wanted, "description");
        attributes.rules = rules(&mut wanted);
        if !required.is_empty() {
            expected.insert("required".to_owned(), Value::Array(required));
        }
        attributes.patch = difference(&expected, &wanted);
        if !properties.is_empty()
            && let Value::Object(patch) = attributes.patch.get_or_insert_with(|| json!({}))
        {
            patch.insert("properties".to_owned(), Value::Object(properties));
        }
        attributes
    }

    /// Sets the default of `spec` or `status`, for which the derive generates the field. Returns a patch for the rest of the field's
    /// schema.
    fn spec_or_status(
        &mut self,
        field: &Field,
        property: &Node,
        attributes: &mut ObjectAttributes,
    ) -> Option<Value> {
        // The derive's own field takes a null in any case.
        let type_ = match self.graph[field.type_] {
            Type::Nullable(part) => part,
            _ => field.type_,
        };
        let (mut wanted, expected) = self.value(type_, property, At::Part);
        // The derive has an attribute for objects.
        let has_attribute = wanted.get("default").is_some_and(Value::is_object);
        let default = if has_attribute { wanted.remove("default") } else { None };
        if &*field.property == "spec" {
            attributes.spec_default = default;
        } else {
            attributes.status_default = default;
        }
        difference(&expected, &wanted)
    }

    /// Chooses the type for the derive: the type of `spec`, if possible.
    fn spec_form(&self, root: &Struct, node: &Node) -> SpecForm {
        let is_usual = |field: &Field| matches!(&*field.property, "spec" | "status");
        let spec = root.fields.iter().find(|field| &*field.property == "spec");
        let Some(spec) = spec.filter(|_| !root.keeps_rest && root.fields.iter().all(is_usual)) else {
            return SpecForm::Fields;
        };
        if matches!(self.graph[spec.type_], Type::Nullable(_)) {
            return SpecForm::Fields;
        }
        if required_in(node, "spec") {
            return SpecForm::Spec;
        }
        // An object without a spec is read as one with a default, which must add no field when it is written.
        if self.is_empty_by_default(spec.type_) { SpecForm::OptionalSpec } else { SpecForm::Fields }
    }

    /// Returns `true` if the type's `Default` is serialized as `{}`.
    fn is_empty_by_default(&self, id: TypeId) -> bool {
        match &self.graph[id] {
            Type::Struct(struct_) => {
                let is_absent =
                    |field: &Field| field.presence != Presence::Required && field.default.is_none();
                self.has_default(id) && struct_.fields.iter().all(is_absent)
            }
            Type::Map(_) | Type::Empty => true,
            _ => false,
        }
    }

    fn has_default(&self, id: TypeId) -> bool {
        let settings = self.settings;
        let is_taken_away = settings.defaults == Defaults::None
            || settings.no_derive.iter().any(|rule| rule.path == "Default");
        match &self.graph[id] {
            Type::Struct(struct_) => {
                let has_default =
                    |field: &Field| field.presence != Presence::Required || self.has_default(field.type_);
                !is_taken_away && struct_.fields.iter().all(has_default)
            }
            Type::Enum(_) | Type::Union(_) => false,
            Type::Number => settings.numbers != NumberType::Exact,
            _ => true,
        }
    }

    /// Sets the attributes of a field. Returns `true` if the derive makes the field required.
    fn field(&mut self, field: &mut Field, node: &Node, is_required: bool) -> bool {
        let (mut wanted, mut expected) = self.value(field.type_, node, At::Field);
        let description = text(&mut wanted, "description");
        let mut schema = Vec::new();
        let by_type =
            field.presence == Presence::Required && !matches!(self.graph[field.type_], Type::Nullable(_));
        // serde's `default` cannot be taken back.
        let can_be_required = field.presence != Presence::OptionalWithNull;
        if is_required && !by_type && can_be_required {
            schema.push(SchemaAttribute::Required);
        }
        schema_attributes::take(self.graph, field.type_, &mut wanted, &mut expected, &mut schema);
        field.attributes =
            Some(Box::new(FieldAttributes { description, schema, patch: difference(&expected, &wanted) }));
        by_type || is_required && can_be_required
    }

    /// Returns two schemas of a value: from the CRD, and as generated by the derives. For a named type, whose own attributes are set here,
    /// both schemas contain only the parts that belong to the field.
    fn value(&mut self, id: TypeId, node: &Node, at: At) -> (Node, Node) {
        match self.graph[id] {
            Type::Struct(_) => {
                self.struct_(id, node, at);
                (field_part(node, at), Node::new())
            }
            Type::Enum(_) => {
                self.enum_(id, node, at);
                (field_part(node, at), Node::new())
            }
            Type::Union(_) => {
                self.union(id, node, at);
                (field_part(node, at), Node::new())
            }
            Type::Nullable(part) => {
                let (mut wanted, mut expected) = self.value(part, node, at);
                if at == At::Field {
                    return (wanted, expected);
                }
                expected.insert("nullable".to_owned(), json!(true));
                if let (Type::Enum(_), Some(values)) = (&self.graph[part], node.get("enum")) {
                    // An enum that may be null becomes a pattern.
                    expected.insert("pattern".to_owned(), Value::Null);
                    wanted.insert("enum".to_owned(), values.clone());
                }
                (wanted, expected)
            }
            Type::List(part) => self.container(part, node, "items", "array"),
            Type::Map(part) if !matches!(self.graph[part], Type::Any) => {
                self.container(part, node, "additionalProperties", "object")
            }
            // The type is the user's, and so is its schema.
            Type::External(_) => {
                let description =
                    node.get("description").map(|text| ("description".to_owned(), text.clone()));
                (description.into_iter().collect(), Node::new())
            }
            ref leaf => (node.clone(), expected::leaf(leaf, at == At::Field, self.settings)),
        }
    }

    fn container(&mut self, part: TypeId, node: &Node, keyword: &str, type_: &str) -> (Node, Node) {
        let (inner_wanted, inner_expected) = self.value(part, &child(node, keyword), At::Part);
        let mut wanted = node.clone();
        wanted.insert(keyword.to_owned(), Value::Object(inner_wanted));
        let mut expected = Node::new();
        expected.insert("type".to_owned(), json!(type_));
        expected.insert(keyword.to_owned(), Value::Object(inner_expected));
        (wanted, expected)
    }

    fn struct_(&mut self, id: TypeId, node: &Node, at: At) {
        let Type::Struct(struct_) = &mut self.graph[id] else { return };
        let mut fields = std::mem::take(&mut struct_.fields);
        let mut expected = Node::new();
        expected.insert("type".to_owned(), json!("object"));
        if struct_.keeps_rest {
            expected.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
        }
        let properties = child(node, "properties");
        let is_embedded = node.get("x-kubernetes-embedded-resource") == Some(&json!(true));
        let mut wanted = type_part(node);
        let (mut required, mut beside) = (Vec::new(), Node::new());
        let mut unions = Vec::new();
        for field in &mut fields {
            // The API server has a schema of its own for these; theirs are part of a patch.
            if is_embedded && matches!(&*field.property, "apiVersion" | "kind" | "metadata") {
                let attributes =
                    FieldAttributes { schema: vec![SchemaAttribute::Skipped], ..FieldAttributes::default() };
                field.attributes = Some(Box::new(attributes));
                if let Some(property) = properties.get(&*field.property) {
                    beside.insert(field.property.to_string(), property.clone());
                }
                continue;
            }
            if field.is_flattened {
                match self.discriminated_members(field, node) {
                    Some(names) => required.extend(names),
                    None => unions.extend(self.members(field, &properties, &mut beside)),
                }
                continue;
            }
            let property = child(&properties, &field.property);
            if self.field(field, &property, required_in(node, &field.property)) {
                required.push(json!(field.property));
            }
        }
        // What the derives make of several flattened enums.
        match unions.len() {
            0 => {}
            1 => drop(expected.insert("oneOf".to_owned(), unions.remove(0))),
            _ => {
                let all = unions.into_iter().map(|union| json!({"oneOf": union}));
                expected.insert("allOf".to_owned(), all.collect());
            }
        }
        if !required.is_empty() {
            expected.insert("required".to_owned(), Value::Array(required));
        }
        if !beside.is_empty() {
            wanted.insert("properties".to_owned(), Value::Object(beside));
        }
        let rules = rules(&mut wanted);
        let patch = difference(&expected, &wanted);
        let attributes = TypeAttributes { description: description(node, at), rules, patch };
        if let Type::Struct(struct_) = &mut self.graph[id] {
            struct_.fields = fields;
            struct_.about.attributes = Some(Box::new(attributes));
        }
    }

    fn enum_(&mut self, id: TypeId, node: &Node, at: At) {
        let Type::Enum(enum_) = &mut self.graph[id] else { return };
        let expected = expected::enum_schema(enum_);
        let mut wanted = type_part(node);
        let rules = rules(&mut wanted);
        let patch = difference(&expected, &wanted);
        enum_.about.attributes =
            Some(Box::new(TypeAttributes { description: description(node, at), rules, patch }));
    }
}

/// Returns the keywords that become attributes of a named type.
fn type_part(node: &Node) -> Node {
    let is_own = |keyword: &str| keyword != "properties" && !OF_FIELDS.contains(&keyword);
    node.iter()
        .filter(|(keyword, _)| is_own(keyword))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect()
}

/// Returns the keywords that become attributes of the field that uses a named type. If a list or a map uses the type, the description
/// belongs to the type.
fn field_part(node: &Node, at: At) -> Node {
    let is_own =
        |keyword: &str| OF_FIELDS.contains(&keyword) && (at == At::Field || keyword != "description");
    node.iter()
        .filter(|(keyword, _)| is_own(keyword))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect()
}

fn description(node: &Node, at: At) -> Description {
    let own = node.get("description").and_then(Value::as_str);
    match (at, own) {
        (At::Field, Some(_)) => Description::Any,
        (_, own) => Description::Exactly(own.map(Box::from)),
    }
}
