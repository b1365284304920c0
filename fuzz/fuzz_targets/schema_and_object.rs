//! A definition and two objects from bytes, which mostly fit it, with the API server's answers. Nothing may panic, hang or overflow,
//! and stored objects have to be accepted again.
#![no_main]

mod promises;
mod structural;

use crd_core::check::Verdict;
use crd_sample::Sampler;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use promises::Kind;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    // Bytes that do not reach make no definition.
    let _ = answer(&mut Unstructured::new(bytes));
});

fn answer(u: &mut Unstructured<'_>) -> Result<()> {
    let definition = structural::definition(u)?;
    let (verdict, crd) = Verdict::with_definition(definition.clone());
    let Some(crd) = crd else { return Ok(()) };
    let versions = definition["spec"]["versions"].as_array().expect("it was made so");
    let version = u.choose(versions)?;
    let name = version["name"].as_str().expect("it was made so");
    let Ok(sampler) = Sampler::new(&crd, name) else {
        assert!(!verdict.accepted, "a definition that is accepted has no validator: {definition}");
        return Ok(());
    };
    let objects = [structural::object(u, &sampler)?, structural::object(u, &sampler)?];
    // For who looks into a finding.
    if std::env::var_os("CRD_FUZZ_SHOW").is_some() {
        eprintln!("{definition}\n{}\n{}", objects[0], objects[1]);
    }
    // With these rules, an object may always replace itself. This does not hold for the scale: what it counts on is not looked at in a
    // status that comes from a default. And an update of the status does not look at resources in it, which the next update
    // of the whole object does.
    let has_scale = versions.iter().any(|version| version["subresources"]["scale"].is_object());
    let status = "/schema/openAPIV3Schema/properties/status";
    let mut statuses = versions.iter().filter_map(|version| version.pointer(status));
    let has_resource = statuses.any(|status| has(status, "x-kubernetes-embedded-resource"));
    // The value of an optional `oldSelf` is no longer of the schema: upstream, objects are not equal to it.
    let compares_optional = has(&definition, "optionalOldSelf");
    // A list is stored where a string of some formats is asked for, and then a rule that reads it fails.
    let is_picky = has_scale || has_resource || compares_optional || has_rule_on_format(&definition);
    match Kind::new(&crd, is_picky) {
        Some(kind) if verdict.accepted => kind.answer(&objects),
        // There is no server to compare with: that there is an answer is all.
        Some(kind) => {
            let created = kind.validator.create(&objects[0]);
            assert_eq!(kind.validator.accepts(&objects[0]), created.is_accepted(), "{}", objects[0]);
            drop(kind.validator.update(&objects[0], &objects[1]));
        }
        None => assert!(!verdict.accepted, "a definition that is accepted has no validator: {definition}"),
    }
    Ok(())
}

/// Returns `true` if a rule stands next to a format.
fn has_rule_on_format(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            fields.get("format").is_some_and(Value::is_string)
                && fields.contains_key("x-kubernetes-validations")
                || fields.values().any(has_rule_on_format)
        }
        Value::Array(items) => items.iter().any(has_rule_on_format),
        _ => false,
    }
}

/// Returns `true` if a keyword is `true` anywhere in a schema.
fn has(schema: &Value, keyword: &str) -> bool {
    match schema {
        Value::Object(fields) => {
            fields.get(keyword) == Some(&Value::Bool(true))
                || fields.values().any(|value| has(value, keyword))
        }
        Value::Array(items) => items.iter().any(|value| has(value, keyword)),
        _ => false,
    }
}
