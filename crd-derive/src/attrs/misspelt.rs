//! Finds attributes that schemars' derive would reject. The derive would then generate no schema, and the compiler would
//! also report each use of the schema.

use crd_go::nearest::nearest;
use quote::ToTokens as _;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, Meta, MetaNameValue};

use super::{metas, serde};

/// The attributes that schemars has for types, variants and fields.
const WORDS: &[&str] = &[
    "alias",
    "bound",
    "contains",
    "content",
    "crate",
    "default",
    "deny_unknown_fields",
    "deprecated",
    "description",
    "email",
    "example",
    "extend",
    "flatten",
    "from",
    "inline",
    "inner",
    "into",
    "ip",
    "ipv4",
    "ipv6",
    "length",
    "pattern",
    "range",
    "regex",
    "remote",
    "rename",
    "rename_all",
    "rename_all_fields",
    "required",
    "schema_with",
    "skip",
    "skip_deserializing",
    "skip_serializing",
    "skip_serializing_if",
    "tag",
    "title",
    "transform",
    "transparent",
    "try_from",
    "untagged",
    "url",
    "with",
];

/// The attributes that have arguments, with the names of these arguments.
const PARTS: &[(&str, &[&str])] = &[
    ("contains", &["pattern"]),
    ("length", &["equal", "max", "min"]),
    ("range", &["max", "min"]),
    ("regex", &["path", "pattern"]),
];

/// Returns errors for misspelled words in `#[schemars(...)]`. Words that are similar to no known word are left to schemars,
/// because a newer version may know them.
pub(crate) fn misspelt(attrs: &[Attribute]) -> Vec<Error> {
    let mut errors = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("schemars")) {
        metas(&attr.meta).iter().for_each(|meta| word(meta, &mut errors));
    }
    errors
}

fn word(meta: &Meta, errors: &mut Vec<Error>) {
    let Some(name) = meta.path().get_ident() else { return };
    let text = name.to_string();
    if !WORDS.contains(&text.as_str()) {
        match (nearest(&text, WORDS.iter().copied()), instead_of_keyword(&text)) {
            (Some(known), _) => errors.push(unknown(name, known)),
            (_, Some(instead)) => {
                errors.push(wrong(name, &format!("unknown attribute `{text}`: write `{instead}`")));
            }
            _ => {}
        }
        return;
    }
    if let Some(instead) = other_form(meta, &text) {
        errors.push(wrong(name, &format!("`{text}` is written differently: use `{instead}`")));
        return;
    }
    let parts = metas(meta);
    if text == "inner" {
        parts.iter().for_each(|part| word(part, errors));
        return;
    }
    let Some((_, known)) = PARTS.iter().find(|(word, _)| *word == text) else { return };
    for part in parts {
        if let Some(name) = part.path().get_ident()
            && !known.contains(&name.to_string().as_str())
        {
            let text = name.to_string();
            errors.push(match nearest(&text, known.iter().copied()) {
                Some(known) => unknown(name, known),
                None => {
                    wrong(name, &format!("unknown attribute `{text}`: use one of `{}`", known.join("`, `")))
                }
            });
        }
    }
}

/// The items that take no value.
const FLAGS: &[&str] = &["email", "inline", "ip", "ipv4", "ipv6", "required", "url"];

/// Returns the correct form for an item that schemars cannot read.
fn other_form(meta: &Meta, name: &str) -> Option<String> {
    let value = match meta {
        Meta::NameValue(pair) => pair.value.to_token_stream().to_string(),
        Meta::List(list) => match list.parse_args::<Lit>() {
            Ok(lit) => lit.to_token_stream().to_string(),
            Err(_) if FLAGS.contains(&name) => String::new(),
            Err(_) => return None,
        },
        Meta::Path(_) => "...".to_owned(),
    };
    let is_bare = matches!(meta, Meta::Path(_));
    let is_list = matches!(meta, Meta::List(_));
    Some(match name {
        "regex" | "contains" => format!("#[schemars({name}(pattern = {value}))]"),
        "pattern" if !is_list => format!("#[schemars(regex(pattern = {value}))]"),
        "length" => format!("#[schemars(length(min = {value}, max = {value}))]"),
        "range" => format!("#[schemars(range(min = {value}, max = {value}))]"),
        "inner" => "#[schemars(inner(length(max = ...)))]".to_owned(),
        "extend" if !is_list => "#[schemars(extend(\"key\" = value))]".to_owned(),
        "with" | "schema_with" if is_bare || is_list => format!("#[schemars({name} = \"...\")]"),
        "title" | "description" | "example" | "transform" if is_bare || is_list => {
            format!("#[schemars({name} = {value})]")
        }
        _ if FLAGS.contains(&name) && !is_bare => format!("#[schemars({name})]"),
        "example" => {
            let path = string(meta).filter(|text| syn::parse_str::<syn::Path>(text).is_ok())?;
            format!("#[schemars(example = &\"{path}\")]` for the text, or `#[schemars(example = {path}())]")
        }
        "transform" => {
            let path = string(meta).filter(|text| syn::parse_str::<Expr>(text).is_ok())?;
            format!("#[schemars(transform = {path})]")
        }
        _ => return None,
    })
}

/// Returns the item's value, if it is a literal string.
fn string(meta: &Meta) -> Option<String> {
    match meta {
        Meta::NameValue(MetaNameValue { value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), .. }) => {
            Some(text.value())
        }
        _ => None,
    }
}

/// Returns the error for a `serde(with = "...")` that refers to a module: schemars would treat the module as a type. Fields with
/// `schemars(with = ...)` or `schema_with` are not checked.
pub(crate) fn module(attrs: &[Attribute]) -> Option<Error> {
    let (serde, others): (Vec<Attribute>, Vec<Attribute>) =
        attrs.iter().cloned().partition(|attr| attr.path().is_ident("serde"));
    let (serde, others) = (serde::Words::from_attributes(&serde), serde::Words::from_attributes(&others));
    if others.has("with") || others.has("schema_with") {
        return None;
    }
    let (path, span) = (serde.value("with")?, serde.span("with")?);
    if path.contains("serde_with") && path.contains("As") {
        let help = "`serde_as` gives this field no schema: write `#[serde_as(schemars = true)]`, with the feature `schemars_1` of serde_with";
        return Some(Error::new(span, help));
    }
    let is_module = is_module(&path);
    is_module.then(|| {
        let help = format!(
            "`with = \"{path}\"` names a module, which has no schema: add `#[schemars(with = \"String\")]` with a type that \
             is written the same way, or `#[crd(schema = ...)]`"
        );
        Error::new(span, help)
    })
}

/// Returns `true` for a path whose last part is written like a module name.
pub(crate) fn is_module(path: &str) -> bool {
    let last = path.rsplit("::").next().unwrap_or(path).trim();
    last.starts_with(|c: char| c.is_lowercase() || c == '_') && !last.contains('<')
}

/// Keywords of JSON Schema, and the attributes that set them.
const KEYWORDS: &[(&str, &str)] = &[
    ("maximum", "#[schemars(range(max = ...))]"),
    ("minimum", "#[schemars(range(min = ...))]"),
    ("maxlength", "#[schemars(length(max = ...))]"),
    ("minlength", "#[schemars(length(min = ...))]"),
    ("maxitems", "#[schemars(length(max = ...))]"),
    ("minitems", "#[schemars(length(min = ...))]"),
    ("multipleof", "#[schemars(extend(\"multipleOf\" = ...))]"),
    ("pattern", "#[schemars(regex(pattern = ...))]"),
    ("uniqueitems", "#[crd(list_type = \"set\")]"),
];

/// Words from attributes of other crates, and the right attributes here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("message", "`validation = (\"rule\", \"message\")`"),
    ("rule", "`validation = \"rule\"`"),
    ("scope", "`namespaced` for a namespaced kind; leave it out for a cluster-scoped kind"),
    ("min", "`#[schemars(range(min = ...))]`, or `length` for strings and lists"),
    ("max", "`#[schemars(range(max = ...))]`, or `length` for strings and lists"),
    ("range", "`#[schemars(range(...))]`"),
    ("length", "`#[schemars(length(...))]`"),
    ("regex", "`#[schemars(regex(pattern = ...))]`"),
    ("enum", "a Rust enum as the type of the field"),
    ("rename", "`#[serde(rename = ...)]`"),
    ("skip", "`#[serde(skip)]`"),
    ("optional", "`Option` as the type of the field"),
];

/// Returns the attribute to use instead of a word from another crate's attributes.
pub(crate) fn instead_of_word(text: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(word, _)| *word == text).map(|(_, instead)| *instead)
}

/// Returns the attribute to use instead of a keyword of JSON Schema, or of a similar word.
pub(crate) fn instead_of_keyword(text: &str) -> Option<&'static str> {
    let text = text.replace('_', "").to_lowercase();
    let known: Vec<&str> = KEYWORDS.iter().map(|(keyword, _)| *keyword).collect();
    let meant = nearest(&text, known)?;
    KEYWORDS.iter().find(|(keyword, _)| *keyword == meant).map(|(_, instead)| *instead)
}

fn unknown(name: &Ident, known: &str) -> Error {
    wrong(name, &format!("unknown attribute `{name}`: did you mean `{known}`?"))
}

fn wrong(name: &Ident, message: &str) -> Error {
    Error::new(name.span(), message)
}
