//! Options without an effect, most likely with a mistyped name or path.

use crd_core::{Diagnostic, FieldPath, Reason};

use super::kinds::DefinitionOutput;
use super::modules::ModuleText;
use crate::config::{Settings, Target};
use crd_input::{Finding, Origin, Severity};

/// An error for each type or name override and each rule about a named type that no definition had a use for.
pub(super) fn findings(
    outputs: &[DefinitionOutput],
    modules: &[ModuleText],
    settings: &Settings,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut unused = |option: &str, text: String| {
        let message = format!("Invalid value: \"{text}\": no generated type has that place or name");
        findings.push(Finding {
            origin: Origin { file: "<options>".to_owned(), document: 0 },
            diagnostic: Diagnostic::new(FieldPath::new(option), Reason::Invalid, message),
            severity: Severity::Error,
        });
    };
    let is_used = |used: fn(&DefinitionOutput) -> &Vec<bool>, i: usize| {
        outputs.iter().any(|output| used(output).get(i).copied().unwrap_or_default())
    };
    for (i, rule) in settings.type_override.iter().enumerate() {
        if !is_used(|output| &output.used_types, i) {
            unused("type-override", rule.to_string());
        }
    }
    for (i, rule) in settings.name_override.iter().enumerate() {
        if !is_used(|output| &output.used_names, i) {
            unused("name-override", rule.to_string());
        }
    }
    let is_known = |target: &Target| match target {
        Target::Named(name) => modules.iter().any(|module| module.type_names.contains(name)),
        _ => true,
    };
    let derives = settings.derive.iter().map(|rule| ("derive", rule));
    for (option, rule) in derives.chain(settings.no_derive.iter().map(|rule| ("no-derive", rule))) {
        if !is_known(&rule.target) {
            unused(option, rule.to_string());
        }
    }
    for rule in settings.attribute.iter().filter(|rule| !is_known(&rule.target)) {
        unused("attribute", rule.to_string());
    }
    findings
}
