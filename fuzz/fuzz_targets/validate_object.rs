//! Objects from bytes, and objects that replace them, with the API server's answers for twenty definitions. Nothing may panic, hang
//! or overflow, and stored objects have to be accepted again.
//!
//! The definitions are those that `fuzz/seeds` writes, or those in the folder that `CRD_FUZZ_DEFINITIONS` names.
#![no_main]

mod promises;

use std::path::PathBuf;
use std::sync::LazyLock;

use crd_input::{Limits, Source, definitions, documents, sources};
use libfuzzer_sys::fuzz_target;
use promises::Kind;
use serde_json::{Value, json};

struct Known {
    group: String,
    name: String,
    version: String,
    kind: Kind,
}

static KINDS: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let folder = std::env::var_os("CRD_FUZZ_DEFINITIONS")
        .map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/definitions").into(), PathBuf::from);
    let (sources, errors) = sources(&[folder], &Limits::default());
    assert!(errors.is_empty(), "`fuzz/seeds` lays the definitions out: {errors:?}");
    let read = definitions(&sources, &Limits::default(), &|| ());
    let kinds = read.definitions.into_iter().map(|definition| {
        let crd = definition.crd;
        let version = crd.storage_version().expect("a version is stored");
        Known {
            group: crd.spec.group.clone(),
            name: crd.spec.names.kind.clone(),
            version: version.name.clone(),
            kind: Kind::new(&crd, crd.to_value().to_string().contains("oldSelf"))
                .expect("the API server takes it"),
        }
    });
    let kinds: Vec<Known> = kinds.collect();
    assert!(!kinds.is_empty(), "`fuzz/seeds` lays the definitions out");
    kinds
});

fuzz_target!(|bytes: &[u8]| {
    let source = Source::from_string("fuzz.yaml", String::from_utf8_lossy(bytes).into_owned());
    let (documents, _) = documents(&source, &Limits::default());
    let objects: Vec<Value> = documents.into_iter().take(2).map(|document| document.value).collect();
    let Some(object) = objects.first() else { return };
    if let Some(known) = KINDS.iter().find(|known| is_of(object, known)) {
        known.kind.answer(&objects);
    }
    // An object of another kind is one that fits nowhere.
    let other = &KINDS[bytes.len() % KINDS.len()];
    let renamed: Vec<Value> = objects.iter().map(|object| renamed(object, other)).collect();
    other.kind.answer(&renamed);
});

fn is_of(object: &Value, known: &Known) -> bool {
    let group =
        object["apiVersion"].as_str().and_then(|version| version.split_once('/')).map(|(group, _)| group);
    group == Some(&known.group) && object["kind"] == known.name
}

fn renamed(object: &Value, known: &Known) -> Value {
    let mut object = object.clone();
    if let Value::Object(fields) = &mut object {
        fields.insert("apiVersion".to_owned(), json!(format!("{}/{}", known.group, known.version)));
        fields.insert("kind".to_owned(), json!(known.name));
        fields.entry("metadata").or_insert_with(|| json!({"name": "x"}));
    }
    object
}
