//! Generated types of random definitions, compiled in a batch: stored objects survive a round trip through them, except for the cases
//! in `crd_tests::kept`.
//!
//! Compiling takes minutes: `cargo test -p crd-tests --test generated_types -- --ignored`. `GENERATED_TYPES_SEED=7` selects other
//! definitions and objects, `GENERATED_TYPES_DEFINITIONS` and `GENERATED_TYPES_OBJECTS` set their numbers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test that cannot go on fails")]

#[path = "../../fuzz/fuzz_targets/structural/made.rs"]
#[allow(unreachable_pub, reason = "a module of another package")]
mod made;
#[path = "../../fuzz/fuzz_targets/structural/mod.rs"]
#[allow(unreachable_pub, reason = "a module of another package")]
mod structural;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use arbitrary::Unstructured;
use crd_codegen::{
    BytesType, Config, Defaults, Definition, Form, Generated, MapType, NumberType, Origin, ProblemSeverity,
    generate,
};
use crd_core::CustomResourceDefinition;
use crd_core::admit::Validator;
use crd_sample::Sampler;
use crd_tests::kept::{Choices, Rejected, as_sent, comes_back};
use crd_tests::normalise::{differences, normalised};
use crd_tests::project::Project;
use crd_tests::workspace;
use serde_json::{Value, json};

const DEPENDENCIES: &str = "serde = { version = \"1\", features = [\"derive\"] }\n\
    serde_json = { version = \"1\", features = [\"float_roundtrip\"] }\n";

/// A kind with its definition and its stored objects.
struct Kind {
    definition: Value,
    crd: CustomResourceDefinition,
    objects: Vec<Value>,
}

impl Kind {
    fn schema(&self) -> &Value {
        &self.definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    }
}

#[test]
#[ignore = "compiles the types of dozens of definitions, which takes minutes"]
fn stored_objects_come_back() {
    let kinds = kinds();
    check("kept_by_default", &kinds, &Config::new(), Choices::default());
}

#[test]
#[ignore = "compiles the types of dozens of definitions, which takes minutes"]
fn stored_objects_come_back_with_other_choices() {
    let kinds = kinds();
    let mut config = Config::new();
    config.unions(true).constructors(true).setters(true).apply(true).open_enums(true).explicit_null(true);
    config
        .numbers(NumberType::Exact)
        .map_type(MapType::Hash)
        .bytes(BytesType::Bytes)
        .defaults(Defaults::Schema);
    let choices = Choices { explicit_null: true, exact_numbers: true };
    check("kept_with_other_choices", &kinds, &config, choices);
}

#[test]
#[ignore = "compiles crdkit and the types of dozens of definitions, which takes minutes"]
fn stored_objects_come_back_from_types_with_derives() {
    let kinds = kinds();
    let mut config = Config::new();
    config.form(Form::Derive).unions(true);
    check("kept_with_derives", &kinds, &config, Choices::default());
}

/// Compiles the types of all kinds in a package with this name, and reads and writes the objects with them.
fn check(name: &str, kinds: &[Kind], config: &Config, choices: Choices) {
    let definitions: Vec<Definition> =
        kinds.iter().enumerate().map(|(at, kind)| definition(at, kind)).collect();
    let generated = generate(&definitions, config);
    let errors = generated.findings.iter().filter(|finding| finding.severity == ProblemSeverity::Error);
    assert_eq!(errors.map(|finding| finding.diagnostic.to_string()).collect::<Vec<_>>(), [""; 0]);

    let is_derived = *config == *config.clone().form(Form::Derive);
    let mut dependencies = DEPENDENCIES.to_owned();
    if is_derived {
        let crdkit = workspace().join("crdkit");
        let _ = writeln!(
            dependencies,
            "crdkit = {{ path = {crdkit:?}, features = [\"check\"] }}\nschemars = \"1\""
        );
    }
    let project = Project::new(Path::new(env!("CARGO_TARGET_TMPDIR")), name, &dependencies);
    for file in &generated.files {
        project.write(&format!("src/generated/{}", file.path), &file.contents);
    }
    project.write("src/kept.rs", include_str!("../src/kept.rs"));
    project.write("src/main.rs", &program(&generated, kinds, is_derived));
    let (lines, refused) = lines(kinds, choices);
    project.write("objects.jsonl", &lines.join("\n"));

    let answer = project.cargo(&["run", "--quiet"]);
    let (mut kept, mut wrong) = (0, Vec::new());
    for line in answer.lines() {
        let (what, rest) = line.split_once(' ').unwrap();
        match what {
            "kept" => kept += 1,
            "definition" => definition_came_back(kinds, rest),
            "wrong" => wrong.push(line),
            _ => panic!("{line}"),
        }
    }
    println!("{name}: {} kinds, {kept} objects kept, {refused} refused by the exceptions", kinds.len());
    let mut shown = BTreeMap::new();
    for line in &wrong {
        shown.entry(line.split(' ').nth(1)).or_insert(line);
    }
    for line in shown.values().take(10) {
        println!("{line}");
    }
    assert!(wrong.is_empty(), "{} objects are not kept", wrong.len());
    assert_eq!(kept, lines.len());
}

fn definition(at: usize, kind: &Kind) -> Definition {
    Definition { crd: kind.crd.clone(), origin: Origin { file: format!("{at}.json"), document: 0 } }
}

/// Returns the objects with the expected results of their round trips, and the number of objects that are refused.
fn lines(kinds: &[Kind], choices: Choices) -> (Vec<String>, usize) {
    let (mut lines, mut refused) = (Vec::new(), 0);
    for (at, kind) in kinds.iter().enumerate() {
        for object in &kind.objects {
            let back = match comes_back(kind.schema(), object, choices) {
                Ok(back) => as_sent(&back),
                Err(Rejected::Format | Rejected::NearInteger) => {
                    refused += 1;
                    Value::Null
                }
            };
            lines.push(json!({"kind": at, "object": as_sent(object), "back": back}).to_string());
        }
    }
    (lines, refused)
}

/// Returns a program that reads each object as its type, writes it again and compares.
fn program(generated: &Generated, kinds: &[Kind], is_derived: bool) -> String {
    let has_form = generated.files.iter().any(|file| file.contents.contains("pub struct FApply"));
    let mut arms = String::new();
    for at in 0..kinds.len() {
        let module = format!("generated::g{at}_example_com::v1::f");
        let form = if has_form { format!("Some(again::<{module}::FApply>)") } else { "None".to_owned() };
        let _ = writeln!(arms, "            {at} => (again::<{module}::F>, {form}),");
    }
    let definitions = if is_derived { DEFINITIONS } else { "" };
    format!(
        "#![allow(dead_code)]\n#![recursion_limit = \"256\"]\n\nmod generated;\nmod kept;\n\nuse serde_json::Value;\n\nconst IS_DERIVED: bool = {is_derived};\n\ntype Again = fn(&Value) -> serde_json::Result<Value>;\n\nfn main() {{{definitions}{READ}{arms}{COMPARE}"
    )
}

const DEFINITIONS: &str = r#"
    for definition in generated::definitions::all().unwrap() {
        println!("definition {}", definition.to_value());
    }"#;

const READ: &str = r#"
    for line in std::fs::read_to_string("objects.jsonl").unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let (again, form): (Again, Option<Again>) = match line["kind"].as_u64().unwrap() {
"#;

const COMPARE: &str = r#"            _ => panic!(),
        };
        let mut is_kept = true;
        for again in [Some(again), form].into_iter().flatten() {
            match again(&line["object"]) {
                Ok(after) if kept::same(&after, &line["back"]) || same_but_spec(after.clone(), &line["back"]) => {}
                Err(_) if line["back"].is_null() => {}
                Ok(after) => {
                    is_kept = false;
                    println!("wrong {} {} became {after} not {}", line["kind"], line["object"], line["back"]);
                }
                Err(error) => {
                    is_kept = false;
                    println!("wrong {} {} is refused: {error}", line["kind"], line["object"]);
                }
            }
        }
        if is_kept {
            println!("kept {}", line["kind"]);
        }
    }
}

/// Returns `true` if an absent `spec` came back as `{}`, as it does from types with derives.
fn same_but_spec(mut after: Value, back: &Value) -> bool {
    let is_added = back.get("spec").is_none() && after["spec"] == serde_json::json!({});
    if let Some(after) = after.as_object_mut().filter(|_| is_added) {
        after.remove("spec");
    }
    IS_DERIVED && is_added && kept::same(&after, back)
}

fn again<T: serde::Serialize + serde::de::DeserializeOwned>(object: &Value) -> serde_json::Result<Value> {
    // The object becomes text first, as on its way from a server.
    serde_json::to_value(serde_json::from_str::<T>(&object.to_string())?)
}
"#;

/// Checks that the CRD of the derived types equals the one from which they were generated.
fn definition_came_back(kinds: &[Kind], json: &str) {
    let after = CustomResourceDefinition::from_value(serde_json::from_str(json).unwrap()).unwrap();
    let before = kinds.iter().find(|kind| kind.crd.metadata.name == after.metadata.name).unwrap();
    let different = differences(&normalised(&before.crd), &normalised(&after));
    assert!(different.is_empty(), "{}\n{}", different.join("\n"), before.definition);
}

/// Kinds of which some objects are stored.
fn kinds() -> Vec<Kind> {
    let setting = |name: &str, default: u64| {
        std::env::var(name)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let count = usize::try_from(setting("GENERATED_TYPES_DEFINITIONS", 60)).unwrap();
    let objects = usize::try_from(setting("GENERATED_TYPES_OBJECTS", 1_000)).unwrap();
    let mut random = made::Random(setting("GENERATED_TYPES_SEED", 1));
    let mut kinds = Vec::new();
    let mut keywords: BTreeMap<&str, usize> = BTreeMap::new();
    while kinds.len() < count {
        let Some(kind) = kind(kinds.len(), &mut random, objects) else { continue };
        let text = kind.definition.to_string();
        for keyword in [
            "preserve-unknown",
            "int-or-string",
            "embedded",
            "nullable",
            "oneOf",
            "uint",
            "number",
            "default",
        ] {
            *keywords.entry(keyword).or_default() += usize::from(text.contains(keyword));
        }
        kinds.push(kind);
    }
    println!("{keywords:?}");
    kinds
}

/// Returns a kind of a group of its own, unless the API server refuses its definition or every object of it.
fn kind(at: usize, random: &mut made::Random, objects: usize) -> Option<Kind> {
    let (definition, crd) = made::definition(at, random)?;
    let validator = Validator::new(&crd).ok()?;
    let sampler = Sampler::for_stored(&crd).ok()?;
    let mut stored = Vec::new();
    for _ in 0..objects * 4 {
        let bytes = random.bytes(400);
        let object = structural::object(&mut Unstructured::new(&bytes), &sampler).ok()?;
        stored.extend(validator.create(object).result.ok());
        if stored.len() == objects {
            break;
        }
    }
    (stored.len() > objects / 20).then_some(Kind { definition, crd, objects: stored })
}
