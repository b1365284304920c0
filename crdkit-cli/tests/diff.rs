//! `crdkit diff`, as its users meet it.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

mod tool;

use std::process::Command;

use serde_json::json;
use tool::{Folder, SHIRT};

/// Returns the definition with other properties of the spec.
fn shirt(properties: &str) -> String {
    SHIRT.replace("color: {type: string}", properties)
}

fn folder(name: &str, old: &str, new: &str) -> Folder {
    Folder::new(name, &[("old.yaml", &shirt(old)), ("new.yaml", &shirt(new))])
}

fn git(folder: &Folder, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(identity).args(arguments).current_dir(&folder.0).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_line_of_json_for_each_finding() {
    let folder =
        folder("diff-json", "size: {type: integer, maximum: 9}", "size: {type: integer, maximum: 5}");
    let run = folder.run("diff --format json old.yaml new.yaml");
    assert_eq!(run.status, 1, "{}", run.stderr);
    let object = json!({
        "apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {"name": "example"}, "spec": {"size": 6},
    });
    let mut line = run.lines().remove(0);
    let fingerprint = line["fingerprint"].take();
    assert_eq!(fingerprint.as_str().unwrap().len(), 12);
    assert_eq!(
        line,
        json!({
            "id": "maximum-tightened", "crd": "shirts.stable.example.com", "version": "v1", "path": "spec.size",
            "file": "new.yaml", "line": 20, "column": 37,
            "classes": ["write"], "undecided": [], "undecidedBecause": null,
            "severity": "error", "judgement": "rejected", "waived": null, "message": "`maximum` is tightened from 9 to 5",
            "why": "values that were accepted are rejected; stored values stay until they are edited",
            "remedy": "keep the old limit, or only warn about such values in the next release",
            "old": 9, "new": 5, "fingerprint": null,
            "witnesses": [{"class": "write", "old": null, "new": object, "answer": "Shirt.stable.example.com \"example\" is invalid: \
                spec.size: Invalid value: 6: spec.size in body should be less than or equal to 5"}],
        })
    );
}

#[test]
fn people_see_the_place_the_reason_and_the_object() {
    let folder =
        folder("diff-human", "size: {type: integer, maximum: 9}", "size: {type: integer, maximum: 5}");
    let run = folder.run("diff old.yaml new.yaml");
    run.expect(
        1,
        &["error[maximum-tightened]", "--> new.yaml:20:37", "    answer (write): ", "      size: 6"],
    );
    assert!(run.stderr.starts_with("FAIL: 1 breaking in 1 of 1 CRD\n\n"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    folder.run("diff old.yaml old.yaml").expect(0, &["no changes"]);
}

#[test]
fn all_formats() {
    let folder = folder("diff-formats", "size: {type: integer}", "wide: {type: boolean}");
    let shown = |format: &str| folder.run(&format!("diff --format {format} old.yaml new.yaml")).stdout;
    let github = shown("github");
    assert!(
        github.starts_with("::error title=crdkit diff::FAIL: 1 breaking in 1 of 1 CRD; 1 note hidden"),
        "{github}"
    );
    assert!(github.contains("\n::error title=property-removed,file=old.yaml,line=20,col=15::"), "{github}");
    assert!(shown("sarif").contains("\"ruleId\": \"property-removed\""));
    let junit = shown("junit");
    assert!(
        junit.contains("tests=\"2\" failures=\"1\"") && junit.contains("property-removed shirts"),
        "{junit}"
    );
    let markdown = shown("markdown");
    assert!(
        markdown.starts_with("**FAIL: 1 breaking in 1 of 1 CRD") && markdown.contains("<details>"),
        "{markdown}"
    );
}

#[test]
fn texts_of_definitions_stay_text_in_markdown() {
    let folder =
        folder("diff-hostile", "a: {type: string}", "a: {type: string, enum: [\"```</details><script>|\"]}");
    let markdown = folder.run("diff --format markdown old.yaml new.yaml").stdout;
    let table: Vec<&str> = markdown.lines().filter(|line| line.starts_with("| ")).collect();
    assert!(table.iter().all(|line| !line.contains("<script>")), "{markdown}");
    assert!(markdown.contains("\n````text\n"), "{markdown}");
}

#[test]
fn profiles_decide_the_status() {
    let added =
        folder("diff-added", "a: {type: string}", "a: {type: string}\n              b: {type: string}");
    let removed = folder("diff-removed", "a: {type: string}", "b: {type: string}");
    let narrower = folder("diff-narrower", "a: {type: string}", "a: {type: string, maxLength: 3}");
    let wider = folder("diff-wider", "a: {type: string, maxLength: 3}", "a: {type: string}");
    let cases =
        [(&added, [0, 0, 0, 1]), (&removed, [1, 1, 1, 1]), (&narrower, [0, 1, 1, 0]), (&wider, [0, 0, 1, 0])];
    for (folder, expected) in cases {
        let profiles = ["stored", "clients", "strict", "rust"];
        let status = profiles
            .map(|profile| folder.run(&format!("diff -q --profile {profile} old.yaml new.yaml")).status);
        assert_eq!(status, expected, "{}", folder.0.display());
    }
}

#[test]
fn waivers_need_a_reason() {
    let folder = folder("diff-waivers", "a: {type: string}", "a: {type: string, maxLength: 3}");
    let fingerprint = folder.run("diff --format json old.yaml new.yaml").lines()[0]["fingerprint"].clone();
    let write = |text: &str| std::fs::write(folder.0.join("crdkit.toml"), text).unwrap();
    write(&format!("[[waive]]\nfingerprint = {fingerprint}\nreason = \"nobody writes more\"\n"));
    folder.run("diff old.yaml new.yaml").expect(0, &["PASS: nothing breaks in 1 CRD; 1 waived"]);
    folder.run("diff old.yaml old.yaml").expect(0, &["is no longer needed"]);
    folder.run("generate old.yaml --config crdkit.toml --out out").expect(0, &[]);
    write(&format!("[[waive]]\nfingerprint = {fingerprint}\n"));
    folder.run("diff old.yaml new.yaml").expect(2, &["crdkit.toml:1:1: the waiver of `"]);
    write(&format!("[[waive]]\nfingerprint = {fingerprint}\nreason = \" \"\n"));
    folder.run("diff old.yaml new.yaml").expect(2, &["has no reason"]);
}

#[test]
fn definitions_that_disappear_or_are_new() {
    let folder = Folder::new(
        "diff-sets",
        &[
            ("old/shirt.yaml", SHIRT),
            ("old/sock.yaml", &SHIRT.replace("shirts", "socks").replace("Shirt", "Sock")),
            (
                "new/all.yaml",
                &format!("{SHIRT}---\n{}", SHIRT.replace("shirts", "hats").replace("Shirt", "Hat")),
            ),
        ],
    );
    let run = folder.run("diff --format json old new");
    let found: Vec<(String, String)> =
        run.lines().iter().map(|line| (line["id"].to_string(), line["crd"].to_string())).collect();
    let expected = [("definition-added", "hats"), ("definition-removed", "socks")];
    let expected = expected.map(|(id, name)| (format!("\"{id}\""), format!("\"{name}.stable.example.com\"")));
    assert_eq!((run.status, found), (1, expected.to_vec()));
    folder.run("diff old/shirt.yaml no-such.yaml").expect(2, &["no-such.yaml"]);
    let twice = format!("{SHIRT}---\n{SHIRT}");
    let run = folder.run_with("diff - new/all.yaml", twice.as_bytes());
    run.expect(2, &["`shirts.stable.example.com` is defined twice"]);
}

#[test]
fn files_of_a_commit() {
    let folder = Folder::new(
        "diff-git",
        &[("crds/shirt.yaml", &shirt("size: {type: integer}")), ("notes.txt", "text")],
    );
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    std::fs::write(folder.0.join("crds/shirt.yaml"), shirt("wide: {type: boolean}")).unwrap();
    folder
        .run("diff git:main:crds crds")
        .expect(1, &["--> git:main:crds/shirt.yaml:20:15", "property-removed"]);
    folder.run("diff git:HEAD:crds/shirt.yaml crds/shirt.yaml").expect(1, &["property-removed"]);
    folder.run("diff git:HEAD: git:HEAD:crds/").expect(0, &["no changes"]);
    folder.run("diff git:v9:crds crds").expect(2, &["there is no commit `v9`"]);
    folder.run("diff git:main:no crds").expect(2, &["has no .yaml, .yml or .json file at `no`"]);
    folder.run("diff git::crds crds").expect(2, &["the commit is missing"]);
    // Names of commits do not become options, and patterns are not expanded.
    for hostile in
        ["git:--output=pwned:crds", "git:--help:crds", "git:main:--output=pwned", "git:main::(glob)**"]
    {
        folder.run(&format!("diff {hostile} crds")).expect(2, &[]);
    }
    assert!(!folder.0.join("pwned").exists());
}

#[test]
fn several_old_releases() {
    let folder = Folder::new(
        "diff-releases",
        &[
            ("1.yaml", &shirt("a: {type: string}")),
            ("2.yaml", &shirt("b: {type: string}")),
            ("3.yaml", &shirt("c: {type: string}")),
        ],
    );
    let run = folder.run("diff --format json 1.yaml 2.yaml 3.yaml");
    let removed: Vec<_> = run.lines().into_iter().filter(|line| line["id"] == "property-removed").collect();
    assert_eq!(
        removed.iter().map(|line| line["path"].as_str().unwrap()).collect::<Vec<_>>(),
        ["spec.a", "spec.b"]
    );
}

#[test]
fn real_objects() {
    let folder = folder("diff-objects", "a: {type: string}", "a: {type: string, maxLength: 3}");
    let object = |name: &str, value: &str| {
        json!({
            "apiVersion": "stable.example.com/v1", "kind": "Shirt",
            "metadata": {"name": name, "namespace": "shop", "uid": "1", "resourceVersion": "7", "generation": 2},
            "spec": {"a": value},
        })
    };
    let objects = json!({"apiVersion": "v1", "kind": "List", "items": [object("one", "ab"), object("two", "abcd"), object("three", "abcde")]});
    std::fs::write(folder.0.join("objects.json"), objects.to_string()).unwrap();
    let run = folder.run("diff --objects objects.json old.yaml new.yaml");
    run.expect(
        1,
        &["2 of your 3 objects would be rejected if they were created again: shop/two, shop/three"],
    );
}

#[test]
fn what_git_has_instead_of_a_file_is_never_left_out() {
    let folder = Folder::new("diff-git-lost", &[("crds/shirt.yaml", SHIRT), ("crds/b.json", "{}")]);
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    folder.run("diff git:main:crds crds").expect(0, &["no changes"]);
    let run = Command::new("git")
        .args(["rev-parse", "main:crds/shirt.yaml"])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let object = String::from_utf8(run.stdout).unwrap();
    let (head, rest) = object.trim().split_at(2);
    std::fs::remove_file(folder.0.join(format!(".git/objects/{head}/{rest}"))).unwrap();
    let run = folder.run("diff git:main:crds crds");
    assert_eq!(run.status, 2, "{}", run.stderr);

    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    let folder = Folder::new("diff-git-lfs", &[("crds/shirt.yaml", pointer)]);
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    std::fs::write(folder.0.join("crds/shirt.yaml"), SHIRT).unwrap();
    folder
        .run("diff git:main:crds crds")
        .expect(2, &["`crds/shirt.yaml` in the commit is a pointer to a file in Git LFS"]);
}

#[cfg(unix)]
#[test]
fn links_of_a_commit_are_read_at_their_targets_only() {
    let folder = Folder::new("diff-git-links", &[("crds/shirt.yaml", SHIRT)]);
    std::fs::create_dir(folder.0.join("chart")).unwrap();
    std::os::unix::fs::symlink("../crds/shirt.yaml", folder.0.join("chart/shirt.yaml")).unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    folder.run("diff git:main:. .").expect(0, &["PASS: no changes in 1 CRD"]);
    let run = folder.run("diff git:main:chart crds");
    run.expect(2, &["has no .yaml, .yml or .json file at `chart`"]);
    folder
        .run("diff git:main:chart/shirt.yaml crds")
        .expect(2, &["`chart/shirt.yaml` in the commit is a link"]);
}

#[test]
fn the_verdict_comes_first_and_the_same_change_once() {
    let limits = |most: &str| {
        shirt(&format!(
            "a: {{type: string{most}}}\n              b: {{type: object, properties: {{a: {{type: string{most}}}}}}}"
        ))
    };
    let new = limits(", maxLength: 3") + "              added: {type: string}\n";
    let folder = Folder::new("diff-verdict", &[("old.yaml", &limits("")), ("new.yaml", &new)]);
    let run = folder.run("diff old.yaml new.yaml");
    run.expect(1, &["also at 1 place: v1 spec.b.a"]);
    assert!(run.stderr.starts_with("FAIL: 2 breaking in 1 of 1 CRD; 1 note hidden\n"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("error[").count(), 1, "{}", run.stderr);
    assert!(!run.stderr.contains("rust"), "{}", run.stderr);
    let run = folder.run("diff --notes old.yaml new.yaml");
    run.expect(1, &["FAIL: 2 breaking in 1 of 1 CRD; 1 note\n", "note[property-added]"]);
    let run = folder.run("diff --notes --format github old.yaml new.yaml");
    assert!(run.stdout.contains("\n::notice title=property-added"), "{}", run.stdout);
    assert_eq!(folder.run("diff --format json old.yaml new.yaml").lines().len(), 3);
    folder
        .run("diff --warn-only old.yaml new.yaml")
        .expect(0, &["WARNING: 2 breaking", "warning[max-length-tightened]"]);
    folder.run("diff --profile rust old.yaml new.yaml").expect(1, &["(rollback, rust)"]);
}

#[test]
fn what_is_undecided_never_passes() {
    let rule = "a: {type: string}\n            x-kubernetes-validations: [{rule: '!has(self.a) || size(self.a) >= 0'}]";
    let folder = folder("diff-undecided", "a: {type: string}", rule);
    let run = folder.run("diff old.yaml new.yaml");
    run.expect(
        3,
        &[
            "UNDECIDED: 1 undecided in 1 of 1 CRD",
            "undecided (write): none found: the search found no object",
        ],
    );
    folder.run("diff --profile strict old.yaml new.yaml").expect(3, &[]);
    folder.run("diff --profile stored old.yaml new.yaml").expect(0, &["PASS"]);
    folder.run("diff --undecided warn old.yaml new.yaml").expect(0, &["warning[rule-added]"]);
    let line = folder.run("diff --format json old.yaml new.yaml").lines().remove(0);
    assert_eq!((&line["judgement"], &line["undecidedBecause"]), (&json!("undecided"), &json!("none-found")));
}

#[test]
fn waivers_name_ids_paths_and_crds_until_a_day() {
    let folder = folder("diff-waive", "a: {type: string}", "a: {type: string, maxLength: 3}");
    let with = |keys: &str| {
        let text = format!("[[waive]]\n{keys}\nreason = \"nobody writes more\"\n");
        std::fs::write(folder.0.join("crdkit.toml"), text).unwrap();
        folder.run("diff old.yaml new.yaml")
    };
    for keys in [
        "id = \"max-length-tightened\"",
        "path = \"spec.*\"\ncrd = \"*.example.com\"",
        "crd = \"shirts.stable.example.com\"\nuntil = 9999-12-31",
    ] {
        with(keys).expect(0, &["PASS: nothing breaks in 1 CRD; 1 waived"]);
    }
    assert_eq!(folder.run("diff --format json old.yaml new.yaml").lines()[0]["waived"], "nobody writes more");
    with("id = \"max-length-tightened\"\nuntil = 2020-02-29")
        .expect(1, &["of `max-length-tightened` expired on 2020-02-29"]);
    with("id = \"max-length-tightened\"\npath = \"spec.b\"").expect(1, &["is no longer needed"]);
    with("").expect(2, &["the waiver matches everything"]);
    with("id = \"a\"\nuntil = \"soon\"").expect(2, &["expected a date: `until = 2027-01-31`"]);
}

#[test]
fn webhooks_that_kustomize_adds_convert() {
    let versions = |first: &str| {
        let version = |name: &str, is_stored: bool, fields: &str| {
            format!(
                "  - name: {name}\n    served: true\n    storage: {is_stored}\n    schema:\n      openAPIV3Schema:\n        \
                 type: object\n        properties: {{spec: {{type: object, properties: {{{fields}}}}}}}\n"
            )
        };
        let (head, _) = SHIRT.split_once("  - name: v1").unwrap();
        let both = "a: {type: string}, b: {type: string}";
        format!("{head}{}{}", version("v1", true, both), version("v1beta1", false, first))
    };
    let (old, new) = (versions("a: {type: string}, b: {type: string}"), versions("a: {type: string}"));
    let patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shirts.stable.example.com}\n\
                 spec: {conversion: {strategy: Webhook}}\n";
    let inline = "patches:\n- target: {kind: CustomResourceDefinition, name: shirts.stable.example.com}\n  patch: |-\n    - op: add\n      \
                  path: /spec/conversion\n      value: {strategy: Webhook}\n";
    let lost = "field-lost-between-versions";
    for (name, kustomization) in [("file", "patches: [{path: webhook.yaml}]\n"), ("inline", inline)] {
        let files = [
            ("old/shirt.yaml", &*old),
            ("new/shirt.yaml", &new),
            ("new/webhook.yaml", patch),
            ("new/kustomization.yaml", kustomization),
        ];
        let folder = Folder::new(&format!("diff-webhook-{name}"), &files);
        let run = folder.run("diff --format json old new");
        assert!(!run.stdout.contains(lost), "{}{}", run.stdout, run.stderr);
        let run = folder.run("diff --format json old/shirt.yaml new/shirt.yaml");
        assert!(run.stdout.contains(lost), "{}", run.stdout);
        let run =
            folder.run("diff --format json --webhook-conversion shirts.* old/shirt.yaml new/shirt.yaml");
        assert!(!run.stdout.contains(lost), "{}", run.stdout);
        let declared = "[diff.crd.\"shirts.stable.example.com\"]\nconversion = \"webhook\"\n";
        std::fs::write(folder.0.join("crdkit.toml"), declared).unwrap();
        let run = folder.run("diff --format json old/shirt.yaml new/shirt.yaml");
        assert!(!run.stdout.contains(lost), "{}", run.stdout);
    }
}

#[test]
fn shallow_clones_and_charts_have_a_remedy() {
    let folder = Folder::new("diff-shallow", &[("one/crds/shirt.yaml", SHIRT)]);
    let one = Folder(folder.0.join("one"));
    git(&one, &["init", "-q", "-b", "main"]);
    git(&one, &["add", "."]);
    git(&one, &["commit", "-q", "-m", "first"]);
    git(&one, &["commit", "-q", "--allow-empty", "-m", "second"]);
    let url = format!("file://{}", one.0.display());
    git(&folder, &["clone", "-q", "--depth", "1", &url, "two"]);
    let two = Folder(folder.0.join("two"));
    two.run("diff git:main~1:crds crds").expect(2, &["there is no commit `main~1`", "fetch-depth: 0"]);

    let chart = [("Chart.yaml", "name: a\n"), ("templates/crd.yaml", "kind: {{ .Values.kind }}\n")];
    Folder::new("diff-chart", &chart).run("diff . .").expect(2, &["1 template left out", "helm template"]);
}

/// GitHub takes a line of a log that begins with `::`, after blanks, for a command.
#[test]
fn a_name_with_a_line_break_begins_no_line() {
    let field = |maximum: u64| format!("\"x\\n::error::forged\": {{type: integer, maximum: {maximum}}}");
    let folder = folder("diff-line-break", &field(9), &field(5));
    for format in ["human", "markdown", "github"] {
        let run = folder.run(&format!("diff --format {format} old.yaml new.yaml"));
        assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
        let is_ours = |line: &&str| !line.trim_start().starts_with("::error::forged");
        assert!(
            (run.stdout.clone() + &run.stderr).lines().all(|line| is_ours(&line)),
            "{}{}",
            run.stdout,
            run.stderr
        );
        assert!((run.stdout + &run.stderr).contains("::error::forged"));
    }
}
