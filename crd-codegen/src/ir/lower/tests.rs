use crd_core::FieldPath;
use crd_core::crd::JsonSchemaProps;
use serde_json::{Value, json};

use super::{Context, Lowered, lower};
use crate::ir::unify::unify;
use crate::ir::{Graph, Presence, Type, TypeId};
use crate::{Config, K8sOpenapi};

fn lowered(schema: Value) -> Lowered {
    let schema = JsonSchemaProps::from_value(schema).unwrap();
    let settings = Config::new();
    let settings = &settings.resolve();
    let type_overrides = &settings.type_override;
    let context = Context { kind: "Test", path: FieldPath::new("schema"), settings, type_overrides };
    lower(Some(&schema), &context)
}

fn shown(graph: &Graph, id: TypeId) -> String {
    match &graph[id] {
        Type::List(items) => format!("[{}]", shown(graph, *items)),
        Type::Map(values) => format!("{{{}}}", shown(graph, *values)),
        Type::Nullable(part) => format!("{}|null", shown(graph, *part)),
        Type::Struct(struct_) => {
            let fields = struct_.fields.iter().map(|field| {
                let mark = match field.presence {
                    Presence::Required => "",
                    Presence::Optional => "?",
                    Presence::OptionalWithNull => "??",
                };
                format!("{}{mark}: {}", field.property, shown(graph, field.type_))
            });
            let rest = struct_.keeps_rest.then(|| "..".to_owned());
            format!("({})", fields.chain(rest).collect::<Vec<_>>().join(", "))
        }
        Type::Enum(enum_) => format!("{:?}", enum_.values),
        other => format!("{other:?}"),
    }
}

/// Lowers a schema as the schema of the property `x`, and compares the resulting type.
fn check(schema: &Value, expected: &str) {
    let lowered = lowered(json!({"type": "object", "properties": {"x": schema}}));
    let field = &lowered.tree.root.fields[0];
    let mark = match field.presence {
        Presence::Required => "",
        Presence::Optional => "?",
        Presence::OptionalWithNull => "??",
    };
    assert_eq!(format!("{mark}{}", shown(&lowered.tree.graph, field.type_)), expected);
    assert_eq!(lowered.warnings, []);
}

#[test]
fn values() {
    check(&json!({"type": "string"}), "?String");
    check(&json!({"type": "string", "format": "date-time"}), "?DateTime");
    check(&json!({"type": "integer"}), "?Integer(I64)");
    check(&json!({"type": "array", "items": {"type": "integer", "format": "int32"}}), "?[Integer(I32)]");
    check(
        &json!({"type": "object", "additionalProperties": {"type": "integer", "format": "int32"}}),
        "?{Integer(I32)}",
    );
    check(&json!({"x-kubernetes-int-or-string": true}), "?IntOrString");
    check(&json!({"x-kubernetes-int-or-string": true, "pattern": "^[0-9]+([KMGTPE]i)?$"}), "?Quantity");
    check(&json!({"type": "object"}), "?Empty");
    check(&json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}), "?{Any}");
    check(&json!({"x-kubernetes-preserve-unknown-fields": true}), "??Any");
    check(&json!({"type": "object", "x-kubernetes-embedded-resource": true}), "?EmbeddedResource");
}

/// The API server enforces `int32` and no other format of integers.
#[test]
fn integers_are_as_narrow_as_the_api_server_guarantees() {
    let integer = |format: &str, bounds: Value| {
        let mut schema = json!({"type": "integer", "format": format});
        schema.as_object_mut().unwrap().extend(bounds.as_object().cloned().unwrap());
        schema
    };
    check(&integer("int32", json!({})), "?Integer(I32)");
    for format in ["int8", "int16", "uint8", "uint16", "uint32", "uint64", "uint", "int-32", "double"] {
        check(&integer(format, json!({})), "?Integer(I64)");
    }
    check(&integer("int8", json!({"minimum": -128, "maximum": 127})), "?Integer(I8)");
    check(&integer("int8", json!({"minimum": -129, "maximum": 127})), "?Integer(I64)");
    check(&integer("uint8", json!({"minimum": 0.0, "maximum": 255.0})), "?Integer(U8)");
    check(&integer("uint16", json!({"minimum": 1, "maximum": 65535})), "?Integer(U16)");
    check(&integer("uint16", json!({"minimum": 0, "maximum": 65536})), "?Integer(I64)");
    check(&integer("uint16", json!({"minimum": -0.5, "maximum": 1})), "?Integer(I64)");
    check(&integer("uint16", json!({"maximum": 1})), "?Integer(I64)");
    check(&integer("uint32", json!({"minimum": 0, "maximum": 4_294_967_295_u32})), "?Integer(U32)");
    check(&integer("uint64", json!({"minimum": 0})), "?Integer(U64)");
    check(&integer("uint", json!({"minimum": 1e300})), "?Integer(I64)");
}

/// `skipPrune` of `apiextensions-apiserver` descends through arrays only.
#[test]
fn unknown_fields_of_items_are_kept_below_an_array_that_preserves_them() {
    let known = json!({"type": "object", "properties": {"a": {"type": "boolean"}}});
    let list = |items: &Value| json!({"type": "array", "items": items});
    let preserving = |mut schema: Value| {
        schema["x-kubernetes-preserve-unknown-fields"] = json!(true);
        schema
    };
    check(&preserving(list(&known)), "?[(a?: Boolean, ..)]");
    check(&preserving(list(&list(&known))), "?[[(a?: Boolean, ..)]]");
    check(&list(&preserving(list(&known))), "?[[(a?: Boolean, ..)]]");
    check(&preserving(list(&json!({"type": "object"}))), "?[{Any}]");
    check(&preserving(list(&json!({"type": "string"}))), "?[String]");
    check(
        &json!({"type": "object", "additionalProperties": preserving(list(&known))}),
        "?{[(a?: Boolean, ..)]}",
    );
    let map = json!({"type": "object", "additionalProperties": known});
    check(&preserving(list(&map)), "?[{(a?: Boolean)}]");
    let below = json!({"type": "object", "properties": {"b": list(&known)}});
    check(&preserving(list(&below)), "?[(b?: [(a?: Boolean)], ..)]");
    let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"a": {"type": "boolean"}}});
    let embedded_fields = "?[(apiVersion: String, kind: String, metadata?: ObjectMeta, a?: Boolean, ..)]";
    check(&preserving(list(&embedded)), embedded_fields);
    let nullable = json!({"type": "object", "nullable": true, "properties": {"a": {"type": "boolean"}}});
    check(&preserving(list(&nullable)), "?[(a?: Boolean, ..)|null]");
}

/// A type of k8s-openapi drops unknown fields.
#[test]
fn items_that_keep_unknown_fields_are_not_types_of_k8s_openapi() {
    let list = |is_preserving: bool| {
        let selector = json!({"type": "object", "required": ["key", "name"], "properties": {
            "key": {"type": "string"}, "name": {"type": "string"}, "optional": {"type": "boolean"},
        }});
        let mut list = json!({"type": "array", "items": selector});
        if is_preserving {
            list["x-kubernetes-preserve-unknown-fields"] = json!(true);
        }
        json!({"type": "object", "properties": {"passwordSecretRefs": list}})
    };
    let mut settings = Config::new();
    settings.k8s_openapi(K8sOpenapi::Exact);
    let settings = &settings.resolve();
    let type_overrides = &settings.type_override;
    let context = Context { kind: "Test", path: FieldPath::new("schema"), settings, type_overrides };
    for (is_preserving, expected) in [(false, true), (true, false)] {
        let schema = JsonSchemaProps::from_value(list(is_preserving)).unwrap();
        let lowered = lower(Some(&schema), &context);
        let is_taken = lowered.tree.graph.iter().any(|(_, type_)| matches!(type_, Type::Kubernetes(_)));
        assert_eq!(is_taken, expected, "{:?}", lowered.warnings);
    }
}

/// With `x-kubernetes-preserve-unknown-fields` and without a type, a schema accepts any JSON.
#[test]
fn values_without_a_type_are_json_whatever_properties_they_have() {
    let open = |more: Value| {
        let mut schema = json!({"x-kubernetes-preserve-unknown-fields": true});
        schema.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        schema
    };
    check(&open(json!({"properties": {"a": {"type": "boolean"}}})), "??Any");
    check(&open(json!({"items": {"type": "boolean"}})), "??Any");
    check(&open(json!({"additionalProperties": {"type": "boolean"}})), "??Any");
}

/// The API server converts a number to an integer before it compares it with an integer of the enum.
#[test]
fn enums_of_numbers_have_no_whole_numbers() {
    check(&json!({"type": "number", "enum": [0.5, -2.25]}), "?Numbers([Number(0.5), Number(-2.25)])");
    check(&json!({"type": "number", "enum": [0.5, 1]}), "?Number");
    check(&json!({"type": "number", "enum": [1.0]}), "?Number");
    check(&json!({"type": "integer", "enum": [1.0, 9_223_372_036_854_775_808_u64]}), "?Integers([1])");
}

#[test]
fn presence() {
    check(&json!({"type": "string", "nullable": true}), "?String");
    check(&json!({"type": "string", "nullable": true, "default": "a"}), "??String|null");
    check(&json!({"type": "array", "items": {"type": "string", "nullable": true}}), "?[String|null]");
    check(
        &json!({"type": "object", "required": ["a", "b", "c"], "properties": {
            "a": {"type": "string"},
            "b": {"type": "string", "nullable": true},
            "c": {"type": "string", "default": "x"},
            "d": {"type": "string", "default": null},
        }}),
        "?(a: String, b: String|null, c?: String, d?: String)",
    );
    check(
        &json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "boolean"}}}),
        "?(a?: Boolean, ..)",
    );
}

#[test]
fn what_is_not_structural_is_said_and_made_the_best_of() {
    let lowered = lowered(json!({"type": "object", "properties": {
        "a": {"$ref": "#/definitions/x"},
        "b": {"items": {"type": "string"}},
        "c": {"properties": {"d": {}}},
    }}));
    let root = &lowered.tree.root;
    let types: Vec<_> = root.fields.iter().map(|field| shown(&lowered.tree.graph, field.type_)).collect();
    assert_eq!(types, ["Any", "[String]", "(d??: Any)"]);
    let warnings: Vec<String> = lowered.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "schema.properties[a].$ref: `$ref` is left out, because the API server does not support it",
            "schema.properties[a]: no type, so the value is kept as JSON",
            "schema.properties[b]: has no type, and is treated as a list because it has items",
            "schema.properties[c]: has no type, and is treated as an object because it has properties",
            "schema.properties[c].properties[d]: no type, so the value is kept as JSON",
        ]
    );
}

#[test]
fn equal_shapes_are_one_type_whatever_their_order_and_words() {
    let shape = |first: &str, second: &str, description: &str| {
        json!({"type": "object", "description": description, "properties": {
            first: {"type": "string", "description": description},
            second: {"type": "string"},
        }})
    };
    let lowered = lowered(json!({"type": "object", "properties": {
        "a": shape("x", "y", "one"), "b": shape("y", "x", "two"), "c": shape("x", "z", "one"),
    }}));
    let model = unify(lowered.tree);
    let fields = &model.root.fields;
    assert_eq!(fields[0].type_, fields[1].type_);
    assert_ne!(fields[0].type_, fields[2].type_);
    let about = model.graph[fields[0].type_].about().unwrap();
    assert_eq!((about.places, about.one_doc), (2, false));
    assert_eq!(fields[1].doc.as_deref(), Some("two"));
}
