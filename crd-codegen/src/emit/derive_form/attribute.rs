//! Generates attributes for fields and validation rules.

use std::fmt::Write as _;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::{Number, Value};

use crate::emit::literal::{self, text};
use crate::ir::attributes::{Bounds, FieldAttributes, ObjectName, Rule, SchemaAttribute};

/// Returns the attributes of a field.
pub(super) fn field(attributes: &FieldAttributes) -> TokenStream {
    let (mut schemars, mut crd, mut rules) = (Vec::new(), Vec::new(), Vec::new());
    for attribute in &attributes.schema {
        match attribute {
            SchemaAttribute::Required => schemars.push(quote!(required)),
            SchemaAttribute::Skipped => schemars.push(quote!(skip)),
            SchemaAttribute::Title(title) => {
                let title = text(title);
                schemars.push(quote!(title = #title));
            }
            SchemaAttribute::Default(value) => {
                let value = literal::json(value, text);
                schemars.push(quote!(extend("default" = #value)));
            }
            SchemaAttribute::Range(_)
            | SchemaAttribute::Length(_)
            | SchemaAttribute::Pattern(_)
            | SchemaAttribute::Inner(_) => {
                schemars.push(bounds(attribute));
            }
            SchemaAttribute::Format(format) => {
                let format = text(format);
                crd.push(quote!(format = #format));
            }
            SchemaAttribute::ListType(list_type) => {
                let list_type = text(list_type);
                crd.push(quote!(list_type = #list_type));
            }
            SchemaAttribute::ListMapKeys(keys) => {
                let keys = keys.iter().map(|key| text(key));
                crd.push(quote!(list_map_keys = [#(#keys),*]));
            }
            SchemaAttribute::MapType(map_type) => {
                let map_type = text(map_type);
                crd.push(quote!(map_type = #map_type));
            }
            SchemaAttribute::Nullable => crd.push(quote!(nullable = true)),
            SchemaAttribute::PreserveUnknownFields => crd.push(quote!(preserve_unknown_fields)),
            SchemaAttribute::Rule(rule) => rules.push(self::rule("validation", rule)),
        }
    }
    let schemars = (!schemars.is_empty()).then(|| quote!(#[schemars(#(#schemars),*)]));
    let crd = (!crd.is_empty()).then(|| quote!(#[crd(#(#crd),*)]));
    let patch = attributes.patch.as_ref().map(schema_patch);
    quote!(#schemars #crd #(#[crd(#rules)])* #patch)
}

/// Returns the attribute that restricts the names of objects.
pub(super) fn object_name(name: &ObjectName) -> TokenStream {
    let pattern = name.pattern.as_deref().map(|pattern| {
        let pattern = text(pattern);
        quote!(pattern = #pattern)
    });
    let length = [("min_length", &name.length.min), ("max_length", &name.length.max)];
    let length = length.into_iter().filter_map(|(word, bound)| {
        let (word, bound) = (format_ident!("{word}"), Literal::i64_unsuffixed(bound.as_ref()?.as_i64()?));
        Some(quote!(#word = #bound))
    });
    let parts = pattern.into_iter().chain(length);
    quote!(object_name(#(#parts),*))
}

/// Returns the attribute for a validation rule, in the shortest notation that can express it.
pub(super) fn rule(word: &str, rule: &Rule) -> TokenStream {
    let word = format_ident!("{word}");
    let expression = text(&rule.rule);
    match rule {
        Rule {
            message: None,
            message_expression: None,
            reason: None,
            field_path: None,
            optional_old_self: None,
            ..
        } => {
            quote!(#word = #expression)
        }
        Rule {
            message: Some(message),
            message_expression: None,
            reason: None,
            field_path: None,
            optional_old_self: None,
            ..
        } => {
            let message = text(message);
            quote!(#word = (#expression, #message))
        }
        _ => {
            let parts = [
                ("message", &rule.message),
                ("message_expression", &rule.message_expression),
                ("reason", &rule.reason),
                ("field_path", &rule.field_path),
            ];
            let parts = parts.into_iter().filter_map(|(name, part)| {
                let (name, part) = (format_ident!("{name}"), text(part.as_deref()?));
                Some(quote!(#name = #part))
            });
            let optional = rule.optional_old_self.map(|optional| quote!(optional_old_self = #optional));
            let parts = parts.chain(optional);
            quote!(#word(rule = #expression, #(#parts),*))
        }
    }
}

/// Returns the attribute that applies a merge patch to a schema.
pub(super) fn schema_patch(patch: &Value) -> TokenStream {
    let patch = self::patch("schema_patch", patch);
    quote!(#[crd(#patch)])
}

/// Returns a merge patch as a raw string of JSON.
pub(super) fn patch(word: &str, patch: &Value) -> TokenStream {
    let word = format_ident!("{word}");
    let json = raw(patch);
    quote!(#word = #json)
}

/// Returns a value as a raw string of JSON, on one line.
pub(super) fn raw(value: &Value) -> Literal {
    let mut json = String::new();
    for c in value.to_string().chars() {
        // Within a text of JSON only: nothing else of it is hidden.
        if literal::is_hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(json, "\\u{unit:04x}");
            }
        } else {
            json.push(c);
        }
    }
    let longest = json.split('"').skip(1).map(|rest| rest.len() - rest.trim_start_matches('#').len()).max();
    let fence = "#".repeat(longest.unwrap_or(0) + 1);
    format!("r{fence}\"{json}\"{fence}").parse().unwrap_or_else(|_| Literal::string(&json))
}

fn bounds(attribute: &SchemaAttribute) -> TokenStream {
    match attribute {
        SchemaAttribute::Range(bounds) => {
            let bounds = both(bounds);
            quote!(range(#(#bounds),*))
        }
        SchemaAttribute::Length(bounds) => {
            let bounds = both(bounds);
            quote!(length(#(#bounds),*))
        }
        SchemaAttribute::Pattern(pattern) => {
            let pattern = text(pattern);
            quote!(regex(pattern = #pattern))
        }
        SchemaAttribute::Inner(attributes) => {
            let attributes = attributes.iter().map(bounds);
            quote!(inner(#(#attributes),*))
        }
        _ => quote!(),
    }
}

fn both(bounds: &Bounds) -> Vec<TokenStream> {
    let part = |name: &str, bound: &Option<Number>| {
        let (name, bound) = (format_ident!("{name}"), literal::number(bound.as_ref()?));
        Some(quote!(#name = #bound))
    };
    [part("min", &bounds.min), part("max", &bounds.max)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_raw_and_shows_everything() {
        let raw = |value: Value| raw(&value).to_string();
        assert_eq!(raw(json!({"a": "b"})), r##"r#"{"a":"b"}"#"##);
        assert_eq!(
            raw(json!({"a": "\"#"})),
            r###"r#"{"a":"\"#"}"#"###.replace("r#\"", "r##\"").replace("}\"#", "}\"##")
        );
        assert_eq!(raw(json!({"a": "\u{202e}\n"})), "r#\"{\"a\":\"\\u202e\\n\"}\"#");
    }
}
