//! Converts a structural schema to CEL declarations, with the sizes from which costs are estimated.
//!
//! Source: `k8s.io/apiserver/pkg/cel/common/schemas.go` and `.../pkg/apiserver/schema/cel/model`.

use std::collections::HashMap;

use crd_cel::{DeclId, Declarations, Declared, Shape, escape_name};
use crd_go::KubeVersion;
use serde_json::Value;

use crate::schema::SchemaType;
use crate::{OrderedMap, Structural};

/// Maximum size of a request, in bytes.
pub(super) const MAX_REQUEST: u64 = 3 * 1024 * 1024;
/// The size of a value without a size limit: a whole request without the value's quotes or brackets.
const UNLIMITED: u64 = MAX_REQUEST - 2;

/// Maximum number of characters in an object's name.
const NAME: u64 = 253;

/// The first minor version in which `maxLength` of an int-or-string value limits its strings.
const LIMITED_STRINGS: u32 = 34;
/// The first minor version that limits the length of object names.
const LIMITED_NAMES: u32 = 37;

/// The declared types of a schema's nodes.
#[derive(Debug)]
pub struct SchemaTypes<'s> {
    schema: &'s Structural,
    is_resource: bool,
    version: KubeVersion,
    pub(super) declarations: Declarations,
    limits: Vec<LimitSince>,
    /// The types of nodes, by the address of the node. Nodes do not move while the schema is borrowed.
    nodes: HashMap<*const Structural, DeclId>,
    /// The types of nodes whose parent has an implied type: `metadata` of a resource and the names in it. `None` for a node that is missing
    /// in its parent's type.
    implied: HashMap<*const Structural, Option<DeclId>>,
}

/// A type's size limit, which applies from this Kubernetes version on. In earlier versions, the size is unlimited.
#[derive(Debug)]
struct LimitSince {
    minor: u32,
    id: DeclId,
    size: u64,
}

impl<'s> SchemaTypes<'s> {
    /// Returns the types of a version's schema. The root is a resource, so `metadata`, `apiVersion` and `kind` exist even if they are not
    /// declared.
    #[must_use]
    pub fn for_resource(schema: &'s Structural) -> Self {
        Self::for_version(schema, true, KubeVersion::default())
    }

    /// Returns the types for a part of a schema.
    #[must_use]
    pub fn for_part(schema: &'s Structural) -> Self {
        Self::for_version(schema, schema.is_embedded_resource(), KubeVersion::default())
    }

    /// Returns a schema's types as declared by this release of the API server. `is_resource` is `true` if the root is a resource.
    #[must_use]
    pub fn for_version(schema: &'s Structural, is_resource: bool, version: KubeVersion) -> Self {
        let declarations = Declarations::default();
        let (nodes, implied, limits) = (HashMap::new(), HashMap::new(), Vec::new());
        let mut types = Self { schema, is_resource, version, declarations, limits, nodes, implied };
        types.declare(schema, is_resource);
        types.change_release(version);
        types
    }

    /// Declares the types as in another Kubernetes version. Returns `true` if a type changes.
    pub fn change_release(&mut self, version: KubeVersion) -> bool {
        let mut changes = false;
        self.version = version;
        for LimitSince { minor, id, size } in &self.limits {
            let size = if version.is_at_least(*minor) { *size } else { UNLIMITED };
            changes |= self.declarations.get(*id).max_elements != size;
            self.declarations.set_max_elements(*id, size);
        }
        changes
    }

    /// Returns `true` if `maxLength` limits the strings of values that are an integer or a string.
    pub(super) fn limits_strings(&self) -> bool {
        self.version.is_at_least(LIMITED_STRINGS)
    }

    /// Returns the schema that has these types.
    #[must_use]
    pub fn schema(&self) -> &'s Structural {
        self.schema
    }

    /// Returns `true` if the schema describes a whole object.
    #[must_use]
    pub fn is_resource(&self) -> bool {
        self.is_resource
    }

    /// Returns the type of a schema node; `None` if the node is invisible to CEL.
    pub(super) fn type_of(&self, node: &Structural) -> Option<DeclId> {
        self.nodes.get(&std::ptr::from_ref(node)).copied()
    }

    /// Returns a node's type according to the type of the node's parent.
    pub(super) fn type_of_field(&self, node: &Structural) -> Option<DeclId> {
        self.implied.get(&std::ptr::from_ref(node)).copied().flatten().or_else(|| self.type_of(node))
    }

    /// Returns `false` if the node's parent has an implied type that does not contain the node.
    #[cfg(feature = "rules")]
    pub(super) fn is_field(&self, node: &Structural) -> bool {
        !matches!(self.implied.get(&std::ptr::from_ref(node)), Some(None))
    }

    fn declare(&mut self, schema: &'s Structural, is_resource: bool) -> Option<DeclId> {
        // Nodes below can have rules, so they are declared even if this node has no type.
        let items = schema.items.as_deref().and_then(|items| self.declare_child(items));
        let values = schema.map_values().map(|values| self.declare_child(values));
        let properties: Vec<_> = schema
            .properties
            .iter()
            .map(|(name, property)| (name, property, self.declare_child(property)))
            .collect();
        let declared = match (&schema.type_, values) {
            _ if schema.is_int_or_string() => {
                let id = self.declarations.add(declared(Shape::Dyn, UNLIMITED, 1));
                if let Some(length) = max_length(schema) {
                    self.limits.push(LimitSince { minor: LIMITED_STRINGS, id, size: length * 4 });
                }
                self.nodes.insert(schema, id);
                return Some(id);
            }
            (Some(SchemaType::Array), _) => self.list(schema, items?),
            (Some(SchemaType::Object), Some(values)) => self.map(schema, values?),
            (Some(SchemaType::Object), None) => self.object(schema, is_resource, &properties),
            (Some(SchemaType::String), _) => string(schema),
            (Some(SchemaType::Boolean), _) => declared(Shape::Bool, 0, 4),
            (Some(SchemaType::Number), _) => declared(Shape::Double, 0, 1),
            (Some(SchemaType::Integer), _) => declared(Shape::Int, 0, 1),
            _ => return None,
        };
        let id = self.declarations.add(declared);
        self.nodes.insert(schema, id);
        Some(id)
    }

    fn declare_child(&mut self, child: &'s Structural) -> Option<DeclId> {
        self.declare(child, child.is_embedded_resource())
    }

    fn list(&self, schema: &Structural, items: DeclId) -> Declared {
        let limit = schema.value_validation.as_ref().and_then(|validation| validation.max_items);
        let smallest = self.declarations.get(items).min_serialized_size + 1;
        declared(Shape::List(items), limit.map_or(UNLIMITED / smallest, not_negative), 2)
    }

    fn map(&self, schema: &Structural, values: DeclId) -> Declared {
        let limit = schema.value_validation.as_ref().and_then(|validation| validation.max_properties);
        // The key's quotes, the colon, the comma, and the smallest value.
        let smallest = self.declarations.get(values).min_serialized_size + 6;
        declared(Shape::Map(values), limit.map_or(UNLIMITED / smallest, not_negative), 2)
    }

    fn object(
        &mut self,
        schema: &Structural,
        is_resource: bool,
        properties: &[(&str, &Structural, Option<DeclId>)],
    ) -> Declared {
        let implied = if is_resource && !declares_meta(&schema.properties) {
            self.implied_properties(schema)
        } else {
            vec![]
        };
        let mut fields = Vec::new();
        let mut smallest = 2;
        let declared_here = properties
            .iter()
            .filter(|(name, ..)| implied.iter().all(|(implied, _)| implied != name))
            .filter_map(|(name, property, id)| Some((*name, property.generic.default.is_some(), (*id)?)));
        let implied = implied.iter().map(|(name, id)| (*name, false, *id));
        for (name, has_default, id) in declared_here.chain(implied) {
            if let Some(escaped) = escape_name(name) {
                fields.push((Box::from(&*escaped), id));
            }
            // Each object contains the required properties without defaults: the name, its quotes, colon and comma.
            if !has_default && schema.is_required(name) {
                smallest += name.len() as u64 + self.declarations.get(id).min_serialized_size + 4;
            }
        }
        declared(Shape::Object(fields), 0, smallest)
    }

    /// Returns the properties of every resource: `apiVersion`, `kind`, and `metadata` with its names.
    fn implied_properties(&mut self, schema: &Structural) -> Vec<(&'static str, DeclId)> {
        let metadata = schema.properties.get("metadata");
        let mut text = || self.declarations.add(declared(Shape::String, UNLIMITED, 2));
        let [api_version, kind, name, generate_name] = std::array::from_fn(|_| text());
        for (field, id, most) in [("name", name, NAME), ("generateName", generate_name, NAME - 1)] {
            let written = metadata.and_then(|metadata| metadata.properties.get(field)).and_then(max_length);
            let size = written.unwrap_or(most).min(most) * 4;
            self.limits.push(LimitSince { minor: LIMITED_NAMES, id, size });
        }
        let fields = vec![("name".into(), name), ("generateName".into(), generate_name)];
        let metadata = self.declarations.add(declared(Shape::Object(fields), 0, 2));
        let implied = vec![("apiVersion", api_version), ("kind", kind), ("metadata", metadata)];
        self.imply(schema, &implied);
        if let Some(schema) = schema.properties.get("metadata") {
            self.imply(schema, &[("name", name), ("generateName", generate_name)]);
        }
        implied
    }

    /// Records implied types for some of a schema's properties. The schemas below these properties have no type, unless a type is recorded
    /// for them later.
    fn imply(&mut self, schema: &Structural, implied: &[(&str, DeclId)]) {
        for (name, id) in implied {
            let Some(property) = schema.properties.get(name) else { continue };
            self.implied.insert(property, Some(*id));
            property.children().for_each(|(_, child)| {
                self.implied.insert(child, None);
            });
        }
    }
}

/// Returns `true` if `kind`, `apiVersion` and `metadata` with its names are all declared: only then does the API server use these
/// declarations.
pub(crate) fn declares_meta(properties: &OrderedMap<Structural>) -> bool {
    let has = |properties: &OrderedMap<Structural>, name: &str, ty: &SchemaType| {
        properties.get(name).is_some_and(|property| property.type_.as_ref() == Some(ty))
    };
    has(properties, "kind", &SchemaType::String)
        && has(properties, "apiVersion", &SchemaType::String)
        && has(properties, "metadata", &SchemaType::Object)
        && properties.get("metadata").is_some_and(|metadata| {
            has(&metadata.properties, "name", &SchemaType::String)
                && has(&metadata.properties, "generateName", &SchemaType::String)
        })
}

fn string(schema: &Structural) -> Declared {
    let validation = schema.value_validation.as_deref();
    let length = max_length(schema);
    match validation.and_then(|validation| validation.format.as_deref()) {
        Some("byte") => return declared(Shape::Bytes, length.unwrap_or(UNLIMITED), 2),
        Some("duration") => return declared(Shape::Duration, 32, 3),
        Some("date") => return declared(Shape::Timestamp, 12, 12),
        Some("date-time") => return declared(Shape::Timestamp, 32, 21),
        _ => {}
    }
    let longest = |values: &Vec<Value>| {
        values.iter().filter_map(Value::as_str).map(|value| value.len() as u64).max().unwrap_or(0)
    };
    let values =
        validation.and_then(|validation| validation.enum_.as_ref()).filter(|values| !values.is_empty());
    // A code point has four bytes at most.
    let size = length.map(|length| length * 4).or_else(|| values.map(longest)).unwrap_or(UNLIMITED);
    declared(Shape::String, size, 2)
}

fn max_length(schema: &Structural) -> Option<u64> {
    // The cap has no effect on the result: the product with four saturates, too.
    schema.value_validation.as_ref()?.max_length.map(|length| not_negative(length).min(u64::MAX / 4))
}

fn not_negative(limit: i64) -> u64 {
    u64::try_from(limit).unwrap_or(0)
}

fn declared(shape: Shape, max_elements: u64, min_serialized_size: u64) -> Declared {
    Declared { shape, max_elements, min_serialized_size }
}
