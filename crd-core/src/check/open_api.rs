//! Checks a schema, which need not be structural, for forbidden keywords and for keywords with wrong values.
//!
//! Source: `ValidateCustomResourceDefinitionOpenAPISchema`. Causes in a node's children come before causes in the node's own list type, map
//! type and rules.

use super::{lists, rule_fields};
use crate::OrderedMap;
use crate::crd::{Dependency, Items, JsonSchemaProps, JsonSchemaPropsOrBool};
use crate::lazy_path::LazyPath;
use crate::schema::{self, Structural};
use crate::{Causes, Diagnostic, Edit, FieldPath, Remedy};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Checks the schema of a CRD for forbidden keywords and wrong values. `structural` is the schema's structural form, if there is one.
pub(super) fn open_api(
    schema: &JsonSchemaProps,
    structural: Option<&Structural>,
    base: &FieldPath,
    out: &mut Causes,
) {
    let context = Context { is_root: true, ..Context::default() };
    OpenApiChecks { out }.node(schema, structural, context, &LazyPath::new(base));
}

struct OpenApiChecks<'o> {
    out: &'o mut Causes,
}

/// Facts about a node that depend on its position in the schema.
#[derive(Clone, Copy, Default)]
struct Context {
    is_root: bool,
    /// `true` in `apiVersion`, `kind` or `metadata`, at the root or in an embedded resource.
    in_resource_meta: bool,
    /// The reason why a default is forbidden.
    no_defaults: Option<&'static str>,
}

impl OpenApiChecks<'_> {
    fn node(
        &mut self,
        schema: &JsonSchemaProps,
        spine: Option<&Structural>,
        context: Context,
        place: &LazyPath<'_>,
    ) {
        keywords(schema, context, place, self.out);
        let inner = Context { is_root: false, ..context };
        self.object_parts(schema, spine, context, place);
        self.junctors(schema, inner, place);
        self.items(schema, spine, inner, place);
        for (name, dependency) in schema.dependencies.iter().flat_map(OrderedMap::iter) {
            if let Dependency::Schema(schema) = dependency {
                self.node(schema, None, inner, &place.child("dependencies").key(name));
            }
        }
        lists::types(schema, place, self.out);
        let rules = schema.x_validations.as_deref().unwrap_or_default();
        rule_fields::rules(rules, schema, spine, place, self.out);
    }

    fn object_parts(
        &mut self,
        schema: &JsonSchemaProps,
        spine: Option<&Structural>,
        context: Context,
        place: &LazyPath<'_>,
    ) {
        let inner = Context { is_root: false, ..context };
        if let Some(additional) = &schema.additional_properties {
            let has_properties = schema.properties.as_ref().is_some_and(|properties| !properties.is_empty());
            let path = place.child("additionalProperties");
            if has_properties && !matches!(additional, JsonSchemaPropsOrBool::Allowed(true)) {
                let detail = "additionalProperties and properties are mutual exclusive";
                let help = "declare the properties, or a schema for all values of a map, but not both";
                self.out.push(Diagnostic::forbidden(path.path(), detail).with_help(help));
            }
            if let JsonSchemaPropsOrBool::Schema(schema) = additional {
                let inside_meta = Some("inside additionalProperties applying to object metadata");
                let no_defaults = if context.in_resource_meta { inside_meta } else { context.no_defaults };
                let spine = spine.and_then(|spine| match &spine.additional_properties {
                    Some(schema::AdditionalProperties::Schema(schema)) => Some(&**schema),
                    _ => None,
                });
                self.node(schema, spine, Context { no_defaults, ..inner }, &path);
            }
        }
        let properties = place.child("properties");
        let at_root = context.is_root;
        let is_resource = at_root || schema.x_embedded_resource == Some(true);
        for (name, property) in schema.properties.iter().flat_map(OrderedMap::iter) {
            let mut context = inner;
            if let Some(reason) = meta_field(name).filter(|_| is_resource) {
                context.in_resource_meta = true;
                if at_root {
                    context.no_defaults = Some(reason);
                }
            }
            let spine = spine.and_then(|spine| spine.properties.get(name));
            self.node(property, spine, context, &properties.key(name));
        }
    }

    fn junctors(&mut self, schema: &JsonSchemaProps, context: Context, place: &LazyPath<'_>) {
        if let Some(not) = &schema.not {
            self.node(not, None, context, &place.child("not"));
        }
        for (name, schemas) in
            [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)]
        {
            let place = place.child(name);
            for (i, schema) in schemas.iter().flatten().enumerate() {
                self.node(schema, None, context, &place.index(i));
            }
        }
        for (name, schema) in schema.definitions.iter().flat_map(OrderedMap::iter) {
            self.node(schema, None, context, &place.child("definitions").key(name));
        }
    }

    fn items(
        &mut self,
        schema: &JsonSchemaProps,
        spine: Option<&Structural>,
        context: Context,
        place: &LazyPath<'_>,
    ) {
        let path = place.child("items");
        match &schema.items {
            Some(Items::Schema(items)) => {
                let spine = spine.and_then(|spine| spine.items.as_deref());
                self.node(items, spine, context, &path);
            }
            Some(Items::Schemas(schemas)) => {
                for (i, schema) in schemas.iter().enumerate() {
                    self.node(schema, None, context, &path.index(i));
                }
            }
            Some(Items::Neither(_)) | None => {}
        }
    }
}

fn meta_field(name: &str) -> Option<&'static str> {
    match name {
        "metadata" => Some("in top-level metadata"),
        "kind" => Some("in top-level kind"),
        "apiVersion" => Some("in top-level apiVersion"),
        _ => None,
    }
}

/// Checks the keywords of a schema node, but not its child schemas.
fn keywords(schema: &JsonSchemaProps, context: Context, place: &LazyPath<'_>, out: &mut Causes) {
    let path = |name: &'static str| place.child(name).path();
    let type_ = schema.type_.as_deref().unwrap_or_default();
    if !type_.is_empty() && !TYPES.contains(&type_) {
        let mut diagnostic = Diagnostic::not_supported(path("type"), type_, &TYPES);
        if let Some(meant) = meant_type(type_) {
            diagnostic = diagnostic.with_help(Remedy::meant(meant, path("type")));
        }
        out.push(diagnostic);
    }
    if let (Some(_), Some(reason)) = (&schema.default, context.no_defaults) {
        let detail = format!("must not be set {reason}");
        let remedy = Remedy::new("remove the default").with(Edit::remove(path("default")));
        out.push(Diagnostic::forbidden(path("default"), &detail).with_help(remedy));
    }
    let has_items = matches!(&schema.items, Some(Items::Schemas(schemas)) if !schemas.is_empty());
    let unsupported = [
        (!schema.id.is_empty(), "id", "id is not supported"),
        (schema.additional_items.is_some(), "additionalItems", "additionalItems is not supported"),
        (
            is_filled(schema.pattern_properties.as_ref()),
            "patternProperties",
            "patternProperties is not supported",
        ),
        (is_filled(schema.definitions.as_ref()), "definitions", "definitions is not supported"),
        (schema.dependencies.is_some(), "dependencies", "dependencies is not supported"),
        (schema.reference.is_some(), "$ref", "$ref is not supported"),
        (type_ == "null", "type", "type cannot be set to null, use nullable as an alternative"),
        (has_items, "items", "items must be a schema object and not an array"),
        (
            context.in_resource_meta && schema.x_embedded_resource == Some(true),
            "x-kubernetes-embedded-resource",
            "must not be used inside of resource meta",
        ),
        (
            schema.unique_items == Some(true),
            "uniqueItems",
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        ),
    ];
    for (_, keyword, detail) in unsupported.into_iter().filter(|(found, ..)| *found) {
        let diagnostic = Diagnostic::forbidden(path(keyword), detail);
        out.push(match unsupported_help(keyword) {
            Some(help) if keyword == "uniqueItems" && schema.x_list_type.is_none() => {
                let set = Edit::add(path("x-kubernetes-list-type"), "set");
                diagnostic.with_help(Remedy::new(help).with(Edit::remove(path(keyword))).with(set))
            }
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        });
    }
}

fn is_filled<T>(map: Option<&OrderedMap<T>>) -> bool {
    map.is_some_and(|map| !map.is_empty())
}

fn unsupported_help(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "$ref" | "definitions" => "write the schema where it is referred to",
        "patternProperties" => "use `additionalProperties` for the values and a rule for the names",
        "dependencies" => "use a rule: `!has(self.a) || has(self.b)`",
        "type" => "write `nullable: true` next to another type",
        "items" => "write one schema for all items",
        "uniqueItems" => "use `x-kubernetes-list-type: set`",
        _ => return None,
    })
}

fn meant_type(type_: &str) -> Option<&'static str> {
    Some(match type_.to_ascii_lowercase().as_str() {
        "bool" | "boolean" => "boolean",
        "int" | "int32" | "int64" | "integer" => "integer",
        "float" | "double" | "number" => "number",
        "str" | "text" | "string" => "string",
        "list" | "array" => "array",
        "map" | "dict" | "object" => "object",
        _ => return None,
    })
}
