//! The output of `kubectl explain`, byte for byte.
//!
//! Source: `kubectl/pkg/explain/v2`. The code follows the template `plaintext.tmpl` there.

mod field;
mod request;
mod rules;
mod wrap;

pub use request::{Request, Wrong, newest_version};

use std::fmt;

use crd_core::CustomResourceDefinition;
use crd_go::nearest::nearest;
use serde_json::{Map, Value};

use crate::openapi::{self, NotPublished, OpenApi};
use field::{description, field_header, field_list};
use wrap::{indent, wrap};

/// Options for parts that kubectl does not show by default.
///
/// ```
/// let options = crd_docs::explain::ExplainOptions::default().with_recursive(true).with_rules(true);
/// assert!(options.recursive && options.rules);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainOptions {
    /// `true` to list nested fields as well, one per line.
    pub recursive: bool,
    /// `true` to add each field's constraints, default and CEL rules. kubectl has no such option.
    pub rules: bool,
}

impl ExplainOptions {
    /// Sets [`recursive`](Self::recursive).
    #[must_use]
    pub const fn with_recursive(mut self, recursive: bool) -> Self {
        self.recursive = recursive;
        self
    }

    /// Sets [`rules`](Self::rules).
    #[must_use]
    pub const fn with_rules(mut self, rules: bool) -> Self {
        self.rules = rules;
        self
    }
}

/// The reason why there is no explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotExplained {
    /// The version is not published.
    NotPublished(NotPublished),
    /// The field does not exist. kubectl prints the heading, and then an error.
    NoField {
        /// The last name in the path. kubectl's error message contains this name.
        field: String,
        /// The heading that kubectl prints.
        head: String,
        /// The existing field that the user probably meant.
        meant: Option<String>,
    },
}

impl fmt::Display for NotExplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPublished(error) => error.fmt(f),
            Self::NoField { field, .. } => write!(f, "field \"{field}\" does not exist"),
        }
    }
}

impl std::error::Error for NotExplained {}

/// Explains a kind, or one of its fields.
///
/// # Errors
/// - The CRD does not publish the version.
/// - The field does not exist.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_docs::explain::{ExplainOptions, explain};
///
/// let crd = CustomResourceDefinition::from_value(serde_json::json!({"spec": {
///     "group": "stable.example.com",
///     "names": {"plural": "crontabs", "kind": "CronTab"},
///     "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {
///         "type": "object",
///         "properties": {"replicas": {"type": "integer", "description": "The number of pods."}},
///     }}}],
/// }}))?;
/// let text = explain(&crd, "v1", &["replicas"], ExplainOptions::default())?;
/// assert!(text.contains("FIELD: replicas <integer>\n"));
///
/// let error = explain(&crd, "v1", &["size"], ExplainOptions::default()).unwrap_err();
/// assert_eq!(error.to_string(), "field \"size\" does not exist");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain(
    crd: &CustomResourceDefinition,
    version: &str,
    path: &[impl AsRef<str>],
    options: ExplainOptions,
) -> Result<String, NotExplained> {
    let published = openapi::publish(crd, version, OpenApi::V3).map_err(NotExplained::NotPublished)?;
    let spec = &crd.spec;
    let text =
        format!("GROUP:      {}\nKIND:       {}\nVERSION:    {version}\n\n", spec.group, spec.names.kind);
    // The kind comes before its list.
    let root = published.values().next().and_then(Value::as_object);
    let explainer = Explainer { options };
    let path: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
    match root.and_then(|root| explainer.output(root, &path)) {
        // The body can be large, so it is not copied.
        Some(mut body) => {
            body.insert_str(0, &text);
            body.push('\n');
            Ok(body)
        }
        None => Err(NotExplained::NoField {
            field: path.last().map_or_else(String::new, |name| (*name).to_owned()),
            head: text,
            meant: root.and_then(|root| meant(root, &path)),
        }),
    }
}

/// Returns the existing field that the user probably meant by the first unknown name in the path.
fn meant(schema: &Schema, path: &[&str]) -> Option<String> {
    let schema = resolve(schema).unwrap_or(schema);
    let (name, rest) = path.split_first()?;
    if let Some(properties) = child(schema, "properties") {
        return match child(properties, name) {
            Some(property) => meant(property, rest),
            None => nearest(name, properties.keys().map(String::as_str)).map(str::to_owned),
        };
    }
    let below = child(schema, "items").or_else(|| child(schema, "additionalProperties"));
    below
        .and_then(|below| meant(below, path))
        .or_else(|| all_of(schema).find_map(|branch| meant(branch, path)))
}

type Schema = Map<String, Value>;

struct Explainer {
    options: ExplainOptions,
}

impl Explainer {
    /// Explains the field at the path.
    fn output(&self, schema: &Schema, path: &[&str]) -> Option<String> {
        let schema = resolve(schema).unwrap_or(schema);
        let Some((name, rest)) = path.split_first() else { return Some(self.body(schema)) };
        if let Some(property) = child(schema, "properties").and_then(|properties| child(properties, name)) {
            let head = if rest.is_empty() { field_header(name, property) } else { String::new() };
            return self.output(property, rest).map(|body| head + &body);
        }
        if let Some(below) = child(schema, "items").or_else(|| child(schema, "additionalProperties")) {
            return self.output(below, path);
        }
        all_of(schema).find_map(|branch| self.output(branch, path))
    }

    fn body(&self, schema: &Schema) -> String {
        let text = match description(schema) {
            text if text.is_empty() => "<empty>".to_owned(),
            text => text,
        };
        let mut out = format!("DESCRIPTION:\n{}\n", indent(&wrap(&text, 76), 4));
        if let Some(docs) = child(schema, "externalDocs") {
            out += &format!("\nEXTERNAL DOCS:\n{}", field::external_docs(docs, 0));
        }
        if self.options.rules {
            let rules = rules::describe(schema);
            if !rules.is_empty() {
                out += &format!("RULES:\n{}", rules::lines(&rules, 4, 76));
            }
        }
        let mut fields = String::new();
        field_list(schema, 1, self.options, &[], &mut fields);
        if !fields.is_empty() {
            out += "FIELDS:\n";
            out += &fields;
        }
        out
    }
}

/// Returns the schema under a keyword, or `None` if the schema is absent or empty.
fn child<'s>(schema: &'s Schema, keyword: &str) -> Option<&'s Schema> {
    schema.get(keyword)?.as_object().filter(|child| !child.is_empty())
}

fn all_of(schema: &Schema) -> impl Iterator<Item = &Schema> {
    schema.get("allOf").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// Returns the name of the referenced schema.
fn reference(schema: &Schema) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/components/schemas/")
}

/// Returns the referenced schema.
fn resolve(schema: &Schema) -> Option<&Schema> {
    openapi::object_meta().get(reference(schema)?)?.as_object()
}
