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
    run.expect(0, &["checked 1 definition: 1 accepted, 0 refused", left_out]);
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
    let files = [
        (".git/HEAD", ""),
        (".git/info/exclude", "/private.yaml\n"),
        (".gitignore", "target/\n/dist/*.yaml\n!/dist/kept.yaml\n"),
        ("crds/shirt.yaml", SHIRT),
        ("target/a.yaml", SHIRT),
        ("crds/target/a.yaml", SHIRT),
        ("dist/a.yaml", SHIRT),
        ("dist/kept.yaml", SHIRT),
        ("private.yaml", SHIRT),
        ("sub/.gitignore", "a.yaml\n!b.yaml\n"),
        ("sub/a.yaml", SHIRT),
        ("sub/b.yaml", SHIRT),
    ];
    let folder = Folder::new("search-gitignore", &files);
    let checked = |arguments: &str, count: &str| {
        folder.run(&format!("check {arguments}")).expect(0, &[&format!("checked {count}: ")]);
    };
    checked(".", "3 definitions");
    checked(". --no-ignore", "8 definitions");
    checked(". --exclude dist --exclude sub/b.yaml", "1 definition");
    checked(". --exclude shirt.yaml --exclude=*/kept.yaml", "1 definition");
    // A folder that is named is searched, though git ignores it.
    checked("target", "1 definition");
    folder.run("check . --exclude a{").expect(2, &["--exclude a{"]);

    // Without a repository, a `.gitignore` means nothing.
    std::fs::remove_dir_all(folder.0.join(".git")).unwrap();
    checked(".", "8 definitions");
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
    folder.run("check tree").expect(0, &["checked 1 definition:"]);
    folder.run("check --follow-links tree").expect(0, &["left out 1 link ", "checked 2 definitions:"]);

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
    folder.run("check --follow-links links").expect(0, &["checked 1 definition:"]);
}

/// Every command once read paths with code of its own, and only `check` skipped what is no definition.
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
            "checked 1 definition: 1 accepted",
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
        run.expect(0, &["no changes; 2 templates left out; 2 unreadable files left out"]);
        folder.run(command).expect(2, &["old/shirt.yaml"]);
    }
}
