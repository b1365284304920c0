//! Finds options without an effect, which most likely have a mistyped name or path.

use crd_core::{CauseReason, Diagnostic, FieldPath};
use crd_go::nearest::nearest;

use super::families::Family;
use super::kinds::DefinitionOutput;
use super::modules::ModuleText;
use crate::KeptNames;
use crate::config::{Elide, Settings, Target};
use crd_input::{Origin, Problem, ProblemSeverity};

/// Returns an error for each option that refers to a type or a path that no CRD has.
pub(super) fn findings(
    outputs: &[DefinitionOutput],
    families: &[Family<'_>],
    modules: &[ModuleText],
    names: &KeptNames,
    settings: &Settings,
) -> Vec<Problem> {
    let mut unused = Unused { names, findings: Vec::new() };
    let is_used = |used: fn(&DefinitionOutput) -> &Vec<bool>, i: usize| {
        outputs.iter().any(|output| used(output).get(i).copied().unwrap_or_default())
    };
    for (i, rule) in settings.type_override.iter().enumerate() {
        if !is_used(|output| &output.used_types, i) {
            unused.place("type-override", rule, &rule.place);
        }
    }
    for (i, rule) in settings.name_override.iter().enumerate() {
        if !is_used(|output| &output.used_names, i) {
            unused.place("name-override", rule, &rule.place);
        }
    }
    for (i, rule) in settings.elide.iter().enumerate() {
        match rule {
            _ if families.iter().any(|family| family.has_elided(i)) => {}
            Elide::Named(name) => unused.name("elide", rule, name),
            Elide::At(place) => unused.place("elide", rule, place),
        }
    }
    let derives = settings.derive.iter().map(|rule| ("derive", rule));
    for (option, rule) in derives.chain(settings.no_derive.iter().map(|rule| ("no-derive", rule))) {
        if let Some(name) = unknown(&rule.target, modules) {
            unused.name(option, rule, name);
        }
    }
    for rule in &settings.attribute {
        if let Some(name) = unknown(&rule.target, modules) {
            unused.name("attribute", rule, name);
        }
    }
    unused.findings
}

/// Returns the type name in a target, if no type has this name.
fn unknown<'a>(target: &'a Target, modules: &[ModuleText]) -> Option<&'a String> {
    match target {
        Target::Named(name) if !modules.iter().any(|module| module.type_names.contains(name)) => Some(name),
        _ => None,
    }
}

/// The errors, and the names and paths of all types, from which suggestions are chosen.
struct Unused<'a> {
    names: &'a KeptNames,
    findings: Vec<Problem>,
}

impl Unused<'_> {
    /// Adds an error for an option that refers to a type by this name.
    fn name(&mut self, option: &str, rule: &impl ToString, name: &str) {
        let meant = nearest(name, self.names.iter().map(|(name, _)| name.as_str()));
        let meant = meant.map(str::to_owned);
        self.add(option, &rule.to_string(), name, meant);
    }

    /// Adds an error for an option that refers to a type by this path.
    fn place(&mut self, option: &str, rule: &impl ToString, place: &impl ToString) {
        let places: Vec<String> = self.names.iter().map(|(_, place)| place.to_string()).collect();
        let place = place.to_string();
        let meant = nearest(&place, places.iter().map(String::as_str)).map(str::to_owned);
        self.add(option, &rule.to_string(), &place, meant);
    }

    /// Adds an error for an option that refers to `about`, a name or path. `meant` is the most similar one that exists.
    fn add(&mut self, option: &str, rule: &str, about: &str, meant: Option<String>) {
        // The parts of a union are generated together.
        let is_there = meant.as_deref() == Some(about);
        let problem = if is_there {
            "this type cannot be left out, because a union uses it"
        } else {
            "no generated type has that place or name"
        };
        let message = format!("Invalid value: \"{rule}\": {problem}");
        let mut diagnostic = Diagnostic::new(FieldPath::new(option), CauseReason::Invalid, message);
        let meant = meant.filter(|_| !is_there);
        if let Some(meant) = meant {
            diagnostic = diagnostic.with_help(format!("did you mean `{meant}`?"));
        }
        self.findings.push(Problem {
            origin: Origin { file: "<options>".to_owned(), document: 0 },
            diagnostic,
            severity: ProblemSeverity::Error,
        });
    }
}
