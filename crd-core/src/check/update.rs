//! The API server's verdict on a definition that replaces a stored one.
//!
//! Source: `PrepareForUpdate` in `registry/customresourcedefinition/strategy.go`, and
//! `ValidateCustomResourceDefinitionUpdate` in `validation.go`.

use serde_json::Value;

use super::{Options, Verdict, decode, request};
use crate::CustomResourceDefinition;

/// Judges a definition in its JSON form that replaces `old`, as the API server of a chosen release does.
///
/// An update must not change group and plural, and once the definition is served, neither scope nor kind. It must keep all
/// versions in which objects are stored. It may keep rules that a new definition may not have: stored expressions may use
/// all functions of the server.
///
/// `old` is the definition as it is stored. Its `status` tells whether it is served and in which versions objects are
/// stored; where it has none, it counts as served, with objects in its storage version. Both definitions have the same
/// name: another name is another definition, which is created. Not covered are violations that only definitions from
/// before `apiextensions.k8s.io/v1` can have stored (schemas that are not structural, defaults with unknown fields).
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_core::check::{Options, update};
/// use serde_json::json;
///
/// let old = json!({
///     "metadata": {"name": "crontabs.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "crontabs", "kind": "CronTab"},
///         "scope": "Namespaced",
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]
///     }
/// });
/// let stored = CustomResourceDefinition::from_value(old.clone())?;
/// assert!(update(&stored, old.clone(), Options::default()).0.accepted);
///
/// let mut new = old;
/// new["spec"]["scope"] = json!("Cluster");
/// let (verdict, _) = update(&stored, new, Options::default());
/// assert_eq!(verdict.errors[0].to_string(), "spec.scope: Invalid value: \"Cluster\": field is immutable");
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn update(
    old: &CustomResourceDefinition,
    new: Value,
    options: Options,
) -> (Verdict, Option<CustomResourceDefinition>) {
    let has_versions = new.pointer("/spec/versions").is_some_and(Value::is_array);
    match request::too_large(&new).map_or_else(|| decode::decode(new), Err) {
        Ok(crd) => (Verdict::of_decoded(&crd, Some(old), has_versions, options), Some(crd)),
        Err(refusal) => (Verdict::refused(refusal), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KubeVersion;

    /// The answers of a server of 1.36, recorded by `tests/conformance/record-updates`.
    const RECORDED: &str = include_str!("../../../tests/conformance/update/1.36.json");

    /// Ends of the names of cases that are answered otherwise: certificates of webhooks are not parsed.
    const MISSES: &[&str] = &["bundle-is-not-pem"];

    /// The causes, as text and in the order of the texts, or the warnings.
    fn answer(verdict: &Verdict) -> Vec<String> {
        let cause =
            |cause: &crate::Diagnostic| format!("{} {}: {}", cause.reason, cause.field, cause.message);
        let mut causes: Vec<String> = verdict.errors.iter().map(cause).collect();
        causes.extend(verdict.refusal.iter().map(|refusal| refusal.message.clone()));
        causes.extend(verdict.warnings.iter().cloned());
        causes.sort();
        causes
    }

    fn recorded(expect: &Value) -> Vec<String> {
        let list = |key: &str| expect[key].as_array().cloned().unwrap_or_default();
        let cause = |cause: &Value| {
            let text = |key: &str| cause[key].as_str().unwrap_or_default();
            format!("{} {}: {}", text("reason"), text("field"), text("message"))
        };
        let mut causes: Vec<String> = list("errors").iter().map(cause).collect();
        causes.extend(expect["message"].as_str().map(str::to_owned));
        causes.extend(list("warnings").iter().filter_map(|warning| Some(warning.as_str()?.to_owned())));
        causes.sort();
        causes
    }

    #[test]
    fn updates_are_answered_as_recorded() {
        let cases: Vec<Value> = serde_json::from_str(RECORDED).expect("the file is JSON");
        assert!(cases.len() >= 300, "only {} cases", cases.len());
        let options = Options { kube_version: KubeVersion::new(36) };
        let mut missed = Vec::new();
        for case in &cases {
            let name = case["name"].as_str().unwrap_or_default();
            if MISSES.iter().any(|miss| name.ends_with(miss)) {
                continue;
            }
            let old = CustomResourceDefinition::from_value(case["old"].clone()).expect("it was stored");
            let (verdict, _) = update(&old, case["crd"].clone(), options);
            let pair = (answer(&verdict), recorded(&case["expect"]));
            if pair.0 != pair.1 || verdict.accepted != case["expect"]["accepted"] {
                missed.push(format!("{}\n  got       {:?}\n  recorded  {:?}", case["name"], pair.0, pair.1));
            }
        }
        assert!(missed.is_empty(), "{} of {} differ:\n{}", missed.len(), cases.len(), missed.join("\n"));
    }
}
