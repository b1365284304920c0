//! `crdkit check .` in a repository in which most files are not definitions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod tool;

use tool::Folder;

const SHIRT: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, kind: Shirt}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}
";

#[test]
fn files_that_are_not_definitions_are_skipped() {
    let template = format!("{{{{- if .Values.crds }}}}\n{SHIRT}{{{{- end }}}}\n");
    let quoted = SHIRT.replace("Namespaced", "\"{{ .Values.scope }}\"");
    let files = [
        ("crds/shirt.yaml", SHIRT),
        ("tsconfig.json", "{\n  // options\n  \"strict\": true,\n}\n"),
        ("template.yaml", &*template),
        ("chart/Chart.yaml", "name: a\n"),
        ("chart/templates/crds/quoted.yaml", &*quoted),
        ("deploy/pod.yaml", "kind: Pod\n"),
    ];
    let folder = Folder::new("search-others", &files);
    let run = folder.run("check .");
    let left_out = "2 other objects left out; 2 templates left out; 1 unreadable file left out";
    run.expect(0, &["checked 1 CRD: 1 accepted, 0 rejected", left_out]);
    for format in ["json", "github", "sarif", "junit"] {
        assert_eq!(folder.run(&format!("check . --format {format} -q")).stderr, "", "{format}");
    }
    // A file that is named is an input, whatever is in it.
    for file in ["tsconfig.json", "template.yaml"] {
        assert_eq!(folder.run(&format!("check crds {file}")).status, 2, "{file}");
    }
    folder.run("check chart/templates/crds/quoted.yaml").expect(1, &["spec.scope"]);
}

#[test]
fn broken_definitions_are_errors_in_folders_too() {
    let files = [("crds/shirt.yaml", SHIRT), ("crds/broken.yaml", &*format!("{SHIRT}x: [\n"))];
    let folder = Folder::new("search-broken", &files);
    folder.run("check .").expect(2, &["./crds/broken.yaml:14:1"]);
}

#[test]
fn files_that_git_ignores_are_skipped() {
    // Identical copies would count once.
    let shirt =
        |number: usize| SHIRT.replace("{type: string}", &format!("{{type: string, maxLength: {number}}}"));
    let files = [
        (".git/HEAD", ""),
        (".git/info/exclude", "/private.yaml\n"),
        (".gitignore", "target/\n/dist/*.yaml\n!/dist/kept.yaml\n"),
        ("crds/shirt.yaml", &*shirt(1)),
        ("target/a.yaml", &*shirt(2)),
        ("crds/target/a.yaml", &*shirt(3)),
        ("dist/a.yaml", &*shirt(4)),
        ("dist/kept.yaml", &*shirt(5)),
        ("private.yaml", &*shirt(6)),
        ("sub/.gitignore", "a.yaml\n!b.yaml\n"),
        ("sub/a.yaml", &*shirt(7)),
        ("sub/b.yaml", &*shirt(8)),
    ];
    let folder = Folder::new("search-gitignore", &files);
    let checked = |arguments: &str, count: &str| {
        folder.run(&format!("check {arguments}")).expect(0, &[&format!("checked {count}: ")]);
    };
    checked(".", "3 CRDs");
    checked(". --no-ignore", "8 CRDs");
    checked(". --exclude dist --exclude sub/b.yaml", "1 CRD");
    checked(". --exclude shirt.yaml --exclude=*/kept.yaml", "1 CRD");
    // A folder that is named is searched, though git ignores it.
    checked("target", "1 CRD");
    folder.run("check . --exclude a{").expect(2, &["--exclude a{"]);

    // Without a repository, a `.gitignore` means nothing.
    std::fs::remove_dir_all(folder.0.join(".git")).unwrap();
    checked(".", "8 CRDs");
}

#[test]
fn warnings_of_one_shape_are_grouped() {
    let fields: String = (0..30).map(|n| format!(", field{n}: 1")).collect();
    let object = format!(
        "{{apiVersion: stable.example.com/v1, kind: Shirt, metadata: {{name: a}}, spec: {{color: x{fields}}}}}\n"
    );
    let folder = Folder::new("search-warnings", &[("crd.yaml", SHIRT), ("object.yaml", &*object)]);
    let run = folder.run("validate --crd crd.yaml object.yaml");
    run.expect(0, &["warning: 20 more like this in this file: unknown field", "; 30 warnings"]);
    assert_eq!(run.stderr.matches("\nwarning: spec.field").count() + 1, 10, "{}", run.stderr);
    let github = folder.run("validate --crd crd.yaml --format github object.yaml");
    assert_eq!(github.stdout.lines().count(), 30);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_directory_and_to_directories_are_left_out() {
    use std::os::unix::fs::symlink;

    let broken = format!("{SHIRT}secret: MARKER\n");
    let object = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a}\n";
    let files = [
        ("tree/crds/shirt.yaml", SHIRT),
        ("beside/broken.yaml", &*broken),
        ("beside/object.yaml", object),
        ("tree/object.yaml", object),
        ("trousers.yaml", &*SHIRT.replace("shirt", "trouser").replace("Shirt", "Trouser")),
    ];
    let folder = Folder::new("search-links", &files);
    let link = |target: &str, at: &str| symlink(target, folder.0.join(at)).unwrap();
    link("../beside", "tree/link");
    link("../trousers.yaml", "tree/trousers.yaml");
    // Links within the tree are followed, and a file is read once.
    link("crds/shirt.yaml", "tree/again.yaml");
    for command in
        ["check", "generate -o out", "docs --out out2", "sample", "validate --crd tree", "diff tree"]
    {
        let run = folder.run(&format!("{command} tree"));
        run.expect(0, &["left out 2 links", "`tree/link`, `tree/trousers.yaml`; `--follow-links`"]);
        assert!(!run.stderr.contains("MARKER"), "{}", run.stderr);
    }
    folder.run("check tree").expect(0, &["checked 1 CRD:"]);
    folder.run("check --follow-links tree").expect(0, &["left out 1 link ", "checked 2 CRDs:"]);

    // A file is never written through a link, not even within the tree.
    link("../object.yaml", "tree/crds/object.yaml");
    symlink(folder.0.join("beside/object.yaml"), folder.0.join("tree/b.yaml")).unwrap();
    folder.run("schema tree/crds --out schemas --modeline tree --follow-links").expect(0, &[]);
    assert_eq!(folder.read("beside/object.yaml"), object);
    assert!(folder.read("tree/object.yaml").starts_with("# yaml-language-server"));

    // A tree in which all files are links, as those of Bazel and Nix.
    std::fs::create_dir(folder.0.join("links")).unwrap();
    link("../trousers.yaml", "links/trousers.yaml");
    for command in
        ["check", "generate -o out", "docs --out out2", "sample", "validate --crd links", "diff links"]
    {
        let run = folder.run(&format!("{command} links"));
        run.expect(2, &["nothing was read: a link is left out", "`--follow-links`"]);
    }
    folder.run("check --follow-links links").expect(0, &["checked 1 CRD:"]);
}

/// Every command once read paths with code of its own, and only `check` skipped what is no CRD.
#[test]
fn one_bad_file_never_ends_the_others_in_any_command() {
    let template = format!("{{{{- if .Values.crds }}}}\n{SHIRT}{{{{- end }}}}\n");
    let object = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a}\n";
    let files = [
        ("a/crds/shirt.yaml", SHIRT),
        ("a/objects/object.yaml", object),
        ("a/tsconfig.json", "{\n  // options\n  \"strict\": true,\n}\n"),
        ("a/latin.yaml", "name: caf\u{0}\n"),
        ("a/chart/Chart.yaml", "name: a\n"),
        ("a/chart/templates/crd.yaml", &*template),
        ("a/chart/templates/quoted.yaml", &*SHIRT.replace("Namespaced", "\"{{ .Values.scope }}\"")),
        ("a/old/shirt.yaml", &*SHIRT.replace("scope", "broken: [\n  scope")),
    ];
    let folder = Folder::new("search-all-commands", &files);
    let commands = [
        "check a",
        "generate a -o out",
        "docs a --out docs",
        "schema a --out schemas",
        "openapi a",
        "explain --crd a shirts",
        "sample a",
        "list-crds a",
        "get --crd a a/objects",
        "validate --crd a a",
        "diff a a",
        "check --old a a/crds",
    ];
    for command in commands {
        let run = folder.run(&format!("{command} --exclude old"));
        run.expect(0, &["2 templates", "2 unreadable files", "warning: ", "a/tsconfig.json:2:3"]);
        let run = folder.run(&format!("{command} --exclude old --verbose"));
        run.expect(0, &["left out the template `a/chart/templates/quoted.yaml`"]);
        folder
            .run(&format!("{command} --exclude old --fail-on-skipped"))
            .expect(2, &["error: left out 2 templates"]);
        folder.run(&format!("{command} --exclude old --exclude crds")).expect(2, &[]);
        // A file with the kind of a CRD is never left out.
        folder.run(command).expect(2, &["a/old/shirt.yaml:"]);
    }
    assert!(folder.read("docs/stable.example.com/shirt.html").contains("color"));
}

/// An object that cannot be read is no reason to pass.
#[test]
fn an_unreadable_object_of_a_known_group_is_an_error() {
    let object = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a}\n";
    let broken = format!("{object}spec: [\n");
    let files = [("crd.yaml", SHIRT), ("objects/a.yaml", object), ("objects/b.yaml", &*broken)];
    let folder = Folder::new("search-objects", &files);
    for command in ["validate --crd crd.yaml objects", "get --crd crd.yaml objects", "serve crd.yaml objects"]
    {
        folder.run(command).expect(2, &["objects/b.yaml:"]);
    }
}

/// Patterns take some hundred times their size in memory: 2 MB of them took 943 MiB.
#[test]
fn large_files_of_patterns_are_named() {
    let patterns = |count: usize| (0..count).map(|n| format!("*a{n}*b\n")).collect::<String>();
    let files = [
        (".git/HEAD", ""),
        ("crds/shirt.yaml", SHIRT),
        ("many/.gitignore", &*patterns(30_000)),
        ("many/a.yaml", "{}\n"),
        ("deep/.gitignore", &*patterns(18_000)),
        ("deep/deep/.gitignore", &*patterns(18_000)),
        ("deep/deep/a.yaml", "{}\n"),
    ];
    let folder = Folder::new("search-large-gitignore", &files);
    let run = folder.run("check .");
    run.expect(
        2,
        &[
            "many/.gitignore",
            "more than 262144",
            "deep/deep/.gitignore",
            "`--no-ignore`",
            "checked 1 CRD: 1 accepted",
        ],
    );
    assert!(!run.stderr.contains("--> deep/.gitignore"), "{}", run.stderr);
    folder.run("check . --no-ignore").expect(0, &[]);
}

/// The files of a commit are left out as those of the working tree.
#[test]
fn a_commit_is_searched_as_a_directory() {
    let files = [
        ("crds/shirt.yaml", SHIRT),
        ("tsconfig.json", "{\n  // options\n  \"strict\": true,\n}\n"),
        ("old/shirt.yaml", "x: [\nkind: CustomResourceDefinition\n"),
        ("Chart.yaml", "name: a\n"),
        ("templates/crd.yaml", &*SHIRT.replace("Namespaced", "\"{{ .Values.scope }}\"")),
    ];
    let folder = Folder::new("search-commit", &files);
    let git = |arguments: &str| {
        let mut command = std::process::Command::new("git");
        command.current_dir(&folder.0).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        assert!(command.args(arguments.split(' ')).output().unwrap().status.success(), "{arguments}");
    };
    ["init -q .", "add .", "commit -q -m a"].iter().for_each(|arguments| git(arguments));
    for command in ["diff git:HEAD:. .", "diff git:HEAD .", "diff . git:HEAD"] {
        let run = folder.run(&format!("{command} --exclude old"));
        run.expect(0, &["PASS: no changes in 1 CRD; 2 templates left out; 2 unreadable files left out"]);
        folder.run(command).expect(2, &["old/shirt.yaml"]);
    }
}

const COMMANDS: [&str; 9] = [
    "check .",
    "generate . -o out",
    "docs . --out docs",
    "schema . --out schemas",
    "sample .",
    "list-crds .",
    "validate --crd . .",
    "diff . .",
    "check --old . .",
];

const OBJECT: &str = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a}\n";

/// A pod template or a golden file has a `spec` and no kind. Of the CRDs that were rejected in whole repositories, two thirds were none.
#[test]
fn a_document_without_a_kind_is_no_crd_in_a_directory() {
    let files = [("crd.yaml", SHIRT), ("golden/x.yaml", "spec:\n  replicas: 3\n"), ("object.yaml", OBJECT)];
    let folder = Folder::new("search-kinds", &files);
    folder.run("check .").expect(0, &["checked 1 CRD: 1 accepted, 0 rejected; 2 other objects left out"]);
    folder.run("check golden/x.yaml").expect(1, &["checked 1 CRD: 0 accepted"]);
    // Other kinds do not count in JSON either.
    let run = folder.run("check . --format json");
    run.expect(0, &[]);
    assert_eq!(run.lines().len(), 3);
    COMMANDS.iter().for_each(|command| folder.run(command).expect(0, &[]));
}

/// Patches of kustomize were checked as CRDs, or defined a CRD twice.
#[test]
fn patches_and_assertions_are_no_crds() {
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shirts.stable.example.com";
    let injection = format!("{head}, annotations: {{a: b}}}}\n");
    let webhook = format!("{head}}}\nspec: {{conversion: {{strategy: Webhook}}}}\n");
    let versions = format!("{head}}}\nspec: {{versions: [{{name: v1, served: false}}]}}\n");
    let assertion =
        format!("{head}}}\nspec: {{names: {{plural: shirts}}}}\nstatus: {{storedVersions: [v1]}}\n");
    let files = [
        ("config/crd/bases/shirt.yaml", SHIRT),
        (
            "config/crd/kustomization.yaml",
            "resources: [bases/shirt.yaml]\npatches:\n- path: patches/a.yaml\n- {patch: \"a: b\\n\"}\n#- path: patches/b.yaml\n",
        ),
        ("config/crd/patches/a.yaml", &*injection),
        ("config/crd/patches/b.yaml", &*webhook),
        (
            "overlay/kustomization.yml",
            "resources: [../config/crd]\npatchesStrategicMerge: [./sub/../c.yaml]\npatchesJson6902: [{path: d.json}]\n",
        ),
        ("overlay/c.yaml", &*versions),
        ("overlay/d.json", "[{\"op\": \"remove\", \"path\": \"/spec\"}]"),
        ("overlay/object/kustomization.yaml", "patches: [{path: object.yaml}]\n"),
        (
            "overlay/object/object.yaml",
            "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a}\nspec: {color: 1}\n",
        ),
        ("e2e/00-assert.yaml", &*assertion),
        ("e2e/01-step.yaml", "apiVersion: kuttl.dev/v1beta1\nkind: TestStep\nassert: [asserts/crd.yaml]\n"),
        ("e2e/asserts/crd.yaml", &*assertion),
        (
            "chainsaw/chainsaw-test.yaml",
            "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nspec: {steps: [{try: [{assert: {file: crd.yaml}}]}]}\n",
        ),
        ("chainsaw/crd.yaml", &*assertion),
        ("object.yaml", OBJECT),
    ];
    let folder = Folder::new("search-patches", &files);
    for command in COMMANDS {
        folder.run(command).expect(0, &["8 patches"]);
        folder.run(&format!("{command} -v")).expect(0, &["left out the patch `./overlay/c.yaml`"]);
        folder.run(&format!("{command} --fail-on-skipped")).expect(0, &[]);
    }
    // A patch that is named is an input, and so is one whose CRD is not in the run.
    folder.run("check config/crd/patches/a.yaml").expect(1, &["spec.versions"]);
    folder.run("check overlay/c.yaml").expect(1, &["spec.names"]);
    folder.run("check overlay").expect(1, &["spec.names"]);
}

/// A CRD whose `apiVersion` is missing or misspelt was left out as an object of another kind.
#[test]
fn a_misspelt_api_version_is_an_error() {
    for (name, wrong) in [("misspelt", "apiVersion: apiextension.k8s.io/v1"), ("missing", "a: b")] {
        let text = SHIRT.replace("apiVersion: apiextensions.k8s.io/v1", wrong).replace("shirt", "hat");
        let folder = Folder::new(&format!("search-{name}"), &[("shirt.yaml", SHIRT), ("hat.yaml", &*text)]);
        for command in [
            "check .",
            "generate . -o out",
            "docs . --out docs",
            "sample .",
            "validate --crd . .",
            "check . --kube-version 1.33..1.34",
        ] {
            let run = folder.run(command);
            assert!(
                [1, 2].contains(&run.status) && run.stderr.contains("hat.yaml"),
                "{command}: {}",
                run.stderr
            );
        }
    }
}

/// The API server takes a request without an `apiVersion` for one of its own version.
#[test]
fn a_request_without_an_api_version_is_accepted() {
    let text = SHIRT.replace("apiVersion: apiextensions.k8s.io/v1\n", "");
    let folder = Folder::new("search-request", &[("shirt.yaml", &*text)]);
    folder.run("check shirt.yaml").expect(0, &["1 accepted"]);
}

/// A file that git tracks is not ignored: `diff` saw it in the commit only, and reported that it was removed.
#[test]
fn tracked_files_are_not_ignored() {
    let files = [(".gitignore", "crds/\n"), ("crds/shirt.yaml", SHIRT)];
    let folder = Folder::new("search-tracked", &files);
    let git = |arguments: &str| {
        let mut command = std::process::Command::new("git");
        command.current_dir(&folder.0).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        assert!(command.args(arguments.split(' ')).output().unwrap().status.success(), "{arguments}");
    };
    let commands = ["init -q .", "add -f .gitignore crds/shirt.yaml", "commit -q -m a"];
    commands.iter().for_each(|arguments| git(arguments));
    folder.run("check .").expect(0, &["checked 1 CRD:"]);
    folder.run("diff git:HEAD:. .").expect(0, &["no changes"]);
}

/// `config/crd`, a chart and a bundle have copies of a CRD: `docs` ended, and `diff` took the second one for an error.
#[test]
fn copies_of_a_crd_count_once() {
    let changed = SHIRT.replace("type: string", "type: integer");
    let files = [
        ("config/crd/shirt.yaml", SHIRT),
        ("chart/crds/shirt.yaml", SHIRT),
        ("bundle/shirt.yaml", &*changed),
        ("object.yaml", OBJECT),
    ];
    let folder = Folder::new("search-copies", &files);
    for command in COMMANDS {
        folder.run(command).expect(0, &[]);
    }
    for command in ["generate . -o out", "docs . --out docs", "schema . --out schemas", "sample ."] {
        let run = folder.run(command);
        run.expect(
            0,
            &["warning: `shirts.stable.example.com` in this file is ignored", "chart/crds/shirt.yaml"],
        );
    }
    // Each copy is compared with the one of the same path.
    let new = Folder::new("search-copies-new", &files);
    std::fs::write(new.0.join("chart/crds/shirt.yaml"), &changed).unwrap();
    let old = folder.0.display();
    new.run(&format!("diff {old} .")).expect(1, &["FAIL: 1 breaking in 1 of 1 CRD"]);
    std::fs::remove_file(new.0.join("chart/crds/shirt.yaml")).unwrap();
    new.run(&format!("diff {old}/config config")).expect(0, &["no changes"]);
}

/// A misspelled kind is no other kind: its CRD would never be checked.
#[test]
fn a_misspelled_kind_is_a_warning() {
    let misspelled = SHIRT.replace("CustomResourceDefinition", "CustomResourceDefintion");
    let folder = Folder::new("search-misspelled", &[("a/good.yaml", SHIRT), ("b/bad.yaml", &*misspelled)]);
    let meant = "help: did you mean the kind `CustomResourceDefinition`?";
    folder
        .run("check .")
        .expect(0, &["1 other object", "an object of the kind `CustomResourceDefintion` is left out", meant]);
    folder.run("check b").expect(2, &["1 other object (`CustomResourceDefintion`)", meant]);
}

#[test]
fn what_a_command_needs_is_in_its_error() {
    let folder = Folder::new("search-needs", &[("crds/shirt.yaml", SHIRT), ("empty/none.txt", "")]);
    folder
        .run("check empty")
        .expect(2, &["no CustomResourceDefinition in the input: no objects", "`--no-ignore`"]);
    folder.run("run").expect(2, &["there is no file `crdkit.toml` in this directory", "`[job.NAME]`"]);
    for command in ["docs crds --out -", "schema crds --out -"] {
        folder.run(command).expect(2, &["`--out` needs a directory"]);
    }
    assert!(!folder.0.join("-").exists());
    folder.run("diff git:HEAD:crds crds").expect(2, &["this directory is not in a git repository"]);
    let run = folder.run("diff crds nothing");
    run.expect(2, &["nothing"]);
    assert!(!run.stderr.contains("definition-removed"), "{}", run.stderr);
}
