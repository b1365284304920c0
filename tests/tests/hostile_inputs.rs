//! Hostile files of every kind that a command reads, within the limits that are promised for their size: many documents, wide lists,
//! dense values, aliases, and many errors.
//!
//! Each mechanism is tested once. The commands share the readers, so a file for a reader is passed to those commands that keep
//! objects in different ways, and large files only to the command that keeps most of them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crd_input::in_parallel;
use crd_tests::tool::{Bounds, Outcome, empty_directory, release_build};

/// The size up to which the tighter limits apply.
const REQUEST: usize = 3 << 20;

/// A file, with the runs that read it.
struct Input {
    name: &'static str,
    text: String,
    runs: Vec<(Run, &'static str)>,
}

/// A command that reads the file as one of its inputs. `CRD` is a definition for the objects, `FILE` is the file.
type Run = &'static [&'static str];

const CHECK: Run = &["check", "FILE"];
const GENERATE: Run = &["generate", "FILE", "--out", "OUT"];
const VALIDATE: Run = &["validate", "--crd", "CRD", "FILE"];
const UPDATE: Run = &["validate", "--crd", "CRD", "--old", "FILE", "FILE"];
const VALIDATE_BY: Run = &["validate", "--crd", "FILE", "CRD"];
const TEST: Run = &["test", "FILE"];
const CEL_BY: Run = &["cel", "--crd", "FILE", "--at", "spec", "self.n > 1"];
const CEL_OF: Run = &["cel", "--crd", "CRD", "--at", "spec", "--object", "FILE", "self.n > 1"];

/// All commands, once for each argument that takes a file.
const ALL: [Run; 8] = [CHECK, GENERATE, VALIDATE, UPDATE, VALIDATE_BY, TEST, CEL_BY, CEL_OF];

/// Commands that keep different parts of their inputs: nothing, definitions, stored objects, suites.
const READERS: [Run; 4] = [CHECK, VALIDATE_BY, UPDATE, TEST];

/// `HOSTILE=name` runs only the file with that name.
#[test]
#[ignore = "builds the tool in release"]
fn hostile_inputs() {
    let tool = release_build();
    let folder = empty_directory("hostile-inputs");
    let crd = folder.join("crd.json");
    fs::write(&crd, CRD).unwrap();
    let wanted = std::env::var("HOSTILE").ok();
    let mut failures = Vec::new();
    for Input { name, text, runs } in inputs() {
        if wanted.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        let failed = in_parallel(&runs, |(run, format)| {
            let message = measure(&tool, run, format, &crd, &file).err()?;
            Some(format!("{name}: {run:?} {format}: {message}"))
        });
        failures.extend(failed.into_iter().flatten());
        fs::remove_file(&file).unwrap();
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs the command within the limits for the bytes that it reads.
fn measure(tool: &Path, run: Run, format: &str, crd: &Path, file: &Path) -> Result<Outcome, String> {
    let out = crd.with_file_name("out");
    let mut read = Vec::new();
    let mut size = |path: &Path| read.push(fs::metadata(path).unwrap().len());
    let mut arguments: Vec<&OsStr> = Vec::new();
    for argument in run {
        arguments.push(match *argument {
            "FILE" => {
                size(file);
                file.as_os_str()
            }
            "CRD" => {
                size(crd);
                crd.as_os_str()
            }
            "OUT" => out.as_os_str(),
            argument => argument.as_ref(),
        });
    }
    if format != HUMAN {
        arguments.extend(["--format".as_ref(), OsStr::new(format)]);
    }
    Bounds::promised_for(&read).run(tool, &arguments)
}

/// The default format.
const HUMAN: &str = "human";

/// All formats of commands that check.
const FORMATS: [&str; 4] = [HUMAN, "json", "github", "sarif"];

/// Returns a file that is hard to read or to keep, whatever the format.
fn input(name: &'static str, text: String, runs: &[Run]) -> Input {
    Input { name, text, runs: runs.iter().map(|&run| (run, HUMAN)).collect() }
}

/// Returns a file for which one command prints much, which is run with every format.
fn printed(name: &'static str, text: String, run: Run, formats: &[&'static str]) -> Input {
    Input { name, text, runs: formats.iter().map(|&format| (run, format)).collect() }
}

const CRD: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.hostile.example.org"},"spec":{"group":"hostile.example.org","names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},"scope":"Cluster","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"n":{"type":"integer","maximum":3}}}}}}}]}}"#;

const OBJECT: &str = r#"{"apiVersion":"hostile.example.org/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"n":9,"x":[{"a":"b"},{"c":"d"}]}}"#;

fn inputs() -> Vec<Input> {
    let object = "apiVersion: hostile.example.org/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n";
    let fill = |part: &str, bytes: usize| part.repeat(bytes.saturating_sub(200) / part.len());
    let json_list = |item: &str, bytes: usize| {
        format!(r#"{{"apiVersion":"v1","items":[{}{item}],"kind":"List"}}"#, fill(&format!("{item},"), bytes))
    };
    let ints = |bytes: usize| OBJECT.replace("\"n\":9", &format!("\"n\":[{}1]", fill("1,", bytes)));
    let crd = "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    vec![
        input("aliases-of-200-documents.yaml", vec![aliases(); 200].join("---\n"), &ALL),
        input("empty-documents.yaml", "---\n{}\n".repeat(300_000), &READERS),
        input("empty-items.yaml", format!("kind: List\nitems:\n{}", "- {}\n".repeat(300_000)), &ALL),
        input("empty-items.json", json_list("{}", REQUEST), &READERS),
        input("wide.yaml", format!("items:\n{}kind: List\n", fill(&block_item(), 40 << 20)), &[VALIDATE]),
        input("wide.json", json_list(OBJECT, 40 << 20), &[CHECK, VALIDATE]),
        printed("wrong-items.json", json_list(OBJECT, REQUEST), VALIDATE, &FORMATS),
        input("numbers.json", ints(REQUEST), &ALL),
        input("numbers-large.json", ints(20 << 20), &[VALIDATE, UPDATE, CEL_OF]),
        input("flow-maps.yaml", format!("{object}  x: [{}1]\n", fill("{a},", REQUEST)), &ALL),
        input("full-flow-maps.yaml", format!("[{}1]\n", fill(&letters(), REQUEST)), &READERS),
        input("no-definitions.yaml", fill("---\n{spec: 1}\n", REQUEST), &READERS),
        printed("no-definitions-large.yaml", fill("---\n{spec: 1}\n", 20 << 20), CHECK, &[HUMAN, "sarif"]),
        // Just above the size of a request, where the tighter limit of memory ends.
        input(
            "flow-maps-above.yaml",
            format!("{object}  x: [{}1]\n", fill("{a},", REQUEST + (1 << 17))),
            &[VALIDATE, CEL_OF],
        ),
        input("numbers-above.json", ints(REQUEST + (1 << 17)), &[VALIDATE, CEL_OF]),
        input("anchors.yaml", (0..200_000).map(|i| format!("- &a{i} 1\n")).collect(), &READERS),
        input("one-large-anchor.yaml", format!("a: &a\n{}", fill("- 1\n", 20 << 20)), &[CHECK]),
        input("one-line.yaml", format!("{{a: {}}}\n", "x".repeat(REQUEST - 10)), &READERS),
        input("faults.yaml", fill("---\n[\n", REQUEST), &READERS),
        input("comments.yaml", "#\n".repeat(20 << 20), &[CHECK]),
        input("empty-definitions.yaml", fill(crd, REQUEST), &[GENERATE, VALIDATE_BY, CEL_BY]),
        printed("empty-definitions.yaml", fill(crd, REQUEST), CHECK, &FORMATS),
        printed("empty-definitions-large.yaml", fill(crd, 20 << 20), CHECK, &[HUMAN, "json"]),
        printed("duplicates.yaml", format!("{object}{}", fill("  n: 1\n", REQUEST)), VALIDATE, &FORMATS),
        printed("booleans.yaml", format!("{object}  x:\n{}", fill("  - on\n", REQUEST)), CHECK, &FORMATS),
        printed(
            "tests.yaml",
            format!("crd: crd.json\ntests:\n{}", fill(&test(), REQUEST)),
            TEST,
            &[HUMAN, "json", "github", "junit"],
        ),
        input("empty-tests.yaml", format!("crd: crd.json\ntests:\n{}", fill("- {}\n", REQUEST)), &[TEST]),
    ]
}

/// Folders of small hostile files keep the limits for all their bytes together.
#[test]
#[ignore = "builds the tool in release"]
fn hostile_folders() {
    let tool = release_build();
    let folder = empty_directory("hostile-folders");
    let crd = folder.join("crd.json");
    fs::write(&crd, CRD).unwrap();
    let object = "apiVersion: hostile.example.org/v1\nkind: Thing\nmetadata: {name: a}\n";
    let mut failures = Vec::new();
    for (name, text, count) in [
        ("aliases", format!("{object}{}", aliases()), 3_000),
        ("anchors-of-suites", format!("crd: ../crd.json\ntests: []\n{}", aliases()), 3_000),
        ("merges", format!("{object}{}", merges()), 30),
        ("objects", format!("{object}spec: {{n: 9}}\n"), 20_000),
        ("nothing", "{}\n".to_owned(), 30_000),
    ] {
        let files = folder.join(name);
        fs::create_dir_all(&files).unwrap();
        (0..count).for_each(|i| fs::write(files.join(format!("{i}.test.yaml")), &text).unwrap());
        let bytes = (count * text.len()) as u64;
        let (crd, files, out) = (crd.as_os_str(), files.as_os_str(), folder.join("out"));
        let runs: [(Vec<&OsStr>, u64); 5] = [
            (vec!["check".as_ref(), files], bytes),
            (vec!["validate".as_ref(), "--crd".as_ref(), crd, files], bytes),
            (vec!["validate".as_ref(), "--crd".as_ref(), crd, "--old".as_ref(), files, files], 2 * bytes),
            (vec!["test".as_ref(), files], bytes),
            (vec!["generate".as_ref(), files, "--out".as_ref(), out.as_os_str()], bytes),
        ];
        failures.extend(runs.into_iter().filter_map(|(arguments, read)| {
            let outcome = Bounds::promised(read).run(&tool, &arguments);
            outcome.err().map(|message| format!("{arguments:?}: {message}"))
        }));
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A file that many tests send is read, judged and kept once.
#[test]
#[ignore = "builds the tool in release"]
fn tests_of_one_file() {
    let tool = release_build();
    let folder = empty_directory("hostile-suites");
    let files = [folder.join("crd.json"), folder.join("object.yaml"), folder.join("suite.test.yaml")];
    fs::write(&files[0], CRD).unwrap();
    let fields: String = (0..100_000).map(|i| format!("  x{i}: 1\n")).collect();
    let object =
        format!("apiVersion: hostile.example.org/v1\nkind: Thing\nmetadata: {{name: a}}\nspec:\n{fields}");
    fs::write(&files[1], object).unwrap();
    let test = "- {name: a, object: object.yaml, old: object.yaml, expect: {accepted: true}}\n";
    fs::write(&files[2], format!("crd: crd.json\ntests:\n{}", test.repeat(300))).unwrap();
    let bytes = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    Bounds::promised(bytes).run(&tool, &["test".as_ref(), files[2].as_os_str()]).unwrap();
    fs::remove_dir_all(&folder).unwrap();
}

/// Returns a document with a chain of maps, each of which merges the one before it.
fn merges() -> String {
    let keys: Vec<String> = (0..500).map(|i| format!("k{i}: 1")).collect();
    let chain: String = (1..480).map(|i| format!("m{i}: &m{i} {{<<: *m{}, x{i}: 1}}\n", i - 1)).collect();
    format!("m0: &m0 {{{}}}\n{chain}", keys.join(", "))
}

/// Returns a document whose aliases unfold to nearly the greatest number of values.
fn aliases() -> String {
    let mut text = format!("l0: &l0 [{}]\n", ["x"; 9].join(","));
    for level in 1..5 {
        text += &format!("l{level}: &l{level} [{}]\n", vec![format!("*l{}", level - 1); 9].join(","));
    }
    text
}

fn block_item() -> String {
    let lines = [
        "apiVersion: hostile.example.org/v1",
        "kind: Thing",
        "metadata: {name: a-thing}",
        "spec: {n: 1, color: red}",
    ];
    format!("- {}\n", lines.join("\n  "))
}

/// Returns a map of one-letter keys.
fn letters() -> String {
    let letters: Vec<String> = ('a'..='w').chain('A'..='Z').map(String::from).collect();
    format!("{{{}}},", letters.join(","))
}

fn test() -> String {
    format!("- {{name: a, object: {OBJECT}, expect: {{accepted: true}}}}\n")
}
