//! Converts a structural schema to types. Only this module knows both schemas and types.

mod attributes;
mod enums;
mod keywords;
mod kubernetes;
mod place;
mod preserve;
mod tolerate;
mod unions;

use crd_core::crd::JsonSchemaProps;
use crd_core::schema::{AdditionalProperties, SchemaType};
use crd_core::{CauseReason, Diagnostic, FieldPath, Keyword, Structural};

use super::{About, Field, Graph, Presence, Struct, Tree, Type, TypeId};
use crate::config::{Defaults, Form, KindPath, NameOverride, Settings, TypeOverride};
use keywords::{int_or_string, string, takes_any_property};
use kubernetes::{NearMisses, Recognised};
use place::Position;

/// The parameters of [`lower`] besides the schema.
pub(crate) struct Context<'a> {
    /// The kind of the objects.
    pub(crate) kind: &'a str,
    /// The path of the schema in the CRD.
    pub(crate) path: FieldPath,
    pub(crate) settings: &'a Settings,
    /// The type overrides: those in the settings, or none.
    pub(crate) type_overrides: &'a [TypeOverride],
}

/// The result of [`lower`]. This function converts a schema to types.
pub(crate) struct Lowered {
    pub(crate) tree: Tree,
    /// Warnings about parts of the schema that types cannot express.
    pub(crate) warnings: Vec<Diagnostic>,
    /// `true` for each type override that was used. `used_names` is the same for name overrides.
    pub(crate) used_types: Vec<bool>,
    pub(crate) used_names: Vec<bool>,
}

/// Converts an object's schema to types. Values without a schema have a type that holds every JSON value.
pub(crate) fn lower(schema: Option<&JsonSchemaProps>, context: &Context<'_>) -> Lowered {
    let mut lowering = Lowering::new(context);
    let structural = match schema {
        Some(schema) => tolerate::structural(schema, &context.path, &mut lowering.warnings),
        None => {
            let what = "no schema, so the whole object is kept as JSON";
            lowering.warnings.push(Diagnostic::new(context.path.clone(), CauseReason::Required, what));
            Structural::default()
        }
    };
    let root = lowering.root(&preserve::moved_to_items(&structural), schema.is_some());
    let Lowering { graph, mut warnings, near_misses, used_types, used_names, .. } = lowering;
    warnings.extend(near_misses.into_warnings());
    let mut tree = Tree { graph, root, object: None };
    if context.settings.form == Form::Derive {
        attributes::annotate(&mut tree, &structural, context.settings);
    }
    Lowered { tree, warnings, used_types, used_names }
}

struct Lowering<'a> {
    context: &'a Context<'a>,
    graph: Graph,
    warnings: Vec<Diagnostic>,
    near_misses: NearMisses,
    known_rules: unions::KnownRules,
    used_types: Vec<bool>,
    used_names: Vec<bool>,
    keeps_defaults: bool,
    explicit_null: bool,
    open_enums: bool,
}

impl<'a> Lowering<'a> {
    fn new(context: &'a Context<'a>) -> Self {
        let settings = context.settings;
        Self {
            context,
            graph: Graph::default(),
            warnings: Vec::new(),
            near_misses: NearMisses::default(),
            known_rules: unions::KnownRules::default(),
            used_types: vec![false; context.type_overrides.len()],
            used_names: vec![false; settings.name_override.len()],
            keeps_defaults: settings.defaults == Defaults::Schema,
            explicit_null: settings.explicit_null,
            open_enums: settings.open_enums,
        }
    }

    fn root(&mut self, schema: &Structural, is_known: bool) -> Struct {
        let position = Position::root();
        let own = ["apiVersion", "kind", "metadata"];
        let fields = self.fields(schema, &position, &own);
        let keeps_rest = !is_known || schema.extensions.preserve_unknown_fields || takes_any_property(schema);
        Struct { about: self.about(schema, &position), fields, keeps_rest, ..Struct::default() }
    }

    /// Returns the type of a value, including `null` if it is allowed.
    fn value(&mut self, schema: &Structural, position: &Position<'_>) -> TypeId {
        let type_ = self.plain_value(schema, position);
        // JSON of any kind has `null` already.
        if schema.is_nullable() && !matches!(self.graph[type_], Type::Any) {
            return self.graph.add(Type::Nullable(type_));
        }
        type_
    }

    fn plain_value(&mut self, schema: &Structural, position: &Position<'_>) -> TypeId {
        let type_ = match self.overriding_type(position) {
            Some(type_) => Type::External(type_.into()),
            None => match self.kubernetes_scalar(schema, position) {
                Some(type_) => type_,
                None => self.own_value(schema, position),
            },
        };
        self.graph.add(type_)
    }

    /// Returns the type of a value for which there is neither a type override nor a k8s-openapi type.
    fn own_value(&mut self, schema: &Structural, position: &Position<'_>) -> Type {
        if schema.is_int_or_string() {
            return int_or_string(schema);
        }
        if schema.is_embedded_resource() {
            return self.embedded_resource(schema, position);
        }
        match &schema.type_ {
            Some(SchemaType::Object) => self.object(schema, position),
            Some(SchemaType::Array) => self.list(schema, position),
            Some(SchemaType::Boolean) => self.enum_or(Type::Boolean, schema, position),
            Some(SchemaType::Integer) => self.enum_or(Type::Integer(schema.integer_type()), schema, position),
            Some(SchemaType::Number) => self.enum_or(Type::Number, schema, position),
            Some(SchemaType::String) => self.enum_or(string(schema), schema, position),
            None | Some(SchemaType::Unknown(_)) => self.untyped(schema, position),
        }
    }

    fn object(&mut self, schema: &Structural, position: &Position<'_>) -> Type {
        if !schema.properties.is_empty() {
            let not_taken = match self.kubernetes_struct(schema, position) {
                Recognised::Taken(type_) => return type_,
                Recognised::TakenButForApply(at) => return self.kubernetes_form(schema, at, position),
                Recognised::Not(reason) => reason,
            };
            let count_before = self.near_misses.count;
            let fields = self.fields(schema, position, &[]);
            self.not_taken(not_taken, position, count_before);
            let keeps_rest = schema.extensions.preserve_unknown_fields || takes_any_property(schema);
            let about = self.about(schema, position);
            let struct_ = Struct { about, fields, keeps_rest, ..Struct::default() };
            return self.with_unions(schema, struct_, position);
        }
        match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => {
                Type::Map(self.value(values, &position.step(place::Step::Values)))
            }
            None | Some(AdditionalProperties::Allowed(false))
                if !schema.extensions.preserve_unknown_fields =>
            {
                Type::Empty
            }
            _ => Type::Map(self.graph.add(Type::Any)),
        }
    }

    fn list(&mut self, schema: &Structural, position: &Position<'_>) -> Type {
        let position = position.step(place::Step::Items);
        match &schema.items {
            Some(items) => {
                let items = self.value(items, &position);
                self.keep_map_keys(schema, items);
                Type::List(items)
            }
            None => {
                self.warn_missing(
                    &position,
                    Keyword::Items,
                    "no schema for the items, so they are kept as JSON",
                );
                Type::List(self.graph.add(Type::Any))
            }
        }
    }

    fn keep_map_keys(&mut self, list: &Structural, items: TypeId) {
        let keys = list.extensions.list_map_keys.iter().flatten();
        if list.extensions.list_type.as_deref() == Some("map")
            && let Type::Struct(struct_) = &mut self.graph[items]
        {
            struct_.map_keys = keys.map(|key| key.as_str().into()).collect();
        }
    }

    /// Returns the type of an embedded Kubernetes object. Whatever its schema, the API server preserves `apiVersion`, `kind` and
    /// `metadata`.
    fn embedded_resource(&mut self, schema: &Structural, position: &Position<'_>) -> Type {
        let own = ["apiVersion", "kind", "metadata"];
        if schema.properties.keys().all(|name| own.contains(&name)) {
            return Type::EmbeddedResource;
        }
        let string = self.graph.add(Type::String);
        let metadata = self.graph.add(Type::ObjectMeta);
        let own_field = |name: &str, type_, presence| Field {
            property: name.into(),
            type_,
            presence,
            doc: schema.properties.get(name).and_then(doc),
            default: None,
            attributes: None,
            is_flattened: false,
        };
        let mut fields = vec![
            own_field("apiVersion", string, Presence::Required),
            own_field("kind", string, Presence::Required),
            own_field("metadata", metadata, Presence::Optional),
        ];
        fields.extend(self.fields(schema, position, &own));
        let keeps_rest = schema.extensions.preserve_unknown_fields;
        Type::Struct(Struct { about: self.about(schema, position), fields, keeps_rest, ..Struct::default() })
    }

    /// Returns a struct for which only the apply configuration is generated. The full type is from k8s-openapi.
    fn kubernetes_form(&mut self, schema: &Structural, at: u16, position: &Position<'_>) -> Type {
        // The type is used as a whole, so nothing is reported about its parts.
        let near_misses = std::mem::take(&mut self.near_misses);
        let fields = self.fields(schema, position, &[]);
        self.near_misses = near_misses;
        let about = self.about(schema, position);
        Type::Struct(Struct { about, fields, kubernetes: Some(at), ..Struct::default() })
    }

    fn untyped(&mut self, schema: &Structural, position: &Position<'_>) -> Type {
        if schema.type_.is_none() && schema.extensions.preserve_unknown_fields {
            // The API server stores any JSON here, objects with the known properties among it.
            return Type::Any;
        }
        if !schema.properties.is_empty() {
            self.warn_missing(
                position,
                Keyword::Type,
                "has no type, and is treated as an object because it has properties",
            );
            return self.object(schema, position);
        }
        if schema.items.is_some() {
            self.warn_missing(
                position,
                Keyword::Type,
                "has no type, and is treated as a list because it has items",
            );
            return self.list(schema, position);
        }
        self.warn_missing(position, Keyword::Type, "no type, so the value is kept as JSON");
        Type::Any
    }

    fn fields(&mut self, schema: &Structural, position: &Position<'_>, left_out: &[&str]) -> Vec<Field> {
        let properties = schema.properties.iter().filter(|(name, _)| !left_out.contains(name));
        let mut fields = Vec::with_capacity(schema.properties.len());
        // `is_required` walks the list: too slow for an object with very many properties.
        let required: std::collections::HashSet<&str> = schema
            .value_validation
            .as_ref()
            .and_then(|validation| validation.required.as_ref())
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        for (name, property) in properties {
            fields.push(self.field(name, property, required.contains(name), position));
        }
        fields
    }

    fn field(&mut self, name: &str, schema: &Structural, is_required: bool, parent: &Position<'_>) -> Field {
        let position = parent.step(place::Step::Property(name));
        let plain = self.plain_value(schema, &position);
        let is_any = matches!(self.graph[plain], Type::Any);
        let is_nullable = schema.is_nullable() && !is_any;
        let default = schema.generic.default.as_deref().filter(|default| !default.is_null());
        // The API server fills defaults in before it looks at what is required, so a writer may leave them out.
        let presence = if is_required && default.is_none() {
            Presence::Required
        } else if is_any || (is_nullable && (default.is_some() || self.explicit_null)) {
            // Absent becomes the default and `null` stays `null`: two values.
            Presence::OptionalWithNull
        } else {
            Presence::Optional
        };
        let has_null = is_nullable && presence != Presence::Optional;
        Field {
            property: name.into(),
            type_: if has_null { self.graph.add(Type::Nullable(plain)) } else { plain },
            presence,
            doc: doc(schema),
            default: default.filter(|_| self.keeps_defaults).cloned(),
            attributes: None,
            is_flattened: false,
        }
    }

    fn about(&mut self, schema: &Structural, position: &Position<'_>) -> About {
        let rules = &self.context.settings.name_override;
        let kind = self.context.kind;
        let is_meant = |rule: &NameOverride| is_meant(&rule.place, kind, position);
        let rule = rules.iter().rposition(is_meant);
        if let Some(rule) = rule {
            self.used_names[rule] = true;
        }
        About {
            doc: doc(schema),
            pinned_name: rule.map(|rule| rules[rule].name.as_str().into()),
            places: 1,
            one_doc: true,
            is_on_field: matches!(position.above(), Some((_, place::Step::Property(_)))),
            attributes: None,
        }
    }

    fn overriding_type(&mut self, position: &Position<'_>) -> Option<&'a str> {
        let rules = self.context.type_overrides;
        let kind = self.context.kind;
        let rule = rules.iter().rposition(|rule: &TypeOverride| is_meant(&rule.place, kind, position))?;
        self.used_types[rule] = true;
        Some(&rules[rule].type_)
    }

    fn warn_invalid(&mut self, position: &Position<'_>, keyword: Keyword, message: &str) {
        self.warn(position, CauseReason::Invalid, keyword, message);
    }

    fn warn_missing(&mut self, position: &Position<'_>, keyword: Keyword, message: &str) {
        self.warn(position, CauseReason::Required, keyword, message);
    }

    fn warn(&mut self, position: &Position<'_>, reason: CauseReason, keyword: Keyword, message: &str) {
        let warning = Diagnostic::new(position.path(&self.context.path), reason, message);
        self.warnings.push(warning.with_keyword(keyword));
    }
}

fn is_meant(place: &KindPath, kind: &str, position: &Position<'_>) -> bool {
    place.is_about(kind) && position.is(place.steps())
}

fn doc(schema: &Structural) -> Option<Box<str>> {
    schema.generic.description.as_deref().filter(|text| !text.trim().is_empty()).map(Into::into)
}

#[cfg(test)]
mod tests;
