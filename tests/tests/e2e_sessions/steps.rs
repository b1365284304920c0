//! Steps of random sessions.

use std::fmt;

use http::Request as HttpRequest;
use serde_json::{Value, json};

use super::Random;
use super::definition::Made;

/// The place at which a session runs.
pub(crate) struct Target<'a> {
    pub(crate) made: &'a Made,
    pub(crate) namespace: &'a str,
}

/// A request of a session.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    method: &'static str,
    version: &'static str,
    /// Empty for the objects of the namespace.
    name: &'static str,
    subresource: &'static str,
    query: String,
    content_type: &'static str,
    body: Option<Value>,
    /// The body gets the resource version of the last answer with this object.
    has_revision: bool,
    /// The query gets the resource version of the first object.
    is_watch: bool,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, version, name, subresource, query, content_type, .. } = self;
        write!(f, "- {method} {version} {name}/{subresource}?{query} {content_type}")?;
        match &self.body {
            Some(body) => write!(f, " {body}"),
            None => Ok(()),
        }
    }
}

impl Request {
    /// Returns the request as HTTP, after these answers.
    pub(crate) fn request(&self, target: &Target<'_>, answers: &[Value]) -> HttpRequest<Vec<u8>> {
        let group = &target.made.group;
        let mut path = format!("/apis/{group}/{}/namespaces/{}/shirts", self.version, target.namespace);
        for part in [self.name, self.subresource].into_iter().filter(|part| !part.is_empty()) {
            path += &format!("/{part}");
        }
        let revision = |is_wanted: &dyn Fn(&Value) -> bool| {
            let body = answers.iter().rev().map(|answer| &answer["body"]).find(|body| is_wanted(body))?;
            body.pointer("/metadata/resourceVersion")?.as_str().map(str::to_owned)
        };
        let mut query = self.query.clone();
        if self.is_watch {
            let first = answers.iter().map(|answer| &answer["body"]).find(|body| body["kind"] == "Shirt");
            let first = first.and_then(|body| body.pointer("/metadata/resourceVersion")?.as_str());
            query += &format!("&resourceVersion={}", first.unwrap_or("0"));
        }
        let mut body = self.body.clone();
        if let Some(metadata) =
            body.as_mut().and_then(|body| body.get_mut("metadata")).filter(|_| self.has_revision)
        {
            let found = revision(&|body| body["kind"] == "Shirt" && body["metadata"]["name"] == self.name);
            metadata["resourceVersion"] = found.unwrap_or_else(|| "1".to_owned()).into();
        }
        let text = body.map(|body| body.to_string().replace("$G", group)).unwrap_or_default();
        let request = HttpRequest::builder().method(self.method).uri(format!("{path}?{query}"));
        let request = request.header("user-agent", "session/1").header("content-type", self.content_type);
        request.body(text.into_bytes()).expect("paths and headers are well-formed")
    }
}

/// Returns the requests of a session.
pub(crate) fn session(random: &mut Random, made: &Made) -> Vec<Request> {
    let count = 3 + random.below(8);
    let mut steps: Vec<Request> = (0..count).map(|_| step(random, made)).collect();
    steps.push(Request { method: "GET", name: "", body: None, ..empty() });
    if random.one_in(6) {
        let query = "watch=1&timeoutSeconds=1".to_owned();
        steps.push(Request { method: "GET", name: "", query, is_watch: true, ..empty() });
    }
    steps
}

fn empty() -> Request {
    Request {
        method: "GET",
        version: "v1",
        name: "a",
        subresource: "",
        query: String::new(),
        content_type: "application/json",
        body: None,
        has_revision: false,
        is_watch: false,
    }
}

fn step(random: &mut Random, made: &Made) -> Request {
    let version = if random.one_in(3) { "v2" } else { "v1" };
    let name = if random.one_in(5) { "b" } else { "a" };
    let manager = *random.choose(&["m1", "m2", "m3"]);
    let mut query = format!("fieldManager={manager}");
    if random.one_in(12) {
        query += "&dryRun=All";
    }
    if random.one_in(8) {
        query += *random.choose(&["&fieldValidation=Strict", "&fieldValidation=Ignore"]);
    }
    let base = Request { version, name, query, ..empty() };
    match random.below(12) {
        0..=4 => apply(random, made, base),
        5 => {
            let body = object(random, made, &base);
            Request { method: "POST", name: "", body: Some(body), ..base }
        }
        6 => {
            let body = object(random, made, &base);
            Request { method: "PUT", body: Some(body), has_revision: !random.one_in(8), ..base }
        }
        7 | 8 => merge(random, made, base),
        9 if made.has_scale => scale(random, base),
        9 => Request { body: None, ..base },
        10 if random.one_in(2) => Request { method: "DELETE", query: String::new(), ..base },
        _ => status(random, made, base),
    }
}

fn object(random: &mut Random, made: &Made, base: &Request) -> Value {
    let mut metadata = json!({"name": base.name});
    if random.one_in(4) {
        metadata["labels"] = json!({*random.choose(&["x", "y"]): "1"});
    }
    if random.one_in(8) {
        metadata["finalizers"] = json!([*random.choose(&["x.io/a", "x.io/b"])]);
    }
    let mut object =
        json!({"apiVersion": format!("$G/{}", base.version), "kind": "Shirt", "metadata": metadata});
    if !random.one_in(8) {
        object["spec"] = made.value(random);
    }
    if random.one_in(5) {
        object["status"] = status_value(random);
    }
    object
}

fn status_value(random: &mut Random) -> Value {
    random
        .choose(&[json!({}), json!({"count": 1}), json!({"count": 2, "text": "x"}), json!({"text": "y"})])
        .clone()
}

fn apply(random: &mut Random, made: &Made, mut base: Request) -> Request {
    if random.one_in(3) {
        base.query += "&force=true";
    }
    let body = object(random, made, &base);
    Request { method: "PATCH", content_type: "application/apply-patch+yaml", body: Some(body), ..base }
}

fn merge(random: &mut Random, made: &Made, base: Request) -> Request {
    let mut body = json!({"spec": made.value(random)});
    if random.one_in(3) {
        let names: Vec<String> =
            body["spec"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        if !names.is_empty() {
            body["spec"][random.choose(&names)] = Value::Null;
        }
    }
    if random.one_in(6) {
        let metadata = [
            json!({"finalizers": null}),
            json!({"labels": {"x": "2", "y": null}}),
            json!({"uid": "x"}),
            json!({"uid": "x", "labels": {"not valid": ""}}),
        ];
        body["metadata"] = random.choose(&metadata).clone();
    }
    Request { method: "PATCH", content_type: "application/merge-patch+json", body: Some(body), ..base }
}

fn scale(random: &mut Random, base: Request) -> Request {
    let body = json!({"spec": {"replicas": random.below(3)}});
    let (content_type, method) = ("application/merge-patch+json", "PATCH");
    Request { method, subresource: "scale", content_type, body: Some(body), ..base }
}

fn status(random: &mut Random, made: &Made, base: Request) -> Request {
    let subresource = if made.has_status { "status" } else { "" };
    let status = status_value(random);
    let mut base = Request { method: "PATCH", subresource, ..base };
    if random.one_in(2) {
        base.content_type = "application/merge-patch+json";
        base.body = Some(json!({"status": status}));
    } else {
        base.content_type = "application/apply-patch+yaml";
        let head = json!({"apiVersion": format!("$G/{}", base.version), "kind": "Shirt", "metadata": {"name": base.name}});
        base.body = Some(head);
        if let Some(body) = &mut base.body {
            body["status"] = status;
        }
    }
    base
}
