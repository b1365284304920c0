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
fn the_generator_is_called_by_its_name() {
    let folder = Folder::new("cli-codegen", &[("crd.yaml", tool::SHIRT)]);
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_crd-codegen"));
        let output = command.args(arguments).current_dir(&folder.0).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, help) = run(&["generate", "--help"]);
    assert!(status == Some(0) && help.contains("Usage: crd-codegen generate"), "{help}");
    let (status, code) = run(&["generate", "crd.yaml", "--out", "-"]);
    assert!(status == Some(0) && code.contains("pub struct Shirt"), "{code}");
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
    folder.run("check").expect(2, &["no input is named, and standard input is empty"]);
}

#[cfg(unix)]
#[test]
fn an_api_server_is_served_until_it_is_terminated() {
    use std::fs;
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpStream;
    use std::path::Path;
    use std::process::{Command, Stdio};

    let shirt = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a}\nspec: {color: red}\n";
    let folder = Folder::new("cli-serve", &[("a-shirt.yaml", shirt), ("shirts.yaml", tool::SHIRT)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_crdkit"))
        .args(["serve", ".", "--listen", "localhost:0", "--allow-host", "kube.test"])
        .current_dir(&folder.0)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let path = Path::new(line.trim_end());
    let kubeconfig = fs::read_to_string(path).unwrap();
    let address = kubeconfig.split_once("http://").unwrap().1.split('"').next().unwrap();
    for (host, expected) in
        [("kube.test", r#""color":"red""#), ("page.example", "`--allow-host page.example`")]
    {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!(
            "GET /apis/stable.example.com/v1/namespaces/default/shirts/a HTTP/1.1\r\n\
             host: {host}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains(expected), "{answer}");
    }

    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn an_api_server_with_tls_names_its_authority_and_collects_garbage() {
    use std::fs;
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    let folder = Folder::new("cli-serve-tls", &[]);
    let mut serve = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    serve.args(["serve", "--tls", "--collect-garbage"]).current_dir(&folder.0).stdout(Stdio::piped());
    let mut child = serve.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let kubeconfig = fs::read_to_string(line.trim_end()).unwrap();
    assert!(kubeconfig.contains("server: \"https://127.0.0.1:"), "{kubeconfig}");
    assert!(
        kubeconfig.contains("certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t"),
        "{kubeconfig}"
    );
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Starts `crdkit serve` with arguments, ends it when it listens, and returns what it said on standard error.
#[cfg(unix)]
fn said_at_the_start(folder: &Folder, arguments: &[&str]) -> String {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    let mut serve = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    serve.arg("serve").args(arguments).current_dir(&folder.0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = serve.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stderr).unwrap()
}

#[cfg(unix)]
#[test]
fn definitions_that_cannot_work_are_named_at_the_start() {
    let hat = tool::SHIRT.replace("shirts", "hats");
    let version = "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n";
    let webhook = "  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig: \
                   {service: {name: a, namespace: b}}\n";
    let coat = tool::SHIRT.replace("shirts", "coats").replace("Shirt", "Coat") + version + webhook;
    let folder = Folder::new(
        "cli-serve-warnings",
        &[("a.yaml", tool::SHIRT), ("hats.yaml", hat.as_str()), ("coats.yaml", coat.as_str())],
    );
    let said = said_at_the_start(&folder, &["a.yaml", "hats.yaml", "coats.yaml"]);
    for expected in [
        "hats.yaml",
        "`hats.stable.example.com` will never be established: \"ShirtList\" is already in use",
        "coats.yaml",
        "`coats.stable.example.com` uses a service for conversion",
        "requests in versions other than `v1` fail",
    ] {
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(said.matches("warning").count(), 2, "{said}");
    assert_eq!(said_at_the_start(&folder, &["a.yaml", "hats.yaml", "--quiet"]), "");
    // A CRD in the inputs is established at the start, so that objects in the inputs can be created.
    assert_eq!(said_at_the_start(&folder, &["a.yaml", "--establish-after", "1h"]), "");
    for duration in ["soon", "5", "-1s"] {
        let wrong = format!("serve a.yaml --establish-after={duration}");
        folder.run(&wrong).expect(2, &["--establish-after", "such as `500ms` or `5s`"]);
    }
}

#[test]
fn objects_that_cannot_be_served_are_reported() {
    let wrong = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a}\nspec: {color: 1}\n";
    let folder = Folder::new("cli-serve-wrong", &[("crd.yaml", tool::SHIRT), ("wrong.yaml", wrong)]);
    folder.run("serve crd.yaml wrong.yaml").expect(1, &["Shirt `a` is rejected", "spec.color", "wrong.yaml"]);
    folder.run("serve wrong.yaml").expect(2, &["no CustomResourceDefinition"]);
    for address in ["nowhere", ":80", "a:b:80", "localhost:65536"] {
        folder.run(&format!("serve crd.yaml --listen {address}")).expect(2, &["--listen", "`NAME:PORT`"]);
    }
}
