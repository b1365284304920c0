//! Reads serde's attributes for names and absent values, as far as a macro can. schemars itself reads all of serde's attributes.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::{is_one_of, metas};

/// The entries of one item's `#[serde(...)]` and `#[schemars(...)]`, by key.
#[derive(Clone)]
pub(crate) struct Words(Vec<(String, Meta)>);

impl Words {
    pub(crate) fn from_attributes(attrs: &[Attribute]) -> Self {
        let mut words = Vec::new();
        for attr in attrs.iter().filter(|attr| is_one_of(attr, &["serde", "schemars"])) {
            for meta in metas(&attr.meta) {
                let key = meta.path().get_ident().map(ToString::to_string);
                words.extend(key.map(|key| (key, meta)));
            }
        }
        Self(words)
    }

    /// Returns the value of `key` in one direction, `serialize` or `deserialize`.
    pub(crate) fn value_for(&self, key: &str, direction: &str) -> Option<String> {
        self.last(key).map(|meta| text(meta, direction)).filter(|text| !text.is_empty())
    }

    /// Returns the position of `key`.
    pub(crate) fn span(&self, key: &str) -> Option<Span> {
        self.last(key).map(Spanned::span)
    }

    /// Returns `true` if serde neither reads nor writes the item.
    pub(crate) fn is_skipped(&self) -> bool {
        self.has("skip") || (self.has("skip_serializing") && self.has("skip_deserializing"))
    }

    /// Returns the value of `key`, or an empty string if `key` has no value.
    pub(crate) fn value(&self, key: &str) -> Option<String> {
        self.last(key).map(|meta| text(meta, "deserialize"))
    }

    /// Returns the position of `key`, if the key has no value.
    pub(crate) fn bare(&self, key: &str) -> Option<Span> {
        let last = self.last(key)?;
        matches!(last, Meta::Path(_)).then(|| last.span())
    }

    /// Returns `true` if there is an entry with this key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(known, _)| known == key)
    }

    fn last(&self, key: &str) -> Option<&Meta> {
        self.0.iter().rev().find(|(known, _)| known == key).map(|(_, meta)| meta)
    }
}

/// The keys that serde's derives accept on structs and enums. The lists here come from `internals/attr.rs` of `serde_derive`.
const CONTAINER: &[&str] = &[
    "bound",
    "content",
    "crate",
    "default",
    "deny_unknown_fields",
    "expecting",
    "field_identifier",
    "from",
    "into",
    "remote",
    "rename",
    "rename_all",
    "rename_all_fields",
    "tag",
    "transparent",
    "try_from",
    "untagged",
    "variant_identifier",
];
const VARIANT: &[&str] = &[
    "alias",
    "borrow",
    "bound",
    "deserialize_with",
    "other",
    "rename",
    "rename_all",
    "serialize_with",
    "skip",
    "skip_deserializing",
    "skip_serializing",
    "untagged",
    "with",
];
const FIELD: &[&str] = &[
    "alias",
    "borrow",
    "bound",
    "default",
    "deserialize_with",
    "flatten",
    "getter",
    "rename",
    "serialize_with",
    "skip",
    "skip_deserializing",
    "skip_serializing",
    "skip_serializing_if",
    "with",
];

/// The possible values of `rename_all`.
const RULES: &[&str] = &[
    "lowercase",
    "UPPERCASE",
    "PascalCase",
    "camelCase",
    "snake_case",
    "SCREAMING_SNAKE_CASE",
    "kebab-case",
    "SCREAMING-KEBAB-CASE",
];

/// Keys whose value is a string, such as a name or a path.
const STRINGS: &[&str] = &[
    "alias",
    "content",
    "crate",
    "deserialize_with",
    "expecting",
    "from",
    "getter",
    "into",
    "remote",
    "rename",
    "rename_all",
    "rename_all_fields",
    "serialize_with",
    "skip_serializing_if",
    "tag",
    "try_from",
    "with",
];

/// The kind of item on which an attribute is written.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    Container,
    Variant,
    Field,
}

/// Returns the mistakes in `#[serde(...)]` for which serde's derives emit only an error. The errors have serde's messages and positions, so
/// that the compiler shows each error only once.
pub(crate) fn rejected(attrs: &[Attribute], level: Level) -> Vec<syn::Error> {
    let (what, known) = match level {
        Level::Container => ("container", CONTAINER),
        Level::Variant => ("variant", VARIANT),
        Level::Field => ("field", FIELD),
    };
    let mut errors = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        for meta in metas(&attr.meta) {
            let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
            if !known.contains(&name.as_str()) {
                let path = meta.path().to_token_stream().to_string().replace(' ', "");
                let message = format!("unknown serde {what} attribute `{path}`");
                errors.push(syn::Error::new(meta.path().span(), message));
                // It reads no further items of the attribute.
                break;
            }
            errors.extend(rejected_value(&meta, &name));
        }
    }
    errors
}

/// Returns the error for a value that serde's derives reject.
fn rejected_value(meta: &Meta, name: &str) -> Option<syn::Error> {
    let Meta::NameValue(pair) = meta else { return None };
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else {
        let is_other_literal = matches!(pair.value, Expr::Lit(_));
        let message = format!("expected serde {name} attribute to be a string: `{name} = \"...\"`");
        return (is_other_literal && STRINGS.contains(&name))
            .then(|| syn::Error::new_spanned(&pair.value, message));
    };
    let is_rule = !name.starts_with("rename_all") || RULES.contains(&text.value().as_str());
    let rules: Vec<String> = RULES.iter().map(|rule| format!("{rule:?}")).collect();
    (!is_rule).then(|| {
        let rules = rules.join(", ");
        let message =
            format!("unknown rename rule `rename_all = {:?}`, expected one of {rules}", text.value());
        syn::Error::new(text.span(), message)
    })
}

/// Returns the value of `key = "value"`, or of `key(deserialize = "value")`.
fn text(meta: &Meta, inner: &str) -> String {
    match meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.value(),
            _ => String::new(),
        },
        Meta::List(_) => {
            let found = metas(meta).into_iter().find(|meta| meta.path().is_ident(inner));
            found.map_or_else(String::new, |meta| text(&meta, inner))
        }
        Meta::Path(_) => String::new(),
    }
}

/// Renames a variant as `rename_all` does. Returns `None` for a value of `rename_all` that serde does not know.
pub(crate) fn renamed_variant(variant: &str, rule: &str) -> Option<String> {
    let mut letters = variant.chars();
    Some(match rule {
        "PascalCase" => variant.to_owned(),
        "lowercase" => variant.to_ascii_lowercase(),
        "UPPERCASE" => variant.to_ascii_uppercase(),
        "camelCase" => {
            letters.next().map(|first| first.to_ascii_lowercase().to_string() + letters.as_str())?
        }
        _ => return renamed(&snake(variant), rule),
    })
}

/// Converts a name to `snake_case`: `CronTab` becomes `cron_tab`.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (i, c) in name.trim_start_matches("r#").chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// Renames a field as `rename_all` does. Returns `None` for a value of `rename_all` that serde does not know.
pub(crate) fn renamed(field: &str, rule: &str) -> Option<String> {
    let pascal = || -> String {
        let mut parts = field.split('_').map(|part| {
            let mut letters = part.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
                .unwrap_or_default()
        });
        parts.by_ref().collect()
    };
    Some(match rule {
        "lowercase" | "snake_case" => field.to_owned(),
        "UPPERCASE" | "SCREAMING_SNAKE_CASE" => field.to_ascii_uppercase(),
        "PascalCase" => pascal(),
        "camelCase" => {
            let pascal = pascal();
            let mut letters = pascal.chars();
            letters.next().map(|first| first.to_ascii_lowercase().to_string() + letters.as_str())?
        }
        "kebab-case" => field.replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => field.to_ascii_uppercase().replace('_', "-"),
        _ => return None,
    })
}
