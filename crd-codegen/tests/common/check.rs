//! Comparison of generated code with the files of `golden/`.

use std::fs;

use crd_codegen::{Config, Generated, Layout, ProblemSeverity, Rejected, generate};

use super::common::{fixture, here};

/// Returns the severities, places and messages of all findings.
pub(crate) fn said(generated: &Generated) -> Vec<String> {
    let findings = generated.findings.iter();
    findings.map(|finding| format!("{:?} {}", finding.severity, finding.diagnostic)).collect()
}

/// Goldens that `crd-tests` compiles, with kube and k8s-openapi. They contain their support modules.
const COMPILED_ELSEWHERE: [&str; 5] = ["clients", "derives", "kubernetes", "kubernetes_exact", "validate"];

/// Compares a single file with `golden/NAME.rs`.
pub(crate) fn check(fixture_name: &str, golden: &str, config: &mut Config) -> Generated {
    // Fixtures go beyond what the API server takes.
    config.layout(Layout::SingleFile).rejected(Rejected::Ignore);
    let generated = generate(&fixture(fixture_name), config);
    assert!(
        generated.findings.iter().all(|finding| finding.severity == ProblemSeverity::Warning),
        "{:?}",
        said(&generated)
    );
    let [file] = &*generated.files else { panic!("one file expected") };
    assert_eq!(file.path, "mod.rs");
    let contents = match COMPILED_ELSEWHERE.contains(&golden) {
        true => file.contents.clone(),
        false => without_support(&file.contents),
    };
    let path = here("golden").join(format!("{golden}.rs"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &contents).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    for (line, (is, should)) in contents.lines().zip(expected.lines()).enumerate() {
        assert_eq!(is, should, "line {} of {golden}.rs; UPDATE_GOLDEN=1 rewrites it", line + 1);
    }
    assert_eq!(contents, expected, "{golden}.rs; UPDATE_GOLDEN=1 rewrites it");
    generated
}

/// Replaces the support module, which is the last one of a file, after a comparison of its items with those of
/// `golden/support.rs`, which a unit test writes.
fn without_support(contents: &str) -> String {
    let Some((before, module)) = contents.split_once("\npub mod support {\n") else {
        return contents.to_owned();
    };
    let module = module.strip_suffix("}\n").unwrap();
    let lines = module.lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
    let module = lines.collect::<Vec<_>>().join("\n");
    let support = fs::read_to_string(here("golden/support.rs")).unwrap();
    let known: Vec<&str> = support.trim_end().split("\n\n").collect();
    for item in module.split("\n\n") {
        assert!(known.contains(&item), "not in golden/support.rs: {item}");
    }
    format!("{before}\npub use crate::support;\n")
}
