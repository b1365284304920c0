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
