//! Comparison of the answers that `crd_core::admit` predicts with those of an API server.

use crd_core::admit::{Admission, FieldValidation, Validator};
use http::Method;
use serde_json::{Value, json};

use crate::answers::{describe_admission, describe_server};
use crate::mutants::mutants;
use crate::server::{Answer, Server};

/// The predicted and the actual answers to the objects of a kind.
pub struct Predictions<'a> {
    server: &'a Server,
    path: &'a str,
    validator: Validator,
    accepted: usize,
    causes: Vec<String>,
    different: Vec<String>,
    refused: usize,
}

impl<'a> Predictions<'a> {
    /// Compares answers to the objects at this path of the API with those of this validator.
    #[must_use]
    pub fn new(server: &'a Server, path: &'a str, validator: &Validator) -> Self {
        let validator = validator.with_field_validation(FieldValidation::Strict);
        Self { server, path, validator, accepted: 0, causes: Vec::new(), different: Vec::new(), refused: 0 }
    }

    /// Compares the stored form of a new object with the predicted one.
    pub fn stored(&mut self, object: &Value, stored: &Value) {
        let predicted = self.validator.create(object);
        self.compare(object, &predicted, &Answer { body: stored.clone(), warnings: Vec::new() });
    }

    /// Compares the answers to the creation of an object.
    pub async fn create(&mut self, object: &Value) {
        let mut object = object.clone();
        object["metadata"] = json!({"name": "new"});
        let answer = self.send(Method::POST, self.path, &object).await;
        self.compare(&object, &self.validator.create(&object), &answer);
    }

    /// Compares the answers to an object that replaces the stored object `old`.
    pub async fn update(&mut self, object: &Value, old: &Value) {
        let name = old["metadata"]["name"].as_str().unwrap_or_default();
        let answer = self.send(Method::PUT, &format!("{}/{name}", self.path), object).await;
        self.compare(object, &self.validator.update(object, old), &answer);
    }

    /// Compares the answers to mutants of new objects and of a stored one.
    pub async fn break_everywhere(&mut self, new: &[Value], stored: &Value) {
        for object in new.iter().flat_map(mutants) {
            self.create(&object).await;
        }
        for object in mutants(stored) {
            self.update(&object, stored).await;
        }
    }

    /// Prints the numbers of accepted and rejected objects of `kind`.
    ///
    /// # Panics
    /// - An answer differs from the prediction.
    /// - No object was rejected for one of these causes.
    /// - There were too few objects for a meaningful result.
    #[expect(clippy::print_stdout, reason = "the test prints its numbers")]
    pub fn finish(self, kind: &str, causes: &[&str]) {
        let Self { accepted, refused, different, .. } = self;
        println!("{kind}: {accepted} accepted, {refused} refused, {} answered otherwise", different.len());
        assert!(different.is_empty(), "{}", different.join("\n"));
        assert!(accepted > 5 && refused > 20, "{kind}: {accepted} accepted, {refused} refused");
        for expected in causes {
            assert!(self.causes.iter().any(|cause| cause.contains(expected)), "{kind}: none for {expected}");
        }
    }

    async fn send(&self, method: Method, path: &str, object: &Value) -> Answer {
        let path = format!("{path}?dryRun=All&fieldValidation=Strict");
        self.server.send(method, &path, object).await.expect("the answer is JSON")
    }

    fn compare(&mut self, object: &Value, predicted: &Admission, answer: &Answer) {
        *if predicted.is_accepted() { &mut self.accepted } else { &mut self.refused } += 1;
        self.causes.extend(predicted.causes().iter().map(ToString::to_string));
        let ours = describe_admission(predicted, comparable);
        let theirs = describe_server(&answer.body, answer.warnings.clone(), comparable);
        if ours != theirs {
            self.different.push(format!("{object}\n  ours    {ours}\n  theirs  {theirs}"));
        }
    }
}

/// Returns the object without the fields that only a server sets.
#[must_use]
pub fn comparable(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|key, _| ["name", "labels", "annotations", "finalizers"].contains(&key.as_str()));
    }
    object
}
