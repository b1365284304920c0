//! A package of types: compiled without those that the derive or the compiler rejects, asked for CRDs, and given objects.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crd_core::CustomResourceDefinition;
use crd_core::admit::Validator;
use crd_sample::Sampler;
use crd_tests::project::Project;
use crd_tests::workspace;
use serde_json::{Value, json};

use crate::compared::lost;
use crate::program::program;
use crate::types::Made;

/// The types of a package that compile.
pub(crate) struct Batch<'m> {
    made: &'m [Made],
    project: Project,
    rejected: usize,
    findings: Vec<String>,
    kept: Vec<usize>,
}

/// The findings in a package, and counts of types and objects.
#[derive(Default)]
pub(crate) struct Answers {
    pub(crate) counts: BTreeMap<&'static str, usize>,
    pub(crate) findings: Vec<String>,
}

/// An object, and why it is sent.
struct Sent {
    at: usize,
    object: Value,
    is_accepted: bool,
}

impl<'m> Batch<'m> {
    /// Compiles the types.
    pub(crate) fn compile(made: &'m [Made], first: usize) -> Self {
        let crdkit = workspace().join("crdkit");
        let dependencies = format!(
            "crdkit = {{ path = {crdkit:?}, features = [\"check\"] }}\n\
             k8s-openapi = {{ version = \"0.29\", default-features = false, features = [\"latest\", \"schemars\"] }}\n\
             schemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\", \"rc\"] }}\nserde_json = \"1\"\n"
        );
        let project = Project::new(Path::new(env!("CARGO_TARGET_TMPDIR")), "derived_types", &dependencies);
        for (at, made) in made.iter().enumerate() {
            project.write(&format!("src/t{at}.rs"), &made.source);
        }
        let mut batch =
            Self { made, project, rejected: 0, findings: Vec::new(), kept: (0..made.len()).collect() };
        println!("types {first} to {}", first + made.len() - 1);
        while let Some(wrong) = batch.build() {
            assert!(!wrong.is_empty(), "the program does not compile");
            batch.rejected += wrong.len();
            batch.kept.retain(|at| !wrong.contains(at));
        }
        batch
    }

    /// Builds the program. Returns the modules with errors.
    fn build(&mut self) -> Option<BTreeSet<usize>> {
        self.project.write("src/main.rs", &program(&self.kept));
        let output = self.project.try_cargo(&["build", "--message-format=json", "--quiet"]);
        if output.status.success() {
            return None;
        }
        let mut wrong = BTreeSet::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            if message["message"]["level"] != "error" {
                continue;
            }
            let Some(at) = module(&message["message"]["spans"]) else {
                continue;
            };
            let code = message["message"]["code"]["code"].as_str().unwrap_or_default();
            // E0080: an assertion of ours on constants. Others are of the compiler, which says nothing about the attribute.
            if wrong.insert(at) && !matches!(code, "" | "E0080") {
                self.findings.push(format!(
                    "{code} in {}\n{}",
                    message["message"]["rendered"].as_str().unwrap_or_default(),
                    self.made[at].source
                ));
            }
        }
        if wrong.is_empty() {
            println!("{}", String::from_utf8_lossy(&output.stderr));
        }
        Some(wrong)
    }

    /// Asks the types for their CRDs, and gives them objects.
    pub(crate) fn run(mut self, objects: usize, seed: usize) -> Answers {
        let mut answers = Answers { findings: std::mem::take(&mut self.findings), ..Answers::default() };
        answers.count("types rejected while they compile", self.rejected);
        let (mut validators, mut advised) = (BTreeMap::new(), BTreeSet::new());
        let mut sent = Vec::new();
        for line in self.project.cargo(&["run", "--quiet", "--", "crds"]).lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let at = usize::try_from(line["type"].as_u64().unwrap()).unwrap();
            let of = &line["of"];
            let Some(crd) = of.get("crd") else {
                answers.count("types rejected by `crd()`", 1);
                continue;
            };
            let crd = CustomResourceDefinition::from_value(crd.clone()).unwrap();
            if !crd_core::check(&crd).is_empty() {
                answers.count("types rejected by `crd()`", 1);
                continue;
            }
            let validator = Validator::new(&crd).unwrap();
            let advice: Vec<_> = of["advice"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .filter(|name| !matches!(*name, "list-without-type" | "wide-integer"))
                .collect();
            if !advice.is_empty() {
                answers.count("types with advice", 1);
                advised.insert(at);
            }
            answers.count("types", 1);
            let sampler = Sampler::new(&crd, "v1").unwrap().with_seed(seed as u64);
            sent.extend(sampler.accepted().take(objects).map(|object| Sent {
                at,
                object,
                is_accepted: true,
            }));
            if !self.made[at].is_bounded {
                sent.extend(sampler.broken().take(objects).map(|broken| Sent {
                    at,
                    object: broken.object,
                    is_accepted: false,
                }));
            }
            validators.insert(at, validator);
        }
        self.compare(&validators, &advised, &sent, &mut answers);
        answers
    }

    fn compare(
        &self,
        validators: &BTreeMap<usize, Validator>,
        advised: &BTreeSet<usize>,
        sent: &[Sent],
        answers: &mut Answers,
    ) {
        let mut lines = String::new();
        let mut stored = Vec::new();
        for sent in sent {
            let object = if sent.is_accepted {
                match validators[&sent.at].create(sent.object.clone()).result {
                    Ok(object) => object,
                    Err(_) => continue,
                }
            } else {
                sent.object.clone()
            };
            lines += &json!({"type": sent.at, "object": object}).to_string();
            lines.push('\n');
            stored.push((sent.at, sent.is_accepted, object));
        }
        self.project.write("objects.jsonl", &lines);
        let mut shown = BTreeSet::new();
        let printed = self.project.cargo(&["run", "--quiet", "--", "objects", "objects.jsonl"]);
        assert_eq!(printed.lines().count(), stored.len());
        for (line, (at, is_accepted, object)) in printed.lines().zip(stored) {
            let answer: Value = serde_json::from_str(line).unwrap();
            answers.count(if is_accepted { "accepted objects" } else { "rejected objects" }, 1);
            if let Some(what) = self.finding(&validators[&at], at, is_accepted, &object, &answer)
                && shown.insert(at)
            {
                if advised.contains(&at) {
                    answers.count("types of which advice says so", 1);
                    continue;
                }
                let (_, types) = self.made[at].source.split_once("\n\n").unwrap();
                answers.findings.push(format!("{what}\n  object {object}\n  answer {answer}\n{types}"));
            }
        }
    }

    /// Returns what is wrong with an answer.
    fn finding(
        &self,
        validator: &Validator,
        at: usize,
        is_accepted: bool,
        object: &Value,
        answer: &Value,
    ) -> Option<String> {
        let Some(written) = answer.get("written") else {
            return (is_accepted && !self.made[at].is_open).then(|| "THE TYPE DOES NOT READ".to_owned());
        };
        match validator.create(written.clone()).result {
            Err(_) if self.made[at].is_bounded => None,
            Err(rejection) => Some(format!("THE SCHEMA REJECTS WHAT IS WRITTEN: {rejection:?}")),
            Ok(again) if is_accepted && !self.made[at].is_lossy && !self.made[at].is_open => {
                lost(&object["spec"], &again["spec"]).map(|place| format!("LOST at spec{place}"))
            }
            Ok(_) => None,
        }
    }
}

impl Answers {
    fn count(&mut self, what: &'static str, number: usize) {
        *self.counts.entry(what).or_default() += number;
    }
}

/// Returns the number of the module in which an error is.
fn module(spans: &Value) -> Option<usize> {
    let files = spans.as_array()?.iter().flat_map(|span| {
        let mut files = vec![span["file_name"].as_str().unwrap_or_default().to_owned()];
        let mut expansion = &span["expansion"];
        while expansion.is_object() {
            files.push(expansion["span"]["file_name"].as_str().unwrap_or_default().to_owned());
            expansion = &expansion["span"]["expansion"];
        }
        files
    });
    files.filter_map(|file| file.strip_prefix("src/t")?.strip_suffix(".rs")?.parse().ok()).next()
}
