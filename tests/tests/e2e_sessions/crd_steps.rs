//! Steps of random sessions about CRDs: two CRDs of a group, whole and broken, in all verbs.

use std::fmt;

use http::Request as HttpRequest;
use serde_json::{Map, Value, json};

use super::crd_values::{crd, status, with_status};
use super::{CRDS, Random};

/// The place of a session.
pub(crate) struct Target<'a> {
    pub(crate) group: &'a str,
}

/// A request of a session.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    method: &'static str,
    /// The path below that of the CRDs.
    path: String,
    query: String,
    content_type: &'static str,
    accept: &'static str,
    body: Option<Value>,
    /// The body gets the resource version of the last answer with this CRD.
    has_revision: bool,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, path, query, content_type, accept, body, has_revision } = self;
        write!(f, "- {method} {path}?{query} {content_type} {accept}")?;
        if *has_revision {
            write!(f, " (with its resource version)")?;
        }
        match body {
            Some(body) => write!(f, " {body}"),
            None => Ok(()),
        }
    }
}

impl Step {
    /// Returns the request as HTTP, after these answers. `$G` is the group of the session.
    pub(crate) fn request(&self, target: &Target<'_>, answers: &[Value]) -> HttpRequest<Vec<u8>> {
        let named = |text: &str| text.replace("$G", target.group);
        let mut body = self.body.clone();
        if let Some(metadata) = body.as_mut().and_then(|body| body.get_mut("metadata")?.as_object_mut())
            && self.has_revision
        {
            let name = metadata.get("name").and_then(Value::as_str).map(named);
            let mut found = answers.iter().rev().map(|answer| &answer["body"]);
            let found = found.find(|body| body["metadata"]["name"].as_str() == name.as_deref());
            let revision = found.and_then(|body| body.pointer("/metadata/resourceVersion").cloned());
            metadata.insert("resourceVersion".to_owned(), revision.unwrap_or_else(|| "1".into()));
        }
        let text = body.map(|body| named(&body.to_string())).unwrap_or_default();
        let uri = format!("{CRDS}{}?{}", named(&self.path), named(&self.query));
        let request = HttpRequest::builder().method(self.method).uri(uri);
        let request = request.header("user-agent", "session/1").header("content-type", self.content_type);
        let request = request.header("accept", self.accept);
        request.body(text.into_bytes()).expect("paths and headers are well-formed")
    }
}

/// Reads both CRDs and the lists of what the group serves.
pub(crate) fn state(group: &str) -> Vec<HttpRequest<Vec<u8>>> {
    let paths = [
        format!("{CRDS}/shirts.{group}"),
        format!("{CRDS}/hats.{group}"),
        format!("/apis/{group}"),
        format!("/apis/{group}/v1"),
        format!("/apis/{group}/v2"),
    ];
    let request = |path: String| HttpRequest::get(path).body(Vec::new()).expect("paths are well-formed");
    paths.map(request).into()
}

/// Removes both CRDs.
pub(crate) fn removal(group: &str) -> Vec<HttpRequest<Vec<u8>>> {
    let free = |name: &str| {
        let request = HttpRequest::patch(format!("{CRDS}/{name}.{group}"));
        let request = request.header("content-type", "application/merge-patch+json");
        request.body(br#"{"metadata":{"finalizers":null}}"#.to_vec()).expect("paths are well-formed")
    };
    let remove = |name: &str| {
        let request = HttpRequest::delete(format!("{CRDS}/{name}.{group}"));
        request.body(Vec::new()).expect("paths are well-formed")
    };
    ["shirts", "hats"].iter().flat_map(|name| [remove(name), free(name)]).collect()
}

/// Returns the requests of a session.
pub(crate) fn session(random: &mut Random) -> Vec<Step> {
    let count = 3 + random.below(7);
    let mut steps = vec![Step { method: "POST", body: Some(crd(random, "shirts")), ..empty() }];
    steps.extend((0..count).map(|_| step(random)));
    steps
}

fn empty() -> Step {
    Step {
        method: "GET",
        path: String::new(),
        query: String::new(),
        content_type: "application/json",
        accept: "application/json",
        body: None,
        has_revision: false,
    }
}

fn step(random: &mut Random) -> Step {
    let plural = if random.one_in(3) { "hats" } else { "shirts" };
    let subresource = if random.one_in(5) { "/status" } else { "" };
    let mut query = format!("fieldManager={}", random.choose(&["m1", "m2"]));
    if random.one_in(8) {
        query += "&dryRun=All";
    }
    if random.one_in(5) {
        query +=
            *random.choose(&["&fieldValidation=Strict", "&fieldValidation=Ignore", "&fieldValidation=Warn"]);
    }
    let path = format!("/{plural}.$G{subresource}");
    let base = Step { path, query, ..empty() };
    match random.below(16) {
        0..=2 => {
            let body = mutated(random, |random| crd(random, plural));
            Step { method: "POST", path: String::new(), body: Some(body), ..base }
        }
        3..=5 => {
            let mut body = with_status(random, plural);
            if subresource.is_empty() {
                body = mutated(random, |_| body);
            }
            Step { method: "PUT", body: Some(body), has_revision: !random.one_in(8), ..base }
        }
        6 | 7 => {
            let body = part(random, plural);
            // The words about a strategic merge patch of another type are those of a converter that is not reproduced.
            let (content_type, body) = match random.one_in(2) {
                true => ("application/strategic-merge-patch+json", body),
                false => ("application/merge-patch+json", mutated(random, |_| body)),
            };
            Step { method: "PATCH", content_type, body: Some(body), ..base }
        }
        8 => {
            let body = operations(random, plural);
            Step { method: "PATCH", content_type: "application/json-patch+json", body: Some(body), ..base }
        }
        9..=11 => apply(random, plural, base),
        12 | 13 => delete(random, base),
        14 => list(random, base),
        _ => odd(random, base),
    }
}

fn apply(random: &mut Random, plural: &str, mut base: Step) -> Step {
    if random.one_in(2) {
        base.query += "&force=true";
    }
    let mut body = if random.one_in(2) { crd(random, plural) } else { part(random, plural) };
    body["apiVersion"] = "apiextensions.k8s.io/v1".into();
    body["kind"] = "CustomResourceDefinition".into();
    body["metadata"]["name"] = format!("{plural}.$G").into();
    // Upstream lets apply create what is being deleted from its beginning.
    body["metadata"]["deletionTimestamp"] = Value::Null;
    let body = mutated(random, |_| body);
    Step { method: "PATCH", content_type: "application/apply-patch+yaml", body: Some(body), ..base }
}

fn delete(random: &mut Random, base: Step) -> Step {
    let mut query = if base.query.contains("dryRun") { "dryRun=All".to_owned() } else { String::new() };
    let options = [
        Value::Null,
        Value::Null,
        json!({}),
        json!({"propagationPolicy": "Foreground"}),
        json!({"propagationPolicy": "Orphan"}),
        json!({"gracePeriodSeconds": 0}),
        json!({"gracePeriodSeconds": 30}),
        json!({"preconditions": {"uid": "x"}}),
        json!({"preconditions": {"resourceVersion": "1"}}),
        json!({"propagationPolicy": "Wrong"}),
        json!({"dryRun": ["All"]}),
        json!({"kind": "DeleteOptions", "apiVersion": "v1", "x": 1}),
    ];
    let body = Some(random.choose(&options).clone()).filter(|options| !options.is_null());
    let mut path = base.path;
    if random.one_in(6) {
        // Other sessions have other groups.
        path = String::new();
        query += "&labelSelector=group%3D$G";
    }
    Step { method: "DELETE", path, query, body, ..empty() }
}

fn list(random: &mut Random, base: Step) -> Step {
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let metadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    let list_of_metadata = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    if random.one_in(3) {
        let accept = *random.choose(&[table, metadata, list_of_metadata, "application/yaml", "text/html"]);
        return Step { accept, query: String::new(), ..base };
    }
    let query = *random.choose(&[
        "labelSelector=group%3D$G",
        "fieldSelector=metadata.name%3Dshirts.$G",
        "fieldSelector=metadata.name%3Dshirts.$G&limit=1",
        "fieldSelector=metadata.name%3Dnone.$G",
        "fieldSelector=spec.group%3D$G",
        "labelSelector=group%3D$G,a%21%3Db",
        "labelSelector=%3D",
        "fieldSelector=x",
        "labelSelector=group%3D$G&limit=x",
        "labelSelector=group%3D$G&resourceVersionMatch=Exact",
        "labelSelector=group%3D$G&resourceVersion=x",
        "labelSelector=group%3D$G&continue=x",
    ]);
    let accept = *random.choose(&[
        "application/json",
        "application/json",
        table,
        list_of_metadata,
        "application/yaml",
    ]);
    Step { path: String::new(), query: query.to_owned(), accept, ..base }
}

/// Returns a request that no client sends on purpose.
fn odd(random: &mut Random, base: Step) -> Step {
    let body = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}});
    let crd = mutated(random, |random| crd(random, "shirts"));
    let method = random.choose(&["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "GET"]);
    let content_type = random.choose(&[
        "application/json",
        "application/yaml",
        "text/plain",
        "application/merge-patch+json",
        "application/json-patch+json",
        "application/apply-patch+yaml",
        "",
    ]);
    let path = match random.below(5) {
        0 => base.path + "/scale",
        1 => "/none.$G".to_owned(),
        // A collection of all CRDs belongs to other sessions as well.
        2 if *method != "DELETE" && *method != "GET" => String::new(),
        _ => base.path,
    };
    let body = random.choose(&[Value::Null, json!([]), json!({}), json!("x"), body, crd]).clone();
    let query = random.choose(&[
        "",
        "fieldManager=m",
        "force=true&fieldManager=m",
        "dryRun=x",
        "fieldValidation=x",
        "pretty=true",
    ]);
    let body = Some(body).filter(|body| !body.is_null());
    Step { method, path, query: (*query).to_owned(), content_type, body, ..empty() }
}

/// Returns a part of a CRD, as a patch has it.
fn part(random: &mut Random, plural: &str) -> Value {
    if random.one_in(4) {
        return json!({"status": status(random)});
    }
    let crd = crd(random, plural);
    let place = *random.choose(&["metadata", "spec"]);
    let fields: Vec<(&String, &Value)> = crd[place].as_object().into_iter().flatten().collect();
    let mut part = Map::new();
    for _ in 0..=random.below(2) {
        let (name, value) = *random.choose(&fields);
        let value = if random.one_in(6) { Value::Null } else { value.clone() };
        part.insert(name.clone(), value);
    }
    json!({place: part})
}

/// Returns a JSON patch.
fn operations(random: &mut Random, plural: &str) -> Value {
    let crd = with_status(random, plural);
    let places = places(&crd);
    let count = 1 + random.below(2);
    let operations = (0..count).map(|_| {
        let path = random.choose(&places).clone();
        let value =
            if random.one_in(3) { faulty(random) } else { crd.pointer(&path).cloned().unwrap_or_default() };
        let path = if random.one_in(5) { odd_path(random, &path) } else { path };
        let mut operation = match random.below(8) {
            0..=2 => json!({"op": "replace", "path": path, "value": value}),
            3 | 4 => json!({"op": "add", "path": path, "value": value}),
            5 => json!({"op": "remove", "path": path}),
            6 => json!({"op": "test", "path": path, "value": value}),
            _ => {
                let from = random.choose(&places).clone();
                let from = if random.one_in(5) { odd_path(random, &from) } else { from };
                json!({"op": random.choose(&["copy", "move"]), "from": from, "path": path})
            }
        };
        // The API server panics if the whole object is tested or replaced without a value.
        if let Value::Object(parts) = &mut operation
            && random.one_in(12)
            && parts["path"] != ""
        {
            parts.remove(*random.choose(&["path", "value", "from", "op"]));
        }
        operation
    });
    operations.collect()
}

/// Returns a path that the library of the API server reads in another way than the standard, or rejects.
fn odd_path(random: &mut Random, path: &str) -> String {
    let index = *random.choose(&["-1", "-2", "-9", "+0", "00", "-", "9", "0x0", " 0", "-0"]);
    let mut parts: Vec<&str> = path.split('/').collect();
    match random.below(6) {
        0 => String::new(),
        1 => path.trim_start_matches('/').to_owned(),
        2 => format!("{path}/"),
        3 => format!("{path}/{index}"),
        _ => {
            let indices: Vec<usize> = (0..parts.len()).filter(|i| parts[*i].parse::<u8>().is_ok()).collect();
            match indices.is_empty() {
                true => return format!("/none{path}"),
                false => parts[*random.choose(&indices)] = index,
            }
            parts.join("/")
        }
    }
}

/// Returns the value, in one of three cases with a fault at one place.
fn mutated(random: &mut Random, value: impl FnOnce(&mut Random) -> Value) -> Value {
    let mut value = value(random);
    if !random.one_in(3) {
        return value;
    }
    let places = places(&value);
    let place = random.choose(&places).clone();
    let fault = faulty(random);
    let Some((parent, name)) = place.rsplit_once('/') else { return value };
    match value.pointer_mut(parent) {
        Some(Value::Object(fields)) => match random.below(4) {
            0 => drop(fields.remove(name)),
            1 => drop(fields.insert("unknown".to_owned(), fault)),
            _ => drop(fields.insert(name.to_owned(), fault)),
        },
        Some(Value::Array(items)) => items.push(fault),
        _ => {}
    }
    value
}

/// Returns a value that is wrong in most places.
fn faulty(random: &mut Random) -> Value {
    random
        .choose(&[
            Value::Null,
            json!(1),
            json!(-1.5),
            json!(true),
            json!(""),
            json!("x"),
            json!([]),
            json!({}),
            json!(["x"]),
            json!({"x": 1}),
        ])
        .clone()
}

/// Returns the pointers of all values within a value.
fn places(value: &Value) -> Vec<String> {
    fn add(value: &Value, at: &str, places: &mut Vec<String>) {
        let children: Vec<(String, &Value)> = match value {
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.replace('/', "~1"), value)).collect()
            }
            Value::Array(items) => {
                items.iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect()
            }
            _ => return,
        };
        for (name, child) in children {
            let place = format!("{at}/{name}");
            add(child, &place, places);
            places.push(place);
        }
    }
    let mut places = Vec::new();
    add(value, "", &mut places);
    places
}
