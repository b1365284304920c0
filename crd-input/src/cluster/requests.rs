//! Sends requests to a cluster, and limits the responses, because the server may be hostile or broken.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use crd_go::names::{is_dns_1123_label, is_dns_1123_subdomain};
use crd_go::url::escape_query;
use http::Request;
use http_body::Body as _;
use kube::client::Body;
use kube::{Client, Config};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::super::Limits;
use super::super::duplicates::Keys;
use super::super::error::Fault;
use super::super::json::documents;
use super::super::room::Room;

/// The limits of requests to a cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The time for one response, from the request to the end of the body.
    pub(super) response: Duration,
    /// The time for all pages of a list.
    pub(super) list: Duration,
    /// Maximum number of bytes in one response, and in all pages of a list together.
    pub(super) bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { response: Duration::from_secs(30), list: Duration::from_secs(300), bytes: 256 << 20 }
    }
}

/// Maximum number of characters of the server's message that an error contains.
const MOST_WORDS: usize = 1000;

/// A client with limits.
pub(super) struct Requests {
    client: Client,
    bounds: Bounds,
}

impl Requests {
    pub(super) fn new(config: Config, bounds: Bounds) -> Result<Self, Fault> {
        Ok(Self { client: Client::try_from(config).map_err(|error| unreachable(&error))?, bounds })
    }

    /// Requests all objects of a resource from all namespaces. The names were checked by [`check_names`].
    pub(super) async fn objects(
        &self,
        (group, version, plural): (&str, &str, &str),
        limits: &Limits,
    ) -> Result<Vec<Map<String, Value>>, Fault> {
        let path = format!("/apis/{group}/{version}/{plural}");
        let list = self.list(&path, limits);
        let late =
            |_| Fault::new(format!("the cluster did not list all objects within {:?}", self.bounds.list));
        timeout(self.bounds.list, list).await.map_err(late)?
    }

    /// Requests the server's version.
    pub(super) async fn version(&self) -> Result<Map<String, Value>, Fault> {
        let text = self.get("/version", self.bounds.bytes).await?;
        match serde_json::from_str(&text) {
            Ok(Value::Object(version)) => Ok(version),
            _ => Err(odd("/version", "no object")),
        }
    }

    /// Requests the list at a path, page by page.
    async fn list(&self, resource: &str, limits: &Limits) -> Result<Vec<Map<String, Value>>, Fault> {
        let first = format!("{resource}?limit=100");
        let (mut path, mut left) = (first.clone(), self.bounds.bytes);
        let mut objects = Vec::new();
        loop {
            let text = self.get(&path, left).await?;
            left -= text.len();
            let (found, next) = page(&text, limits, resource)?;
            let is_empty = found.is_empty();
            objects.extend(found);
            match next {
                None => return Ok(objects),
                // Nothing is selected, so that each page but the last one is full.
                Some(_) if is_empty => return Err(odd(resource, "an empty page that is not the last one")),
                Some(token) => path = format!("{first}&continue={}", escape_query(&token)),
            }
        }
    }

    /// Requests a path. The body of the response has at most `most` bytes.
    async fn get(&self, path: &str, most: usize) -> Result<String, Fault> {
        let response = async {
            let request =
                Request::get(path).body(Body::empty()).map_err(|error| Fault::new(error.to_string()))?;
            let response = self.client.send(request).await.map_err(|error| unreachable(&error))?;
            let status = response.status();
            let body = self.read(response.into_body(), most).await?;
            let text = String::from_utf8(body).map_err(|_| odd(path, "bytes that are not UTF-8"))?;
            if status.is_success() { Ok(text) } else { Err(rejected(status.as_u16(), &text)) }
        };
        let late = |_| {
            Fault::new(format!("the cluster did not respond within {:?}", self.bounds.response))
                .help("`kubectl get crds` shows whether the context is right")
        };
        timeout(self.bounds.response, response).await.map_err(late)?
    }

    /// Reads a body of at most `most` bytes.
    async fn read(&self, body: Body, most: usize) -> Result<Vec<u8>, Fault> {
        let mut body = pin!(body);
        let mut bytes = Vec::new();
        while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
            let frame = frame.map_err(|error| unreachable(&error))?;
            let Ok(data) = frame.into_data() else { continue };
            if data.len() > most - bytes.len() {
                let limit = self.bounds.bytes;
                return Err(Fault::new(format!("the cluster responds with more than {limit} bytes")));
            }
            bytes.extend_from_slice(&data);
        }
        Ok(bytes)
    }
}

/// Checks that the names cannot lead to any path other than the resource's.
pub(super) fn check_names((group, version, plural): (&str, &str, &str)) -> Result<(), Fault> {
    if is_dns_1123_subdomain(group) && [version, plural].into_iter().all(is_dns_1123_label) {
        return Ok(());
    }
    Err(Fault::new(format!(
        "`{plural}.{version}.{group}` is not the name of a resource: group, version and plural name consist of DNS labels"
    )))
}

/// The objects on a page of a list, and the token for the next page.
type Page = (Vec<Map<String, Value>>, Option<String>);

/// Reads a page of a list.
fn page(text: &str, limits: &Limits, resource: &str) -> Result<Page, Fault> {
    // kube's own decoder rejects schemas that are nested deeper than its limit.
    let room = Room::for_source(text.len(), 1, limits, false);
    let pages: Vec<Value> =
        documents(text, limits, Keys::Noted, room)?.into_iter().map(|(page, _)| page).collect();
    let Ok([Value::Object(mut page)]) = <[Value; 1]>::try_from(pages) else {
        return Err(odd(resource, "no list"));
    };
    let next = page.get("metadata").and_then(|metadata| metadata.get("continue")).and_then(Value::as_str);
    let next = next.filter(|token| !token.is_empty()).map(str::to_owned);
    let items = match page.get_mut("items").map(Value::take) {
        // Go writes an empty list as `null`.
        Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items,
        _ => return Err(odd(resource, "no list")),
    };
    let object = |item| match item {
        Value::Object(object) => Ok(object),
        _ => Err(odd(resource, "a list of values that are not objects")),
    };
    Ok((items.into_iter().map(object).collect::<Result<_, _>>()?, next))
}

/// Returns the error for a response that no API server would send.
fn odd(path: &str, what: &str) -> Fault {
    Fault::new(format!("the cluster responds to `GET {path}` with {what}"))
        .help("`kubectl get crds` shows whether the context is right")
}

/// Returns the error for a request that the cluster rejects.
fn rejected(status: u16, text: &str) -> Fault {
    let status_object: Value = serde_json::from_str(text).unwrap_or_default();
    let words = status_object["message"].as_str().unwrap_or_else(|| text.trim());
    let words: String = words.chars().take(MOST_WORDS).collect();
    match status {
        401 => Fault::new("the cluster requires authentication").help("log in, or choose another context"),
        403 => Fault::new(words).help(
            "ask for a role that may `list` `customresourcedefinitions` of `apiextensions.k8s.io`, or for the CRDs as files",
        ),
        _ if words.is_empty() => Fault::new(format!("the cluster responds with the status {status}")),
        _ => Fault::new(words),
    }
}

/// Returns the error for a request that was not answered.
pub(super) fn unreachable(error: &kube::Error) -> Fault {
    match error {
        kube::Error::Service(error) => {
            Fault::new(format!("the cluster cannot be reached: {}", causes(&**error)))
                .help("`kubectl get crds` shows whether the context is right")
        }
        error => Fault::new(causes(error)),
    }
}

/// Returns the texts of an error and of all its sources.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let texts: Vec<String> =
        std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect();
    let mut parts: Vec<&str> = Vec::new();
    for text in &texts {
        // Some errors repeat their source.
        if !parts.iter().any(|part| part.contains(text.as_str())) {
            parts.push(text);
        }
    }
    parts.join(": ")
}
