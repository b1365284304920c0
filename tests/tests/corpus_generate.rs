//! Generation for the corpus of public definitions: types are generated for all of them and parse, those of demanding definitions
//! compile without warnings, and real objects survive a round trip through them.
//!
//! The corpus is not part of the project. If it is not beside the project, these tests print a line and pass. Without optimization,
//! they use a tenth of it; `cargo test --release -p crd-tests --test corpus_generate` uses all of it.
//! The tests that compile, and those that run clippy and rustdoc, take minutes:
//! `cargo test -p crd-tests --test corpus_generate -- --ignored`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crd_codegen::{
    Builders, BytesType, Config, DateTimeType, Defaults, Definition, Form, Generated, K8sOpenapi, MapType,
    NumberType, Severity, Versions, generate,
};
use crd_input::Limits;
use crd_tests::project::Project;
use crd_tests::shared;
use serde_json::Value;

const DEPENDENCIES: &str = "serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\n";

/// The dependencies that clients add.
const CLIENT_DEPENDENCIES: &str = "\
futures = \"0.3\"
k8s-openapi = { version = \"0.29\", features = [\"latest\"] }
kube = { version = \"5\", default-features = false, features = [\"client\"] }
tokio = { version = \"1\", features = [\"time\"] }
";

fn read(paths: &[PathBuf]) -> Vec<Definition> {
    let limits = Limits::default();
    let (sources, errors) = crd_input::sources(paths, &limits);
    assert!(errors.is_empty(), "{}", errors[0]);
    crd_input::definitions(&sources, &limits, &|| ()).definitions
}

/// The files of the corpus: without optimization, a tenth of them.
fn sampled(corpus: &Path) -> Vec<PathBuf> {
    if cfg!(debug_assertions) {
        let (sources, _) = crd_input::sources(&[corpus.join("crds")], &Limits::default());
        sources.iter().step_by(10).filter_map(|source| source.path().map(Path::to_owned)).collect()
    } else {
        vec![corpus.join("crds")]
    }
}

fn errors(generated: &Generated) -> Vec<String> {
    let errors = generated.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| format!("{}: {}", finding.origin.file, finding.diagnostic)).collect()
}

/// The lines of a file.
fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn every_definition_generates() {
    let Some(corpus) = shared("corpus") else { return };
    let started = Instant::now();
    let definitions = read(&sampled(&corpus));
    let read = started.elapsed();
    // `generate` parses each file before it returns it, and code that does not parse is an error.
    let generated = generate(&definitions, &Config::new());
    let took = started.elapsed();
    assert!(definitions.len() > 100);
    assert_eq!(errors(&generated), [""; 0]);
    let lines: usize = generated.files.iter().map(|file| file.contents.lines().count()).sum();
    println!("{} definitions, {lines} lines, read in {read:?}, all in {took:?}", definitions.len());
    // The result is the same to the byte, whichever thread is faster.
    let again = generate(&definitions, &Config::new());
    assert!(generated.files == again.files);
}

/// Ends of the names of element types that look like plurals, and the reason for each.
const NOT_PLURAL: &[(&str, &str)] = &[
    ("Analytics", "has no singular"),
    ("Aws", "an acronym"),
    ("Cors", "an acronym"),
    ("Ovs", "an acronym"),
    ("Series", "is its own singular"),
    ("Tls", "an acronym"),
    ("Vfs", "virtual functions here, and a virtual file system elsewhere"),
    ("Windows", "also an operating system"),
    ("SubGroupsSubGroupsSubGroups", "groups in groups, of which others have the name in the singular"),
];

/// No name is too long, no kind's file has a name of another kind for the type of a field, and elements of lists and maps are in the
/// singular.
#[test]
fn names_belong_to_their_kinds() {
    let Some(corpus) = shared("corpus") else { return };
    let definitions = read(&sampled(&corpus));
    let generated = generate(&definitions, Config::new().apply(true));
    let (mut fields, mut elements) = (0, 0);
    let (mut foreign, mut long, mut plural) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for file in generated.files.iter().filter(|file| file.contents.contains("pub const KIND: ")) {
        let root = file.contents.split("pub const GROUP: ").next().unwrap().lines().rev();
        let root = root.filter_map(|line| line.strip_prefix("impl ")?.strip_suffix(" {")).next().unwrap();
        let declared = declared_types(&file.contents);
        // A kind of more than 26 characters is cut where the properties need the room.
        let root = &root[..root.len().min(26)];
        long.extend(declared.iter().filter(|name| name.len() > 60).cloned());
        let (mut single, mut several) = (BTreeSet::new(), BTreeSet::new());
        for line in file.contents.lines().filter_map(|line| line.strip_prefix("    pub ")) {
            let Some((field, type_)) = line.trim_end_matches(',').split_once(": ") else { continue };
            for name in type_.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                if declared.contains(name) {
                    fields += 1;
                    foreign.extend((!name.starts_with(root)).then(|| format!("{}: {line}", file.path)));
                    if type_.contains("Vec<") || type_.contains("BTreeMap<") {
                        elements += 1;
                        several.extend(is_plural(field, name, &declared).then(|| name.to_owned()));
                    } else {
                        single.insert(name.to_owned());
                    }
                }
            }
        }
        // A type that also stands alone may be named after that place: the object `artifacts` beside the list `secondaryArtifacts`.
        plural.extend(several.difference(&single).cloned());
    }
    println!("{fields} fields of generated types, {elements} with several of them");
    assert_eq!((foreign, long, plural), (Vec::new(), BTreeSet::new(), BTreeSet::new()));
}

/// Returns `true` if the elements of a field have its plural in their name, although nothing else has the singular.
fn is_plural(field: &str, name: &str, declared: &BTreeSet<String>) -> bool {
    let last = field.rsplit('_').next().unwrap_or_default();
    let name = name.strip_suffix("Apply").unwrap_or(name);
    let ends_like_field = name.to_lowercase().ends_with(last) && last.ends_with('s');
    let singular = [("ies", "y"), ("es", ""), ("s", "")]
        .into_iter()
        .filter_map(|(plural, singular)| Some(format!("{}{singular}", name.strip_suffix(plural)?)));
    let is_word = ["ss", "us", "is"].iter().any(|end| last.ends_with(end))
        || NOT_PLURAL.iter().any(|(end, _)| name.ends_with(end));
    ends_like_field && !is_word && !singular.into_iter().any(|name| declared.contains(&name))
}

/// The types of a file, and those that it has from the shared ones.
fn declared_types(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text.lines() {
        if let ["pub", "struct" | "enum" | "type", name, ..] =
            *line.split([' ', '<', ';']).collect::<Vec<_>>()
        {
            names.insert(name.to_owned());
        }
    }
    let exports = text.split("pub use super::shared::").nth(1).unwrap_or_default();
    let (exports, _) = exports.split_once(';').unwrap_or_default();
    let exports = exports.trim_matches(['{', '}', '\n', ' ']).split(',').map(str::trim);
    names.extend(
        exports
            .filter_map(|export| export.rsplit(' ').next())
            .filter(|name| !name.is_empty())
            .map(str::to_owned),
    );
    names
}

/// Definitions of a folder are called as if each were alone, whichever others there are, and in whichever order.
#[test]
#[ignore = "generates the corpus several times"]
fn no_other_definition_renames_a_type() {
    let Some(corpus) = shared("corpus") else { return };
    let mut definitions = read(&sampled(&corpus));
    let names = |definitions: &[Definition]| -> BTreeMap<String, BTreeSet<String>> {
        let generated = generate(definitions, &Config::new());
        let kinds = generated.files.into_iter().filter(|file| file.contents.contains("pub const KIND: "));
        kinds.map(|file| (file.path, declared_types(&file.contents))).collect()
    };
    // Of a kind that comes twice, the second module has a number that depends on the order.
    let mut seen = BTreeSet::new();
    definitions.retain(|definition| {
        seen.insert((definition.crd.spec.group.clone(), definition.crd.spec.names.kind.to_lowercase()))
    });
    let all = names(&definitions);
    for parts in [2, 3, 7] {
        for part in 0..parts {
            let some = definitions.iter().skip(part).step_by(parts).rev().cloned().collect::<Vec<_>>();
            for (path, names) in names(&some) {
                assert_eq!(Some(&names), all.get(&path), "{path}");
            }
        }
    }
    println!("{} kinds, no rename", all.len());
}

/// Generates all definitions with each of these options, and prints how often an option has an effect.
#[test]
fn every_definition_generates_with_other_choices() {
    let Some(corpus) = shared("corpus") else { return };
    let definitions = read(&sampled(&corpus));
    let mut config = Config::new();
    config.unions(true).constructors(true).setters(true).apply(true);
    for (choice, k8s_openapi) in [("exact", K8sOpenapi::Exact), ("equivalent", K8sOpenapi::Equivalent)] {
        let generated = generate(&definitions, config.k8s_openapi(k8s_openapi));
        assert_eq!(errors(&generated), [""; 0]);
        let count = |part: &str| -> usize {
            generated.files.iter().map(|file| file.contents.matches(part).count()).sum()
        };
        let warned_of = |part: &str| {
            generated.findings.iter().filter(|finding| finding.diagnostic.message.contains(part)).count()
        };
        println!(
            "{choice}: {} types of k8s-openapi, {} nearly, {} of several; {} enums for unions, {} with a discriminator, {} unions without",
            count("k8s_openapi::api"),
            warned_of("nearly `"),
            warned_of("the shape of several"),
            count("one_of::exactly(["),
            count("discriminator::mismatch("),
            warned_of("no enum is generated for"),
        );
    }
}

#[test]
#[ignore = "compiles 80,000 lines, which takes minutes"]
fn demanding_definitions_compile_and_keep_real_objects() {
    compile_and_keep("demanding", &Config::new(), DEPENDENCIES);
}

#[test]
#[ignore = "compiles 150,000 lines and kube, which takes minutes"]
fn demanding_clients_compile_and_keep_real_objects() {
    let dependencies = format!("{DEPENDENCIES}{CLIENT_DEPENDENCIES}");
    compile_and_keep("demanding_clients", Config::new().client(true).apply(true), &dependencies);
}

#[test]
#[ignore = "compiles 80,000 lines and k8s-openapi, which takes minutes"]
fn demanding_definitions_keep_real_objects_with_types_of_k8s_openapi() {
    let mut config = Config::new();
    config.k8s_openapi(K8sOpenapi::Exact).unions(true).constructors(true).apply(true);
    let dependencies =
        format!("{DEPENDENCIES}k8s-openapi = {{ version = \"0.29\", features = [\"latest\"] }}\n");
    compile_and_keep("demanding_exact", &config, &dependencies);
    // With this option numbers can come back as strings.
    config.k8s_openapi(K8sOpenapi::Equivalent);
    compile_and_keep("demanding_equivalent", &config, &dependencies);
}

/// kube's derive on every kind, with builders of typed-builder for every second one, and of bon for the others: both for all would take
/// twice the time. Objects go through such types in `kube_versions.rs`.
#[test]
#[ignore = "checks 80,000 lines with two derives, which takes minutes"]
fn demanding_definitions_compile_with_builders_and_the_derive_of_kube() {
    let Some(corpus) = shared("corpus") else { return };
    let dependencies = format!(
        "{DEPENDENCIES}k8s-openapi = {{ version = \"0.29\", features = [\"latest\"] }}\n\
         kube = {{ version = \"5\", default-features = false, features = [\"derive\"] }}\n"
    );
    let mut config = Config::new();
    // Kinds and versions do not share types in this form: with all versions it would be 230,000 lines.
    config.form(Form::Kube).versions(Versions::Storage).unions(true).setters(true);
    for (at, name, builders, line) in [
        (0, "demanding_kube", Builders::TypedBuilder, "typed-builder = \"0.23\"\n"),
        (1, "demanding_bon", Builders::Bon, "bon = \"3\"\n"),
    ] {
        let definitions = demanding(&corpus).into_iter().skip(at).step_by(2).collect();
        let dependencies = format!("{dependencies}{line}");
        let (project, generated) = compiled(name, config.builders(builders), &dependencies, &definitions);
        let started = Instant::now();
        let _ = project.cargo(&["check", "--quiet"]);
        println!("{name}: {} files checked: {:?}", generated.files.len(), started.elapsed());
    }
}

#[test]
#[ignore = "checks 80,000 lines with clippy and rustdoc, which takes minutes"]
fn demanding_definitions_have_no_lints() {
    lint("lints", &Config::new(), "");
}

/// Each option that adds code or changes types, with the value that adds most.
#[test]
#[ignore = "checks 200,000 lines with clippy and rustdoc, which takes minutes"]
fn demanding_definitions_have_no_lints_with_all_options() {
    let mut config = Config::new();
    config.unions(true).constructors(true).setters(true).apply(true).open_enums(true).explicit_null(true);
    config.numbers(NumberType::Exact).date_time(DateTimeType::Chrono).bytes(BytesType::Bytes);
    config.defaults(Defaults::Schema).map_type(MapType::Hash).samples(true);
    lint("lints_of_options", &config, "chrono = { version = \"0.4\", features = [\"serde\"] }\n");
}

#[test]
#[ignore = "checks 150,000 lines with clippy and rustdoc, which takes minutes"]
fn demanding_clients_have_no_lints() {
    let mut config = Config::new();
    config.client(true).apply(true).unions(true).setters(true).k8s_openapi(K8sOpenapi::Equivalent);
    config.date_time(DateTimeType::Jiff).enum_methods(false).defaults(Defaults::None);
    let jiff = "jiff = { version = \"0.2\", features = [\"serde\"] }\n";
    lint("lints_of_clients", &config, &format!("{CLIENT_DEPENDENCIES}{jiff}"));
}

/// Checks the types of the demanding definitions with clippy and rustdoc, whose warnings are errors.
fn lint(name: &str, config: &Config, more_dependencies: &str) {
    let Some(corpus) = shared("corpus") else { return };
    let dependencies = format!("{DEPENDENCIES}{more_dependencies}");
    let (project, _) = compiled(name, config, &dependencies, &demanding(&corpus));
    // The documentation of deep types needs the limit that the files of such kinds name.
    let root = "#![deny(warnings)]\n#![recursion_limit = \"256\"]\npub mod generated;\n";
    project.write("src/lib.rs", root);
    for arguments in [&["clippy", "--quiet"][..], &["doc", "--quiet", "--no-deps"]] {
        let started = Instant::now();
        let _ = project.cargo(arguments);
        println!("{}: {:?}", arguments[0], started.elapsed());
    }
}

/// The demanding definitions: their paths below the folder of definitions.
fn demanding(corpus: &Path) -> BTreeSet<String> {
    let lines = lines(&corpus.join("demanding.txt"));
    lines.iter().map(|line| line.trim_start_matches("crds/").to_owned()).collect()
}

/// A package of this name with the types of these definitions.
fn compiled(
    name: &str,
    config: &Config,
    dependencies: &str,
    definitions: &BTreeSet<String>,
) -> (Project, Generated) {
    let folder = shared("corpus").unwrap().join("crds");
    let paths: Vec<PathBuf> = definitions.iter().map(|path| folder.join(path)).collect();
    let generated = generate(&read(&paths), config);
    assert_eq!(errors(&generated), [""; 0]);

    let project = Project::new(Path::new(env!("CARGO_TARGET_TMPDIR")), name, dependencies);
    for file in &generated.files {
        project.write(&format!("src/generated/{}", file.path), &file.contents);
    }
    project.write("src/lib.rs", "#![deny(warnings)]\npub mod generated;\n");
    (project, generated)
}

/// Compiles the types of the demanding definitions in a package of this name, and reads and writes real objects with them.
fn compile_and_keep(name: &str, config: &Config, dependencies: &str) {
    let Some(corpus) = shared("corpus") else { return };
    let demanding = demanding(&corpus);
    let (project, generated) = compiled(name, config, dependencies, &demanding);

    // The objects that the API server accepted, as it would store them.
    let verdicts: Vec<Value> = lines(&corpus.join("sample-verdicts.jsonl"))
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|verdict: &Value| {
            verdict["accepted"] == true && demanding.contains(verdict["crd"].as_str().unwrap())
        })
        .collect();
    assert!(verdicts.len() > 50);
    let objects: Vec<String> = verdicts.iter().map(|verdict| verdict["object"].to_string()).collect();
    project.write("objects.jsonl", &objects.join("\n"));
    project.write("src/main.rs", &round_trip(name, &generated, &verdicts));
    let started = Instant::now();
    let stdout = project.cargo(&["run", "--quiet"]);
    println!("{} files compiled and run: {:?}", generated.files.len(), started.elapsed());
    assert_eq!(stdout.trim(), format!("{} kept", objects.len()));
}

/// A program that reads each object as its type, writes it again and compares.
fn round_trip(name: &str, generated: &Generated, verdicts: &[Value]) -> String {
    let types = root_types(generated);
    let wanted: BTreeSet<(String, String)> = verdicts
        .iter()
        .map(|verdict| {
            let text = |key: &str| verdict["object"][key].as_str().unwrap().to_owned();
            (text("apiVersion"), text("kind"))
        })
        .collect();
    let mut arms = String::new();
    for key in wanted {
        let type_ = types.get(&key).unwrap_or_else(|| panic!("no type for {key:?}"));
        let (api_version, kind) = key;
        let _ = writeln!(
            arms,
            "        ({api_version:?}, {kind:?}) => again::<{name}::generated::{type_}>(text),"
        );
    }
    let equivalent = name == "demanding_equivalent";
    format!(
        r#"fn main() {{
    let mut kept = 0;
    for text in std::fs::read_to_string("objects.jsonl").unwrap().lines() {{
        let before: serde_json::Value = serde_json::from_str(text).unwrap();
        let after = match (before["apiVersion"].as_str().unwrap(), before["kind"].as_str().unwrap()) {{
{arms}            other => panic!("{{other:?}}"),
        }};
        match after {{
            Ok(after) if after == before || {equivalent} && with_texts(&after) == with_texts(&before) => kept += 1,
            Ok(after) => println!("{{before}}\nbecame\n{{after}}"),
            Err(error) => println!("{{before}}\nis refused: {{error}}"),
        }}
    }}
    println!("{{kept}} kept");
}}

/// The value with all numbers as strings.
fn with_texts(value: &serde_json::Value) -> serde_json::Value {{
    match value {{
        serde_json::Value::Number(number) => number.to_string().into(),
        serde_json::Value::Array(values) => values.iter().map(with_texts).collect(),
        serde_json::Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), with_texts(value))).collect(),
        other => other.clone(),
    }}
}}

fn again<T: serde::Serialize + serde::de::DeserializeOwned>(text: &str) -> serde_json::Result<serde_json::Value> {{
    serde_json::to_value(serde_json::from_str::<T>(text)?)
}}
"#
    )
}

/// Root types by `apiVersion` and `kind`: the paths below the generated module.
fn root_types(generated: &Generated) -> BTreeMap<(String, String), String> {
    let constant = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.contains(&format!("pub const {name}: ")))?;
        Some(line.split('"').nth(1)?.to_owned())
    };
    let types = generated.files.iter().filter_map(|file| {
        let key = (constant(&file.contents, "API_VERSION")?, constant(&file.contents, "KIND")?);
        // The constants are those of the root type.
        let (before, _) = file.contents.split_once("pub const GROUP: ")?;
        let name = before.lines().rev().find_map(|line| line.strip_prefix("impl ")?.strip_suffix(" {"))?;
        Some((key, format!("{}::{name}", file.path.trim_end_matches(".rs").replace('/', "::"))))
    });
    types.collect()
}
