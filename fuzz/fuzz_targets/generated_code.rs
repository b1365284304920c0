//! Generated code for a definition and options from bytes: it parses, and has no duplicate names of items, fields, variants or
//! functions. `CRD_FUZZ_KEEP=DIR` keeps the code in that folder as a crate, to be compiled in a batch.
#![no_main]

#[allow(dead_code, unused_imports, reason = "it makes objects for another target")]
mod structural;

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use crd_codegen::{
    Builders, BytesType, Config, Defaults, Definition, Form, Layout, MapType, NumberType, Origin, Rejected,
    Versions, generate,
};
use crd_core::CustomResourceDefinition;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use syn::{Fields, ImplItem, Item};

fuzz_target!(|bytes: &[u8]| {
    // Bytes that do not reach make no definition.
    let _ = answer(bytes, &mut Unstructured::new(bytes));
});

fn answer(bytes: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    let config = config(u)?;
    let definition = structural::definition(u)?;
    // For who looks into a finding.
    if std::env::var_os("CRD_FUZZ_SHOW").is_some() {
        eprintln!("{config:?}\n{definition}");
    }
    let Ok(crd) = CustomResourceDefinition::from_value(definition) else { return Ok(()) };
    let definitions = [Definition { crd, origin: Origin { file: "fuzz.yaml".to_owned(), document: 0 } }];
    let generated = generate(&definitions, &config);
    for finding in &generated.findings {
        let message = finding.diagnostic.to_string();
        assert!(!message.contains("Internal error"), "{message}");
    }
    for file in generated.files.iter().filter(|file| file.path.ends_with(".rs")) {
        let parsed = syn::parse_file(&file.contents).expect("what is generated is Rust");
        unique_items(&parsed.items);
        if let Some(folder) = std::env::var_os("CRD_FUZZ_KEEP") {
            keep(Path::new(&folder), bytes, &file.contents);
        }
    }
    Ok(())
}

/// Random options for a single file. Code that is kept to be compiled needs neither kube, whose build takes long, nor types that
/// its users write.
fn config(u: &mut Unstructured<'_>) -> Result<Config> {
    let mut config = Config::new();
    config.layout(Layout::SingleFile).rejected(Rejected::Ignore).versions(Versions::All);
    config.unions(u.arbitrary()?).constructors(u.arbitrary()?).setters(u.arbitrary()?);
    config.open_enums(u.arbitrary()?).explicit_null(u.arbitrary()?).docs(u.arbitrary()?);
    config.map_type(if u.arbitrary()? { MapType::Hash } else { MapType::Btree });
    config.bytes(if u.arbitrary()? { BytesType::Bytes } else { BytesType::String });
    config.numbers(if u.arbitrary()? { NumberType::Exact } else { NumberType::F64 });
    config.defaults(if u.arbitrary()? { Defaults::Schema } else { Defaults::Absent });
    config.builders(*u.choose(&[Builders::None, Builders::TypedBuilder, Builders::Bon])?);
    let is_kept = std::env::var_os("CRD_FUZZ_KEEP").is_some();
    match u.int_in_range(0..=4)? {
        0 => config.form(Form::Derive),
        1 => config.apply(true),
        2 => config.derive("Eq".parse().expect("a trait")).derive("Hash".parse().expect("a trait")),
        3 if !is_kept => config.form(Form::Kube),
        _ => &mut config,
    };
    let elided = *u.choose(&["", "", "", "FSpec", "F.spec", "F.status"])?;
    if !elided.is_empty() && !is_kept {
        config.elide(elided.parse().expect("a type or a place"));
    }
    Ok(config)
}

fn unique_items(items: &[Item]) {
    let mut types = HashSet::new();
    let mut functions = HashSet::new();
    for item in items {
        let name = match item {
            Item::Struct(item) => {
                unique_fields(&item.fields);
                &item.ident
            }
            Item::Enum(item) => {
                unique(item.variants.iter().map(|variant| variant.ident.to_string()));
                &item.ident
            }
            Item::Type(item) => &item.ident,
            Item::Mod(item) => {
                unique_items(item.content.as_ref().map_or(&[], |(_, items)| items));
                &item.ident
            }
            Item::Impl(item) if item.trait_.is_none() => {
                let names = item.items.iter().filter_map(|inner| match inner {
                    ImplItem::Fn(function) => Some(&function.sig.ident),
                    ImplItem::Const(constant) => Some(&constant.ident),
                    _ => None,
                });
                let owner = quote::ToTokens::to_token_stream(&item.self_ty).to_string();
                for name in names {
                    assert!(functions.insert(format!("{owner}::{name}")), "two functions: {owner}::{name}");
                }
                continue;
            }
            _ => continue,
        };
        assert!(types.insert(name.to_string()), "two items: {name}");
    }
}

fn unique_fields(fields: &Fields) {
    unique(fields.iter().filter_map(|field| Some(field.ident.as_ref()?.to_string())));
}

fn unique(names: impl Iterator<Item = String>) {
    let mut seen = HashSet::new();
    for name in names {
        assert!(seen.insert(name.clone()), "two of the name {name}");
    }
}

/// Adds a module to the crate in `folder`.
fn keep(folder: &Path, bytes: &[u8], text: &str) {
    let name = format!(
        "m{:016x}",
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    );
    let path = folder.join("src").join(format!("{name}.rs"));
    if path.exists() {
        return;
    }
    fs::create_dir_all(folder.join("src")).expect("the folder can be written");
    fs::write(path, text).expect("the folder can be written");
    let root = OpenOptions::new().create(true).append(true).open(folder.join("src/lib.rs"));
    writeln!(root.expect("the folder can be written"), "pub mod {name};").expect("the folder can be written");
}
