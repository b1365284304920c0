//! `crdkit openapi`, `explain` and `get`, as their users meet them.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

mod tool;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use tool::{Folder, SHIRT};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

const OBJECT: &str = "\
apiVersion: cache.example.org/v1
kind: Cache
metadata: {name: sessions, namespace: shop, creationTimestamp: \"2026-01-01T00:00:00Z\"}
spec:
  engine: valkey
  memory: 512Mi
status:
  readyReplicas: 1
";

const GADGETS: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: gadgets, kind: Gadget}
  versions:
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, description: The newest.}}}
  - {name: v2, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
";

/// Returns the files of the book's page.
fn folder(name: &str) -> Folder {
    let caches = read("examples/generated-types/crds/caches.yaml");
    Folder::new(
        &format!("publish-{name}"),
        &[("crds/caches.yaml", &caches), ("objects/sessions.yaml", OBJECT), ("gadgets.yaml", GADGETS)],
    )
}

#[test]
fn the_pages_of_the_book_show_what_the_commands_print() {
    let folder = folder("book");
    let page = ["publishing", "json-schemas", "reference-pages"]
        .map(|page| read(&format!("book/src/{page}.md")))
        .concat();
    assert!(page.contains(OBJECT));
    let mut shown = 0;
    for block in page.split("```console\n").skip(1) {
        let (command, expected) = block.split_once("\n```").unwrap().0.split_once('\n').unwrap();
        let command = command.strip_prefix("$ crdkit ").unwrap();
        // Commands with a pipe need other programs.
        if !command.contains('|') {
            let run = folder.run(command);
            let printed = run.stdout.clone() + &run.stderr;
            assert_eq!((run.status, printed.trim_end()), (0, expected.trim_end()), "{command}");
            shown += 1;
        }
    }
    assert_eq!(shown, 6);
}

#[test]
fn resources_are_found_among_many_definitions_and_in_the_standard_input() {
    let folder = folder("find");
    for resource in ["caches", "cache", "ca", "Cache", "caches.cache.example.org"] {
        let run = folder.run(&format!("explain --crd crds -f gadgets.yaml {resource}"));
        assert!(run.status == 0 && run.stdout.contains("KIND:       Cache\n"), "{resource}: {run:?}");
    }
    let run = folder.run_with("explain gadgets", GADGETS.as_bytes());
    assert!(run.stdout.contains("VERSION:    v1\n\nDESCRIPTION:\n    The newest.\n"), "{run:?}");
    let run = folder.run("explain --crd gadgets.yaml --api-version example.com/v1beta1 gadget");
    assert!(run.stdout.contains("VERSION:    v1beta1\n"), "{run:?}");
}

#[test]
fn errors_of_explain_are_those_of_kubectl() {
    let folder = folder("errors");
    let explain = |arguments: &str| folder.run(&format!("explain --crd crds --crd gadgets.yaml {arguments}"));
    let run = explain("caches.spec.port");
    assert_eq!(run.stdout, "GROUP:      cache.example.org\nKIND:       Cache\nVERSION:    v1\n\n");
    // kubectl does not suggest a name.
    run.expect_stderr(1, "error: field \"port\" does not exist\n |\n = help: did you mean `ports`?\n\n");
    explain("caches.spec.$x")
        .expect_stderr(1, "error: invalid jsonpath syntax, all nodes must be field nodes\n\n");
    let run = explain("cachs");
    run.expect_stderr(
        1,
        "error: the server doesn't have a resource type \"cachs\"\n |\n = help: did you mean `caches`?\n\n",
    );
    let run = explain("--api-version example.com/v2 gadgets");
    run.expect_stderr(1, "error: couldn't find resource for \"example.com/v2, Resource=gadgets\"\n\n");
    let run = explain("--api-version example.com/v1 caches");
    run.expect_stderr(1, "error: GVR (example.com/v1, Resource=caches) not found in OpenAPI schema\n\n");
    assert_eq!(explain("--api-version v1 caches").status, 2);
}

#[test]
fn schemas_of_all_served_versions_are_printed() {
    let folder = folder("openapi");
    let names = |arguments: &str| -> Vec<String> {
        let run = folder.run(&format!("openapi {arguments}"));
        let schemas: Value = serde_json::from_str(&run.stdout).unwrap();
        schemas.as_object().unwrap().keys().cloned().collect()
    };
    let all = [
        "com.example.v1beta1.Gadget",
        "com.example.v1beta1.GadgetList",
        "com.example.v1.Gadget",
        "com.example.v1.GadgetList",
    ];
    assert_eq!(names("gadgets.yaml"), all);
    assert_eq!(names("-f gadgets.yaml"), all);
    assert_eq!(names("--crd gadgets.yaml --api-version example.com/v1"), all[2..]);
    assert_eq!(names("--form v2 crds"), ["org.example.cache.v1.Cache", "org.example.cache.v1.CacheList"]);
    let run = folder.run("openapi --api-version example.com/v2 gadgets.yaml");
    run.expect_stderr(1, "error: no CRD serves example.com/v2\n\n");
    let run = folder.run("openapi objects");
    run.expect_stderr(2, "error: no CustomResourceDefinition in the input: 1 other object (`Cache`)\n\n");
}

#[test]
fn objects_of_several_kinds_are_several_tables() {
    let folder = folder("get");
    let gadget = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\n";
    let input = format!("{OBJECT}---\n{gadget}");
    let run =
        folder.run_with("get --crd crds --crd gadgets.yaml --now 2026-01-01T00:00:00Z -", input.as_bytes());
    let expected = "NAME                               ENGINE   READY   AGE\n\
                    cache.cache.example.org/sessions   valkey   1       0s\n\n\
                    NAME                   AGE\ngadget.example.com/g   \n";
    assert_eq!(run.stdout, expected, "{run:?}");
    let run = folder.run_with("get --crd crds --crd gadgets.yaml --format json", input.as_bytes());
    let lines = run.lines();
    assert_eq!((lines.len(), &lines[1]["rows"]), (2, &json!([["g", null]])));
    assert_eq!(lines[1]["columns"][0]["format"], json!("name"));
}

#[test]
fn objects_without_a_definition_are_errors() {
    let folder = folder("unknown");
    let run = folder.run("get --crd gadgets.yaml objects");
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.stderr.contains("no CRD of cache.example.org/v1 Cache\n--> objects/sessions.yaml"),
        "{run:?}"
    );
    let other = OBJECT.replace("org/v1", "org/v9");
    let run = folder.run_with("get --crd crds -", other.as_bytes());
    assert!(run.stderr.contains("the CRD of Cache has no version `v9`"), "{run:?}");
    assert_eq!(folder.run("get --crd crds --now yesterday objects").status, 2);
}

#[test]
fn schemas_are_written_in_the_layout_of_the_catalogue() {
    let folder = folder("schema");
    let run = folder.run("schema crds gadgets.yaml --out out --strict");
    run.expect_stderr(0, "wrote 5 files to out; 0 were up to date\n");
    let cache: Value = serde_json::from_str(&folder.read("out/cache.example.org/cache_v1.json")).unwrap();
    assert_eq!(cache["properties"]["kind"], json!({"const": "Cache"}));
    assert_eq!(cache["properties"]["spec"]["additionalProperties"], json!(false));
    let all: Value = serde_json::from_str(&folder.read("out/all.json")).unwrap();
    assert_eq!(all["oneOf"][1], json!({"$ref": "example.com/gadget_v1.json"}));
    let index: Value = serde_json::from_str(&folder.read("out/index.json")).unwrap();
    let gadget = json!({"group": "example.com", "kind": "Gadget", "version": "v1beta1", "schema": "example.com/gadget_v1beta1.json"});
    assert_eq!(index[1], gadget);
    folder
        .run("schema crds gadgets.yaml --out out --strict")
        .expect_stderr(0, "wrote 0 files to out; 5 were up to date\n");
    folder.run("schema crds gadgets.yaml --out out --strict --check").expect_stderr(0, "");
    let stale = folder.run("schema crds gadgets.yaml --out out --check");
    stale.expect(1, &["3 of 5 files are out of date", "help: run the command without `--check`"]);
    let old = folder.run("schema crds --out old --draft 4");
    assert_eq!(old.status, 0, "{}", old.stderr);
    assert!(folder.read("old/cache.example.org/cache_v1.json").contains("draft-04"));
}

#[test]
fn wrong_examples_in_descriptions_are_warnings() {
    let description = |object: &str| {
        format!(
            "Shown:\n\n```yaml\napiVersion: example.com/v1\nkind: Gadget\n{object}\n```\n\n```\nkind: Other\n```"
        )
    };
    let definition = |object: &str| {
        let spec = json!({
            "type": "object", "description": description(object), "properties": {"size": {"type": "integer"}},
        });
        GADGETS.replace("description: The newest.", &format!("properties: {{spec: {spec}}}"))
    };
    for (name, object, expected) in [
        ("right", "metadata: {name: a}\nspec: {size: 5}", None),
        ("type", "metadata: {name: a}\nspec: {size: big}", Some("spec.size: Invalid value: \"string\"")),
        ("unknown", "metadata: {name: a}\nspec: {sice: 5}", Some("unknown field \"spec.sice\"")),
        (
            "yaml",
            "spec: {size: 5",
            Some("the Gadget in the description of `spec` (gadgets.example.com, v1): "),
        ),
    ] {
        let folder = Folder::new(&format!("publish-example-{name}"), &[("crd.yaml", &definition(object))]);
        let ran = folder.run("docs crd.yaml --out site");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        match expected {
            Some(expected) => assert!(ran.stderr.contains(expected), "{}", ran.stderr),
            None => assert!(!ran.stderr.contains("warning"), "{}", ran.stderr),
        }
    }
}

/// `examples/generated-types/published` holds what these commands write.
#[test]
fn the_example_publishes_its_definition() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/generated-types");
    for command in [
        "schema crds --out published/schemas --strict --modeline published/cache.yaml --check",
        "docs crds --out published/reference --format markdown --min-kube-version --check",
        "validate --crd crds --field-validation strict published/cache.yaml",
    ] {
        tool::run(&example, &command.split(' ').collect::<Vec<_>>(), b"").expect(0, &[]);
    }
    let sample = tool::run(&example, &["sample", "--comments", "--schema-url", "schemas", "crds"], b"");
    assert_eq!(sample.stdout, fs::read_to_string(example.join("published/cache.yaml")).unwrap());
    let sample = tool::run(&example, &["sample", "--full", "--format", "rust", "crds"], b"");
    assert_eq!(sample.stdout, fs::read_to_string(example.join("published/cache.rs")).unwrap());
}

#[test]
fn files_of_objects_name_their_schema() {
    let folder = folder("schema-modeline");
    let gadget = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: a}\n";
    let cache = "apiVersion: example.com/v2\nkind: Unknown\n";
    let objects = folder.0.join("objects/deep");
    fs::create_dir_all(&objects).unwrap();
    for (name, text) in [
        ("one.yaml", gadget.to_owned()),
        ("again.yml", format!("# yaml-language-server: $schema=none\n{gadget}---\n{gadget}")),
        ("both.yaml", format!("{gadget}---\n{}", gadget.replace("/v1\n", "/v1beta1\n"))),
        ("other.yaml", cache.to_owned()),
        ("not.json", "{}".to_owned()),
    ] {
        fs::write(objects.join(name), text).unwrap();
    }
    let command = "schema gadgets.yaml --out out --modeline objects";
    folder.run(&format!("{command} --check")).expect(1, &["are out of date"]);
    folder.run(command).expect(0, &["wrote 7 files to out; 0 were up to date"]);
    let first =
        |name: &str| fs::read_to_string(objects.join(name)).unwrap().lines().next().unwrap().to_owned();
    let line = |schema: &str| format!("# yaml-language-server: $schema=../../out/{schema}");
    assert_eq!(first("one.yaml"), line("example.com/gadget_v1.json"));
    assert_eq!(first("again.yml"), line("example.com/gadget_v1.json"));
    assert_eq!(first("both.yaml"), line("all.json"));
    assert_eq!(fs::read_to_string(objects.join("one.yaml")).unwrap(), first("one.yaml") + "\n" + gadget);
    assert_eq!(
        (first("other.yaml"), first("not.json")),
        ("apiVersion: example.com/v2".to_owned(), "{}".to_owned())
    );
    folder.run(command).expect(0, &["wrote 0 files to out; 7 were up to date"]);
    folder.run(&format!("{command} --check")).expect(0, &[]);
}

#[test]
fn schemas_stay_in_their_folder() {
    let folder = folder("schema-hostile");
    let hostile = GADGETS.replace("group: example.com", "group: ../../outside");
    let run = folder.run_with("schema --out out -", hostile.as_bytes());
    run.expect(1, &["the names of \"gadgets.example.com\" cannot be used as a path"]);
    assert!(!folder.0.join("out").exists());
    let twice = format!("{GADGETS}---\n{GADGETS}");
    let run = folder.run_with("schema --out out -", twice.as_bytes());
    run.expect(1, &["there are two CRDs of Gadget in example.com/v1beta1"]);
    #[cfg(unix)]
    {
        fs::create_dir_all(folder.0.join("linked")).unwrap();
        std::os::unix::fs::symlink(folder.0.join("crds"), folder.0.join("linked/example.com")).unwrap();
        let run = folder.run("schema gadgets.yaml --out linked");
        run.expect(2, &["linked/example.com: this is a link, and links are not followed here; remove it"]);
    }
}

/// Returns the number of files below a directory. Links, pipes and directories do not count.
#[cfg(unix)]
fn files(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries
        .map(|entry| match entry.file_type().unwrap() {
            kind if kind.is_dir() => files(&entry.path()),
            kind => usize::from(kind.is_file()),
        })
        .sum()
}

#[cfg(unix)]
#[test]
fn outputs_that_are_not_files_are_errors_and_what_killed_runs_left_is_removed() {
    let outputs = [
        ("docs", "style.css"),
        ("docs", "cache.example.org/cache.html"),
        ("schema", "all.json"),
        ("schema", "cache.example.org/cache_v1.json"),
    ];
    for (command, file) in outputs {
        for kind in ["pipe", "device", "link", "directory"] {
            let folder = folder("outputs");
            let place = folder.0.join("out").join(file);
            let parent = place.parent().unwrap();
            fs::create_dir_all(parent).unwrap();
            match kind {
                "pipe" => {
                    let made = std::process::Command::new("mkfifo").arg(&place).status().unwrap();
                    assert!(made.success());
                }
                "device" => std::os::unix::fs::symlink("/dev/zero", &place).unwrap(),
                "link" => std::os::unix::fs::symlink(folder.0.join("gadgets.yaml"), &place).unwrap(),
                _ => fs::create_dir(&place).unwrap(),
            }
            let command = format!("{command} crds --out out");
            for check in ["", " --check"] {
                folder.run(&format!("{command}{check}")).expect(2, &[file, "; remove it"]);
            }
            assert_eq!(folder.read("gadgets.yaml"), GADGETS);
            assert_eq!(files(&folder.0.join("out")), 0, "{command}: no other file is written");
            if kind == "directory" {
                fs::remove_dir(&place).unwrap();
            } else {
                fs::remove_file(&place).unwrap();
            }
            let left = parent.join(".left.0.crd-codegen-new");
            fs::write(&left, "half").unwrap();
            folder.run(&command).expect(0, &[]);
            assert!(!left.exists() && place.is_file());
        }
    }
}

#[test]
fn the_first_line_of_files_beside_the_schemas_is_written_too() {
    let folder = folder("schema-beside");
    fs::write(folder.0.join("gadget.yaml"), "apiVersion: example.com/v1\nkind: Gadget\n").unwrap();
    let run = folder.run("schema gadgets.yaml --out . --modeline gadget.yaml");
    run.expect(0, &["wrote 5 files to .; 0 were up to date"]);
    assert!(
        folder
            .read("gadget.yaml")
            .starts_with("# yaml-language-server: $schema=./example.com/gadget_v1.json\n")
    );
}

#[test]
fn docs_writes_pages_that_a_check_accepts() {
    let folder = folder("docs");
    for (format, page) in
        [("html", "site/cache.example.org/cache.html"), ("markdown", "site/cache.example.org/cache.md")]
    {
        let command = format!("docs crds --out site --format {format}");
        let check = format!("{command} --check");
        folder.run(&check).expect(1, &["are out of date, such as site"]);
        assert!(!folder.0.join(page).exists());
        folder.run(&command).expect(0, &[]);
        // The page has an object that was judged.
        assert!(folder.read(page).contains("kind: Cache"));
        folder.run(&check).expect(0, &[]);
        fs::write(folder.0.join(page), "x").unwrap();
        folder.run(&check).expect(1, &["are out of date, such as site"]);
    }
}

#[test]
fn groups_with_the_name_of_a_file_of_the_site_have_a_directory() {
    for group in ["index.html", "style.css", "script.js", "index.md", "all.json", "index.json"] {
        let crd = GADGETS.replace("example.com", group);
        let folder = Folder::new(&format!("group-{group}"), &[("crd.yaml", crd.as_str())]);
        for (command, page, index) in [
            ("docs --no-samples crd.yaml --out a", "gadget.html", "a/index.html"),
            ("docs --no-samples crd.yaml --out b --format markdown", "gadget.md", "b/index.md"),
            ("schema crd.yaml --out c", "gadget_v1.json", "c/index.json"),
        ] {
            folder.run(command).expect(0, &[]);
            assert!(folder.read(index).contains(&format!("{group}_/{page}")), "{command} {group}");
            assert!(folder.0.join(&index[..1]).join(format!("{group}_")).join(page).is_file());
        }
    }
}

/// Two CRDs of one kind, or one whose names are no path, once ended the whole run.
#[test]
fn one_bad_definition_does_not_end_the_others() {
    let other = SHIRT.replace("shirts", "shirtz");
    let folder = Folder::new(
        "publish-two",
        &[("a.yaml", SHIRT), ("b.yaml", &other), ("c.yaml", &SHIRT.replace("hirt", "ock"))],
    );
    folder
        .run("docs . --out site")
        .expect(1, &["shirtz.stable.example.com has no page", "--exclude", "wrote"]);
    assert!(folder.0.join("site/stable.example.com/sock.html").is_file());
    assert!(folder.0.join("site/stable.example.com/shirt.html").is_file());
    folder.run("schema . --out schemas").expect(1, &["two CRDs of Shirt in stable.example.com/v1", "wrote"]);
    assert!(folder.0.join("schemas/stable.example.com/sock_v1.json").is_file());
}
