//! Hostile files of every kind that a command reads are answered or refused within the bounds that are promised for
//! their size: many documents, wide lists, dense values, aliases, and more errors than anyone reads.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crd_tests::tool::{Bounds, release_build};
use crd_tests::workspace;

/// The size up to which the tighter bounds hold.
const REQUEST: usize = 3 << 20;

#[test]
#[ignore = "builds the tool in release"]
fn hostile_inputs() {
    let tool = release_build();
    let folder = workspace().join("target/hostile-inputs");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let crd = folder.join("crd.json");
    fs::write(&crd, CRD).unwrap();
    let mut failures = Vec::new();
    for (name, text) in inputs() {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        failures.extend(runs(&folder, &crd, &file, MANY_MESSAGES.contains(&name)).into_iter().filter_map(
            |(arguments, read)| {
                let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
                let outcome = Bounds::promised(read).run(&tool, &arguments);
                outcome.err().map(|message| format!("{arguments:?}: {message}"))
            },
        ));
        fs::remove_file(&file).unwrap();
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Every command that reads such a file, with the bytes that it reads; in every format where there is much to print.
fn runs(folder: &Path, crd: &Path, file: &Path, has_many_messages: bool) -> Vec<(Vec<PathBuf>, u64)> {
    let size = |path: &Path| fs::metadata(path).unwrap().len();
    let (one, both) = (size(file), size(crd) + size(file));
    let file = file.to_str().unwrap();
    let crd = crd.to_str().unwrap();
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let mut runs: Vec<(Vec<&str>, u64)> = Vec::new();
    // What is read and kept is the same in every format: the forms differ in what becomes of many messages.
    let formats: &[&str] = if has_many_messages { &["human", "json", "github", "sarif"] } else { &["human"] };
    for &format in formats {
        runs.push((vec!["check", "--format", format, file], one));
        runs.push((vec!["validate", "--crd", crd, "--format", format, file], both));
        let format = if format == "sarif" { "junit" } else { format };
        runs.push((vec!["test", "--format", format, file], one));
    }
    runs.push((vec!["generate", file, "--out", out], one));
    runs.push((vec!["validate", "--crd", crd, "--old", file, file], both + one));
    runs.push((vec!["validate", "--crd", file, crd], both));
    runs.push((vec!["cel", "--crd", file, "--at", "spec", "self.n > 1"], one));
    runs.push((vec!["cel", "--crd", crd, "--at", "spec", "--object", file, "self.n > 1"], both));
    runs.into_iter().map(|(run, read)| (run.into_iter().map(PathBuf::from).collect(), read)).collect()
}

/// The inputs of which much is printed.
const MANY_MESSAGES: [&str; 6] = [
    "wrong-items.json",
    "no-definitions-large.yaml",
    "empty-definitions-large.yaml",
    "duplicates.yaml",
    "booleans.yaml",
    "tests.yaml",
];

const CRD: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.hostile.example.org"},"spec":{"group":"hostile.example.org","names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},"scope":"Cluster","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"n":{"type":"integer","maximum":3}}}}}}}]}}"#;

const OBJECT: &str = r#"{"apiVersion":"hostile.example.org/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"n":9,"x":[{"a":"b"},{"c":"d"}]}}"#;

fn inputs() -> Vec<(&'static str, String)> {
    let object = "apiVersion: hostile.example.org/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n";
    let fill = |part: &str, bytes: usize| part.repeat(bytes.saturating_sub(200) / part.len());
    let json_list = |item: &str, bytes: usize| {
        format!(r#"{{"apiVersion":"v1","items":[{}{item}],"kind":"List"}}"#, fill(&format!("{item},"), bytes))
    };
    let ints = |bytes: usize| OBJECT.replace("\"n\":9", &format!("\"n\":[{}1]", fill("1,", bytes)));
    let crd = "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    vec![
        ("aliases-of-200-documents.yaml", vec![aliases(); 200].join("---\n")),
        ("empty-documents.yaml", "---\n{}\n".repeat(300_000)),
        ("empty-items.yaml", format!("kind: List\nitems:\n{}", "- {}\n".repeat(300_000))),
        ("empty-items.json", json_list("{}", REQUEST)),
        ("wide.yaml", format!("items:\n{}kind: List\n", fill(&block_item(), 40 << 20))),
        ("wide.json", json_list(OBJECT, 40 << 20)),
        ("wrong-items.json", json_list(OBJECT, REQUEST)),
        ("numbers.json", ints(REQUEST)),
        ("numbers-large.json", ints(20 << 20)),
        ("flow-maps.yaml", format!("{object}  x: [{}1]\n", fill("{a},", REQUEST))),
        ("full-flow-maps.yaml", format!("[{}1]\n", fill(&letters(), REQUEST))),
        ("no-definitions.yaml", fill("---\n{spec: 1}\n", REQUEST)),
        ("no-definitions-large.yaml", fill("---\n{spec: 1}\n", 20 << 20)),
        // Just above the size of a request, the tighter bound of memory ends.
        ("flow-maps-above.yaml", format!("{object}  x: [{}1]\n", fill("{a},", REQUEST + (1 << 17)))),
        ("numbers-above.json", ints(REQUEST + (1 << 17))),
        ("anchors.yaml", (0..200_000).map(|i| format!("- &a{i} 1\n")).collect()),
        ("one-large-anchor.yaml", format!("a: &a\n{}", fill("- 1\n", 20 << 20))),
        ("one-line.yaml", format!("{{a: {}}}\n", "x".repeat(REQUEST - 10))),
        ("faults.yaml", fill("---\n[\n", REQUEST)),
        ("comments.yaml", "#\n".repeat(20 << 20)),
        ("empty-definitions.yaml", fill(crd, REQUEST)),
        ("empty-definitions-large.yaml", fill(crd, 20 << 20)),
        ("duplicates.yaml", format!("{object}{}", fill("  n: 1\n", REQUEST))),
        ("booleans.yaml", format!("{object}  x:\n{}", fill("  - on\n", REQUEST))),
        ("tests.yaml", format!("crd: crd.json\ntests:\n{}", fill(&test(), REQUEST))),
        ("empty-tests.yaml", format!("crd: crd.json\ntests:\n{}", fill("- {}\n", REQUEST))),
    ]
}

/// Folders of small files, each of which is hostile, are within the bounds for all their bytes together.
#[test]
#[ignore = "builds the tool in release"]
fn hostile_folders() {
    let tool = release_build();
    let folder = workspace().join("target/hostile-folders");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let crd = folder.join("crd.json");
    fs::write(&crd, CRD).unwrap();
    let object = "apiVersion: hostile.example.org/v1\nkind: Thing\nmetadata: {name: a}\n";
    let mut failures = Vec::new();
    for (name, text, count) in [
        ("aliases", format!("{object}{}", aliases()), 3_000),
        ("anchors-of-suites", format!("crd: ../crd.json\ntests: []\n{}", aliases()), 3_000),
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

/// A document whose aliases unfold to nearly as many values as one may have.
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

/// A map of one-letter keys.
fn letters() -> String {
    let letters: Vec<String> = ('a'..='w').chain('A'..='Z').map(String::from).collect();
    format!("{{{}}},", letters.join(","))
}

fn test() -> String {
    format!("- {{name: a, object: {OBJECT}, expect: {{accepted: true}}}}\n")
}
