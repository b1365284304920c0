//! All commands in repositories as people lay them out: none fails where the CRDs are right.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

mod tool;

use std::process::Command;

use tool::{Folder, SHIRT};

/// An object of the CRD.
const OBJECT: &str = "apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a, namespace: shop}\nspec: {color: red}\n";

/// A patch of the CRD, as kubebuilder writes it.
const PATCH: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  \
    annotations: {cert-manager.io/inject-ca-from: a/b}\n  name: shirts.stable.example.com\n";

/// Returns another CRD.
fn socks() -> String {
    SHIRT.replace("shirts", "socks").replace("Shirt", "Sock")
}

fn git(folder: &Folder, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(identity).args(arguments).current_dir(&folder.0).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Runs every command over a repository. Expects success, and that the commands see so many CRDs.
#[track_caller]
fn all_commands_succeed(name: &str, files: &[(&str, &str)], crds: usize) {
    let mut files = files.to_vec();
    files.push(("samples/a.yaml", OBJECT));
    let folder = Folder::new(&format!("layout-{name}"), &files);
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    let noun = if crds == 1 { "CRD" } else { "CRDs" };
    for (arguments, seen) in [
        ("check .", String::new()),
        ("check --format json .", String::new()),
        ("validate --crd . .", "validated 1 object: 1 accepted".to_owned()),
        ("diff git:HEAD:. .", format!("PASS: no changes in {crds} {noun}")),
        ("diff --profile strict git:HEAD: .", format!("PASS: no changes in {crds} {noun}")),
        ("sample .", String::new()),
        ("docs . --out /dev/shm/none --check", "none".to_owned()),
        ("generate . --out src/api", String::new()),
        ("docs . --out site", String::new()),
        ("schema . --out schemas", String::new()),
        ("list-crds .", String::new()),
    ] {
        let run = folder.run(arguments);
        let expected = i32::from(arguments.ends_with("--check"));
        assert_eq!(run.status, expected, "{name}: {arguments}\n{}{}", run.stderr, run.stdout);
        assert!(run.stderr.contains(&seen), "{name}: {arguments}\n{}", run.stderr);
    }
}

#[test]
fn kubebuilder() {
    let kustomization =
        "resources: [bases/shirts.yaml]\npatches:\n- path: patches/cainjection_in_shirts.yaml\n";
    let files = [
        ("PROJECT", "domain: example.com\n"),
        ("config/crd/bases/shirts.yaml", SHIRT),
        ("config/crd/kustomization.yaml", kustomization),
        ("config/crd/patches/cainjection_in_shirts.yaml", PATCH),
        ("config/default/kustomization.yaml", "resources: [../crd]\n"),
        ("config/samples/kustomization.yaml", "resources: [shirt.yaml]\n"),
    ];
    all_commands_succeed("kubebuilder", &files, 1);
}

#[test]
fn helm_chart_with_a_copy() {
    let template = "{{- if .Values.crds }}\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
        metadata:\n  name: {{ .Release.Name }}\n{{- end }}\n";
    let files = [
        ("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("charts/shop/values.yaml", "crds: true\n"),
        ("charts/shop/crds/shirts.yaml", SHIRT),
        ("charts/shop/templates/crd.yaml", template),
        ("config/crd/shirts.yaml", SHIRT),
    ];
    all_commands_succeed("helm", &files, 1);
}

#[test]
fn kustomize_overlays() {
    let webhook = "- op: add\n  path: /spec/conversion\n  value: {strategy: None}\n";
    let overlay = "resources: [../../base]\npatches:\n- path: conversion.yaml\n  target: {kind: CustomResourceDefinition}\n\
        - patch: |-\n    apiVersion: apiextensions.k8s.io/v1\n    kind: CustomResourceDefinition\n    \
        metadata: {name: shirts.stable.example.com, labels: {a: b}}\n";
    let files = [
        ("deploy/base/kustomization.yaml", "resources: [shirts.yaml, socks.yaml]\n"),
        ("deploy/base/shirts.yaml", SHIRT),
        ("deploy/base/socks.yaml", &socks()),
        ("deploy/overlays/production/kustomization.yaml", overlay),
        ("deploy/overlays/production/conversion.yaml", webhook),
    ];
    all_commands_succeed("kustomize", &files, 2);
}

#[test]
fn olm_bundle() {
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: shop.v1.0.0}\n\
        spec:\n  customresourcedefinitions:\n    owned:\n    - {name: shirts.stable.example.com, kind: Shirt, version: v1}\n";
    let files = [
        ("bundle/manifests/stable.example.com_shirts.yaml", SHIRT),
        ("bundle/manifests/shop.clusterserviceversion.yaml", csv),
        (
            "bundle/metadata/annotations.yaml",
            "annotations: {operators.operatorframework.io.bundle.package.v1: shop}\n",
        ),
        ("config/crd/bases/stable.example.com_shirts.yaml", SHIRT),
    ];
    all_commands_succeed("olm", &files, 1);
}

#[test]
fn monorepo_with_templates() {
    let broken = "spec:\n  replicas: {{ replicas }}\n  list: [\n";
    let files = [
        ("services/shop/crds/shirts.yaml", SHIRT),
        ("services/cellar/crds/socks.yaml", &socks()),
        ("services/shop/template.yaml", broken),
        ("tools/fixture.yaml", "a: [\n"),
        ("docs/pod.yaml", "spec: {containers: []}\n"),
        (".github/workflows/ci.yaml", "on: push\njobs: {a: {steps: []}}\n"),
        ("package.json", "{\"name\": \"shop\"}\n"),
    ];
    all_commands_succeed("monorepo", &files, 2);
}

#[test]
fn kuttl_and_chainsaw_assertions() {
    let step = "apiVersion: kuttl.dev/v1beta1\nkind: TestStep\nassert: [established.yaml]\n";
    let established = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
        metadata: {name: shirts.stable.example.com}\nstatus: {acceptedNames: {kind: Shirt}}\n";
    let files = [
        ("crds/shirts.yaml", SHIRT),
        ("tests/e2e/one/00-assert.yaml", established),
        ("tests/e2e/one/00-step.yaml", step),
        ("tests/e2e/one/established.yaml", established),
    ];
    all_commands_succeed("kuttl", &files, 1);
}
