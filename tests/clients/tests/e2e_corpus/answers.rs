//! The answers of the server to valid and invalid objects, compared with predictions from the definition in the client.

use crd_core::CustomResourceDefinition;
use crd_core::admit::{ServerOptions, Validator};
use crd_input::{Limits, Source};
use crd_tests::predictions::Predictions;
use serde_json::{Map, Value};

use super::steps::{self, Kind};
use crd_tests_clients::support::client::{Object, Objects};

/// Returns the validator of a kind, as the server has it.
pub(crate) fn validator<K: Object>(options: ServerOptions) -> Validator {
    let definition = CustomResourceDefinition::from_value(serde_json::from_str(K::DEFINITION).unwrap());
    Validator::with_options(&definition.unwrap(), options).unwrap()
}

/// Sends mutants of the sample objects, and of the stored object `b`, to the server.
pub(crate) async fn compare<K: Object, A>(
    mut answers: Predictions<'_>,
    objects: &Objects<K>,
    kind: &Kind<K, A>,
) {
    let mut wrong = sample(kind.samples[0]);
    merge(&mut wrong, &kind.wrong.0);
    answers.create(&wrong).await;
    let stored = steps::json(&objects.get("b").await.unwrap());
    answers.break_everywhere(&kind.samples.map(sample), &stored).await;
    answers.finish(&K::kind(&()), &[kind.wrong.1]);
}

fn merge(value: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else { return value.clone_from(patch) };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    for (key, patch) in patch {
        merge(&mut value[key], patch);
    }
}

/// Returns an object of the corpus.
pub(crate) fn sample(path: &str) -> Value {
    let path = crd_tests::shared("corpus/samples").unwrap().join(path);
    let source = Source::from_string(path.to_string_lossy(), std::fs::read_to_string(&path).unwrap());
    let (documents, errors) = crd_input::documents(&source, &Limits::default());
    assert!(errors.is_empty(), "{}", errors[0]);
    documents.into_iter().next().unwrap().value
}
