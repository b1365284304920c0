//! The operations on a resource in `/openapi/v2` and `/openapi/v3`.
//!
//! Source: `pkg/controller/openapi/builder/builder.go` of apiextensions-apiserver, `pkg/endpoints/openapi/openapi.go` of
//! `k8s.io/apiserver`.

use std::sync::LazyLock;

use crd_core::crd::Version;
use crd_docs::openapi::OpenApi;
use serde_json::{Map, Value, json};

use crate::definition::{self, Definition};

/// The request parameters in the format of v2. A key with a hyphen is the name of a parameter that v2 operations share.
///
/// Recorded from apiextensions-apiserver 0.36.2.
static PARAMETERS: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("parameters.json")).expect("a test reads it"));

const PRETTY: &str = "pretty-tJGM1-ng";
const NAMESPACE: &str = "namespace-vgWSWtn3";
const LIST: [&str; 11] = [
    "allowWatchBookmarks-HC2hJt-J",
    "continue-QfD61s0i",
    "fieldSelector-xIcQKXFG",
    "labelSelector-5Zw57w4C",
    "limit-1NfNmdNH",
    "resourceVersion-5WAnf1kx",
    "resourceVersionMatch-t8XhRHeC",
    "sendInitialEvents-rLXlEK_k",
    "shardSelector-Kgyki_3_",
    "timeoutSeconds-yvYezaOC",
    "watch-XNNPZGbK",
];
const GET: [&str; 1] = ["resourceVersion-5WAnf1kx"];
const WRITE: [&str; 3] = ["dryRun", "fieldManager-Qy4HdaTW", "fieldValidation"];
const PATCH: [&str; 4] = ["dryRun", "fieldManager-7c6nTn1T", "fieldValidation", "force-tOGGb0Yi"];
const DELETE: [&str; 5] = [
    "dryRun",
    "gracePeriodSeconds--K5HaBOS",
    "ignoreStoreReadErrorWithClusterBreakingPotential-QbNkfIqj",
    "orphanDependents-uRB25kX5",
    "propagationPolicy-6jk3prlO",
];

const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
const PATCH_BODY: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

const TYPES: [&str; 2] = ["application/json", "application/yaml"];
const PATCH_TYPES: [&str; 4] = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

/// Returns the parameters that v2 operations share, by parameter name.
pub(super) fn shared_parameters() -> Map<String, Value> {
    let shared = PARAMETERS.iter().filter(|(key, _)| key.contains('-'));
    shared.map(|(key, parameter)| (key.clone(), parameter.clone())).collect()
}

/// A served version of a resource, with the schema names for objects and lists.
pub(super) struct Published<'a> {
    pub(super) definition: &'a Definition,
    pub(super) version: &'a Version,
    pub(super) object: &'a str,
    pub(super) list: &'a str,
    pub(super) form: OpenApi,
}

/// A request with its HTTP method, the value of `x-kubernetes-action`, and the first word of `operationId` and description.
struct PathOperation<'a> {
    method: &'static str,
    action: &'static str,
    verb: &'static str,
    /// The schema of the response.
    returns: &'a str,
}

impl<'a> PathOperation<'a> {
    const fn new(method: &'static str, action: &'static str, verb: &'static str, returns: &'a str) -> Self {
        Self { method, action, verb, returns }
    }

    fn parameters(&self) -> &'static [&'static str] {
        match self.action {
            "get" => &GET,
            "list" | "deletecollection" => &LIST,
            "patch" => &PATCH,
            "delete" => &DELETE,
            _ => &WRITE,
        }
    }

    /// Returns the schema of the request body, if there is a body.
    fn body(&self) -> Option<&'a str> {
        match self.action {
            "post" | "put" => Some(self.returns),
            "patch" => Some(PATCH_BODY),
            "delete" => Some(DELETE_OPTIONS),
            _ => None,
        }
    }

    fn statuses(&self) -> &'static [(&'static str, &'static str)] {
        const ALL: [(&str, &str); 3] = [("200", "OK"), ("201", "Created"), ("202", "Accepted")];
        match self.action {
            "post" => &ALL,
            "put" => ALL.get(..2).unwrap_or_default(),
            "delete" => &[("200", "OK"), ("202", "Accepted")],
            _ => ALL.get(..1).unwrap_or_default(),
        }
    }
}

impl Published<'_> {
    /// Returns the paths of the resource and its subresources.
    pub(super) fn paths(&self) -> Vec<(String, Value)> {
        let (object, list) = (self.object, self.list);
        let path = |namespace, name: &str| self.definition.path(&self.version.name, namespace, name);
        let read_and_write = |schema| {
            [
                PathOperation::new("get", "get", "read", schema),
                PathOperation::new("put", "put", "replace", schema),
                PathOperation::new("patch", "patch", "patch", schema),
            ]
        };
        let [read, replace, patch] = read_and_write(object);
        let delete = PathOperation::new("delete", "delete", "delete", STATUS);
        let collection = [
            PathOperation::new("get", "list", "list", list),
            PathOperation::new("post", "post", "create", object),
            PathOperation::new("delete", "deletecollection", "deletecollection", STATUS),
        ];
        let name = path("{namespace}", "{name}");
        if self.definition.built_in().is_some_and(|row| row.is_computed) {
            return vec![
                (path("{namespace}", ""), self.item(&collection[..1], "", false)),
                (name, self.item(&[read], "", true)),
            ];
        }
        let mut paths = vec![
            (path("{namespace}", ""), self.item(&collection, "", false)),
            (name.clone(), self.item(&[read, replace, delete, patch], "", true)),
        ];
        if definition::scale(self.version).is_some() {
            paths.push((format!("{name}/scale"), self.item(&read_and_write(SCALE), "scale", true)));
        }
        if self.version.has_status() {
            paths.push((format!("{name}/status"), self.item(&read_and_write(object), "status", true)));
        }
        for part in self.definition.built_in().into_iter().flat_map(|row| &row.parts) {
            paths.push((format!("{name}/{part}"), self.item(&read_and_write(object), part, true)));
        }
        if self.definition.is_namespaced() {
            paths.push((
                path("{namespace}", "").replace("/namespaces/{namespace}", ""),
                self.across_namespaces(),
            ));
        }
        paths
    }

    /// Returns a path's operations and their common parameters.
    fn item(&self, operations: &[PathOperation<'_>], subresource: &str, is_named: bool) -> Value {
        let mut item: Map<String, Value> = operations
            .iter()
            .map(|operation| {
                let noun = format!("{}{}{}", self.namespaced(), self.kind(), capitalized(subresource));
                (
                    operation.method.to_owned(),
                    self.operation(operation, subresource, &noun, operation.parameters()),
                )
            })
            .collect();
        let name = json!({
            "uniqueItems": true, "type": "string", "description": format!("name of the {}", self.kind()), "name": "name",
            "in": "path", "required": true,
        });
        let name = is_named.then(|| self.parameter(&name));
        let namespace = self.definition.is_namespaced().then(|| self.reference(NAMESPACE));
        let common = name.into_iter().chain(namespace).chain([self.reference(PRETTY)]);
        item.insert("parameters".to_owned(), common.collect());
        Value::Object(item)
    }

    /// Returns the path for listing objects in all namespaces. The operation's parameters belong to the path.
    fn across_namespaces(&self) -> Value {
        let list = PathOperation::new("get", "list", "list", self.list);
        let noun = format!("{}ForAllNamespaces", self.kind());
        let mut keys: Vec<&str> = LIST.into_iter().chain([PRETTY]).collect();
        keys.sort_unstable();
        let parameters: Value = keys.into_iter().map(|key| self.reference(key)).collect();
        json!({"get": self.operation(&list, "", &noun, &[]), "parameters": parameters})
    }

    fn operation(
        &self,
        operation: &PathOperation<'_>,
        subresource: &str,
        noun: &str,
        parameters: &[&str],
    ) -> Value {
        let is_v2 = self.form == OpenApi::V2;
        let mut fields = Map::new();
        let mut put = |name: &str, value: Value| {
            if value != json!([]) {
                fields.insert(name.to_owned(), value);
            }
        };
        let (description, tags) = (self.description(operation.verb, subresource), json!([self.tag()]));
        let consumed = self.consumed(operation);
        let body = operation.body().map(|schema| self.body(schema, &consumed));
        let (body_parameter, request_body) = if is_v2 { (body, None) } else { (None, body) };
        if is_v2 {
            put("description", description.into());
            put("consumes", json!(consumed));
            put("produces", json!(TYPES));
            put("schemes", json!(["https"]));
            put("tags", tags);
        } else {
            put("tags", tags);
            put("description", description.into());
        }
        put("operationId", self.id(operation.verb, noun).into());
        let parameters = parameters.iter().map(|key| self.reference(key));
        put("parameters", body_parameter.into_iter().chain(parameters).collect());
        if let Some(body) = request_body {
            put("requestBody", body);
        }
        put("responses", self.responses(operation));
        put("x-kubernetes-action", operation.action.into());
        let kind = json!({
            "group": self.definition.resource.group, "version": self.version.name, "kind": self.kind(),
        });
        put("x-kubernetes-group-version-kind", kind);
        Value::Object(fields)
    }

    /// Returns the media types of the request body.
    fn consumed(&self, operation: &PathOperation<'_>) -> Vec<&'static str> {
        if operation.action != "patch" {
            return TYPES.to_vec();
        }
        // Where kubectl finds strategic merge patches, it computes them with the published fields. Those of built-in kinds are not
        // published, and the patches would remove nothing from lists; without them, it uses the types that it contains.
        let is_strategic = self.definition.has_go_type() && self.definition.built_in().is_none();
        PATCH_TYPES.into_iter().filter(|name| is_strategic || !name.contains("strategic")).collect()
    }

    /// Returns the v2 body parameter or the v3 request body.
    fn body(&self, schema: &str, types: &[&str]) -> Value {
        match (self.form, schema) {
            (OpenApi::V2, DELETE_OPTIONS) => self.reference("body-2Y1dVQaQ"),
            (OpenApi::V2, PATCH_BODY) => self.reference("body-78PwaGsr"),
            (OpenApi::V2, _) => {
                json!({"name": "body", "in": "body", "required": true, "schema": self.schema(schema)})
            }
            (OpenApi::V3, DELETE_OPTIONS) => json!({"content": self.content(schema, types)}),
            (OpenApi::V3, _) => json!({"content": self.content(schema, types), "required": true}),
        }
    }

    fn content(&self, schema: &str, types: &[&str]) -> Value {
        let mut types = types.to_vec();
        types.sort_unstable();
        let contents =
            types.into_iter().map(|name| (name.to_owned(), json!({"schema": self.schema(schema)})));
        contents.collect::<Map<_, _>>().into()
    }

    fn responses(&self, operation: &PathOperation<'_>) -> Value {
        let content = match self.form {
            OpenApi::V2 => ("schema", self.schema(operation.returns)),
            OpenApi::V3 => ("content", self.content(operation.returns, &TYPES)),
        };
        let mut responses = Map::new();
        for (code, text) in operation.statuses() {
            responses.insert((*code).to_owned(), json!({"description": text, content.0: content.1}));
        }
        responses.insert("401".to_owned(), json!({"description": "Unauthorized"}));
        Value::Object(responses)
    }

    fn schema(&self, name: &str) -> Value {
        json!({"$ref": self.form.path(name)})
    }

    /// Returns a parameter by its key in the table.
    fn reference(&self, key: &str) -> Value {
        match self.form {
            OpenApi::V2 if key.contains('-') => json!({"$ref": format!("#/parameters/{key}")}),
            _ => self.parameter(PARAMETERS.get(key).unwrap_or(&Value::Null)),
        }
    }

    /// Converts a v2 parameter to the format of the document.
    fn parameter(&self, parameter: &Value) -> Value {
        if self.form == OpenApi::V2 {
            return parameter.clone();
        }
        let mut fields = Map::new();
        for name in ["name", "in", "description", "required"] {
            crate::json::set(&mut fields, name, parameter.get(name).cloned());
        }
        fields.insert("schema".to_owned(), json!({"type": parameter["type"], "uniqueItems": true}));
        Value::Object(fields)
    }

    fn kind(&self) -> &str {
        self.definition.kind()
    }

    fn namespaced(&self) -> &'static str {
        if self.definition.is_namespaced() { "Namespaced" } else { "" }
    }

    /// Returns the group without the suffix `.k8s.io`; `core` for the core group.
    fn group(&self) -> &str {
        let group = self.definition.resource.group.as_str();
        match group.strip_suffix(".k8s.io").unwrap_or(group) {
            "" => "core",
            group => group,
        }
    }

    fn tag(&self) -> String {
        format!("{}_{}", identifier(self.group(), false), identifier(&self.version.name, false))
    }

    /// Returns an operation's identifier, which consists of verb, group, version and noun.
    fn id(&self, verb: &str, noun: &str) -> String {
        let place = format!("{}{}", identifier(self.group(), true), identifier(&self.version.name, true));
        match verb {
            "deletecollection" => format!("delete{place}Collection{noun}"),
            verb => format!("{verb}{place}{noun}"),
        }
    }

    fn description(&self, verb: &str, subresource: &str) -> String {
        let kind = self.kind();
        let of = if subresource.is_empty() { String::new() } else { format!(" {subresource} of") };
        match verb {
            "list" => format!("list{of} objects of kind {kind}"),
            "read" | "replace" => format!("{verb}{of} the specified {kind}"),
            "patch" => format!("partially update{of} the specified {kind}"),
            "deletecollection" => format!("delete collection of {kind}"),
            verb => format!("{verb}{of} {}{kind}", article(kind)),
        }
    }
}

/// Returns the article for a kind, followed by a space. Plural nouns have no article.
fn article(kind: &str) -> &'static str {
    match kind.chars().next() {
        _ if kind.ends_with('s') && !kind.ends_with("ss") => "",
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'A' | 'E' | 'I' | 'O' | 'U') => "an ",
        _ => "a ",
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Converts a name to a part of an operation's identifier. The result has letters and digits, with a capital letter after each separator.
fn identifier(name: &str, is_capitalized: bool) -> String {
    let mut identifier = String::new();
    let mut is_next_capital = is_capitalized;
    for (i, c) in name.char_indices() {
        if !(c.is_ascii_lowercase() || i != 0 && c.is_ascii_digit()) {
            is_next_capital = true;
            continue;
        }
        identifier.push(if is_next_capital { c.to_ascii_uppercase() } else { c });
        is_next_capital = false;
    }
    identifier
}
