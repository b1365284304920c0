//! Finds names and messages with words that are misleading according to the Kubernetes API conventions.

use crd_core::crd::JsonSchemaProps;

use crate::finding::FoundBy;
use crate::node::{Node, short};

/// Suffixes after which a name needs a unit, because the field contains a quantity.
const MEASURES: &[&str] = &["timeout", "interval", "period", "delay", "ttl", "duration", "memory"];

/// Finds numbers whose names have no unit, although they contain a duration or a size.
pub(crate) fn unit_missing(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let Some(name) = node.name() else { return };
    let lower = name.to_lowercase();
    let is_number = node.is_type("integer") || node.is_type("number");
    if is_number && MEASURES.iter().any(|measure| lower.ends_with(measure)) {
        found.add(
            node.path(),
            format!("`{}` is a number without a unit in its name", node.field()),
            unit_remedy(name, node.schema),
        );
    }
}

/// Units that descriptions mention. The first one that a description contains is taken, so longer words come first.
const UNITS: &[&str] = &[
    "Nanoseconds",
    "Microseconds",
    "Milliseconds",
    "Seconds",
    "Minutes",
    "Hours",
    "Days",
    "Megabytes",
    "Bytes",
];

/// Returns the remedy for a name without a unit. It suggests only the unit that the field's description mentions.
fn unit_remedy(name: &str, schema: &JsonSchemaProps) -> String {
    let text = schema.description.as_deref().unwrap_or_default().to_lowercase();
    match UNITS.iter().find(|unit| text.contains(unit.to_lowercase().as_str())) {
        Some(unit) if name.contains('_') => {
            format!("name the unit, as in `{}_{}`", short(name), unit.to_lowercase())
        }
        Some(unit) => format!("name the unit, as in `{}{unit}`", short(name)),
        None if name.to_lowercase().ends_with("memory") => {
            "end the name with the unit, such as `Megabytes`".to_owned()
        }
        None => "end the name with the unit, such as `Seconds` or `Milliseconds`".to_owned(),
    }
}

/// Abbreviations, each with the full word.
const ABBREVIATIONS: &[(&str, &str)] = &[
    ("addr", "address"),
    ("cfg", "configuration"),
    ("cnt", "count"),
    ("conf", "configuration"),
    ("ctx", "context"),
    ("desc", "description"),
    ("dst", "destination"),
    ("msg", "message"),
    ("num", "number"),
    ("pwd", "password"),
    ("svc", "service"),
    ("tmpl", "template"),
    ("usr", "user"),
];

/// Finds names with an abbreviated word.
pub(crate) fn abbreviation(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let Some(name) = node.name() else { return };
    let words = words(name);
    for (word, better) in ABBREVIATIONS.iter().filter(|(word, _)| words.iter().any(|part| part == word)) {
        found.add(
            node.path(),
            format!("`{}` contains the abbreviation `{word}`", node.field()),
            format!("write `{better}`"),
        );
    }
}

/// Splits a name in camel case into words in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c.is_ascii_uppercase() || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words
}

/// Finds messages of rules that say `should`, although the value is rejected.
pub(crate) fn message_words(node: &Node<'_>, found: &mut FoundBy<'_>) {
    for (i, rule) in node.schema.x_validations.iter().flatten().enumerate() {
        if found.is_full {
            return;
        }
        if says_should(&rule.message) {
            found.add(
                node.path().child("x-kubernetes-validations").index(i).child("message"),
                format!(
                    "the message \"{}\" says `should`, although the value is rejected",
                    short(&rule.message)
                ),
                "write `must`, `must not` or `may not`",
            );
        }
    }
}

/// Returns `true` if a text contains the word `should`.
fn says_should(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| matches!(word, "should" | "shouldn't"))
}

/// Finds descriptions that do not begin with the field's name.
pub(crate) fn description_start(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let (Some(name), Some(text)) = (node.name(), &node.schema.description) else { return };
    let text = text.trim_start();
    if !text.is_empty() && !text.starts_with(name) {
        found.add(
            node.path().child("description"),
            format!("the description of `{}` does not begin with the name of the field", node.field()),
            format!("begin it with `{}`", short(name)),
        );
    }
}

/// Finds references that are strings, or that contain the target's version.
pub(crate) fn reference_shape(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let Some(start) = node.name().and_then(|name| name.strip_suffix("Ref")).filter(|name| !name.is_empty())
    else {
        return;
    };
    let has = |name| node.schema.properties.as_ref().is_some_and(|all| all.get(name).is_some());
    if node.is_type("string") {
        found.add(
            node.path().child("type"),
            format!("`{}` is a string: the API conventions write references as objects", node.field()),
            format!("name it `{}Name`, or use an object with the field `name`", short(start)),
        );
    } else if node.is_type("object") && has("apiVersion") && has("kind") {
        found.add(
            node.path().child("properties").key("apiVersion"),
            format!(
                "`{}` refers to an object with a version, which may be removed before the reference",
                node.field()
            ),
            "use `group` and `kind`, or `resource`",
        );
    }
}

/// Kubernetes kinds that fields refer to by an object's name. Fields such as `displayName` or `releaseName` do not contain object names, and
/// a `jobName` is often a job of another system, such as Prometheus.
const NAMED: &[&str] = &[
    "secret",
    "configmap",
    "service",
    "serviceaccount",
    "pod",
    "node",
    "namespace",
    "class",
    "claim",
    "container",
    "claimtemplate",
    "persistentvolume",
    "deployment",
    "statefulset",
    "daemonset",
    "ingress",
    "gateway",
];

/// Returns `true` if a field with this name contains an object's name, such as `secretName`.
fn names_an_object(name: &str) -> bool {
    let Some(kind) = name.strip_suffix("Name") else { return name == "namespace" };
    let kind = kind.to_lowercase();
    NAMED.iter().any(|named| kind.ends_with(named))
}

/// Finds fields for object names that accept every string.
pub(crate) fn name_without_format(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let is_name = node.name().is_some_and(names_an_object)
        || node.name() == Some("name")
            && node.parent.and_then(Node::name).is_some_and(|above| above.ends_with("Ref"));
    let JsonSchemaProps { format, pattern, enum_, x_validations, .. } = node.schema;
    let is_checked =
        format.is_some() || pattern.is_some() || enum_.is_some() || x_validations.as_ref().is_some();
    // Linux has namespaces too.
    let is_of_linux = node.name() == Some("namespace")
        && node
            .schema
            .description
            .as_ref()
            .is_some_and(|text| text.to_lowercase().contains("network namespace"));
    if is_name && node.is_type("string") && !is_checked && !is_of_linux && !node.is_in_status() {
        found.add(
            node.path(),
            format!(
                "`{}` is the name of an object, but accepts strings that are not valid names",
                node.field()
            ),
            "add `format: k8s-short-name` or `k8s-long-name` (1.34 and later), or a `pattern`",
        );
    }
}
