//! The command line as a whole: help, completions, features, hostile texts.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod tool;

use tool::Folder;

#[test]
fn hostile_texts_do_not_reach_the_terminal() {
    let folder = Folder::new(
        "hostile",
        &[
            ("a.yaml", "\"\u{202E}\u{9b}31m\": 1\n\"\u{202E}\u{9b}31m\": @\n"),
            ("b.yaml", "k: \"\u{202E}\": \t@\n"),
        ],
    );
    let run = folder.run("generate a.yaml b.yaml --out out");
    run.expect(2, &["\\u{9b}", "\\u{202e}"]);
    assert!(run.stderr.chars().all(|char| char == '\n' || !char.is_control()), "{:?}", run.stderr);
    assert!(!run.stderr.contains('\u{202E}'));
}

#[test]
fn help_and_completions() {
    let folder = Folder::new("cli-help", &[]);
    assert!(folder.run("--version").stdout.starts_with("crdkit "));
    assert!(folder.run("generate --help").stdout.contains("--check"));
    assert!(folder.run("check --help").stdout.contains("list-without-type"));
    assert!(folder.run("cel --help").stdout.contains("--kube-version"));
    assert!(folder.run("completions bash").stdout.contains("complete -F"));
}

#[test]
fn manual_pages() {
    let folder = Folder::new("cli-man", &[]);
    let page = folder.run("man check").stdout;
    assert!(page.contains(".TH CRDKIT-CHECK 1") && page.contains("\\fBcrdkit check\\fR"), "{page}");
    assert!(folder.run("man").stdout.contains("crdkit\\-validate(1)"));
    folder.run("man chek").expect(2, &["`chek` is not a command", "`crdkit help` lists the commands"]);
}

/// With the feature, the end-to-end tests ask a cluster.
#[cfg(not(feature = "cluster"))]
#[test]
fn a_cluster_needs_the_feature() {
    let folder = Folder::new("cli-cluster", &[]);
    for command in ["generate --cluster --out out", "check --cluster=somewhere --cluster-select a"] {
        folder.run(command).expect(2, &["built without the feature `cluster`", "--features cluster"]);
    }
    folder.run("check --cluster-select a").expect(2, &["--cluster"]);
    folder.run("check").expect(2, &["no input is named, and the standard input is empty"]);
}
