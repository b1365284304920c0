//! Made objects: accepted ones, and ones that break one keyword, by our schemas and by the tools that read them.

use std::path::Path;

use crd_core::admit::{FieldValidation, Submitted, Validator};
use crd_core::{CustomResourceDefinition, Segment};
use crd_docs::json_schema::{Draft, SchemaOptions, json_schema};
use crd_sample::{Broken, Fault, Sampler};
use serde_json::Value;

use super::{DEFINITION, DRAFTS, corpus, definition};

/// Formats of JSON Schema that the API server has, too. It has no word for others, and `uri-reference` accepts more than the `uri`
/// of the API server.
const FORMATS: [&str; 6] = ["date-time", "date", "email", "hostname", "ipv4", "ipv6"];

/// Returns `true` if JSON Schema has a keyword for what is wrong.
fn can_be_said(broken: &Broken, schema: &Value) -> bool {
    match &broken.fault {
        Fault::Rule(_) => false,
        Fault::Format => {
            let format = broken.message.split_once("must be of type ").map(|(_, rest)| rest);
            format.is_some_and(|rest| FORMATS.iter().any(|format| rest.starts_with(&format!("{format}:"))))
        }
        // ECMAScript has no `(?m)`.
        Fault::Pattern => !comment(schema, &broken.field.segments()).contains("pattern: "),
        Fault::MinProperties => !comment(schema, &broken.field.segments()).contains("minProperties: "),
        // The keys of lists of type `map`. The field is an item.
        Fault::Duplicate => {
            let mut list = broken.field.segments();
            list.pop();
            !comment(schema, &list).contains("items differ in ")
        }
        _ => true,
    }
}

/// Returns the comment of a schema at a field of an object.
fn comment(schema: &Value, field: &[&Segment]) -> String {
    let node = field.iter().fold(schema, |node, step| match step {
        Segment::Child(name) | Segment::Key(name) => match &node["properties"][&**name] {
            Value::Null => &node["additionalProperties"],
            property => property,
        },
        Segment::Index(_) => &node["items"],
    });
    node["$comment"].to_string()
}

/// A definition with its strict schema, and objects that it has to accept and to refuse.
struct Sampled {
    /// The kind and the version, in lower case.
    name: String,
    group: String,
    schema: Value,
    accepted: Vec<Value>,
    broken: Vec<Broken>,
}

impl Sampled {
    fn new(crd: &CustomResourceDefinition, sampler: &Sampler, draft: Draft, count: usize) -> Self {
        let version = sampler.version();
        let options = SchemaOptions::default().with_draft(draft).with_strict(true);
        let schema = json_schema(crd, version, options).unwrap();
        let strict = Validator::new(crd).unwrap().with_field_validation(FieldValidation::Strict);
        let accepted =
            sampler.minimal().into_iter().chain(sampler.full()).chain(sampler.accepted().take(count));
        let is_accepted = |object: &Value| strict.create(Submitted::from(object.clone())).is_accepted();
        let broken = sampler.broken().take(count).filter(|broken| can_be_said(broken, &schema)).collect();
        let name = format!("{}_{version}", crd.spec.names.kind).to_lowercase();
        Self {
            name,
            group: crd.spec.group.clone(),
            accepted: accepted.filter(is_accepted).collect(),
            broken,
            schema,
        }
    }

    fn count(&self) -> usize {
        self.accepted.len() + self.broken.len()
    }

    /// Returns the objects that the schema judges otherwise.
    fn differences(&self) -> Vec<String> {
        let judge = jsonschema::options().should_validate_formats(true).build(&self.schema).unwrap();
        let mut out = Vec::new();
        for object in &self.accepted {
            if let Err(error) = judge.validate(object) {
                out.push(format!("{} refuses `{}`: {error}: {object}", self.name, error.instance_path()));
            }
        }
        for Broken { field, message, object, .. } in &self.broken {
            if judge.is_valid(object) {
                out.push(format!("{} accepts `{field}`: {message}: {object}", self.name));
            }
        }
        out
    }

    /// Writes the schema as in a catalogue, and the objects below `accepted` and `refused`.
    fn write(&self, folder: &Path) {
        let schema = format!("schemas/{}/{}.json", self.group, self.name);
        let write = |path: &str, text: String| {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(&schema, self.schema.to_string());
        let modeline = format!("# yaml-language-server: $schema=../{schema}");
        let refused = self.broken.iter().map(|broken| (format!("{:?}", broken.fault), &broken.object));
        let accepted = self.accepted.iter().map(|object| (String::new(), object));
        for (kind, objects) in
            [("accepted", accepted.collect::<Vec<_>>()), ("refused", refused.collect::<Vec<_>>())]
        {
            for (i, (fault, object)) in objects.into_iter().enumerate() {
                // JSON is YAML, and means the same to all readers.
                write(&format!("{kind}/{}-{i}{fault}.yaml", self.name), format!("{modeline}\n{object:#}\n"));
            }
        }
    }
}

/// Returns the most demanding definitions of the corpus.
fn demanding() -> Vec<(CustomResourceDefinition, Sampler)> {
    let list = std::fs::read_to_string(corpus().join("demanding.txt")).unwrap();
    let read = |line: &str| {
        let text = std::fs::read_to_string(corpus().join(line)).unwrap();
        let crd = CustomResourceDefinition::from_value(serde_yaml::from_str(&text).ok()?).unwrap();
        let sampler = Sampler::for_stored(&crd).ok()?;
        Some((crd, sampler))
    };
    list.lines().filter_map(read).collect()
}

#[test]
fn generated_objects_are_judged_alike() {
    let crd = definition(DEFINITION);
    let sampler = Sampler::new(&crd, "v1").unwrap();
    for draft in DRAFTS {
        let sampled = Sampled::new(&crd, &sampler, draft, 300);
        let differences = sampled.differences();
        assert!(differences.is_empty() && sampled.count() > 400, "{}: {differences:#?}", sampled.count());
    }
}

/// Needs the corpus next to the project.
#[test]
#[ignore = "needs the corpus beside the project"]
fn generated_objects_of_the_corpus_are_judged_alike() {
    let (mut all, mut asked) = (Vec::new(), 0);
    for (crd, sampler) in demanding() {
        let sampled = Sampled::new(&crd, &sampler, Draft::Draft202012, 40);
        all.extend(sampled.differences());
        asked += sampled.count();
    }
    assert!(asked > 1_000 && all.is_empty(), "{} of {asked}:\n{}", all.len(), all.join("\n"));
}

/// Writes schemas and objects to the folder `CRD_SCHEMA_FILES`, for `crd-docs/tests/json_schema/readers`.
#[test]
#[ignore = "the first step of `readers`"]
fn write_files() {
    let folder = std::env::var_os("CRD_SCHEMA_FILES").unwrap();
    let crd = definition(DEFINITION);
    let sampler = Sampler::new(&crd, "v1").unwrap();
    Sampled::new(&crd, &sampler, Draft::Draft7, 60).write(Path::new(&folder));
    if corpus().exists() {
        for (crd, sampler) in demanding() {
            Sampled::new(&crd, &sampler, Draft::Draft7, 8).write(Path::new(&folder));
        }
    }
}
