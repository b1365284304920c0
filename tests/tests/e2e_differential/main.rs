//! Random definitions and objects, asked of a real API server and of this project: the verdicts are equal.
//!
//! `cargo test -p crd-tests --features e2e --test e2e_differential -- --ignored --nocapture` takes a minute.
//! `CRD_DIFFERENTIAL_SECONDS` sets another time, `CRD_DIFFERENTIAL_SEED` other inputs, `CRD_E2E_KUBE=1.30` another release.
#![expect(clippy::panic, clippy::print_stdout, reason = "a test fails by panicking, and prints its numbers")]

#[path = "../../../fuzz/fuzz_targets/structural/made.rs"]
#[allow(unreachable_pub, dead_code, reason = "a module of another package")]
mod made;
mod splice;
#[path = "../../../fuzz/fuzz_targets/structural/mod.rs"]
#[allow(unreachable_pub, reason = "a module of another package")]
mod structural;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use arbitrary::{Result, Unstructured};
use crd_core::CustomResourceDefinition;
use crd_core::admit::{FieldValidation, Validator};
use crd_core::check::Verdict;
use crd_sample::Sampler;
use crd_tests::answers::{describe_admission, describe_server};
use crd_tests::cases::{recorded_definitions, recorded_objects};
use crd_tests::mutants::mutants;
use crd_tests::predictions::comparable;
use crd_tests::server::{Answer, Server};
use http::Method;
use made::Random;
use serde_json::{Value, json};
use splice::Pool;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// The bytes from which a definition and its objects are made.
const BYTES: usize = 20_000;
/// The objects that one definition is asked about.
const OBJECTS: usize = 40;
/// The time after which the server answers at once: it lets requests with objects wait until a definition is two seconds old.
const SETTLED: Duration = Duration::from_millis(2_500);

#[tokio::test]
#[ignore = "takes a minute, or as long as one likes"]
async fn random_definitions_and_objects_are_answered_alike() {
    let Some(server) = Server::start().await else { return };
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let end = Instant::now() + Duration::from_secs(number("CRD_DIFFERENTIAL_SECONDS", 60));
    let mut random = Random(number("CRD_DIFFERENTIAL_SEED", 1));
    let definitions = recorded_definitions().into_iter().map(|case| case.value["crd"].clone());
    let pool = Pool::new(definitions.chain(recorded_objects().into_iter().map(|cases| cases.crd)).collect());
    let mut run =
        Run { server: &server, numbers: Numbers::default(), different: Vec::new(), created: VecDeque::new() };
    let mut at = 0;
    while Instant::now() < end {
        let bytes = random.bytes(BYTES);
        let u = &mut Unstructured::new(&bytes);
        // The bytes always reach for what is made first.
        let Ok(definition) = definition(&pool, u, at) else { continue };
        run.definition(definition, u).await;
        at += 1;
        while let Some(kind) = run.created.pop_front_if(|kind| kind.since.elapsed() > SETTLED) {
            run.objects(kind).await;
        }
    }
    while let Some(kind) = run.created.pop_front() {
        run.objects(kind).await;
    }
    println!("Kubernetes {}: {:?}", server.options.kube_version, run.numbers);
    assert_eq!(run.different, Vec::<String>::new());
}

/// Returns a made or a recombined definition, in a group of its own: what the server remembers of others has no influence.
fn definition(pool: &Pool, u: &mut Unstructured<'_>, at: usize) -> Result<Value> {
    let mut definition = if u.arbitrary()? { structural::definition(u)? } else { pool.definition(u)? };
    let text = |key: &str| definition.pointer(key).and_then(Value::as_str).map(str::to_owned);
    let (plural, group) = (text("/spec/names/plural"), text("/spec/group"));
    if let (Some(plural), Some(_), true) = (plural, group, definition["metadata"].is_object()) {
        let group = format!("g{at}.example.com");
        definition["spec"]["group"] = json!(group);
        definition["metadata"]["name"] = json!(format!("{plural}.{group}"));
    }
    Ok(definition)
}

/// Counts of the questions and of their answers.
#[derive(Debug, Default)]
struct Numbers {
    definitions: usize,
    accepted_definitions: usize,
    /// Alike but for the words of causes and warnings.
    definitions_in_other_words: usize,
    objects: usize,
    accepted_objects: usize,
    objects_in_other_words: usize,
    panics_of_the_server: usize,
}

struct Run<'s> {
    server: &'s Server,
    numbers: Numbers,
    different: Vec<String>,
    /// Definitions whose objects are still to be asked about.
    created: VecDeque<Created>,
}

/// A definition that the server has.
struct Created {
    since: Instant,
    definition: Value,
    name: String,
    /// The path of its objects.
    path: String,
    validator: Validator,
    objects: Vec<Value>,
}

impl Run<'_> {
    /// Returns the answer to a request. Some inputs make the server panic, and then there is none.
    async fn ask(&mut self, path: &str, body: &Value) -> Option<Answer> {
        let answer = self.server.try_send(Method::POST, path, body).await;
        self.numbers.panics_of_the_server += usize::from(answer.is_err());
        answer.ok().flatten()
    }

    async fn definition(&mut self, definition: Value, u: &mut Unstructured<'_>) {
        let options = self.server.options;
        let (verdict, crd) = Verdict::with_definition_at(definition.clone(), options);
        // The server sends warnings in a header, which holds no line ends.
        let path = format!("{CRDS}?dryRun=All&fieldValidation=Ignore");
        let Some(answer) = self.ask(&path, &definition).await else { return };
        let accepted = answer.body["kind"] != "Status";
        self.numbers.definitions += 1;
        if verdict.accepted != accepted {
            let causes: Vec<String> = verdict.errors.iter().map(ToString::to_string).collect();
            self.different.push(format!(
                "{definition}\n  ours    {} {causes:?}\n  theirs  {}",
                verdict.accepted, answer.body
            ));
            return;
        }
        if !accepted {
            let mut ours: Vec<String> =
                verdict.errors.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect();
            let causes = answer.body["details"]["causes"].as_array();
            let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
            let mut theirs: Vec<String> = causes
                .into_iter()
                .flatten()
                .map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message")))
                .collect();
            ours.sort();
            theirs.sort();
            let has_causes = verdict.refusal.is_none() && causes.is_some();
            self.numbers.definitions_in_other_words += usize::from(has_causes && ours != theirs);
            return;
        }
        self.numbers.accepted_definitions += 1;
        if let Some(crd) = crd {
            self.create(definition, &crd, u).await;
        }
    }

    /// Creates a definition, with objects to ask about later.
    async fn create(&mut self, definition: Value, crd: &CustomResourceDefinition, u: &mut Unstructured<'_>) {
        let Some(version) = crd.spec.versions.iter().find(|version| version.served && version.storage) else {
            return;
        };
        let options = self.server.options;
        let Ok(validator) = Validator::with_options(crd, options) else {
            panic!("accepted, but without a validator: {definition}")
        };
        let objects = made(crd, &version.name, u);
        if self.ask(&format!("{CRDS}?fieldValidation=Ignore"), &definition).await.is_none() {
            return;
        }
        let namespace = if crd.spec.scope == "Cluster" { "" } else { "/namespaces/default" };
        self.created.push_back(Created {
            since: Instant::now(),
            definition,
            name: crd.metadata.name.clone(),
            path: format!("/apis/{}/{}{namespace}/{}", crd.spec.group, version.name, crd.spec.names.plural),
            validator: validator.with_field_validation(FieldValidation::Strict),
            objects,
        });
    }

    /// Asks about the objects of a definition, and deletes it in the end.
    async fn objects(&mut self, kind: Created) {
        tokio::time::sleep(SETTLED.saturating_sub(kind.since.elapsed())).await;
        for object in &kind.objects {
            self.object(&kind, object).await;
        }
        self.server.send(Method::DELETE, &format!("{CRDS}/{}", kind.name), &json!({})).await;
    }

    async fn object(&mut self, kind: &Created, object: &Value) {
        // Both sides generate another name, which rules can see.
        if object["metadata"]["name"].is_null() && object["metadata"]["generateName"].is_string() {
            return;
        }
        let path = format!("{}?dryRun=All&fieldValidation=Strict", kind.path);
        let Some(answer) = self.ask(&path, object).await else { return };
        // A definition whose names are taken is not served, and one whose webhook cannot be asked has no answers.
        if answer.body["code"] == 404 || answer.body["code"] == 500 {
            return;
        }
        let admission = kind.validator.create(object.clone());
        self.numbers.objects += 1;
        self.numbers.accepted_objects += usize::from(admission.is_accepted());
        let ours = describe_admission(&admission, comparable);
        let theirs = describe_server(&answer.body, answer.warnings, comparable);
        let asked = || format!("{}\n{object}\n  ours    {ours}\n  theirs  {theirs}", kind.definition);
        if admission.is_accepted() != (answer.body["kind"] != "Status") {
            self.different.push(asked());
        } else if ours != theirs {
            self.numbers.objects_in_other_words += 1;
            if std::env::var_os("CRD_DIFFERENTIAL_WORDS").is_some() {
                println!("{}", asked());
            }
        }
    }
}

/// Objects that the definition accepts, that break one thing, and that only mostly fit it.
fn made(crd: &CustomResourceDefinition, version: &str, u: &mut Unstructured<'_>) -> Vec<Value> {
    let mut objects = Vec::new();
    if let Ok(sampler) = Sampler::new(crd, version) {
        let sampler = sampler.with_seed(u.arbitrary().unwrap_or_default());
        objects.extend(sampler.accepted().take(4));
        objects.extend(sampler.broken().take(OBJECTS / 4).map(|broken| broken.object));
        if let Some(object) = objects.first() {
            let mutants = mutants(object);
            objects.extend((0..OBJECTS / 4).filter_map(|_| u.choose(&mutants).ok().cloned()));
        }
        while objects.len() < OBJECTS {
            let Ok(object) = structural::object(u, &sampler) else { break };
            objects.push(object);
        }
    }
    for object in &mut objects {
        object["apiVersion"] = json!(format!("{}/{version}", crd.spec.group));
        object["kind"] = json!(crd.spec.names.kind);
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("namespace");
        }
    }
    objects
}
