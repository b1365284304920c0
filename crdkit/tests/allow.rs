//! `#[crd(allow(...))]`: comments for `crdkit lint` in the YAML of a CRD, and no advice.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use crdkit::{CrdFiles, CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Tank", namespaced, status = "TankStatus")]
#[crd(allow(deprecated-names, reason = "clients of 2019 use them"))]
struct TankSpec {
    #[crd(allow(wide-integer, reason = "no tank has more than 2^63 litres"))]
    litres: u64,
    other: u64,
    #[crd(allow("list-without-type", reason = " Only our controller writes it: \"never\" by hand. "))]
    pipes: Vec<Pipe>,
    by_name: BTreeMap<String, Pipe>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(allow(phase, reason = "of a machine"), allow(convention, reason = "is as the vendor has it"))]
struct Pipe {
    phase: String,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct TankStatus {
    #[crd(allow(phase, reason = "old clients read it"))]
    phase: String,
}

/// Returns the comments of a text, each with the line below it.
fn comments(yaml: &str) -> Vec<(&str, &str)> {
    let lines: Vec<&str> = yaml.lines().map(str::trim).collect();
    let is_comment = |line: &&str| line.starts_with('#');
    let below = |at: usize| *lines[at..].iter().find(|line| !is_comment(line)).unwrap();
    let comments = lines.iter().enumerate().filter(|(_, line)| is_comment(line));
    comments.map(|(at, line)| (*line, below(at))).collect()
}

#[test]
fn accepted_findings_are_comments() {
    let phase = "# crdkit: allow(phase) of a machine";
    let convention = "# crdkit: allow(convention) is as the vendor has it";
    let list = "# crdkit: allow(list-without-type) Only our controller writes it: \"never\" by hand.";
    let expected = [
        ("# crdkit: allow(deprecated-names) clients of 2019 use them", "apiVersion: apiextensions.k8s.io/v1"),
        ("# crdkit: allow(wide-integer) no tank has more than 2^63 litres", "litres:"),
        (list, "pipes:"),
        (phase, "items:"),
        (convention, "items:"),
        (phase, "additionalProperties:"),
        (convention, "additionalProperties:"),
        ("# crdkit: allow(phase) old clients read it", "phase:"),
    ];
    let yaml = Tank::crd_yaml().unwrap();
    assert_eq!(comments(&yaml), expected);
    let mut files = CrdFiles::new("crds");
    assert_eq!(files.add::<Tank>().unwrap().contents()[0].1, yaml);
    let without: String =
        yaml.lines().filter(|line| !line.trim().starts_with('#')).map(|line| format!("{line}\n")).collect();
    assert_eq!(without, crdkit::to_yaml(&Tank::crd().unwrap()));
}

#[test]
fn accepted_findings_are_no_advice() {
    let advice = Tank::advice().unwrap();
    let places = |name: &str| {
        let of_name = advice.iter().filter(|advice| advice.name == name);
        of_name.map(|advice| advice.place.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(places("wide-integer"), ["TankSpec.other"]);
    assert_eq!(places("list-without-type"), Vec::<&str>::new());
}

#[crdkit::versions(v1alpha1, v1(storage))]
mod shirts {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", kind = "Shirt", namespaced, conversion = "None")]
    #[crd(allow(storage-version, reason = "known"))]
    pub(crate) struct ShirtSpec {
        #[version(since = "v1", default = Vec::new)]
        #[crd(allow(list-without-type, reason = "is atomic"))]
        #[serde(default)]
        pub(crate) sizes: Vec<String>,
        #[crd(allow(phase, reason = "is in both"))]
        phase: String,
    }
}

#[test]
fn a_comment_is_in_the_versions_of_its_field() {
    let mut files = CrdFiles::new("crds");
    files.add_crd(shirts::unchecked().unwrap()).unwrap();
    let expected = [
        ("# crdkit: allow(storage-version) known", "apiVersion: apiextensions.k8s.io/v1"),
        ("# crdkit: allow(phase) is in both", "phase:"),
        ("# crdkit: allow(list-without-type) is atomic", "sizes:"),
        ("# crdkit: allow(phase) is in both", "phase:"),
    ];
    assert_eq!(comments(&files.contents()[0].1), expected);
}
