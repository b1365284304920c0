//! Steps of sessions as requests, as `record.py` reads them.

use serde_json::{Map, Value, json};

/// A step that is a request.
pub(crate) struct Step {
    pub(crate) request: http::Request<Vec<u8>>,
    pub(crate) is_watch: bool,
}

/// Returns the request of a step; `None` for a step that only waits. `bodies` are the answers so far.
pub(crate) fn request(step: &Value, group: &str, bodies: &[Value]) -> Option<Step> {
    let step = &expand(step);
    let line = substitute(step.get("do")?, group, bodies);
    let (method, path) = line.as_str().unwrap().split_once(' ').unwrap();
    let is_watch = step.get("watch") == Some(&Value::Bool(true));
    let mut path = path.to_owned();
    if is_watch {
        path.push_str(if path.contains('?') { "&watch=1" } else { "?watch=1" });
    }
    let mut request = http::Request::builder().method(method).uri(path).header("user-agent", "session/1");
    if let Some(accept) = step.get("accept") {
        request = request.header("accept", accept.as_str().unwrap());
    }
    let body = body(step, group, bodies);
    if body.is_some() {
        let content_type = match step.get("type").map(|name| name.as_str().unwrap()) {
            None => "application/json",
            Some("json") => "application/json-patch+json",
            Some("merge") => "application/merge-patch+json",
            Some("apply") => "application/apply-patch+yaml",
            Some("strategic") => "application/strategic-merge-patch+json",
            Some(other) => other,
        };
        request = request.header("content-type", content_type);
    }
    let request = request.body(body.unwrap_or_default().into_bytes()).unwrap();
    Some(Step { request, is_watch })
}

/// Returns the request that a step with a manager stands for: `apply`, `create`, `update` (a merge patch) or `json`.
fn expand(step: &Value) -> Value {
    let verbs = ["apply", "create", "update", "json"];
    let Some(verb) = verbs.into_iter().find(|verb| step.get(verb).is_some()) else { return step.clone() };
    let text =
        |key: &str, default: &str| step.get(key).map_or(default, |value| value.as_str().unwrap()).to_owned();
    let (version, name, subresource) = (text("version", "v1"), text("name", "a"), text("sub", ""));
    let mut path = format!("/apis/$G/{version}/namespaces/d/shirts");
    if verb != "create" {
        path += &format!("/{name}");
        if !subresource.is_empty() {
            path += &format!("/{subresource}");
        }
    }
    let method = if verb == "create" { "POST" } else { "PATCH" };
    let mut request = json!({"do": format!("{method} {path}?fieldManager={}", text(verb, ""))});
    if verb == "json" {
        request["type"] = "json".into();
        request["body"] = step["patch"].clone();
        return request;
    }
    let mut fields = Map::new();
    if verb != "update" {
        let (api_version, kind) = match subresource.as_str() {
            "scale" => ("autoscaling/v1".to_owned(), "Scale"),
            _ => (format!("$G/{version}"), "Shirt"),
        };
        fields.insert("apiVersion".to_owned(), api_version.into());
        fields.insert("kind".to_owned(), kind.into());
    }
    let sent =
        ["metadata", "spec", "status"].into_iter().filter_map(|key| Some((key, step.get(key)?.clone())));
    fields.extend(sent.map(|(key, value)| (key.to_owned(), value)));
    match verb {
        "update" => request["type"] = "merge".into(),
        "apply" => request["type"] = "apply".into(),
        _ => {}
    }
    if verb != "update" {
        let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
        let mut named = Map::from_iter([("name".to_owned(), Value::from(name))]);
        named.extend(metadata.as_object().unwrap().clone());
        *metadata = named.into();
    }
    request["body"] = fields.into();
    request
}

fn body(step: &Value, group: &str, bodies: &[Value]) -> Option<String> {
    if let Some(object) = step.get("object") {
        let mut fields = Map::new();
        fields.insert("apiVersion".to_owned(), format!("{group}/v1").into());
        fields.insert("kind".to_owned(), "Shirt".into());
        let Value::Object(object) = substitute(object, group, bodies) else { return None };
        fields.extend(object);
        return Some(python(&Value::Object(fields)));
    }
    if let Some(body) = step.get("body") {
        return Some(python(&substitute(body, group, bodies)));
    }
    let text = substitute(step.get("text")?, group, bodies);
    Some(text.as_str().unwrap().to_owned())
}

/// JSON as Python prints it: with blanks. Errors show the text.
fn python(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), python(value))
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// `$G` is the group of the session, `$N` its namespace; `${2.metadata.uid}` is a field of the second answer.
fn substitute(value: &Value, group: &str, bodies: &[Value]) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| substitute(item, group, bodies)).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                (name.replace("$G", group), substitute(value, group, bodies))
            };
            Value::Object(fields.iter().map(field).collect())
        }
        Value::String(text) => {
            let text = text.replace("$R", "/apis/$G/v1/namespaces/d/shirts").replace("$G", group);
            let text = text.replace("$N", group.split('.').next().unwrap());
            let mut parts = text.split("${");
            let mut out = parts.next().unwrap().to_owned();
            for part in parts {
                let (reference, rest) = part.split_once('}').unwrap();
                let (step, path) = reference.split_once('.').unwrap();
                let body = &bodies[step.parse::<usize>().unwrap() - 1];
                let found = body.pointer(&format!("/{}", path.replace('.', "/")));
                let found = found.unwrap_or_else(|| panic!("`{reference}` is not in {body}"));
                out.push_str(&found.as_str().map_or_else(|| found.to_string(), str::to_owned));
                out.push_str(rest);
            }
            out.into()
        }
        other => other.clone(),
    }
}
