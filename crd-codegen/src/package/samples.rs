//! Generates a package's tests, which deserialize and serialize objects that the API server accepts. The objects must keep every field.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crd_core::{CauseReason, CustomResourceDefinition, Diagnostic, FieldPath};
use crd_input::{Problem, ProblemSeverity, in_turn};
use crd_sample::{Sampler, SharedSteps};
use serde_json::Value;

use super::contents::{Contents, HEADER, UNFORMATTED};
use crate::config::{BytesType, DateTimeType, K8sOpenapi, Settings};
use crate::generate::PackageKind;
use crate::{Definition, GeneratedFile};

/// The directory of the tests in a package.
const FOLDER: &str = "tests/samples";

/// Returns the tests' files, and a warning for each served version without a sample.
pub(super) fn files(
    contents: &Contents<'_>,
    definitions: &[Definition],
) -> (Vec<GeneratedFile>, Vec<Problem>) {
    let (mut all, steps) = (Vec::with_capacity(contents.kinds.len()), SharedSteps::new());
    in_turn(
        contents.kinds,
        |kind, turn| {
            let samples = definitions
                .get(kind.definition)
                .map_or(Vec::new(), |definition| samples(definition, &kind.version, &steps, &|| turn.wait()));
            turn.give(samples, 0);
        },
        &mut |samples| all.push(samples),
    );
    let mut findings = Vec::new();
    let mut groups: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for (kind, samples) in contents.kinds.iter().zip(all) {
        if samples.is_empty() {
            findings
                .extend(definitions.get(kind.definition).and_then(|definition| missing(definition, kind)));
            continue;
        }
        let tests = groups.entry(&kind.path.group).or_default().entry(&kind.path.version).or_default();
        *tests += &test(kind, &samples);
    }
    if groups.is_empty() {
        return (Vec::new(), findings);
    }
    let mut files = vec![GeneratedFile::new(format!("{FOLDER}/main.rs"), main(contents, groups.keys()))];
    for (group, versions) in &groups {
        let mut modules = format!("{HEADER}\n");
        for (version, tests) in versions {
            modules += &format!("{}mod {version};\n", contents.condition(version));
            let import = format!("use {}::{group}::{version};\n", contents.crate_name());
            let text = format!("{HEADER}\n{import}{tests}");
            files.push(GeneratedFile::new(format!("{FOLDER}/{group}/{version}.rs"), text));
        }
        files.push(GeneratedFile::new(format!("{FOLDER}/{group}/mod.rs"), modules));
    }
    (files, findings)
}

/// Returns objects that the API server accepts: a minimal object, an object with all fields, and an object for each branch of a union.
fn samples(definition: &Definition, version: &str, steps: &SharedSteps, wait: &dyn Fn()) -> Vec<Value> {
    let Ok(sampler) = Sampler::new(&with_status(&definition.crd), version) else { return Vec::new() };
    let mut samples = steps.make(&definition.crd, wait, |allowance| {
        let sampler = sampler.clone().with_allowance(allowance);
        let mut samples: Vec<Value> = sampler.minimal().into_iter().chain(sampler.full()).collect();
        samples.extend(sampler.alternatives().unwrap_or_default());
        samples
    });
    let mut seen = BTreeSet::new();
    samples.retain(|sample| seen.insert(sample.to_string()));
    samples
}

/// Returns the CRD without subresources. Otherwise, the API server would drop the status from new objects.
fn with_status(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut crd = crd.clone();
    for version in &mut crd.spec.versions {
        version.subresources = None;
    }
    crd
}

fn missing(definition: &Definition, kind: &PackageKind) -> Option<Problem> {
    let is_served = definition.crd.version(&kind.version).is_some_and(|version| version.served);
    is_served.then(|| {
        let path = FieldPath::new("spec").child("versions").index(kind.at);
        let message = "no object was found that the API server accepts, so no test reads one";
        Problem {
            origin: definition.origin.clone(),
            diagnostic: Diagnostic::new(path, CauseReason::NotFound, message),
            severity: ProblemSeverity::Warning,
        }
    })
}

/// Returns the test of a kind.
fn test(kind: &PackageKind, samples: &[Value]) -> String {
    let (module, version) = (&kind.path.kind, &kind.path.version);
    let mut text = format!(
        "\n#[test]\nfn {module}() {{\n    crate::keeps_every_field::<{version}::{module}::{}>(&[\n",
        kind.root_type
    );
    for sample in samples {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "        {},", literal(sample));
    }
    text + "    ]);\n}\n"
}

/// Writes JSON as a Rust string. Characters outside ASCII are escaped, because some could change how the file is displayed.
fn literal(value: &Value) -> String {
    let mut json = String::new();
    for c in format!("{value:#}").chars() {
        if c.is_ascii() && c != '\u{7f}' {
            json.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(json, "\\u{unit:04x}");
            }
        }
    }
    // The string ends at a quotation mark with as many hashes as at its start.
    let mut hashes = "#".to_owned();
    while json.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{json}\"{hashes}")
}

/// Returns the text of the tests' `main.rs`.
fn main<'a>(contents: &Contents<'_>, groups: impl Iterator<Item = &'a &'a str>) -> String {
    let mut text = format!("{HEADER}\n//! Objects that the API server accepts keep every field.\n");
    if let Some(limit) = contents.recursion_limit {
        let _ = writeln!(text, "#![recursion_limit = \"{limit}\"]");
    }
    text += "// Without the feature of any version there is no test.\n#![allow(dead_code)]\n\n";
    for group in groups {
        let _ = writeln!(text, "{UNFORMATTED}mod {group};");
    }
    let settings = contents.settings;
    let _ = write!(
        text,
        "\n/// `true` if an optional field that is `null` may be absent when it is written.\nconst LOSES_NULL: bool = {};\n\
         /// `true` if times, bytes and quantities may be written in another form.\nconst CHANGES_FORMS: bool = {};\n\n",
        !settings.explicit_null,
        changes_forms(settings),
    );
    text + include_str!("comparison.rs")
}

/// Returns `true` if an option selects types that change the form of some values.
fn changes_forms(settings: &Settings) -> bool {
    settings.date_time != DateTimeType::String
        || settings.bytes != BytesType::String
        || settings.k8s_openapi == K8sOpenapi::Equivalent
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_literal_is_the_json_whatever_is_in_it() {
        for text in ["plain", "\"# \"##", "\u{202e}\u{1f600}\u{7f}", "\\ \r\n\t\0", "r#\"{}\"#"] {
            let value = json!({text: [text, 1.5, null]});
            let written = literal(&value);
            assert!(written.is_ascii(), "{written}");
            let literal: syn::LitStr = syn::parse_str(&written).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&literal.value()).unwrap(), value);
        }
    }
}
