//! JSON Schemas for editors and file validators.
//!
//! The schemas express as much as JSON Schema can. The rest of a CRD, such as CEL rules, is described in `markdownDescription` and
//! `$comment`.

mod metadata;
mod node;
mod snippet;

use std::cell::Cell;

use crd_core::CustomResourceDefinition;
use crd_core::schema::Structural;
use crd_go::re2::to_ecma;
use serde_json::{Map, Value, json};

use crate::openapi::NotPublished;

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draft {
    /// Draft 4, for old tools. There is no `const`, and exclusive bounds are booleans.
    Draft4,
    /// Draft 7.
    Draft7,
    /// Draft 2020-12.
    #[default]
    Draft202012,
}

/// Options of a JSON Schema.
///
/// ```
/// use crd_docs::json_schema::{Draft, SchemaOptions};
///
/// let options = SchemaOptions::default().with_draft(Draft::Draft7).with_strict(true);
/// assert!(options.draft == Draft::Draft7 && options.strict);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaOptions {
    /// The draft.
    pub draft: Draft,
    /// `true` to reject unknown fields, like the API server with strict field validation. Otherwise, the schema accepts unknown fields,
    /// although the API server drops them.
    pub strict: bool,
}

impl SchemaOptions {
    /// Sets [`draft`](Self::draft).
    #[must_use]
    pub const fn with_draft(mut self, draft: Draft) -> Self {
        self.draft = draft;
        self
    }

    /// Sets [`strict`](Self::strict).
    #[must_use]
    pub const fn with_strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }
}

/// Returns the JSON Schema for a version's objects.
///
/// # Errors
/// - The CRD has no version with this name, or does not serve it.
/// - The schema is not structural.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_docs::json_schema::{SchemaOptions, json_schema};
///
/// let crd = CustomResourceDefinition::from_value(serde_json::json!({"spec": {
///     "group": "stable.example.com",
///     "names": {"plural": "crontabs", "kind": "CronTab"},
///     "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {
///         "type": "object",
///         "properties": {"port": {"x-kubernetes-int-or-string": true}},
///     }}}],
/// }}))?;
/// let schema = json_schema(&crd, "v1", SchemaOptions::default().with_strict(true))?;
/// assert_eq!(schema["properties"]["kind"]["const"], "CronTab");
/// assert_eq!(schema["properties"]["port"]["type"], serde_json::json!(["integer", "string", "null"]));
/// assert_eq!(schema["additionalProperties"], false);
///
/// assert!(json_schema(&crd, "v2", SchemaOptions::default()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn json_schema(
    crd: &CustomResourceDefinition,
    version: &str,
    options: SchemaOptions,
) -> Result<Value, NotPublished> {
    let found = crd.version(version).ok_or(NotPublished::NoVersion)?;
    if !found.served {
        return Err(NotPublished::NotServed);
    }
    let schema = match found.open_api_v3_schema() {
        Some(schema) => Structural::from_json_schema(schema).map_err(NotPublished::NotStructural)?,
        None => open(),
    };
    Ok(root(crd, version, &schema, options))
}

/// Maximum total length of expanded patterns, in bytes. The limit is needed because a class such as `\pL` expands to thousands of bytes,
/// and a schema can repeat it.
const MOST_PATTERN_BYTES: usize = 1 << 20;

/// The schema's options, and the remaining bytes for expanded patterns.
#[derive(Clone, Copy)]
struct Context<'r> {
    options: SchemaOptions,
    room: &'r Cell<usize>,
}

impl Context<'_> {
    /// Converts a pattern to ECMAScript. Returns `None` if this is impossible.
    fn pattern(self, written: &str) -> Option<String> {
        let pattern = to_ecma(written, self.room.get())?;
        if pattern != written {
            self.room.set(self.room.get() - pattern.len());
        }
        Some(pattern)
    }
}

/// Returns the schema for a version without a schema. It accepts all fields.
fn open() -> Structural {
    let mut schema = Structural::default();
    schema.extensions.preserve_unknown_fields = true;
    schema
}

fn root(crd: &CustomResourceDefinition, version: &str, schema: &Structural, options: SchemaOptions) -> Value {
    let (group, kind) = (&crd.spec.group, &crd.spec.names.kind);
    let api_version = format!("{group}/{version}");
    let mut out = Map::new();
    let uri = match options.draft {
        Draft::Draft4 => "http://json-schema.org/draft-04/schema#",
        Draft::Draft7 => "http://json-schema.org/draft-07/schema#",
        Draft::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
    };
    out.insert("$schema".to_owned(), json!(uri));
    out.insert("title".to_owned(), json!(kind));
    let room = Cell::new(MOST_PATTERN_BYTES);
    let context = Context { options, room: &room };
    out.extend(node::convert(schema, context));
    out.insert("type".to_owned(), json!("object"));
    let constant = |text: &str| options.draft.constant(json!(text));
    let metadata = metadata::metadata_schema(schema.properties.get("metadata"), context);
    let common = [("apiVersion", constant(&api_version)), ("kind", constant(kind)), ("metadata", metadata)];
    let mut properties: Map<String, Value> =
        common.map(|(name, property)| (name.to_owned(), property)).into_iter().collect();
    let place = out.entry("properties").or_insert(Value::Null);
    if let Value::Object(own) = place.take() {
        let own: Vec<_> = own.into_iter().filter(|(name, _)| !properties.contains_key(name)).collect();
        properties.extend(own);
    }
    *place = Value::Object(properties);
    let mut required = vec![json!("apiVersion"), json!("kind")];
    let written =
        schema.value_validation.iter().flat_map(|validation| node::required(validation, Some(schema)));
    required.extend(
        written.filter(|name| !matches!(name.as_str(), "apiVersion" | "kind")).map(|name| json!(name)),
    );
    out.insert("required".to_owned(), Value::Array(required));
    out.insert(
        "x-kubernetes-group-version-kind".to_owned(),
        json!([{"group": group, "kind": kind, "version": version}]),
    );
    out.insert("defaultSnippets".to_owned(), snippet::from_schema(schema, &api_version, kind));
    out.insert(options.draft.definitions().to_owned(), metadata::definitions(options));
    Value::Object(out)
}

impl Draft {
    /// Returns a schema that accepts one value.
    fn constant(self, value: Value) -> Value {
        match self {
            Self::Draft4 => json!({"enum": [value]}),
            Self::Draft7 | Self::Draft202012 => json!({"const": value}),
        }
    }

    /// Returns the keyword for named schemas.
    fn definitions(self) -> &'static str {
        match self {
            Self::Draft4 | Self::Draft7 => "definitions",
            Self::Draft202012 => "$defs",
        }
    }
}
