//! Objects from bytes, for definitions of the build script. Stored objects survive a round trip through generated types, except for
//! the cases in `kept`.
#![no_main]
#![recursion_limit = "256"]

#[path = "../../tests/src/kept.rs"]
mod kept;
// The definitions are made by the build script, from the same files.
#[allow(dead_code, unused_imports)]
mod structural;

/// The types, with all kinds in `KINDS`.
mod generated {
    include!(concat!(env!("OUT_DIR"), "/generated_types.rs"));
}

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use crd_core::CustomResourceDefinition;
use crd_core::admit::Validator;
use crd_sample::Sampler;
use kept::{Choices, as_sent, comes_back, same};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// A definition, and its types as functions that read an object and write it again.
struct Kind {
    definition: &'static str,
    usual: Again,
    others: Again,
    applied: Again,
}

type Again = fn(&Value) -> serde_json::Result<Value>;

static DEFINITIONS: LazyLock<Vec<(Value, Validator, Sampler)>> = LazyLock::new(|| {
    let definition = |kind: &Kind| {
        let value: Value = serde_json::from_str(kind.definition).expect("it was written so");
        let crd = CustomResourceDefinition::from_value(value.clone()).expect("it was accepted");
        let sampler = Sampler::for_stored(&crd).expect("it was accepted");
        (value, Validator::new(&crd).expect("it was accepted"), sampler)
    };
    generated::KINDS.iter().map(definition).collect()
});

fuzz_target!(|bytes: &[u8]| {
    // Bytes that do not reach make no object.
    let _ = answer(&mut Unstructured::new(bytes));
});

fn answer(u: &mut Unstructured<'_>) -> Result<()> {
    let at = u.choose_index(generated::KINDS.len())?;
    let (kind, (definition, validator, sampler)) = (&generated::KINDS[at], &DEFINITIONS[at]);
    let version = &definition["spec"]["versions"][0];
    let object = structural::object(u, sampler)?;
    let Ok(stored) = validator.create(object).result else { return Ok(()) };
    let schema = &version["schema"]["openAPIV3Schema"];
    let all = Choices { explicit_null: true, exact_numbers: true };
    for (again, choices) in [(kind.usual, Choices::default()), (kind.others, all), (kind.applied, all)] {
        match (again(&as_sent(&stored)), comes_back(schema, &stored, choices)) {
            (Ok(after), Ok(wanted)) => assert!(
                same(&after, &as_sent(&wanted)),
                "an object changed on its way through its types:\n{definition}\n{stored}\nbecame {after}"
            ),
            (Err(error), Ok(_)) => panic!("an object is refused: {error}\n{definition}\n{stored}"),
            // An exception that is refused, unless the type happens to hold it.
            (_, Err(_)) => {}
        }
    }
    Ok(())
}

/// Reads an object as a server sends it, and writes it.
fn again<T: serde::Serialize + serde::de::DeserializeOwned>(object: &Value) -> serde_json::Result<Value> {
    serde_json::to_value(serde_json::from_str::<T>(&object.to_string())?)
}
