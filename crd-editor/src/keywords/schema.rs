//! The keywords in schemas and rules.

use super::keyword::{Keyword, Owner, Values};

/// A schema.
pub(super) const SCHEMA: Owner = Owner {
    name: "JSONSchemaProps",
    source: TYPES,
    keywords: &[
        Keyword { name: "id", effect: "A CRD must not use it.", values: Values::Rejected, since: None },
        Keyword { name: "$schema", effect: "A CRD must not use it.", values: Values::Rejected, since: None },
        Keyword {
            name: "$ref",
            effect: "A CRD must not use it: schemas contain no references.",
            values: Values::Rejected,
            since: None,
        },
        Keyword {
            name: "description",
            effect: "The description, which kubectl explain and reference pages show.",
            values: Values::Text,
            since: None,
        },
        Keyword {
            name: "type",
            effect: "The type of the value; every field of a structural schema has one.",
            values: Values::Words(&["object", "array", "string", "integer", "number", "boolean"]),
            since: None,
        },
        Keyword {
            name: "format",
            effect: "A format that restricts a string or a number; the server ignores unknown formats with a warning.",
            values: Values::Words(&[
                "bsonobjectid",
                "byte",
                "cidr",
                "creditcard",
                "date",
                "date-time",
                "datetime",
                "double",
                "duration",
                "email",
                "float",
                "hexcolor",
                "hostname",
                "int32",
                "int64",
                "ipv4",
                "ipv6",
                "isbn",
                "isbn10",
                "isbn13",
                "k8s-long-name",
                "k8s-short-name",
                "mac",
                "password",
                "rgbcolor",
                "ssn",
                "uri",
                "uuid",
                "uuid3",
                "uuid4",
                "uuid5",
            ]),
            since: None,
        },
        Keyword {
            name: "title",
            effect: "The title; it has no effect on validation.",
            values: Values::Text,
            since: None,
        },
        Keyword {
            name: "default",
            effect: "The value that the server fills in where the field is absent, in requests and in objects read from storage.",
            values: Values::Any,
            since: None,
        },
        Keyword { name: "maximum", effect: "The largest number.", values: Values::Number, since: None },
        Keyword {
            name: "exclusiveMaximum",
            effect: "Whether the maximum itself is rejected.",
            values: Values::Bool,
            since: None,
        },
        Keyword { name: "minimum", effect: "The smallest number.", values: Values::Number, since: None },
        Keyword {
            name: "exclusiveMinimum",
            effect: "Whether the minimum itself is rejected.",
            values: Values::Bool,
            since: None,
        },
        Keyword {
            name: "maxLength",
            effect: "The largest number of characters of a string; it also bounds the cost of rules.",
            values: Values::Number,
            since: None,
        },
        Keyword {
            name: "minLength",
            effect: "The smallest number of characters of a string.",
            values: Values::Number,
            since: None,
        },
        Keyword {
            name: "pattern",
            effect: "A regular expression (RE2) that matches somewhere in a string; ^ and $ anchor it.",
            values: Values::Text,
            since: None,
        },
        Keyword {
            name: "maxItems",
            effect: "The largest number of items of a list; it also bounds the cost of rules.",
            values: Values::Number,
            since: None,
        },
        Keyword {
            name: "minItems",
            effect: "The smallest number of items of a list.",
            values: Values::Number,
            since: None,
        },
        Keyword {
            name: "uniqueItems",
            effect: "It must not be true; use `x-kubernetes-list-type: set` instead.",
            values: Values::Rejected,
            since: None,
        },
        Keyword {
            name: "multipleOf",
            effect: "The value must be a multiple of this number.",
            values: Values::Number,
            since: None,
        },
        Keyword { name: "enum", effect: "The allowed values.", values: Values::Any, since: None },
        Keyword {
            name: "maxProperties",
            effect: "The largest number of entries of a map; it also bounds the cost of rules.",
            values: Values::Number,
            since: None,
        },
        Keyword {
            name: "minProperties",
            effect: "The smallest number of entries of a map.",
            values: Values::Number,
            since: None,
        },
        Keyword {
            name: "required",
            effect: "The names of the fields that must be present after defaults are filled in.",
            values: Values::Texts,
            since: None,
        },
        Keyword {
            name: "items",
            effect: "The schema of the items of a list.",
            values: Values::Object("JSONSchemaProps"),
            since: None,
        },
        Keyword {
            name: "allOf",
            effect: "Schemas; the value must match all of them.",
            values: Values::List("JSONSchemaProps"),
            since: None,
        },
        Keyword {
            name: "oneOf",
            effect: "Schemas; the value must match exactly one of them.",
            values: Values::List("JSONSchemaProps"),
            since: None,
        },
        Keyword {
            name: "anyOf",
            effect: "Schemas; the value must match at least one of them.",
            values: Values::List("JSONSchemaProps"),
            since: None,
        },
        Keyword {
            name: "not",
            effect: "A schema that the value must not match.",
            values: Values::Object("JSONSchemaProps"),
            since: None,
        },
        Keyword {
            name: "properties",
            effect: "The schemas of the fields by name.",
            values: Values::Map("JSONSchemaProps"),
            since: None,
        },
        Keyword {
            name: "additionalProperties",
            effect: "The schema of the values of a map; an object with properties must not have it.",
            values: Values::Object("JSONSchemaProps"),
            since: None,
        },
        Keyword {
            name: "patternProperties",
            effect: "A CRD must not use it.",
            values: Values::Rejected,
            since: None,
        },
        Keyword {
            name: "dependencies",
            effect: "A CRD must not use it.",
            values: Values::Rejected,
            since: None,
        },
        Keyword {
            name: "additionalItems",
            effect: "A CRD must not use it.",
            values: Values::Rejected,
            since: None,
        },
        Keyword {
            name: "definitions",
            effect: "A CRD must not use it.",
            values: Values::Rejected,
            since: None,
        },
        Keyword {
            name: "externalDocs",
            effect: "A link to further documentation.",
            values: Values::Object("ExternalDocumentation"),
            since: None,
        },
        Keyword {
            name: "example",
            effect: "An example; it has no effect on validation.",
            values: Values::Any,
            since: None,
        },
        Keyword {
            name: "nullable",
            effect: "Whether null is allowed and kept; otherwise null is dropped, or the default takes its place.",
            values: Values::Bool,
            since: None,
        },
        Keyword {
            name: "x-kubernetes-preserve-unknown-fields",
            effect: "Keeps fields that the schema does not declare, here and in nested objects, down to the next field with properties.",
            values: Values::Bool,
            since: None,
        },
        Keyword {
            name: "x-kubernetes-embedded-resource",
            effect: "The value is a Kubernetes object with apiVersion, kind and metadata.",
            values: Values::Bool,
            since: None,
        },
        Keyword {
            name: "x-kubernetes-int-or-string",
            effect: "The value is an integer or a string, so the schema has no type.",
            values: Values::Bool,
            since: None,
        },
        Keyword {
            name: "x-kubernetes-list-map-keys",
            effect: "The fields that identify an item of a list of type map.",
            values: Values::Texts,
            since: None,
        },
        Keyword {
            name: "x-kubernetes-list-type",
            effect: "How server-side apply merges a list: as a whole (atomic), by value (set) or by keys (map).",
            values: Values::Words(&["atomic", "set", "map"]),
            since: None,
        },
        Keyword {
            name: "x-kubernetes-map-type",
            effect: "How server-side apply merges an object: by field (granular) or as a whole (atomic).",
            values: Values::Words(&["granular", "atomic"]),
            since: None,
        },
        Keyword {
            name: "x-kubernetes-validations",
            effect: "CEL rules, which the server checks after the schema.",
            values: Values::List("ValidationRule"),
            since: Some(25),
        },
    ],
};

/// A rule.
pub(super) const RULE: Owner = Owner {
    name: "ValidationRule",
    source: TYPES,
    keywords: &[
        Keyword {
            name: "rule",
            effect: "The condition that must be true; self is the value, and oldSelf its stored value. A rule with oldSelf runs on updates only.",
            values: Values::Cel,
            since: Some(25),
        },
        Keyword {
            name: "message",
            effect: "The message if the rule is false; by default, the message contains the rule.",
            values: Values::Text,
            since: Some(25),
        },
        Keyword {
            name: "messageExpression",
            effect: "An expression for the message; if the expression fails, the server uses the field `message`.",
            values: Values::Cel,
            since: Some(27),
        },
        Keyword {
            name: "reason",
            effect: "The reason of the error in the response; the default is FieldValueInvalid.",
            values: Values::Words(&[
                "FieldValueInvalid",
                "FieldValueForbidden",
                "FieldValueRequired",
                "FieldValueDuplicate",
            ]),
            since: Some(28),
        },
        Keyword {
            name: "fieldPath",
            effect: "The field that the error names, relative to the value of the rule.",
            values: Values::Path,
            since: Some(28),
        },
        Keyword {
            name: "optionalOldSelf",
            effect: "Makes oldSelf optional, so that a rule with oldSelf also runs on creation.",
            values: Values::Bool,
            since: Some(29),
        },
    ],
};

/// A link to documentation.
pub(super) const DOCS: Owner = Owner {
    name: "ExternalDocumentation",
    source: TYPES,
    keywords: &[
        Keyword {
            name: "description",
            effect: "A description of the external documentation.",
            values: Values::Text,
            since: None,
        },
        Keyword { name: "url", effect: "The URL of the documentation.", values: Values::Text, since: None },
    ],
};

const TYPES: &str =
    "staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types_jsonschema.go";
