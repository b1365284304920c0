//! Code that is generated from the definitions of each case: its public surface changes where findings name `rust`, and nowhere else.

use std::collections::BTreeSet;

use crd_codegen::{BytesType, Config, DateTimeType, generate};
use crd_core::CustomResourceDefinition;
use crd_diff::Class;
use crd_input::{Limits, Source, definitions};
use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, Visibility};

use super::cases::compared;

/// Returns the parts of a generated file that users can name: types, fields, variants, derived traits, implementations and functions.
fn surface(crd: &CustomResourceDefinition) -> BTreeSet<String> {
    let source = Source::from_string("case", crd.to_value().to_string());
    let read = definitions(&[source], &Limits::default(), &|| ()).definitions;
    let mut out = BTreeSet::new();
    let mut typed = Config::new();
    typed.explicit_null(true).date_time(DateTimeType::Jiff).bytes(BytesType::Bytes);
    for (name, mut config) in [("usual", Config::new()), ("typed", typed)] {
        let generated = generate(&read, config.docs(false));
        for file in generated.files.iter().filter(|file| file.path.ends_with(".rs")) {
            let path = format!("{} {name}", file.path);
            items(&syn::parse_file(&file.contents).unwrap().items, &path, &mut out);
        }
    }
    out
}

fn items(all: &[Item], path: &str, out: &mut BTreeSet<String>) {
    let is_public = |visibility: &Visibility| !matches!(visibility, Visibility::Inherited);
    for item in all {
        match item {
            Item::Mod(inner) => {
                let below = format!("{path}::{}", inner.ident);
                inner.content.iter().for_each(|(_, all)| items(all, &below, out));
            }
            Item::Struct(item) => {
                let name = format!("{path}::{}", item.ident);
                derives(&item.attrs, &name, out);
                fields(&item.fields, &name, out);
            }
            Item::Enum(item) => {
                let name = format!("{path}::{}", item.ident);
                derives(&item.attrs, &name, out);
                for variant in &item.variants {
                    let name = format!("{name}::{}", variant.ident);
                    fields(&variant.fields, &name, out);
                    out.insert(name);
                }
            }
            Item::Impl(item) => {
                let name = item.self_ty.to_token_stream();
                let of = item.trait_.as_ref().map(|(path, ..)| path.to_token_stream().to_string());
                for inner in &item.items {
                    if let ImplItem::Fn(function) = inner
                        && is_public(&function.vis)
                    {
                        out.insert(format!("{path}::{name} {}", function.sig.to_token_stream()));
                    }
                }
                out.extend(of.map(|of| format!("{path}::{name}: {of}")));
            }
            Item::Type(item) => _ = out.insert(format!("{path} {}", item.to_token_stream())),
            Item::Use(item) if is_public(&item.vis) => {
                out.insert(format!("{path} {}", item.to_token_stream()));
            }
            Item::Fn(item) if is_public(&item.vis) => {
                out.insert(format!("{path} {}", item.sig.to_token_stream()));
            }
            _ => {}
        }
    }
}

fn derives(attributes: &[Attribute], name: &str, out: &mut BTreeSet<String>) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        out.insert(format!("{name} {}", attribute.meta.to_token_stream()));
    }
}

fn fields(all: &Fields, name: &str, out: &mut BTreeSet<String>) {
    for (index, field) in all.iter().enumerate() {
        let field_name = field.ident.as_ref().map_or_else(|| index.to_string(), ToString::to_string);
        out.insert(format!("{name}.{field_name}: {}", field.ty.to_token_stream()));
    }
}

#[test]
fn generated_code_changes_where_findings_name_rust() {
    let (mut same, mut other, mut wrong) = (0, 0, Vec::new());
    for (case, findings) in compared() {
        let (Some(old), Some(new)) = (&case.old, &case.new) else { continue };
        let (before, after) = (surface(old), surface(new));
        let is_named = findings.iter().any(|finding| finding.has(Class::Rust));
        match (before == after, is_named) {
            (true, false) => same += 1,
            (false, true) => other += 1,
            (is_same, _) => {
                let ids: Vec<_> = findings.iter().map(|finding| (finding.id, &finding.classes)).collect();
                let changed: Vec<&String> = before.symmetric_difference(&after).take(6).collect();
                wrong.push(format!("{} {}: same: {is_same}: {ids:?}: {changed:#?}", case.file, case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same > 100 && other > 100, "{same} the same, {other} others");
}
